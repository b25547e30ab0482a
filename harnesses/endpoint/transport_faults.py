"""What a broken connection means: a few public words, and whether to try again."""

import ssl

import httpx

from harnesses.endpoint.retrying import RetryableError
from harnesses.endpoint.trusted_certificates import UnreadableCertificatesError

CONNECT_S = 30.0
"""A host that drops packets is given up after this time and tried again, whatever the request may take."""


def explained(error: Exception, *, limit_s: float, detail: str) -> RetryableError:
    """What to raise for `error`, which ended a request that had `limit_s` seconds."""
    if isinstance(error, UnreadableCertificatesError):
        return RetryableError(
            "the certificates to trust cannot be read",
            remedy="name a PEM file in SSL_CERT_FILE, or unset it",
            detail=detail,
            max_retries=0,
        )
    if is_untrusted_certificate(error):
        return RetryableError(
            "the certificate is not trusted",
            remedy="name the file of its authority in SSL_CERT_FILE",
            detail=detail,
            max_retries=0,
        )
    return RetryableError(_cause(error, limit_s), detail=detail)


def is_untrusted_certificate(error: BaseException) -> bool:
    """Whether the certificate of a server is behind `error`."""
    seen: BaseException | None = error
    while seen is not None:
        if isinstance(seen, ssl.SSLCertVerificationError):
            return True
        seen = seen.__cause__ or seen.__context__
    return False


def _cause(error: Exception, limit_s: float) -> str:
    if isinstance(error, httpx.ConnectTimeout):
        return f"no connection within {min(limit_s, CONNECT_S):g} s"
    if isinstance(error, TimeoutError | httpx.TimeoutException):
        return f"no whole reply within {limit_s:g} s"
    if isinstance(error, httpx.ConnectError):
        return "no connection"
    return "the connection broke before the whole reply came"
