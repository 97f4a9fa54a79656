"""An abstraction in place of each span, one of three that a model offers for it: the way of Dou et al."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar

from sfumato.document import Document, Edit, Span
from sfumato.knowledge.ladders.base import Mention, Rung
from sfumato.models.chat import Asking, Chat, Prompt
from sfumato.models.chat.asking import one_list
from sfumato.models.chat.reading.parse import strings
from sfumato.phrases import folded
from sfumato.replacers.base import PROMPTS, Ahead, Known, number
from sfumato.replacers.generalize.candidates import Telling
from sfumato.replacers.generalize.chat import in_words, rung_of
from sfumato.replacers.generalize.edits import edits
from sfumato.replacers.generalize.entities import grouped, is_direct, mentions_of, most_used
from sfumato.replacers.generalize.select import Board, Entity
from sfumato.replacers.sentence import question
from sfumato.vault.ledger import Ledger

OFFERS = 3
ROUNDS = 2
"""How often a span is asked about: once more where all that was offered repeats it."""


class Abstract:
    """Put one of three abstractions of a span that a language model offers; label direct identifiers."""

    paper: ClassVar[str | None] = "002"
    needs_chat: ClassVar[bool] = True

    def __init__(self, *, ledger: Ledger, chat: Chat, prompt: str | Path = PROMPTS / "abstract.toml") -> None:
        """``prompt``: a file with the keys of prompts/abstract.toml."""
        read = Prompt.load(prompt, ("sentence", "span", "count"), own=PROMPTS)
        self._asking = Asking(chat, read, _said, schema=one_list("abstractions", {"type": "string"}))
        self._ledger = ledger
        self._offers: dict[tuple[str, str], dict[Known, list[str]]] = {}
        self.name, self.spent = self._asking.name, self._asking.spent

    def prepare(self, batch: Sequence[Ahead]) -> None:
        """Ask for the abstractions of several documents at once; ``replace`` then asks nobody."""
        self._offers = {}
        open_: list[tuple[dict[Known, list[str]], Known, list[Mention], Telling]] = []
        for document, spans, _ in batch:
            mentions, groups = mentions_of(document, spans), grouped(document, spans)
            telling = _telling(mentions)
            own = self._offers[document.id, document.text] = {key: [] for key in groups}
            open_ += [
                (own, key, [mentions[place] for place in group], telling)
                for key, group in groups.items()
                if not any(is_direct(spans[place]) for place in group)
            ]
        for draw in range(ROUNDS):
            answers = self._asking.ask([question(same[0], OFFERS) for _, _, same, _ in open_], draw)
            left = []
            for asked, answer in zip(open_, answers, strict=True):
                own, key, same, telling = asked
                own[key] = [text for text in (answer or [])[:OFFERS] if not _repeats(text, same, telling)]
                if answer is not None and not own[key]:
                    left.append(asked)
            open_ = left

    def replace(self, document: Document, spans: Sequence[Span]) -> list[Edit]:
        mentions, groups = mentions_of(document, spans), grouped(document, spans)
        if groups.keys() - self._offers.get((document.id, document.text), {}).keys():
            self.prepare([Ahead(document, spans, spans)])
        offers = self._offers.get((document.id, document.text), {})
        entities = [
            Entity(
                group,
                self._drawn(document, key, mentions[group[0]], offers[key]),
                number(self._ledger, document, spans[group[0]]),
            )
            for key, group in groups.items()
        ]
        return edits(Board(document.text, mentions, entities), spans)

    def _drawn(self, document: Document, key: Known, mention: Mention, offers: Sequence[str]) -> tuple[Rung, ...]:
        """One of the offers, which are in no order; the recipe's seed says which."""
        if not offers:
            return ()
        drawn = self._ledger.random_bytes(document, "abstract", *key)
        return (rung_of(offers[int.from_bytes(drawn[:8], "big") % len(offers)], mention, self.name),)


def _telling(mentions: Sequence[Mention]) -> Telling:
    language = mentions[0].language if mentions else "en"
    return Telling.of(mentions, most_used(language), language)


def _said(answer: str, question: Mapping[str, str]) -> list[str] | None:
    found = in_words(strings(answer, "abstractions"))
    return [" ".join(phrase.split()).strip(" .,;:[]") for phrase in found] or None


def _repeats(offered: str, mentions: Sequence[Mention], telling: Telling) -> bool:
    """Whether it says the original, has telling words or a number of it, or says what another span hides."""
    if not offered or telling.quotes(offered):
        return True
    return any(
        folded(mention.said) in folded(offered)
        or telling.gives_away(Rung(offered, 0.0), mention)
        or telling.has_words_of(mention, offered)
        for mention in mentions
    )
