from typing import Any

import pytest

from harnesses.tools.create_sub_agents import tasks_in
from harnesses.tools.tool import BadArgumentsError


@pytest.mark.parametrize(
    ("given", "tasks"),
    [
        pytest.param(["a", " b "], ["a", "b"], id="texts"),
        pytest.param([{"task": "a"}, {"index": 2, "prompt": "b"}], ["a", "b"], id="objects"),
        pytest.param("a", ["a"], id="one-text"),
        pytest.param('["a", {"task": "b"}]', ["a", "b"], id="a-list-as-text"),
        pytest.param({"task": "a"}, ["a"], id="one-object"),
        pytest.param(["a", "a"], ["a", "a"], id="the-same-twice"),
        pytest.param(["a"] * 10, ["a"] * 10, id="as-many-as-may-be"),
    ],
)
def test_tasks_are_read_in_order(given: Any, tasks: list[str]) -> None:
    assert tasks_in({"tasks": given}) == tasks


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        pytest.param({}, "tasks is missing: give a list of texts, one for each sub-agent", id="missing"),
        pytest.param({"tasks": []}, "tasks is missing", id="empty"),
        pytest.param({"tasks": None}, "tasks is missing", id="null"),
        pytest.param({"tasks": ["a"] * 11}, "tasks lists 11 entries; give at most 10", id="too-many"),
        pytest.param({"tasks": ["a", " "]}, "task 2 is blank or no text: write what to look up", id="blank"),
        pytest.param({"tasks": [dict[str, str]()]}, "task 1 is blank or no text", id="empty-object"),
        pytest.param({"tasks": [3]}, "task 1 is blank or no text", id="number"),
    ],
)
def test_a_call_without_usable_tasks_is_refused(arguments: dict[str, Any], line: str) -> None:
    with pytest.raises(BadArgumentsError, match=line):
        tasks_in(arguments)
