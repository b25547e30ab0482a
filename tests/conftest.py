"""What holds for every test of the suite itself: warnings are errors, and no key of the machine is seen."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from journey import Suite
from scripted_models import ScriptedModels, serve

HERE = Path(__file__).parent
_KEYS = ("MODEL_API_KEY", "JUDGE_API_KEY", "SERPER_API_KEY", "JINA_API_KEY", "HF_TOKEN", "HF_ENDPOINT")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.is_relative_to(HERE):
            item.add_marker(pytest.mark.filterwarnings("error"), append=False)


@pytest.fixture(autouse=True)
def no_keys_of_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in _KEYS:
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def models() -> Iterator[ScriptedModels]:
    with serve(ScriptedModels()) as served:
        yield served


@pytest.fixture
def suite(tmp_path: Path, models: ScriptedModels) -> Suite:
    return Suite(folder=tmp_path, models=models)
