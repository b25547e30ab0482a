"""Trajectory pages: all that is kept can be read, and no text in it can do anything."""

import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from report_scene import HOSTILE, call_of, finished, model_step, start, tool_step
from results_scene import TRUTH, record, run

from benchmarks.report.pages import PageWriter, address_of, page_path
from benchmarks.results.files import RunFiles, load_json
from benchmarks.results.reading import read_description

VOID = {"meta", "br", "link", "input"}


class Page(HTMLParser):
    """The tags of a page and its visible text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.open: list[str] = []
        self.words: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag, f"</{tag}> closes nothing that is open"

    def handle_data(self, data: str) -> None:
        if not {"style", "title"} & set(self.open):
            self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())

    @property
    def links(self) -> list[str]:
        return [value or "" for name, value in self.attributes if name == "href"]


def page_of(folder: Path, **changes: Any) -> Page:
    return Page(text_of(folder, **changes))


def text_of(folder: Path, **changes: Any) -> str:
    run_dir = finished(folder / "run", [record("t-1", **{"outcome": "incorrect", **changes})])
    return written(run_dir, "t-1").read_text(encoding="utf-8")


def written(run_dir: Path, task_id: str) -> Path:
    files = RunFiles(root=run_dir)
    writer = PageWriter(files, read_description(files), report=run_dir / "report.html")
    path = writer.write(task_id, load_json(files.detail(task_id)))
    assert path is not None
    return path


def test_a_page_tells_question_truth_answer_and_each_step(tmp_path: Path) -> None:
    steps = (
        model_step(None, message={"tool_calls": [call_of("search", '{"query": "red ferry"}')]}),
        tool_step("Three ferries are red."),
        model_step("It is the third.", finish_reason="length"),
    )
    page = page_of(tmp_path, trajectory=steps, final_answer="the third", stop_reason="max_iterations")
    for told in (
        "Where does t-1 lie?",
        TRUTH,
        "the third",
        "max iterations",
        "1 · model, calls search",
        "query: red ferry",
        "Three ferries are red.",
        "It is the third.",
        "finish reason length",
        "1,200 tokens in, 40 out",
    ):
        assert told in page.text
    assert page.open == []


def test_a_page_tells_the_judges_reply_and_what_each_scorer_said(tmp_path: Path) -> None:
    judge = {"correct": False, "grade": "B", "label": "INCORRECT", "judge_model": "judge-1"}
    scoring = {
        "llm_judge": {**judge, "raw_response": "They differ, so: B"},
        "contains": {"correct": True, "grade": "A", "label": "CORRECT"},
    }
    page = page_of(tmp_path, scoring=scoring)
    assert "llm_judge by judge-1 ✗ B INCORRECT" in page.text
    assert "contains ✓ A CORRECT" in page.text
    assert "They differ, so: B" in page.text


def test_hostile_text_is_text_on_the_page(tmp_path: Path) -> None:
    steps = (
        model_step(
            HOSTILE, message={"tool_calls": [call_of(HOSTILE, HOSTILE)], "reasoning_content": HOSTILE}
        ),
        tool_step(HOSTILE, tool=HOSTILE, arguments=HOSTILE),
    )
    scoring = {"llm_judge": {"correct": False, "grade": HOSTILE, "label": HOSTILE, "raw_response": HOSTILE}}
    page = page_of(
        tmp_path,
        trajectory=steps,
        scoring=scoring,
        final_answer=HOSTILE,
        ground_truth=HOSTILE,
        cause=HOSTILE,
        issues=(HOSTILE,),
        private={HOSTILE: HOSTILE},
        harness_meta={HOSTILE: HOSTILE},
    )
    assert not {"script", "img"} & set(page.tags)
    assert not [name for name, _ in page.attributes if name.startswith("on")]
    assert page.open == [], "no text closes or opens a tag"
    assert "<script>document.title='owned'</script>" in page.text
    assert "{{ 7 * 7 }}" in page.text, "nor is it a template"


def test_a_page_needs_no_script_and_allows_none(tmp_path: Path) -> None:
    text = text_of(tmp_path)
    assert "default-src 'none'" in text and "<script" not in text


def test_no_page_asks_anything_of_another_address(tmp_path: Path) -> None:
    text = text_of(tmp_path, final_answer="see http://evil.example/x")
    assert not re.search(r'(?:src|href)="?(?:https?:)?//', text)


def test_reasoning_and_long_results_are_folded_and_short_ones_open(tmp_path: Path) -> None:
    text = text_of(
        tmp_path,
        trajectory=(
            model_step("x", message={"reasoning_content": "because"}),
            tool_step("short"),
            tool_step("long " * 1000),
        ),
    )
    folds = re.findall(r"<details( open)?>\s*<summary>(Reasoning|Result)", text)
    assert folds == [("", "Reasoning"), (" open", "Result"), ("", "Result")]


def test_steps_of_sub_agents_are_told_apart(tmp_path: Path) -> None:
    text = text_of(tmp_path, trajectory=(model_step("x"), model_step("y", sub_agent=2)))
    assert text.count("step-sub") == 1 + 2, "one step, two rules of the style"
    assert "sub-agent 2" in text


def test_a_failed_tool_and_a_forced_answer_are_marked(tmp_path: Path) -> None:
    page = page_of(tmp_path, trajectory=(tool_step("no page", failed=True), model_step("x", forced=True)))
    assert "✗ failed" in page.text
    assert "asked for an answer from what is known" in page.text


def test_pages_lead_to_the_report_to_their_neighbours_and_to_the_record(tmp_path: Path) -> None:
    run_dir = finished(tmp_path / "run", {"t-1": "correct", "t-2": "correct", "t-3": "correct"})
    page = Page(written(run_dir, "t-2").read_text())
    assert [link for link in page.links if not link.startswith("#")] == [
        "../report.html",
        "t-1.html",
        "t-3.html",
        "t-2.json",
    ]
    assert "Task 2 of 3" in page.text


def test_the_first_and_the_last_page_have_one_neighbour(tmp_path: Path) -> None:
    run_dir = finished(tmp_path / "run", {"t-1": "correct", "t-2": "correct"})
    first, last = (Page(written(run_dir, task_id).read_text()) for task_id in ("t-1", "t-2"))
    assert "t-2.html" in first.links and "t-1.html" in last.links
    assert "t-1.html" not in first.links and "t-2.html" not in last.links


def test_every_attempt_of_a_task_has_its_place_on_the_page(tmp_path: Path) -> None:
    tries = [record("t-1", "incorrect"), record("t-1", "correct", attempt=2)]
    run_dir = finished(tmp_path / "run", tries, planned=["t-1"], k=2, strategy="pass")
    text = written(run_dir, "t-1").read_text()
    assert "Attempt 1 of 2" in text and 'id="attempt-2"' in text


def test_a_task_file_that_is_gone_takes_only_the_question_away(tmp_path: Path) -> None:
    run_dir = finished(tmp_path / "run", {"t-1": "correct"})
    RunFiles(root=run_dir).plan.unlink()
    assert "not kept" in written(run_dir, "t-1").read_text()


def test_a_page_that_cannot_be_written_is_left_out(tmp_path: Path) -> None:
    files = RunFiles(root=finished(tmp_path / "run", {"t-1": "correct"}))
    page_path(files, "t-1").mkdir()
    writer = PageWriter(files, read_description(files), report=tmp_path / "report.html")
    assert writer.write("t-1", load_json(files.detail("t-1"))) is None


def test_a_task_without_an_attempt_says_so(tmp_path: Path) -> None:
    files = RunFiles(root=tmp_path / "run")
    start(files.root, run(["t-1"]))
    path = PageWriter(files, read_description(files), report=tmp_path / "report.html").write("t-1", {})
    assert path is not None and "Nothing is kept of this task yet." in path.read_text()


@pytest.mark.parametrize(
    ("page", "folder", "expected"),
    [
        ("run/details/t-1.html", ".", "run/details/t-1.html"),
        ("run/details/t-1.html", "run", "details/t-1.html"),
        ("run/details/t-1.html", "other/deep", "../../run/details/t-1.html"),
        ("my run #1/details/t.html", ".", "my%20run%20%231/details/t.html"),
    ],
    ids=["above", "in the run", "beside", "a name to be quoted"],
)
def test_a_link_is_relative_and_quoted(page: str, folder: str, expected: str, tmp_path: Path) -> None:
    assert address_of(tmp_path / page, seen_from=tmp_path / folder) == expected


def test_a_link_to_another_drive_is_absolute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> str:
        raise ValueError("path is on mount 'C:', start on mount 'D:'")

    monkeypatch.setattr("benchmarks.report.pages.os.path.relpath", fail)
    assert address_of(tmp_path / "t.html", seen_from=tmp_path).startswith("file:///")
