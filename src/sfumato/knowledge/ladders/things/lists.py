"""What our lists of things by kind say of a phrase: of all of it, of its end, of the things it enumerates."""

from __future__ import annotations

import re

from sfumato.knowledge.grammar.inflection import in_singular
from sfumato.knowledge.ladders.base import Mention, Rung
from sfumato.knowledge.ladders.things import kinds as thing_kinds
from sfumato.knowledge.ladders.things import phrases as thing_phrases
from sfumato.knowledge.ladders.things.makes import make_of
from sfumato.knowledge.wider import concepts, hypernyms

_EVERYDAY = 520
"""-100 log10 of a word's frequency below which a capital makes it a name: *Speed*, but not *Prozac*."""
_SPEAKS = re.compile(
    r"(?:\b(?:in|into|from|speak\w*|spoke|fluent in|learn\w*|stud\w+|understand\w*|language,?)\s+)$", re.IGNORECASE
)
_NUMBERED = re.compile(r"(?<=\w) (?:(?:\d{1,3}|[IVX]+)$|\d[\d.,]* ?(?:mg|mcg|µg|g|ml|units|iu)\b.*$)", re.IGNORECASE)
"""A model's number or a dose after the name of a thing."""
NAMED = frozenset({"LOC", "ORG", "PERSON"})
_OFTEN_FIRMS = frozenset({"online service"})
_PROPER_ONLY = frozenset({"means of communication"})
_NAMED_WITH_CAPITALS = frozenset(
    {
        "holiday or festival",
        "online service",
        "distinction",
        "public event",
        "school of thought or movement",
        "belief system",
        "branch of knowledge",
    }
)
_NAMING = frozenset(
    (
        "distinction;public event;publication;document;building;premises;educational institution;medical facility;"
        "place of detention;holiday or festival;political event;armed conflict;state support;regular income;drug;"
        "financial support;compulsory payment;legal matter;legal decision;branch of knowledge;"
        "school of thought or movement;belief system;settlement;creative work;medical care;qualification;"
        "unforeseen event;online service;software"
    ).split(";")
)
"""Top kinds whose names end in the word for them: the Booker *Prize*, Hill *Prison*."""
_LONG_NAMED = frozenset({"distinction", "public event", "holiday or festival", "state support", "armed conflict"})


def by_kind(phrase: thing_phrases.Phrase, mention: Mention) -> list[Rung]:
    """By the lists, where they have the phrase as a whole."""
    unnumbered = _NUMBERED.sub("", phrase.said)
    # Athlete's foot is no one's foot.
    possessed = phrase.said if concepts.senses(phrase.said) else thing_phrases.unpossessed(phrase.said)
    titled = " ".join(mention.said.split()).strip("\"'“”‘’ ")
    for said in dict.fromkeys((titled, phrase.said, possessed, unnumbered)):
        found = thing_kinds.find(said)
        if found and found.kind and _is_meant(found, phrase, mention):
            return thing_kinds.rungs_of(found.kind, found.is_plural or phrase.is_counted)
    make = make_of(phrase.said, phrase.is_determined)
    if make:
        return thing_kinds.rungs_of(make, phrase.is_counted)
    return []


def _is_meant(found: thing_kinds.Found, phrase: thing_phrases.Phrase, mention: Mention) -> bool:
    """Whether a capital, or its lack, does not make it something else than what the lists hold."""
    first = phrase.said[0]
    top = thing_kinds.tops(found.kind)
    if not hypernyms.may_be_capitals(phrase.said):
        return False
    if first.isupper() and " " not in found.thing and mention.label in NAMED and top not in _OFTEN_FIRMS:
        # Java may be an island, and Apple a firm.
        return False
    if top in _PROPER_ONLY and " " not in found.thing and "language" not in found.thing:
        # "Turkish" is a language only where someone speaks or writes it.
        return first.isupper() and bool(_SPEAKS.search(mention.before[-30:]) or mention.after.startswith(" language"))
    if " " in found.thing or phrase.is_determined or not thing_phrases.is_name(mention.said, mention.before):
        return True
    return concepts.rarity(found.thing) > _EVERYDAY or top in _NAMED_WITH_CAPITALS


def _is_in_name(part: str, mention: Mention) -> bool:
    """Whether the end of a mention is written as a part of a name."""
    dropped = mention.said.partition(part)[0].split()
    if not part[0].isupper() or part.isupper():
        return False
    return any(word[0].isupper() for word in dropped) or (not dropped and thing_phrases.is_name(part, mention.before))


def by_part(phrase: thing_phrases.Phrase, mention: Mention) -> list[Rung]:
    """By the lists, where they have the end of the phrase: a *shaven German shepherd* is a German shepherd."""
    if len(thing_phrases.conjuncts(phrase.core)) > 1 or phrase.is_quoted or thing_phrases.is_doing(phrase.core):
        return []
    known = hypernyms.head(phrase.core)
    for part in thing_phrases.parts(thing_phrases.unpossessed(phrase.core)):
        if known and len(part.split()) < len(known.split()):
            # WordNet has more of it as one concept: a heart attack is no attack.
            return []
        found = thing_kinds.find(part) if hypernyms.may_be_capitals(part) else None
        top = (thing_kinds.tops(found.kind) or found.thing) if found else ""
        if found and _is_in_name(part, mention) and top not in _NAMING:
            # The song "Yellow Submarine" is no ship.
            return []
        if found:
            many = found.is_plural or phrase.is_counted
            own = _own(part, top, many, mention) if part != phrase.said else []
            return [*own, *(thing_kinds.rungs_of(found.kind, many) if found.kind else [])]
    return []


def _own(part: str, top: str, is_plural: bool, mention: Mention) -> list[Rung]:
    """The thing without what was said of it, as a rung of its own."""
    kind = thing_kinds.kinds().get(in_singular(part.casefold())) or thing_kinds.kinds().get(part.casefold())
    if kind:
        return [thing_kinds.rung_of(kind, is_plural)]
    is_word = mention.said.startswith(part) and not thing_phrases.is_name(mention.said, mention.before)
    text = part
    if is_word and not part[1:2].isupper():
        text = part[0].lower() + part[1:]
    elif _is_in_name(part, mention):
        if top in _LONG_NAMED:
            # The Derby of the Epsom Derby is the same name again.
            return []
        text = part.lower()
    return [Rung(text, 2, "" if is_plural else "a", plural=is_plural, source=thing_kinds.SOURCE)]


def by_enumeration(phrase: thing_phrases.Phrase) -> list[Rung]:
    """What all things of an enumeration are."""
    named = thing_phrases.conjuncts(phrase.said)
    if not 1 < len(named) < 6:
        return []
    found = [thing_kinds.find(part) for part in named]
    if not all(thing and thing.kind for thing in found):
        return []
    ladders = [[kind.name for kind in thing_kinds.climb(thing.kind)] for thing in found if thing]
    shared = [name for name in ladders[0] if all(name in ladder for ladder in ladders[1:])]
    return thing_kinds.rungs_of(shared[0], is_plural=True) if shared else []
