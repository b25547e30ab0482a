"""The gate: whether the numbers of a run let CI go on."""
