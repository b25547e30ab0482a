"""The shipped tasks and documents hang together."""

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from benchmarks.demo import demo_layer
from benchmarks.gaia.benchmark import Gaia
from benchmarks.gaia.params import GaiaParams
from benchmarks.task import Task
from harnesses.demo.worked_examples import EXAMPLES
from harnesses.tools.local_corpus import CorpusIndex
from judges.gaia_official import is_match

_GAIA: dict[str, Any] = demo_layer("http://127.0.0.1:1/v1", "m")["benchmarks"]["gaia"]
DOCUMENTS = Path(_GAIA["harness"]["params"]["corpus_dir"])
TEXTS = {path.name: " ".join(path.read_text("utf-8").split()) for path in sorted(DOCUMENTS.glob("*.md"))}
TASKS: tuple[Task, ...] = Gaia().load(GaiaParams(**_GAIA["params"]), tell=pytest.fail).tasks
DOCUMENTS_OF: dict[str, list[str]] = {
    row["task_id"]: row["Annotator Metadata"]["Documents"]
    for row in map(json.loads, Path(_GAIA["params"]["dataset_path"]).read_text("utf-8").splitlines())
}
LOOKED_UP = [task for task in TASKS if task.category != "3"]
each = pytest.mark.parametrize("task", TASKS, ids=lambda task: task.task_id)
each_looked_up = pytest.mark.parametrize("task", LOOKED_UP, ids=lambda task: task.task_id)


def needed(task: Task) -> list[str]:
    """The documents an answer needs."""
    return DOCUMENTS_OF[task.task_id]


def holds(text: str, words: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(words)}(?!\w)", text) is not None


def number(document: str, words: str) -> int:
    """The number that stands for ``{}`` in `words`, once in that document."""
    (found,) = re.findall(words.format(r"(\d+)"), TEXTS[document])
    return int(found)


def test_there_are_a_dozen_tasks_on_three_levels() -> None:
    assert Counter(task.category for task in TASKS) == {"1": 5, "2": 3, "3": 2}


@each
def test_a_task_has_a_readable_id_of_its_own(task: Task) -> None:
    assert re.fullmatch(r"demo-[a-z]+(-[a-z]+)*", task.task_id)
    assert task.attachments == ()


@each
def test_a_task_needs_documents_that_are_there(task: Task) -> None:
    assert set(needed(task)) <= set(TEXTS)
    assert len(needed(task)) == (1 if task.category == "1" else 2)


@each_looked_up
def test_an_answer_is_in_the_last_document_it_needs(task: Task) -> None:
    assert holds(TEXTS[needed(task)[-1]], task.ground_truth)


@each_looked_up
def test_an_answer_is_not_given_away_by_the_question(task: Task) -> None:
    assert not holds(task.question, task.ground_truth)


@each
def test_the_official_match_takes_the_answer_and_no_other_task_s(task: Task) -> None:
    taken = [other.ground_truth for other in TASKS if is_match(other.ground_truth, task.ground_truth)]
    assert taken == [task.ground_truth]


def test_the_answers_of_level_three_follow_from_their_documents() -> None:
    answers = {task.task_id: task.ground_truth for task in TASKS}
    more = number("ferry-marigold.md", "carries {} pass") - number("ferry-juniper.md", "carries {} pass")
    years = number("gull-rock-lighthouse.md", "first lit in {}") - number(
        "schooner-calloway.md", "Rock in {}"
    )
    assert answers["demo-ferry-seats"] == str(more)
    assert answers["demo-years-without-light"] == str(years)


@each
def test_a_search_for_the_question_finds_a_document_it_needs(task: Task) -> None:
    index = CorpusIndex.of_folder(DOCUMENTS)
    found = {hit.address.removeprefix("local://") for hit in index.search(task.question)}
    index.close()
    assert found & set(needed(task))


@pytest.mark.parametrize("name", TEXTS)
def test_a_document_is_short_and_begins_with_its_title(name: str) -> None:
    assert (DOCUMENTS / name).read_text("utf-8").startswith("# ")
    assert 60 <= len(TEXTS[name].split()) <= 150


def test_the_worked_examples_tell_nothing_of_the_tasks() -> None:
    told = str([example.messages for example in EXAMPLES])
    names = {name for text in TEXTS.values() for name in re.findall(r"\b[A-Z][a-z]+ [A-Z][a-z]+\b", text)}
    assert len(names) > 30
    assert not {name for name in names if name in told}
    assert not [task.task_id for task in TASKS if holds(told, task.ground_truth)]
