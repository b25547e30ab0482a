"""The ground floor's options, as pytest parses them."""

import pytest

from harnesses.options import add_options

FLAGS = {
    "--model": "model",
    "--model-base-url": "model_base_url",
    "--model-api-key": "model_api_key",
    "--model-api-protocol": "model_api_protocol",
    "--model-params": "model_params",
    "--harness": "harness",
    "--harness-params": "harness_params",
}


@pytest.fixture
def parser() -> pytest.Parser:
    parser = pytest.Parser(_ispytest=True)
    add_options(parser)
    return parser


def test_nothing_typed_is_none_for_every_option(parser: pytest.Parser) -> None:
    parsed = vars(parser.parse([]))
    assert {name: parsed[name] for name in FLAGS.values()} == dict.fromkeys(FLAGS.values())


@pytest.mark.parametrize("flag", FLAGS)
def test_an_option_keeps_the_text_as_it_was_typed(parser: pytest.Parser, flag: str) -> None:
    assert vars(parser.parse([f"{flag}= {{a}} "]))[FLAGS[flag]] == " {a} "


def test_the_help_names_a_group_and_each_default(parser: pytest.Parser) -> None:
    text = " ".join(parser.optparser.format_help().split())
    assert "harnesses: the model that is asked, and what drives it" in text
    assert "(default: the benchmark's own; docs/configuration.md names it)" in text
    assert text.count("default") >= len(FLAGS)
