"""Pricing: what a token costs in each role of a run. Told before anything is asked; no network is used."""

from collections.abc import Mapping
from dataclasses import asdict, replace
from datetime import UTC, datetime
from decimal import Decimal
from importlib import import_module
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from benchmarks.configuration.model import BenchmarkChoice, Configuration, Rates
from harnesses.endpoint.addresses import is_loopback
from harnesses.endpoint.spec import EndpointSpec
from harnesses.search_agent_params import NaiveSearchAgentParams
from judges.catalogue import MODEL_JUDGES

if TYPE_CHECKING:
    from genai_prices.types import ModelInfo, ModelPrice

_NOT_FOR_TEXT = ("cache", "audio", "image", "video", "searches")
"""Words in the names of prices that the text of a prompt and its reply do not meet. Cached tokens are cheaper
on most servers; no usage we record tells them apart, so they are priced like the others."""


class PricingError(Exception):
    """Prices were to be looked up and cannot be: one line with the value, the rule and the remedy."""


def rates_of(
    configuration: Configuration, choice: BenchmarkChoice, *, at: datetime | None = None
) -> Mapping[str, Any]:
    """The rates of each role of a run that asks a model, as `RunDescription.prices` tells them.

    ``{"model": {"id": "org/model-1", "input_usd_per_million_tokens": 0.5, "output_usd_per_million_tokens":
    1.5, "source": "configuration"}, "judge": None}``: "tools" is there where the harness has pages read by a
    model, "judge" where a model judges; ``None`` means that the rates are unknown. Empty without a model.

    Args:
        configuration: Its `prices` come first; what they do not list is looked up, if they say so.
        choice: The run.
        at: When the run begins, with a time zone; ``None`` is now.

    Raises:
        PricingError: Prices are to be looked up, and the package that holds them is not installed; or there
            is a budget in money, and rates are unknown, so that nobody could tell when it is spent.
    """
    prices = configuration.prices
    price_list = _PriceList(at or datetime.now(UTC)) if prices.look_up else None
    told: dict[str, Any] = {}
    asked = _asked(configuration, choice)
    for role, spec in asked.items():
        rates, source = prices.models.get(spec.id), "configuration"
        if rates is None and price_list is not None:
            rates, source = price_list.rates(spec), price_list.source
        told[role] = None if rates is None else {"id": spec.id, **asdict(rates), "source": source}
    unknown = sorted({spec.id for role, spec in asked.items() if told[role] is None})
    budget = configuration.execution.budget_usd
    if budget is not None and unknown:
        raise PricingError(
            f"execution.budget_usd: {budget!r} needs the rates of every model, and those of "
            f"{' and '.join(map(repr, unknown))} are not known; list them under prices.models, or set "
            "budget_tokens"
        )
    return told


def _asked(configuration: Configuration, choice: BenchmarkChoice) -> dict[str, EndpointSpec]:
    """Who is asked in which role."""
    model, params, harness = configuration.model, choice.params, choice.harness_params
    if model is None:
        return {}
    asked = {"model": model}
    if isinstance(harness, NaiveSearchAgentParams) and "visit" in harness.tools:
        asked["tools"] = replace(model, id=harness.tool_model_name or model.id)
    if params.judge in MODEL_JUDGES and params.judge_model is not None:
        asked["judge"] = params.judge_model
    return asked


class _PriceList:
    """The prices that the package `genai-prices` brings with it; what it could fetch is left alone.

    Args:
        at: When the prices must be in force.

    Raises:
        PricingError: The package is not installed.
    """

    def __init__(self, at: datetime) -> None:
        try:
            from genai_prices import __version__
            from genai_prices.data_snapshot import DataSnapshot

            # By its name: type checkers take minutes to read 1.6 MB of prices.
            providers = import_module("genai_prices.data").providers
        except ImportError as error:
            raise PricingError(
                "prices.look_up is True, but genai-prices, which holds the prices, is not installed; run "
                "pip install 'agent-benchmarks[prices]', or list rates under prices.models instead"
            ) from error
        self.source = f"genai-prices {__version__}"
        self._at = at
        self._list = DataSnapshot(providers=providers, from_auto_update=False)

    def rates(self, spec: EndpointSpec) -> Rates | None:
        """What the provider at this address asks for this model id; ``None`` where that is not known.

        The address decides: the same id costs something else elsewhere, or nothing, or is another model.
        """
        if is_loopback(urlsplit(spec.base_url).hostname or ""):
            return None
        try:
            _, model = self._list.find_provider_model(spec.id, None, None, spec.base_url)
        except LookupError:
            return None
        if _depends_on_params(model, spec.params):
            return None
        price = self._in_force(model)
        return None if price is None else _plain_rates(price)

    def _in_force(self, model: "ModelInfo") -> "ModelPrice | None":
        """The price now; ``None`` where it changes with the time of day."""
        from genai_prices.types import StartDateConstraint

        if isinstance(model.prices, list) and not all(
            isinstance(each.constraint, StartDateConstraint | None) for each in model.prices
        ):
            return None
        return model.get_prices(self._at)


def _depends_on_params(model: "ModelInfo", params: Mapping[str, Any]) -> bool:
    """Whether the request asks for what has a price of its own, e.g. ``{"service_tier": "flex"}``."""
    return any(name in params for variant in model.price_variants or () for name in variant.when)


def _plain_rates(price: "ModelPrice") -> Rates | None:
    """Rates per million tokens that hold for every prompt and reply; ``None`` where there are none such.

    Tiers by the length of a prompt are not, nor is a further price, such as one for each request.
    """
    sent, received = price.input_mtok, price.output_mtok
    if not isinstance(sent, Decimal) or not isinstance(received, Decimal):
        return None
    further = {name for name, value in vars(price).items() if value is not None}
    if any(
        not any(word in name for word in _NOT_FOR_TEXT) for name in further - {"input_mtok", "output_mtok"}
    ):
        return None
    return Rates(input_usd_per_million_tokens=float(sent), output_usd_per_million_tokens=float(received))
