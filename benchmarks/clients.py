"""How this process makes the clients of a run: the network, the harness, the primary judge, the scorers."""

from collections.abc import Callable

from benchmarks.limiting import limited
from benchmarks.nobody_asked import NobodyAsked
from benchmarks.run import Run, Session
from harnesses.catalogue import make_harness
from harnesses.endpoint.network import DIRECT, Network
from harnesses.harness import Harness
from judges.catalogue import MODEL_JUDGES, SCORERS
from judges.judge import Judge


def network_of(session: Session) -> Network:
    """How the clients of this process reach services: with the limits and the cassettes of the session."""
    network = limited(DIRECT, session)
    if session.cassettes is not None:
        from benchmarks.taping import taped

        network = taped(network, session)
    return network


def harness_maker(run: Run, session: Session, network: Network) -> Callable[[], Harness]:
    """Makes the harness that the configuration chose, asking the session's model."""
    model = session.configuration.model

    def make() -> Harness:
        if session.judges_again:
            return NobodyAsked()
        if model is None:
            raise ValueError("a session without a model (--collect-only) makes no harness")
        return make_harness(run.choice.harness_id, run.choice.harness_params, model=model, network=network)

    return make


def judge_maker(run: Run, network: Network) -> Callable[[], Judge]:
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
        return MODEL_JUDGES[params.judge](params.judge_model, run.judge_prompt, network=network)

    return make


def scorers_beside(run: Run, primary: Judge) -> list[Judge]:
    """The benchmark's scorers without the primary judge, if it is one of them."""
    made = [SCORERS[name]() for name in run.benchmark.scorers]
    return [scorer for scorer in made if scorer.evaluation_type != primary.evaluation_type]
