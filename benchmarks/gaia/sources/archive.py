"""The `text-103` set: one JSONL file out of the AgentCompass archive, fetched once into the cache."""

import hashlib
import re
import zipfile
import zlib
from pathlib import Path
from urllib.parse import urlsplit

import httpx

from benchmarks.benchmark import DatasetError
from benchmarks.sources.rows import Rows, parse_jsonl
from harnesses.downloads import Tell, cache_dir, place, sha256_of
from harnesses.endpoint.addresses import public_address

MEMBER = "gaia/2023/validation/text_only_metadata.jsonl"
_TIMEOUT = httpx.Timeout(60, connect=10)
_BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, RuntimeError, NotImplementedError)
"""What `zipfile` raises for a file that is no zip, is cut off, damaged or encrypted."""
_REMEDY = "try again, set archive_url to a mirror, or set dataset_path to a copy on this machine"


def read(url: str, sha256: str | None, *, tell: Tell) -> Rows:
    """The rows of the archive at `url`.

    An archive is kept by its address and its digest, and nothing is kept that is not a readable archive with
    the member in it and, where `sha256` is given, that digest.

    Args:
        url: An http or https address of a zip file.
        sha256: Digest it must have, 64 hex digits; ``None``: whatever arrives is taken, with a warning.
        tell: Gets a line before a download, and the warning of plain http.

    Raises:
        DatasetError: The archive cannot be had, or is another one.
    """
    _check_address(url)
    wanted = _checked(sha256)
    name = hashlib.sha256(f"{url}\n{wanted}".encode()).hexdigest()[:32]
    kept = cache_dir() / "gaia" / "archive" / f"{name}.zip"
    plain_http = _plain_http_warning(url)
    if not kept.exists():
        for line in (*plain_http, f"{public_address(url)}: fetching the text-103 archive, once"):
            tell(line)
        try:
            place(kept, lambda partial: _fetch(url, wanted, partial))
        except OSError as error:
            raise DatasetError(
                f"the cache {str(kept.parent)!r} cannot be written ({error.strerror}); make room there, "
                "or set AGENT_BENCHMARKS_CACHE to another folder"
            ) from error
    rows, problems = parse_jsonl(_member(kept, url))
    digest = sha256_of(kept)
    return Rows(
        rows=rows,
        problems=problems,
        place=Path(MEMBER).name,
        folder=None,
        source="archive",
        revision=digest,
        warnings=(*plain_http, *_unverified_warning(wanted, digest)),
        is_pinned=True,
    )


def _check_address(url: str) -> None:
    try:
        parts = urlsplit(url)
    except ValueError:
        parts = urlsplit("")
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise DatasetError(
            f"archive_url {url!r} is no http or https address; write it like https://host/gaia.zip"
        )


def _checked(sha256: str | None) -> str | None:
    if sha256 is not None and not re.fullmatch(r"[0-9a-fA-F]{64}", sha256):
        raise DatasetError(f"archive_sha256 {sha256!r} is no SHA-256; write its 64 hex digits")
    return sha256.lower() if sha256 else None


def _plain_http_warning(url: str) -> tuple[str, ...]:
    if urlsplit(url).scheme != "http":
        return ()
    line = (
        f"archive_url {public_address(url)!r} is plain http, so what arrives may have been changed on the "
        "way; GAIA's terms of use hold for it too: do not reshare the tasks where a crawler finds them"
    )
    return (line,)


def _unverified_warning(wanted: str | None, digest: str) -> tuple[str, ...]:
    if wanted is not None:
        return ()
    return (f"archive_sha256 is not set, so the archive was not verified; this one has {digest}",)


def _fetch(url: str, wanted: str | None, partial: Path) -> None:
    try:
        with (
            httpx.stream("GET", url, timeout=_TIMEOUT, follow_redirects=True) as response,
            partial.open("wb") as file,
        ):
            if response.status_code != 200:
                raise DatasetError(
                    f"archive_url {public_address(url)!r} answered HTTP {response.status_code}; {_REMEDY}"
                )
            for chunk in response.iter_bytes():
                file.write(chunk)
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        said = f"{type(error).__name__}: {str(error)[:160]}"
        raise DatasetError(
            f"archive_url {public_address(url)!r} cannot be fetched ({said}); {_REMEDY}"
        ) from error
    digest = sha256_of(partial)
    if wanted is not None and digest != wanted:
        raise DatasetError(
            f"archive_url {public_address(url)!r} has SHA-256 {digest!r}, not archive_sha256 {wanted!r}; "
            "take the archive you meant, or set the digest you trust"
        )
    _member(partial, url)


def _member(archive: Path, url: str) -> bytes:
    try:
        with zipfile.ZipFile(archive) as content:
            return content.read(MEMBER)
    except KeyError:
        raise DatasetError(f"archive_url {public_address(url)!r} holds no {MEMBER!r}; {_REMEDY}") from None
    except _BROKEN as error:
        what = "a web page, not a zip archive" if _is_html(archive) else f"no whole zip archive ({error})"
        raise DatasetError(f"archive_url {public_address(url)!r} gave {what}; {_REMEDY}") from error


def _is_html(file: Path) -> bool:
    with file.open("rb") as content:
        return content.read(512).lstrip().startswith(b"<")
