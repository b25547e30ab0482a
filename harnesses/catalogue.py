"""The harnesses of this house, by the id a configuration names."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import cast

from harnesses.answers_file import AnswersFile
from harnesses.endpoint.network import DIRECT, Network
from harnesses.endpoint.spec import EndpointSpec
from harnesses.harness import Harness, HarnessParams
from harnesses.naive_search_agent import NaiveSearchAgent
from harnesses.openai_chat import OpenAIChat

HARNESSES: Mapping[str, type[NaiveSearchAgent] | type[OpenAIChat] | type[AnswersFile]] = MappingProxyType(
    {NaiveSearchAgent.name: NaiveSearchAgent, OpenAIChat.name: OpenAIChat, AnswersFile.name: AnswersFile}
)
"""E.g. ``HARNESSES["openai_chat"].Params`` is the class of that harness's parameters, and `asks_model` tells
whether it needs the address of a model at all."""


def make_harness(
    harness_id: str, params: HarnessParams, *, model: EndpointSpec, network: Network = DIRECT
) -> Harness:
    """A harness that drives `model`.

    Args:
        harness_id: A key of `HARNESSES`, e.g. "naive_search_agent".
        params: An instance of that harness's `Params`.
        model: The model under test.
        network: How it and the services behind tools are reached.

    Raises:
        KeyError: There is no harness of that id.
        TypeError: `params` belongs to another harness.
    """
    harness = HARNESSES[harness_id]
    if not isinstance(params, harness.Params):
        raise TypeError(
            f"the params of {harness_id!r} are {type(params).__name__!r}; give {harness.Params.__name__!r}"
        )
    # Each class takes its own params, which was just checked; a type checker sees only the union.
    make = cast("Callable[..., Harness]", harness)
    return make(params, model=model, network=network)
