"""Values from the environment: `${NAME}` in YAML, and the variables that hold keys."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from benchmarks.configuration.masking import SECRET_MIN_CHARACTERS, is_secret_name
from benchmarks.configuration.problem import KeyPath, Problem
from harnesses.endpoint.json_values import is_list, is_object

MODEL_KEY = "MODEL_API_KEY"
JUDGE_KEY = "JUDGE_API_KEY"
KEY_VARIABLES = (MODEL_KEY, JUDGE_KEY, "SERPER_API_KEY", "JINA_API_KEY", "HF_TOKEN")
"""Where keys come from when they are not in the configuration; `HF_TOKEN` is read by the Hub's own client."""

_REFERENCE = re.compile(r"\$\$(?=\{)|\$\{(?:(?P<name>[A-Za-z_][A-Za-z0-9_]*)(?::-(?P<default>[^}]*))?\})?")


@dataclass
class Expansion:
    """Replaces `${NAME}` and `${NAME:-default}` in the texts of nested values.

    As in a shell, the default also stands for a variable that is set but empty, and `$${` is `${` itself.
    A text whose variable is missing stays as it is: it is in `unresolved`, and a line on it in `problems`.
    `secrets` are the values of variables whose names say that they are keys.
    """

    environ: Mapping[str, str] = field(repr=False)
    problems: list[Problem] = field(default_factory=list[Problem])
    unresolved: set[str] = field(default_factory=set[str], repr=False)
    secrets: set[str] = field(default_factory=set[str], repr=False)

    def of(self, value: Any, at: KeyPath = ()) -> Any:
        """`value`, found at the key `at`, with all its texts expanded."""
        if is_object(value):
            return {name: self.of(item, (*at, name)) for name, item in value.items()}
        if is_list(value):
            return [self.of(item, (*at, place)) for place, item in enumerate(value)]
        return self._text(value, at) if isinstance(value, str) else value

    def _text(self, text: str, at: KeyPath) -> str:
        n_problems = len(self.problems)
        expanded = _REFERENCE.sub(self._replacing(at), text)
        if len(self.problems) > n_problems:
            self.unresolved.add(text)
            return text
        return expanded

    def _replacing(self, at: KeyPath) -> Callable[[re.Match[str]], str]:
        def replace(reference: re.Match[str]) -> str:
            if reference[0] == "$$":
                return "$"
            name, default = reference["name"], reference["default"]
            if name is None:
                line = "'${' begins no variable here; write ${NAME}, ${NAME:-default}, or $${ for the text ${"
                self.problems.append(Problem(at, line))
                return ""
            value = self.environ.get(name)
            if default is not None and not value:
                return default
            if value is None:
                line = f"the variable {name!r} is not set; set it or write ${{{name}:-default}}"
                self.problems.append(Problem(at, line))
                return ""
            if is_secret_name(name) and len(value) >= SECRET_MIN_CHARACTERS:
                self.secrets.add(value)
            return value

        return replace


def with_key(
    values: Mapping[str, Any], name: str, variable: str, environ: Mapping[str, str]
) -> dict[str, Any]:
    """`values` with the key `name` taken from `variable` when it is absent or null; an empty text stays."""
    filled = dict(values)
    if filled.get(name) is None:
        filled.pop(name, None)
        if environ.get(variable):
            filled[name] = environ[variable]
    return filled
