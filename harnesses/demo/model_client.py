"""Asks the model over HTTP: one request at a time, each from a remembered state, so that replies repeat.

llama.cpp can reuse what it computed for the beginning of a prompt, which saves most of the time, but whatever
request came before decides what is reused, and small differences in rounding then change replies. Here the
state of the model after each turn is kept in a file, and a request begins from the state of its own longest
beginning: what a conversation gets depends on that conversation alone.
"""

import hashlib
import http.client
import json
import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from harnesses.endpoint.json_values import as_object, as_objects
from harnesses.endpoint.messages import Message

TIMEOUT_S = 600.0
"""Seconds until one reply must be there; its tokens are bounded, so only a hung process takes that long."""

MAX_STATES = 8
"""Conversations whose last turn is remembered: 23 KB a token with the default model, about 20 MB each."""


@dataclass(frozen=True, kw_only=True)
class ModelReply:
    """What the model's server said. `body` is its JSON, or the text of it under ``"error"``."""

    status: int
    body: Mapping[str, Any]

    @property
    def text(self) -> str:
        """The content of the first choice; "" where there is none."""
        return str(as_object(self._choice.get("message")).get("content") or "")

    @property
    def finish_reason(self) -> str | None:
        """Why the first choice ended, e.g. "stop" or "length"; ``None`` where there is none."""
        return self._choice.get("finish_reason")

    @property
    def _choice(self) -> Mapping[str, Any]:
        choices = as_objects(self.body.get("choices"))
        return choices[0] if choices else {}


class ModelClient:
    """Talks to llama.cpp's server at `url` with `key`; may be used from many threads."""

    def __init__(self, url: str, key: str) -> None:
        parts = urlsplit(url)
        self._host, self._port = parts.hostname or "", parts.port
        self._key = key
        self._turn = threading.Lock()
        self._openings: set[str] = set()
        self._states: OrderedDict[str, str] = OrderedDict()
        """The file of each remembered conversation, the one used last at the end."""

    def chat(self, body: Mapping[str, Any]) -> ModelReply:
        """One reply to `body`, from nothing remembered.

        Raises:
            OSError, http.client.HTTPException: The server does not answer.
        """
        with self._turn:
            return self._post("/v1/chat/completions", {**body, "cache_prompt": False})

    def continue_chat(self, body: Mapping[str, Any], *, n_opening: int) -> ModelReply:
        """One reply to `body`, from the state of its longest remembered beginning.

        Args:
            body: A chat request.
            n_opening: How many of its messages stand before every conversation of this kind.

        Raises:
            OSError, http.client.HTTPException: The server does not answer.
        """
        messages: Sequence[Message] = body["messages"]
        with self._turn:
            restored = self._restore(messages, n_opening)
            reply = self._post("/v1/chat/completions", {**body, "cache_prompt": restored})
            if restored and reply.status == 200:
                self._remember([*messages, {"role": "assistant", "content": reply.text}])
            return reply

    def _restore(self, messages: Sequence[Message], n_opening: int) -> bool:
        """Bring the state of the longest remembered beginning back; False if there is none to be had."""
        for end in range(len(messages), n_opening, -1):
            name = _name(messages[:end])
            if name in self._states and self._slot("restore", self._states[name]):
                self._states.move_to_end(name)
                return True
        opening = list(messages[:n_opening])
        name = _name(opening)
        if name not in self._openings:
            request = {"messages": opening, "max_tokens": 1, "temperature": 0, "cache_prompt": False}
            if self._post("/v1/chat/completions", request).status != 200 or not self._slot("save", name):
                return False
            self._openings.add(name)
        return self._slot("restore", name)

    def _remember(self, messages: Sequence[Message]) -> None:
        name = _name(messages)
        if name in self._states or len(self._states) < MAX_STATES:
            file = self._states.get(name, name)
        else:
            # The file of the state that goes is written over: each takes 20 MB of the disk.
            _, file = self._states.popitem(last=False)
        self._slot("save", file)
        self._states[name] = file
        self._states.move_to_end(name)

    def _slot(self, action: str, name: str) -> bool:
        return self._post(f"/slots/0?action={action}", {"filename": name}).status == 200

    def _post(self, path: str, body: Mapping[str, Any]) -> ModelReply:
        connection = http.client.HTTPConnection(self._host, self._port, timeout=TIMEOUT_S)
        try:
            headers = {"Content-Type": "application/json", "Authorization": f"Bearer {self._key}"}
            connection.request("POST", path, json.dumps(body), headers)
            response = connection.getresponse()
            return ModelReply(status=response.status, body=_body(response.read()))
        finally:
            connection.close()


def _name(messages: Sequence[Message]) -> str:
    """A file name for the state after `messages`."""
    return f"{hashlib.sha256(json.dumps(messages).encode()).hexdigest()[:32]}.state"


def _body(content: bytes) -> Mapping[str, Any]:
    try:
        value: Any = json.loads(content)
    except ValueError:
        value = None
    return as_object(value) or {
        "error": {"message": content.decode("utf-8", "replace")[:200], "type": "server_error"}
    }
