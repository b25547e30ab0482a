"""What a protocol file offers, and which file speaks which protocol."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, Protocol

from harnesses.endpoint.messages import Completion, Message, ToolSchema
from harnesses.endpoint.protocols import anthropic, openai_chat, openai_responses
from harnesses.endpoint.spec import ApiProtocol, EndpointSpec


class Translator(Protocol):
    """Turns our messages into one request, and its reply into a completion; keeps nothing between calls."""

    def path(self, base_url: str) -> str:
        """What is added to the base address, e.g. "/chat/completions"."""
        ...

    def headers(self, api_key: str) -> dict[str, str]:
        """What is sent beside the body; the key is in none of them if it is empty."""
        ...

    def request_body(
        self,
        spec: EndpointSpec,
        messages: Sequence[Message],
        *,
        tools: Sequence[ToolSchema] = (),
        overrides: Mapping[str, Any] | None = None,
    ) -> dict[str, Any]:
        """One request: ours, then `spec.params`, then `overrides`; a null removes its key.

        `messages` are OpenAI-shaped, `tools` our schemas.
        """
        ...

    def error_in(self, payload: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """The body of an error that came with a 200, ``None`` if there is none."""
        ...

    def read_completion(self, payload: Mapping[str, Any], *, n_requests: int) -> Completion:
        """The completion in the body of a 200.

        Raises:
            NoCompletionError: There is none in it.
        """
        ...


TRANSLATORS: Final[Mapping[ApiProtocol, Translator]] = {
    "openai-chat": openai_chat,
    "openai-responses": openai_responses,
    "anthropic": anthropic,
}
