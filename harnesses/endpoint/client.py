"""Asks one model: messages go in, a completion or a telling error comes out."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from harnesses.endpoint.addresses import public_address
from harnesses.endpoint.error_body import ErrorBody, read_error
from harnesses.endpoint.errors import MalformedReplyError
from harnesses.endpoint.http import Clock, HttpClient, HttpReply, Sleep, Transport
from harnesses.endpoint.json_values import is_object
from harnesses.endpoint.masked_headers import MaskedHeaders
from harnesses.endpoint.messages import Completion, Message, ToolSchema
from harnesses.endpoint.network import DIRECT, Network, Role
from harnesses.endpoint.protocols.bodies import NoCompletionError, parsed
from harnesses.endpoint.protocols.translator import TRANSLATORS
from harnesses.endpoint.retrying import Retries, RetryableError, is_retryable, retry_after_s
from harnesses.endpoint.spec import EndpointSpec

_CHECK_ADDRESS = "check base_url: it ends with the version, e.g. https://api.example/v1"


class EndpointClient:
    """Asks the model of one endpoint; shared by harnesses, tools and judges.

    Args:
        spec: Which model, where, with which key and params.
        retries: How often a failed request is sent again.
        request_timeout_s: Seconds one HTTP request may take, from connecting to the last byte.
        network: The transport and the pace of its requests.
        role: Who asks.
        transport: Stands in for the network's; ``None`` takes that.
        sleep: Waits between retries; ``None`` as the network does.
        clock: Tells seconds that only grow.
    """

    def __init__(
        self,
        spec: EndpointSpec,
        *,
        retries: Retries = Retries(),  # noqa: B008 - frozen
        request_timeout_s: float = 2000.0,
        network: Network = DIRECT,
        role: Role = "model",
        transport: Transport | None = None,
        sleep: Sleep | None = None,
        clock: Clock = time.monotonic,
    ) -> None:
        self.spec = spec
        self._clock = clock
        self._has_answered = network.has_answered
        self._translator = TRANSLATORS[spec.api_protocol]
        self._http = HttpClient(
            base_url=spec.base_url,
            headers=MaskedHeaders(self._translator.headers(spec.api_key)),
            retries=retries,
            timeout_s=request_timeout_s,
            network=network,
            role=role,
            transport=transport,
            sleep=sleep,
            clock=clock,
            name=_name(spec),
        )

    async def complete(
        self,
        messages: Sequence[Message],
        *,
        tools: Sequence[ToolSchema] = (),
        overrides: Mapping[str, Any] | None = None,
        timeout_s: float | None = None,
    ) -> Completion:
        """One reply of the model.

        Args:
            messages: The conversation, OpenAI-shaped.
            tools: Functions the model may call; none are sent if empty.
            overrides: Win over the endpoint's params in this call; a null removes a key.
            timeout_s: Seconds the whole call may take, retries and waits included; ``None`` sets no limit.

        Raises:
            EndpointError: One of its kinds; `n_requests` tells how many HTTP requests were sent.
        """
        started = self._clock()
        body = self._translator.request_body(self.spec, messages, tools=tools, overrides=overrides)
        completion = await self._http.exchange(
            "POST",
            self._translator.path(self.spec.base_url),
            read=lambda reply: self._read(reply, body),
            json=body,
            timeout_s=timeout_s,
            usage_of=lambda completion: completion.usage,
        )
        self._has_answered = True
        return replace(completion, duration_s=self._clock() - started)

    async def aclose(self) -> None:
        """Give back connections."""
        await self._http.aclose()

    def _read(self, reply: HttpReply, sent: Mapping[str, Any]) -> Completion:
        try:
            return self._completion(reply, sent)
        except RecursionError:
            raise self._malformed(reply, "JSON that is nested too deeply") from None

    def _completion(self, reply: HttpReply, sent: Mapping[str, Any]) -> Completion:
        if not 200 <= reply.status < 300:
            raise self._failure(reply, self._told(_json_or_none(reply.text)), reply.status, sent)
        payload = self._payload(reply)
        if error := self._translator.error_in(payload):
            told = self._told(error)
            if told.status is None:
                raise self._malformed(reply, "an error without a code")
            raise self._failure(reply, told, told.status, sent)
        try:
            completion = self._translator.read_completion(payload, n_requests=reply.n_requests)
        except NoCompletionError as wrong:
            remedy = wrong.remedy or _CHECK_ADDRESS
            raise self._malformed(reply, str(wrong), remedy=remedy, max_retries=wrong.max_retries) from None
        return replace(completion, status=reply.status)

    def _told(self, payload: Any) -> ErrorBody:
        told = read_error(payload)
        return replace(told, message=self._http.private_detail(told.message))

    def _failure(self, reply: HttpReply, told: ErrorBody, status: int, sent: Mapping[str, Any]) -> Exception:
        """What to raise for an error with `status`, which may stand inside a 200."""
        # Here: most runs never need its patterns, which take a while to compile.
        from harnesses.endpoint.refusals import is_lasting, is_model_failure, refusal

        detail = self._http.private_detail(reply.text)
        if is_model_failure(told):
            return RetryableError(
                f"the server could not parse what its model wrote (HTTP {status})",
                becomes=MalformedReplyError,
                remedy="check the server's chat template and tool parser",
                detail=detail,
                status=status,
                max_retries=1,
            )
        if is_retryable(status) and not (status >= 500 and is_lasting(told, has_tools="tools" in sent)):
            return RetryableError(
                f"HTTP {status}",
                detail=detail,
                status=status,
                retry_after_s=retry_after_s(reply.headers.get("retry-after")),
            )
        error = refusal(status, told, where=self._http.name, sent=sent, has_answered=self._has_answered)
        error.detail, error.status = detail, status
        return error

    def _payload(self, reply: HttpReply) -> Mapping[str, Any]:
        """The JSON object in a 200."""
        start = reply.text.lstrip()[:6].lower()
        if start.startswith("<"):
            raise self._malformed(reply, "HTML instead of JSON")
        if start.startswith(("data:", "event:")):
            raise self._malformed(reply, "a stream", remedy="remove stream from its params", max_retries=0)
        try:
            payload = parsed(reply.text)
        except ValueError:
            raise self._cut(reply) from None
        if not is_object(payload):
            raise self._malformed(reply, "JSON that is no object")
        return payload

    def _cut(self, reply: HttpReply) -> RetryableError:
        """For JSON without its end: a broken connection behind a proxy looks so."""
        return RetryableError(
            f"JSON that breaks off (HTTP {reply.status})",
            becomes=MalformedReplyError,
            detail=self._http.private_detail(reply.text),
            status=reply.status,
        )

    def _malformed(
        self, reply: HttpReply, what: str, *, remedy: str = _CHECK_ADDRESS, max_retries: int | None = None
    ) -> RetryableError:
        """For a whole reply that is no completion.

        A hiccup where this endpoint has answered before, most likely a wrong address where it has not.
        """
        if max_retries is None and not self._has_answered:
            max_retries = 1
        return RetryableError(
            f"HTTP {reply.status} with {what}",
            becomes=MalformedReplyError,
            remedy=remedy,
            detail=self._http.private_detail(reply.text),
            status=reply.status,
            max_retries=max_retries,
        )


def _name(spec: EndpointSpec) -> str:
    """What errors call the endpoint; the usual protocol goes without saying."""
    protocol = "" if spec.api_protocol == "openai-chat" else f" ({spec.api_protocol})"
    return f"endpoint {spec.id!r} at {public_address(spec.base_url)}{protocol}"


def _json_or_none(text: str) -> Any:
    try:
        return parsed(text)
    except ValueError:
        return None
