"""metrics.json as OpenMetrics text, for what compares numbers between branches (GitLab's metrics report).

Only what is the same for the same outcomes is told: a token more or less is no news in a merge request.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

_PREFIX = "agent_benchmarks"
Metrics = Mapping[str, Any]


class SameSetTwiceError(ValueError):
    """Two runs are of one set, so that no label would tell their numbers apart."""


def openmetrics(runs: Iterable[Metrics]) -> str:
    """The content of a file such as metrics.txt; what was not measured is left out.

    Example of its lines: ``agent_benchmarks_accuracy{benchmark="gaia",subset="text-103",
    series="correct.native@1",level="1"} 0.667``.

    Args:
        runs: The metrics.json of each run.

    Raises:
        SameSetTwiceError: Two of them are of one benchmark and subset.
    """
    families: dict[str, list[str]] = {"accuracy": [], "units": [], "gate_exit_code": []}
    told: set[tuple[str, ...]] = set()
    for metrics in runs:
        of_run = _labels(metrics)
        if (known := tuple(of_run.values())) in told:
            raise SameSetTwiceError(
                f"two runs share the labels {' '.join(filter(None, known))!r}, and OpenMetrics has one "
                "number for each; give one run of each set, or call this once for each run"
            )
        told.add(known)
        for name, line in _lines(metrics, of_run):
            families[name].append(line)
    text = "".join(
        f"# TYPE {_PREFIX}_{name} gauge\n" + "".join(f"{line}\n" for line in lines)
        for name, lines in families.items()
        if lines
    )
    return f"{text}# EOF\n"


def _labels(metrics: Metrics) -> dict[str, str]:
    return {"benchmark": metrics["benchmark"], "subset": metrics["dataset"].get("subset") or ""}


def _lines(metrics: Metrics, of_run: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    word = metrics["breakdown"]
    for series_name, series in metrics["series"].items():
        parts: list[tuple[dict[str, str], Mapping[str, Any]]] = [({}, series)]
        if series_name == metrics["headline"]:
            parts += [({word: name}, part) for name, part in series["breakdown"][word].items()]
        for more, part in parts:
            if part["value"] is not None:
                labels = {**of_run, "series": series_name, **more}
                yield "accuracy", _sample("accuracy", labels, part["value"])
    for outcome, n in metrics["outcomes"].items():
        yield "units", _sample("units", {**of_run, "outcome": outcome}, n)
    if metrics["gate"]["exit_code"] is not None:
        yield "gate_exit_code", _sample("gate_exit_code", of_run, metrics["gate"]["exit_code"])


def _sample(name: str, labels: Mapping[str, str], value: float) -> str:
    told = ",".join(f'{_name(label)}="{_escaped(text)}"' for label, text in labels.items())
    return f"{_PREFIX}_{name}{{{told}}} {value}"


def _name(label: str) -> str:
    return "".join(c if c.isascii() and c.isalnum() else "_" for c in label)


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
