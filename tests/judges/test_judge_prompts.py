"""Where judge prompts come from and how they are filled; every wheel here is made by the test."""

import runpy
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from harnesses.downloads import DownloadError
from judges.prompts import JudgePrompt, PromptError, load_prompt, official
from judges.prompts.official import constant_text
from judges.prompts.prompt import FIELDS, digest_of
from judges.verdict import JudgeProtocol

PROTOCOLS: tuple[JudgeProtocol, ...] = ("gaia", "sealqa")
TEXTS: dict[JudgeProtocol, str] = {
    "gaia": "Compare {gold_answer} with {llm_response} for {question}.\nEnd with \\boxed{{A}}.\n",
    "sealqa": "Is {predicted_answer} the {target} of {question}?",
}
SOURCES: dict[JudgeProtocol, str] = {
    "gaia": f"raise RuntimeError('imported')\nQUESTION_QUALITY_PROMPT_EN_COT = {TEXTS['gaia']!r}\n",
    "sealqa": f"import nowhere\nSEALQA_GRADER_TEMPLATE = {chr(10) + TEXTS['sealqa'] + chr(10)!r}.strip()\n",
}


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache (function scope)."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("AGENT_BENCHMARKS_CACHE", str(folder))
    return folder


@pytest.fixture
def published(monkeypatch: pytest.MonkeyPatch) -> None:
    """The digests of the texts above in place of the published ones (function scope)."""
    for protocol in PROTOCOLS:
        entry = replace(official.PUBLISHED[protocol], digest=digest_of(TEXTS[protocol]))
        monkeypatch.setitem(official.PUBLISHED, protocol, entry)


class Index:
    """Stands in for the package index: one wheel, and how often it was fetched."""

    def __init__(self, folder: Path) -> None:
        self.wheel = folder / "agentcompass-1.0.1-py3-none-any.whl"
        self.fetched: list[tuple[str, str, str | None]] = []

    def fill(self, sources: dict[JudgeProtocol, str]) -> None:
        """Make the wheel."""
        with zipfile.ZipFile(self.wheel, "w") as archive:
            for protocol, source in sources.items():
                archive.writestr(official.PUBLISHED[protocol].module, source)

    def fetch(
        self, name: str, version: str, *, python_version: str | None = None, tell: Callable[[str], None]
    ) -> Path:
        """The wheel, as `fetch_wheel` gives it."""
        self.fetched.append((name, version, python_version))
        tell("fetching")
        return self.wheel


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, published: None) -> Index:
    """A package index with a wheel of ours (function scope)."""
    made = Index(tmp_path)
    made.fill(SOURCES)
    monkeypatch.setattr(official, "fetch_wheel", made.fetch)
    return made


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_the_official_prompt_is_read_out_of_the_wheel_and_never_imported(
    index: Index, protocol: JudgeProtocol
) -> None:
    prompt = load_prompt("official", protocol)

    assert prompt.text == TEXTS[protocol]
    assert (prompt.source, prompt.digest) == ("official", digest_of(TEXTS[protocol]))
    assert index.fetched == [("agentcompass", "1.0.1", "3.12")]


def test_the_second_time_no_wheel_is_needed(index: Index) -> None:
    first = load_prompt("official", "gaia")
    index.wheel.unlink()

    assert load_prompt("official", "gaia") == first
    assert len(index.fetched) == 1


def test_a_download_is_told(index: Index) -> None:
    told: list[str] = []
    load_prompt("official", "gaia", tell=told.append)

    assert told == ["fetching"]


@pytest.mark.parametrize("kept", [b"another text", b"\xff"])
def test_a_kept_text_that_is_damaged_is_fetched_again(index: Index, cache: Path, kept: bytes) -> None:
    load_prompt("official", "gaia")
    path = next((cache / "judge_prompts").iterdir())
    path.write_bytes(kept)

    assert load_prompt("official", "gaia").text == TEXTS["gaia"]
    assert path.read_text(encoding="utf-8") == TEXTS["gaia"]
    assert len(index.fetched) == 2


def test_nothing_but_the_kept_texts_is_left_in_the_cache(index: Index, cache: Path) -> None:
    for protocol in PROTOCOLS:
        load_prompt("official", protocol)

    names = {path.name for path in (cache / "judge_prompts").iterdir()}
    assert names == {f"{digest_of(TEXTS[protocol])}.txt" for protocol in PROTOCOLS}


def test_a_digest_that_differs_is_refused_and_not_kept(index: Index, cache: Path) -> None:
    index.fill({"gaia": "QUESTION_QUALITY_PROMPT_EN_COT = 'changed'"})

    with pytest.raises(PromptError) as caught:
        load_prompt("official", "gaia")

    line = str(caught.value)
    assert "\n" not in line
    assert f"has SHA-256 {digest_of('changed')!r}, not the published {digest_of(TEXTS['gaia'])!r}" in line
    assert line.endswith("to fetch it again, or set judge_prompt: builtin")
    assert not (cache / "judge_prompts").exists()


@pytest.mark.parametrize(
    "sources",
    [{}, {"gaia": "OTHER = 'x'"}, {"gaia": "QUESTION_QUALITY_PROMPT_EN_COT = f(1)"}, {"gaia": "not Python"}],
    ids=["no-module", "no-constant", "no-text", "no-python"],
)
def test_a_wheel_without_the_prompt_is_refused(index: Index, sources: dict[JudgeProtocol, str]) -> None:
    index.fill(sources)

    with pytest.raises(
        PromptError, match=r"has no text QUESTION_QUALITY_PROMPT_EN_COT in .*llm\.py.*builtin$"
    ):
        load_prompt("official", "gaia")


