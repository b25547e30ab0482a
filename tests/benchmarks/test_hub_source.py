"""GAIA from the Hub, through the real `datasets` and `huggingface_hub` in their child process."""

import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from gaia_rows import HUB_ROWS, hub_row, isolate, write_jsonl, write_parquet
from stand_in_hub import COMMIT, REPO, StandInHub

from benchmarks.benchmark import Dataset, DatasetError
from benchmarks.gaia.benchmark import Gaia
from benchmarks.gaia.params import HUB_REVISION, GaiaParams
from benchmarks.sources import child_call
from harnesses.downloads import Tell

TOKEN = "hf_madeUpToken"


def load(*, revision: str = COMMIT, subset: str = "validation", tell: Tell = lambda _: None) -> Dataset:
    params = GaiaParams(dataset_revision=revision, subset=subset)  # type: ignore[arg-type]  # a word of the table
    return Gaia().load(params, tell=tell)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The repository: as in the real one, each level's tasks lie a second time in a file of their own."""
    parquet = write_parquet(tmp_path_factory.mktemp("rows") / "metadata.parquet", HUB_ROWS).read_bytes()
    return {
        "README.md": b"# Ducks and colours",
        "2023/validation/metadata.parquet": parquet,
        "2023/validation/metadata.level1.parquet": parquet,
        "2023/validation/colours.txt": b"teal\n",
        "2023/test/metadata.parquet": parquet,
    }


