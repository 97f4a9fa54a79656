"""A chat model's offers of broader expressions, in the paper's one-shot form for each type (paper 002).

Nothing that a model says is taken on trust: an offer that the tables know to be a synonym, a sibling or not true is
dropped, and where an offer stands among the rungs is measured, not read off the model's order.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from sfumato.attacks.asking import Asking
from sfumato.knowledge.ladders.base import Mention, Rung
from sfumato.knowledge.ladders.table import article_of
from sfumato.knowledge.subsumption.pairs import Pair
from sfumato.knowledge.subsumption.tables import known
from sfumato.models.chat import Chat
from sfumato.replacers.generalize_order import width

OFFERS = 5
_PROMPT = Path(__file__).parent / "prompts" / "generalize.toml"
_SENTENCE = re.compile(r"[.!?][\"'”’)]*\s+(?=[\"'“‘(]?[A-ZÀ-Þ0-9])|\n+")


class ChatCandidates:
    """Asks a chat model for five broader expressions of each mention, in the context of its sentence."""

    def __init__(self, chat: Chat) -> None:
        self._chat = chat
        self._asking: dict[str, Asking] = {}

    @property
    def spent(self) -> dict[str, int]:
        """Requests, tokens, and answers that could not be read, over all types."""
        counts: dict[str, int] = {}
        for asking in self._asking.values():
            for key, value in asking.spent.items():
                counts[key] = counts.get(key, 0) + value
        return counts

    def offer(self, mentions: Sequence[Mention]) -> list[list[Rung]]:
        """What the model offers for each mention, filtered; nothing where its answer could not be read."""
        found: list[list[Rung]] = [[] for _ in mentions]
        for label in dict.fromkeys(mention.label for mention in mentions):
            asking = self._of(label)
            places = [place for place, mention in enumerate(mentions) if mention.label == label]
            answers = asking.lists([_question(mentions[place]) for place in places])
            for place, answer in zip(places, answers, strict=True):
                said = [item for item in answer or () if isinstance(item, str)]
                if not said:
                    asking.spent["unreadable"] += 1
                found[place] = _rungs(mentions[place], said[:OFFERS])
        return found

    def _of(self, label: str) -> Asking:
        if label not in self._asking:
            self._asking[label] = Asking(self._chat, _PROMPT, {"type": "string"}, example=label)
        return self._asking[label]


def _question(mention: Mention) -> dict[str, str]:
    borders = [0, *(match.end() for match in _SENTENCE.finditer(mention.text)), len(mention.text)]
    start = max(border for border in borders if border <= mention.start)
    end = min(border for border in borders if border >= mention.end)
    marked = f"{mention.text[start : mention.start]}[[{mention.said}]]{mention.text[mention.end : end]}"
    return {"sentence": marked.strip(), "span": mention.said, "count": str(OFFERS)}


def _rungs(mention: Mention, said: Sequence[str]) -> list[Rung]:
    own = width(mention.said)
    rungs = []
    for phrase in said:
        article, text = article_of(" ".join(phrase.split()).strip(" .,;:"))
        if text and not _is_ruled_out(mention, text) and width(text) > own:
            rungs.append(Rung(text, width(text), article, source="chat"))
    return rungs


def _is_ruled_out(mention: Mention, offered: str) -> bool:
    """Whether the tables know that it is not true, or says no less: a synonym, a sibling, another place or date."""
    found = known(Pair(mention.said, offered, mention.label, language=mention.language))
    return found is not None and (found.truthful is False or found.abstract is False)
