"""What a comparison found, in one sentence."""

from fractions import Fraction

from benchmarks.results.comparison import Comparison, Comparisons, Evidence, Finding

_HEADS = {
    Finding.NOT_COMPARABLE: "Not comparable",
    Finding.REGRESSION: "Regression",
    Finding.TOO_FEW_FLIPS: "Too few flips to tell",
    Finding.NO_DIFFERENCE: "No difference shown",
    Finding.IMPROVEMENT: "Improvement",
}
_SMALLEST_P = Fraction(1, 10**9)


def overall_sentence(comparisons: Comparisons) -> str:
    """The result in one line; of several comparisons, the strictest finding and where it was made."""
    if len(comparisons.each) == 1:
        return sentence(comparisons.each[0], comparisons)
    finding = comparisons.finding
    labels = ", ".join(each.label for each in comparisons.each if each.finding is finding)
    return f"{_HEADS[finding]}: {labels} (of {len(comparisons.each)} runs held against BASE)"


def sentence(comparison: Comparison, comparisons: Comparisons) -> str:
    """What one comparison found, in one line that holds no text of a task.

    Example: "Regression: accuracy 0.600 in BASE, 0.250 in NEW; of 20 tasks 8 regressed and 1 improved (exact
    McNemar p = 0.0391, alpha 0.05)".
    """
    head = _HEADS[comparison.finding]
    keys = ", ".join(each.key for each in comparison.differences)
    if comparison.evidence is None:
        return f"{head}: BASE and {comparison.label} differ in {keys}"
    pairs = comparison.evidence.pairs
    base, new = pairs.n_base_correct / pairs.n, pairs.n_new_correct / pairs.n
    flips = f"{len(pairs.regressed)} regressed and {len(pairs.improved)} improved"
    parts = [
        f"{head}: accuracy {base:.3f} in BASE, {new:.3f} in {comparison.label}",
        f"of {_counted(pairs.n, 'task')} {flips} ({_level(comparison.evidence, comparisons)})",
    ]
    if pairs.n_flips_without_verdict:
        parts.append(
            f"of these flips {pairs.n_flips_without_verdict} for want of a verdict, no change of the model"
        )
    if comparison.is_overridden:
        parts.append(f"compared though they differ in {keys}")
    return "; ".join(parts)


def shown_p(p: Fraction, alpha: float) -> str:
    """`p` with three digits, or as many more as it takes to lie on its side of `alpha`."""
    if p < _SMALLEST_P:
        return "below 1e-09"
    exact = Fraction(repr(alpha))
    texts = (f"{float(p):.{n_digits}g}" for n_digits in range(3, 18))
    return next((text for text in texts if (Fraction(text) <= exact) == (p <= exact)), repr(float(p)))


def _level(evidence: Evidence, comparisons: Comparisons) -> str:
    alpha = comparisons.alpha
    n = sum(each.evidence is not None for each in comparisons.each)
    adjusted = f", {shown_p(evidence.p_holm, alpha)} with Holm's correction for {n}" if n > 1 else ""
    return f"exact McNemar p = {shown_p(evidence.p, alpha)}{adjusted}, alpha {alpha}"


def _counted(n: int, noun: str) -> str:
    return f"1 {noun}" if n == 1 else f"{n} {noun}s"
