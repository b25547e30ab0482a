"""Two runs side by side: whether NEW is worse than BASE, and how that is told."""
