"""What a reader needs to compare a result or get it again: dataset, judge, prompt, harness, command."""

import json
from collections.abc import Mapping
from typing import Any

from benchmarks.results.markdown import escape
from benchmarks.results.plain import one_line

_UNKNOWN = "unknown"
_MOST_CHARACTERS = 500
"""Of one line on params or on a parent; run.json has them all."""
_AFTERWARDS = (
    "This page and metrics.json follow from run.json and details/ alone:",
    "`python -m benchmarks summary RUN` makes both again.",
    "Do not publish details/: it holds questions and ground truths.",
)


def how_it_was_measured(metrics: Mapping[str, Any]) -> list[str]:
    """The lines of the section "How it was measured"."""
    unopened = metrics["n_attachments_unopened"]
    lines = [
        _dataset(metrics),
        _judge(metrics["judge"]),
        *_made_elsewhere(metrics["volatile"]),
        f"Attempts per task: {metrics['k']} ({escape(metrics['strategy'])})",
        f"Model: {escape(metrics['model'])}{_params(metrics['model_params'])}",
        _harness(metrics["harness"]),
        f"Answer format: {escape(metrics['answer_format'])}",
        f"Aggregation: {_aggregation(metrics)}",
        f"Attachments the harness could not open: {unopened} of the selected tasks have one",
        *_canary(metrics["canary"]),
        *(f"Dataset warning: {escape(line)}" for line in metrics["dataset"].get("warnings", ())),
        *_versions(metrics["volatile"].get("versions")),
        _effort(metrics["volatile"]),
    ]
    return ["## How it was measured", "", *(f"- {line}" for line in lines)]


def how_to_reproduce(metrics: Mapping[str, Any]) -> list[str]:
    """The lines of the section "How to reproduce"."""
    if metrics["demo"]:
        again = [
            "The model of a demo is served by the demo itself:",
            "",
            "```",
            "pytest benchmarks --demo",
            "```",
        ]
        return ["## How to reproduce", "", *again, "", *_AFTERWARDS]
    return [
        "## How to reproduce",
        "",
        "run.json holds the effective configuration under `configuration`, keys masked.",
        "Save that part as a file, leave out `run` (a name is never used twice) and what is shown as `***`,",
        "set those keys as variables, and run",
        "",
        "```",
        f"pytest benchmarks/{metrics['benchmark']} --config=FILE",
        "```",
        "",
        *_AFTERWARDS,
    ]


def _dataset(metrics: Mapping[str, Any]) -> str:
    dataset = metrics["dataset"]
    settings: Mapping[str, Any] = dataset.get("settings") or {}
    by_category = ", ".join(
        f"{escape(name)}: {n}" for name, n in sorted(dataset.get("by_category", {}).items())
    )
    return (
        f"Dataset: {escape(dataset.get('name', _UNKNOWN))} {escape(dataset.get('subset', ''))} from "
        f"{escape(dataset.get('source', _UNKNOWN))}, revision {_code(dataset.get('revision'))}; "
        f"{dataset.get('n_tasks', _UNKNOWN)} of {dataset.get('n_dataset_tasks', _UNKNOWN)} tasks "
        f"({escape(metrics['breakdown'])} "
        f"{by_category or _UNKNOWN}); digest of ids {_code(dataset.get('ids_digest'))}"
        f"{''.join(f'; {escape(name)} {escape(value)}' for name, value in sorted(settings.items()))}"
    )


def _judge(judge: Mapping[str, Any]) -> str:
    if judge.get("model") is None:
        return f"Judge: {escape(judge.get('primary'))}, a scorer (no model)"
    return (
        f"Judge: {escape(judge.get('primary'))} by {escape(judge['model'])} at "
        f"{escape(judge.get('base_url', _UNKNOWN))}; prompt: {escape(judge.get('prompt_source', _UNKNOWN))}, "
        f"SHA-256 {_code(judge.get('prompt_digest'))}"
    )


