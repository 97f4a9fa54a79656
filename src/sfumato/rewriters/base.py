"""The contract of a rewriter, and the base of those that write a text piece by piece."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Protocol, runtime_checkable

from sfumato.document import Document, Outcome, Release, Withheld
from sfumato.knowledge.grammar.sentences import Range
from sfumato.models.chat import Spent
from sfumato.models.chat.windows import joined, pieces

PROMPTS = Path(__file__).parent / "prompts"
UNUSABLE = "no answer of the language model could be used as a rewrite ({})"
"""With the reason."""


@runtime_checkable
class Rewriter(Protocol):
    """Writes whole texts anew. The docstring's first line is its purpose in ``sfumato methods``.

    A constructor that has a parameter ``chat`` is given the run's Chat; its other parameters are options.
    """

    needs_chat: ClassVar[bool]

    @property
    def spent(self) -> Spent:
        """What asking has cost so far."""
        ...

    def rewrite(self, documents: Sequence[Document]) -> list[Outcome]:
        """One outcome for each document, in order; what the model is asked about all of them is asked together."""
        ...


@dataclass(frozen=True, slots=True)
class Draft:
    """What became of a stretch of text: its new wording, or why there is none. ``trail`` never quotes the text."""

    text: str | None
    trail: tuple[str, ...] = ()
    reason: str = ""


class TextRewriter(ABC):
    """A rewriter that needs to see nothing but text. A document too long for the model is rewritten in pieces."""

    needs_chat: ClassVar[bool] = True

    def __init__(self, room: int) -> None:
        """``room``: tokens of text that the model can take at once."""
        self._room = room

    @property
    @abstractmethod
    def spent(self) -> Spent:
        """What asking has cost so far."""

    @abstractmethod
    def drafts(self, texts: Sequence[str]) -> list[Draft]:
        """One draft for each text; none is empty, and each fits the model."""

    def rewrite(self, documents: Sequence[Document]) -> list[Outcome]:
        """A rewritten release for each document; withheld where a piece of it could not be rewritten."""
        cut = [pieces(document.text, self._room) for document in documents]
        drafts = iter(
            self.drafts(
                [
                    document.text[start:end]
                    for document, ranges in zip(documents, cut, strict=True)
                    for start, end in ranges
                ]
            )
        )
        return [
            _outcome(document, ranges, [next(drafts) for _ in ranges])
            for document, ranges in zip(documents, cut, strict=True)
        ]


def _outcome(document: Document, ranges: Sequence[Range], drafts: Sequence[Draft]) -> Outcome:
    if not ranges:
        return Release.rewritten(document, document.text, ("nothing to rewrite",))
    texts, trail = list[str](), list[str]()
    for number, draft in enumerate(drafts, 1):
        where = f"piece {number} of {len(ranges)}: " if len(ranges) > 1 else ""
        if draft.text is None:
            return Withheld(document, f"{where}{draft.reason}")
        texts.append(draft.text.strip())
        trail += [f"{where}{reason}" for reason in draft.trail]
    return Release.rewritten(document, joined(document.text, ranges, texts), tuple(dict.fromkeys(trail)))
