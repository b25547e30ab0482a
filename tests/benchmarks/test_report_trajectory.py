"""A kept attempt as something to read, whatever lies in its entry."""

from typing import Any

from results_scene import record

from benchmarks.report.trajectory import reading_of
from benchmarks.results.details import entry_of


def test_an_entry_of_any_shape_can_be_read() -> None:
    entry: dict[str, Any] = {
        "outcome": None,
        "final_answer": ["not", "text"],
        "trajectory": [
            7,
            {"kind": "model", "message": "text"},
            {
                "kind": "model",
                "message": {"content": [{"type": "text", "text": "one"}, {"type": "image", "n": 1}, 2]},
            },
            {
                "kind": "model",
                "message": {"content": [{"type": "thinking", "thinking": "hm"}], "refusal": "I will not"},
            },
            {"kind": "tool", "result": {"a": 1}, "duration_s": "long"},
        ],
        "usage": {"model": "text", "judge": {"input_tokens": "7"}},
        "timing": "text",
        "issues": "text",
        "meta": {"benchmark": {"scoring": {"evaluation_type": "x", "correct": "perhaps"}}},
        "private": None,
        "recorder": {"crash": "it died"},
    }
    reading = reading_of(1, entry)
    assert reading.answer == '[\n  "not",\n  "text"\n]'
    assert [turn.kind for turn in reading.turns] == ["other", "other", "model", "model", "tool"]
    assert reading.turns[2].text == 'one\n\n{\n  "type": "image",\n  "n": 1\n}\n\n2'
    assert (reading.turns[3].thoughts, reading.turns[3].text) == ("hm", "I will not")
    assert reading.turns[4].duration_s is None and reading.run_s is None and reading.issues == ()
    assert [grade.correct for grade in reading.grades] == [None]
    assert reading.rest == {"recorder: crash": "it died"}


def test_what_is_no_json_is_shown_as_text() -> None:
    assert reading_of(1, {"trajectory": [{"kind": "tool", "result": {1, 2}}]}).turns[0].text == '"{1, 2}"'


def test_the_primary_judge_comes_first() -> None:
    first, *others = reading_of(1, entry_of(record("t-1", "correct"))).grades
    assert (first.name, first.correct, first.judge_model) == ("llm_judge", True, "judge-1")
    assert {grade.name for grade in others} == {"contains", "gaia_official"}
