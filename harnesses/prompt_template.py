"""The user's prompt templates: where the question goes in the first messages."""

import re

from harnesses.attempt import Prompt
from harnesses.endpoint.messages import Message

_PLACE = re.compile(r"\{(\w+)\}")


def first_messages(prompt: Prompt, *, system_prompt: str | None, agent_prompt: str | None) -> list[Message]:
    """What a model is told first: the system message, if one is wanted, then the question.

    Both templates are filled as by `fill_template`. ``None`` or "" as `system_prompt` sends no such message.
    """
    question: Message = {"role": "user", "content": fill_template(agent_prompt, prompt)}
    if not system_prompt:
        return [question]
    return [{"role": "system", "content": fill_template(system_prompt, prompt)}, question]


def fill_template(template: str | None, prompt: Prompt) -> str:
    """The text to ask: `template` with ``{problem_statement}`` and the prompt's `fields` put in.

    Other braces stand as they are, so that a template may hold JSON or LaTeX; braces inside the question are
    never filled. ``None`` asks the question alone.

    Example: ``"Level {level}. {problem_statement} Reply as {"answer": …}."``
    """
    if template is None:
        return prompt.text
    values = {**prompt.fields, "problem_statement": prompt.text}
    return _PLACE.sub(lambda place: values.get(place[1], place[0]), template)


def template_faults(name: str, template: str | None) -> list[str]:
    """What keeps `template` (the parameter called `name`) from being asked: at most one line, else empty."""
    if template is None or "{problem_statement}" in template:
        return []
    return [
        f"{name} {template!r} does not hold {{problem_statement}}: the question would not be asked; add it"
    ]
