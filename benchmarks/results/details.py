"""Details: what is kept of each attempt, as it lies in `details/<task_id>.json`. Private.

A detail is ``{"task_id": "t-1", "category": "2", "ground_truth": "42", "attempts": {"1": ENTRY}}``.
docs/results_format.md names every key of an entry.
"""

import json
from collections.abc import Iterable, Mapping
from typing import Any, cast

from benchmarks.results.record import Outcome, Record
from harnesses.endpoint.json_values import is_list

Entry = dict[str, Any]
"""One attempt in a detail: ``{"outcome": "correct", "metrics": {"correct": True}, …}``."""

SCORING_FIELDS = (
    "evaluation_type",
    "correct",
    "grade",
    "label",
    "model_answer",
    "ground_truth",
    "raw_response",
    "judge_model",
    "prompt_digest",
)
"""What `meta.benchmark.scoring` always holds of the primary judge; null where it gave none."""

COPIED_FIELDS = (
    "outcome",
    "cause",
    "final_answer",
    "answer_flag",
    "stop_reason",
    "trajectory",
    "usage",
    "timing",
    "n_tool_calls",
    "n_tool_failures",
    "carries_canary",
    "issues",
    "prompt_digest",
    "reused",
)
"""Fields of a record that its entry has under the same name."""

NEVER_REACHED = "finished ahead of the run's end, never reached"
DIFFERING = "differing records came for one attempt; all are kept in its detail"


def entry_of(record: Record) -> Entry:
    """The record as it is kept; nothing else holds its values."""
    values = record.to_json()
    outcome = Outcome(values["outcome"])
    meta = _mapping(values["benchmark_meta"])
    return {
        **{name: values[name] for name in COPIED_FIELDS},
        "metrics": {"correct": outcome is Outcome.CORRECT if outcome.is_evaluated else None},
        "meta": {
            "benchmark": {**meta, "scoring": _scoring(values)},
            "harness": values["harness_meta"],
        },
        "private": values["private"],
    }


def _scoring(values: Mapping[str, Any]) -> dict[str, Any]:
    primary: str | None = values["primary"]
    by_type = {name: _mapping(fields) for name, fields in _mapping(values["scoring"]).items()}
    known = {"model_answer": values["final_answer"], "ground_truth": values["ground_truth"]}
    flat = {**dict.fromkeys(SCORING_FIELDS), **known, **by_type.get(primary or "", {})}
    others = {
        name: {**fields, "evaluation_type": name} for name, fields in by_type.items() if name != primary
    }
    return {**flat, "evaluation_type": primary, **others}


def _mapping(value: Any) -> Mapping[str, Any]:
    """`value`, or a mapping that holds it where it had to become text."""
    return cast("Mapping[str, Any]", value) if isinstance(value, dict) else {"text": value}


def unavailable_entry(cause: str) -> Entry:
    """A unit that was planned and has no outcome of its own."""
    return _bare(Outcome.UNAVAILABLE, cause)


def crash_entry(reason: str) -> Entry:
    """An attempt whose worker died. `reason` is one public line."""
    return {**_bare(Outcome.RUN_ERROR, f"worker crashed: {reason}"), "recorder": {"crash": reason}}


def differing_entry(entries: Iterable[Entry]) -> Entry:
    """One run error for an attempt with differing records, which are kept in it."""
    kept = _in_order(entries)
    carries_canary = any(entry.get("carries_canary") is True for entry in kept)
    return {
        **_bare(Outcome.RUN_ERROR, DIFFERING),
        "carries_canary": carries_canary,
        "recorder": {"differing": kept},
    }


def never_reached_entry(entry: Entry, finished: Iterable[Entry]) -> Entry:
    """`entry`, which is unavailable, with what had finished ahead kept in it for a later resume.

    Its usage and timing become those of the finished attempt: that much was spent.
    """
    kept = _in_order(finished)
    spent = {name: kept[0][name] for name in ("usage", "timing")}
    return {**entry, **spent, "recorder": {"finished_ahead": kept}}


