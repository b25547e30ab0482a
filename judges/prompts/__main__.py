"""`python -m judges.prompts`: fetch the official prompts, check their digests, render each once."""

import sys
from typing import get_args

from judges.prompts import PromptError, load_prompt
from judges.verdict import JudgeProtocol

_INVENTED = ("How many arches has the old bridge of Quill Harbour?", "seven", "There are {seven} arches.")


def main() -> int:
    """Print one line for each official prompt. The exit code is 1, with one line, if one cannot be had."""
    for protocol in get_args(JudgeProtocol):
        try:
            prompt = load_prompt("official", protocol, tell=_tell)
        except PromptError as error:
            _tell(str(error))
            return 1
        rendered = prompt.render(*_INVENTED)
        if not all(text in rendered for text in _INVENTED):
            _tell(f"{protocol}: the rendered prompt lacks one of its three texts")
            return 1
        sys.stdout.write(
            f"{protocol}: official prompt {prompt.digest}, {len(rendered)} characters rendered\n"
        )
    return 0


def _tell(line: str) -> None:
    sys.stderr.write(f"{line}\n")


if __name__ == "__main__":
    sys.exit(main())
