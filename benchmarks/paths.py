"""Which benchmarks a pytest command line asks for."""

from collections.abc import Iterable
from pathlib import Path

HERE = Path(__file__).parent


def benchmarks_on(arguments: Iterable[str], *, names: Iterable[str], invoked_in: Path) -> list[str]:
    """The `names` whose folder lies on, under or above a path given to pytest, in their order.

    `arguments` are pytest's positional arguments: paths or node ids, relative to `invoked_in`. Example:
    ``["benchmarks/gaia/test_gaia.py::test_gaia[t-1]"]`` asks for "gaia", and so does ``["benchmarks"]``.
    """
    paths = [(invoked_in / argument.split("::", 1)[0]).resolve() for argument in arguments]
    return [name for name in names if any(_is_on(path, HERE / name) for path in paths)]


def _is_on(path: Path, folder: Path) -> bool:
    return path.is_relative_to(folder) or folder.is_relative_to(path)
