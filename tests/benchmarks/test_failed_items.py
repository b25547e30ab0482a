"""Failed items at the end of the terminal output."""

from types import SimpleNamespace
from typing import Any, cast

import pytest

from benchmarks.report.failed_items import MOST_SHOWN, FailedItems, FourLines, put_in_four_lines

LINES = "t-1\nverdict: B (INCORRECT)\nanswer: Gull\nreason: stop reason completed; record: d/t-1.json"
TROUBLE = (
    "t-1\nverdict: none (run error)\nanswer: none (no final message)\nreason: HTTP 500; record: d/t-1.json"
)


@pytest.mark.parametrize(
    ("text", "short"),
    [
        (LINES, "verdict: B (INCORRECT), answer: Gull"),
        (TROUBLE, "verdict: none (run error), HTTP 500".replace("HTTP", "reason: HTTP")),
        ("the worker ended", "the worker ended"),
    ],
    ids=["wrong", "trouble", "another text"],
)
def test_the_short_line_is_the_verdict_with_the_answer_or_the_reason(text: str, short: str) -> None:
    said = FourLines(text)
    assert (said.reprcrash.message, str(said.reprcrash), str(said)) == (short, short, text)


def test_all_four_are_printed() -> None:
    printed: list[str] = []
    FourLines(LINES).toterminal(SimpleNamespace(line=printed.append))
    assert printed == LINES.splitlines()


@pytest.mark.parametrize(("outcome", "is_put"), [("failed", True), ("skipped", False)])
def test_only_a_failed_report_is_put_in_four_lines(outcome: str, is_put: bool) -> None:
    report = SimpleNamespace(failed=outcome == "failed", longrepr=LINES)
    put_in_four_lines(cast(pytest.TestReport, report))
    assert isinstance(report.longrepr, FourLines) is is_put


def reports(n: int, prefix: str = "ours") -> list[Any]:
    return [SimpleNamespace(nodeid=f"{prefix}-{k}") for k in range(n)]


def shown(stats: dict[str, list[Any]], *, is_verbose: bool = False) -> tuple[dict[str, int], list[str]]:
    """How many reports of each kind pytest prints, and what is said before. Then the lists are whole."""
    said: list[str] = []
    whole = {name: list(each) for name, each in stats.items()}
    node_ids = {f"ours-{k}" for k in range(1000)}
    terminal = cast(pytest.TerminalReporter, SimpleNamespace(stats=stats, write_line=said.append))
    hook = FailedItems(node_ids, is_verbose=is_verbose).pytest_terminal_summary(terminal)
    next(hook)
    n_shown = {name: len(each) for name, each in stats.items()}
    with pytest.raises(StopIteration):
        next(hook)
    assert stats == whole
    return n_shown, said


def test_of_a_thousand_wrong_answers_fifty_are_printed() -> None:
    n_shown, said = shown({"failed": reports(1000), "error": reports(60), "passed": reports(9)})
    assert n_shown == {"failed": MOST_SHOWN, "error": MOST_SHOWN, "passed": 9}
    assert said == [
        "Of the items that failed or erred 960 are not shown: -v shows all; details/ has each",
    ]


def test_a_few_are_printed_without_a_word() -> None:
    assert shown({"failed": reports(50)}) == ({"failed": 50}, [])


def test_v_shows_all() -> None:
    assert shown({"failed": reports(1000)}, is_verbose=True) == ({"failed": 1000}, [])


def test_other_failed_tests_are_always_printed() -> None:
    n_shown, _ = shown({"failed": [*reports(60), *reports(70, "theirs"), SimpleNamespace()]})
    assert n_shown == {"failed": MOST_SHOWN + 71}
