"""What decides how a task is answered and graded: what two runs share if attempts of one serve both."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from benchmarks.results.plain import plain
from benchmarks.results.run_description import RunDescription

_NOT_BEHAVIOUR = ("_api_key", "_base_url")
"""How names of harness params end that say where a service is and who asks it."""
_OF_THE_JUDGE = "judge"
_SHOWN_CHARACTERS = 120


def behaviour_of(description: RunDescription) -> dict[str, Any]:
    """Each setting by its name, in plain JSON values: ``{"model": "org/model-1", "model params": {}, …}``.

    Keys and addresses are not in it, nor is what only selects, counts or gates. What is asked of each task is
    told by the digest in its record.
    """
    model: Mapping[str, Any] = description.configuration.get("model") or {}
    harness, judge = description.harness, description.judge
    settings = {
        "model": description.model,
        "model params": description.model_params,
        "model api_protocol": model.get("api_protocol"),
        "harness": harness.get("id"),
        **{f"harness param {name}": value for name, value in _behaving(harness.get("params") or {})},
        "answer format": description.answer_format,
        "attempt strategy": description.strategy,
        "judge": judge.get("id"),
        "judge model": judge.get("model"),
        "judge params": judge.get("params"),
        "judge prompt digest": judge.get("prompt_digest"),
    }
    made: dict[str, Any] = plain(settings)
    return made


def differences(parent: RunDescription, now: RunDescription, *, graded_alike: bool) -> tuple[str, ...]:
    """Where two runs do not behave alike, a public line for each setting; none where they do.

    Example: ``('model params: {"temperature": 1} there, {"temperature": 0} now',)``.

    Args:
        parent: The run whose attempts are to be taken over.
        now: The run they are to serve.
        graded_alike: Whether its judgments are taken over too; False leaves the judge out.
    """
    there, here = behaviour_of(parent), behaviour_of(now)
    return tuple(
        f"{name}: {_shown(there.get(name))} there, {_shown(here.get(name))} now"
        for name in dict.fromkeys((*there, *here))
        if there.get(name) != here.get(name) and (graded_alike or not name.startswith(_OF_THE_JUDGE))
    )


def _behaving(params: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    return ((name, value) for name, value in params.items() if not name.endswith(_NOT_BEHAVIOUR))


def _shown(value: Any) -> str:
    text = json.dumps(value, sort_keys=True, ensure_ascii=False)
    return text if len(text) <= _SHOWN_CHARACTERS else f"{text[:_SHOWN_CHARACTERS]}…"
