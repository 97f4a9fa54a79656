"""A prompt as a data file: versioned, named in every result, replaceable by the user."""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Generic, TypeVar

from sfumato.errors import RecipeError
from sfumato.lexicon.grammar import TextRange
from sfumato.llm.chat import Chat, Message, Reply, Request
from sfumato.llm.parse import reason
from sfumato.llm.usage import Usage
from sfumato.llm.windows import estimated, pieces, room, windows

_BLANK = re.compile(r"\{([a-z_]+)\}")
_WRITTEN: Mapping[str, type | tuple[type, ...]] = {
    "name": str,
    "version": int,
    "user": str,
    "temperature": (int, float),
    "max_tokens": int,
}
_KNOWN = {*_WRITTEN, "system", "example_user", "example_answer", "example", "fields"}


@dataclass(frozen=True, slots=True)
class Prompt:
    """What a model is told, with {blanks} for what it is asked about."""

    name: str
    """The file's name and version; of a user's own file also a digest of its content."""
    user: str
    temperature: float
    max_tokens: int
    system: str = ""
    example: tuple[str, str] | None = None
    """A question and its answer, shown as an earlier turn."""
    examples: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """Examples by type, where a file has one for each."""
    fields: Mapping[str, Any] = field(default_factory=dict)
    """What else the file holds for the method that reads it."""

    @classmethod
    def load(cls, path: str | Path, blanks: Collection[str] = (), *, own: Path | None = None) -> Prompt:
        """A prompt from a TOML file with the keys of ours; ``blanks``: those that the question must have.

        ``own``: the folder of the shipped ones. A file from elsewhere is named with a digest of its content.
        """
        path = Path(path)
        try:
            content = path.read_bytes()
            written: dict[str, Any] = tomllib.loads(content.decode("utf-8"))
        except (OSError, ValueError) as error:
            raise RecipeError(f"prompt {path} cannot be read ({type(error).__name__}): name a TOML file") from None
        _check(path, written, blanks)
        name = f"{written['name']}@{written['version']}"
        if own is not None and path.parent != own:
            name += f"#{hashlib.sha256(content).hexdigest()[:8]}"
        shown = (written["example_user"], written["example_answer"]) if "example_user" in written else None
        return cls(
            name,
            written["user"],
            float(written["temperature"]),
            written["max_tokens"],
            written.get("system", ""),
            shown,
            {key: (one["user"], one["answer"]) for key, one in written.get("example", {}).items()},
            written.get("fields", {}),
        )

    def request(
        self, blanks: Mapping[str, str], *, example: str | None = None, schema: Mapping[str, Any] | None = None
    ) -> Request:
        """The question with its blanks filled in, after the instructions and the example (the one of a type)."""
        shown = self.examples[example] if example is not None else self.example
        turns = [Message("system", self.system.strip())] if self.system else []
        if shown is not None:
            turns += [Message("user", shown[0].strip()), Message("assistant", shown[1].strip())]
        turns.append(Message("user", filled(self.user, blanks)))
        return Request(tuple(turns), self.temperature, self.max_tokens, schema=schema)

    @property
    def size(self) -> int:
        """Characters of everything but what fills the blanks."""
        examples = [self.example or ("", ""), *self.examples.values()]
        return len(self.system) + len(self.user) + max(len(user) + len(answer) for user, answer in examples)


def filled(template: str, blanks: Mapping[str, str]) -> str:
    """A question with its {blanks} filled in; {fence} marks off texts by a line that none of them can know."""
    mark = hashlib.sha256("\0".join(blanks.values()).encode("utf-8", "surrogatepass")).hexdigest()[:12]
    values = {**blanks, "fence": f"=== {mark}"}
    # One pass: a blank that stands in a document is not filled in.
    return _BLANK.sub(lambda blank: values.get(blank[1], blank[0]), template).strip()


def _check(path: Path, written: Mapping[str, Any], blanks: Collection[str]) -> None:
    for key, kind in _WRITTEN.items():
        if not isinstance(written.get(key), kind) or isinstance(written.get(key), bool):
            wanted = "a number" if isinstance(kind, tuple) else f"of type {kind.__name__}"
            raise RecipeError(f"prompt {path}: {key} must be there, {wanted}")
    if strange := set(written) - _KNOWN:
        raise RecipeError(f"prompt {path}: no key {min(strange)!r} is known; what a method adds goes under [fields]")
    if missing := set(blanks) - set(_BLANK.findall(written["user"])):
        raise RecipeError(f"prompt {path}: user lacks the blank {{{min(missing)}}}")
    if ("example_user" in written) != ("example_answer" in written):
        raise RecipeError(f"prompt {path}: example_user and example_answer belong together")
    for one in written.get("example", {}).values():
        if not isinstance(one, Mapping) or not {"user", "answer"} <= set(one):
            raise RecipeError(f"prompt {path}: each [example.TYPE] needs user and answer")


