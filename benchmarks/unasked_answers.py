"""What a file of answers holds beside what is asked: an id may be misspelt (controller)."""

from collections.abc import Collection, Sequence
from difflib import get_close_matches
from pathlib import Path

from benchmarks.run import Run, Session
from harnesses.answers import AnswersError
from harnesses.answers_file import AnswersFileParams

_N_NAMED = 3


def unasked_answers(session: Session, run: Run) -> tuple[str, ...]:
    """Public lines on entries for tasks or attempts that no run asks of the file that answers this one."""
    params = run.choice.harness_params
    if not isinstance(params, AnswersFileParams):
        return ()
    asked = {
        (unit.task.task_id, number)
        for other in session.runs.values()
        if other.choice.harness_params == params
        for unit in other.units(session.attempts)
        for number in range(unit.attempt, unit.attempt + unit.n_tries)
    }
    try:
        strangers = sorted(params.attempts() - asked)
    except AnswersError:  # it was sound when the session began; the attempts will tell
        return ()
    task_ids = {task_id for task_id, _ in asked}
    tasks = sorted({task_id for task_id, _ in strangers} - task_ids)
    attempts = [f"attempt {number} of {task_id!r}" for task_id, number in strangers if task_id in task_ids]
    name, k = Path(params.answers_path).name, session.attempts.k
    near = [f"{task_id!r}{_near(task_id, task_ids)}" for task_id in tasks[:_N_NAMED]]
    of_tasks = f"{name} answers tasks that are not asked ({len(tasks)}): {_named(near, len(tasks))}"
    of_attempts = f"{name} answers attempts that are not made (k is {k}): {_named(attempts, len(attempts))}"
    return (*([of_tasks] if tasks else []), *([of_attempts] if attempts else []))


def _near(task_id: str, asked: Collection[str]) -> str:
    meant = get_close_matches(task_id, sorted(asked), n=1)
    return f" (did you mean {meant[0]!r}?)" if meant else ""


def _named(words: Sequence[str], n_words: int) -> str:
    """The first of `n_words` words."""
    return ", ".join([*words[:_N_NAMED], *(["…"] if n_words > _N_NAMED else [])])
