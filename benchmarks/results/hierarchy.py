"""A tree of categories: how levels or topics add up to one value.

The form is AgentCompass 1.0.1's `category_hierarchy` (`agentcompass/runtime/metrics/report_aggregation.py`):
``{"overall": {"aggregation": "unweighted", "children": {"1": {}, "rest": {"aggregation": "weighted",
"children": {"2": {"weight": 2}, "3": {"weight": 1}}}}}}``.
"""

import math
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, cast

ROOT = "overall"
_FIELDS = ("aggregation", "children", "weight")
_MOST_NAMES = 20
"""How many categories a line names."""
_AGGREGATIONS = ("leaf", "unweighted", "weighted", "weighted_by_count")


@dataclass(frozen=True, kw_only=True)
class Node:
    """A node of the tree: a leaf is a category, any other adds up its children.

    `path` is unique: names joined by "/", in which "~" is written "~0" and "/" "~1". `aggregation` is one of
    "leaf", "unweighted", "weighted" (by the `weight` of each child) and "weighted_by_count" (by the number of
    tasks that count). `weight` is 0 or more, ``None`` where none was given.
    """

    name: str
    path: str
    aggregation: str
    weight: Fraction | None
    children: tuple["Node", ...]

    @property
    def leaves(self) -> tuple[str, ...]:
        """The categories under this node, itself included."""
        if self.aggregation == "leaf":
            return (self.name,)
        return tuple(name for child in self.children for name in child.leaves)

    def walk(self) -> Iterator["Node"]:
        """This node, then all below it."""
        yield self
        for child in self.children:
            yield from child.walk()

    def shares(self, n_tasks: Mapping[str, int]) -> dict[str, Fraction]:
        """How much each category weighs in the value of this node: ``{"1": Fraction(1, 2), "2": …}``.

        Categories without a task in `n_tasks` are left out, and what is left weighs more. Empty where nothing
        is left, or nothing with a weight above 0.
        """
        if self.aggregation == "leaf":
            return {self.name: Fraction(1)} if n_tasks.get(self.name) else {}
        below = [(child, shares) for child in self.children if (shares := child.shares(n_tasks))]
        weights = [self._weight_of(child, n_tasks) for child, _ in below]
        total = sum(weights, Fraction(0))
        if not total:
            return {}
        return {
            name: share * weight / total
            for (_, shares), weight in zip(below, weights, strict=True)
            for name, share in shares.items()
        }

    def _weight_of(self, child: "Node", n_tasks: Mapping[str, int]) -> Fraction:
        if self.aggregation == "weighted":
            return child.weight or Fraction(0)
        if self.aggregation == "weighted_by_count":
            return Fraction(sum(n_tasks.get(name, 0) for name in child.leaves))
        return Fraction(1)


def parse_hierarchy(tree: Mapping[str, Any]) -> Node:
    """The root of the tree that a user wrote.

    Raises:
        ValueError: It is no such tree: one line with the node, the rule and the remedy.
    """
    if set(tree) != {ROOT}:
        raise ValueError(f"{sorted(tree)!r} are the roots; a category_hierarchy has one, named {ROOT!r}")
    root = _node(ROOT, tree[ROOT], above="")
    seen: dict[str, str] = {}
    for node in root.walk():
        if node.aggregation != "leaf":
            continue
        if node.name in seen:
            raise ValueError(
                f"the category {node.name!r} is at {seen[node.name]!r} and at {node.path!r}; name it once"
            )
        seen[node.name] = node.path
    return root


def misfit(root: Node, *, known: Collection[str], selected: Iterable[str]) -> str | None:
    """Why a tree would leave out tasks that its writer meant to count: one line, ``None`` if it does not.

    A leaf that no task has does no harm as long as every category has a leaf of its own, e.g. where one tree
    serves several datasets. Beside a category without a leaf it is a misspelling.

    Args:
        root: The tree.
        known: The categories of the dataset.
        selected: The category of each task that is asked.
    """
    strangers = [name for name in root.leaves if name not in known]
    unnamed = sorted(set(known) - set(root.leaves))
    if strangers and unnamed:
        return (
            f"category_hierarchy: no task has the category {_listed(strangers)}, and the tasks of "
            f"{_listed(unnamed)} would not count; name leaves as the tasks do: {_listed(sorted(known))}"
        )
    n_tasks = Counter(selected)
    if n_tasks and not any(root.shares(n_tasks).values()):
        return (
            f"category_hierarchy: none of the selected tasks, of {_listed(sorted(n_tasks))}, weighs "
            "anything; give their categories a leaf with a weight above 0, or select other tasks"
        )
    return None


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return ", ".join(map(repr, names[:_MOST_NAMES])) + more


def _node(name: object, value: object, *, above: str) -> Node:
    if not isinstance(name, str) or not name.strip() or name != name.strip():
        raise ValueError(
            f"{name!r} under {above or 'the root'!r} is no name: write text without blanks around it"
        )
    path = f"{above}{name.replace('~', '~0').replace('/', '~1')}"
    fields = _mapping(value, path)
    unknown = sorted(str(field) for field in fields if field not in _FIELDS)
    if unknown:
        raise ValueError(f"{path!r} has the keys {unknown!r}; a node has {', '.join(_FIELDS)}")
    aggregation: object = fields.get("aggregation", "leaf")
    if not isinstance(aggregation, str) or aggregation not in _AGGREGATIONS:
        raise ValueError(f"{path!r} has the aggregation {aggregation!r}; choose {', '.join(_AGGREGATIONS)}")
    children = _children(fields.get("children"), path, aggregation)
    return Node(
        name=name,
        path=path,
        aggregation=aggregation,
        weight=_weight(fields.get("weight"), path),
        children=children,
    )


def _children(value: object, path: str, aggregation: str) -> tuple[Node, ...]:
    if aggregation == "leaf":
        if value:
            raise ValueError(f"{path!r} is a leaf and has children; give it an aggregation, e.g. unweighted")
        return ()
    named = _mapping(value, f"{path}'s children")
    if not named:
        raise ValueError(
            f"{path!r} is {aggregation} and has no children; name at least one category under it"
        )
    children = tuple(_node(name, child, above=f"{path}/") for name, child in named.items())
    if aggregation == "weighted":
        without = [child.name for child in children if child.weight is None]
        if without:
            raise ValueError(f"{path!r} is weighted, and {without!r} have no weight; give each child one")
        if not any(child.weight for child in children):
            raise ValueError(f"{path!r} is weighted, and all weights are 0; give one child more")
    return children


def _weight(value: object, path: str) -> Fraction | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value) or value < 0:
        raise ValueError(f"{path!r} has the weight {value!r}; a weight is a number of 0 or more")
    return Fraction(repr(value))


def _mapping(value: object, path: str) -> Mapping[object, object]:
    if not isinstance(value, Mapping) and value is not None:
        raise ValueError(f"{path!r} is {value!r}; write a mapping, e.g. {{}} for a leaf")
    return cast("Mapping[object, object]", value or {})
