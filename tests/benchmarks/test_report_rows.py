"""Rows of the HTML report by themselves: their columns, their text, and how they are sorted."""

import re
from typing import Any

from benchmarks.report.rows import Row, cells, header, sorted_by


def test_numbers_sort_as_numbers_though_the_page_compares_text() -> None:
    def key(column: str, **values: Any) -> str:
        return sorted_by(cells(Row(task="t", **values), result="Passed"))[column]

    times = [None, 0.04, 3.2, 12.0, 250.0, 7500.0]
    keys = [key("time", time_s=time) for time in times]
    assert sorted(keys) == keys and len(set(keys)) == len(keys)
    tokens = [key("tokens", tokens={"model": (n, 0)}) for n in (9, 10, 12_345)]
    assert sorted(tokens) == tokens
    levels = [key("category", category=level) for level in ("2", "10", "sports")]
    assert sorted(levels) == levels


def test_columns_and_cells_have_the_names_pytest_html_sorts_by() -> None:
    columns = re.findall(r'data-column-type="(\w+)"', "".join(header("level")))
    names = re.findall(r'class="col-(\w+)"', "".join(cells(Row(task="t"), result="Passed")))
    assert [*columns, "links"] == names
    assert columns[:3] == ["result", "testId", "category"] and ">Level</th>" in "".join(header("level"))


def test_cells_are_escaped_and_stay_on_one_line() -> None:
    row = Row(task="<b>", category='"', stop_reason="a<i>", page='x"y')
    text = "".join(cells(row, result="Passed"))
    assert "<b>" not in text and "<i>" not in text and 'href="x&quot;y"' in text
