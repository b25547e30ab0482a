"""Middle floor: grades an answer."""
