"""Scopes: what of a run is meant by a word such as `level1`."""

from collections.abc import Iterable, Iterator, Mapping

OVERALL = "overall"
"""The scope that is the whole run."""


def as_compared(words: str) -> str:
    """A scope as it is compared: "Level 1", "level-1" and "level1" are the same."""
    return "".join(character for character in words.casefold() if character.isalnum())


def is_whole(scope: str, names: Iterable[str]) -> bool:
    """Whether a scope is a whole run: "overall", or one of its `names` (benchmark, key)."""
    return as_compared(scope) in {OVERALL, *map(as_compared, names)}


def category_named(scope: str, categories: Iterable[str], *, breakdown: str) -> str | None:
    """The category of that name; ``None`` if none has it, or several do.

    A category is called by its value ("1", "sports"), or by the word of the breakdown and its value
    ("level1", "topic_sports"). Capitals and what is no letter or digit do not matter, but the exact value
    goes first.
    """
    known = list(dict.fromkeys(categories))
    if scope in known:
        return scope
    wanted = as_compared(scope)
    found = [
        name for name in known if wanted and wanted in {as_compared(name), as_compared(breakdown + name)}
    ]
    return found[0] if len(found) == 1 else None


def said_twice(meanings: Mapping[str, Mapping[str, str | None]]) -> Iterator[str]:
    """A line for each category that is said in two spellings.

    Args:
        meanings: For each scope the runs it concerns, by their keys, and the category meant in each; ``None``
            where it is the whole run: that may have several names.
    """
    first: dict[tuple[str, str], str] = {}
    for scope, runs in meanings.items():
        for key, category in runs.items():
            if category is None:
                continue
            other = first.setdefault((key, category), scope)
            if other != scope:
                yield f"{other!r} and {scope!r} are the same category {category!r} of {key}; keep one of them"
