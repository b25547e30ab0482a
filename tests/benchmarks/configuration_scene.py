"""A sound configuration that tests bend."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from benchmarks.configuration.loading import ConfigurationError, load_configuration
from benchmarks.configuration.model import Configuration
from benchmarks.configuration.options import Options

MODEL_URL = "https://models.example/v1"
JUDGE: dict[str, Any] = {"id": "judge-1", "base_url": "https://judge.example/v1"}
SOUND: dict[str, Any] = {
    "model": "model-1",
    "model_base_url": MODEL_URL,
    "harness": "openai_chat",
    "benchmark_params": json.dumps({"judge_model": JUDGE}),
}
"""Fields of `Options` that make a configuration nobody refuses."""
KEYS = {"SERPER_API_KEY": "serper-variable", "JINA_API_KEY": "jina-variable"}
"""Variables that the search agent needs."""


def loaded(
    *files: Path,
    environ: Mapping[str, str] | None = None,
    lowest: Mapping[str, Any] | None = None,
    needs_model: bool = True,
    names: Sequence[str] = ("gaia",),
    **options: Any,
) -> Configuration:
    """The configuration of these options alone."""
    return load_configuration(
        Options(config_files=tuple(str(file) for file in files), **options),
        benchmarks=names,
        needs_model=needs_model,
        environ=environ or {},
        lowest=lowest,
    )


def refused(*files: Path, **given: Any) -> list[str]:
    """The lines of the refusal."""
    with pytest.raises(ConfigurationError) as caught:
        loaded(*files, **given)
    return str(caught.value).split("\n")


def sound(*files: Path, **given: Any) -> Configuration:
    """The sound configuration with `given` over it."""
    return loaded(*files, **{**SOUND, **given})


def bent(*files: Path, **given: Any) -> list[str]:
    """Why the sound configuration with `given` over it is refused."""
    return refused(*files, **{**SOUND, **given})


def params(**given: Any) -> str:
    """What `--benchmark-params` takes: a judge's model, and `given`."""
    return json.dumps({"judge_model": JUDGE, **given})


def by_category(**written: Any) -> dict[str, Any]:
    """A file that says something for categories of SealQA."""
    return {"benchmarks": {"sealqa": {"by_category": written}}}


def yaml_file(folder: Path, text: str, *, name: str = "run.yaml") -> Path:
    """A YAML file with this text."""
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path
