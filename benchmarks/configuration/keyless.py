"""The environment of a session that asks nobody: variables that hold keys need not be set."""

from collections.abc import Iterator, Mapping

from benchmarks.configuration.masking import HIDDEN, is_secret_name


class Keyless(Mapping[str, str]):
    """`environ`, in which every variable named like a key has a value: ``***`` where it is not set.

    So a configuration that was written for a session with keys is sound without them, and a request into
    which a key was written is the same as the one whose key was masked.
    """

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._environ = environ

    def __getitem__(self, name: str) -> str:
        return self._environ.get(name) or (HIDDEN if is_secret_name(name) else self._environ[name])

    def __iter__(self) -> Iterator[str]:
        return iter(self._environ)

    def __len__(self) -> int:
        return len(self._environ)
