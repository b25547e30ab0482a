"""The ids of tool calls in a conversation, where a server wants each of them once."""


class CallIds:
    """The ids of tool calls as they go out: each names one call of the conversation.

    Servers send one id twice, in a turn or in the next, and others refuse a conversation that repeats it.
    """

    def __init__(self) -> None:
        self._given: set[str] = set()
        self._unanswered: dict[str, list[str]] = {}

    def begin_turn(self) -> None:
        """The model speaks: what was not answered by now is not answered any more."""
        self._unanswered.clear()

    def of_call(self, call_id: str) -> str:
        """The id of a call the model made: its own, or a further one where that was given before."""
        given, n = call_id, 1
        while given in self._given:
            n += 1
            given = f"{call_id}_{n}"
        self._given.add(given)
        self._unanswered.setdefault(call_id, []).append(given)
        return given

    def of_result(self, call_id: str) -> str:
        """The id under which a result goes out: that of the first call with this id in its turn."""
        waiting = self._unanswered.get(call_id)
        return waiting.pop(0) if waiting else call_id
