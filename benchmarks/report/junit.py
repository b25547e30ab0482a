"""The JUnit file that `--junitxml` asks for: within the schema of its family, with the gate (controller).

pytest writes it. A wrong answer is a failure, trouble an error, what was reached and not asked is skipped,
and times are those of the attempts, since that is what the reports say. Two things are done here.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import pytest

_STRICT_FAMILY = "xunit2"


class JUnitFile:
    """Watches over what pytest's JUnit writer gets.

    The strict family (`xunit2`, the default; schema junit-10.xsd of Jenkins' xunit plugin) allows a test case
    no properties, yet pytest writes those of a report in either family. Here they are taken off; the legacy
    family keeps them.
    """

    def __init__(self, config: pytest.Config) -> None:
        is_written = bool(config.getoption("xmlpath", None))
        self._config = config
        self._is_strict = is_written and config.getini("junit_family") == _STRICT_FAMILY
        self._failed: dict[str, pytest.TestReport] = {}

    def watch(self, report: pytest.TestReport) -> None:
        """Take the properties off where pytest's writer reads them: from the last report of an item.

        That is its tear-down's, or, where the tear-down fails after the test failed, the test's own. Other
        reports keep theirs: other writers show them.
        """
        if not self._is_strict:
            return
        if report.when == "call" and report.failed:
            self._failed[report.nodeid] = report
        if report.when == "teardown":
            report.user_properties = []
            failed = self._failed.pop(report.nodeid, None)
            if failed is not None and report.failed:
                failed.user_properties = []

    def tell(self, runs: Iterable[tuple[str, Mapping[str, Any]]]) -> None:
        """Put result and gate of each run into the properties of the test suite, which both families allow.

        Args:
            runs: Key and metrics of each.
        """
        for plugin in self._config.pluginmanager.get_plugins():
            add = getattr(plugin, "add_global_property", None)
            if callable(add):
                for name, value in _properties(runs):
                    add(name, value)


def _properties(runs: Iterable[tuple[str, Mapping[str, Any]]]) -> list[tuple[str, str]]:
    return [
        pair
        for key, metrics in runs
        for pair in (
            (f"{key}: accuracy", _share(metrics["series"][metrics["headline"]]["value"])),
            (f"{key}: gate", metrics["gate"]["status"]),
            (f"{key}: gate sentence", metrics["gate"]["sentence"]),
        )
    ]


def _share(value: float | None) -> str:
    return "not measured" if value is None else str(value)
