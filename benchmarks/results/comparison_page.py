"""A comparison for people: Markdown without question, answer or ground truth."""

from collections.abc import Iterable, Mapping, Sequence

from benchmarks.results.comparison import Comparison, Comparisons, Evidence
from benchmarks.results.comparison_sentences import overall_sentence, sentence, shown_p
from benchmarks.results.markdown import escape, table
from benchmarks.results.pairs import Pairs
from benchmarks.results.run_description import RunDescription
from benchmarks.results.summary import DASH

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
        table(_HEADER, [_row(each, comparisons.alpha) for each in comparisons.each]),
        [
            _run("BASE", comparisons.base),
            *(_run(each.label, each.new) for each in comparisons.each),
        ],
        *(block for each in comparisons.each for block in _section(each, comparisons)),
    ]
    return "\n\n".join("\n".join(block) for block in blocks if block) + "\n"


def _row(comparison: Comparison, alpha: float) -> list[object]:
    if comparison.evidence is None:
        return [comparison.label, *([DASH] * (len(_HEADER) - 1))]
    evidence, pairs = comparison.evidence, comparison.evidence.pairs
    low, high = evidence.interval
    return [
        comparison.label,
        pairs.n,
        f"{pairs.n_base_correct / pairs.n:.3f}",
        f"{pairs.n_new_correct / pairs.n:.3f}",
        f"{(pairs.n_new_correct - pairs.n_base_correct) / pairs.n:+.3f}",
        f"{low:+.3f} to {high:+.3f}",
        len(pairs.regressed),
        len(pairs.improved),
        shown_p(evidence.p, alpha),
        shown_p(evidence.p_holm, alpha),
    ]


def _run(label: str, run: RunDescription) -> str:
    return (
        f"- {label}: {escape(run.model)} with {escape(run.harness.get('id'))} on {escape(run.benchmark)} "
        f"{escape(run.dataset.get('subset'))}, tasks planned: {len(run.planned)}, run {escape(run.run)}"
    )


def _section(comparison: Comparison, comparisons: Comparisons) -> Iterable[list[str]]:
    if len(comparisons.each) > 1:
        yield [f"## {comparison.label}"]
        yield [f"{escape(sentence(comparison, comparisons), 1000)}."]
    if comparison.evidence is not None:
        yield _flips(comparison.evidence.pairs)
        yield _no_change_of_the_model(comparison.evidence, comparison.label, comparisons.alpha)
    heading = (
        "Compared all the same (`--anyway`), though these differ:"
        if comparison.is_overridden
        else "Not compared, since these differ (`--anyway` compares all the same):"
    )
    yield _listed(heading, [each.line for each in comparison.differences])
    yield _listed("To bear in mind:", comparison.warnings)


def _flips(pairs: Pairs) -> list[str]:
    return [_ids("Regressed", pairs.regressed), _ids("Improved", pairs.improved)]


def _no_change_of_the_model(evidence: Evidence, label: str, alpha: float) -> list[str]:
    """What counts as not correct for want of a verdict; nothing where every task has one in both runs."""
    pairs = evidence.pairs
    if pairs.n_with_verdicts == pairs.n:
        return []
    n_flips = len(pairs.regressed) + len(pairs.improved)
    flips = (
        f"{pairs.n_flips_without_verdict} of the {n_flips} flips come from these tasks and are no change of "
        f"the model. Among the {pairs.n_with_verdicts} tasks with a verdict "
        f"in both runs {pairs.n_regressed_with_verdicts} regressed and {pairs.n_improved_with_verdicts} "
        f"improved: p = {shown_p(evidence.p_with_verdicts, alpha)}, which decides nothing."
    )
    return [
        "Counted as not correct, though no verdict says so:",
        "",
        *_reasons("BASE", pairs.base_without_verdict),
        *_reasons(label, pairs.new_without_verdict),
        "",
        flips,
    ]


def _reasons(label: str, by_reason: Mapping[str, Sequence[str]]) -> list[str]:
    return [_ids(f"{label}, {reason.replace('_', ' ')}", task_ids) for reason, task_ids in by_reason.items()]


def _ids(word: str, task_ids: Sequence[str]) -> str:
    shown = ", ".join(escape(task_id) for task_id in task_ids[:MAX_IDS])
    more = len(task_ids) - MAX_IDS
    return f"- {word} ({len(task_ids)}): {shown or 'none'}" + (f", and {more} more" if more > 0 else "")


def _listed(heading: str, lines: Sequence[str]) -> list[str]:
    return [heading, "", *(f"- {escape(line, 400)}" for line in lines)] if lines else []
