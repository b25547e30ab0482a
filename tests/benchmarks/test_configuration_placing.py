"""Where a run directory lies."""

from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as some

from benchmarks.configuration.model import Placement
from benchmarks.configuration.placing import path_part, run_directory
from benchmarks.configuration.problem import ConfigurationError

NOON = datetime(2026, 11, 30, 12, 0, 5, tzinfo=UTC)


def test_a_run_without_a_name_is_named_by_the_time_in_utc(tmp_path: Path) -> None:
    there = NOON.astimezone(timezone(timedelta(hours=8)))
    placed = run_directory(Placement(results_dir=str(tmp_path)), "gaia", "org/m-1", now=there)
    assert placed == tmp_path / "gaia" / "org_m-1" / "20261130T120005Z"
    assert not placed.exists()


def test_runs_of_the_same_second_are_counted(tmp_path: Path) -> None:
    placement = Placement(results_dir=str(tmp_path))
    for name in ("20261130T120005Z", "20261130T120005Z-2", "20261130T120005Z-3"):
        placed = run_directory(placement, "gaia", "m", now=NOON)
        assert placed.name == name
        placed.mkdir(parents=True)


def test_a_suffix_ends_the_name_whoever_gave_it(tmp_path: Path) -> None:
    def named(run_name: str | None) -> str:
        placement = Placement(results_dir=str(tmp_path), run_name=run_name)
        placed = run_directory(placement, "sealqa", "m", now=NOON, suffix="-longseal")
        placed.mkdir(parents=True)
        return placed.name

    assert [named("nightly"), named(None), named(None)] == [
        "nightly-longseal",
        "20261130T120005Z-longseal",
        "20261130T120005Z-2-longseal",
    ]
    with pytest.raises(ConfigurationError, match=r"nightly-longseal' exists"):
        named("nightly")


def test_the_default_is_below_results() -> None:
    assert run_directory(Placement(), "gaia", "m", now=NOON).parts[:3] == ("results", "gaia", "m")


def test_a_named_run_is_the_last_part_of_the_path(tmp_path: Path) -> None:
    placement = Placement(results_dir=str(tmp_path), run_name="nightly 1")
    assert run_directory(placement, "gaia", "m", now=NOON) == tmp_path / "gaia" / "m" / "nightly 1"


def test_an_exact_directory_is_taken_as_it_is(tmp_path: Path) -> None:
    placement = Placement(run_dir=str(tmp_path / "here"), run_name="ignored")
    assert run_directory(placement, "gaia", "m", now=NOON) == tmp_path / "here"


def test_a_tilde_is_the_home_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert run_directory(Placement(run_dir="~/run"), "gaia", "m", now=NOON) == tmp_path / "run"


def test_a_run_directory_that_exists_is_refused(tmp_path: Path) -> None:
    with pytest.raises(
        ConfigurationError, match=r"^run\.run_dir: the directory '.*' exists, and a run never"
    ):
        run_directory(Placement(run_dir=str(tmp_path)), "gaia", "m", now=NOON)


def test_a_link_that_leads_nowhere_is_not_written_through(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    with pytest.raises(ConfigurationError, match="exists"):
        run_directory(Placement(run_dir=str(tmp_path / "link")), "gaia", "m", now=NOON)


def test_a_run_name_that_exists_is_refused(tmp_path: Path) -> None:
    (tmp_path / "gaia" / "m" / "nightly").mkdir(parents=True)
    with pytest.raises(ConfigurationError, match=r"^run\.run_name: the directory '.*nightly' exists"):
        run_directory(Placement(results_dir=str(tmp_path), run_name="nightly"), "gaia", "m", now=NOON)


@pytest.mark.parametrize("name", ["", " ", ".", "..", "a/b", "a\\b", "../up", "a..b", "/", "x\n", "x" * 201])
def test_a_run_name_that_is_no_part_of_a_path_is_refused(name: str) -> None:
    with pytest.raises(ConfigurationError, match="is refused; it must be one part of a path without"):
        run_directory(Placement(run_name=name), "gaia", "m", now=NOON)


@pytest.mark.parametrize(
    ("model", "part"),
    [
        ("org/model-1.5", "org_model-1.5"),
        ("qwen2.5:7b", "qwen2.5_7b"),
        ("../../etc", "___.._etc"),
        (".hidden", "_hidden"),
        ("..", "__"),
        ("a b\tc\x00", "a_b_c_"),
        ("模型", "模型"),
        ("", "_"),
        ("\ud800", "_"),
    ],
)
def test_a_model_id_becomes_one_part_of_a_path(model: str, part: str) -> None:
    assert path_part(model) == part


@given(some.text())
def test_no_model_id_leaves_its_folder(model: str) -> None:
    part = path_part(model)
    assert Path("results", part).parent == Path("results")
    assert part not in {"", ".", ".."}
    assert len(part.encode()) <= 200
