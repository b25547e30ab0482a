"""Node ids: which unit a pytest item stands for, known by the item's name alone (controller)."""

from pathlib import PurePosixPath

from benchmarks.plan import Unit
from benchmarks.run import Session


class UnitsByNode:
    """The units of a session by the node ids of their items.

    The folder of a node id depends on pytest's root, its module and the id in brackets do not.

    Args:
        session: All runs, before pytest deselects any unit.
    """

    def __init__(self, session: Session) -> None:
        self._known = {
            (f"test_{run.choice.name}", unit.unit_id): unit
            for run in session.runs.values()
            for unit in run.units(session.attempts)
        }

    def find(self, node_id: str) -> Unit | None:
        """The unit of "…/test_gaia.py::test_gaia[t-1]"; ``None`` where the item is of something else."""
        path, _, rest = node_id.partition("::")
        return self._known.get((PurePosixPath(path).stem, rest.partition("[")[2].partition("]")[0]))
