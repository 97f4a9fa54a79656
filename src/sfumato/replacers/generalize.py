"""Truthful generalization: what stands there is true, says less, and does not let the original be guessed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from functools import cache
from pathlib import Path
from typing import ClassVar

from sfumato import registry
from sfumato.attacks.inference import GUESSES, Guesser
from sfumato.document import Document, Edit, Span
from sfumato.errors import RecipeError, suggest
from sfumato.knowledge.ladders.base import Mention, Rung
from sfumato.knowledge.ladders.climb import NUMBERED
from sfumato.knowledge.ladders.roles import stated_role
from sfumato.knowledge.ladders.table import UserTable
from sfumato.knowledge.language import language_of
from sfumato.knowledge.lemmas import LANGUAGES, lemma
from sfumato.models.chat import Chat
from sfumato.replacers.base import entity_of, number
from sfumato.replacers.generalize_candidates import Telling, candidates
from sfumato.replacers.generalize_chat import ChatCandidates
from sfumato.replacers.generalize_edits import edits
from sfumato.replacers.generalize_select import CHOICES, Board, Entity
from sfumato.vault.ledger import Ledger

FREQUENT = 1000
"""So many of a language's most used words tell nothing: that a court became a court gives no court away."""


class Generalize:
    """Put the most specific true generalization from which the original is not guessed; label direct identifiers."""

    paper: ClassVar[str | None] = "002"
    extra: ClassVar[str | None] = None

    def __init__(
        self,
        *,
        ledger: Ledger,
        choose: str = "under-attack",
        guesser: str | Guesser = "ladder",
        guesses: int = GUESSES,
        tables: Sequence[str | Path] = (),
        frequent: int | Collection[str] = FREQUENT,
        chat: Chat | None = None,
    ) -> None:
        """``choose``: "under-attack", "most-specific" or "least-specific"; ``guesser``: who attacks.

        ``tables``: the user's own ladders; ``frequent``: how many of a language's most used words may be shared with
        the original, or those words' lemmas themselves; ``chat``: a model that offers candidates beside the ladders.
        """
        if choose not in CHOICES:
            raise RecipeError(f"no choice {choose!r}: {suggest(choose, CHOICES)}")
        if not isinstance(guesses, int) or guesses < 1:
            raise RecipeError(f"guesses must be 1 or more; got {guesses!r}")
        if isinstance(chat, str):
            raise RecipeError("chat is a Chat object: give it through the library, Generalize(chat=...)")
        self._ledger = ledger
        self._choose = CHOICES[choose]
        self._guesses = guesses
        self._tables = [UserTable(path) for path in ([tables] if isinstance(tables, str | Path) else tables)]
        self._guesser = _named(guesser) if isinstance(guesser, str) else guesser
        self._frequent = frequent
        self._chat = ChatCandidates(chat) if chat else None

    def replace(self, document: Document, spans: Sequence[Span]) -> list[Edit]:
        language = language_of(document.text) or "en"
        mentions = [Mention(document.text, span.start, span.end, span.label, language) for span in spans]
        telling = Telling.of(mentions, self._frequent_lemmas(language), language)
        board = Board(document.text, mentions, self._entities(document, spans, mentions, telling))
        self._choose(board, self._guesser, self._guesses, telling)
        return edits(board, spans)

    def _entities(
        self, document: Document, spans: Sequence[Span], mentions: Sequence[Mention], telling: Telling
    ) -> list[Entity]:
        groups: dict[tuple[str, str], list[int]] = defaultdict(list)
        for place, span in enumerate(spans):
            groups[span.label, entity_of(document, span)].append(place)
        offered: dict[int, list[Rung]] = {}
        if self._chat:
            open_ = [group[0] for group in groups.values() if not _is_direct(spans[group[0]])]
            offered = dict(zip(open_, self._chat.offer([mentions[place] for place in open_]), strict=True))
        entities = []
        for group in groups.values():
            own = [mentions[place] for place in group]
            if any(_is_direct(spans[place]) for place in group) and not self._is_listed(own):
                rungs, named = _roles(own, group)
            else:
                rungs, named = candidates(own, self._tables, telling, offered.get(group[0], ())), frozenset()
            entities.append(Entity(group, rungs, number(self._ledger, document, spans[group[0]]), named))
        return entities

    def _is_listed(self, mentions: Sequence[Mention]) -> bool:
        """Whether the user's tables say what may stand there; people and codes are labels all the same."""
        return mentions[0].label not in NUMBERED and any(
            table.rungs(mention) for table in self._tables for mention in mentions
        )

    def _frequent_lemmas(self, language: str) -> frozenset[str]:
        if isinstance(self._frequent, int):
            return most_used(language if language in LANGUAGES else "en", self._frequent)
        return frozenset(self._frequent)


class MostSpecific(Generalize):
    """Put the first rung of the ladder, attacked or not: a baseline of paper 002."""

    def __init__(self, *, ledger: Ledger) -> None:
        super().__init__(ledger=ledger, choose="most-specific")


class LeastSpecific(Generalize):
    """Put the last rung of the ladder, attacked or not: a baseline of paper 002."""

    def __init__(self, *, ledger: Ledger) -> None:
        super().__init__(ledger=ledger, choose="least-specific")


def _named(guesser: str) -> Guesser:
    plugin = registry.get("guesser", guesser)
    if getattr(plugin, "needs_background", False):
        raise RecipeError(
            f"the guesser {guesser!r} learns from a background, which a recipe has none of: fit one and give it "
            "through the library, Generalize(guesser=...)"
        )
    found: Guesser = registry.create("guesser", guesser, {})
    return found


@cache
def most_used(language: str, most: int) -> frozenset[str]:
    """The lemmas of a language's most used words."""
    from sfumato.models.frequency import frequencies

    rarity = frequencies(language)
    return frozenset(lemma(word, language) for word in sorted(rarity, key=lambda word: (rarity[word], word))[:most])


def _is_direct(span: Span) -> bool:
    return span.label in NUMBERED or span.identifier == "direct"


def _roles(mentions: Sequence[Mention], places: Sequence[int]) -> tuple[tuple[Rung, ...], frozenset[int]]:
    """The role that the text states for a person, and the mentions beside which it is stated: those keep the label."""
    if mentions[0].label != "PERSON":
        return (), frozenset()
    stated = [stated_role(mention.text, mention.end) for mention in mentions]
    roles = {role for role in stated if role}
    if len(roles) != 1:
        return (), frozenset()
    rung = Rung(roles.pop(), 1.0, "the", source="role stated in the text")
    return (rung,), frozenset(place for place, role in zip(places, stated, strict=True) if role)
