"""The shipped SealQA and LongSeal tasks and their documents hang together."""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from gaia_rows import isolate

from benchmarks.benchmark import Dataset
from benchmarks.demo import demo_layer
from benchmarks.sealqa.benchmark import SealQA
from benchmarks.sealqa.dataset import GROUPS, UNKNOWN
from benchmarks.sealqa.params import SealQAParams
from benchmarks.task import Task
from harnesses.demo.worked_examples import EXAMPLES
from harnesses.tools.local_corpus import LocalCorpus
from harnesses.tools.search import SearchTool
from harnesses.tools.tool import ToolContext
from harnesses.tools.truncation import truncate
from judges.contains import is_contained

_SEALQA: dict[str, Any] = demo_layer("http://127.0.0.1:1/v1", "m")["benchmarks"]["sealqa"]
FOLDER = Path(_SEALQA["params"]["dataset_path"])
AGENT: Mapping[str, Any] = _SEALQA["harness"]["params"]
DOCUMENTS = Path(AGENT["corpus_dir"])
PAGES = {path.stem: path.read_text("utf-8") for path in sorted(DOCUMENTS.glob("*.md"))}
ROWS: dict[str, dict[str, Any]] = {
    f"{category}-{number:03}": row
    for category, file in (("seal_0", "seal-0.jsonl"), ("longseal", "longseal.jsonl"))
    for number, row in enumerate(map(json.loads, (FOLDER / file).read_text("utf-8").splitlines()), start=1)
}
"""The rows as they are shipped, by the ids of their tasks."""
RIVALS = {
    "seal_0-001": "Osric Hale",
    "seal_0-002": "Jonas Wray",
    "seal_0-003": "Quennel",
    "longseal-001": "heron",
    "longseal-002": "Otto Flint",
}
"""What a page says that is out of date or wrong."""
each = pytest.mark.parametrize("task_id", ROWS)
each_searched = pytest.mark.parametrize("task_id", [name for name in ROWS if name.startswith("seal_0")])
each_longseal = pytest.mark.parametrize("task_id", [name for name in ROWS if name.startswith("longseal")])


@pytest.fixture(scope="module")
def datasets(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Dataset]:
    """Both categories, through the real loader."""
    params = {name: value for name, value in _SEALQA["params"].items() if name != "category"}
    with pytest.MonkeyPatch.context() as patch:
        isolate(patch, tmp_path_factory.mktemp("cache"))
        return {
            category: SealQA().load(SealQAParams(category=category, **params), tell=pytest.fail)
            for category in _SEALQA["params"]["category"]
        }


@pytest.fixture
def task(task_id: str, datasets: dict[str, Dataset]) -> Task:
    (found,) = (task for dataset in datasets.values() for task in dataset.tasks if task.task_id == task_id)
    return found


def holds(text: str, words: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(words)}(?!\w)", text) is not None


def test_there_are_a_few_tasks_of_each_kind(datasets: dict[str, Dataset]) -> None:
    assert {category: len(dataset.tasks) for category, dataset in datasets.items()} == {
        "seal_0": 3,
        "longseal": 2,
    }


def test_nothing_lacks_that_a_row_may_tell(datasets: dict[str, Dataset]) -> None:
    assert [dataset.warnings for dataset in datasets.values()] == [(), ()]


@each
def test_a_task_counts_in_each_breakdown(task: Task) -> None:
    assert set(task.groups) == set(GROUPS)
    assert UNKNOWN not in {task.category, *(name for names in task.groups.values() for name in names)}


@each
def test_addresses_lead_nowhere(task: Task) -> None:
    urls: list[str] = task.metadata["urls"]
    assert urls and all(re.fullmatch(r"https://[\w-]+\.example(/[\w-]+)?", url) for url in urls)


def test_each_file_has_a_canary_of_its_own(datasets: dict[str, Dataset]) -> None:
    canaries = [{task.canary for task in dataset.tasks} for dataset in datasets.values()]
    assert [len(one) for one in canaries] == [1, 1]
    assert canaries[0] != canaries[1]
    assert not any("canary" in text.lower() for text in PAGES.values())


@each
def test_an_answer_is_not_given_away_by_the_question(task: Task) -> None:
    assert not holds(task.question, task.ground_truth)


@each
def test_the_scorer_takes_the_answer_and_no_other_task_s(task_id: str) -> None:
    answer = ROWS[task_id]["answer"]
    assert [name for name, row in ROWS.items() if is_contained(row["answer"], answer)] == [task_id]
    assert not is_contained(RIVALS[task_id], answer)


@each_searched
def test_an_answer_is_on_a_page_that_its_row_names(task: Task) -> None:
    pages = [PAGES[url.rpartition("/")[2]] for url in task.metadata["urls"]]
    assert any(holds(page, task.ground_truth) for page in pages)


@pytest.mark.asyncio
@each_searched
async def test_a_search_brings_the_answer_and_its_rival_and_nothing_is_cut(
    task: Task, tmp_path: Path
) -> None:
    corpus = LocalCorpus(DOCUMENTS)
    context = ToolContext(folder=tmp_path, spend=lambda _: None)
    result = (await SearchTool(corpus).run({"query": task.question}, context)).text
    await corpus.aclose()
    assert holds(result, task.ground_truth) and holds(result, RIVALS[task.task_id])
    assert truncate(result, AGENT["max_tool_response_length"]) == result


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_short_and_begins_with_its_title(name: str) -> None:
    assert PAGES[name].startswith("# ")
    assert len(PAGES[name].split()) <= 25


@each_longseal
def test_only_the_helpful_documents_hold_the_answer_and_another_one_its_rival(task_id: str) -> None:
    row = ROWS[task_id]
    helpful, others = row["golds"], row["12_docs"]
    assert (len(helpful), len(others)) == (2, 12)
    assert all(holds(document["text"], row["answer"]) for document in helpful)
    assert not [document for document in others if holds(str(document), row["answer"])]
    assert [holds(document["text"], RIVALS[task_id]) for document in others].count(True) == 1


@each_longseal
def test_a_longseal_prompt_holds_the_answer_once_and_is_short(task: Task) -> None:
    prompt = SealQA().prompt_text(task, SealQAParams(category="longseal"))
    assert prompt.count("\nTitle: ") == 13
    assert prompt.count(task.ground_truth) == 1
    assert len(prompt) < 2000, "about 650 tokens: a core reads some 60 in a second"


def test_the_worked_examples_tell_nothing_of_the_tasks() -> None:
    told = str([example.messages for example in EXAMPLES])
    texts = [*PAGES.values(), *map(str, ROWS.values())]
    names = {name for text in texts for name in re.findall(r"\b[A-Z][a-z]+ [A-Z][a-z]+\b", text)}
    assert len(names) > 15
    assert not {name for name in names if name in told}
    assert not [task_id for task_id, row in ROWS.items() if holds(told, row["answer"])]
