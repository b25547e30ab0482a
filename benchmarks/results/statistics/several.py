"""Several tests at once."""

from collections.abc import Sequence
from fractions import Fraction


def holm(p_values: Sequence[Fraction]) -> tuple[Fraction, ...]:
    """The p values adjusted for being several, in the same order: ``(0.01, 0.04)`` gives ``(0.02, 0.04)``.

    Held against a level, they keep the probability of even one false finding below it, however the
    comparisons hang together (all of ours share one run).

    Source: S. Holm, "A Simple Sequentially Rejective Multiple Test Procedure", Scandinavian Journal of
    Statistics 6 (1979), pages 65 to 70.
    """
    adjusted = [Fraction(1)] * len(p_values)
    largest = Fraction(0)
    by_size = sorted(range(len(p_values)), key=lambda place: p_values[place])
    for rank, place in enumerate(by_size):
        largest = max(largest, (len(p_values) - rank) * p_values[place])
        adjusted[place] = min(Fraction(1), largest)
    return tuple(adjusted)
