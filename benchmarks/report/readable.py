"""Numbers and texts as people read them, on pages: seconds, counts, dollars, and text of a model."""

import json
import re

from benchmarks.results.plain import clean_text
from harnesses.endpoint.json_values import is_object

UNKNOWN = "–"
"""What stands where a number is not known; never 0."""

_TERMINAL_CODES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")
_TURNERS = re.compile("[\u202a-\u202e\u2066-\u2069]")
_ODD = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")
"""What a text must hold for `shown` to change it; most hold none."""
_PREVIEW_CHARACTERS = 110


def shown(text: str) -> str:
    r"""`text` as a page may show it: what steers a terminal goes, what turns the direction is named.

    A character that turns the direction can make a text read as another; letters of scripts that run from
    right to left are left as they are.

    Example: ``shown("\x1b[31mred\x1b[0m \u202eabc")`` gives ``"red [U+202E]abc"``.
    """
    if not _ODD.search(text):
        return text
    plain = clean_text(_TERMINAL_CODES.sub("", text))
    return _TURNERS.sub(lambda found: f"[U+{ord(found[0]):04X}]", plain)


def seconds(duration_s: float | None) -> str:
    """A time in seconds: "0.04 s", "3.2 s", "4 min 10 s", "2 h 05 min"."""
    if duration_s is None:
        return UNKNOWN
    if duration_s < 0.995:
        return f"{duration_s:.2f} s"
    if duration_s < 59.95:
        return f"{duration_s:.1f} s"
    minutes, rest = divmod(round(duration_s), 60)
    if minutes < 60:
        return f"{minutes} min {rest:02} s"
    return f"{minutes // 60} h {minutes % 60:02} min"


def count(n: int | None) -> str:
    """A whole number with its thousands apart: "12,345"."""
    return UNKNOWN if n is None else f"{n:,}"


def dollars(usd: float | None) -> str:
    """An amount in US dollars: "$0.0012", "$1.23"; of small ones two digits that count."""
    if usd is None:
        return UNKNOWN
    if usd == 0 or usd >= 0.1:
        return f"${usd:,.2f}"
    return f"${usd:.2g}" if usd >= 0.0001 else "< $0.0001"


def words(name: str) -> str:
    """A value such as "run_error" as words: "run error"."""
    return name.replace("_", " ")


def size(text: str) -> str:
    """How long a text is: "12,345 characters"."""
    return "1 character" if len(text) == 1 else f"{len(text):,} characters"


def preview(text: str) -> str:
    """The beginning of a text on one line."""
    line = " ".join(text[: 4 * _PREVIEW_CHARACTERS].split())
    return line if len(line) <= _PREVIEW_CHARACTERS else f"{line[:_PREVIEW_CHARACTERS].rstrip()}…"


def unfolded(text: str) -> str:
    """A JSON object or list in `text` with a line for each value; any other text as it is."""
    if not text.lstrip().startswith(("{", "[")):
        return text
    try:
        return as_json(json.loads(text))
    except (ValueError, RecursionError):
        return text


def arguments(text: str) -> str:
    """The arguments of a tool call, a line for each: "query: red ferry"; as they are if no object."""
    try:
        values: object = json.loads(text)
    except (ValueError, RecursionError):
        return text
    if not is_object(values) or not values:
        return text
    told = ((name, value if isinstance(value, str) else as_json(value)) for name, value in values.items())
    return "\n".join(f"{name}: {value}" for name, value in told)


def as_json(value: object) -> str:
    """A plain value as JSON for people."""
    return json.dumps(value, indent=2, ensure_ascii=False)
