"""YAML files and JSON options as plain mappings; whatever cannot be read is told by line and column."""

import json
import math
import re
from collections.abc import Hashable
from pathlib import Path
from typing import Any, ClassVar, cast

import yaml

_LONG_QUOTE = re.compile(r"'[^']{2,}'")


class UnreadableError(Exception):
    """A text that is no mapping in its language: one line without the file's name, and without quoting it."""


def read_yaml(path: Path) -> dict[str, Any]:
    """The mapping in a YAML file; an empty file is an empty mapping.

    Keys are texts as written (`on:` is "on"), a key given twice is refused, dates stay texts.

    Raises:
        UnreadableError: No such file, no UTF-8, no YAML, or no mapping.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise UnreadableError(f"cannot be read ({reason}); give the path of a YAML file") from None
    except UnicodeDecodeError as error:
        raise UnreadableError(f"is not UTF-8 text (byte {error.start}); save it as UTF-8") from None
    try:
        # S506 is about loaders that make objects; this one knows fewer tags than SafeLoader.
        values = yaml.load(text, Loader=_PlainLoader)  # noqa: S506
        json.dumps(values)
    except yaml.MarkedYAMLError as error:
        raise UnreadableError(f"is not YAML: {_told(error)}") from None
    except yaml.YAMLError:
        raise UnreadableError(
            "is not YAML: it holds characters that are not printable; remove them"
        ) from None
    except (ValueError, RecursionError):
        raise UnreadableError("holds itself by an alias, or is nested too deeply; write it out") from None
    if values is None:
        return {}
    if not isinstance(values, dict):
        raise UnreadableError(f"holds {_kind(values)}; write keys at the top, e.g. `model: {{id: m-1}}`")
    return cast("dict[str, Any]", values)


def read_json(text: str) -> dict[str, Any]:
    """The object in a JSON text. NaN, infinities and a key given twice are refused.

    Raises:
        UnreadableError: No JSON, or no object.
    """
    try:
        values = json.loads(text, object_pairs_hook=_once, parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise UnreadableError(
            f"is not JSON: {error.msg} at {where}; quote it for the shell as '{{…}}'"
        ) from None
    except RecursionError:
        raise UnreadableError("is nested too deeply") from None
    if not isinstance(values, dict):
        raise UnreadableError(f"holds {_kind(values)}; give an object, e.g. '{{\"limit\": 5}}'")
    return cast("dict[str, Any]", values)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) < len(pairs):
        names = [name for name, _ in pairs]
        repeated = next(name for name in names if names.count(name) > 1)
        raise UnreadableError(f"has the key {repeated!r} twice; keep one")
    return values


def _refuse_constant(name: str) -> None:
    raise UnreadableError(f"has the value {name}, which is not JSON; give a finite number")


def _kind(value: object) -> str:
    names = {"list": "a list", "str": "a text", "bool": "true or false", "NoneType": "null"}
    return names.get(type(value).__name__, "a number")


def _told(error: yaml.MarkedYAMLError) -> str:
    """The parser's complaint without what it quotes: that may be a key."""
    told = ", ".join(part for part in (error.context, error.problem) if part)
    mark = error.problem_mark
    where = "" if mark is None else f" at line {mark.line + 1}, column {mark.column + 1}"
    return _LONG_QUOTE.sub("'…'", told) + where


class _PlainLoader(yaml.SafeLoader):
    """YAML that means the same as JSON: texts, numbers, booleans, nulls, lists, mappings."""

    yaml_implicit_resolvers = {  # noqa: RUF012 - yaml declares it as an instance variable
        first: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:timestamp"]
        for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }
    yaml_constructors: ClassVar[Any] = {
        tag: construct
        for tag, construct in yaml.SafeLoader.yaml_constructors.items()
        if tag is None or tag.rpartition(":")[2] in {"null", "bool", "int", "float", "str", "seq", "map"}
    }

    def construct_yaml_float(self, node: yaml.ScalarNode) -> float:
        value = super().construct_yaml_float(node)
        if not math.isfinite(value):
            raise yaml.constructor.ConstructorError(None, None, "a number must be finite", node.start_mark)
        return value

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        seen: set[str] = set()
        for key, _ in node.value:
            if not isinstance(key, yaml.ScalarNode):
                raise yaml.constructor.ConstructorError(None, None, "a key must be text", key.start_mark)
            if key.tag == "tag:yaml.org,2002:merge":
                continue
            key.tag = "tag:yaml.org,2002:str"
            if key.value in seen:
                problem = f"the key `{key.value}` is given twice"
                raise yaml.constructor.ConstructorError(None, None, problem, key.start_mark)
            seen.add(key.value)
        return super().construct_mapping(node, deep=deep)


_PlainLoader.add_constructor("tag:yaml.org,2002:float", _PlainLoader.construct_yaml_float)
