"""Conversations written down and answered from: a run again without its model, and tests with real answers.

One JSON object a line: ``name`` and ``context`` of the model in the first, then ``key``, ``request`` and ``reply``.
The file holds questions and answers readable: treat it like the documents.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from sfumato.errors import InputError, OutputError
from sfumato.models.chat.base import Chat, Reply, Request
from sfumato.models.chat.wrapped import Wrapped, each

UNKNOWN = "the recording has no answer to this"


class RecordingChat(Wrapped):
    """A Chat whose questions and answers are added to a file as they come."""

    def __init__(self, chat: Chat, path: str | Path) -> None:
        super().__init__(chat)
        self._path = Path(path)
        self._lock = threading.Lock()

    def ask_each(self, requests: Sequence[Request]) -> Iterator[tuple[int, Reply]]:
        for number, reply in each(self.inner, requests):
            request = requests[number]
            self._write({"key": request.key, "request": asdict(request), "reply": asdict(reply)})
            yield number, reply

    def _write(self, line: dict[str, Any]) -> None:
        about = {"name": self.name, "context": self.context}
        with self._lock:
            try:
                self._path.parent.mkdir(parents=True, exist_ok=True)
                descriptor = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
                with os.fdopen(descriptor, "a", encoding="ascii") as file:
                    for one in [line] if file.tell() else [about, line]:
                        file.write(json.dumps(one, separators=(",", ":")) + "\n")
            except OSError as error:
                raise OutputError(f"{self._path}: cannot be recorded to ({error.strerror})") from None


class ReplayChat:
    """Answers from a recording, by what was asked; asked for anything else, a failure says so."""

    def __init__(self, path: str | Path, *, name: str | None = None) -> None:
        self._path = Path(path)
        self._about, self._replies = _recorded(self._path)
        self.name: str = name or str(self._about["name"])
        self.context: int | None = self._about.get("context")

    def ask(self, requests: Sequence[Request]) -> list[Reply]:
        return [self._replies.get(request.key) or Reply("", failure=UNKNOWN) for request in requests]

    def __repr__(self) -> str:
        return f"ReplayChat({str(self._path)!r})"


def _recorded(path: Path) -> tuple[dict[str, Any], dict[str, Reply]]:
    replies: dict[str, Reply] = {}
    about: dict[str, Any] | None = None
    number = 0
    try:
        with path.open(encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):  # noqa: B007 - named in the error
                found = json.loads(line)
                if about is None:
                    about = {"name": found["name"], "context": found["context"]}
                else:
                    reply = found["reply"]
                    shown = reply["logprobs"]
                    logprobs = None if shown is None else tuple(shown)
                    # What it cost is for today's price list to say.
                    replies[found["key"]] = Reply(**{**reply, "logprobs": logprobs, "money": None})
    except OSError as error:
        raise InputError(f"{path}: the recording cannot be read ({error.strerror})") from None
    except (ValueError, KeyError, TypeError):
        raise InputError(f"{path}:{number}: not a line of a recording; record it again") from None
    if about is None:
        raise InputError(f"{path}: the recording is empty")
    return about, replies
