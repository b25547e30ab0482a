"""What the child process refuses: the line that the user shall read."""


class RefusedError(Exception):
    """What the parent process shall tell the user, in one line."""


def first_line(error: BaseException) -> str:
    """The class of `error` and the first line of what it says, at most 200 characters of it."""
    said = str(error).strip().splitlines()
    return f"{type(error).__name__}: {said[0][:200]}" if said else type(error).__name__
