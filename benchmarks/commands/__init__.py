"""Small commands behind `python -m benchmarks`: they make inputs before a session or read records after."""
