"""Where a model is served and how it is asked."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, Literal
from urllib.parse import urlsplit

from annotated_types import MinLen
from typing_extensions import Doc

ApiProtocol = Literal["openai-chat"]


@dataclass(frozen=True, kw_only=True)
class EndpointSpec:
    """A model behind an address. The key is masked in the repr.

    Example: ``EndpointSpec(id="gpt-4o-mini", base_url="https://api.example/v1", api_key="sk-…")``.

    Raises:
        ValueError: `base_url` is no http or https address.
    """

    __pydantic_config__: ClassVar[Any] = {"extra": "forbid"}

    id: Annotated[str, MinLen(1), Doc("Model id sent with each request.")]
    base_url: Annotated[str, Doc("Address up to the version, e.g. `https://api.example/v1`.")]
    api_key: Annotated[
        str, Doc("Sent as a bearer token; empty sends no Authorization header. Masked everywhere.")
    ] = field(default="", repr=False)
    api_protocol: Annotated[ApiProtocol, Doc("What the server speaks.")] = "openai-chat"
    params: Annotated[
        Mapping[str, Any],
        Doc("Added to every request body unchanged; a null removes the key the suite would send."),
    ] = field(default_factory=dict[str, Any])

    def __post_init__(self) -> None:
        parts = urlsplit(self.base_url)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise ValueError(
                f"base_url {self.base_url!r} is not an http or https address; "
                "write it like https://api.example/v1"
            )

    def is_same_model(self, other: "EndpointSpec") -> bool:
        """Whether both name the same id at the same address (a trailing slash and letter case of the host
        do not matter).
        """
        return self.id == other.id and _address(self.base_url) == _address(other.base_url)


def _address(url: str) -> tuple[str, str, int | None, str]:
    parts = urlsplit(url)
    port = parts.port or {"http": 80, "https": 443}.get(parts.scheme)
    return parts.scheme, (parts.hostname or "").lower(), port, parts.path.rstrip("/")
