"""A rate: so much a minute, spread evenly over it."""

from dataclasses import dataclass

from harnesses.endpoint.shared_numbers import Numbers

_MINUTE_S = 60.0


@dataclass(frozen=True, kw_only=True)
class Rate:
    """Lets `per_minute` through in any minute, one after another: what is taken has to be waited for after.

    This is the virtual scheduling of ITU-T I.371 (GCRA) without a tolerance: no burst, since services count
    in seconds as well as in minutes.

    `name` is the number that tells when more may be taken, in seconds of the clock; `per_minute` is above 0.
    """

    name: str
    per_minute: float

    def free_at(self, numbers: Numbers) -> float:
        """When more may be taken; in the past, or now, where nothing has to be waited for."""
        return numbers[self.name]

    def take(self, numbers: Numbers, amount: float, *, at: float) -> None:
        """Take `amount` at a moment that `free_at` allows."""
        numbers[self.name] = at + self._lasts_s(amount)

    def give_back(self, numbers: Numbers, amount: float, *, at: float) -> None:
        """Undo a `take`, if nobody has taken after it; else what was taken is lost."""
        if numbers[self.name] == at + self._lasts_s(amount):
            numbers[self.name] = at

    def correct(self, numbers: Numbers, amount: float) -> None:
        """What was taken turned out to be so much more; less, if below 0."""
        numbers[self.name] += self._lasts_s(amount)

    def _lasts_s(self, amount: float) -> float:
        return amount * _MINUTE_S / self.per_minute