def test_a_wheel_that_is_no_archive_is_refused(index: Index) -> None:
    index.wheel.write_bytes(b"<html>")

    with pytest.raises(PromptError, match="has no text QUESTION_QUALITY_PROMPT_EN_COT"):
        load_prompt("official", "gaia")


def test_a_wheel_that_cannot_be_had_is_refused_with_the_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    def fetch(*_: object, **__: object) -> Path:
        raise DownloadError("cannot fetch the wheel 'agentcompass==1.0.1'")

    monkeypatch.setattr(official, "fetch_wheel", fetch)

    with pytest.raises(PromptError) as caught:
        load_prompt("official", "sealqa")

    assert str(caught.value) == (
        "judge_prompt 'official' cannot be had: cannot fetch the wheel 'agentcompass==1.0.1'; "
        "run `python -m judges.prompts` once where a package index can be reached, or set judge_prompt: "
        "builtin (its scores do not compare with AgentCompass)"
    )


def test_the_published_digests_are_pinned() -> None:
    assert {protocol: entry.digest[:8] for protocol, entry in official.PUBLISHED.items()} == {
        "gaia": "0a32a021",
        "sealqa": "41c7e30f",
    }


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("x = ' a '", " a "),
        ("x = ' a '.strip()", "a"),
        ("x = y = 'a' 'b'", "ab"),
        ("x: str = 'a'", None),
        ("x = ' a '.strip('a')", None),
        ("x = ' a '.upper()", None),
        ("x = 1", None),
        ("y = 'a'", None),
        ("x = (", None),
    ],
)
def test_a_constant_is_read_without_running_anything(source: str, text: str | None) -> None:
    assert constant_text(source, "x") == text


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_the_builtin_prompt_renders_as_python_would_format_it(protocol: JudgeProtocol) -> None:
    prompt = load_prompt("builtin", protocol)
    values = ("Which bird?", "heron", "a heron")

    assert prompt.source == "builtin"
    assert prompt.digest == digest_of(prompt.text)
    rendered = prompt.render(*values)
    assert rendered == prompt.text.format(**dict(zip(FIELDS[protocol], values, strict=True)))
    assert all(value in rendered for value in values)


@pytest.mark.parametrize(
    ("text", "rendered"),
    [
        ("{question}|{gold_answer}|{llm_response}", "{{q}}|{gold_answer}|%s \\1"),
        ("{{question}} {{{question}}} {other} { } {}", "{question} {{{q}}} {other} { } {}"),
        ("\\boxed{{A}}", "\\boxed{A}"),
    ],
)
def test_braces_in_the_three_texts_and_unknown_places_stand(text: str, rendered: str) -> None:
    prompt = JudgePrompt(text=text, source="x", digest=digest_of(text), protocol="gaia")

    assert prompt.render("{{q}}", "{gold_answer}", "%s \\1") == rendered


def test_a_file_is_a_prompt_by_its_name(tmp_path: Path) -> None:
    path = tmp_path / "strict.txt"
    path.write_bytes(TEXTS["gaia"].encode())
    prompt = load_prompt(str(path), "gaia")

    assert (prompt.text, prompt.source, prompt.digest) == (
        TEXTS["gaia"],
        "strict.txt",
        digest_of(TEXTS["gaia"]),
    )


def test_a_file_that_lacks_places_is_refused_with_their_names(tmp_path: Path) -> None:
    path = tmp_path / "strict.txt"
    path.write_text("Is {{llm_response}} right for {question}?", encoding="utf-8")

    with pytest.raises(PromptError) as caught:
        load_prompt(str(path), "gaia")

    assert str(caught.value) == (
        f"judge_prompt {str(path)!r} lacks {{gold_answer}}, {{llm_response}}; a gaia prompt holds "
        "{question}, {gold_answer}, {llm_response}, each where its text shall stand"
    )


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(
        PromptError,
        match=r"offical' cannot be read \(No such file .*\); name a UTF-8 text file, or one of: official",
    ):
        load_prompt(str(tmp_path / "offical"), "gaia")


def test_a_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "prompt.bin"
    path.write_bytes(b"\xff\xfe{question}")

    with pytest.raises(
        PromptError, match="is no UTF-8 text; name a UTF-8 text file, or one of: official, builtin"
    ):
        load_prompt(str(path), "gaia")


def _run() -> int:
    with pytest.raises(SystemExit) as left:
        runpy.run_module("judges.prompts", run_name="__main__")
    return int(left.value.code or 0)


def test_the_command_prints_one_line_for_each_official_prompt(
    index: Index, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _run() == 0

    lines = capsys.readouterr().out.splitlines()
    assert [line.split(" ")[:4] for line in lines] == [
        [f"{protocol}:", "official", "prompt", digest_of(TEXTS[protocol]) + ","] for protocol in PROTOCOLS
    ]


def test_the_command_ends_with_one_where_a_prompt_cannot_be_had(
    index: Index, capsys: pytest.CaptureFixture[str]
) -> None:
    index.fill({})

    assert _run() == 1
    assert "judge_prompt 'official'" in capsys.readouterr().err.splitlines()[-1]


def test_the_command_ends_with_one_where_a_prompt_does_not_hold_the_texts(
    index: Index, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    index.fill({"gaia": "QUESTION_QUALITY_PROMPT_EN_COT = 'x'"})
    entry = replace(official.PUBLISHED["gaia"], digest=digest_of("x"))
    monkeypatch.setitem(official.PUBLISHED, "gaia", entry)

    assert _run() == 1
    assert (
        capsys.readouterr().err.splitlines()[-1] == "gaia: the rendered prompt lacks one of its three texts"
    )
