"""A budget in money is refused where nobody could tell when it is spent."""

import pytest
from examiner_scene import made_run, made_tasks

from benchmarks.configuration.execution import Execution
from benchmarks.configuration.model import Configuration, Gates, Placement, Prices, Rates
from benchmarks.pricing import PricingError, rates_of
from harnesses.endpoint.spec import EndpointSpec

MODEL = EndpointSpec(id="org/model-1", base_url="https://model.example/v1")
JUDGE = EndpointSpec(id="judge-1", base_url="https://judge.example/v1")
CHEAP = Rates(input_usd_per_million_tokens=1.0, output_usd_per_million_tokens=2.0)


def configured(execution: Execution, prices: Prices) -> Configuration:
    return Configuration(
        model=MODEL,
        choices={"gaia": made_run(made_tasks(1), judge="llm", judge_model=JUDGE).choice},
        execution=execution,
        placement=Placement(),
        gates=Gates(),
        prices=prices,
    )


@pytest.mark.parametrize(
    ("listed", "missing"),
    [
        pytest.param({}, "'judge-1' and 'org/model-1'", id="none"),
        pytest.param({"org/model-1": CHEAP}, "'judge-1'", id="not-the-judge's"),
    ],
)
def test_a_budget_in_money_needs_the_rates_of_every_model(listed: dict[str, Rates], missing: str) -> None:
    configuration = configured(Execution(budget_usd=2.5), Prices(models=listed))
    told = (
        rf"^execution.budget_usd: 2.5 needs the rates of every model, and those of {missing} are not known; "
        r"list them under prices.models, or set budget_tokens$"
    )
    with pytest.raises(PricingError, match=told):
        rates_of(configuration, configuration.choices["gaia"])


def test_a_budget_in_money_with_all_rates_is_accepted() -> None:
    configuration = configured(Execution(budget_usd=2.5), Prices(models={MODEL.id: CHEAP, JUDGE.id: CHEAP}))
    assert set(rates_of(configuration, configuration.choices["gaia"])) == {"model", "judge"}
