import asyncio
import ssl
import subprocess
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest
import pytest_asyncio
from loopback_endpoint import LoopbackEndpoint, whole

from harnesses.endpoint.errors import EndpointUnavailableError
from harnesses.endpoint.http import HttpClient
from harnesses.endpoint.trusted_certificates import tls_context

pytestmark = pytest.mark.asyncio
MakeClient = Callable[[str], HttpClient]


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate for localhost that signed itself, and its key in the same file."""
    folder = tmp_path_factory.mktemp("certificate")
    subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]
    kind = ["-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"]
    files = ["-keyout", str(folder / "key.pem"), "-out", str(folder / "own.pem")]
    openssl(["req", *kind, *subject, *files])
    both = folder / "both.pem"
    both.write_text((folder / "own.pem").read_text() + (folder / "key.pem").read_text())
    return both


def openssl(arguments: list[str]) -> str:
    done = subprocess.run(  # the openssl of the machine, as every developer's and CI's has
        ["openssl", *arguments],  # noqa: S607
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


@pytest.fixture
def folder(certificate: Path, tmp_path: Path) -> Path:
    """A folder that holds the certificate under the name OpenSSL looks for."""
    name = openssl(["x509", "-in", str(certificate), "-noout", "-subject_hash"]).strip()
    (tmp_path / f"{name}.0").write_bytes(certificate.read_bytes())
    return tmp_path


@pytest.fixture
def server_tls(certificate: Path) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    return context


@pytest.fixture(autouse=True)
def no_trust_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """The environment of these tests names no certificates but those they name themselves."""
    monkeypatch.delenv("SSL_CERT_FILE", raising=False)
    monkeypatch.delenv("SSL_CERT_DIR", raising=False)


@pytest_asyncio.fixture
async def make_client() -> AsyncIterator[MakeClient]:
    made: list[HttpClient] = []

    def make(url: str) -> HttpClient:
        made.append(HttpClient(base_url=url.replace("127.0.0.1", "localhost")))
        return made[-1]

    yield make
    for client in made:
        await client.aclose()


async def test_a_certificate_of_nobody_known_is_refused_at_once(
    server_tls: ssl.SSLContext, make_client: MakeClient
) -> None:
    async with LoopbackEndpoint.serving(whole("fine"), tls=server_tls) as server:
        with pytest.raises(EndpointUnavailableError, match=r"not trusted, 1 request; .*SSL_CERT_FILE"):
            await make_client(server.url).send("GET", "/")
    assert server.heads == []


async def test_a_certificate_named_in_the_environment_is_trusted_and_its_connection_kept(
    certificate: Path,
    server_tls: ssl.SSLContext,
    make_client: MakeClient,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    async with LoopbackEndpoint.serving(*[whole("fine")] * 3, tls=server_tls) as server:
        client = make_client(server.url)
        replies = [await client.send("GET", "/") for _ in range(3)]
    assert [(reply.text, reply.n_requests) for reply in replies] == [("fine", 1)] * 3
    assert server.n_connections == 1


async def test_a_folder_of_certificates_named_in_the_environment_is_trusted(
    folder: Path, server_tls: ssl.SSLContext, make_client: MakeClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_DIR", str(folder))
    async with LoopbackEndpoint.serving(whole("fine"), tls=server_tls) as server:
        assert (await make_client(server.url).send("GET", "/")).text == "fine"


async def test_a_trusted_certificate_of_another_host_is_refused(
    certificate: Path, server_tls: ssl.SSLContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    async with LoopbackEndpoint.serving(whole("fine"), tls=server_tls) as server:
        client = HttpClient(base_url=server.url)
        with pytest.raises(EndpointUnavailableError, match="not trusted") as caught:
            await client.send("GET", "/")
        await client.aclose()
    assert "127.0.0.1" in caught.value.detail


async def test_a_server_that_speaks_no_tls_is_no_connection() -> None:
    async with LoopbackEndpoint.serving() as server:
        client = HttpClient(base_url=server.url.replace("http:", "https:"), sleep=no_wait)
        with pytest.raises(EndpointUnavailableError, match="no connection, 11 requests"):
            await client.send("GET", "/")
        await client.aclose()


async def no_wait(seconds: float) -> None:
    """Stands in for the waits between retries."""


@pytest.mark.parametrize("content", [None, "no certificate"], ids=["missing", "not-pem"])
async def test_certificates_that_cannot_be_read_are_named_and_nothing_is_sent(
    content: str | None,
    make_client: MakeClient,
    server_tls: ssl.SSLContext,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    if content is not None:
        (tmp_path / "own.pem").write_text(content)
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "own.pem"))
    async with LoopbackEndpoint.serving(whole("fine"), tls=server_tls) as server:
        line = r"the certificates to trust cannot be read, 1 request; name a PEM file in SSL_CERT_FILE"
        with pytest.raises(EndpointUnavailableError, match=line) as caught:
            await make_client(server.url).send("GET", "/")
    assert (server.n_connections, "own.pem" in caught.value.detail) == (0, True)


async def test_one_context_serves_the_whole_process() -> None:
    assert tls_context() is tls_context()


async def test_every_server_is_verified() -> None:
    context = tls_context()
    assert (context.verify_mode, context.check_hostname) == (ssl.CERT_REQUIRED, True)
    assert context.minimum_version >= ssl.TLSVersion.TLSv1_2


async def test_a_tls_server_that_hangs_up_while_idle_costs_no_retry(
    certificate: Path,
    server_tls: ssl.SSLContext,
    make_client: MakeClient,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    has_hung_up = asyncio.Event()

    async def hangs_up_after_the_reply(writer: asyncio.StreamWriter) -> None:
        await whole("fine")(writer)
        writer.close()
        await writer.wait_closed()
        has_hung_up.set()

    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    async with LoopbackEndpoint.serving(hangs_up_after_the_reply, whole("fine"), tls=server_tls) as server:
        client = make_client(server.url)
        await client.send("GET", "/")
        await has_hung_up.wait()
        assert (await client.send("GET", "/")).n_requests == 1
    assert server.n_connections == 2
