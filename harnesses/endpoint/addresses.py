"""Addresses: which are this machine's own, what of one may be shown, how a path is added."""

import ipaddress
from urllib.parse import urlsplit


def is_loopback(host: str) -> bool:
    """Whether `host` is this machine's own: localhost (and names under it), 127.0.0.0/8 or ::1."""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def public_address(url: str) -> str:
    """`url` without user name, password, query and fragment: they may hold keys."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path.rstrip('/')}"


def joined(base_url: str, path: str) -> str:
    """`base_url` with `path` added; a query of the base address stays.

    Example: ``joined("https://h/v1?version=2", "/chat")`` is ``"https://h/v1/chat?version=2"``.
    """
    address, _, query = base_url.partition("?")
    url = f"{address.rstrip('/')}/{path.lstrip('/')}"
    if not query:
        return url
    return f"{url}{'&' if '?' in url else '?'}{query}"
