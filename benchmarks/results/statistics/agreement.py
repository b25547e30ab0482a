"""How far two graders agree beyond chance."""

from fractions import Fraction


def cohens_kappa(*, n_both: int, n_first: int, n_second: int, n_neither: int) -> Fraction | None:
    """Cohen's kappa of two graders over the same answers: 1 agree on all, 0 as by chance, -1 the contrary.

    Example: ``cohens_kappa(n_both=20, n_first=5, n_second=10, n_neither=15)`` is 2/5. ``None`` where it is
    not defined: without an answer, and where both graders call every answer the same.

    Args:
        n_both: Answers that both call correct.
        n_first: Answers that the first alone calls correct.
        n_second: Answers that the second alone calls correct.
        n_neither: Answers that neither calls correct.

    Source: J. Cohen, "A Coefficient of Agreement for Nominal Scales", Educational and Psychological
    Measurement 20 (1960), pages 37 to 46, formula 1.

    Raises:
        ValueError: A count below 0.
    """
    counts = (n_both, n_first, n_second, n_neither)
    if min(counts) < 0:
        raise ValueError(f"{counts!r} are no counts of answers: each is 0 or more")
    n = sum(counts)
    n_agreed = n * (n_both + n_neither)
    n_by_chance = (n_both + n_first) * (n_both + n_second) + (n_second + n_neither) * (n_first + n_neither)
    if n_by_chance == n * n:
        return None
    return Fraction(n_agreed - n_by_chance, n * n - n_by_chance)
