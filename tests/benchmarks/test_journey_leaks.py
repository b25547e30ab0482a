"""What must not leak: every published file and the terminal of a run whose truths are random strings."""

import secrets
from pathlib import Path

import pytest
from journey import Ended, Suite
from junit_schema import faults

LOUD = ("-l", "-rA", "--tb=long", "--setup-show", "-vv", "--junitxml=junit.xml", "--html=report.html")
MODEL_KEY, JUDGE_KEY = "sk-model-4f0c1b7e", "sk-judge-91ad33c0"


def published(ended: Ended, folder: Path) -> dict[str, str]:
    """What a user may hand to others: all but the details, and what was put beside the run."""
    files = [
        *folder.glob("*.xml"),
        *folder.glob("*.html"),
        *folder.glob("assets/*"),
        *folder.glob("GITHUB_*"),
    ]
    files += [path for path in ended.run.iterdir() if path.is_file()]
    return {"terminal": ended.out} | {path.name: path.read_text(errors="replace") for path in files}


SKIPPER = """
import pytest

def pytest_collection_modifyitems(items):
    for item in items:
        if "[unavailable]" in item.nodeid:
            item.add_marker(pytest.mark.skip(reason="not today"))
"""


def as_in_actions(suite: Suite) -> None:
    suite.environment["GITHUB_ACTIONS"] = "true"
    for name in ("GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT"):
        suite.environment[name] = str(suite.folder / name)


@pytest.mark.parametrize(
    ("family", "workers"), [("xunit1", ()), ("xunit2", ("-n", "2"))], ids=["one process", "-n 2"]
)
def test_no_key_question_truth_or_right_answer_is_published(
    suite: Suite, family: str, workers: tuple[str, ...]
) -> None:
    kinds = ("right", "wrong", "holds", "error", "echo", "unread", "unavailable")
    truths = {task_id: secrets.token_hex(8) for task_id in kinds}
    asked = {
        task_id: f"<{task_id}> {secrets.token_hex(8)} which {secrets.token_hex(8)} one?" for task_id in truths
    }
    answers = {
        "right": truths["right"],
        "wrong": "a wrong one",
        "holds": f"surely {truths['holds']} or {truths['holds'].upper()}",
        "error": 500,
        "echo": f"it is {truths['echo']}, as {asked['echo']} {MODEL_KEY} {JUDGE_KEY}",
        "unread": truths["unread"],
        "unavailable": "",
    }
    for task_id, truth in truths.items():
        suite.add(task_id, answer=answers[task_id], truth=truth, question=asked[task_id])
    suite.models.judge_replies = {
        f"TRUTH={truths['holds']}": r"\boxed{B}",
        f"TRUTH={truths['echo']}": f"{truths['echo']} it is, but no.\nFinal Judgment: \\boxed{{C}} - INVALID",
        f"TRUTH={truths['unread']}": f"well... {truths['unread']}",
    }
    suite.models.trouble = f"bad prompt: {asked['error']} {truths['error']} with {MODEL_KEY}"
    suite.environment |= {"MODEL_API_KEY": MODEL_KEY, "JUDGE_API_KEY": JUDGE_KEY}
    suite.environment["PYTHONPATH"] = str(suite.folder)
    (suite.folder / "skipper.py").write_text(SKIPPER)
    as_in_actions(suite)
    ended = suite.run("-p", "skipper", "-o", f"junit_family={family}", "--min-accuracy=0.9", *LOUD, *workers)
    assert ended.outcomes() == {
        "right": "correct",
        "wrong": "incorrect",
        "holds": "incorrect",
        "error": "run_error",
        "echo": "not_attempted",
        "unread": "judge_error",
        "unavailable": "unavailable",
    }
    hidden = [
        MODEL_KEY,
        JUDGE_KEY,
        *truths.values(),
        *(word for text in asked.values() for word in text.split() if len(word) == 16),
    ]
    texts = published(ended, suite.folder)
    assert {
        "terminal",
        "junit.xml",
        "report.html",
        "summary.md",
        "metrics.json",
        "run.json",
        "GITHUB_STEP_SUMMARY",
        "GITHUB_OUTPUT",
    } <= texts.keys()
    assert [(name, word) for name, text in texts.items() for word in hidden if word in text] == []
    assert faults(texts["junit.xml"], family=family) == []
    assert "::error title=gaia%3A judge error::" in ended.out
    assert "a wrong one" in ended.out, "a wrong answer is what a reader needs"
    assert {f"Bearer {MODEL_KEY}", f"Bearer {JUDGE_KEY}"} <= set(suite.models.keys), "the keys were used"


def test_show_ground_truth_shows_an_answer_but_never_a_key(suite: Suite) -> None:
    suite.add("a", answer="surely Tern Rock", truth="Tern Rock")
    suite.models.judge_replies = {"TRUTH=": r"\boxed{B}"}
    suite.environment["MODEL_API_KEY"] = MODEL_KEY
    ended = suite.run("--show-ground-truth", "-rA")
    assert "surely Tern Rock" in ended.out and MODEL_KEY not in ended.out
    assert "\nquestion: Which stone lies under <a>?\nground truth: Tern Rock\n" in ended.out


def test_a_key_the_server_echoes_is_masked_in_private_files_too(suite: Suite) -> None:
    suite.add("a", answer="x")
    suite.environment["MODEL_API_KEY"] = MODEL_KEY
    ended = suite.run()
    private = "".join(path.read_text() for path in (ended.run / "details").rglob("*.json*"))
    assert MODEL_KEY not in private and MODEL_KEY not in (ended.run / "run.json").read_text()


def test_hostile_model_text_reaches_the_page_escaped_and_kills_nothing(suite: Suite) -> None:
    suite.add("a", answer="<script>alert(1)</script> ]]> \x1b[31m \ud800 \ufffe ##[error]no end")
    ended = suite.run("--html=report.html", "--self-contained-html", "--junitxml=junit.xml", "-n", "2")
    page = (suite.folder / "report.html").read_text()
    assert faults((suite.folder / "junit.xml").read_text(), family="xunit2") == []
    assert "##[" not in ended.out
    assert ended.outcomes() == {"a": "incorrect"}
    assert "<script>alert(1)" not in page and "\x1b" not in ended.out.replace("\x1b[0m", "")
