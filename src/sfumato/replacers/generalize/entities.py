"""The things that a document's spans are about, and what the text itself says of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from functools import cache

from sfumato.document import Document, Span
from sfumato.knowledge.grammar.language import language_of
from sfumato.knowledge.grammar.lemmas import LANGUAGES, lemma
from sfumato.knowledge.ladders.base import Mention, Rung
from sfumato.knowledge.ladders.climb import NUMBERED
from sfumato.knowledge.ladders.roles import stated_role
from sfumato.replacers.base import Known, known_by

FREQUENT = 1000
"""So many of a language's most used words tell nothing: that a court became a court gives no court away."""


def mentions_of(document: Document, spans: Sequence[Span]) -> list[Mention]:
    """The spans in their document."""
    language = language_of(document.text) or "en"
    return [Mention(document.text, span.start, span.end, span.label, language) for span in spans]


def grouped(document: Document, spans: Sequence[Span]) -> dict[Known, list[int]]:
    """The numbers of the spans that are about one thing, by what it is known by."""
    groups: dict[Known, list[int]] = defaultdict(list)
    for place, span in enumerate(spans):
        groups[known_by(document, span)].append(place)
    return dict(groups)


@cache
def most_used(language: str, most: int = FREQUENT) -> frozenset[str]:
    """The lemmas of a language's most used words; of one without a table, of English."""
    from sfumato.models.frequency import frequencies

    language = language if language in LANGUAGES else "en"
    rarity = frequencies(language)
    return frozenset(lemma(word, language) for word in sorted(rarity, key=lambda word: (rarity[word], word))[:most])


def is_direct(span: Span) -> bool:
    """Whether it names someone by itself, so that a label stands in its place."""
    return span.label in NUMBERED or span.identifier == "direct"


def roles(mentions: Sequence[Mention], places: Sequence[int]) -> tuple[tuple[Rung, ...], frozenset[int]]:
    """The role that the text states for a person, and the mentions beside which it is stated: those keep the label."""
    if mentions[0].label != "PERSON":
        return (), frozenset()
    stated = [stated_role(mention.text, mention.end) for mention in mentions]
    roles = {role for role in stated if role}
    if len(roles) != 1:
        return (), frozenset()
    rung = Rung(roles.pop(), 1.0, "the", source="role stated in the text")
    return (rung,), frozenset(place for place, role in zip(places, stated, strict=True) if role)
