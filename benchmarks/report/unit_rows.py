"""From the files of a run that has ended to the rows of its report, and to the pages they link to."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from benchmarks.report.pages import PageWriter, address_of
from benchmarks.report.rows import Row
from benchmarks.results.details import Entry
from benchmarks.results.effort import effort_of
from benchmarks.results.facts import AttemptFacts, UnitKey, facts_of
from benchmarks.results.files import RunFiles, RunFilesError, load_json
from benchmarks.results.reading import read_description
from benchmarks.results.run_description import RunDescription
from benchmarks.results.task_outcomes import TaskOutcomes, task_outcomes, unit_facts


def rows_of(files: RunFiles, *, report: Path | None, shown_as: str = "") -> Iterator[tuple[UnitKey, Row]]:
    """A row for each planned unit, by its first attempt, in plan order.

    Args:
        files: The run directory, all of it written.
        report: The report that links to trajectory pages, which are written beside the details; ``None``
            for one without links, for which no page is written.
        shown_as: What stands before each task id.

    Raises:
        RunFilesError: run.json is missing or broken.
    """
    description = read_description(files)
    writer = None if report is None else PageWriter(files, description, report=report)
    planned = description.attempts
    facts: list[AttemptFacts] = []
    pages: dict[str, str] = {}
    for task_id in dict.fromkeys(task_id for task_id, _ in planned):
        try:
            detail = load_json(files.detail(task_id))
            facts += _facts(task_id, detail, planned)
            page = None if writer is None else writer.write(task_id, detail)
        except (RunFilesError, AttributeError, KeyError, TypeError, ValueError):
            continue  # its units are unavailable in metrics.json too
        if page is not None and report is not None:
            pages[task_id] = address_of(page, seen_from=report.parent)
    for key, row in unit_rows(description, facts, shown_as=shown_as):
        page_of_task = pages.get(key[0])
        anchor = "" if description.k == 1 or page_of_task is None else f"#attempt-{row.decided_by}"
        yield key, row if page_of_task is None else replace(row, page=f"{page_of_task}{anchor}")


def unit_rows(
    description: RunDescription, facts: Iterable[AttemptFacts], *, shown_as: str = ""
) -> Iterator[tuple[UnitKey, Row]]:
    """A row for each planned unit, by its first attempt, in plan order; none is linked to a page.

    Args:
        description: The run.
        facts: What is known of its attempts.
        shown_as: What stands before each task id.
    """
    tasks = task_outcomes(description, facts)
    by_id = {task.task_id: task for task in tasks}
    for deciding in unit_facts(description, tasks):
        task = by_id[deciding.task_id]
        tries = task.made if description.strategy == "pass" else [deciding]
        yield (task.task_id, tries[0].attempt), _row(description, task, deciding, tries, shown_as)


def _facts(task_id: str, detail: Entry, planned: Mapping[UnitKey, str]) -> list[AttemptFacts]:
    attempts = ((int(number), entry) for number, entry in detail["attempts"].items())
    return [facts_of(task_id, n, entry) for n, entry in attempts if (task_id, n) in planned]


def _row(
    description: RunDescription,
    task: TaskOutcomes,
    deciding: AttemptFacts,
    tries: Sequence[AttemptFacts],
    shown_as: str,
) -> Row:
    effort = effort_of(description, tries, n_correct=0)
    was_made = any(facts.run_s is not None for facts in tries)
    k = description.k
    return Row(
        task=f"{shown_as}{task.task_id}",
        breakdown=description.breakdown,
        category=task.category,
        decided_by=deciding.attempt,
        attempt=str(deciding.attempt) if k == 1 else f"{deciding.attempt} of {k}",
        outcome=deciding.outcome.value,
        stop_reason=deciding.stop_reason or "",
        time_s=effort["time"]["run_s"] + effort["time"]["judge_s"] if was_made else None,
        tokens={
            role: (used["input_tokens"], used["output_tokens"]) for role, used in effort["tokens"].items()
        },
        cost_usd=effort["cost_usd"]["total"] if was_made else None,
    )
