"""What `--demo` presets."""

import pytest
from configuration_scene import loaded

from benchmarks.configuration.model import Configuration, Gates
from benchmarks.demo import FIRST_LINE, demo_layer
from benchmarks.gaia.params import GaiaParams
from harnesses.search_agent_params import NaiveSearchAgentParams

URL = "http://127.0.0.1:40123/v1"


@pytest.fixture
def demo() -> Configuration:
    """The demo as it stands, with no key in the environment."""
    return loaded(lowest=demo_layer(URL, "Tiny-1M"))


def test_the_demo_is_a_whole_configuration_without_any_key(demo: Configuration) -> None:
    assert demo.model
    assert (demo.model.id, demo.model.base_url, demo.model.api_key) == ("Tiny-1M", URL, "")
    params = demo.benchmarks["gaia"].harness_params
    assert isinstance(params, NaiveSearchAgentParams)
    assert params.missing() == []


def test_the_demo_leaves_this_machine_for_nothing(demo: Configuration) -> None:
    params = demo.benchmarks["gaia"].harness_params
    assert isinstance(params, NaiveSearchAgentParams)
    assert (params.search_backend, params.visit_backend) == ("local", "local")
    assert not params.allow_private_addresses


def test_the_demo_is_scored_without_a_judge_model(demo: Configuration) -> None:
    params = demo.benchmarks["gaia"].params
    assert isinstance(params, GaiaParams)
    assert (params.judge, params.judge_model) == ("gaia_official", None)


def test_the_demo_ends_green_when_everything_was_measured(demo: Configuration) -> None:
    assert demo.gates == Gates(min_accuracy=0, min_coverage=1)


def test_what_is_typed_wins_over_the_demo() -> None:
    demo = loaded(
        lowest=demo_layer(URL, "Tiny-1M"), task_concurrency=1, harness_params='{"max_iterations": 7}'
    )
    params = demo.benchmarks["gaia"].harness_params
    assert isinstance(params, NaiveSearchAgentParams)
    assert (demo.execution.task_concurrency, params.max_iterations) == (1, 7)


def test_the_first_line_says_what_the_demo_is_not() -> None:
    assert "a 135M model's accuracy is not the point" in FIRST_LINE
    assert "\n" not in FIRST_LINE