def kept_entries(entry: Entry) -> list[Entry]:
    """The records kept inside an entry: differing ones or those finished ahead; mostly none."""
    kept: Mapping[str, Any] = entry.get("recorder", {})
    return [*kept.get("differing", ()), *kept.get("finished_ahead", ())]


def finished_entry(entry: Entry) -> Entry | None:
    """The entry of an attempt that was finished, also where pytest never reached it; ``None``: none was.

    A worker's crash and differing records are no finished attempt.
    """
    kept: Mapping[str, Any] = entry.get("recorder", {})
    ahead: list[Entry] = list(kept.get("finished_ahead", ()))
    if ahead:
        return ahead[0]
    is_finished = not kept and entry["outcome"] != Outcome.UNAVAILABLE
    return entry if is_finished else None


def record_of(detail: Mapping[str, Any], attempt: int, entry: Entry) -> Record:
    """The record that `entry_of` made `entry` of; `attempt` is its number in `detail`.

    Raises:
        KeyError, TypeError, ValueError: The entry is none that the recorder wrote.
    """
    meta = entry["meta"]
    told = dict(meta["benchmark"]["scoring"])
    others = {name: told.pop(name) for name in list(told) if name not in SCORING_FIELDS}
    primary = told["evaluation_type"]
    graded = {} if primary is None else {primary: told}
    copied = {name: entry[name] for name in COPIED_FIELDS if name in entry}
    return Record.from_json(
        {
            **copied,
            "task_id": detail["task_id"],
            "attempt": attempt,
            "category": detail["category"],
            "ground_truth": detail["ground_truth"] or "",
            "primary": primary,
            "scoring": {**graded, **others},
            "benchmark_meta": {name: value for name, value in meta["benchmark"].items() if name != "scoring"},
            "harness_meta": meta["harness"],
            "private": entry["private"],
        }
    )


def detail_of(task_id: str, category: str, ground_truth: str | None, attempts: Mapping[str, Entry]) -> Entry:
    """All that is kept of one task. `ground_truth` is ``None`` where no record brought it."""
    return {
        "task_id": task_id,
        "category": category,
        "ground_truth": ground_truth,
        "attempts": dict(attempts),
    }


def detail_text(detail: Entry) -> str:
    """A detail as it lies in its file: sorted keys, a line for each field and each step of a trajectory.

    Python's indented JSON takes ten times as long, and its lines are shorter than anyone would read.
    """
    attempts = ",\n".join(
        f"{_line(number)}: {_fields(detail['attempts'][number])}"
        for number in sorted(detail["attempts"], key=lambda number: (len(number), number))
    )
    rest = {name: value for name, value in detail.items() if name != "attempts"}
    return f'{{\n"attempts": {{\n{attempts}\n}},\n{_fields(rest)[2:]}\n'


def _fields(values: Mapping[str, Any]) -> str:
    lines = (
        f"{_line(name)}: {_steps(value) if name == 'trajectory' else _line(value)}"
        for name, value in sorted(values.items())
    )
    return "{\n" + ",\n".join(lines) + "\n}"


def _steps(value: Any) -> str:
    if not is_list(value) or not value:
        return _line(value)
    return "[\n" + ",\n".join(map(_line, value)) + "\n]"


def _line(value: Any) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False, allow_nan=False)


def _bare(outcome: Outcome, cause: str) -> Entry:
    return entry_of(
        Record(task_id="", attempt=1, category="", ground_truth="", outcome=outcome, cause=cause)
    ) | {"meta": {"benchmark": {"scoring": dict.fromkeys(SCORING_FIELDS)}, "harness": {}}}


def _in_order(entries: Iterable[Entry]) -> list[Entry]:
    return sorted(entries, key=_canonical)


def _canonical(entry: Entry) -> str:
    return json.dumps(entry, sort_keys=True, allow_nan=False)
