"""What all judges share: a prompt before a Chat, texts cut to what it reads at once, and what a score says of both."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Generic, TypeVar

import numpy as np

from sfumato.errors import NotMeasurable, RecipeError
from sfumato.intervals import bootstrap
from sfumato.measures.base import PROMPTS
from sfumato.models.chat import Asking, Chat, Prompt
from sfumato.models.chat.asking import Blanks, Read
from sfumato.models.chat.reading.parse import rating
from sfumato.models.chat.windows import estimated, pieces, room

_LONGEST = 10_000
"""Characters of an answer; a judge is asked for a line."""
_OBJECT = re.compile(r"\{[^{}]+\}")
_TO_A_MODEL = re.compile(
    r"\b(?:ignore|disregard|forget|override|overrule)\b[^.\n]{0,40}\b(?:instruction|prompt|rubric|rule|order)s?\b"
    r"|\"(?:rating|readability|meaning|adds|answer|category)\"\s*:"
    r"|\byou are (?:now )?an? (?:\w+ )?(?:ai|assistant|chatbot|language model|judge|rater|evaluator)\b",
    re.IGNORECASE,
)

UNREADABLE = "the judge gave no answer that can be read: take a larger model"

T = TypeVar("T")


class Judge(Generic[T]):
    """A prompt, a Chat and how its answers are read. The same question is asked once."""

    def __init__(
        self,
        chat: Chat,
        prompt: Prompt,
        read: Read[T],
        schema: Mapping[str, Any],
    ) -> None:
        self._asking = Asking(chat, prompt, _unless_echoed(read), schema=schema)
        self._chat, self.prompt, self.spent = chat, prompt, self._asking.spent

    def room(self, blanks: Blanks) -> int:
        """Tokens left for what a text is put into, beside these other blanks. Raises NotMeasurable where none are."""
        request = self.prompt.request(blanks)
        used = sum(estimated(message.text) for message in request.messages)
        try:
            return room(self._chat.context, used, request.max_tokens)
        except RecipeError as error:
            raise NotMeasurable(str(error)) from error

    def ask(self, questions: Sequence[Blanks]) -> list[T | None]:
        """What each answer says; None where none can be read."""
        keys = [tuple(sorted(question.items())) for question in questions]
        different = dict(zip(keys, questions, strict=True))
        answers = dict(zip(different, self._asking.ask(list(different.values())), strict=True))
        return [answers[key] for key in keys]


def load_prompt(own: str | Path | None, shipped: str, blanks: Collection[str]) -> Prompt:
    """The shipped prompt of a name, or the user's own file in its place."""
    return Prompt.load(PROMPTS / f"{shipped}.toml" if own is None else own, blanks, own=PROMPTS)


def table(prompt: Prompt, key: str) -> Mapping[str, str]:
    """The table ``[fields.KEY]`` of a prompt, which a judge cannot do without: names with texts."""
    found = prompt.fields.get(key)
    if not isinstance(found, Mapping) or not found or not all(isinstance(text, str) for text in found.values()):
        raise RecipeError(f"prompt {prompt.name} has no table [fields.{key}] of names with texts: add one")
    return found


def parts(text: str, room: int) -> list[str]:
    """The text in pieces that fit, cut between sentences; nothing is left out but white space."""
    return [text[start:end] for start, end in pieces(text, room)]


def schema(properties: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """The schema of an object that has these properties and no others."""
    return {
        "type": "object",
        "properties": {key: dict(value) for key, value in properties.items()},
        "required": list(properties),
        "additionalProperties": False,
    }


def _unless_echoed(read: Read[T]) -> Read[T]:
    """Reads no answer that stands in the texts asked about: a document that writes one for the judge is not obeyed."""

    def checked(answer: str, question: Blanks) -> T | None:
        if len(answer) > _LONGEST:
            return None
        echoed = any(found in text for found in _OBJECT.findall(answer) for text in question.values())
        return None if echoed else read(answer, question)

    return checked


def whole(said: object, low: int, high: int) -> int | None:
    """The grade that stands in its place in an answer; None where it is none, or out of range."""
    if isinstance(said, bool) or not isinstance(said, int | float | str):
        return None
    return rating(str(said), low, high)


def addressed(texts: Iterable[str]) -> dict[str, int]:
    """How many texts speak to a model, or write an answer for it: a score that they may have moved says so."""
    found = sum(bool(_TO_A_MODEL.search(text)) for text in texts)
    return {"speaks_to_models": found} if found else {}


def change(before: Mapping[str, float | None], after: Mapping[str, float | None]) -> dict[str, Any] | None:
    """Mean of after − before over the documents that have both, with a bootstrap interval; None where none has."""
    both = [key for key in after if after[key] is not None and before.get(key) is not None]
    if not both:
        return None
    old, new = (np.array([of[key] for key in both], np.float64) for of in (before, after))
    found = new - old
    interval = bootstrap([found], lambda drawn: drawn.mean(-1))
    return {"value": float(found.mean()), "interval": list(interval), "n": len(both)}


def average(values: Iterable[float | None]) -> float | None:
    """The mean of what is known."""
    known = [value for value in values if value is not None]
    return float(np.mean(known)) if known else None
