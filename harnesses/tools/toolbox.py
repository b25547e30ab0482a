"""The tools that a configuration asks for, made once and shared by all attempts of a process."""

import dataclasses
import time
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol, TypeVar

from harnesses.endpoint.client import EndpointClient
from harnesses.endpoint.http import Clock, Sleep, Transport
from harnesses.endpoint.masked_headers import MaskedHeaders
from harnesses.endpoint.network import DIRECT, Network, Role
from harnesses.endpoint.retrying import Retries
from harnesses.search_agent_params import NaiveSearchAgentParams
from harnesses.tools.browse import BrowseTool
from harnesses.tools.jina import JINA_VARIABLE, N_PAGE_RETRIES_AT_MOST, JinaReader
from harnesses.tools.keyed_service import KeyedService, ServiceSpec
from harnesses.tools.local_corpus import LocalCorpus
from harnesses.tools.pages import Pages
from harnesses.tools.search import SearchTool
from harnesses.tools.serper import SERPER_VARIABLE, SerperSearch
from harnesses.tools.tool import Tool
from harnesses.tools.visit import VisitTool


class _Closeable(Protocol):
    async def aclose(self) -> None: ...


_CloseableT = TypeVar("_CloseableT", bound=_Closeable)


class Toolbox:
    """Holds the chosen tools and the services behind them.

    `tools` has them by name, in the order of `params.tools`, e.g. ``{"search": SearchTool(…)}``.

    Args:
        params: Which tools and which backends.
        model: Asks the model under test; stays the caller's to close. Pages are read by that model, or by
            `tool_model_name` at the same endpoint.
        network: The transport and the pace of requests.
        transport: Stands in for the network's in tests; ``None`` takes that.
        sleep: Waits between retries; ``None`` as the network does.
        clock: Tells seconds.
    """

    def __init__(
        self,
        params: NaiveSearchAgentParams,
        *,
        model: EndpointClient,
        network: Network = DIRECT,
        transport: Transport | None = None,
        sleep: Sleep | None = None,
        clock: Clock = time.monotonic,
    ) -> None:
        self._params = params
        self._model = model
        self._network: Mapping[str, Any] = {
            "network": network,
            "transport": transport,
            "sleep": sleep,
            "clock": clock,
        }
        self._open: list[_Closeable] = []
        self._corpus = self._kept(LocalCorpus(Path(params.corpus_dir))) if params.corpus_dir else None
        makers = {"search": self._search, "visit": self._visit, "browse": self._browse}
        self.tools: Mapping[str, Tool] = {name: makers[name]() for name in params.tools}

    async def aclose(self) -> None:
        """Give back connections and the index of the corpus."""
        for service in self._open:
            await service.aclose()

    def _search(self) -> Tool:
        if self._params.search_backend == "local":
            return SearchTool(self._local_corpus())
        service = ServiceSpec(
            name="Serper",
            base_url=self._params.serper_base_url,
            headers=MaskedHeaders({"X-API-KEY": self._params.serper_api_key}),
            variable=SERPER_VARIABLE,
        )
        n_retries = self._params.max_retry
        return SearchTool(SerperSearch(self._service(service, role="search", n_retries=n_retries)))

    def _visit(self) -> Tool:
        model_id = self._params.tool_model_name
        if model_id in {"", self._model.spec.id}:
            return VisitTool(self._pages, self._model)
        client = EndpointClient(
            dataclasses.replace(self._model.spec, id=model_id),
            retries=Retries(max_retries=self._params.max_retry, interval_s=self._params.retry_interval),
            request_timeout_s=self._params.request_timeout,
            role="tools",
            **self._network,
        )
        return VisitTool(self._pages, self._kept(client))

    def _browse(self) -> Tool:
        return BrowseTool(self._pages)

    @cached_property
    def _pages(self) -> Pages:
        if self._params.visit_backend == "local":
            return Pages(web=None, corpus=self._local_corpus())
        service = ServiceSpec(
            name="Jina Reader",
            base_url=self._params.jina_base_url,
            headers=MaskedHeaders({"Authorization": f"Bearer {self._params.jina_api_key}"}),
            variable=JINA_VARIABLE,
            relays_pages=True,
        )
        n_retries = min(self._params.max_retry, N_PAGE_RETRIES_AT_MOST)
        reader = JinaReader(
            self._service(service, role="pages", n_retries=n_retries),
            allow_private=self._params.allow_private_addresses,
        )
        return Pages(web=reader, corpus=self._corpus)

    def _service(self, spec: ServiceSpec, *, role: Role, n_retries: int) -> KeyedService:
        retries = Retries(max_retries=n_retries, interval_s=self._params.retry_interval)
        timeout_s = self._params.request_timeout
        return self._kept(
            KeyedService(spec, retries=retries, timeout_s=timeout_s, role=role, **self._network)
        )

    def _local_corpus(self) -> LocalCorpus:
        if self._corpus is None:
            raise ValueError("corpus_dir is not set: the local backends need a folder of documents")
        return self._corpus

    def _kept(self, service: _CloseableT) -> _CloseableT:
        self._open.append(service)
        return service
