"""The expressions of `-k` and `-m`, looked at before anything is opened (controller)."""

import pytest
from _pytest.mark.expression import Expression  # pytest tells of a wrong one too late: see below

_KINDS = {"keyword": ("-k", "'level1 and not slow'"), "markexpr": ("-m", "'level1 or level2'")}


def refuse_broken_expressions(config: pytest.Config) -> None:
    """Refuse an expression that pytest cannot read.

    pytest itself does so once items are collected: with one process after the run was planned, and under
    xdist in the workers, which ends in an internal error (pytest 9.2, xdist 3.8).

    Raises:
        pytest.UsageError: There is one.
    """
    for name, (option, example) in _KINDS.items():
        text = getattr(config.option, name, "") or ""
        try:
            Expression.compile(text)
        except SyntaxError as error:
            raise pytest.UsageError(
                f"{option} {text!r} cannot be read: {error.msg} at column {error.offset}; write names with "
                f"and, or, not and brackets, e.g. {option} {example}, or one whole task id"
            ) from None
