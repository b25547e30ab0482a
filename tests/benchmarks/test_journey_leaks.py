"""What must not leak: every published file and the terminal of a run whose truths are random strings."""

import secrets
from pathlib import Path

import pytest
from journey import Ended, Suite

LOUD = ("-l", "-rA", "--tb=long", "--setup-show", "-vv", "--junitxml=junit.xml", "--html=report.html")
MODEL_KEY, JUDGE_KEY = "sk-model-4f0c1b7e", "sk-judge-91ad33c0"


def published(ended: Ended, folder: Path) -> dict[str, str]:
    files = [*folder.glob("*.xml"), *folder.glob("*.html"), *folder.glob("assets/*")]
    files += [path for path in ended.run.iterdir() if path.is_file()]
    return {"terminal": ended.out} | {path.name: path.read_text(errors="replace") for path in files}


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["one process", "-n 2"])
def test_no_key_question_truth_or_right_answer_is_published(suite: Suite, workers: tuple[str, ...]) -> None:
    truths = {task_id: secrets.token_hex(8) for task_id in ("right", "wrong", "holds", "error", "unread")}
    asked = {
        task_id: f"<{task_id}> {secrets.token_hex(8)} which {secrets.token_hex(8)} one?" for task_id in truths
    }
    answers = {
        "right": truths["right"],
        "wrong": "a wrong one",
        "holds": f"surely {truths['holds']} or {truths['holds'].upper()}",
        "error": 500,
        "unread": truths["unread"],
    }
    for task_id, truth in truths.items():
        suite.add(task_id, answer=answers[task_id], truth=truth, question=asked[task_id])
    suite.models.judge_replies = {
        f"TRUTH={truths['holds']}": r"\boxed{B}",
        f"TRUTH={truths['unread']}": "well...",
    }
    suite.environment |= {"MODEL_API_KEY": MODEL_KEY, "JUDGE_API_KEY": JUDGE_KEY}
    ended = suite.run(*LOUD, *workers)
    assert ended.outcomes() == {
        "right": "correct",
        "wrong": "incorrect",
        "holds": "incorrect",
        "error": "run_error",
        "unread": "judge_error",
    }
    hidden = [
        MODEL_KEY,
        JUDGE_KEY,
        *truths.values(),
        *(word for text in asked.values() for word in text.split() if len(word) == 16),
    ]
    found = [
        (name, word)
        for name, text in published(ended, suite.folder).items()
        for word in hidden
        if word in text
    ]
    assert found == []
    assert "a wrong one" in ended.out, "a wrong answer is what a reader needs"
    assert {f"Bearer {MODEL_KEY}", f"Bearer {JUDGE_KEY}"} <= set(suite.models.keys), "the keys were used"


def test_show_ground_truth_shows_an_answer_but_never_a_key(suite: Suite) -> None:
    suite.add("a", answer="surely Tern Rock", truth="Tern Rock")
    suite.models.judge_replies = {"TRUTH=": r"\boxed{B}"}
    suite.environment["MODEL_API_KEY"] = MODEL_KEY
    ended = suite.run("--show-ground-truth", "-rA")
    assert "surely Tern Rock" in ended.out and MODEL_KEY not in ended.out


def test_a_key_the_server_echoes_is_masked_in_private_files_too(suite: Suite) -> None:
    suite.add("a", answer="x")
    suite.environment["MODEL_API_KEY"] = MODEL_KEY
    ended = suite.run()
    private = "".join(path.read_text() for path in (ended.run / "details").rglob("*.json*"))
    assert MODEL_KEY not in private and MODEL_KEY not in (ended.run / "run.json").read_text()


def test_hostile_model_text_reaches_the_page_escaped_and_kills_nothing(suite: Suite) -> None:
    suite.add("a", answer="<script>alert(1)</script> \x1b[31m \ud800 end")
    ended = suite.run("--html=report.html", "--self-contained-html", "--junitxml=junit.xml", "-n", "2")
    page = (suite.folder / "report.html").read_text()
    assert ended.outcomes() == {"a": "incorrect"}
    assert "<script>alert(1)" not in page and "\x1b" not in ended.out.replace("\x1b[0m", "")
