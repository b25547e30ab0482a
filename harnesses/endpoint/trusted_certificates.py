"""Which authorities a TLS connection trusts: SSL_CERT_FILE, else SSL_CERT_DIR, else certifi's list."""

import os
import ssl
from functools import lru_cache

import httpx


class UnreadableCertificatesError(httpx.ConnectError):
    """SSL_CERT_FILE or SSL_CERT_DIR names what cannot be read; nothing was sent."""


def tls_context() -> ssl.SSLContext:
    """Verifies servers. There is one in the process, made by the first HTTPS request: it costs 15 to 50 ms.

    Raises:
        UnreadableCertificatesError: The environment names no file of certificates.
    """
    named = {"cafile": os.environ.get("SSL_CERT_FILE"), "capath": os.environ.get("SSL_CERT_DIR")}
    try:
        return _made(named["cafile"] or None, named["capath"] or None)
    except OSError as error:
        raise UnreadableCertificatesError(f"{error}: {named}") from error


@lru_cache
def _made(cafile: str | None, capath: str | None) -> ssl.SSLContext:
    if cafile:
        context = ssl.create_default_context(cafile=cafile)
    elif capath:
        context = ssl.create_default_context(capath=capath)
    else:
        import certifi

        context = ssl.create_default_context(cafile=certifi.where())
    context.set_alpn_protocols(["http/1.1"])
    return context
