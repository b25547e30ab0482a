"""A section of a wrong shape is told in its line, whatever else is wrong beside it."""

import json
from pathlib import Path
from typing import Any

import pytest
from configuration_scene import JUDGE, MODEL_URL, refused, yaml_file

SECTIONS = [
    "model",
    "benchmark",
    "benchmark.params",
    "benchmarks",
    "benchmarks.sealqa",
    "benchmarks.sealqa.params",
    "benchmarks.sealqa.judge",
    "benchmarks.sealqa.harness",
    "benchmarks.sealqa.harness.params",
    "benchmarks.sealqa.by_category",
    "benchmarks.sealqa.by_category.SEAL-0",
    "benchmarks.sealqa.by_category.SEAL-0.params",
    "benchmarks.sealqa.by_category.SEAL-0.judge",
    "benchmarks.sealqa.by_category.SEAL-0.harness",
    "benchmarks.sealqa.by_category.SEAL-0.harness.params",
    "harness",
    "harness.params",
    "execution",
    "execution.attempts",
    "run",
    "gates",
]


def nested(path: str, value: Any) -> dict[str, Any]:
    first, _, rest = path.partition(".")
    return {first: nested(rest, value) if rest else value}


@pytest.mark.parametrize("shape", [3, "x", [1], ["category"], True, 0.5], ids=repr)
@pytest.mark.parametrize("section", SECTIONS)
def test_a_section_of_a_wrong_shape_is_told_beside_faults_in_every_other(
    tmp_path: Path, section: str, shape: Any
) -> None:
    broken = yaml_file(tmp_path, json.dumps(nested(section, shape)), name="broken.yaml")
    faulty = {
        "benchmark": {"params": {"limit": 0, "judge_model": JUDGE}},
        "harness": {"params": {"x": 1}},
        "run": {"run_name": 7},
        "gates": {"min_accuracy": 2},
        "execution": {"task_concurrency": 0},
    }
    lines = refused(
        yaml_file(tmp_path, json.dumps(faulty), name="faulty.yaml"),
        broken,
        names=("gaia", "sealqa"),
        model="m",
        model_base_url=MODEL_URL,
        harness="openai_chat",
    )
    assert f"{section} ({broken}): {shape!r} is refused; it must be a mapping" in lines
    told = [line.partition(" (")[0] for line in lines]
    for key in (
        *("benchmark.params.limit", "harness.params.x"),
        *("run.run_name", "gates.min_accuracy", "execution.task_concurrency"),
    ):
        assert key in told


def test_categories_that_are_no_mapping_are_told_beside_a_param_of_their_benchmark(tmp_path: Path) -> None:
    file = yaml_file(tmp_path, "benchmarks: {sealqa: {by_category: 3, params: {limit: 0, judge: contains}}}")
    shape, param = refused(
        file, names=("sealqa",), model="m", model_base_url=MODEL_URL, harness="openai_chat"
    )
    assert shape == f"benchmarks.sealqa.by_category ({file}): 3 is refused; it must be a mapping"
    assert param.startswith(
        f"benchmarks.sealqa.params.limit ({file}): 0 is refused; it must be a whole number"
    )
