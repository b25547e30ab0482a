"""What is wrong with a configuration: one line for each value that is refused."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

KeyPath = tuple[str | int, ...]
"""Where a value lies, outermost first: ``("execution", "attempts", "k")``."""


@dataclass(frozen=True)
class Problem:
    """A refused value: `path` is where it lies, `line` says what it is, the rule and the remedy."""

    path: KeyPath
    line: str


class ConfigurationError(Exception):
    """The configuration is refused. Its text has one line for each problem, all of them at once.

    Args:
        lines: The problems, each in one line; a repeated line is said once. Keys are masked already.
    """

    def __init__(self, lines: Iterable[str]) -> None:
        self.lines = tuple(dict.fromkeys(lines))
        super().__init__("\n".join(self.lines))


def dotted(path: KeyPath) -> str:
    """The path as it is written in documentation: `sample_ids[0]`, `execution.attempts.k`."""
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{_printable(part)}" for part in path)
    return text.removeprefix(".")


def value_at(values: Any, path: KeyPath) -> Any:
    """What lies at `path` in nested plain values, ``None`` if nothing does."""
    for part in path:
        try:
            values = values[part]
        except (KeyError, IndexError, TypeError):
            return None
    return values


def _printable(key: str) -> str:
    return key if key.isprintable() else repr(key)
