"""What a token costs in each role: from the configuration, or from a price list that is asked only then."""

import socket
import sys
from collections.abc import Sequence
from datetime import UTC, date, datetime, time
from decimal import Decimal
from typing import Any

import pytest
from genai_prices.data_snapshot import DataSnapshot, set_custom_snapshot
from genai_prices.types import (
    ClauseEquals,
    ConditionalPrice,
    ModelInfo,
    ModelPrice,
    PriceVariant,
    Provider,
    StartDateConstraint,
    Tier,
    TieredPrices,
    TimeOfDateConstraint,
)

from benchmarks.configuration.execution import Execution
from benchmarks.configuration.model import BenchmarkChoice, Configuration, Gates, Placement, Prices, Rates
from benchmarks.params import BenchmarkParams
from benchmarks.pricing import PricingError, rates_of
from harnesses.endpoint.spec import EndpointSpec
from harnesses.harness import HarnessParams
from harnesses.openai_chat import OpenAIChat
from harnesses.search_agent_params import NaiveSearchAgentParams

PROVIDER_URL = "https://provider.example/v1"
MODEL = EndpointSpec(id="org/model-1", base_url=PROVIDER_URL)
JUDGE = EndpointSpec(id="judge-1", base_url="https://judge.example/v1")
BARE = OpenAIChat.Params()
LISTED = Rates(input_usd_per_million_tokens=0.5, output_usd_per_million_tokens=1.5)
LOOK_UP = Prices(look_up=True)
PLAIN = ModelPrice(input_mtok=Decimal("0.15"), output_mtok=Decimal("0.6"))
DEAR = ModelPrice(input_mtok=Decimal(9), output_mtok=Decimal(9))


def rates(
    prices: Prices,
    *,
    model: EndpointSpec | None = MODEL,
    harness: HarnessParams = BARE,
    params: BenchmarkParams | None = None,
    at: datetime | None = None,
) -> dict[str, Any]:
    """The rates of a run that no model judges, unless `params` say so."""
    choice = BenchmarkChoice(
        name="gaia",
        params=params or BenchmarkParams(judge="contains"),
        harness_id="any",
        harness_params=harness,
    )
    configuration = Configuration(
        model=model,
        choices={choice.key: choice},
        execution=Execution(),
        placement=Placement(),
        gates=Gates(),
        prices=prices,
    )
    return dict(rates_of(configuration, choice, at=at))


def told(model_id: str, source: str, n_input: float, n_output: float) -> dict[str, Any]:
    return {
        "id": model_id,
        "input_usd_per_million_tokens": n_input,
        "output_usd_per_million_tokens": n_output,
        "source": source,
    }


@pytest.fixture
def price_list(monkeypatch: pytest.MonkeyPatch) -> "PriceList":
    """A price list of one provider, for this test alone."""
    return PriceList(monkeypatch)


