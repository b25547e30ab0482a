"""Headers that do not show what they hold."""

_SECRET_NAMES = ("auth", "key", "token", "cookie")


class MaskedHeaders(dict[str, str]):
    """Headers whose repr shows names only: tracebacks print arguments, and values hold keys."""

    def __repr__(self) -> str:
        return f"{{{', '.join(f'{name!r}: ***' for name in self)}}}"

    def without_secrets(self, text: str) -> str:
        """`text` with each key in these headers replaced by ``***``: servers repeat keys in their errors."""
        for name, value in self.items():
            secret = value.removeprefix("Bearer ").strip()
            if secret and any(part in name.lower() for part in _SECRET_NAMES):
                text = text.replace(secret, "***")
        return text
