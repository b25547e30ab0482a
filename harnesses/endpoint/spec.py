"""Where a model is served and how it is asked."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, Literal, get_args
from urllib.parse import SplitResult, urlsplit

from annotated_types import MinLen
from typing_extensions import Doc

ApiProtocol = Literal["openai-chat", "openai-responses", "anthropic"]


@dataclass(frozen=True, kw_only=True)
class EndpointSpec:
    """A model behind an address. The key is not in the repr, nor are the params: they may hold one.

    Example: ``EndpointSpec(id="gpt-4o-mini", base_url="https://api.example/v1", api_key="sk-…")``.

    Raises:
        ValueError: `base_url` is no http or https address or holds a password; `api_key` fits no header;
            `api_protocol` is none of those we speak.
    """

    __pydantic_config__: ClassVar[Any] = {"extra": "forbid"}

    id: Annotated[str, MinLen(1), Doc("Model id sent with each request.")]
    base_url: Annotated[str, Doc("Address up to the version, e.g. `https://api.example/v1`.")]
    api_key: Annotated[
        str,
        Doc(
            "Sent as a bearer token (`anthropic`: as `x-api-key`); empty sends no such header. Masked "
            "everywhere."
        ),
    ] = field(default="", repr=False)
    api_protocol: Annotated[ApiProtocol, Doc("What the server speaks (docs/endpoints.md).")] = "openai-chat"
    params: Annotated[
        Mapping[str, Any],
        Doc("Added to every request body unchanged; a null removes the key the suite would send."),
    ] = field(default_factory=dict[str, Any], repr=False)

    def __post_init__(self) -> None:
        if "@" in self.base_url.partition("://")[2].partition("/")[0]:
            raise ValueError("base_url holds a user name or password, which would be shown; use api_key")
        parts = _split(self.base_url)
        if parts is None or parts.scheme not in {"http", "https"} or not parts.hostname:
            raise ValueError(
                f"base_url {self.base_url!r} is not an http or https address; "
                "write it like https://api.example/v1"
            )
        if self.api_protocol not in get_args(ApiProtocol):
            raise ValueError(
                f"api_protocol {self.api_protocol!r} is unknown; it must be one of "
                f"{', '.join(get_args(ApiProtocol))}"
            )
        if not all("!" <= character <= "~" for character in self.api_key):
            raise ValueError(
                "api_key (masked) holds a blank, a line end or a character outside ASCII, which no header "
                "can carry; copy it again"
            )

    def is_same_model(self, other: "EndpointSpec") -> bool:
        """Whether both name the same id at the same address.

        A trailing slash and letter case of the host do not matter.
        """
        return self.id == other.id and _address(self.base_url) == _address(other.base_url)


def _split(url: str) -> SplitResult | None:
    """The parts of `url`, ``None`` where it cannot be split, e.g. for a port that is no number."""
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError:
        return None
    return parts


def _address(url: str) -> tuple[str, str, int | None, str]:
    parts = urlsplit(url)
    port = parts.port or {"http": 80, "https": 443}.get(parts.scheme)
    return parts.scheme, (parts.hostname or "").lower(), port, parts.path.rstrip("/")