class PriceList:
    """What the package brings, replaced."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._monkeypatch = monkeypatch

    def holds(
        self,
        prices: ModelPrice | list[ConditionalPrice],
        *,
        pattern: str = "https://provider\\.example",
        variants: list[PriceVariant] | None = None,
    ) -> None:
        """Let the list hold this price for `MODEL`, at addresses of this pattern."""
        self._monkeypatch.setattr("genai_prices.__version__", "7.8.9")
        self._monkeypatch.setattr("genai_prices.data.providers", providers(prices, pattern, variants))


def providers(
    prices: ModelPrice | list[ConditionalPrice], pattern: str, variants: list[PriceVariant] | None = None
) -> list[Provider]:
    model = ModelInfo(
        id="model-1", match=ClauseEquals(equals=MODEL.id), prices=prices, price_variants=variants
    )
    return [Provider(id="provider", name="Provider", api_pattern=pattern, models=[model])]


def test_rates_of_the_configuration_are_taken_by_the_exact_id() -> None:
    listed = Prices(models={"org/model-1": LISTED, "model-1": Rates(**vars(LISTED))})
    assert rates(listed) == {"model": told("org/model-1", "configuration", 0.5, 1.5)}


@pytest.mark.parametrize("listed_id", ["org/model", "ORG/MODEL-1", "model-1"])
def test_an_id_that_is_not_quite_the_same_has_no_rates(listed_id: str) -> None:
    assert rates(Prices(models={listed_id: LISTED})) == {"model": None}


def test_a_model_that_judges_has_rates_of_its_own() -> None:
    params = BenchmarkParams(judge="llm", judge_model=JUDGE)
    assert rates(Prices(models={"judge-1": LISTED}), params=params) == {
        "model": None,
        "judge": told("judge-1", "configuration", 0.5, 1.5),
    }


def test_a_scorer_has_none_though_a_judge_is_named() -> None:
    assert rates(Prices(), params=BenchmarkParams(judge="contains", judge_model=JUDGE)) == {"model": None}


@pytest.mark.parametrize(
    ("tools", "expected"),
    [
        (("search", "visit"), {"model", "tools"}),
        (("visit",), {"model", "tools"}),
        (("search", "browse"), {"model"}),
    ],
    ids=["visit among others", "visit", "no visit"],
)
def test_pages_are_read_by_a_model_where_there_is_visit(tools: Sequence[str], expected: set[str]) -> None:
    assert set(rates(Prices(), harness=NaiveSearchAgentParams(tools=tuple(tools)))) == expected


@pytest.mark.parametrize(("name", "reader"), [("", "org/model-1"), ("small-1", "small-1")])
def test_pages_are_read_by_the_model_or_by_the_one_that_is_named(name: str, reader: str) -> None:
    listed = Prices(models={reader: LISTED})
    read = rates(listed, harness=NaiveSearchAgentParams(tool_model_name=name))
    assert read["tools"] == told(reader, "configuration", 0.5, 1.5)


def test_without_a_model_there_are_no_rates() -> None:
    assert rates(LOOK_UP, model=None) == {}


def test_the_package_is_not_touched_unless_prices_are_looked_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "genai_prices", None)  # importing it fails
    assert rates(Prices()) == {"model": None}


def test_a_look_up_without_the_package_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "genai_prices", None)
    expected = (
        r"^prices.look_up is True, but genai-prices, which holds the prices, is not installed; run "
        r"pip install 'agent-benchmarks\[prices\]', or list rates under prices.models instead$"
    )
    with pytest.raises(PricingError, match=expected):
        rates(Prices(models={"org/model-1": LISTED}, look_up=True))


def test_what_the_configuration_does_not_list_is_looked_up(price_list: PriceList) -> None:
    price_list.holds(PLAIN)
    assert rates(LOOK_UP) == {"model": told("org/model-1", "genai-prices 7.8.9", 0.15, 0.6)}


def test_the_configuration_wins_over_the_list(price_list: PriceList) -> None:
    price_list.holds(PLAIN)
    both = Prices(models={"org/model-1": LISTED}, look_up=True)
    assert rates(both)["model"]["source"] == "configuration"


@pytest.mark.parametrize(
    "spec",
    [
        EndpointSpec(id="org/model-2", base_url=PROVIDER_URL),
        EndpointSpec(id="org/model-1", base_url="https://gateway.example/v1"),
    ],
    ids=["an id it does not know", "another address"],
)
def test_what_the_list_does_not_know_is_unknown(spec: EndpointSpec, price_list: PriceList) -> None:
    price_list.holds(PLAIN)
    assert rates(LOOK_UP, model=spec) == {"model": None}


@pytest.mark.parametrize("host", ["127.0.0.1:8000", "localhost", "[::1]:8000"])
def test_a_model_on_this_machine_is_never_looked_up(host: str, price_list: PriceList) -> None:
    price_list.holds(PLAIN, pattern="http")
    assert rates(LOOK_UP, model=EndpointSpec(id="org/model-1", base_url=f"http://{host}/v1")) == {
        "model": None
    }


_TIERED = TieredPrices(base=Decimal(1), tiers=[Tier(start=200_000, price=Decimal(2))])


@pytest.mark.parametrize(
    "price",
    [
        ModelPrice(input_mtok=_TIERED, output_mtok=Decimal(2)),
        ModelPrice(input_mtok=Decimal(1), output_mtok=_TIERED),
        ModelPrice(input_mtok=Decimal(1)),
        ModelPrice(input_mtok=Decimal(1), output_mtok=Decimal(2), requests_kcount=Decimal(12)),
        ModelPrice(input_mtok=Decimal(1), output_mtok=Decimal(2), output_reasoning_mtok=Decimal(3)),
        [
            ConditionalPrice(prices=PLAIN),
            ConditionalPrice(
                TimeOfDateConstraint(start_time=time(16, tzinfo=UTC), end_time=time(23, tzinfo=UTC)),
                prices=DEAR,
            ),
        ],
    ],
    ids=["tiers in", "tiers out", "nothing out", "by request", "reasoning apart", "by time of day"],
)
def test_a_price_that_is_no_plain_rate_is_unknown(
    price: ModelPrice | list[ConditionalPrice], price_list: PriceList
) -> None:
    price_list.holds(price)
    assert rates(LOOK_UP) == {"model": None}


def test_prices_of_what_is_not_text_do_not_matter(price_list: PriceList) -> None:
    more = {"cache_read_mtok": Decimal(1), "input_audio_mtok": Decimal(9), "web_searches_kcount": Decimal(10)}
    price_list.holds(
        ModelPrice(input_mtok=Decimal(0), output_mtok=Decimal(2), output_reasoning_mtok=None, **more)
    )
    assert rates(LOOK_UP)["model"] == told("org/model-1", "genai-prices 7.8.9", 0.0, 2.0)


@pytest.mark.parametrize(
    ("day", "n_input"), [(30, 0.15), (31, 9.0)], ids=["the day before", "from its first day"]
)
def test_of_a_price_that_changed_the_one_in_force_counts(
    day: int, n_input: float, price_list: PriceList
) -> None:
    later = ConditionalPrice(StartDateConstraint(start_date=date(2026, 12, 31)), prices=DEAR)
    price_list.holds([ConditionalPrice(prices=PLAIN), later])
    found = rates(LOOK_UP, at=datetime(2026, 12, day, 12, tzinfo=UTC))
    assert found["model"]["input_usd_per_million_tokens"] == n_input


@pytest.mark.parametrize(
    ("params", "is_known"), [({"service_tier": "flex"}, False), ({"temperature": 0}, True)]
)
def test_a_request_for_what_has_another_price_makes_it_unknown(
    params: dict[str, Any], is_known: bool, price_list: PriceList
) -> None:
    price_list.holds(PLAIN, variants=[PriceVariant(when={"service_tier": "flex"}, prices=DEAR)])
    spec = EndpointSpec(id=MODEL.id, base_url=PROVIDER_URL, params=params)
    assert (rates(LOOK_UP, model=spec)["model"] is not None) is is_known


def test_prices_that_something_else_fetched_are_not_used(price_list: PriceList) -> None:
    price_list.holds(PLAIN)
    fetched = DataSnapshot(providers=providers(DEAR, "https://provider"), from_auto_update=True)
    set_custom_snapshot(fetched)
    try:
        assert rates(LOOK_UP)["model"]["input_usd_per_million_tokens"] == 0.15
    finally:
        set_custom_snapshot(None)


def test_the_list_of_the_package_is_read_without_the_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("the network was asked")

    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    monkeypatch.setattr(socket.socket, "connect", refuse)
    found = rates(LOOK_UP, model=EndpointSpec(id="gpt-4o-mini", base_url="https://api.openai.com/v1"))[
        "model"
    ]
    assert found["source"].startswith("genai-prices ")
    assert 0 < found["input_usd_per_million_tokens"] < found["output_usd_per_million_tokens"] < 100
