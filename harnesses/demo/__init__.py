"""A real language model on this machine, behind an endpoint like any other: what `--demo` asks."""
