"""Conversations written down and answered from: a run again without its model, and tests with real answers.

One JSON object a line: ``name`` and ``context`` of the model in the first, then ``key``, ``request`` and ``reply``.
The file holds questions and answers readable: treat it like the documents.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from sfumato.errors import InputError, OutputError
from sfumato.llm.chat import Chat, ChatWrapper, Reply, Request, iter_replies

UNKNOWN = "the recording has no answer to this"


class RecordingChat(ChatWrapper):
    """A Chat whose questions and answers are added to a file as they come."""

    def __init__(self, chat: Chat, path: str | Path) -> None:
        super().__init__(chat)
        self._path = Path(path)
        self._lock = threading.Lock()

    def ask_unordered(self, requests: Sequence[Request]) -> Iterator[tuple[int, Reply]]:
        for number, reply in iter_replies(self.inner, requests):
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


# -- A Chat whose answers are written down beforehand: for tests, and for trying prompts without a model.


Answer = str | Sequence[str]
"""An answer, or one for each time the same is asked; the last one then stays."""
Script = Mapping[str, Answer] | Callable[[Request], str | Reply]


class ScriptedChat:
    """Answers by the first key that stands in the last message, or by a function. The same question, the same answer.

    ``asked`` holds all that it was asked. Tokens are counted as words.
    """

    def __init__(self, script: Script, *, name: str = "scripted", context: int | None = None) -> None:
        self._script, self.name, self.context = script, name, context
        self.asked: list[Request] = []

    def ask(self, requests: Sequence[Request]) -> list[Reply]:
        """One reply each; a question the script does not know is a failure."""
        self.asked += requests
        return [self._reply(request) for request in requests]

    def _reply(self, request: Request) -> Reply:
        found = self._script(request) if callable(self._script) else _matching(self._script, request)
        if isinstance(found, Reply):
            return found
        read = sum(len(message.text.split()) for message in request.messages)
        if found is None:
            return Reply("", read, failure="the script has no answer to this")
        return Reply(found, read, len(found.split()))


def _matching(script: Mapping[str, Answer], request: Request) -> str | None:
    said = request.messages[-1].text if request.messages else ""
    for key, answer in script.items():
        if key in said:
            return answer if isinstance(answer, str) else answer[min(request.sample_index, len(answer) - 1)]
    return None
