"""What `--demo` presets."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from configuration_scene import loaded
from journey import ROOT

from benchmarks.configuration.model import BenchmarkChoice, Configuration, Gates
from benchmarks.demo import FIRST_LINE, demo_layer
from harnesses.openai_chat import OpenAIChatParams
from harnesses.search_agent_params import NaiveSearchAgentParams

URL = "http://127.0.0.1:40123/v1"
LAYER = demo_layer(URL, "Tiny-1M")
SEARCHED = ("gaia", "sealqa seal_0")
each_searched = pytest.mark.parametrize("key", SEARCHED)


@pytest.fixture
def demo() -> Configuration:
    """The demo as it stands, with no key in the environment."""
    return loaded(lowest=LAYER, names=("gaia", "sealqa"))


def agent_of(choice: BenchmarkChoice) -> NaiveSearchAgentParams:
    """The params of a run that the search agent makes."""
    assert isinstance(choice.harness_params, NaiveSearchAgentParams)
    return choice.harness_params


def harnesses_of(demo: Configuration) -> dict[str, str]:
    return {key: choice.harness_id for key, choice in demo.choices.items()}


def test_the_demo_is_three_runs_each_with_the_harness_that_suits_it(demo: Configuration) -> None:
    assert harnesses_of(demo) == {
        "gaia": "naive_search_agent",
        "sealqa seal_0": "naive_search_agent",
        "sealqa longseal": "openai_chat",
    }
    assert [choice.run_suffix for choice in demo.choices.values()] == ["", "-seal_0", "-longseal"]


def test_the_demo_is_a_whole_configuration_without_any_key(demo: Configuration) -> None:
    assert demo.model
    assert (demo.model.id, demo.model.base_url, demo.model.api_key) == ("Tiny-1M", URL, "")
    assert [choice.harness_params.missing() for choice in demo.choices.values()] == [[], [], []]


@each_searched
def test_the_demo_leaves_this_machine_for_nothing(key: str, demo: Configuration) -> None:
    params = agent_of(demo.choices[key])
    assert (params.search_backend, params.visit_backend) == ("local", "local")
    assert not params.allow_private_addresses


def test_each_benchmark_searches_documents_of_its_own(demo: Configuration) -> None:
    assert len({agent_of(demo.choices[key]).corpus_dir for key in SEARCHED}) == 2


def test_longseal_is_asked_once_and_for_a_short_answer(demo: Configuration) -> None:
    params = demo.choices["sealqa longseal"].harness_params
    assert isinstance(params, OpenAIChatParams)
    assert params.agent_prompt == "{problem_statement}\n\nAnswer in a few words."


def test_the_demo_is_scored_without_a_judge_model(demo: Configuration) -> None:
    judges = {key: (choice.params.judge, choice.params.judge_model) for key, choice in demo.choices.items()}
    assert judges == {
        "gaia": ("gaia_official", None),
        "sealqa seal_0": ("contains", None),
        "sealqa longseal": ("contains", None),
    }


def test_the_demo_ends_green_when_everything_was_measured(demo: Configuration) -> None:
    assert demo.gates == Gates(min_accuracy={"overall": 0}, min_coverage=1)


def test_what_is_typed_wins_over_the_demo() -> None:
    demo = loaded(lowest=LAYER, task_concurrency=1, harness_params='{"max_iterations": 7}')
    assert (demo.execution.task_concurrency, agent_of(demo.choices["gaia"]).max_iterations) == (1, 7)


def test_a_harness_that_is_typed_makes_every_run() -> None:
    demo = loaded(lowest=LAYER, names=("gaia", "sealqa"), harness="openai_chat")
    assert set(harnesses_of(demo).values()) == {"openai_chat"}


@pytest.mark.parametrize(
    ("category", "harness"), [("longseal", "openai_chat"), ("seal_hard", "naive_search_agent")]
)
def test_one_category_that_is_typed_is_the_only_run(category: str, harness: str) -> None:
    demo = loaded(lowest=LAYER, names=("sealqa",), benchmark_params=json.dumps({"category": category}))
    assert harnesses_of(demo) == {f"sealqa {category}": harness}


def test_the_first_line_says_what_the_demo_is_not() -> None:
    assert "a 135M model's accuracy is not the point" in FIRST_LINE
    assert "\n" not in FIRST_LINE


WITH_A_THIRD_BENCHMARK = """
import sys
sys.path.insert(0, sys.argv[1])
from benchmarks.catalogue import BENCHMARKS
BENCHMARKS["results"] = BENCHMARKS["gaia"]
import pytest
sys.exit(pytest.main(sys.argv[2:]))
"""


@pytest.mark.parametrize(
    ("path", "code", "words"),
    [("benchmarks", 0, "15 tests collected"), ("benchmarks/results", 4, "--demo finds no benchmark here")],
    ids=["beside others", "alone"],
)
def test_the_demo_asks_only_benchmarks_it_has_tasks_for(
    tmp_path: Path, path: str, code: int, words: str
) -> None:
    options = ("--demo", "--collect-only", "-q", "-p", "no:cacheprovider")
    done = subprocess.run(
        [sys.executable, "-c", WITH_A_THIRD_BENCHMARK, str(ROOT), str(ROOT / path), *options],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, words in done.stdout + done.stderr) == (code, True), done.stdout + done.stderr
