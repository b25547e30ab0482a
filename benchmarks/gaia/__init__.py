"""GAIA: a benchmark for general AI assistants (Mialon et al., 2023, arXiv 2311.12983)."""
