"""Plain values against the dataclasses that describe them; each refused value becomes one line of ours."""

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import is_dataclass
from difflib import get_close_matches
from typing import Any, Literal, TypeVar, cast, get_args, get_origin

from annotated_types import Le

from benchmarks.configuration.masking import is_secret_name, masked
from benchmarks.configuration.problem import KeyPath, Problem, value_at
from benchmarks.configuration.wording import alternatives, bare, field_kinds, in_words, item_kind, value_kind
from harnesses.endpoint.json_values import is_list, is_object

T = TypeVar("T")
_SHOWN_CHARACTERS = 80


def validated(
    kind: type[T], values: Mapping[str, Any], *, at: KeyPath, remedies: Mapping[KeyPath, str] | None = None
) -> tuple[T | None, list[Problem]]:
    """An instance of the dataclass `kind` made of `values`, or ``None`` and what is wrong.

    Numbers may be written as text ("16"), since variables are text; a boolean is never taken for a number.
    `remedies` say how to give what is missing: ``{("judge_model", "base_url"): "give the address …"}``.
    """
    # Here, so that pydantic stays out of workers and of a bare `pytest`.
    from pydantic import TypeAdapter, ValidationError

    refused = {path: _refusal(kind, path, value) for path, value in _impostors(kind, values, ())}
    made = None
    try:
        made = TypeAdapter(kind).validate_python(values)
    except ValidationError as error:
        for fault in cast("list[dict[str, Any]]", error.errors(include_url=False)):
            path, line = _explained(kind, values, fault, remedies or {})
            refused.setdefault(path, line)
    return (None if refused else made), [Problem((*at, *path), line) for path, line in refused.items()]


def unknown_key(name: str, known: Iterable[str]) -> str:
    """The line for a key that nobody reads: the nearest known one, or all of them."""
    return f"there is no such key; {_meant(name, known)}"


def unknown_name(noun: str, name: Any, known: Iterable[str]) -> str:
    """The line for a harness or a benchmark that is not in its catalogue."""
    return f"there is no {noun} {name!r}; {_meant(str(name), known)}"


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known word that `word` most likely stands for, ``None`` if none is near."""
    by_plain = {_plain(candidate): candidate for candidate in known}
    return next((by_plain[near] for near in get_close_matches(_plain(word), by_plain, n=1)), None)


def shown(value: Any, *, name: str = "") -> str:
    """A value as an error shows it: without keys, `***` under the `name` of one, cut to 80 characters."""
    text = repr(masked(value, secret=is_secret_name(name)))
    return text if len(text) <= _SHOWN_CHARACTERS else f"{text[:_SHOWN_CHARACTERS]}…"


def _meant(name: str, known: Iterable[str]) -> str:
    known = list(known)
    near = nearest(name, known)
    return f"did you mean {near!r}?" if near else f"known: {', '.join(known)}"


def _plain(word: str) -> str:
    return word.lower().replace("-", "_")


def _explained(
    kind: Any, values: Mapping[str, Any], fault: dict[str, Any], remedies: Mapping[KeyPath, str]
) -> tuple[KeyPath, str]:
    """Where a fault that pydantic found lies, and the line on it."""
    path, inner = _place(kind, fault["loc"])
    match fault["type"]:
        case "unexpected_keyword_argument":
            name = str(fault["loc"][-1])
            return (*path, name), unknown_key(name, field_kinds(_dataclass_in(inner)))
        case "missing":
            return path, f"is missing; {remedies.get(path, f'give {in_words(inner)}')}"
        case "value_error" | "assertion_error":
            return path, str(fault["ctx"]["error"])
        case _:
            return path, _refusal(kind, path, value_at(values, path))


def _refusal(kind: Any, path: KeyPath, value: Any) -> str:
    _, inner = _place(kind, path)
    name = next((part for part in reversed(path) if isinstance(part, str)), "")
    return f"{shown(value, name=name)} is refused; it must be {in_words(inner)}{_hint(value, inner)}"


def _hint(value: Any, kind: Any) -> str:
    """What the user most likely meant, "" if that cannot be guessed."""
    options = [bare(option) for option in alternatives(kind)]
    kinds = {option for option, _ in options}
    number = _number(value)
    if number is not None and 1 < number <= 100 and any(Le(1) in limits for _, limits in options):
        return f" ({number:g} % is {number / 100:g})"
    if isinstance(value, int | float) and str in kinds and not kinds & {int, float}:
        return " (put it in quotes)"
    constants = [
        str(constant) for option in kinds if get_origin(option) is Literal for constant in get_args(option)
    ]
    near = nearest(value, constants) if isinstance(value, str) else None
    return f"; did you mean {near!r}?" if near else ""


def _number(value: Any) -> float | None:
    if isinstance(value, bool):
        return None
    try:
        return float(value.removesuffix("%") if isinstance(value, str) else value)
    except (TypeError, ValueError):
        return None


def _impostors(kind: Any, value: Any, path: KeyPath) -> Iterator[tuple[KeyPath, Any]]:
    """Values that pydantic would turn into another one without a word: true into 1, "1_0" into 10."""
    kinds = [bare(option)[0] for option in alternatives(kind)]
    inside: list[tuple[Any, Any, str | int]] = []
    if is_object(value):
        known = [item for found in filter(is_dataclass, kinds) for item in field_kinds(found).items()]
        known += [(name, inner) for inner in filter(None, map(value_kind, kinds)) for name in value]
        inside = [(inner, value[name], name) for name, inner in known if name in value]
    elif is_list(value):
        inside = [
            (inner, item, n) for inner in filter(None, map(item_kind, kinds)) for n, item in enumerate(value)
        ]
    for inner, item, part in inside:
        yield from _impostors(inner, item, (*path, part))
    if isinstance(value, bool):
        is_refused = not {bool, Any} & set(kinds)
    else:
        is_endless = float in kinds and not math.isfinite(_number(value) or 0)
        is_number = bool({int, float} & set(kinds)) and str not in kinds
        is_refused = is_endless or (is_number and _is_odd_number(value))
    if is_refused:
        yield path, value


def _is_odd_number(value: Any) -> bool:
    """Whether it is a number as nobody writes one: "1_0", or a zero below zero."""
    number = _number(value)
    is_split = isinstance(value, str) and "_" in value
    return number is not None and (is_split or (number == 0 and str(value).strip().startswith("-")))


def _place(kind: Any, location: Iterable[str | int]) -> tuple[KeyPath, Any]:
    """How far a location leads through dataclasses, mappings and lists, and the type of what is there.

    It ends at a union (null aside): which member of it a value was meant for cannot be told.
    """
    path: KeyPath = ()
    for part in location:
        options = [option for option, _ in map(bare, alternatives(kind)) if option is not type(None)]
        inner = options[0] if len(options) == 1 else None
        if is_dataclass(inner) and part in field_kinds(inner):
            kind = field_kinds(inner)[str(part)]
        elif isinstance(part, str) and value_kind(inner):
            kind = value_kind(inner)
        elif isinstance(part, int) and item_kind(inner):
            kind = item_kind(inner)
        else:
            break
        path = (*path, part)
    return path, kind


def _dataclass_in(kind: Any) -> Any:
    kinds = [bare(option)[0] for option in alternatives(kind)]
    return next((option for option in kinds if is_dataclass(option)), None)
