"""A text in claims: its sentences, cut into clauses. No model; offsets are kept; clauses are found in English only.

A claim is a stretch of the text as it stands: "and is a nurse" becomes "is a nurse", not "she is a nurse".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from sfumato.knowledge.grammar.function_words import AUXILIARIES
from sfumato.knowledge.grammar.lemmas import content_lemmas, words
from sfumato.knowledge.grammar.sentences import sentences
from sfumato.knowledge.grammar.word_classes import word_classes
from sfumato.models.base import Range

_JOINT = re.compile(
    r"[,;:–—]?\s+(?:and|but|or|nor|yet|so)\s+"
    r"|[,;:]\s+|\s+[–—]\s+"
    r"|[,;:]?\s+(?=(?:who|whom|whose|which|where|when|while|whereas|because|although|though|since|until|after|before|if"
    r"|unless)\s)",
    re.IGNORECASE,
)
"""What may part two clauses: a sign or a conjunction goes, a relative or subordinating word stays with its clause."""
_VERBS = frozenset({"verb", "past", "participle"})
_LEAST_WORDS = 3
_EDGES = " \t\r\n,;:.!?…\"'“”‘’–—"


@dataclass(frozen=True, slots=True)
class Claim:
    """One piece of information; ``place`` is where it stands in the text, where it was taken from there."""

    text: str
    place: Range | None = None


class Splitter(Protocol):
    """Takes a text apart into claims."""

    name: str

    def split(self, texts: Sequence[str]) -> list[list[Claim]]:
        """The claims of each text, in its order."""
        ...


class Clauses:
    """Sentences, cut where a conjunction, a comma or a relative word parts two clauses with a verb each."""

    name = "clauses"

    def split(self, texts: Sequence[str]) -> list[list[Claim]]:
        """Claims with their places, sorted and disjoint; stretches without a word that means something are left out."""
        return [self._split(text) for text in texts]

    def _split(self, text: str) -> list[Claim]:
        found = (_trimmed(text, *place) for sentence in sentences(text) for place in _clauses(text, *sentence))
        return [Claim(text[start:end], (start, end)) for start, end in found if content(text[start:end])]


def content(text: str) -> list[str]:
    """What a claim is compared by: base forms of its words, stop words aside, and its numbers."""
    return content_lemmas(text) + [word.lower() for word in words(text) if any(map(str.isdigit, word))]


def _clauses(text: str, start: int, end: int) -> Iterator[Range]:
    """Pieces between joints; one that cannot stand alone goes with the piece before it, the first with the next."""
    begin = start
    for joint in _JOINT.finditer(text, start, end):
        if _is_clause(text[begin : joint.start()]) and _begins_clause(text, joint.end(), end):
            yield begin, joint.start()
            begin = joint.end()
    yield begin, end


def _begins_clause(text: str, start: int, end: int) -> bool:
    """Whether there is a whole clause before the next joint."""
    following = _JOINT.search(text, start, end)
    return _is_clause(text[start : following.start() if following else end])


def _is_clause(text: str) -> bool:
    said = [word.lower() for word in words(text)]
    kinds = word_classes()
    return len(said) >= _LEAST_WORDS and any(word in AUXILIARIES or kinds.get(word) in _VERBS for word in said)


def _trimmed(text: str, start: int, end: int) -> Range:
    while start < end and text[start] in _EDGES:
        start += 1
    while end > start and text[end - 1] in _EDGES:
        end -= 1
    return start, end
