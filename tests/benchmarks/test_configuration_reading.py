"""Texts become mappings, or one line with the place of the fault."""

from pathlib import Path
from typing import Any

import pytest
from configuration_scene import yaml_file

from benchmarks.configuration.reading import UnreadableError, read_json, read_yaml


@pytest.mark.parametrize(
    ("text", "values"),
    [
        pytest.param("", {}, id="an empty file"),
        pytest.param("# nothing\n", {}, id="a comment alone"),
        pytest.param("on: yes\nno: 1\n7: 0.5\n", {"on": True, "no": 1, "7": 0.5}, id="keys stay texts"),
        pytest.param("run_name: 2026-11-30", {"run_name": "2026-11-30"}, id="dates stay texts"),
        pytest.param(
            "a: &x {k: 1}\nb: {<<: *x, k: 2, l: 3}", {"a": {"k": 1}, "b": {"k": 2, "l": 3}}, id="anchors"
        ),
        pytest.param("\ufeffa: null", {"a": None}, id="a byte order mark"),
        pytest.param("a: [1, 'x']", {"a": [1, "x"]}, id="lists"),
    ],
)
def test_yaml_is_read_as_what_json_can_say(tmp_path: Path, text: str, values: dict[str, Any]) -> None:
    assert read_yaml(yaml_file(tmp_path, text)) == values


@pytest.mark.parametrize(
    ("text", "line"),
    [
        pytest.param("a: 1\nb: 2\na: 3", "the key `a` is given twice at line 3, column 1", id="twice"),
        pytest.param("m: {x: 1, x: 1}", "the key `x` is given twice at line 1, column 11", id="twice inside"),
        pytest.param("a: b: c", "mapping values are not allowed here at line 1, column 5", id="malformed"),
        pytest.param("a: 'open", "found unexpected end of stream at line 1, column 9", id="open quote"),
        pytest.param("a: 1\n---\nb: 2", "found another document at line 2, column 1", id="two documents"),
        pytest.param("a: .inf", "a number must be finite at line 1, column 4", id="infinity"),
        pytest.param("? [a]\n: 1", "a key must be text at line 1, column 3", id="a list as key"),
        pytest.param("a: !!set {b}", "could not determine a constructor", id="a set"),
        pytest.param("a: !!python/object:os.system x", "could not determine a constructor", id="an object"),
        pytest.param("a: &x [*x]", "holds itself by an alias", id="an alias that holds itself"),
        pytest.param("a: \x01", "characters that are not printable; remove them", id="control characters"),
        pytest.param("- 1", "holds a list; write keys at the top", id="a list"),
        pytest.param("true", "holds true or false; write keys", id="a boolean"),
        pytest.param("word", "holds a text; write keys", id="a text"),
        pytest.param("12", "holds a number; write keys", id="a number"),
    ],
)
def test_broken_yaml_is_told_in_one_line_with_its_place(tmp_path: Path, text: str, line: str) -> None:
    with pytest.raises(UnreadableError) as caught:
        read_yaml(yaml_file(tmp_path, text))
    assert line in str(caught.value)
    assert "\n" not in str(caught.value)


def test_broken_yaml_is_told_without_quoting_what_may_be_a_key(tmp_path: Path) -> None:
    with pytest.raises(UnreadableError) as caught:
        read_yaml(yaml_file(tmp_path, "api_key: *sk-secret-12345"))
    assert str(caught.value) == "is not YAML: found undefined alias '…' at line 1, column 10"


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(UnreadableError, match=r"cannot be read \(No such file or directory\); give the path"):
        read_yaml(tmp_path / "no.yaml")


def test_a_directory_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(UnreadableError, match=r"cannot be read \(Is a directory\)"):
        read_yaml(tmp_path)


def test_a_file_that_is_not_utf_8_is_told_with_the_byte(tmp_path: Path) -> None:
    path = tmp_path / "latin.yaml"
    path.write_bytes(b"a: caf\xe9")
    with pytest.raises(UnreadableError, match=r"is not UTF-8 text \(byte 6\); save it as UTF-8"):
        read_yaml(path)


def test_a_json_object_is_read_with_its_types() -> None:
    assert read_json('{"a": [1, 0.5, null, true], "b": {"c": "x"}}') == {
        "a": [1, 0.5, None, True],
        "b": {"c": "x"},
    }


@pytest.mark.parametrize(
    ("text", "line"),
    [
        pytest.param('{"a": 1', "is not JSON: Expecting ',' delimiter at line 1, column 8", id="cut"),
        pytest.param("{'a': 1}", "enclosed in double quotes at line 1, column 2", id="single quotes"),
        pytest.param('{"a":\n 1,}', "at line 2", id="a comma too many"),
        pytest.param("", "is not JSON: Expecting value at line 1, column 1", id="empty"),
        pytest.param("[1]", "holds a list; give an object", id="a list"),
        pytest.param("null", "holds null; give an object", id="null"),
        pytest.param('{"a": NaN}', "has the value NaN, which is not JSON; give a finite number", id="NaN"),
        pytest.param('{"a": -Infinity}', "has the value -Infinity", id="infinity"),
        pytest.param('{"m": {"a": 1, "b": 2, "a": 1}}', "has the key 'a' twice; keep one", id="a key twice"),
        pytest.param("[" * 100_000, "is nested too deeply", id="nested without end"),
    ],
)
def test_broken_json_is_told_in_one_line(text: str, line: str) -> None:
    with pytest.raises(UnreadableError) as caught:
        read_json(text)
    assert line in str(caught.value)
    assert "\n" not in str(caught.value)


def test_broken_json_is_told_without_quoting_it() -> None:
    with pytest.raises(UnreadableError) as caught:
        read_json('{"serper_api_key": sk-secret-12345}')
    assert "secret" not in str(caught.value)
