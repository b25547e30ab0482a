"""The benchmarks of this house, by name."""

from collections.abc import Mapping

from benchmarks.benchmark import Benchmark
from benchmarks.gaia.benchmark import Gaia
from benchmarks.sealqa.benchmark import SealQA

BENCHMARKS: Mapping[str, Benchmark] = {"gaia": Gaia(), "sealqa": SealQA()}
"""Example: ``BENCHMARKS["gaia"].breakdown == "level"``. A new benchmark is added here."""
