"""Aggregation: from the values of tasks to a series, over what was evaluated and over what was planned."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from benchmarks.results.estimate import Estimate, Spread
from benchmarks.results.hierarchy import Node, parse_hierarchy
from benchmarks.results.record import Outcome
from benchmarks.results.reducers import Reducer
from benchmarks.results.run_description import RunDescription
from benchmarks.results.series import Bootstrap, Counts, Series
from benchmarks.results.statistics.bootstrap import bootstrap_interval, resamples_for
from benchmarks.results.task_outcomes import TaskOutcomes

BOOTSTRAP_SEED = 0
AGGREGATION_MODES = ("micro_weighted", "category_mean")

Shares = Mapping[str, Fraction]
Weigh = Callable[[Mapping[str, int]], Shares]
"""How much each category weighs, given how many tasks of each count."""


@dataclass(frozen=True, kw_only=True)
class TaskValue:
    """The value of one task in one series.

    `value` is ``None`` where too little of it was evaluated; `over_planned` counts what is not correct as
    wrong. `outcomes` are those of its attempts.
    """

    task_id: str
    category: str
    value: Fraction | None
    over_planned: Fraction
    outcomes: tuple[Outcome | None, ...]


def series_of(reducer: Reducer, tasks: Sequence[TaskOutcomes], description: RunDescription) -> Series:
    """The series that `reducer` makes of a run's tasks, with its breakdowns."""
    values = [_value(reducer, task) for task in tasks]
    tree = description.category_hierarchy
    root = None if tree is None else parse_hierarchy(tree)
    scale = _Scale(reducer, _weigh(description.aggregation_mode, root))
    nodes = {} if root is None else {node.path: scale.node(node, values) for node in root.walk()}
    breakdown = {
        name: scale.parts(_grouped(values, of_tasks)) for name, of_tasks in description.groups.items()
    }
    by_category = scale.parts((value.category, value) for value in values)
    return scale.whole(values, breakdown={**breakdown, description.breakdown: by_category}, hierarchy=nodes)


def _value(reducer: Reducer, task: TaskOutcomes) -> TaskValue:
    seen = task.seen
    is_whole = None not in seen
    value = reducer.reduce(seen)
    over_planned = value if is_whole else reducer.reduce([correct is True for correct in seen])
    return TaskValue(
        task_id=task.task_id,
        category=task.category,
        value=value,
        over_planned=over_planned or Fraction(0),
        outcomes=task.outcomes,
    )


class _Scale:
    """Adds up the values of one series, of all its tasks or of a part of them."""

    def __init__(self, reducer: Reducer, weigh: Weigh | None) -> None:
        self._reducer = reducer
        self._weigh = weigh

    def whole(
        self,
        values: Sequence[TaskValue],
        *,
        breakdown: Mapping[str, Mapping[str, Series]],
        hierarchy: Mapping[str, Series],
    ) -> Series:
        plain = self._series(values, self._weigh)
        return Series(
            name=self._reducer.name,
            estimate=plain.estimate,
            value_over_planned=plain.value_over_planned,
            value_given_attempted=plain.value_given_attempted,
            counts=plain.counts,
            flags=plain.flags,
            bootstrap=self._bootstrap(values) if self._reducer.has_bootstrap else None,
            breakdown=breakdown,
            hierarchy=hierarchy,
        )

    def parts(self, values: Iterable[tuple[str, TaskValue]]) -> dict[str, Series]:
        """A series for each group: ``{"1": Series, "2": Series}``."""
        groups: defaultdict[str, list[TaskValue]] = defaultdict(list)
        for name, value in values:
            groups[name].append(value)
        return {name: self._series(groups[name], None) for name in sorted(groups)}

    def node(self, node: Node, values: Sequence[TaskValue]) -> Series:
        """The series of a node of the tree."""
        leaves = frozenset(node.leaves)
        return self._series([value for value in values if value.category in leaves], node.shares)

    def _series(self, values: Sequence[TaskValue], weigh: Weigh | None) -> Series:
        counts = _counts(values)
        estimate = self._estimate(((each.category, each.value) for each in values), weigh)
        over_planned = self._estimate(((each.category, each.over_planned) for each in values), weigh)
        is_measured = estimate.value is not None and not counts.unscored
        return Series(
            name=self._reducer.name,
            estimate=estimate,
            value_over_planned=over_planned.value if is_measured else None,
            value_given_attempted=_given_attempted(counts),
            counts=counts,
            flags=_flags({each.value for each in values if each.value is not None}),
        )

    def _estimate(self, values: Iterable[tuple[str, Fraction | None]], weigh: Weigh | None) -> Estimate:
        by_category = _by_group(values, is_apart=weigh is not None)
        spreads = {
            name: Spread.of(group, is_binary=self._reducer.is_binary) for name, group in by_category.items()
        }
        shares = _weights(by_category, weigh)
        return Estimate(groups=tuple((share, spreads[name]) for name, share in shares.items()))

    def _bootstrap(self, values: Sequence[TaskValue]) -> Bootstrap | None:
        by_category = _by_group(
            ((each.category, each.value) for each in values), is_apart=self._weigh is not None
        )
        groups = [
            (float(share), [float(value) for value in by_category[name]])
            for name, share in _weights(by_category, self._weigh).items()
        ]
        if not groups:
            return None
        n_resamples = resamples_for(sum(len(group) for _, group in groups))
        interval = bootstrap_interval(groups, seed=BOOTSTRAP_SEED, n_resamples=n_resamples)
        return Bootstrap(interval_95=interval, n_resamples=n_resamples, seed=BOOTSTRAP_SEED)


