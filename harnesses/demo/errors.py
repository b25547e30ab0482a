"""What may go wrong before the demo's model answers."""


class DemoError(Exception):
    """The demo cannot start: one line with the value, the rule and the remedy."""
