"""Read a noun phrase about a person down to something the table knows: *retired senior tax inspector of Ghent*.

What is dropped on the way only narrows: adjectives, nouns before the head, what follows "of". Words that do more than
narrow (*former*, *alleged*, *deputy*, *non-*) are kept, or nothing is read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from sfumato.knowledge.ladders.demographics import words as dem_words
from sfumato.knowledge.ladders.demographics.kinds import Kind, kinds
from sfumato.knowledge.ladders.demographics.number import singulars
from sfumato.knowledge.lexicon import key

LONGEST = 120
"""Characters; longer spans are no noun phrases."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What a phrase is, narrowest first, and what has to be said with it."""

    kinds: tuple[Kind, ...]
    many: bool = False
    prefix: str = ""
    bare: str = ""
    """The phrase without what was dropped, where that is something to say."""
    has_article: bool = False
    is_framed: bool = False
    """Whether the article has its place behind the prefix."""


def tidy(said: str) -> str:
    """In small letters, one space between words, plain hyphens and apostrophes, nothing around it."""
    plain = re.sub(r"[\u2010-\u2015\u2212]", "-", key(said).replace("‘", "'"))
    plain = re.sub(r"\b(bachelor|master)'?s (?=in |of )", r"\1's degree ", plain)
    return " ".join(plain.split()).strip(" .,;:!?\"'“”„»«*_|/-")


def read(phrase: str, depth: int = 0) -> Reading | None:
    """What a tidied phrase is; None where that is not sure."""
    if not phrase or len(phrase) > LONGEST or depth > 4:
        return None
    known = look_up(phrase)
    if known:
        return known
    if found := dem_words.DETERMINER.match(phrase):
        inner = read(phrase[found.end() :], depth + 1)
        return inner and replace(inner, has_article=phrase.startswith(("a ", "an ")))
    if (bare := dem_words.ASIDE.sub("", phrase)) != phrase:
        return read(bare, depth + 1)
    if dem_words.NUMBER.match(phrase):
        return None
    if found := dem_words.FRAME.match(phrase):
        inner = read(phrase[found.end() :], depth + 1)
        return inner and replace(inner, prefix=found[0] + inner.prefix, bare="", is_framed=True)
    first, _, rest = re.sub(r"^(ex|vice|deputy|sub)-(?=\w)", r"\1 ", phrase).partition(" ")
    if first in dem_words.KEPT and rest:
        # Of two that are joined it may hold for one alone.
        inner = None if " and " in rest else read(rest, depth + 1)
        return inner and replace(inner, prefix=_prefix(first) + inner.prefix)
    if first in dem_words.SECOND and rest:
        inner = read(rest, depth + 1)
        return inner and replace(inner, bare="", kinds=_not_itself(inner, rest))
    return _by_head(phrase)


def _prefix(word: str) -> str:
    return "former " if word in ("ex", "retired") else f"{word} "


def _not_itself(inner: Reading, rest: str) -> tuple[Kind, ...]:
    """Of a deputy: all but a kind that the word itself names."""
    own = {kinds().own.get(form) for form in (rest, rest.split(" of ")[0], *singulars(rest))}
    return tuple(kind for kind in inner.kinds if kind not in own)


def look_up(phrase: str) -> Reading | None:
    """The phrase as a whole, as one or as several."""
    for form in _spellings(phrase):
        if found := kinds().above(form):
            return Reading(found, many=_is_several(form))
    for one in singulars(phrase):
        for form in _spellings(one):
            if found := kinds().above(form):
                return Reading(found, many=True)
    return None


def _is_several(name: str) -> bool:
    """Whether a name that is listed in the plural is the plural of another."""
    return any(kinds().knows(one) for one in singulars(name))


def _spellings(phrase: str) -> Iterator[str]:
    yield phrase
    if "." in phrase:
        yield f"{phrase}."
        yield phrase.replace(".", "")
    if "'" in phrase:
        yield f"{phrase}'"
    if "-" in phrase:
        yield phrase.replace("-", " ")
        yield phrase.replace("-", "")


def _by_head(phrase: str) -> Reading | None:
    words = phrase.split(" ")
    if words[0] in dem_words.OPENERS or words[-1] in dem_words.OPENERS:
        return None
    cuts = [
        place
        for place, word in enumerate(words)
        if place and (word in dem_words.LEADS_ON or words[place - 1][-1] == ",")
    ]
    head_end = cuts[0] if cuts else len(words)
    before = words[: head_end - 1]
    if not dem_words.REFUSED.isdisjoint(words[:head_end]) or any(
        word.startswith(dem_words.NEGATED) for word in words[:head_end]
    ):
        return None
    if (
        not (dem_words.KEPT | dem_words.SECOND | dem_words.VERBS).isdisjoint(before)
        or words[0] in dem_words.VERBS
        or _has_article(before)
    ):
        return None
    if not dem_words.LEARNING.isdisjoint(before):
        return Reading(kinds().own["person in education"].chain) if look_up(" ".join(words[1:head_end])) else None
    if words[0] in dem_words.DEGREE and (known := look_up(" ".join(words[1:]))):
        return known
    for end in (*([len(words)] if cuts else []), *reversed(cuts)) if cuts else (len(words),):
        for start in range(head_end):
            name = " ".join(words[start:end]).rstrip(",")
            if start == 0 and end == len(words):
                continue
            if reading := _narrowed(name, is_head=start > 0, tail=" ".join(words[end:])):
                return reading
    return None


def _has_article(before: list[str]) -> bool:
    """Whether a second noun phrase starts inside: "lost his leg"; two that are joined are not meant."""
    return any(word in dem_words.INSIDE and words != "and" for words, word in zip(["", *before], before, strict=False))


def _narrowed(name: str, is_head: bool, tail: str) -> Reading | None:
    """The reading of a name that something was dropped from: what it names itself is then a rung too."""
    table = kinds()
    for form, many in (*((form, False) for form in _spellings(name)), *((one, True) for one in singulars(name))):
        if form in table.whole and (is_head or tail):
            return _led(form, tail)
        above, own = table.above(form), table.own.get(form)
        if (own and own.word_class == "adjective") or any(kind.word_class in ("adjective", "verb") for kind in above):
            return None
        if own:
            return Reading(own.chain, many)
        if above:
            return Reading(above, many or _is_several(form), bare=name)
    return None


def _led(form: str, tail: str) -> Reading | None:
    """*Director of the play-group* (but not of a film), *Minister for Fisheries* (but not of the gospel)."""
    own = kinds().own
    leads = tail.startswith(("of ", "for ", "at ", "in charge"))
    if form == "minister":
        return Reading(own["minister"].chain) if leads and not dem_words.CHURCH.search(tail) else None
    if form in ("director", "head", "chief") and leads and not dem_words.STAGE.search(tail):
        return Reading(own["manager"].chain)
    return Reading(kinds().above(form)) if form in dem_words.ALWAYS_IN_CHARGE and (leads or not tail) else None
