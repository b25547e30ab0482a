"""A comparison for people: Markdown without question, answer or ground truth."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from benchmarks.results.comparing.comparability import Difference
from benchmarks.results.comparing.comparison import Comparison, Comparisons, Metrics
from benchmarks.results.comparing.evidence import Evidence, Tested
from benchmarks.results.comparing.paired_tests import p_value
from benchmarks.results.comparing.sentences import no_change, overall_sentence, sentence, shown_p
from benchmarks.results.markdown import escape, table
from benchmarks.results.summary_tables import DASH, number

MAX_IDS_IN_SUMMARY = 20
MAX_IDS = 50
"""Ids shown in one list; the JSON form has them all."""

_HEADER = (
    "Run",
    "Tasks",
    "Accuracy BASE",
    "Accuracy NEW",
    "Difference",
    "95 % interval",
    "Regressed",
    "Improved",
    "p",
    "p (Holm)",
)


def render_comparisons(comparisons: Comparisons) -> str:
    """The page: the finding in one sentence, a table, and the ids of what flipped."""
    blocks = [
        [f"# {escape(overall_sentence(comparisons), 1000)}"],
        table(_HEADER, [row for each in comparisons.each for row in _rows(each)]),
        [
            _run("BASE", comparisons.base),
            *(_run(each.label, each.new) for each in comparisons.each),
        ],
        *(block for each in comparisons.each for block in _section(each, is_one=len(comparisons.each) == 1)),
    ]
    return "\n\n".join("\n".join(block) for block in blocks if block) + "\n"


def comparison_lines(comparison: Mapping[str, Any]) -> list[str]:
    """What a summary says of the baseline: a section of Markdown, line by line.

    Args:
        comparison: `baseline` of metrics.json, as `comparison_as_json` made it.
    """
    base, paired = comparison["base"], comparison["paired"]
    base_run = f"run {escape(base['run'])}: {escape(base['model'])} with {escape(base['harness'])}"
    blocks = [
        ["## Against the baseline"],
        [f"{escape(comparison['sentence'], 1000)}."],
        [f"BASE is the baseline, {base_run}. NEW is this run."],
        *([] if paired is None else [_small_table(paired), _flips(paired, MAX_IDS_IN_SUMMARY)]),
        _listed("These differ:", [Difference(**each).line for each in comparison["differences"]]),
        _listed("To bear in mind:", comparison["warnings"]),
    ]
    return "\n\n".join("\n".join(block) for block in blocks if block).split("\n")


def _small_table(paired: Mapping[str, Any]) -> list[str]:
    tested = {"all": paired["all_tasks"]}
    if paired["measured_in_base"]["n_tasks"] != paired["all_tasks"]["n_tasks"]:
        tested["measured in BASE"] = paired["measured_in_base"]
    rows = [
        [
            name,
            each["n_tasks"],
            number(each["accuracy_base"]),
            number(each["accuracy_new"]),
            f"{each['difference']:+.3f}",
            "{:+.3f} to {:+.3f}".format(*each["interval_95"]),
            each["n_regressed"],
            each["n_improved"],
        ]
        for name, each in tested.items()
    ]
    return table(["Tasks", "Number", *_HEADER[2:8]], rows)


def _rows(comparison: Comparison) -> Iterator[list[object]]:
    """All pairs and, where BASE lacks verdicts, those that are measured in it."""
    evidence = comparison.evidence
    if evidence is None:
        yield [comparison.label, *([DASH] * (len(_HEADER) - 1))]
        return
    yield [comparison.label, *_numbers(evidence.all_tasks, comparison.alpha)]
    if evidence.measured_in_base.pairs.n != evidence.all_tasks.pairs.n:
        label = f"{comparison.label}, measured in BASE"
        yield [label, *_numbers(evidence.measured_in_base, comparison.alpha)]


def _numbers(tested: Tested, alpha: float) -> list[object]:
    pairs, interval = tested.pairs, tested.interval
    return [
        pairs.n,
        number(float(pairs.accuracy_base)),
        number(float(pairs.accuracy_new)),
        f"{float(pairs.difference):+.3f}",
        f"{interval[0]:+.3f} to {interval[1]:+.3f}",
        len(pairs.regressed),
        len(pairs.improved),
        shown_p(tested.p, alpha),
        shown_p(tested.p_holm, alpha),
    ]


def _run(label: str, run: Metrics) -> str:
    attempts = "" if run["k"] == 1 else f", attempts for each: {run['k']} ({escape(run['strategy'])})"
    return (
        f"- {label}: {escape(run['model'])} with {escape(run['harness'].get('id'))} on "
        f"{escape(run['benchmark'])} {escape(run['dataset'].get('subset'))}, "
        f"tasks planned: {len(run['outcomes_by_task'])}{attempts}, run {escape(run['volatile']['run'])}"
    )


def _section(comparison: Comparison, *, is_one: bool) -> Iterable[list[str]]:
    if not is_one:
        yield [f"## {comparison.label}"]
        yield [f"{escape(sentence(comparison), 1000)}."]
    if comparison.evidence is not None:
        pairs = comparison.evidence.all_tasks.pairs
        yield _flips({"regressed": pairs.regressed, "improved": pairs.improved}, MAX_IDS)
        yield _not_measured(comparison, comparison.evidence)
    heading = (
        "Compared all the same (`--anyway`), though these differ:"
        if comparison.is_overridden
        else "Not compared, since these differ (`--anyway` compares all the same):"
    )
    yield _listed(heading, [each.line for each in comparison.differences])
    yield _listed("To bear in mind:", comparison.warnings)


def _not_measured(comparison: Comparison, evidence: Evidence) -> list[str]:
    """Which tasks want a verdict, and what it means; nothing where every task is measured in both runs."""
    pairs = evidence.all_tasks.pairs
    both, n_flips = pairs.measured_in_both, len(pairs.regressed) + len(pairs.improved)
    if both.n == pairs.n:
        return []
    told = (
        f"{pairs.n_flips_not_measured} of the {n_flips} flips come from these tasks and are "
        f"{no_change(pairs)}. Among the {both.n} tasks measured in both runs {len(both.regressed)} regressed "
        f"and {len(both.improved)} improved: p = {shown_p(p_value(both), comparison.alpha)}, which decides "
        "nothing."
    )
    is_decided = evidence.deciding is not evidence.all_tasks
    return [
        "Not measured, since a verdict is missing; what has none counts as not correct:",
        "",
        *_reasons("BASE", pairs.lacking_in_base),
        *_reasons(comparison.label, pairs.lacking_in_new),
        "",
        told + (" The tasks measured in BASE decide: theirs is the stricter finding." if is_decided else ""),
    ]


def _flips(paired: Mapping[str, Any], most: int) -> list[str]:
    return [_ids(word.capitalize(), paired[word], most) for word in ("regressed", "improved")]


def _reasons(label: str, by_reason: Mapping[str, Sequence[str]]) -> list[str]:
    return [
        _ids(f"{label}, {reason.replace('_', ' ')}", task_ids, MAX_IDS)
        for reason, task_ids in by_reason.items()
    ]


def _ids(word: str, task_ids: Sequence[str], most: int) -> str:
    shown = ", ".join(escape(task_id) for task_id in task_ids[:most])
    more = len(task_ids) - most
    return f"- {word} ({len(task_ids)}): {shown or 'none'}" + (f", and {more} more" if more > 0 else "")


def _listed(heading: str, lines: Sequence[str]) -> list[str]:
    return [heading, "", *(f"- {escape(line, 400)}" for line in lines)] if lines else []
