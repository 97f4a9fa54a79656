"""Recorded and scripted chats: repeat a run without its model, and test with known answers.

A recording has one JSON object a line: ``name`` and ``context`` of the model in the first, then ``key``, ``request``
and ``reply``. It holds requests and answers in plain text: treat it like the documents.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from sfumato.errors import InputError, OutputError
from sfumato.files import CONFIDENTIAL, disk_full
from sfumato.llm.chat import Chat, ChatWrapper, ProcessLock, Reply, Request, iter_replies

UNKNOWN = "the recording has no answer to this"

ScriptedAnswer = str | Sequence[str]
"""An answer, or one for each time that the same is asked; the last one then stays."""
Script = Mapping[str, ScriptedAnswer] | Callable[[Request], str | Reply]


class RecordingChat(ChatWrapper):
    """A Chat whose requests and replies are appended to a file as they arrive."""

    def __init__(self, chat: Chat, path: str | Path) -> None:
        super().__init__(chat)
        self._path = Path(path)
        self._lock = ProcessLock()

    def ask_unordered(self, requests: Sequence[Request]) -> Iterator[tuple[int, Reply]]:
        for number, reply in iter_replies(self.inner, requests):
            request = requests[number]
            self._write({"key": request.key, "request": asdict(request), "reply": asdict(reply)})
            yield number, reply

    def _write(self, record: dict[str, Any]) -> None:
        header = {"name": self.name, "context": self.context}
        with self._lock:
            try:
                self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                descriptor = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, CONFIDENTIAL)
                with os.fdopen(descriptor, "a", encoding="ascii") as file:
                    for line in [record] if file.tell() else [header, record]:
                        file.write(json.dumps(line, separators=(",", ":")) + "\n")
            except OSError as error:
                raise disk_full(error, self._path) or OutputError(
                    f"{self._path}: the recording cannot be written ({error.strerror})"
                ) from None


class ReplayChat:
    """Answers from a recording, by the request; any other request is a failure."""

    def __init__(self, path: str | Path, *, name: str | None = None) -> None:
        self._path = Path(path)
        header, self._replies = _read_recording(self._path)
        self.name: str = name or str(header["name"])
        self.context: int | None = header.get("context")

    def ask(self, requests: Sequence[Request]) -> list[Reply]:
        return [self._replies.get(request.key) or Reply("", failure=UNKNOWN) for request in requests]

    def __repr__(self) -> str:
        return f"ReplayChat({str(self._path)!r})"


def _read_recording(path: Path) -> tuple[dict[str, Any], dict[str, Reply]]:
    replies: dict[str, Reply] = {}
    header: dict[str, Any] | None = None
    number = 0
    try:
        with path.open(encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):  # noqa: B007 - named in the error
                record = json.loads(line)
                if header is None:
                    header = {"name": record["name"], "context": record["context"]}
                else:
                    reply = record["reply"]
                    logprobs = None if reply["logprobs"] is None else tuple(reply["logprobs"])
                    # The cost follows from today's price list.
                    replies[record["key"]] = Reply(**{**reply, "logprobs": logprobs, "money": None})
    except OSError as error:
        raise InputError(f"{path}: the recording cannot be read ({error.strerror})") from None
    except (ValueError, KeyError, TypeError):
        raise InputError(f"{path}:{number}: not a line of a recording; record it again") from None
    if header is None:
        raise InputError(f"{path}: the recording is empty")
    return header, replies


class ScriptedChat:
    """Answers by the first key that occurs in the last message, or by a function, for tests and demonstrations.

    ``asked`` holds all requests so far. Tokens are counted as words.
    """

    def __init__(self, script: Script, *, name: str = "scripted", context: int | None = None) -> None:
        self._script, self.name, self.context = script, name, context
        self.asked: list[Request] = []

    def ask(self, requests: Sequence[Request]) -> list[Reply]:
        """One reply each; a request that the script does not know is a failure."""
        self.asked += requests
        return [self._reply(request) for request in requests]

    def _reply(self, request: Request) -> Reply:
        answer = self._script(request) if callable(self._script) else _find_answer(self._script, request)
        if isinstance(answer, Reply):
            return answer
        prompt_tokens = sum(len(message.text.split()) for message in request.messages)
        if answer is None:
            return Reply("", prompt_tokens, failure="the script has no answer to this")
        return Reply(answer, prompt_tokens, len(answer.split()))


def _find_answer(script: Mapping[str, ScriptedAnswer], request: Request) -> str | None:
    last = request.messages[-1].text if request.messages else ""
    for key, answer in script.items():
        if key in last:
            return answer if isinstance(answer, str) else answer[min(request.sample_index, len(answer) - 1)]
    return None
