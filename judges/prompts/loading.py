"""Finds the prompt a configuration names: `official`, `builtin` or a file."""

from collections.abc import Iterable
from pathlib import Path

from harnesses.downloads import Tell
from judges.prompts.official import official_text
from judges.prompts.prompt import FIELDS, JudgePrompt, PromptError, digest_of, missing_fields
from judges.verdict import JudgeProtocol


def load_prompt(source: str, protocol: JudgeProtocol, *, tell: Tell = lambda _line: None) -> JudgePrompt:
    """The prompt for one protocol.

    Args:
        source: "official" (the published text, so that scores compare with AgentCompass), "builtin" (our
            wording), or the path of a UTF-8 text file that holds the three places of the protocol.
        protocol: Whose places and verdicts the prompt has.
        tell: Shows one line of progress; called only if the official prompts must be fetched.

    Raises:
        PromptError: The prompt cannot be had, differs from its digest, or lacks a place.
    """
    if source == "official":
        return _prompt(official_text(protocol, tell=tell), source, protocol)
    if source == "builtin":
        text = Path(__file__).with_name(f"{protocol}.txt").read_text(encoding="utf-8")
        return _prompt(text, source, protocol)
    path = Path(source).expanduser()
    text = _text_of(path, source)
    missing = missing_fields(text, protocol)
    if missing:
        raise PromptError(
            f"judge_prompt {source!r} lacks {_places(missing)}; a {protocol} prompt holds "
            f"{_places(FIELDS[protocol])}, each where its text shall stand"
        )
    return _prompt(text, path.name, protocol)


def _prompt(text: str, source: str, protocol: JudgeProtocol) -> JudgePrompt:
    return JudgePrompt(text=text, source=source, digest=digest_of(text), protocol=protocol)


def _places(fields: Iterable[str]) -> str:
    return ", ".join(f"{{{field}}}" for field in fields)


def _text_of(path: Path, source: str) -> str:
    remedy = "name a UTF-8 text file, or one of: official, builtin"
    try:
        return path.read_bytes().decode("utf-8")
    except OSError as error:
        raise PromptError(f"judge_prompt {source!r} cannot be read ({error.strerror}); {remedy}") from None
    except UnicodeDecodeError:
        raise PromptError(f"judge_prompt {source!r} is no UTF-8 text; {remedy}") from None
