"""Scopes: which category of a run is meant by a word such as `level1`."""

from collections.abc import Iterable


def plain(words: str) -> str:
    """A scope as it is compared: "Level 1", "level-1" and "level1" are the same."""
    return "".join(character for character in words.casefold() if character.isalnum())


def category_named(scope: str, categories: Iterable[str], *, breakdown: str) -> str | None:
    """The category of that name; ``None`` if none has it, or several do.

    A category is called by its value ("1", "sports"), or by the word of the breakdown and its value
    ("level1", "topic_sports"). Capitals and what is no letter or digit do not matter, but the exact value
    goes first.
    """
    known = list(dict.fromkeys(categories))
    if scope in known:
        return scope
    wanted = plain(scope)
    found = [name for name in known if wanted and wanted in {plain(name), plain(breakdown + name)}]
    return found[0] if len(found) == 1 else None
