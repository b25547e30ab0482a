"""How this process makes the clients of a run: the harness, the primary judge, the scorers beside it."""

from collections.abc import Callable

from benchmarks.run import Run
from harnesses.catalogue import make_harness
from harnesses.endpoint.spec import EndpointSpec
from harnesses.harness import Harness
from judges.catalogue import MODEL_JUDGES, SCORERS
from judges.judge import Judge


def harness_maker(run: Run, model: EndpointSpec | None) -> Callable[[], Harness]:
    """Makes the harness that the configuration chose, asking `model`."""

    def make() -> Harness:
        if model is None:
            raise ValueError("a session without a model (--collect-only) makes no harness")
        return make_harness(run.choice.harness_id, run.choice.harness_params, model=model)

    return make


def judge_maker(run: Run) -> Callable[[], Judge]:
    """Makes the primary judge that the configuration chose."""

    def make() -> Judge:
        params = run.choice.params
        if params.judge in SCORERS:
            return SCORERS[params.judge]()
        if not any(task.scored for task in run.tasks):
            # An unscored subset asks no judge; the fixture still has to be something.
            return SCORERS[run.benchmark.scorers[0]]()
        if params.judge_model is None or run.judge_prompt is None:
            raise ValueError("a session without a judge endpoint (--collect-only) makes no model judge")
        return MODEL_JUDGES[params.judge](params.judge_model, run.judge_prompt)

    return make


def scorers_beside(run: Run, primary: Judge) -> list[Judge]:
    """The benchmark's scorers without the primary judge, if it is one of them."""
    made = [SCORERS[name]() for name in run.benchmark.scorers]
    return [scorer for scorer in made if scorer.evaluation_type != primary.evaluation_type]
