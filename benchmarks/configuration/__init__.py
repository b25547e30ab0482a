"""What the user asked for: validated, merged, and the same for every process of a run."""
