"""The table of contents: one plugin for each floor of the house."""

pytest_plugins = ["harnesses.plugin", "judges.plugin", "benchmarks.plugin"]
