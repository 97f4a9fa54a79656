"""A chat model's offers of broader expressions, in the paper's one-shot form for each type (paper 002).

Nothing that a model says is taken on trust: an offer that the tables know to be a synonym, a sibling or not true is
dropped, and where an offer stands among the rungs is measured, not read off the model's order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from sfumato.knowledge.ladders.base import Mention, Rung
from sfumato.knowledge.ladders.fit.context import word_before
from sfumato.knowledge.ladders.table import article_of
from sfumato.knowledge.subsumption.pairs import Pair
from sfumato.knowledge.subsumption.tables import known
from sfumato.models.chat import Asking, Chat, Prompt, Spent
from sfumato.models.chat.asking import one_list
from sfumato.models.chat.reading.parse import strings
from sfumato.replacers.base import PROMPTS
from sfumato.replacers.generalize.order import width
from sfumato.replacers.sentence import question

OFFERS = 5
LONGEST = 120
"""Characters of a phrase."""
SHIPPED = PROMPTS / "generalize.toml"


class ChatCandidates:
    """Asks a chat model for five broader expressions of each mention, in the context of its sentence."""

    def __init__(self, chat: Chat, prompt: str | Path = SHIPPED) -> None:
        self._chat = chat
        self._prompt = Prompt.load(prompt, ("sentence", "span", "count"), own=PROMPTS)
        self._asking: dict[str, Asking[list[str]]] = {}
        self.name = f"chat:{chat.name},prompt={self._prompt.name}"

    @property
    def spent(self) -> Spent:
        """What it cost over all types."""
        return sum((asking.spent for asking in self._asking.values()), start=Spent())

    def offer(self, mentions: Sequence[Mention]) -> list[list[Rung]]:
        """What the model offers for each mention, filtered; nothing where its answer could not be read."""
        found: list[list[Rung]] = [[] for _ in mentions]
        for label in dict.fromkeys(mention.label for mention in mentions):
            places = [place for place, mention in enumerate(mentions) if mention.label == label]
            answers = self._of(label).ask([question(mentions[place], OFFERS) for place in places])
            for place, answer in zip(places, answers, strict=True):
                found[place] = _rungs(mentions[place], (answer or [])[:OFFERS], self.name)
        return found

    def _of(self, label: str) -> Asking[list[str]]:
        if label not in self._asking:
            schema = one_list("broader", {"type": "string"})
            example = label if label in self._prompt.examples else None
            self._asking[label] = Asking(self._chat, self._prompt, _said, schema=schema, example=example)
        return self._asking[label]


def _said(answer: str, question: Mapping[str, str]) -> list[str] | None:
    return in_words(strings(answer, "broader")) or None


def in_words(said: Sequence[str] | None) -> list[str]:
    """The phrases of an answer that can stand in a sentence: no bare numbers, and no sentences."""
    return [phrase for phrase in said or () if len(phrase) <= LONGEST and any(map(str.isalpha, phrase))]


def _rungs(mention: Mention, said: Sequence[str], source: str) -> list[Rung]:
    own = width(mention.said)
    rungs = [rung_of(phrase, mention, source) for phrase in said]
    return [rung for rung in rungs if rung.text and not _is_ruled_out(mention, rung.text) and rung.members > own]


def rung_of(phrase: str, mention: Mention, source: str) -> Rung:
    """A model's phrase as a rung. One without an article has that of the mention: "a [[beekeeper]]" takes "farmer"."""
    article, text = article_of(" ".join(phrase.split()).strip(" .,;:"))
    if not article and word_before(mention.text, mention.start)[0].lower() in ("a", "an"):
        article = "a"
    return Rung(text, width(text), article, source=source)


def _is_ruled_out(mention: Mention, offered: str) -> bool:
    """Whether the tables know that it is not true, or says no less: a synonym, a sibling, another place or date."""
    found = known(Pair(mention.said, offered, mention.label, language=mention.language))
    return found is not None and (found.truthful is False or found.abstract is False)
