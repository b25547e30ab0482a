"""SealQA as the house sees it: names, categories, and which harness may ask."""

import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks.benchmark import PlainBenchmark
from benchmarks.catalogue import BENCHMARKS
from benchmarks.gaia.benchmark import Gaia
from benchmarks.gaia.params import GaiaParams
from benchmarks.sealqa.benchmark import SealQA
from benchmarks.sealqa.params import SealQAParams


def test_its_names_are_public() -> None:
    assert (SealQA.name, SealQA.breakdown, SealQA.scorers) == ("sealqa", "topic", ("contains",))
    assert isinstance(BENCHMARKS["sealqa"], SealQA)


def test_its_defaults_are_public() -> None:
    params = SealQAParams()
    assert (params.category, params.judge, params.allow_search) == ("seal_0", "sealqa", False)
    assert (params.longseal_document_count, params.longseal_seed, params.dataset_path) == (12, 0, None)
    assert params.dataset_revision == "267b8197ae75680ee0db180c4c2e96bd4e1001b4"


def test_its_categories_are_runs_of_their_own_and_gaias_levels_are_one_run() -> None:
    assert (SealQA.pools_categories, Gaia.pools_categories) == (False, True)


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("seal_0", "seal_0"),
        ("SEAL-0", "seal_0"),
        ("seal-hard", "seal_hard"),
        ("Seal_Hard ", "seal_hard"),
        ("LongSeal", "longseal"),
        ("long-seal", "longseal"),
        ("LONG_SEAL", "longseal"),
        ("seal-1", "seal-1"),
        ("", ""),
        (7, 7),
        (None, None),
        (["seal-0"], ["seal-0"]),
    ],
    ids=repr,
)
def test_hyphens_and_capitals_in_a_category_are_accepted(written: Any, name: Any) -> None:
    assert SealQA().category_name(written) == name


def test_a_level_of_gaia_keeps_its_spelling() -> None:
    assert Gaia().category_name("1") == "1"


@pytest.mark.parametrize(
    ("category", "harness"),
    [("seal_0", "naive_search_agent"), ("seal_hard", "naive_search_agent"), ("longseal", "openai_chat")],
)
def test_each_category_has_a_harness_that_asks_by_default(category: Any, harness: str) -> None:
    assert SealQA().default_harness(SealQAParams(category=category)) == harness


def test_gaia_is_asked_by_the_search_agent_and_refuses_no_harness() -> None:
    assert Gaia().default_harness(GaiaParams()) == "naive_search_agent"
    assert Gaia().harness_fault(GaiaParams(), searches=False) is None


@pytest.mark.parametrize(
    ("category", "searches", "allow_search", "is_refused"),
    [
        pytest.param("longseal", True, False, True, id="search over given documents"),
        pytest.param("longseal", True, True, False, id="search allowed"),
        pytest.param("longseal", False, False, False, id="no search"),
        pytest.param("seal_0", True, False, False, id="search is the point"),
        pytest.param("seal_hard", False, False, False, id="no search where search is the point"),
    ],
)
def test_longseal_refuses_a_harness_that_searches(
    category: Any, searches: bool, allow_search: bool, is_refused: bool
) -> None:
    params = SealQAParams(category=category, allow_search=allow_search)
    fault = SealQA().harness_fault(params, searches=searches)
    assert (fault is not None) is is_refused


def test_the_refusal_of_a_harness_is_one_line_with_its_remedy() -> None:
    fault = SealQA().harness_fault(SealQAParams(category="longseal"), searches=True)
    assert fault == (
        "category 'longseal' measures what a model makes of the documents in its prompt, so a harness that "
        "searches is refused; choose harness 'openai_chat', or set allow_search to true"
    )


def test_a_model_judge_gets_the_whole_text() -> None:
    assert SealQA().judges_whole_text(SealQAParams()) is True


def test_nothing_is_asked_of_the_form_of_an_answer_and_every_task_is_scored() -> None:
    assert SealQA().answer_format(SealQAParams()) == "none"
    assert SealQA().is_scored(SealQAParams()) is True


@pytest.mark.parametrize(("answer_format", "name"), [("auto", "none"), ("none", "none"), ("gaia", "gaia")])
def test_gaia_tells_the_form_it_asks_for(answer_format: Any, name: str) -> None:
    assert Gaia().answer_format(GaiaParams(answer_format=answer_format)) == name


@pytest.mark.parametrize(("subset", "is_scored"), [("validation", True), ("test", False)])
def test_gaia_s_test_subset_is_unscored(subset: Any, is_scored: bool) -> None:
    assert Gaia().is_scored(GaiaParams(subset=subset)) is is_scored


def test_a_plain_benchmark_demands_nothing() -> None:
    plain = PlainBenchmark()
    assert plain.pools_categories is True
    assert plain.category_name("North ") == "North "
    assert plain.default_harness(None) == "naive_search_agent"
    assert plain.harness_fault(None, searches=True) is None
    assert (plain.judges_whole_text(None), plain.answer_format(None), plain.is_scored(None)) == (
        True,
        "none",
        True,
    )


def settings(folder: Path, **given: Any) -> Any:
    document = {"title": "Log", "date": "2026", "url": "https://log.example", "text": "The lamp was lit."}
    row = {"question": "Which lamp?", "answer": "the north lamp", "golds": [document], "20_docs": [document]}
    file = folder / "tasks.jsonl"
    file.write_text(json.dumps(row) + "\n")
    return SealQA().load(SealQAParams(dataset_path=str(file), **given), tell=print).settings


def test_what_decides_a_longseal_prompt_is_told_with_the_dataset(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AGENT_BENCHMARKS_CACHE", str(tmp_path / "cache"))
    given = {"longseal_document_count": 20, "longseal_seed": 7}
    assert settings(tmp_path, category="longseal", allow_search=True, **given) == given


def test_where_the_question_stands_alone_nothing_else_decides_the_tasks(tmp_path: Path) -> None:
    assert settings(tmp_path, category="seal_0", longseal_seed=7) == {}
