"""JSON values of unknown shape, narrowed: servers send anything anywhere."""

from typing import Any, TypeGuard


def is_object(value: object) -> TypeGuard[dict[str, Any]]:
    """Whether `value` is a JSON object."""
    return isinstance(value, dict)


def is_list(value: object) -> TypeGuard[list[Any]]:
    """Whether `value` is a JSON list."""
    return isinstance(value, list)


def as_object(value: object) -> dict[str, Any]:
    """`value` if it is an object, else an empty one."""
    return value if is_object(value) else {}


def as_objects(value: object) -> list[dict[str, Any]]:
    """The objects in `value` if it is a list; what else is in it is left out."""
    return [item for item in value if is_object(item)] if is_list(value) else []
