import pytest

from harnesses.catalogue import HARNESSES, make_harness
from harnesses.endpoint.spec import EndpointSpec
from harnesses.openai_chat import OpenAIChatParams
from harnesses.search_agent_params import NaiveSearchAgentParams

MODEL = EndpointSpec(id="m-1", base_url="http://model.test/v1")


def test_each_harness_is_listed_under_its_own_name() -> None:
    assert {harness_id: harness.name for harness_id, harness in HARNESSES.items()} == {
        "naive_search_agent": "naive_search_agent",
        "openai_chat": "openai_chat",
        "answers_file": "answers_file",
    }


@pytest.mark.asyncio
@pytest.mark.parametrize("harness_id", HARNESSES)
async def test_a_harness_is_made_of_its_own_params(harness_id: str) -> None:
    harness = make_harness(harness_id, HARNESSES[harness_id].Params(), model=MODEL)
    assert harness.name == harness_id
    await harness.aclose()


@pytest.mark.parametrize(
    ("harness_id", "params"),
    [("naive_search_agent", OpenAIChatParams()), ("openai_chat", NaiveSearchAgentParams())],
)
def test_params_of_another_harness_are_refused(
    harness_id: str, params: OpenAIChatParams | NaiveSearchAgentParams
) -> None:
    with pytest.raises(TypeError, match=f"the params of '{harness_id}' are '.*'; give '.*'"):
        make_harness(harness_id, params, model=MODEL)
