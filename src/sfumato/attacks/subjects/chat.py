"""A chat model as profiler and as judge of attributes. What it says in another form than asked is counted, not read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sfumato.attacks.asking import Asking
from sfumato.attacks.subjects.matching import LESS_PRECISE, NONE, SAME
from sfumato.attacks.subjects.tags import SURE, TAGS, VALUES, Attribute, Profile
from sfumato.models.chat import Chat

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

    def __init__(self, chat: Chat) -> None:
        self._listing = Asking(chat, "list-people", {"type": "string"})
        self._asking = Asking(chat, "profile-person", _ATTRIBUTE)
        self.name = f"{self._listing.name}+{self._asking.name}"

    @property
    def spent(self) -> dict[str, int]:
        """Requests, tokens, and answers or parts of answers that could not be read, of both questions together."""
        return {key: count + self._asking.spent[key] for key, count in self._listing.spent.items()}

    def profile(self, texts: Sequence[str]) -> list[list[Profile]]:
        """The people of each text; an answer that cannot be read finds nobody."""
        found: list[list[Profile]] = [[] for _ in texts]
        worth = [number for number, text in enumerate(texts) if text.strip()]
        listed = self._listing.lists([{"text": texts[number]} for number in worth])
        people: list[tuple[int, str]] = []
        for number, answer in zip(worth, listed, strict=True):
            named = [who for who in answer or () if isinstance(who, str) and who.strip()]
            self._listing.spent["unreadable"] += answer is None or len(named) < len(answer)
            people += [(number, who) for who in dict.fromkeys(named)]
        answers = self._asking.lists([{"text": texts[number], "person": who} for number, who in people])
        for (number, who), rows in zip(people, answers, strict=True):
            found[number].append(Profile(who, self._attributes(rows)))
        return found

    def _attributes(self, rows: list[Any] | None) -> tuple[Attribute, ...]:
        read = [_attribute(row) for row in rows or ()]
        self._asking.spent["unreadable"] += rows is None or None in read
        kept: list[Attribute] = []
        for item in sorted((item for item in read if item), key=lambda item: -item.certainty):
            if sum(other.tag == item.tag for other in kept) < VALUES:
                kept.append(item)
        return tuple(kept)


class ChatJudge:
    """Decides by asking a chat model where rules cannot; each question is asked once."""

    def __init__(self, chat: Chat) -> None:
        self._asking = Asking(chat, "compare-attributes", {"type": "number", "enum": [0, 0.5, 1]})
        self.name, self.spent = self._asking.name, self._asking.spent
        self._known: dict[tuple[str, str, str], float | None] = {}

    def compare(self, tag: str, truth: str, guess: str) -> float | None:
        """1 the same, 0.5 less precise, 0 neither; None where the answer cannot be read."""
        question = (tag, truth, guess)
        if question not in self._known:
            (answer,) = self._asking.lists([{"tag": tag, "truth": truth, "guess": guess}])
            score = answer[0] if answer and len(answer) == 1 and not isinstance(answer[0], bool) else None
            self._known[question] = float(score) if score in (NONE, LESS_PRECISE, SAME) else None
            self.spent["unreadable"] += self._known[question] is None
        return self._known[question]


def _attribute(row: Any) -> Attribute | None:
    if not isinstance(row, Mapping) or set(row) != {"tag", "value", "certainty"}:
        return None
    tag, value, certainty = row["tag"], row["value"], row["certainty"]
    readable = isinstance(tag, str) and tag in TAGS and isinstance(value, str) and value.strip()
    if not readable or type(certainty) is not int or not 1 <= certainty <= SURE:
        return None
    return Attribute(tag, value.strip(), certainty)
