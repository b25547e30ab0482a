"""What a model says once it has thought."""

import re

_THINKING = re.compile(r"^.*</think>", re.DOTALL)


def without_thinking(text: str) -> str:
    """`text` after its last closing tag of thinking, stripped; all of it where there is none.

    Servers without a reasoning parser leave the thinking in front, at times without its opening tag.
    """
    return _THINKING.sub("", text).strip()
