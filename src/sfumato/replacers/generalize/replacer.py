"""Truthful generalization: what stands there is true, says less, and does not let the original be guessed."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from sfumato import registry
from sfumato.attacks.inference.attack import GUESSES, Guesser
from sfumato.document import Document, Edit, Span
from sfumato.errors import RecipeError, suggest
from sfumato.knowledge.ladders.base import Mention, Rung
from sfumato.knowledge.ladders.climb import NUMBERED, climb
from sfumato.knowledge.ladders.table import UserTable
from sfumato.models.chat import Chat, Spent
from sfumato.replacers.base import Ahead, Known, number
from sfumato.replacers.generalize.candidates import Telling, candidates
from sfumato.replacers.generalize.chat import SHIPPED, ChatCandidates
from sfumato.replacers.generalize.edits import edits
from sfumato.replacers.generalize.entities import FREQUENT, grouped, is_direct, mentions_of, most_used, roles
from sfumato.replacers.generalize.select import CHOICES, Board, Entity
from sfumato.vault.ledger import Ledger

SOURCES = ("ladders", "chat", "both")


class Generalize:
    """Put the most specific true generalization from which the original is not guessed; label direct identifiers."""

    paper: ClassVar[str | None] = "002"

    @staticmethod
    def needs_chat(options: Mapping[str, Any]) -> bool:
        """Only where its options ask for a language model's candidates or guesses."""
        return options.get("candidates", "ladders") != "ladders" or options.get("guesser") == "chat"

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
        candidates: str = "ladders",
        prompt: str | Path = SHIPPED,
    ) -> None:
        """``choose``: "under-attack", "most-specific" or "least-specific"; ``guesser``: who attacks.

        ``tables``: the user's own ladders; ``frequent``: how many of a language's most used words may be shared with
        the original, or those words' lemmas themselves. ``candidates``: from "ladders", from the "chat" (dates from
        ladders all the same, as in the paper), or from "both"; ``prompt``: what that is asked, a file with the keys of
        prompts/generalize.toml.
        """
        if choose not in CHOICES:
            raise RecipeError(f"no choice {choose!r}: {suggest(choose, CHOICES)}")
        if not isinstance(guesses, int) or guesses < 1:
            raise RecipeError(f"guesses must be 1 or more; got {guesses!r}")
        if candidates not in SOURCES:
            raise RecipeError(f"no source of candidates {candidates!r}: {suggest(candidates, SOURCES)}")
        if candidates != "ladders" and chat is None:
            raise registry.no_chat(f"candidates = {candidates!r}")
        self._ledger = ledger
        self._choose = CHOICES[choose]
        self._guesses = guesses
        self._tables = [UserTable(path) for path in ([tables] if isinstance(tables, str | Path) else tables)]
        self._guesser = _named(guesser, chat) if isinstance(guesser, str) else guesser
        self._frequent = frequent
        self._climb = dates_alone if candidates == "chat" else climb
        self._chat = ChatCandidates(chat, prompt) if chat and candidates != "ladders" else None
        self._offered: dict[tuple[str, str], dict[Known, list[Rung]]] = {}

    @property
    def spent(self) -> Spent | None:
        """What a model was asked: for candidates, and for guesses where it is the guesser. None: there is none."""
        asked = [own for one in (self._chat, self._guesser) if (own := getattr(one, "spent", None)) is not None]
        return sum(asked, start=Spent()) if asked else None

    def prepare(self, batch: Sequence[Ahead]) -> None:
        """Ask for the candidates of several documents at once, where a model is asked."""
        self._offered = {}
        if self._chat is None:
            return
        asked: list[tuple[dict[Known, list[Rung]], Known, Mention]] = []
        for document, spans, _ in batch:
            mentions = mentions_of(document, spans)
            own = self._offered[document.id, document.text] = {}
            for known, group in grouped(document, spans).items():
                own[known] = []
                if spans[group[0]].label != "DATETIME" and not any(is_direct(spans[place]) for place in group):
                    asked.append((own, known, mentions[group[0]]))
        for (own, known, _), rungs in zip(asked, self._chat.offer([mention for *_, mention in asked]), strict=True):
            own[known] = rungs

    def replace(self, document: Document, spans: Sequence[Span]) -> list[Edit]:
        mentions = mentions_of(document, spans)
        language = mentions[0].language if mentions else "en"
        telling = Telling.of(mentions, self._frequent_lemmas(language), language)
        board = Board(document.text, mentions, self._entities(document, spans, mentions, telling))
        self._choose(board, self._guesser, self._guesses, telling)
        return edits(board, spans)

    def _entities(
        self, document: Document, spans: Sequence[Span], mentions: Sequence[Mention], telling: Telling
    ) -> list[Entity]:
        groups = grouped(document, spans)
        if self._chat and groups.keys() - self._offered.get((document.id, document.text), {}).keys():
            self.prepare([Ahead(document, spans, spans)])
        offered = self._offered.get((document.id, document.text), {})
        entities = []
        for known, group in groups.items():
            own = [mentions[place] for place in group]
            if any(is_direct(spans[place]) for place in group) and not self._is_listed(own):
                rungs, named = roles(own, group)
            else:
                rungs = candidates(own, self._tables, telling, offered.get(known, ()), self._climb)
                named = frozenset()
            entities.append(Entity(group, rungs, number(self._ledger, document, spans[group[0]]), named))
        return entities

    def _is_listed(self, mentions: Sequence[Mention]) -> bool:
        """Whether the user's tables say what may stand there; people and codes are labels all the same."""
        return mentions[0].label not in NUMBERED and any(
            table.rungs(mention) for table in self._tables for mention in mentions
        )

    def _frequent_lemmas(self, language: str) -> frozenset[str]:
        if isinstance(self._frequent, int):
            return most_used(language, self._frequent)
        return frozenset(self._frequent)


class MostSpecific(Generalize):
    """Put the first rung of the ladder, attacked or not: a baseline of paper 002."""

    def __init__(
        self, *, ledger: Ledger, chat: Chat | None = None, candidates: str = "ladders", prompt: str | Path = SHIPPED
    ) -> None:
        super().__init__(ledger=ledger, choose="most-specific", chat=chat, candidates=candidates, prompt=prompt)


class LeastSpecific(Generalize):
    """Put the last rung of the ladder, attacked or not: a baseline of paper 002."""

    def __init__(
        self, *, ledger: Ledger, chat: Chat | None = None, candidates: str = "ladders", prompt: str | Path = SHIPPED
    ) -> None:
        super().__init__(ledger=ledger, choose="least-specific", chat=chat, candidates=candidates, prompt=prompt)


def dates_alone(mention: Mention) -> Sequence[Rung]:
    """The ladder of a date; of anything else none. Paper 002 generalizes dates by rule, and asks for the rest."""
    return climb(mention) if mention.label == "DATETIME" else ()


def _named(guesser: str, chat: Chat | None) -> Guesser:
    plugin = registry.get("guesser", guesser)
    if getattr(plugin, "needs_background", False):
        raise RecipeError(
            f"the guesser {guesser!r} learns from a background, which a recipe has none of: fit one and give it "
            "through the library, Generalize(guesser=...)"
        )
    found: Guesser = registry.create("guesser", guesser, {}, chat=chat)
    return found
