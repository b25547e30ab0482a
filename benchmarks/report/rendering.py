"""Templates become pages. Every value that is put in is cleaned and escaped, wherever it comes from."""

from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from benchmarks.report import readable

_FILTERS = (
    readable.seconds,
    readable.count,
    readable.dollars,
    readable.words,
    readable.size,
    readable.preview,
    readable.unfolded,
    readable.arguments,
    readable.as_json,
)


def render(template: str, /, **values: Any) -> Markup:
    """The text that a template makes of `values`.

    Args:
        template: A file under `templates/`, e.g. "trajectory.html.jinja".
        values: What it asks for; a missing one is an error.
    """
    return Markup(_environment().get_template(template).render(values))  # noqa: S704 - autoescape is on


@cache
def asset(name: str) -> Markup:
    """A style sheet or a script under `templates/`, to be put into a page as it is."""
    return Markup(  # noqa: S704 - our own file
        files("benchmarks.report").joinpath("templates", name).read_text(encoding="utf-8")
    )


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("benchmarks.report"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_cleaned,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {each.__name__: each for each in _FILTERS}
    environment.globals |= {"asset": asset}
    return environment


def _cleaned(value: object) -> object:
    """What is put into a page: text is cleaned, what is markup already stays."""
    return readable.shown(value) if isinstance(value, str) and not isinstance(value, Markup) else value
