"""Evidence: what the pairs of two runs tell, and what is found by it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from benchmarks.results.comparing.paired_tests import interval_95, p_value
from benchmarks.results.comparing.pairs import Pairs
from benchmarks.results.statistics.paired import mcnemar_exact
from benchmarks.results.statistics.several import holm
from benchmarks.results.statuses import EXIT_CODES, GateStatus


class Finding(StrEnum):
    """What a comparison found, the strictest first: of several findings it decides.

    Only a part of a baseline can be `NOT_MEASURED`: a BASE without any measured task is refused.
    """

    NOT_MEASURED = "not_measured"
    NOT_COMPARABLE = "not_comparable"
    REGRESSION = "regression"
    TOO_FEW_FLIPS = "too_few_flips"
    NO_DIFFERENCE = "no_difference"
    IMPROVEMENT = "improvement"

    @property
    def exit_code(self) -> int:
        """10 not measured, 12 not comparable, 1 regression, 11 too few flips to tell, 0 otherwise."""
        return EXIT_CODES[self.status] or 0

    @property
    def status(self) -> GateStatus:
        """How the gate of a baseline stands by it."""
        statuses: Mapping[Finding, GateStatus] = {
            Finding.NOT_MEASURED: "not_measured",
            Finding.NOT_COMPARABLE: "not_comparable",
            Finding.REGRESSION: "missed",
            Finding.TOO_FEW_FLIPS: "inconclusive",
        }
        return statuses.get(self, "passed")

    @property
    def leniency(self) -> int:
        """0 for the strictest finding, and so on."""
        return list(Finding).index(self)


@dataclass(frozen=True, kw_only=True)
class Tested:
    """Some pairs, one or more, and what they tell.

    `p` is exact and two-sided; `p_holm` is the same adjusted for the number of comparisons.
    """

    pairs: Pairs
    p: Fraction
    p_holm: Fraction
    finding: Finding

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the difference of accuracies, -1 to 1."""
        return interval_95(self.pairs)


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """What was found between two runs.

    `all_tasks` are all pairs. `measured_in_base` are those that are measured in BASE, where its want of
    verdicts cannot hide a regression: the stricter finding of the two decides. `n_comparisons` were made in
    all.
    """

    all_tasks: Tested
    measured_in_base: Tested
    n_comparisons: int

    @property
    def deciding(self) -> Tested:
        """All pairs, or those that are measured in BASE where their finding is the stricter one."""
        return min(self.all_tasks, self.measured_in_base, key=lambda tested: tested.finding.leniency)

    @property
    def finding(self) -> Finding:
        """The stricter finding."""
        return self.deciding.finding

    @property
    def difference(self) -> Fraction:
        """NEW's accuracy minus BASE's, exact, -1 to 1; the lower one of the two kinds of pairs."""
        return self._lowest.pairs.difference

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of `difference`."""
        return self._lowest.interval

    @property
    def _lowest(self) -> Tested:
        return min(self.all_tasks, self.measured_in_base, key=lambda tested: tested.pairs.difference)


def evidence_of(pairs: Sequence[Pairs], alpha: Fraction) -> list[Evidence]:
    """What the pairs of each comparison tell, in the same order; `alpha` is the level, 0 to 1."""
    whole, measured = _tested(pairs, alpha), _tested([each.measured_in_base for each in pairs], alpha)
    return [
        Evidence(all_tasks=one, measured_in_base=other, n_comparisons=len(pairs))
        for one, other in zip(whole, measured, strict=True)
    ]


def finding_of(pairs: Pairs, *, p_holm: Fraction, alpha: Fraction, n_comparisons: int) -> Finding:
    """What pairs tell; docs/comparing.md has a table of examples.

    Too few to tell: NEW lost more than it won, not significantly, and it improved on so few tasks that with
    one more regressed, the mildest loss, no split of the flips could have reached the level.
    """
    if p_holm <= alpha:
        return Finding.REGRESSION if pairs.difference < 0 else Finding.IMPROVEMENT
    if pairs.difference < 0 and n_comparisons * mcnemar_exact(0, 2 * len(pairs.improved) + 1) > alpha:
        return Finding.TOO_FEW_FLIPS
    return Finding.NO_DIFFERENCE


def _tested(pairs: Sequence[Pairs], alpha: Fraction) -> list[Tested]:
    p_values = [p_value(each) for each in pairs]
    return [
        Tested(
            pairs=each,
            p=p,
            p_holm=p_holm,
            finding=finding_of(each, p_holm=p_holm, alpha=alpha, n_comparisons=len(pairs)),
        )
        for each, p, p_holm in zip(pairs, p_values, _adjusted(pairs, p_values), strict=True)
    ]


def _adjusted(pairs: Sequence[Pairs], p_values: Sequence[Fraction]) -> list[Fraction]:
    """Holm's correction of losses and of gains apart.

    Together, a NEW that won clearly would let a milder loss of another count; were it to win less, the
    other's regression would be gone.
    """
    has_lost = [each.difference < 0 for each in pairs]
    losses = holm([p if lost else Fraction(1) for p, lost in zip(p_values, has_lost, strict=True)])
    gains = holm([Fraction(1) if lost else p for p, lost in zip(p_values, has_lost, strict=True)])
    return [loss if lost else gain for loss, gain, lost in zip(losses, gains, has_lost, strict=True)]
