"""Ground floor: drives a model from a prompt to an attempt."""
