"""Merging: runs of parts of one plan become one run."""
