"""The options that choose a model and the harness that drives it."""

import pytest


def add_options(parser: pytest.Parser) -> None:
    """Add the group `harnesses`. Every option is text here; the top floor checks them all together."""
    group = parser.getgroup("harnesses", "harnesses: the model that is asked, and what drives it")
    _add_model(group)
    _add_harness(group)


def _add_model(group: pytest.OptionGroup) -> None:
    group.addoption("--model", metavar="ID", help="Model id sent with each request (no default).")
    group.addoption(
        "--model-base-url",
        metavar="URL",
        help="Address of the model up to the version, e.g. https://api.example/v1 (no default).",
    )
    group.addoption(
        "--model-api-key",
        metavar="KEY",
        help="Key of that address (default: the variable MODEL_API_KEY, which keeps it out of the "
        "process list; an empty KEY sends none).",
    )
    group.addoption(
        "--model-api-protocol",
        metavar="PROTOCOL",
        help="What the server speaks: openai-chat, openai-responses or anthropic (default: openai-chat).",
    )
    group.addoption(
        "--model-params",
        metavar="JSON",
        help="Object added to every request body unchanged, e.g. '{\"temperature\": 0}'; a null removes the "
        "key the suite would send (default: {}).",
    )


def _add_harness(group: pytest.OptionGroup) -> None:
    group.addoption(
        "--harness",
        metavar="ID",
        help="What drives the model through a task, in every run of the session (default: the "
        "benchmark's own; docs/configuration.md names it).",
    )
    group.addoption(
        "--harness-params",
        metavar="JSON",
        help="Object with the parameters of the harness, e.g. '{\"max_iterations\": 40}' (default: {}).",
    )
