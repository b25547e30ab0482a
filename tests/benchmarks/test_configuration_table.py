"""docs/configuration.md is made from the classes that check a configuration, and its example loads."""

import re
import subprocess
import sys
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, Any, ClassVar

import pytest
from configuration_scene import MODEL_URL, loaded, refused, yaml_file
from typing_extensions import Doc

from benchmarks.benchmark import Dataset, PlainBenchmark
from benchmarks.catalogue import BENCHMARKS
from benchmarks.configuration.gathering import JSON_OPTIONS, SINGLE_OPTIONS
from benchmarks.configuration.options import Options
from benchmarks.configuration.table import page
from benchmarks.params import BenchmarkParams
from benchmarks.task import Task
from harnesses.downloads import Tell

ROOT = Path(__file__).parents[2]


def test_the_page_in_docs_is_up_to_date() -> None:
    written = (ROOT / "docs" / "configuration.md").read_text(encoding="utf-8")
    assert written == page(), "run: python -m benchmarks.configuration.table > docs/configuration.md"


def test_the_command_writes_the_page() -> None:
    made = subprocess.run(
        [sys.executable, "-m", "benchmarks.configuration.table"],
        cwd=ROOT,
        capture_output=True,
        check=True,
        encoding="utf-8",
    )
    assert made.stdout == page()


def test_every_place_for_a_table_is_filled() -> None:
    assert "<!--" not in page()


@pytest.mark.parametrize("name", Options.__dataclass_fields__)
def test_every_option_is_on_the_page(name: str) -> None:
    flag = "--config" if name == "config_files" else f"--{name.replace('_', '-')}"
    assert re.search(rf"^\| `{flag}[ `]", page(), re.MULTILINE)


def test_every_option_that_says_a_key_names_it() -> None:
    assert "| `--task-concurrency N` | `execution.task_concurrency` |" in page()
    assert JSON_OPTIONS.keys() | SINGLE_OPTIONS.keys() <= Options.__dataclass_fields__.keys()


def section(title: str) -> str:
    return page().partition(f"\n{title}\n")[2].partition("\n#")[0]


@pytest.mark.parametrize("name", [item.name for item in fields(BenchmarkParams)])
def test_every_shared_param_has_one_row(name: str) -> None:
    shared = section("## `benchmark.params`, for every benchmark")
    assert len(re.findall(rf"^\| `{name}` \|", shared, re.MULTILINE)) == 1
    assert f"| `{name}` |" not in section("### `gaia`")


def test_a_shared_param_with_another_default_has_a_row_of_its_own() -> None:
    assert re.search(r"^\| `judge` \| .* \| `sealqa` \|", section("### `sealqa`"), re.MULTILINE)


def test_the_harness_of_each_benchmark_is_named_by_category_where_each_is_a_run() -> None:
    assert "where none is named: `naive_search_agent`." in section("### `gaia`")
    assert "`naive_search_agent` for `seal_0`" in section("### `sealqa`")
    assert "`openai_chat` for `longseal`. Each category is a run of its own." in section("### `sealqa`")


def test_a_row_tells_value_default_and_meaning() -> None:
    assert (
        "| `attempts.k` | a whole number from 1 to 100 | `1` "
        "| Attempts per task, at most 100; costs grow with it. |"
    ) in page()


def test_the_default_of_a_key_is_its_variable_and_never_its_value(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SERPER_API_KEY", "key-of-this-machine")
    assert "key-of-this-machine" not in page()
    assert "| `serper_api_key` | text | variable `SERPER_API_KEY` |" in page()


def test_every_row_has_a_meaning() -> None:
    assert not re.findall(r"^.*\|\s+\|$", page(), re.MULTILINE)


def test_the_example_on_the_page_loads(tmp_path: Path) -> None:
    (example,) = re.findall(r"```yaml\n(.*?)```", page(), re.DOTALL)
    keys = {"SERPER_API_KEY": "key-of-serper", "JINA_API_KEY": "key-of-jina"}
    file = yaml_file(tmp_path, example)
    made = loaded(file, names=("gaia", "sealqa"), environ=keys, results_dir=str(tmp_path))
    assert made.model is not None and made.model.params == {"temperature": 0.7, "max_tokens": 16384}
    params = made.choices["gaia"].params
    assert params.judge_model is not None and params.judge_model.id == "Qwen3.6-35B-A3B"
    assert params.limit == 20
    assert made.gates.min_coverage == 0.95
    assert made.placement.run_name == "nightly"
    harnesses = {key: choice.harness_id for key, choice in made.choices.items()}
    assert harnesses == {
        "gaia": "naive_search_agent",
        "sealqa seal_0": "naive_search_agent",
        "sealqa longseal": "openai_chat",
    }


@dataclass(frozen=True, kw_only=True)
class PondsParams(BenchmarkParams):
    """Which ponds are asked about."""

    dataset_path: Annotated[str, Doc("A JSONL file with one question a line.")]

    def __post_init__(self) -> None:
        if not self.dataset_path.endswith(".jsonl"):
            raise ValueError(f"dataset_path {self.dataset_path!r} is no JSONL file; name one")


class Ponds(PlainBenchmark):
    """Questions about ponds, as docs/adding_a_benchmark.md adds them."""

    name: ClassVar[str] = "ponds"
    params_type: ClassVar[type[BenchmarkParams]] = PondsParams
    breakdown: ClassVar[str] = "region"
    scorers: ClassVar[tuple[str, ...]] = ("contains",)

    def load(self, params: PondsParams, *, tell: Tell) -> Dataset:
        del tell
        return Dataset(tasks=(), name="Ponds", subset="all", source=params.dataset_path)

    def prompt_text(self, task: Task, params: PondsParams) -> str:
        return f"{task.question} (see {params.dataset_path})"


@pytest.fixture
def ponds(monkeypatch: pytest.MonkeyPatch) -> None:
    """The house with a benchmark whose params have one without a default."""
    for module in (
        "benchmarks.configuration.table",
        *(f"benchmarks.configuration.{name}" for name in ("asked", "choosing", "loading", "spelling")),
    ):
        monkeypatch.setattr(f"{module}.BENCHMARKS", {**BENCHMARKS, "ponds": Ponds()})


def test_a_param_without_a_default_is_required(ponds: None) -> None:
    ours = section("### `ponds`")
    assert "| `dataset_path` | text | required | A JSONL file with one question a line. |" in ours
    assert "The harness, where none is named: `naive_search_agent`." in ours


def test_a_param_without_a_default_is_asked_for(ponds: None) -> None:
    ask: dict[str, Any] = {
        "names": ("ponds",),
        "model": "m",
        "model_base_url": MODEL_URL,
        "harness": "openai_chat",
    }
    assert refused(**ask, benchmark_params='{"judge": "contains"}') == [
        "benchmark.params.dataset_path (command line): is missing; give text"
    ]
    made = loaded(**ask, benchmark_params='{"judge": "contains", "dataset_path": "p.jsonl"}')
    assert made.choices["ponds"].params == PondsParams(judge="contains", dataset_path="p.jsonl")
