"""What a comparison found, in one sentence."""

from collections.abc import Iterator
from fractions import Fraction

from benchmarks.results.comparing.comparison import Comparison, Comparisons
from benchmarks.results.comparing.evidence import Evidence, Finding, Tested
from benchmarks.results.comparing.paired_tests import TestName, test_name
from benchmarks.results.comparing.pairs import Pairs

_HEADS = {
    Finding.NOT_MEASURED: "Not measured",
    Finding.NOT_COMPARABLE: "Not comparable",
    Finding.REGRESSION: "Regression",
    Finding.TOO_FEW_FLIPS: "Too few flips to tell",
    Finding.NO_DIFFERENCE: "No difference shown",
    Finding.IMPROVEMENT: "Improvement",
}
_TESTS: dict[TestName, str] = {"mcnemar_exact": "exact McNemar", "sign_flip_exact": "exact sign-flip test"}
_SMALLEST_P = Fraction(1, 10**9)


def overall_sentence(comparisons: Comparisons) -> str:
    """The result in one line; of several comparisons, the strictest finding and where it was made."""
    if len(comparisons.each) == 1:
        return sentence(comparisons.each[0])
    finding = comparisons.finding
    labels = ", ".join(each.label for each in comparisons.each if each.finding is finding)
    return f"{_HEADS[finding]}: {labels} (of {len(comparisons.each)} runs held against BASE)"


def sentence(comparison: Comparison) -> str:
    """What one comparison found, in one line that holds no text of a task.

    Example: "Regression: accuracy 0.600 in BASE, 0.250 in NEW; of 20 tasks 8 regressed and 1 improved (exact
    McNemar p = 0.0391, alpha 0.05)".
    """
    head = _HEADS[comparison.finding]
    if comparison.unpaired is not None:
        return f"{head}: {comparison.unpaired}"
    if comparison.evidence is None:
        return f"{head}: BASE and {comparison.label} differ in {_keys(comparison)}"
    return f"{head}: {'; '.join(_parts(comparison, comparison.evidence))}"


def shown_p(p: Fraction, alpha: float) -> str:
    """`p` with three digits, or as many more as it takes to lie on its side of `alpha`."""
    if p < _SMALLEST_P:
        return "below 1e-09"
    exact = Fraction(repr(alpha))
    texts = (f"{float(p):.{n_digits}g}" for n_digits in range(3, 18))
    return next((text for text in texts if (Fraction(text) <= exact) == (p <= exact)), repr(float(p)))


def no_change(pairs: Pairs) -> str:
    """What flips of tasks are that want a verdict; where several attempts add up, others may have flipped."""
    return "no change of the model" if pairs.scale == 1 else "perhaps no change of the model"


def _parts(comparison: Comparison, evidence: Evidence) -> Iterator[str]:
    tested = evidence.deciding
    pairs, is_part = tested.pairs, tested is not evidence.all_tasks
    base, new = float(pairs.accuracy_base), float(pairs.accuracy_new)
    yield f"accuracy {base:.3f} in BASE, {new:.3f} in {comparison.label}"
    tasks = f"the {_counted(pairs.n, 'task')} measured in BASE" if is_part else _counted(pairs.n, "task")
    flips = f"{len(pairs.regressed)} regressed and {len(pairs.improved)} improved"
    yield f"of {tasks} {flips} ({_level(tested, comparison.alpha, evidence.n_comparisons)})"
    if n_flips := pairs.n_flips_not_measured:
        yield f"of these flips {n_flips} for want of a verdict, {no_change(pairs)}"
    if is_part:
        whole = evidence.all_tasks
        p = shown_p(whole.p_holm, comparison.alpha)
        yield f"over all {whole.pairs.n} tasks: {_HEADS[whole.finding].lower()} (p = {p})"
    if comparison.is_overridden:
        yield f"compared though they differ in {_keys(comparison)}"


def _keys(comparison: Comparison) -> str:
    return ", ".join(each.key for each in comparison.differences)


def _level(tested: Tested, alpha: float, n_comparisons: int) -> str:
    adjusted = (
        f", {shown_p(tested.p_holm, alpha)} with Holm's correction for {n_comparisons}"
        if n_comparisons > 1
        else ""
    )
    test = _TESTS[test_name(tested.pairs)]
    return f"{test} p = {shown_p(tested.p, alpha)}{adjusted}, alpha {alpha}"


def _counted(n: int, noun: str) -> str:
    return f"1 {noun}" if n == 1 else f"{n} {noun}s"
