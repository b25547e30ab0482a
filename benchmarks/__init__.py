"""Top floor: what is asked, what counts, what is written."""
