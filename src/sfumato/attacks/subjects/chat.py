"""A chat model as profiler and as judge of attributes. What it says in another form than asked is counted, not read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from sfumato.attacks.base import PROMPTS
from sfumato.attacks.subjects.matching import LESS_PRECISE, NONE, SAME
from sfumato.attacks.subjects.tags import SURE, TAGS, VALUES, Attribute, Profile
from sfumato.models.chat import Asking, Chat, Prompt, Spent
from sfumato.models.chat.asking import one_list
from sfumato.models.chat.parts import Parts
from sfumato.models.chat.reading.parse import listed, strings

_LONGEST_DESCRIPTION = 300
"""Characters of the line by which a person is told from others."""
_ATTRIBUTE = {
    "type": "object",
    "properties": {
        "tag": {"type": "string", "enum": list(TAGS)},
        "value": {"type": "string"},
        "certainty": {"type": "integer", "minimum": 1, "maximum": SURE},
    },
    "required": ["tag", "value", "certainty"],
    "additionalProperties": False,
}


class ChatProfiler:
    """Asks first for the people of a text, then for each person's attributes."""

    def __init__(self, chat: Chat, prompt: str | Path = PROMPTS / "profile-person.toml") -> None:
        """``prompt``: a file with the keys of prompts/profile-person.toml."""
        listing = Prompt.load(PROMPTS / "list-people.toml", ("text",), own=PROMPTS)
        profiling = Prompt.load(prompt, ("text", "person"), own=PROMPTS)
        self._parts = Parts(chat, profiling)
        people = one_list("people", {"type": "string"})
        self._listing = Asking(chat, listing, _people, schema=people, room=Parts(chat, listing).answer)
        self._asking = Asking(
            chat, profiling, _attributes, schema=one_list("attributes", _ATTRIBUTE), room=self._parts.answer
        )
        self.name = f"{self._listing.name}+{self._asking.name}"

    @property
    def spent(self) -> Spent:
        """What both questions cost together."""
        return self._listing.spent + self._asking.spent

    def profile(self, texts: Sequence[str]) -> list[list[Profile]]:
        """The people of each text; an answer that cannot be read finds nobody.

        A text too long to be read at once is read in parts; who is described in the same words in two is one person.
        """
        parts = [
            (number, part)
            for number, text in enumerate(texts)
            if text.strip()
            for part in self._parts.of(text, {"text": "", "person": " " * _LONGEST_DESCRIPTION})
        ]
        listed_ = self._listing.ask([{"text": part} for _, part in parts])
        people = [
            (number, part, who)
            for (number, part), answer in zip(parts, listed_, strict=True)
            for who in dict.fromkeys(one[:_LONGEST_DESCRIPTION] for one in answer or ())
        ]
        answers = self._asking.ask([{"text": part, "person": who} for _, part, who in people])
        found: list[dict[str, list[Attribute]]] = [{} for _ in texts]
        for (number, _, who), read in zip(people, answers, strict=True):
            found[number].setdefault(who, []).extend(read or ())
        return [[Profile(who, _most_certain(read)) for who, read in own.items()] for own in found]


def _people(answer: str, question: Mapping[str, str]) -> list[str] | None:
    return strings(answer, "people")


def _attributes(answer: str, question: Mapping[str, str]) -> list[Attribute] | None:
    """Those in the form asked for; an answer with none of them in it is not read."""
    rows = listed(answer, "attributes")
    read = [one for row in rows or () if (one := _attribute(row))]
    return None if rows is None or (rows and not read) else read


def _most_certain(read: Sequence[Attribute]) -> tuple[Attribute, ...]:
    kept: list[Attribute] = []
    for item in sorted(read, key=lambda item: -item.certainty):
        if sum(other.tag == item.tag for other in kept) < VALUES:
            kept.append(item)
    return tuple(kept)


class ChatJudge:
    """Decides by asking a chat model where rules cannot; each question is asked once."""

    def __init__(self, chat: Chat, prompt: str | Path = PROMPTS / "compare-attributes.toml") -> None:
        """``prompt``: a file with the keys of prompts/compare-attributes.toml."""
        read = Prompt.load(prompt, ("tag", "truth", "guess"), own=PROMPTS)
        schema = one_list("scores", {"type": "number", "enum": [NONE, LESS_PRECISE, SAME]})
        self._asking = Asking(chat, read, _score, schema=schema)
        self.name, self.spent = self._asking.name, self._asking.spent
        self._known: dict[tuple[str, str, str], float | None] = {}

    def prepare(self, questions: Iterable[tuple[str, str, str]]) -> None:
        """Ask about many pairs at once: tag, truth, guess. ``compare`` then has their answers."""
        new = list(dict.fromkeys(question for question in questions if question not in self._known))
        asked = [dict(zip(("tag", "truth", "guess"), question, strict=True)) for question in new]
        self._known |= zip(new, self._asking.ask(asked), strict=True)

    def compare(self, tag: str, truth: str, guess: str) -> float | None:
        """1 the same, 0.5 less precise, 0 neither; None where the answer cannot be read."""
        question = (tag, truth, guess)
        self.prepare([question])
        return self._known[question]


def _score(answer: str, question: Mapping[str, str]) -> float | None:
    found = listed(answer, "scores")
    if found is None or len(found) != 1 or isinstance(found[0], bool) or found[0] not in (NONE, LESS_PRECISE, SAME):
        return None
    return float(found[0])


def _attribute(row: Any) -> Attribute | None:
    if not isinstance(row, Mapping) or set(row) != {"tag", "value", "certainty"}:
        return None
    tag, value, certainty = row["tag"], row["value"], row["certainty"]
    readable = isinstance(tag, str) and tag in TAGS and isinstance(value, str) and value.strip()
    if not readable or type(certainty) is not int or not 1 <= certainty <= SURE:
        return None
    return Attribute(tag, value.strip(), certainty)
