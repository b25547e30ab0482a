"""One way to ask a model: a specification, a client, and the errors it may raise."""
