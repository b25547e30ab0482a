"""All faults, and the rows they have in the matrix of docs/faults.md.

Numbers are those of a private list of public faults of other systems; "x" marks what is ours.
"""

from collections.abc import Iterator

from fault import Fault
from judge_faults import JUDGE
from model_faults import MODEL
from stopping_faults import STOPS
from tool_faults import TOOLS

FAULTS: tuple[Fault, ...] = (*MODEL, *JUDGE, *TOOLS, *STOPS)


def rows() -> Iterator[str]:
    """The rows of the matrix in docs/faults.md."""
    names = {
        "model": "endpoint",
        "judge": "endpoint",
        "search": "http://…",
    }
    for fault in FAULTS:
        line = "–" if fault.line is None else fault.line.format(**names)
        number = "" if fault.number == "x" else fault.number
        cells = (number, fault.does, fault.record, str(fault.n_requests), fault.exit_code, line)
        yield f"| {' | '.join(cell.replace('|', '&#124;') for cell in cells)} |"
