"""Where SealQA's rows come from: a stand-in Hub, Parquet through the real child process, JSONL."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from gaia_rows import isolate, write_jsonl, write_parquet
from sealqa_rows import helpful, longseal_row, sealqa_row
from stand_in_hub import COMMIT, StandInHub

from benchmarks.benchmark import Dataset, DatasetError
from benchmarks.sealqa import source
from benchmarks.sealqa.benchmark import SealQA
from benchmarks.sealqa.params import HUB_REVISION, SealQAParams
from benchmarks.sealqa.source import REPO
from benchmarks.sources import layout, local
from benchmarks.sources.apart import file_of
from benchmarks.sources.layout import conversion
from harnesses.downloads import Tell, cache_dir, sha256_of


def load(*, tell: Tell = lambda _: None, **params: Any) -> Dataset:
    return SealQA().load(SealQAParams(**params), tell=tell)


def prompts(dataset: Dataset, **params: Any) -> list[str]:
    return [SealQA().prompt_text(task, SealQAParams(category="longseal", **params)) for task in dataset.tasks]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The repository: a Parquet file for each category."""
    folder = tmp_path_factory.mktemp("rows")
    plain = write_parquet(folder / "plain.parquet", [sealqa_row(), sealqa_row(topic="Art")]).read_bytes()
    longseal = write_parquet(
        folder / "longseal.parquet", [longseal_row(), longseal_row(golds=[]), longseal_row(golds=helpful(3))]
    )
    return {
        "README.md": b"# Lamps",
        "seal-0.parquet": plain,
        "seal-hard.parquet": plain,
        "longseal.parquet": longseal.read_bytes(),
    }


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    isolate(monkeypatch, tmp_path / "cache")
    return tmp_path / "cache"


@pytest.fixture
def hub(files: dict[str, bytes], monkeypatch: pytest.MonkeyPatch) -> Iterator[StandInHub]:
    with StandInHub(files=files, repo=REPO).serving() as served:
        monkeypatch.setenv("HF_ENDPOINT", served.url)
        yield served


def test_a_category_is_one_file_of_the_hub_and_no_other_is_fetched(hub: StandInHub) -> None:
    told: list[str] = []
    dataset = load(category="seal_hard", dataset_revision=COMMIT, tell=told.append)
    assert [(task.task_id, task.category) for task in dataset.tasks] == [
        ("seal_hard-001", "Sea & Shore"),
        ("seal_hard-002", "Art"),
    ]
    assert (dataset.name, dataset.subset) == ("SealQA", "seal_hard")
    assert (dataset.source, dataset.revision, dataset.warnings) == ("hub", COMMIT, ())
    assert {line.rpartition("/")[2] for line in hub.requests if "/resolve/" in line} == {"seal-hard.parquet"}
    assert told == [f"{REPO} {COMMIT}: fetching seal_hard from the Hub, once"]


def test_parquet_keeps_lists_and_nulls(hub: StandInHub) -> None:
    task = load(dataset_revision=COMMIT).tasks[0]
    assert task.groups["question type"] == ("advanced reasoning", "entity disambiguation")
    assert task.metadata["urls"] == ["https://lamps.example/north", "https://lamps.example/south"]
    assert task.canary == "CANARY-made-up-5f1c"


def test_longseal_from_the_hub_keeps_its_documents_by_row_and_column_in_the_cache(
    hub: StandInHub, own_cache: Path
) -> None:
    dataset = load(category="longseal", dataset_revision=COMMIT)
    kept = own_cache / "sealqa" / "hub" / "longseal" / f"v1-{COMMIT}"
    assert dataset.tasks[2].locator == {
        "golds": str(kept / "golds" / "003.json"),
        "negatives": str(kept / "12_docs" / "003.json"),
    }
    assert [task.metadata["longseal_document_count"] for task in dataset.tasks] == [13, 12, 13]
    assert [task.metadata["longseal_gold_position"] is None for task in dataset.tasks] == [False, True, False]