# -- Questions from a prompt, asked of a Chat; what cannot be read is asked for again, then counted as a failure.


TRIES = 3
"""How often a question is asked at most."""
_WARMER = 0.4
"""The least temperature of a second try: the same words at 0 would give the same answer."""

T = TypeVar("T")
Blanks = Mapping[str, str]
Read = Callable[[str, Blanks], T | None]
"""What an answer says to a question; None where it cannot be read."""


class PromptRunner(Generic[T]):
    """One prompt before one Chat. ``usage`` counts what it cost and what could not be read."""

    def __init__(
        self,
        chat: Chat,
        prompt: Prompt,
        read: Read[T],
        *,
        schema: Mapping[str, Any] | None = None,
        example: str | None = None,
        room: Callable[[Blanks], int] | None = None,
    ) -> None:
        """``schema``: a JSON schema for models that can be held to one; ``example``: which of the prompt's to show.

        ``room``: tokens that the answer to a question may have, where that is less than the prompt's ``max_tokens``.
        """
        self._chat, self._prompt, self._read = chat, prompt, read
        self._schema, self._example, self._room = schema, example, room
        self.name = f"chat:{chat.name},prompt={prompt.name}"
        self.usage = Usage()
        self.failures: list[str | None] = []
        """For each question of the last ``ask`` why there is no answer; None where there is one."""

    def ask(
        self, questions: Sequence[Blanks], sample_index: int = 0, *, temperature: float | None = None
    ) -> list[T | None]:
        """What each answer says; None where none could be read. ``sample_index``: which of several answers to the same."""
        found: list[T | None] = [None] * len(questions)
        self.failures = [None] * len(questions)
        open_ = list(range(len(questions)))
        for attempt in range(TRIES):
            if not open_:
                break
            requests = [self._request(questions[at], sample_index * TRIES + attempt, temperature) for at in open_]
            for at, reply in zip(list(open_), self._chat.ask(requests), strict=True):
                self.usage.note(reply)
                found[at] = self._said(reply, questions[at])
                self.failures[at] = reason(reply) if found[at] is None else None
                if (why := self.failures[at]) is not None:
                    self.usage.miss(why)
            open_ = [at for at in open_ if found[at] is None]
        self.usage.questions += len(questions)
        self.usage.failed += len(open_)
        return found

    def _said(self, reply: Reply, question: Blanks) -> T | None:
        return None if reply.failure is not None else self._read(reply.text, question)

    def _request(self, question: Blanks, sample_index: int, temperature: float | None) -> Request:
        request = self._prompt.request(question, example=self._example, schema=self._schema)
        warmth = request.temperature if temperature is None else temperature
        if sample_index % TRIES:
            warmth = max(warmth, _WARMER)
        most = request.max_tokens if self._room is None else min(request.max_tokens, self._room(question))
        return replace(request, temperature=warmth, max_tokens=most, seed=sample_index, sample_index=sample_index)


def list_schema(key: str, item: Mapping[str, Any]) -> dict[str, Any]:
    """The schema of a JSON object with one list: what a model is asked for where it is asked for a list."""
    return {
        "type": "object",
        "properties": {key: {"type": "array", "items": dict(item)}},
        "required": [key],
        "additionalProperties": False,
    }


# -- What a model can read of a text at once, beside a prompt and the answer.


class Parts:
    """Cuts texts for one prompt before one Chat. The model is asked how much it reads when there is a text to cut."""

    def __init__(self, chat: Chat, prompt: Prompt) -> None:
        self._chat, self._prompt = chat, prompt

    def answer(self, question: Blanks) -> int:
        """Tokens that an answer may have: at most a third of what the model reads and writes."""
        context = self._chat.context
        return self._prompt.max_tokens if context is None else min(self._prompt.max_tokens, context // 3)

    def room(self, blanks: Blanks) -> int:
        """Tokens that are left for a text beside these other blanks."""
        used = sum(estimated(message.text) for message in self._prompt.request(blanks).messages)
        return room(self._chat.context, used, self.answer(blanks))

    def of(self, text: str, blanks: Blanks) -> list[str]:
        """The text; or, where it is too long, all of it in parts that end with a sentence."""
        most = self.room(blanks)
        if estimated(text) <= most:
            return [text]
        return [text[start:end] for start, end in pieces(text, most)] or [text]

    def around(self, text: str, place: TextRange, blanks: Blanks) -> TextRange:
        """As much of the text around a place as can be read at once, from one sentence's start to another's end."""
        most = self.room(blanks)
        if estimated(text) <= most:
            return 0, len(text)
        middle = sum(place) / 2
        holding = [one for one in windows(text, most, most // 2) if one[0] <= place[0] and place[1] <= one[1]]
        return min(holding, key=lambda one: abs(sum(one) / 2 - middle), default=(place[0], place[1]))
