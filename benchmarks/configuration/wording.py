"""Types in plain words: what an error says a value must be, and what the table says it is."""

import types
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from annotated_types import Ge, Gt, Le, MinLen
from typing_extensions import Doc

_PLAIN = {bool: "true or false", str: "text"}


def in_words(kind: Any, *, say: Callable[[str], str] = str) -> str:
    """What a value of the type `kind` is, e.g. "a whole number of 1 or more, or null".

    `say` marks words that are written exactly so, e.g. with backticks.
    """
    words: list[str] = []
    constants: list[str] = []
    for option in alternatives(kind):
        inner, said = bare(option)
        if get_origin(inner) is Literal:
            constants += [say(_as_written(constant)) for constant in get_args(inner)]
        else:
            words.append(say("null") if inner is type(None) else _one_in_words(inner, said, say))
    return ", or ".join([*([_or(list(dict.fromkeys(constants)))] if constants else []), *words])


def alternatives(kind: Any) -> Iterator[Any]:
    """The types that a value of the type `kind` may have: one, or the members of a union; null comes last."""
    inner, _ = bare(kind)
    if get_origin(inner) in {Union, types.UnionType}:
        members = sorted(get_args(inner), key=lambda member: member is type(None))
        for member in members:
            yield from alternatives(member)
    else:
        yield kind


def bare(kind: Any) -> tuple[Any, tuple[Any, ...]]:
    """A type without its `Annotated` wrappers, and what those said, the outermost last."""
    said: tuple[Any, ...] = ()
    while get_origin(kind) is Annotated:
        kind, *added = get_args(kind)
        said = (*added, *said)
    return kind, said


def item_kind(kind: Any) -> Any:
    """The type of the items of a list or tuple type; ``None`` for any other type."""
    arguments = get_args(kind)
    return arguments[0] if get_origin(kind) in {list, tuple} and arguments else None


def value_kind(kind: Any) -> Any:
    """The type of the values of a mapping type, where it says one; ``None`` for any other type."""
    arguments = get_args(kind)
    is_mapping = get_origin(kind) in {dict, Mapping}
    return arguments[1] if is_mapping and arguments[1] is not Any else None


def field_kinds(kind: Any) -> dict[str, Any]:
    """The annotation of each field of a dataclass, in their order: ``{"limit": Annotated[…], …}``."""
    hints = get_type_hints(kind, include_extras=True)
    return {item.name: hints[item.name] for item in fields(kind)}


def documentation(kind: Any) -> str:
    """The text of the `Doc` in an annotation, "" without one."""
    _, said = bare(kind)
    return next((mark.documentation for mark in said if isinstance(mark, Doc)), "")


def _one_in_words(kind: Any, said: tuple[Any, ...], say: Callable[[str], str]) -> str:
    if kind in {int, float}:
        return " ".join(["a whole number" if kind is int else "a number", *_limits(said)])
    if kind is str and any(isinstance(mark, MinLen) for mark in said):
        return "text that is not empty"
    item = item_kind(kind)
    if item is not None:
        return f"a list of {in_words(item, say=say)}"
    if is_dataclass(kind):
        return f"a mapping of {', '.join(say(name) for name in field_kinds(kind))}"
    if get_origin(kind) is Mapping or get_origin(kind) is dict:
        value = value_kind(kind)
        return "a mapping" if value is None else f"a mapping of names, each to {in_words(value, say=say)}"
    return _PLAIN.get(kind, "any value")


def _limits(said: tuple[Any, ...]) -> list[str]:
    lowest = next((mark.ge for mark in said if isinstance(mark, Ge)), None)
    above = next((mark.gt for mark in said if isinstance(mark, Gt)), None)
    highest = next((mark.le for mark in said if isinstance(mark, Le)), None)
    if lowest is not None:
        return [f"from {lowest} to {highest}" if highest is not None else f"of {lowest} or more"]
    if above is not None:
        return [f"above {above}" + (f" and up to {highest}" if highest is not None else "")]
    return [] if highest is None else [f"of {highest} or less"]


def _as_written(constant: Any) -> str:
    return {True: "true", False: "false"}[constant] if isinstance(constant, bool) else str(constant)


def _or(words: list[str]) -> str:
    return " or ".join([", ".join(words[:-1]), words[-1]]) if len(words) > 1 else words[0]
