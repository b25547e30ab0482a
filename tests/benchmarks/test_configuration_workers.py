"""A configuration goes to workers as bytes, and nothing heavy comes with it."""

import pickle
import subprocess
import sys
from pathlib import Path

import pytest
from configuration_scene import sound

ROOT = Path(__file__).parents[2]
KEYS = {"SERPER_API_KEY": "key-of-serper", "JINA_API_KEY": "key-of-jina"}
UNPICKLE = """
import pickle, sys
made = pickle.load(sys.stdin.buffer)
print(made.choices["gaia"].harness_id, *sorted({"pydantic", "yaml", "datasets"} & sys.modules.keys()))
"""


@pytest.mark.parametrize("harness", ["openai_chat", "naive_search_agent"])
def test_a_pickled_configuration_is_the_same(harness: str) -> None:
    made = sound(harness=harness, environ=KEYS, model_params='{"extra": {"a": [1]}}', min_accuracy=("0.5",))
    assert pickle.loads(pickle.dumps(made)) == made  # noqa: S301 - our own bytes


@pytest.mark.parametrize("harness", ["openai_chat", "naive_search_agent"])
def test_a_worker_reads_it_without_pydantic_and_yaml(harness: str) -> None:
    made = pickle.dumps(sound(harness=harness, environ=KEYS))
    read = subprocess.run(
        [sys.executable, "-c", UNPICKLE], input=made, cwd=ROOT, capture_output=True, check=True
    )
    assert read.stdout.decode().split() == [harness]


def test_the_plugin_s_options_import_nothing_heavy() -> None:
    code = (
        "import sys, benchmarks.configuration.options, benchmarks.configuration.model, harnesses.options\n"
        "print(*{'pydantic', 'yaml', 'httpx', 'datasets'} & sys.modules.keys())"
    )
    ran = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, check=True)
    assert ran.stdout.split() == []


def test_loading_the_module_does_not_import_pydantic() -> None:
    code = "import sys, benchmarks.configuration.loading\nprint('pydantic' in sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, check=True)
    assert ran.stdout.split() == [b"False"]
