"""Questions from a prompt file, asked of a Chat; answers are one JSON object with one list, or they are not read."""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sfumato.models.chat import Chat, Message, Request, json_object

FOLDER = Path(__file__).parent / "prompts"
_BLANK = re.compile(r"\{([a-z]+)\}")


class Asking:
    """One of our prompts before one Chat. ``spent`` counts requests, tokens, and answers that could not be read."""

    def __init__(self, chat: Chat, prompt: str | Path, item: Mapping[str, Any], example: str | None = None) -> None:
        """``prompt``: a file of ours by its stem, or any by its path; ``item``: the schema of what the answer lists.

        ``example``: which of the file's examples to show, where it has one for each type.
        """
        self._chat = chat
        path = prompt if isinstance(prompt, Path) else FOLDER / f"{prompt}.toml"
        self._file = tomllib.loads(path.read_text(encoding="utf-8"))
        shown = self._file["example"][example] if example else self._file
        self._example = (shown["user" if example else "example_user"], shown["answer" if example else "example_answer"])
        self._key = str(next(iter(json_object(self._example[1]) or {})))
        self._schema = {
            "type": "object",
            "properties": {self._key: {"type": "array", "items": dict(item)}},
            "required": [self._key],
            "additionalProperties": False,
        }
        self.name = f"chat:{chat.name},prompt={path.stem}@{self._file['version']}"
        self.spent = {"requests": 0, "prompt_tokens": 0, "generated_tokens": 0, "unreadable": 0}

    def lists(self, questions: Sequence[Mapping[str, str]], draw: int = 0) -> list[list[Any] | None]:
        """The list that each answer holds; None where there is no such answer. ``draw``: which of several answers."""
        replies = self._chat.ask([self._request(blanks, draw) for blanks in questions])
        found = []
        for reply in replies:
            answer = None if reply.failure else (json_object(reply.text) or {}).get(self._key)
            found.append(answer if isinstance(answer, list) else None)
            self.spent["requests"] += 1
            self.spent["prompt_tokens"] += reply.prompt_tokens
            self.spent["generated_tokens"] += reply.generated_tokens
        return found

    def _request(self, blanks: Mapping[str, str], draw: int) -> Request:
        turns = [
            Message("system", self._file["system"].strip()),
            Message("user", self._example[0].strip()),
            Message("assistant", self._example[1].strip()),
            Message("user", filled(self._file["user"], blanks)),
        ]
        settings = (self._file["temperature"], self._file["max_tokens"])
        return Request(tuple(turns), *settings, seed=draw, schema=self._schema, draw=draw)


def filled(template: str, blanks: Mapping[str, str]) -> str:
    """A question with its {blanks} filled in; {fence} marks off texts by a line that none of them can know."""
    mark = hashlib.sha256("\0".join(blanks.values()).encode("utf-8", "surrogatepass")).hexdigest()[:12]
    values = {**blanks, "fence": f"=== {mark}"}
    # One pass: a blank that stands in a document is not filled in.
    return _BLANK.sub(lambda blank: values.get(blank[1], blank[0]), template).strip()
