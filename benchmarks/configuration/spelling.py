"""One spelling for what may be written in several ways, and the shape of the sections."""

from collections.abc import Iterable, Mapping
from typing import Any, cast

from benchmarks.catalogue import BENCHMARKS
from benchmarks.configuration.categories import known_categories, spelled
from benchmarks.configuration.problem import KeyPath, Problem
from benchmarks.configuration.validation import shown, unknown_key, unknown_name
from benchmarks.results.gates.scopes import OVERALL

SECTIONS = ("model", "benchmark", "benchmarks", "harness", "execution", "run", "gates", "prices")
_SETTINGS = ("params", "harness", "judge")
JUDGE_SHORTHAND = {
    "id": "judge",
    "model": "judge_model",
    "prompt": "judge_prompt",
    "allow_self_judge": "allow_self_judge",
}
"""Keys of `benchmarks.<name>.judge`, and the parameter each stands for."""


class Spelling:
    """Rewrites the values of one layer; what is wrong with their shape gathers in `problems`."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []

    def of(self, written: Mapping[str, Any]) -> dict[str, Any]:
        """`written` with every section present, and one spelling for what has several.

        `judge` is folded into params, `k` and `avgk` into attempts, and a bare least accuracy is that of its
        scope. Example: ``{"model": {}, "benchmark": {"params": {}}, "benchmarks": {"gaia": {"params": {},
        "harness": {}, "by_category": {}}}, "harness": {"params": {}}, "execution": {"attempts": {"k": 3}},
        "run": {}, "gates": {"min_accuracy": {"overall": 0.6}}, "prices": {}}``.
        """
        top = self._section(written, (), SECTIONS)
        values = {name: self._section(top.get(name), (name,)) for name in SECTIONS}
        benchmark = self._section(values["benchmark"], ("benchmark",), ("params",))
        values["benchmark"] = {"params": self._section(benchmark.get("params"), ("benchmark", "params"))}
        values["harness"] = self._harness(values["harness"], ("harness",))
        values["benchmarks"] = {
            name: self._one_benchmark(name, one) for name, one in values["benchmarks"].items()
        }
        values["execution"] = self._execution(values["execution"], values["benchmark"]["params"])
        least = values["gates"].get("min_accuracy")
        if not isinstance(least, Mapping | None):
            values["gates"]["min_accuracy"] = {OVERALL: least}
        return values

    def _section(self, value: Any, at: KeyPath, known: Iterable[str] | None = None) -> dict[str, Any]:
        """A copy of a mapping without its unknown keys; a section left empty (null) is an empty mapping."""
        if not isinstance(value, Mapping | None):
            self.problems.append(Problem(at, f"{shown(value)} is refused; it must be a mapping"))
            return {}
        section = dict(cast("Mapping[str, Any]", value or {}))
        for name in [] if known is None else [name for name in section if name not in known]:
            self.problems.append(Problem((*at, name), unknown_key(name, known or ())))
            del section[name]
        return section

    def _harness(self, value: Any, at: KeyPath) -> dict[str, Any]:
        harness = self._section(value, at, ("id", "params"))
        name = harness.pop("id", None)
        harness["params"] = self._section(harness.get("params"), (*at, "params"))
        return harness if name is None else {"id": name, **harness}

    def _one_benchmark(self, name: str, value: Any) -> dict[str, Any]:
        at: KeyPath = ("benchmarks", name)
        own = self._section(value, at, (*_SETTINGS, "by_category"))
        by_category = self._section(own.pop("by_category", None), (*at, "by_category"))
        return {**self._settings(own, at), "by_category": self._by_category(name, by_category)}

    def _by_category(self, name: str, written: Mapping[str, Any]) -> dict[str, Any]:
        """The settings of each category under its canonical name."""
        at: KeyPath = ("benchmarks", name, "by_category")
        benchmark = BENCHMARKS.get(name)
        if not written or benchmark is None:
            return {}
        if benchmark.pools_categories:
            line = (
                f"is refused: {name!r} asks all its categories in one run; write it for the whole benchmark"
            )
            self.problems.append(Problem(at, line))
            return {}
        known, found = known_categories(benchmark), dict[str, Any]()
        for spelling, value in written.items():
            category, place = spelled(benchmark, spelling), (*at, spelling)
            settings = self._settings(self._section(value, place, _SETTINGS), place)
            if category not in known:
                self.problems.append(Problem(place, unknown_name("category", spelling, known)))
            elif category in found:
                self.problems.append(Problem(place, f"is {category!r} once more; keep one of the spellings"))
            elif "category" in settings["params"]:
                line = f"is refused: these are the settings of the category {category!r}; leave it out"
                self.problems.append(Problem((*place, "params", "category"), line))
            else:
                found[category] = settings
        return found

    def _settings(self, own: Mapping[str, Any], at: KeyPath) -> dict[str, Any]:
        params = self._section(own.get("params"), (*at, "params"))
        judge = self._section(own.get("judge"), (*at, "judge"), JUDGE_SHORTHAND)
        for name, given in judge.items():
            meant = JUDGE_SHORTHAND[name]
            if params.setdefault(meant, given) != given:
                line = f"is also given as params.{meant}, with another value; keep one of them"
                self.problems.append(Problem((*at, "judge", name), line))
        return {"params": params, "harness": self._harness(own.get("harness"), (*at, "harness"))}

    def _execution(self, execution: dict[str, Any], params: dict[str, Any]) -> dict[str, Any]:
        attempts = self._section(execution.get("attempts"), ("execution", "attempts"))
        for holder, at in ((execution, ("execution",)), (params, ("benchmark", "params"))):
            for name in [name for name in ("k", "avgk") if name in holder]:
                given = holder.pop(name)
                self._agree(attempts, "k", given, at=(*at, name))
                if name == "avgk":
                    self._agree(attempts, "strategy", "avg", at=(*at, name))
        return {**execution, "attempts": attempts}

    def _agree(self, attempts: dict[str, Any], name: str, given: Any, *, at: KeyPath) -> None:
        if attempts.setdefault(name, given) != given:
            line = (
                f"asks for {name} {given!r}, but another key for {attempts[name]!r}; keep execution.attempts"
            )
            self.problems.append(Problem(at, line))
