"""A comparison of runs: each NEW against BASE, with what it found; docs/comparing.md gives the reasons."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from benchmarks.results.comparability import Difference, differences_of, warnings_of
from benchmarks.results.pairs import Pairs, pair
from benchmarks.results.record import Outcome
from benchmarks.results.run_description import RunDescription
from benchmarks.results.statistics import holm, mcnemar_exact, paired_difference_interval


class ComparisonError(Exception):
    """Runs cannot be paired: one line with the run, the rule and the remedy."""


class Finding(StrEnum):
    """What a comparison found, the strictest first: of several comparisons it decides."""

    NOT_COMPARABLE = "not_comparable"
    REGRESSION = "regression"
    TOO_FEW_FLIPS = "too_few_flips"
    NO_DIFFERENCE = "no_difference"
    IMPROVEMENT = "improvement"

    @property
    def exit_code(self) -> int:
        """12 not comparable, 1 regression, 11 too few flips to tell, 0 otherwise."""
        return {Finding.NOT_COMPARABLE: 12, Finding.REGRESSION: 1, Finding.TOO_FEW_FLIPS: 11}.get(self, 0)


@dataclass(frozen=True, kw_only=True)
class ComparedRun:
    """A run and how each planned task ended: ``{"t-1": Outcome.CORRECT}``.

    `outcomes` is empty where `description.k` is not 1: such a run is described here, but never paired.
    """

    description: RunDescription
    outcomes: Mapping[str, Outcome]


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """What the pairs of two runs tell.

    `p` is that of the exact McNemar test, `p_holm` the same adjusted for the number of comparisons, and
    `p_with_verdicts` that of the tasks with a verdict in both runs alone, which decides nothing. `interval`
    is the 95 % interval of NEW's accuracy minus BASE's, -1 to 1.
    """

    pairs: Pairs
    p: Fraction
    p_holm: Fraction
    p_with_verdicts: Fraction
    interval: tuple[float, float]
    finding: Finding


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """One NEW against BASE.

    `label` is "NEW", or "NEW 2" among several. `differences` forbid to compare; `evidence` is ``None`` where
    they did. `warnings` are public lines.
    """

    label: str
    new: RunDescription
    differences: tuple[Difference, ...]
    warnings: tuple[str, ...]
    evidence: Evidence | None

    @property
    def finding(self) -> Finding:
        """What was found."""
        return Finding.NOT_COMPARABLE if self.evidence is None else self.evidence.finding

    @property
    def is_overridden(self) -> bool:
        """Whether the runs were compared though they differ in what forbids it."""
        return bool(self.differences) and self.evidence is not None


@dataclass(frozen=True, kw_only=True)
class Comparisons:
    """Every NEW against one BASE, in the order given. `alpha` is the level, above 0 and below 1."""

    base: RunDescription
    alpha: float
    each: tuple[Comparison, ...]

    @property
    def finding(self) -> Finding:
        """The strictest of the findings."""
        return min((comparison.finding for comparison in self.each), key=list(Finding).index)


def compare(
    base: ComparedRun, news: Sequence[ComparedRun], *, alpha: float, override: bool = False
) -> Comparisons:
    """Hold each NEW against BASE.

    Args:
        base: What is compared with.
        news: At least one.
        alpha: The level, above 0 and below 1.
        override: Compare all the same where differences forbid it.

    Raises:
        ComparisonError: A run that would be paired has several attempts per task, no ground truths, or no
            task.
    """
    labels = ["NEW"] if len(news) == 1 else [f"NEW {n}" for n in range(1, len(news) + 1)]
    differences = [differences_of(base.description, new.description) for new in news]
    pairs = [
        _paired(base, new, label) if override or not differing else None
        for new, label, differing in zip(news, labels, differences, strict=True)
    ]
    evidence = iter(_evidence([each for each in pairs if each is not None], Fraction(repr(alpha))))
    each = tuple(
        Comparison(
            label=label,
            new=new.description,
            differences=differing,
            warnings=warnings_of(base.description, new.description),
            evidence=None if laid is None else next(evidence),
        )
        for label, new, differing, laid in zip(labels, news, differences, pairs, strict=True)
    )
    return Comparisons(base=base.description, alpha=alpha, each=each)


def finding_of(
    n_improved: int, n_regressed: int, *, p_holm: Fraction, alpha: Fraction, n_comparisons: int
) -> Finding:
    """What the flips tell; docs/comparing.md has a table of examples.

    Too few to tell: NEW regressed more than it improved, not significantly, and it improved on so few tasks
    that with one more regressed, the mildest loss, no split of the flips could have reached the level.
    """
    if p_holm <= alpha:
        return Finding.REGRESSION if n_regressed > n_improved else Finding.IMPROVEMENT
    if n_regressed > n_improved and n_comparisons * mcnemar_exact(0, 2 * n_improved + 1) > alpha:
        return Finding.TOO_FEW_FLIPS
    return Finding.NO_DIFFERENCE


def _paired(base: ComparedRun, new: ComparedRun, label: str) -> Pairs:
    for name, run in (("BASE", base), (label, new)):
        if run.description.k != 1:
            raise ComparisonError(
                f"{name} has k = {run.description.k!r}: comparing several attempts per task is not built "
                "yet; name runs with k = 1"
            )
        if Outcome.UNSCORED in run.outcomes.values():
            raise ComparisonError(
                f"{name} is unscored ({run.description.dataset.get('subset')!r} keeps its ground truths): "
                "name runs whose answers were graded"
            )
    pairs = pair(base.outcomes, new.outcomes)
    if not pairs.n:
        raise ComparisonError(f"neither BASE nor {label} plans a task: name runs that do")
    return pairs


def _evidence(pairs: Sequence[Pairs], alpha: Fraction) -> list[Evidence]:
    p_values = [mcnemar_exact(len(each.improved), len(each.regressed)) for each in pairs]
    return [
        Evidence(
            pairs=each,
            p=p,
            p_holm=p_holm,
            p_with_verdicts=mcnemar_exact(each.n_improved_with_verdicts, each.n_regressed_with_verdicts),
            interval=_interval(each),
            finding=finding_of(
                len(each.improved),
                len(each.regressed),
                p_holm=p_holm,
                alpha=alpha,
                n_comparisons=len(pairs),
            ),
        )
        for each, p, p_holm in zip(pairs, p_values, holm(p_values), strict=True)
    ]


def _interval(pairs: Pairs) -> tuple[float, float]:
    return paired_difference_interval(
        n_both=pairs.n_both,
        n_first=len(pairs.improved),
        n_second=len(pairs.regressed),
        n_neither=pairs.n_neither,
    )
