"""A configuration in the making: what is wrong with it, and which keys were seen in it."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, TypeVar, cast

from benchmarks.configuration.gathering import Gathered
from benchmarks.configuration.masking import SECRET_MIN_CHARACTERS, secret_values
from benchmarks.configuration.problem import KeyPath, Problem, value_at
from benchmarks.configuration.validation import validated
from benchmarks.configuration.variables import KEY_VARIABLES
from harnesses.endpoint.json_values import is_list

T = TypeVar("T")
_REMEDIES: Mapping[KeyPath, str] = {
    ("id",): "name the model by --model ID",
    ("base_url",): "give the model's address by --model-base-url URL",
    ("judge_model", "id"): "name the judge's model",
    (
        "judge_model",
        "base_url",
    ): "give the judge's own address; nothing is borrowed from the model under test",
}


class Checks:
    """Checks parts of what was gathered; problems and keys gather on the way.

    `needs_model` is False where nothing is asked (`--collect-only`): what is missing may be missing.
    """

    def __init__(self, gathered: Gathered, environ: Mapping[str, str], *, needs_model: bool) -> None:
        self.layers = gathered.layers
        self.environ = environ
        self.needs_model = needs_model
        self.problems: list[Problem] = []
        self._unresolved = gathered.unresolved
        variables = (environ.get(name, "") for name in KEY_VARIABLES)
        self.secrets = {key for key in variables if len(key) >= SECRET_MIN_CHARACTERS} | gathered.secrets

    def made(self, kind: type[T], values: Mapping[str, Any], at: KeyPath) -> T | None:
        """`kind` made of `values`; what only fails because a variable is not set is told once, elsewhere."""
        made, problems = validated(kind, values, at=at, remedies=_REMEDIES)
        self.secrets |= set(secret_values(values))
        if made is not None:
            self.secrets |= set(secret_values(asdict(cast("Any", made))))
        self.problems += [
            problem
            for problem in problems
            if not _mentions(value_at(values, problem.path[len(at) :]), self._unresolved)
        ]
        return made

    def refuse(self, path: KeyPath, line: str) -> None:
        """Note what is wrong with the value at `path`."""
        self.problems.append(Problem(path, line))


def _mentions(value: Any, texts: frozenset[str]) -> bool:
    if isinstance(value, Mapping):
        return any(_mentions(item, texts) for item in cast("Mapping[str, Any]", value).values())
    if is_list(value):
        return any(_mentions(item, texts) for item in value)
    return isinstance(value, str) and value in texts
