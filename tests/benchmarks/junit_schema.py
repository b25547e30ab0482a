"""What a JUnit file may hold, as rules that a test can read back.

The strict family (`xunit2`): the facts of schema junit-10.xsd of Jenkins' xunit plugin, which pytest names
as its own. The legacy family (`xunit1`): the same, and for a test case `file`, `line`, `url` and one
`properties` before all else, as pytest's writer has it; no schema names them.
"""

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator

_COUNTS = {"tests", "failures", "errors"}
_TIME = re.compile(r"(([0-9]{0,3},)*[0-9]{3}|[0-9]{0,3})*(\.[0-9]*)?")
_ENDS = {"skipped", "error", "failure"}
_OUTPUT = {"system-out", "system-err"}
_CHILDREN = {
    "testsuites": {"testsuite"},
    "testsuite": {"testsuite", "properties", "testcase", *_OUTPUT},
    "testcase": {*_ENDS, *_OUTPUT, "rerunFailure", "rerunError", "flakyFailure", "flakyError"},
    "properties": {"property"},
}
_REQUIRED = {"testsuite": {"name", *_COUNTS}, "testcase": {"name"}, "property": {"name", "value"}}
_OPTIONAL = {
    "testsuites": {"name", "time", *_COUNTS},
    "testsuite": {"group", "time", "skipped", "timestamp", "hostname", "id", "package", "file", "log", "url"},
    "testcase": {"time", "classname", "group"},
    **{end: {"type", "message"} for end in _ENDS},
}
_TEXT = {*_ENDS, *_OUTPUT}


def faults(xml: str, *, family: str) -> list[str]:
    """Each breach of the family's rules, one line each; empty for a file within them.

    Raises:
        xml.etree.ElementTree.ParseError: It is no XML.
    """
    root = ET.fromstring(xml)  # noqa: S314 - our own writer made it
    wrong_root = [] if root.tag == "testsuites" else [f"the root is {root.tag}"]
    return [*wrong_root, *_faults_below(root, is_legacy=family == "xunit1")]


def _faults_below(element: ET.Element, *, is_legacy: bool) -> Iterator[str]:
    tag, attributes = element.tag, set(element.attrib)
    is_open = is_legacy and tag == "testcase"
    required = _REQUIRED.get(tag, set[str]())
    allowed = required | _OPTIONAL.get(tag, set[str]()) | ({"file", "line", "url"} if is_open else set[str]())
    yield from (f"{tag} lacks {name}" for name in sorted(required - attributes))
    yield from (f"{tag} may not have {name}" for name in sorted(attributes - allowed))
    if tag in {"testsuite", "testsuites"} and not _TIME.fullmatch(element.get("time", "")):
        yield f"{tag} has time {element.get('time')!r}"
    if tag not in _TEXT and (element.text or "").strip():
        yield f"{tag} holds text"
    children = [child.tag for child in element]
    if is_open and children[:1] == ["properties"]:
        children = children[1:]
    yield from (
        f"{tag} may not hold {name}" for name in children if name not in _CHILDREN.get(tag, set[str]())
    )
    for child in element:
        yield from _faults_below(child, is_legacy=is_legacy)