def replayed(volatile: Mapping[str, Any]) -> str | None:
    """That nobody was asked; ``None`` unless the run was answered by a cassette."""
    is_replayed = volatile.get("cassette") == "replay"
    return "Replayed from a cassette: no model, tool or judge was asked" if is_replayed else None


def _harness(harness: Mapping[str, Any]) -> str:
    return f"Harness: {escape(harness.get('id', _UNKNOWN))}{_params(harness.get('params'))}"


def _params(params: Mapping[str, Any] | None) -> str:
    """What was set, as JSON; nothing where nothing was."""
    told = {name: value for name, value in (params or {}).items() if value not in (None, "")}
    if not told:
        return ""
    text = one_line(json.dumps(told, sort_keys=True, ensure_ascii=False), _MOST_CHARACTERS)
    return f", params {_code(text)}"


def _versions(versions: Mapping[str, Any] | None) -> list[str]:
    told = ", ".join(f"{escape(name)} {escape(each)}" for name, each in sorted((versions or {}).items()))
    return [f"Versions: {told}"] if told else []


def _aggregation(metrics: Mapping[str, Any]) -> str:
    if metrics["category_hierarchy"] is None:
        return escape(metrics["aggregation_mode"])
    return f"category_hierarchy `{json.dumps(metrics['category_hierarchy'], sort_keys=True)}`"


def taken_over(volatile: Mapping[str, Any]) -> str | None:
    """What was made in the run that this one goes on from; ``None`` unless there is one."""
    parent: Mapping[str, Any] | None = volatile.get("parent")
    if not parent:
        return None
    n_made, n_to_judge = parent["n_attempts"], parent["n_to_judge"]
    verb = "Judged again" if parent["how"] == "rejudge" else "Resumed"
    judged = "" if n_to_judge in {0, n_made} else f", {n_to_judge} of them judged here"
    return f"{verb} from run {parent['run']}: {n_made} attempts were made there{judged}"


def _made_elsewhere(volatile: Mapping[str, Any]) -> list[str]:
    """What was not asked of anybody in this session."""
    told = (
        (replayed(volatile), "their replies are recorded ones"),
        (taken_over(volatile), "what they took is in the effort below"),
    )
    return [f"{escape(line, _MOST_CHARACTERS)}; {more}" for line, more in told if line is not None]


def _canary(found: Mapping[str, Any] | None) -> list[str]:
    """Nothing where the dataset has no canary."""
    if found is None:
        return []
    return [f"Canary: the dataset has one; attempts in which a tool result carried it: {found['n']}"]


def _effort(volatile: Mapping[str, Any]) -> str:
    tokens = [
        f"{escape(role)} {_count(used['input_tokens'])} in, {_count(used['output_tokens'])} out"
        for role, used in sorted(volatile["tokens"].items())
    ]
    calls, time = volatile["tool_calls"], volatile["time"]
    wall = _UNKNOWN if time["wall_s"] is None else f"{time['wall_s']:.0f} s"
    return (
        f"Effort: tokens {'; '.join(tokens) or _UNKNOWN}; "
        f"tool calls {calls['n']}, failed {calls['n_failed']}; "
        f"attempts {time['run_s']:.1f} s, judging {time['judge_s']:.1f} s, from start to end {wall}; "
        f"cost {_cost(volatile['cost_usd'])}"
    )


def _cost(cost: Mapping[str, Any]) -> str:
    if cost["total"] is None:
        return _UNKNOWN
    by_role = ", ".join(f"{escape(role)} {usd:.2f}" for role, usd in sorted(cost["by_role"].items()) if usd)
    per_correct = "" if cost["per_correct"] is None else f"; {cost['per_correct']:.3g} USD a correct answer"
    return f"{cost['total']:.2f} USD{f' ({by_role})' if by_role else ''}{per_correct}"


def _count(tokens: int | None) -> str:
    return _UNKNOWN if tokens is None else str(tokens)


def _code(value: object) -> str:
    return _UNKNOWN if value is None else f"`{str(value).replace('`', '')}`"
