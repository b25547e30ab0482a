"""What is kept of a run, and the numbers reduced from it. Pure modules import neither pytest nor httpx."""