def _by_group(values: Iterable[tuple[str, Fraction | None]], *, is_apart: bool) -> dict[str, list[Fraction]]:
    """The values there are, by category, sorted by name; all in one group unless they are kept apart."""
    groups: defaultdict[str, list[Fraction]] = defaultdict(list)
    for category, value in values:
        if value is not None:
            groups[category if is_apart else ""].append(value)
    return dict(sorted(groups.items()))


def _weights(by_category: Mapping[str, Sequence[Fraction]], weigh: Weigh | None) -> Shares:
    if weigh is None:
        return {name: Fraction(1) for name in by_category}
    shares = weigh({name: len(group) for name, group in by_category.items()})
    # Sorted: run.json keeps its keys so, and sums of floats hang on their order.
    return {name: share for name, share in sorted(shares.items()) if share}


def _weigh(mode: str, root: Node | None) -> Weigh | None:
    """How categories weigh; ``None`` where each task weighs the same.

    Raises:
        ValueError: There is no such mode.
    """
    if mode not in AGGREGATION_MODES:
        raise ValueError(f"aggregation_mode is {mode!r}; it is one of {', '.join(AGGREGATION_MODES)}")
    if root is not None:
        return root.shares
    if mode == "category_mean":
        return lambda n_tasks: {name: Fraction(1, len(n_tasks)) for name in n_tasks}
    return None


def _grouped(
    values: Iterable[TaskValue], of_tasks: Mapping[str, Sequence[str]]
) -> Iterable[tuple[str, TaskValue]]:
    """A task with several values of a group counts under each."""
    return ((name, each) for each in values for name in sorted(set(of_tasks.get(each.task_id, ()))))


def _counts(values: Sequence[TaskValue]) -> Counts:
    ends = [_end(value) for value in values]
    is_single = all(len(value.outcomes) == 1 for value in values)
    outcomes = [value.outcomes[0] for value in values]
    return Counts(
        correct=outcomes.count(Outcome.CORRECT) if is_single else None,
        incorrect=outcomes.count(Outcome.INCORRECT) if is_single else None,
        not_attempted=outcomes.count(Outcome.NOT_ATTEMPTED) if is_single else None,
        evaluated=ends.count("evaluated"),
        error=ends.count("error"),
        unavailable=ends.count("unavailable"),
        unscored=ends.count("unscored"),
        total=len(values),
    )


def _end(value: TaskValue) -> str:
    if value.value is not None:
        return "evaluated"
    if Outcome.UNSCORED in value.outcomes:
        return "unscored"
    is_error = any(outcome is not None and outcome.is_error for outcome in value.outcomes)
    return "error" if is_error else "unavailable"


def _flags(values: Collection[Fraction]) -> tuple[str, ...]:
    if len(values) != 1:
        return ()
    return {Fraction(0): ("all_zero",), Fraction(1): ("all_one",)}.get(next(iter(values)), ())


def _given_attempted(counts: Counts) -> Fraction | None:
    if counts.correct is None or counts.incorrect is None:
        return None
    attempted = counts.correct + counts.incorrect
    return Fraction(counts.correct, attempted) if attempted else None
