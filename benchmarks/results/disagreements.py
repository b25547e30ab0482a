"""Where a scorer and the primary judge disagree, and how far they agree beyond chance."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from benchmarks.results.facts import AttemptFacts
from benchmarks.results.record import Outcome
from benchmarks.results.statistics.agreement import cohens_kappa


def disagreements_with(scorer: str, rows: Sequence[AttemptFacts]) -> dict[str, Any]:
    """What `scorer` and the primary judge say of the attempts that both graded.

    Example: ``{"n_compared": 90, "n": 3, "judge_alone": ["t-1", "t-4"], "scorer_alone": ["t-7"],
    "task_ids": ["t-1", "t-4", "t-7"], "kappa": 0.91}``. `judge_alone` names the tasks with an attempt that
    the judge alone calls correct. `kappa` is Cohen's, -1 to 1; ``None`` where both never vary, so that it is
    not defined.
    """
    pairs = [
        (row.task_id, row.outcome is Outcome.CORRECT, row.scorers[scorer])
        for row in rows
        if row.outcome.is_evaluated and scorer in row.scorers
    ]
    cells = Counter((by_judge, by_scorer) for _, by_judge, by_scorer in pairs)
    kappa = cohens_kappa(
        n_both=cells[True, True],
        n_first=cells[True, False],
        n_second=cells[False, True],
        n_neither=cells[False, False],
    )
    judge_alone = {task_id for task_id, by_judge, by_scorer in pairs if by_judge and not by_scorer}
    scorer_alone = {task_id for task_id, by_judge, by_scorer in pairs if by_scorer and not by_judge}
    return {
        "n_compared": len(pairs),
        "n": cells[True, False] + cells[False, True],
        "judge_alone": sorted(judge_alone),
        "scorer_alone": sorted(scorer_alone),
        "task_ids": sorted(judge_alone | scorer_alone),
        "kappa": None if kappa is None else float(kappa),
    }