@pytest.fixture
def hub(files: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[StandInHub]:
    isolate(monkeypatch, tmp_path / "cache")
    with StandInHub(files=files).serving() as served:
        monkeypatch.setenv("HF_ENDPOINT", served.url)
        yield served


@dataclass(frozen=True)
class FirstLoad:
    dataset: Dataset
    told: list[str]
    requests: list[str]
    cache: Path


def _first_load(hub: StandInHub, cache: Path, *, revision: str, subset: str) -> FirstLoad:
    told: list[str] = []
    with pytest.MonkeyPatch.context() as patch, hub.serving():
        isolate(patch, cache)
        patch.setenv("HF_ENDPOINT", hub.url)
        patch.setenv("HF_TOKEN", TOKEN)
        dataset = load(revision=revision, subset=subset, tell=told.append)
    return FirstLoad(dataset, told, hub.requests, cache)


@pytest.fixture(scope="module")
def first(files: dict[str, bytes], tmp_path_factory: pytest.TempPathFactory) -> FirstLoad:
    """One load of a gated dataset with a token; the server is gone afterwards."""
    hub = StandInHub(files=files, tokens=frozenset({TOKEN}))
    return _first_load(hub, tmp_path_factory.mktemp("cache"), revision=COMMIT, subset="validation")


def test_each_row_of_the_parquet_file_is_one_task_though_the_repository_holds_it_twice(
    first: FirstLoad,
) -> None:
    assert [task.task_id for task in first.dataset.tasks] == ["pond-1", "pond-2"]


def test_a_level_written_as_text_is_the_category_and_the_mark(first: FirstLoad) -> None:
    assert [(task.category, task.marks) for task in first.dataset.tasks] == [
        ("1", ("level1",)),
        ("2", ("level2",)),
    ]


def test_an_attachment_lies_on_this_machine_after_the_load(first: FirstLoad) -> None:
    (path,) = first.dataset.tasks[1].attachments
    assert Path(path).read_bytes() == b"teal\n"


def test_the_way_to_the_answer_is_left_out_of_the_task(first: FirstLoad) -> None:
    assert "count the ducks" not in str([task.to_json() for task in first.dataset.tasks])


def test_only_the_files_of_the_split_are_fetched(first: FirstLoad) -> None:
    fetched = {line.rpartition("/")[2] for line in first.requests if "/resolve/" in line}
    assert fetched == {"metadata.parquet", "metadata.level1.parquet", "colours.txt"}
    assert not [line for line in first.requests if "/test/" in line]


def test_the_dataset_says_that_it_came_from_this_commit_of_the_hub(first: FirstLoad) -> None:
    assert (first.dataset.source, first.dataset.revision) == ("hub", COMMIT)
    assert (first.dataset.name, first.dataset.subset) == ("GAIA", "validation")


def test_a_download_lies_under_the_layout_and_the_commit(first: FirstLoad) -> None:
    kept = first.cache / "gaia" / "hub" / "validation" / f"v1-{COMMIT}"
    assert (kept / "rows.jsonl").is_file()
    assert Path(first.dataset.tasks[1].attachments[0]).is_relative_to(kept)


def test_a_download_of_an_older_layout_is_not_read(hub: StandInHub, tmp_path: Path) -> None:
    folder = tmp_path / "cache" / "gaia" / "hub" / "validation-rows"
    for older in (COMMIT, f"v0-{COMMIT}"):
        write_jsonl(folder / older / "rows.jsonl", [hub_row(task_id="old")])
    assert [task.task_id for task in load(subset="text").tasks] == ["pond-1"]


def test_the_user_is_told_of_the_download(first: FirstLoad) -> None:
    assert first.told == [f"{REPO} {COMMIT}: fetching validation from the Hub, once"]


def test_a_cached_commit_needs_neither_the_hub_nor_a_child_nor_a_heavy_import(first: FirstLoad) -> None:
    code = (
        "import sys\n"
        "from benchmarks.gaia.benchmark import Gaia\n"
        "from benchmarks.gaia.params import HUB_REVISION, GaiaParams\n"
        "from benchmarks.sources import hub\n"
        "hub.ask_child = None\n"
        f"params = GaiaParams(dataset_revision={COMMIT!r}, subset=sys.argv[1])\n"
        "print(*[task.task_id for task in Gaia().load(params, tell=print).tasks])\n"
        "print({'datasets', 'pyarrow', 'pandas', 'huggingface_hub', 'pydantic'} & set(sys.modules))\n"
    )
    environment = {
        **os.environ,
        "AGENT_BENCHMARKS_CACHE": str(first.cache),
        "PYTHONPATH": os.pathsep.join(sys.path),
    }
    done = subprocess.run(
        [sys.executable, "-c", code, "validation"],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "pond-1 pond-2\nset()\n"


def test_the_text_subset_takes_the_tasks_without_attachments_from_a_cached_validation(
    first: FirstLoad, monkeypatch: pytest.MonkeyPatch
) -> None:
    isolate(monkeypatch, first.cache)
    assert [task.task_id for task in load(subset="text").tasks] == ["pond-1"]


@pytest.fixture(scope="module")
def branch(files: dict[str, bytes], tmp_path_factory: pytest.TempPathFactory) -> FirstLoad:
    """One load of the text subset by the name of a branch, from an open dataset."""
    return _first_load(
        StandInHub(files=files), tmp_path_factory.mktemp("cache"), revision="main", subset="text"
    )


def test_the_text_subset_fetches_no_attachment(branch: FirstLoad) -> None:
    assert not [line for line in branch.requests if "colours.txt" in line]


def test_tasks_of_the_test_split_are_unscored_and_hold_no_ground_truth(
    files: dict[str, bytes], hub: StandInHub
) -> None:
    hub.files = {**files, "2023/test/colours.txt": b"teal\n"}
    dataset = load(subset="test")
    assert {(task.scored, task.ground_truth) for task in dataset.tasks} == {(False, "")}


def test_a_branch_is_resolved_to_its_commit_and_warned_about(branch: FirstLoad) -> None:
    assert branch.dataset.revision == COMMIT
    assert branch.dataset.warnings == (
        f"dataset_revision 'main' can move: it is commit {COMMIT} now; set that to repeat this run",
    )


@pytest.mark.parametrize(
    ("token", "who"),
    [
        pytest.param(None, "a request without a token", id="no token"),
        pytest.param("hf_hasNotAcceptedTheTerms", "the token it was given", id="terms not accepted"),
        pytest.param("expired-token", "the token it was given", id="token unknown to the Hub"),
    ],
)
def test_a_gated_refusal_names_the_terms_and_the_variable_and_never_the_token(
    hub: StandInHub, monkeypatch: pytest.MonkeyPatch, token: str | None, who: str
) -> None:
    hub.tokens = frozenset({TOKEN})
    if token is not None:
        monkeypatch.setenv("HF_TOKEN", token)
    with pytest.raises(
        DatasetError, match=f"{REPO} is gated and the Hub refused {who}: accept the terms"
    ) as caught:
        load()
    assert "set HF_TOKEN" in str(caught.value)
    assert "\n" not in str(caught.value)
    assert token is None or token not in str(caught.value)


def test_an_unknown_revision_is_one_line(hub: StandInHub) -> None:
    with pytest.raises(
        DatasetError, match=f"^dataset_revision 'v9' is no revision of {REPO}; use a commit, .*$"
    ):
        load(revision="v9")


def test_a_revision_without_parquet_is_one_line(hub: StandInHub) -> None:
    hub.files = {"2023/validation/metadata.jsonl": b"{}"}
    with pytest.raises(
        DatasetError, match=r"holds no '2023/validation/metadata\.parquet'; use a revision with"
    ):
        load()


def test_a_hub_that_is_down_is_one_line(hub: StandInHub) -> None:
    hub.status = 503
    with pytest.raises(
        DatasetError, match=r"the Hub answered HTTP 503 for .* try again later, or set dataset_path"
    ):
        load()


def test_a_hub_out_of_reach_is_one_line(hub: StandInHub, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        monkeypatch.setenv("HF_ENDPOINT", f"http://127.0.0.1:{unused.getsockname()[1]}")
        with pytest.raises(
            DatasetError, match=r"the Hub cannot be reached \(ConnectError\) and .* not in the cache"
        ):
            load()


def test_a_hub_that_does_not_answer_is_asked_once(hub: StandInHub) -> None:
    hub.hangs_up = True
    with pytest.raises(DatasetError, match=r"the Hub cannot be reached \("):
        load()
    assert len(hub.requests) == 1


def test_the_offline_variable_asks_nothing_of_the_hub(
    hub: StandInHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(
        DatasetError, match=r"^HF_HUB_OFFLINE is set and .* is not in the cache; unset it once, or"
    ):
        load()
    assert hub.requests == []


def test_a_download_that_broke_off_fetches_nothing_twice(hub: StandInHub) -> None:
    hub.lost = frozenset({"2023/validation/colours.txt"})
    with pytest.raises(DatasetError, match=r"the Hub answered HTTP 404 for"):
        load()
    hub.lost = frozenset()
    assert len(load().tasks) == 2
    fetched = [line for line in hub.requests if line.startswith("GET /datasets/")]
    assert len([line for line in fetched if line.endswith("/metadata.parquet")]) == 1


def test_two_sessions_at_once_download_once(hub: StandInHub) -> None:
    ended: list[Dataset] = []
    sessions = [threading.Thread(target=lambda: ended.append(load(subset="text"))) for _ in range(2)]
    for session in sessions:
        session.start()
    for session in sessions:
        session.join()
    assert [len(dataset.tasks) for dataset in ended] == [1, 1]
    downloads = [line for line in hub.requests if line.startswith("GET /datasets/")]
    assert len(downloads) == 1


@pytest.mark.parametrize(
    ("subset", "split", "warning"),
    [
        (
            "validation",
            "validation",
            "2 tasks (1/1/0 by level), not 165 tasks (53/86/26 by level) as published",
        ),
        ("test", "test", "2 tasks, not 301 as published for test"),
    ],
)
def test_other_counts_at_the_pinned_revision_are_a_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, subset: str, split: str, warning: str
) -> None:
    isolate(monkeypatch, tmp_path)
    cached = tmp_path / "gaia" / "hub" / split / f"v1-{HUB_REVISION}"
    write_jsonl(cached / "rows.jsonl", [hub_row(), hub_row(task_id="pond-2", Level="2")])
    (line,) = load(revision=HUB_REVISION, subset=subset).warnings
    assert line.startswith(warning)


def test_a_child_that_dies_is_one_line_without_the_token(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "python").write_text(
        f"#!{sys.executable}\n"
        "import sys\n"
        "print('first')\n"
        "sys.exit('no room for secretword and hf_AnotherToken')\n"
    )
    (tmp_path / "python").chmod(0o700)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    monkeypatch.setenv("HF_TOKEN", "secretword")
    with pytest.raises(
        DatasetError, match=r"died with exit code 1 \('no room for \*\*\* and hf_\*\*\*'\); run again, or set"
    ):
        child_call.ask_child("hub")
