"""Proxies that the environment names: when one is used, and how."""

from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import httpx

from harnesses.endpoint.addresses import is_loopback
from harnesses.endpoint.trusted_certificates import tls_context


def proxy_for(base_url: str) -> httpx.Proxy | None:
    """The proxy of HTTP_PROXY, HTTPS_PROXY or ALL_PROXY for this address; ``None``: go there directly.

    A loopback address has none, whatever the environment says; others have none where NO_PROXY names them.

    Raises:
        ValueError: The proxy's address has a scheme that nobody speaks.
    """
    parts = urlsplit(base_url)
    if is_loopback(parts.hostname or ""):
        return None
    proxies = getproxies()
    proxy = proxies.get(parts.scheme) or proxies.get("all")
    if not proxy or proxy_bypass(parts.netloc.rpartition("@")[2]):
        return None
    return httpx.Proxy(proxy if "://" in proxy else f"http://{proxy}")


class ProxiedConnection:
    """A connection through a proxy, which carries one request at a time: httpx's own, in a pool of one.

    Args:
        proxy: The proxy: http, https, or socks5 where httpx has its extra for it.
        idle_s: Seconds after which an unused connection is made anew.
    """

    def __init__(self, proxy: httpx.Proxy, *, idle_s: float) -> None:
        self._pool = httpx.AsyncHTTPTransport(
            proxy=proxy,
            verify=tls_context(),
            limits=httpx.Limits(max_connections=1, keepalive_expiry=idle_s),
        )

    @property
    def is_usable(self) -> bool:
        """Always: a pool of one sees by itself that its connection ended, and opens another."""
        return True

    async def exchange(self, request: httpx.Request) -> httpx.Response:
        """The whole reply to `request`. An error or a cancellation closes the connection.

        Raises:
            httpx.RequestError: As httpx's transport raises them.
        """
        try:
            reply = await self._pool.handle_async_request(request)
            await reply.aread()
        except BaseException:
            await self.aclose()
            raise
        return reply

    async def aclose(self) -> None:
        """Close."""
        await self._pool.aclose()
