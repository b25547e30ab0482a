"""Which page addresses a model may open.

The address is judged by what it says: names are not looked up here, because the page service resolves them on
its own side. A public name that points into a private network is therefore the service's to refuse. The
addresses of the services themselves come from the configuration and are trusted.
"""

import ipaddress
import re
import unicodedata
from urllib.parse import SplitResult, unquote, urlsplit

from harnesses.tools.tool import BadArgumentsError

_SCHEME = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*:(?!\d)")
_FORBIDDEN_CHARACTERS = re.compile(r"[\x00-\x1f\x7f\\]|^[^/]*//[^/?#]*\s")
"""Control characters and backslashes anywhere, blanks in the host: parsers disagree on what they mean."""
_PRIVATE_ENDINGS = tuple(
    f".{ending}"
    for ending in (
        *("local", "localhost", "localdomain", "internal", "intranet", "intra", "lan", "home", "home.arpa"),
        *("corp", "private", "svc", "consul", "cluster", "docker", "workgroup", "example", "invalid"),
        *("alt", "onion"),
    )
)
"""Endings that are reserved or that private networks use; none of them is a public suffix.

``.test`` is not among them: no network resolves it, and it names the pages of scripted services.
"""
_INVISIBLE = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0") | frozenset(
    map(chr, range(0xFE00, 0xFE10))
)
_IPV4_BITS = 32


def checked_page_address(url: str, *, allow_private: bool) -> str:
    """`url` as it may be asked for; ``example.com/a`` becomes ``https://example.com/a``.

    Args:
        url: What the model wrote.
        allow_private: Lets hosts of this machine and of private networks through; nothing else.

    Raises:
        BadArgumentsError: No http or https address of a public host, or one written to look like it.
    """
    address = url.strip()
    if not _SCHEME.match(address):
        address = f"https://{address.removeprefix('//')}"
    if _FORBIDDEN_CHARACTERS.search(address):
        raise _refused(url, "it holds a character that no address may hold")
    try:
        parts = urlsplit(address)
        host, _ = parts.hostname, parts.port
    except ValueError:
        raise _refused(url, "it cannot be read") from None
    _check_form(url, parts)
    if not allow_private and _is_private(host or ""):
        raise _refused(url, "it does not lead to the public internet")
    return address


def _check_form(url: str, parts: SplitResult) -> None:
    if parts.scheme not in {"http", "https"}:
        raise _refused(url, "only http and https addresses can be opened")
    if "@" in unquote(parts.netloc):
        raise _refused(url, "it carries a user name")
    if not parts.hostname:
        raise _refused(url, "it names no host")
    if any(map(_is_unfit_for_host, parts.netloc)):
        raise _refused(url, "its host holds a percent sign or a character that cannot be seen")


def _is_unfit_for_host(character: str) -> bool:
    """Readers of a host drop such characters or stop there: ``127.0.0.1%00.example.com``."""
    return character == "%" or unicodedata.category(character)[0] in "CZ" or character in _INVISIBLE


def _refused(url: str, reason: str) -> BadArgumentsError:
    return BadArgumentsError(f"the address {url[:200]!r} is refused: {reason}")


def _is_private(host: str) -> bool:
    # Browsers read "①②⑦.0.0.1" and "127。0。0。1" as 127.0.0.1.
    name = unicodedata.normalize("NFKC", host).replace("。", ".").lower().strip(".")
    if ":" in name:
        return _is_private_ipv6(name)
    labels = name.split(".")
    if re.fullmatch(r"\d+|0x[0-9a-f]*", labels[-1]):
        return _is_private_ipv4(labels)
    return len(labels) == 1 or not _may_be_suffix(labels[-1]) or f".{name}".endswith(_PRIVATE_ENDINGS)


def _may_be_suffix(label: str) -> bool:
    """Whether a public name may end in `label`: letters of any script, or their ``xn--`` form."""
    has_letters_only = len(label) > 1 and all(unicodedata.category(letter)[0] in "LM" for letter in label)
    return has_letters_only or re.fullmatch(r"xn--[a-z0-9-]+", label) is not None


def _is_private_ipv4(labels: list[str]) -> bool:
    """Read like a browser does: 1 to 4 parts in decimal, octal or hex, the last one filling what is left."""
    try:
        *leading, last = [_number(label) for label in labels]
    except ValueError:
        return True
    n_last_bits = _IPV4_BITS - 8 * len(leading)
    if n_last_bits < 8 or last >= 1 << n_last_bits or any(part > 255 for part in leading):
        return True
    value = last
    for position, part in enumerate(leading):
        value |= part << (24 - 8 * position)
    return not _is_public(ipaddress.IPv4Address(value))


def _number(label: str) -> int:
    if label.startswith("0x"):
        return int(label[2:] or "0", 16)
    return int(label, 8 if label.startswith("0") and label != "0" else 10)


def _is_private_ipv6(name: str) -> bool:
    try:
        address = ipaddress.IPv6Address(name)
    except ValueError:
        return True
    return not _is_public(address.ipv4_mapped or address.sixtofour or address)


def _is_public(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> bool:
    is_site_local = isinstance(address, ipaddress.IPv6Address) and address.is_site_local
    return address.is_global and not (address.is_multicast or address.is_reserved or is_site_local)
