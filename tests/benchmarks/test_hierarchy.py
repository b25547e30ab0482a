"""The tree that says how levels or topics add up."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import pytest

from benchmarks.results.hierarchy import misfit, parse_hierarchy

_TREE: dict[str, Any] = {
    "overall": {
        "aggregation": "unweighted",
        "children": {
            "1": {},
            "hard": {
                "aggregation": "weighted",
                "children": {"2": {"weight": 3}, "3": {"aggregation": "leaf", "weight": 1}},
            },
        },
    }
}


def _tree(aggregation: str, **children: Any) -> dict[str, Any]:
    return {"overall": {"aggregation": aggregation, "children": children}}


def test_each_node_has_a_path() -> None:
    assert [node.path for node in parse_hierarchy(_TREE).walk()] == [
        "overall",
        "overall/1",
        "overall/hard",
        "overall/hard/2",
        "overall/hard/3",
    ]


def test_names_with_slashes_keep_paths_apart() -> None:
    root = parse_hierarchy(_tree("unweighted", **{"a/b": {}, "a~b": {}}))
    assert [node.path for node in root.children] == ["overall/a~1b", "overall/a~0b"]


@pytest.mark.parametrize(
    ("n_tasks", "shares"),
    [
        ({"1": 5, "2": 1, "3": 9}, {"1": Fraction(1, 2), "2": Fraction(3, 8), "3": Fraction(1, 8)}),
        ({"1": 5, "3": 9}, {"1": Fraction(1, 2), "3": Fraction(1, 2)}),
        ({"2": 1, "3": 1}, {"2": Fraction(3, 4), "3": Fraction(1, 4)}),
        ({"1": 5, "2": 0}, {"1": Fraction(1)}),
        ({}, {}),
        ({"elsewhere": 4}, {}),
    ],
    ids=["all", "a-leaf-without-tasks", "a-branch-without-tasks", "only-one", "nothing", "not-in-the-tree"],
)
def test_a_category_weighs_its_share_of_what_is_there(
    n_tasks: dict[str, int], shares: dict[str, Fraction]
) -> None:
    assert parse_hierarchy(_TREE).shares(n_tasks) == shares


def test_weighted_by_count_weighs_each_task_the_same() -> None:
    root = parse_hierarchy(_tree("weighted_by_count", **{"1": {}, "2": {}}))
    assert root.shares({"1": 3, "2": 1}) == {"1": Fraction(3, 4), "2": Fraction(1, 4)}


def test_what_is_left_may_have_no_weight_at_all() -> None:
    root = parse_hierarchy(_tree("weighted", **{"1": {"weight": 0}, "2": {"weight": 1}}))
    assert root.shares({"1": 3}) == {}


@pytest.mark.parametrize(
    ("tree", "line"),
    [
        ({"all": {}}, r"\['all'\] are the roots; a category_hierarchy has one, named 'overall'"),
        ({"overall": 3}, "'overall' is 3; write a mapping"),
        (_tree("mean", **{"1": {}}), "'overall' has the aggregation 'mean'; choose leaf, unweighted"),
        (_tree("unweighted"), "'overall' is unweighted and has no children; name at least one category"),
        (_tree("leaf", **{"1": {}}), "'overall' is a leaf and has children; give it an aggregation"),
        (_tree("weighted", **{"1": {}}), r"'overall' is weighted, and \['1'\] have no weight; give each"),
        (_tree("weighted", **{"1": {"weight": 0}}), "'overall' is weighted, and all weights are 0"),
        (_tree("weighted", **{"1": {"weight": -1}}), "'overall/1' has the weight -1; a weight is a number"),
        (_tree("weighted", **{"1": {"weight": True}}), "'overall/1' has the weight True"),
        (_tree("weighted", **{"1": {"weight": float("nan")}}), "'overall/1' has the weight nan"),
        (_tree("unweighted", **{"1": {"wieght": 1}}), r"'overall/1' has the keys \['wieght'\]; a node has"),
        (_tree("unweighted", **{" 1": {}}), "' 1' under 'overall/' is no name"),
        (
            _tree("unweighted", **{"1": {}, "a": {"aggregation": "unweighted", "children": {"1": {}}}}),
            "the category '1' is at 'overall/1' and at 'overall/a/1'; name it once",
        ),
        (_tree("unweighted", **{"1": []}), r"'overall/1' is \[\]; write a mapping"),
    ],
)
def test_what_is_no_tree_is_refused_with_its_place(tree: dict[str, Any], line: str) -> None:
    with pytest.raises(ValueError, match=line):
        parse_hierarchy(tree)


_KNOWN = ("1", "2", "3")


def _line_on(*leaves: str, known: Sequence[str] = _KNOWN) -> str | None:
    root = parse_hierarchy(_tree("unweighted", **{leaf: {} for leaf in leaves}))
    return misfit(root, known=known, selected=known)


@pytest.mark.parametrize(
    "leaves", [("1", "2", "3"), ("1", "2"), ("1", "2", "3", "4")], ids=["all", "one left out", "one too many"]
)
def test_a_tree_that_leaves_out_nothing_by_mistake_is_taken(leaves: tuple[str, ...]) -> None:
    assert _line_on(*leaves) is None


@pytest.mark.parametrize(
    ("leaves", "strangers", "unnamed"),
    [
        (("1", "level2", "level3"), "'level2', 'level3'", "'2', '3'"),
        (("one", "two"), "'one', 'two'", "'1', '2', '3'"),
        (("1", "2 3"), "'2 3'", "'2', '3'"),
    ],
    ids=["by their marks", "none met", "two in one"],
)
def test_a_misspelt_leaf_is_told_with_the_categories_it_leaves_out(
    leaves: tuple[str, ...], strangers: str, unnamed: str
) -> None:
    assert _line_on(*leaves) == (
        f"category_hierarchy: no task has the category {strangers}, and the tasks of {unnamed} would not "
        "count; name leaves as the tasks do: '1', '2', '3'"
    )


def test_of_many_categories_twenty_are_named() -> None:
    line = _line_on("topik", known=[f"topic {n:02}" for n in range(30)])
    assert line is not None and line.endswith("'topic 19' and 10 more")


def test_a_tree_in_which_no_selected_task_weighs_is_told() -> None:
    root = parse_hierarchy(_tree("weighted", **{"1": {"weight": 0}, "2": {"weight": 1}}))
    assert misfit(root, known={"1", "2"}, selected=["1", "2"]) is None
    assert misfit(root, known={"1", "2"}, selected=["1", "1"]) == (
        "category_hierarchy: none of the selected tasks, of '1', weighs anything; give their categories a "
        "leaf with a weight above 0, or select other tasks"
    )
