"""What a conversion is called in the cache: by the layout it has, and by what it was made of."""

from pathlib import Path

LAYOUT = 1
"""Which form the converted rows have, and the columns kept apart."""
# Raise it by one with every change of what a conversion holds or where: the rows, the files of the columns
# kept apart, their numbering, the columns that are kept apart. An older conversion is then never read again.

_ORIGIN_CHARACTERS = 40
"""A commit whole, of a SHA-256 the beginning: errors name the folder, and a line of theirs is short."""


def conversion(folder: Path, origin: str) -> Path:
    """The folder of one conversion in `folder`, e.g. ``v1-267b8197ae75680ee0db180c4c2e96bd4e1001b4``.

    Args:
        folder: Holds the conversions of one kind of file.
        origin: The commit, or the SHA-256 of the file, that was converted.
    """
    return folder / f"v{LAYOUT}-{origin[:_ORIGIN_CHARACTERS]}"