def test_a_cached_commit_serves_every_count_without_hub_child_or_heavy_import(
    hub: StandInHub, own_cache: Path
) -> None:
    load(category="longseal", dataset_revision=COMMIT)
    n_requests = len(hub.requests)
    code = (
        "import sys\n"
        "from benchmarks.sealqa.benchmark import SealQA\n"
        "from benchmarks.sealqa.params import SealQAParams\n"
        "from benchmarks.sources import hub\n"
        "hub.ask_child = None\n"
        f"where = dict(category='longseal', dataset_revision={COMMIT!r}, longseal_document_count=30)\n"
        "tasks = SealQA().load(SealQAParams(**where), tell=print).tasks\n"
        "print([task.metadata['longseal_document_count'] for task in tasks])\n"
        "print({'datasets', 'pyarrow', 'pandas', 'huggingface_hub', 'pydantic'} & set(sys.modules))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "[31, 30, 31]\nset()\n"
    assert len(hub.requests) == n_requests


def test_the_same_rows_give_the_same_prompts_from_hub_parquet_and_jsonl(
    hub: StandInHub, files: dict[str, bytes], tmp_path: Path
) -> None:
    rows = [longseal_row(), longseal_row(golds=[]), longseal_row(golds=helpful(3))]
    (tmp_path / "mine.parquet").write_bytes(files["longseal.parquet"])
    write_jsonl(tmp_path / "mine.jsonl", rows)
    from_hub = prompts(load(category="longseal", dataset_revision=COMMIT))
    assert len(from_hub) == 3
    for name in ("mine.parquet", "mine.jsonl"):
        assert prompts(load(category="longseal", dataset_path=str(tmp_path / name))) == from_hub


def test_an_unknown_revision_is_one_line(hub: StandInHub) -> None:
    with pytest.raises(
        DatasetError, match=f"^dataset_revision 'v9' is no revision of {REPO}; use a commit, a branch or .*$"
    ):
        load(dataset_revision="v9")


@pytest.mark.parametrize("revision", ["-v9", "--gated"])
def test_a_revision_that_looks_like_an_option_is_a_revision(hub: StandInHub, revision: str) -> None:
    with pytest.raises(DatasetError, match=f"^dataset_revision '{revision}' is no revision of {REPO}; use"):
        load(dataset_revision=revision)


def test_a_branch_is_resolved_to_its_commit_and_warned_about(hub: StandInHub) -> None:
    dataset = load(dataset_revision="main")
    assert dataset.revision == COMMIT
    assert dataset.tasks[0].metadata["dataset_revision"] == COMMIT
    assert dataset.warnings == (
        f"dataset_revision 'main' can move: it is commit {COMMIT} now; set that to repeat this run",
    )


@pytest.mark.parametrize(
    ("token", "who"),
    [
        pytest.param(None, "a request without a token", id="no token"),
        pytest.param("hf_madeUpToken", "the token it was given", id="a token"),
    ],
)
def test_a_dataset_that_is_not_there_is_not_called_gated(
    hub: StandInHub, monkeypatch: pytest.MonkeyPatch, token: str | None, who: str
) -> None:
    hub.repo = "someone/else"
    if token is not None:
        monkeypatch.setenv("HF_TOKEN", token)
    with pytest.raises(
        DatasetError, match=f"^the Hub refused {who} for {REPO}: the dataset is not there, or it is private; "
    ) as caught:
        load(dataset_revision=COMMIT)
    assert "gated" not in str(caught.value)
    assert "accept the terms" not in str(caught.value)
    assert "hf_" not in str(caught.value)


def test_offline_asks_nothing_of_the_hub_and_is_one_line(
    hub: StandInHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(
        DatasetError,
        match=rf"^HF_HUB_OFFLINE is set and {REPO} '{COMMIT}' is not in the cache; unset it once",
    ):
        load(dataset_revision=COMMIT)
    assert hub.requests == []


def test_a_revision_without_the_categorys_file_is_one_line(hub: StandInHub) -> None:
    hub.files = {"README.md": b"# Lamps"}
    with pytest.raises(
        DatasetError, match=r"holds no 'longseal\.parquet'; use a revision with Parquet files"
    ):
        load(category="longseal", dataset_revision=COMMIT)


@pytest.mark.parametrize(
    ("category", "n_published"), [("seal_0", 111), ("seal_hard", 254), ("longseal", 254)]
)
def test_another_count_at_the_pinned_revision_is_a_warning(
    own_cache: Path, category: str, n_published: int
) -> None:
    row = {**longseal_row(), "golds": 0, "12_docs": 0} if category == "longseal" else sealqa_row()
    cached = own_cache / "sealqa" / "hub" / category / f"v1-{HUB_REVISION}"
    write_jsonl(cached / "rows.jsonl", [row] * 2)
    warnings = load(category=category).warnings
    assert warnings[0] == f"2 tasks, not {n_published} as published for {category}"


def test_the_published_count_at_the_pinned_revision_is_no_warning(own_cache: Path) -> None:
    cached = own_cache / "sealqa" / "hub" / "seal_0" / f"v1-{HUB_REVISION}"
    write_jsonl(cached / "rows.jsonl", [sealqa_row()] * 111)
    assert load().warnings == ()


def test_a_local_count_is_whatever_it_is(tmp_path: Path) -> None:
    file = write_jsonl(tmp_path / "mine.jsonl", [sealqa_row()])
    dataset = load(dataset_path=str(file))
    assert dataset.warnings == ()
    assert (dataset.source, dataset.subset, dataset.revision) == (
        "mine.jsonl",
        "local seal_0",
        sha256_of(file),
    )


def test_local_parquet_is_converted_once_and_again_when_it_changes(
    files: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, told = tmp_path / "longseal.parquet", list[str]()
    file.write_bytes(files["longseal.parquet"])
    first = load(category="longseal", dataset_path=str(tmp_path), tell=told.append)
    with monkeypatch.context() as patch:
        patch.delattr(local, "ask_child")
        assert load(category="longseal", dataset_path=str(file), tell=told.append) == first
    write_parquet(file, [longseal_row(golds=helpful(1))])
    assert len(load(category="longseal", dataset_path=str(file), tell=told.append).tasks) == 1
    assert told == ["longseal.parquet: reading Parquet, once"] * 2


@pytest.mark.parametrize(
    ("suffix", "category"),
    [
        pytest.param(".jsonl", "longseal", id="JSONL taken apart"),
        pytest.param(".parquet", "seal_0", id="Parquet"),
    ],
)
def test_a_conversion_of_an_older_layout_is_not_read(
    files: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suffix: str, category: str
) -> None:
    file = write_jsonl(tmp_path / f"mine{suffix}", [longseal_row()] * 3)
    if suffix == ".parquet":
        file.write_bytes(files["longseal.parquet"])
    with monkeypatch.context() as patch:
        patch.setattr(layout, "LAYOUT", 0)
        older = conversion(cache_dir() / "sealqa" / "local" / category, sha256_of(file))
    write_jsonl(older / "rows.jsonl", [sealqa_row(golds=0, **{"12_docs": 0})])
    assert len(load(category=category, dataset_path=str(file)).tasks) == 3


@pytest.mark.parametrize("suffix", [".jsonl", ".parquet"])
def test_a_conversion_has_the_files_of_layout_1(tmp_path: Path, suffix: str) -> None:
    """Whoever makes this test fail raises `LAYOUT`, and writes the new files here."""
    row = {"question": "Why?", "answer": "so", "golds": [{"text": "a"}], "12_docs": [{"text": "b"}]}
    file = tmp_path / f"mine{suffix}"
    write = {".jsonl": write_jsonl, ".parquet": write_parquet}[suffix]
    task = load(category="longseal", dataset_path=str(write(file, [row]))).tasks[0]
    kept = Path(task.locator["golds"]).parents[1]
    assert kept == conversion(cache_dir() / "sealqa" / "local" / "longseal", sha256_of(file))
    found = {
        str(path.relative_to(kept)): json.loads(path.read_text())
        for path in kept.rglob("*")
        if path.is_file()
    }
    assert kept.name.startswith("v1-")
    assert found == {
        "rows.jsonl": {"question": "Why?", "answer": "so", "golds": 1, "12_docs": 1},
        "golds/001.json": [{"text": "a"}],
        "12_docs/001.json": [{"text": "b"}],
    }


@pytest.mark.skipif(sys.platform != "linux", reason="the peak of a process is read from Linux's /proc")
def test_the_child_never_holds_the_documents_of_a_whole_file(tmp_path: Path) -> None:
    file, n_mb = tmp_path / "large.parquet", 48
    subprocess.run([sys.executable, "-c", WRITE_LARGE, str(file), str(n_mb)], check=True)
    arguments = ["parquet", "--apart=12_docs", str(file), str(tmp_path / "kept")]
    done = subprocess.run(
        [sys.executable, "-c", RUN_CHILD, *arguments],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "{}\n"
    assert sum(path.stat().st_size for path in tmp_path.rglob("12_docs/*.json")) > n_mb * 1_000_000
    assert float(done.stderr.splitlines()[-1]) < n_mb / 2


WRITE_LARGE = """
import random, sys
import pyarrow, pyarrow.parquet
texts = random.Random(0)
rows = [
    {"question": "Why?", "answer": "so", "12_docs": [{"text": texts.randbytes(750).hex()} for _ in range(80)]}
    for _ in range(int(sys.argv[2]) * 1_000_000 // 120_000)
]
table = pyarrow.Table.from_pylist(rows)
pyarrow.parquet.write_table(table, sys.argv[1], row_group_size=len(rows), compression="none")
"""
"""Makes a Parquet file of one row group, with so many MB of documents."""

RUN_CHILD = """
import runpy, sys
from pathlib import Path
import datasets, pyarrow.parquet

def peak_mb():
    status = Path("/proc/self/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) * 1024 / 1e6

before = peak_mb()
runpy.run_module("benchmarks.sources.child", run_name="__main__", alter_sys=True)
print(peak_mb() - before, file=sys.stderr)
"""
"""Runs the child, and says by how many MB its peak lies above that of its imports."""


def test_one_parquet_file_may_serve_two_categories(files: dict[str, bytes], tmp_path: Path) -> None:
    file = tmp_path / "mine.parquet"
    file.write_bytes(files["longseal.parquet"])
    assert load(category="seal_0", dataset_path=str(file)).tasks[0].locator == {}
    assert load(category="longseal", dataset_path=str(file)).tasks[0].locator != {}


def test_a_conversion_that_was_interrupted_is_done_again(files: dict[str, bytes], tmp_path: Path) -> None:
    file = tmp_path / "mine.parquet"
    file.write_bytes(files["longseal.parquet"])
    whole = load(category="longseal", dataset_path=str(file))
    kept = Path(whole.tasks[0].locator["golds"]).parents[1]
    (kept / "rows.jsonl").unlink()
    file_of(kept, "golds", 1).unlink()
    assert load(category="longseal", dataset_path=str(file)) == whole
    assert file_of(kept, "golds", 1).is_file()


@pytest.mark.parametrize("name", ["broken.parquet", "cut.parquet"])
@pytest.mark.parametrize("category", ["seal_0", "longseal"])
def test_a_broken_parquet_file_is_one_line(
    files: dict[str, bytes], tmp_path: Path, name: str, category: str
) -> None:
    whole = files["longseal.parquet"]
    middle = len(whole) // 3
    damaged = {"broken.parquet": b"PAR0", "cut.parquet": b"PAR1" + bytes(middle) + whole[middle + 4 :]}
    (tmp_path / name).write_bytes(damaged[name])
    with pytest.raises(
        DatasetError, match=rf"^'{name}' cannot be read as Parquet \([^\n]*\); fetch it again$"
    ):
        load(category=category, dataset_path=str(tmp_path / name))


@pytest.mark.parametrize("suffix", [".parquet", ".jsonl"])
def test_a_cache_that_cannot_be_written_is_one_line(
    files: dict[str, bytes], tmp_path: Path, own_cache: Path, suffix: str
) -> None:
    file = tmp_path / f"mine{suffix}"
    file.write_bytes(files["longseal.parquet"])
    if suffix == ".jsonl":
        write_jsonl(file, [longseal_row()])
    own_cache.write_text("a file is in the way")
    with pytest.raises(DatasetError, match=r"^cannot write '[^\n]*': Not a directory; make room there$"):
        load(category="longseal", dataset_path=str(file))


def test_a_byte_order_mark_is_no_part_of_the_first_longseal_row(tmp_path: Path) -> None:
    file = write_jsonl(tmp_path / "mine.jsonl", [longseal_row()])
    file.write_bytes(b"\xef\xbb\xbf" + file.read_bytes())
    assert len(load(category="longseal", dataset_path=str(file)).tasks) == 1


@pytest.mark.parametrize(
    ("names", "category", "found"),
    [
        pytest.param(
            ["seal-0.parquet", "seal-hard.parquet"], "seal_hard", "seal-hard.parquet", id="Hub's name"
        ),
        pytest.param(["seal_0.jsonl", "other.jsonl"], "seal_0", "seal_0.jsonl", id="the category's own name"),
        pytest.param(["seal-0.jsonl", "seal-0.parquet"], "seal_0", "seal-0.parquet", id="Parquet first"),
        pytest.param(["longseal.parquet"], "longseal", "longseal.parquet", id="longseal"),
    ],
)
def test_a_directory_stands_for_the_categorys_file(
    tmp_path: Path, names: list[str], category: Any, found: str
) -> None:
    for name in names:
        write_jsonl(tmp_path / name, [])
    assert source.find(str(tmp_path), category) == tmp_path / found


@pytest.mark.parametrize(
    ("name", "category", "message"),
    [
        pytest.param("nowhere", "seal_0", "does not exist; name a directory, Parquet or JSONL", id="missing"),
        pytest.param("a.csv", "seal_0", r"must be a directory or end in \.jsonl or \.", id="another kind"),
        pytest.param(
            "folder",
            "seal_0",
            r"holds no seal-0\.parquet or seal_0\.parquet or seal-0\.jsonl or seal_0\.jsonl for category "
            r"'seal_0'; name the file itself",
            id="a folder with another category's file",
        ),
        pytest.param(
            "folder/longseal.parquet",
            "seal_0",
            r"is by its name category 'longseal', and category is 'seal_0'; set category to what",
            id="another category's file",
        ),
    ],
)
def test_a_path_that_is_none_is_one_line(tmp_path: Path, name: str, category: Any, message: str) -> None:
    (tmp_path / "a.csv").write_text("question\n")
    write_jsonl(tmp_path / "folder" / "longseal.parquet", [])
    with pytest.raises(DatasetError, match=f"^dataset_path '[^\n]*{name}' {message}[^\n]*$"):
        source.find(str(tmp_path / name), category)
