"""What kind of organisation a phrase names by the noun it is built on: a Court of Appeal Registry is a registry."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from sfumato.knowledge.grammar.inflection import in_singular
from sfumato.knowledge.ladders.organisations import tables as org_tables
from sfumato.knowledge.wider import concepts

_WORD = re.compile(r"[^\W_]+(?:[.'’&/‑-][^\W_]+)*\.?|[(),;&]")
_PREPOSITIONS = frozenset(
    "of in at for on to by with from under near against within concerning de des du della dello del dei di do da dos "
    "das den der van von für im am zu en pour et y e i und and & ( ) , ;".split()
)
_OF = frozenset("of for in at on by from under within".split())
_PARTS = frozenset("chamber chambers division section senate panel bench plenary department committee".split())
_JUDICIAL = "judicial body"
_ONLY_IN_NAMES = frozenset(
    "capital securities aviation lines maritime transport metro systems labs instruments optics electrical mobile "
    "communications wireless engineering motors autos automotive aircraft arms mills wines tobacco beauty fashion "
    "interiors kitchens paper packaging copper books entertainment productions developments energy gas solar imports "
    "trading coffee fitness partners associates solutions manufacturing products pictures studios films recordings "
    "times front".split()
)
_NUMBER = re.compile(r"(?:no|nr|nº|n°)\.?|\d+\w*|[ivx]+", re.I)
_PARTS_OF = {
    _JUDICIAL: "part of a court",
    "institution of higher education": "part of a university",
    "public body": "part of a public body",
    "business": "part of a business",
}
"""What something is called that belongs to one of these."""
UNIT = "unit of a larger organisation"
_WITHIN = frozenset("committee panel plenary board".split())
"""What else a court has: its Appeals Leave Committee is part of it."""


@dataclass(frozen=True, slots=True)
class Read:
    """What a phrase says: its kind, the words that tell it, and the country where that is known."""

    kind: str
    phrase: str
    """The words that were read as the kind; "" of a known name."""
    is_plural: bool = False
    code: str = ""
    source: str = "organisations by head"


@dataclass(frozen=True, slots=True)
class _Match:
    start: int
    stop: int
    kind: str
    place: str
    is_plural: bool


@lru_cache(maxsize=4096)
def by_head(phrase: str) -> Read | None:
    """By the noun that the phrase is built on: a Court of Appeal Registry is a registry."""
    spoken = _WORD.findall(phrase)
    words = tuple(word for one in spoken for word in (org_tables.words_of(one) or (one,)))
    if not words or len(words) > 25:
        return None
    matches = _outermost(_matches(words))
    ends = [one for one in matches if _ends_here(words, one)]
    chosen = ends[0] if ends else _elsewhere(words, matches)
    if chosen is None:
        return None
    for other in ends[1:]:
        if other.start < chosen.stop and org_tables.is_a(other.kind, chosen.kind):
            chosen = other  # "Federal [Ministry of] Justice" by both of its readings
    if words[chosen.start : chosen.stop] == ("college",) and chosen.stop < len(words):
        return None  # of surgeons, of cardinals, of arms
    kind: str | None = chosen.kind
    if before := [place for place, word in enumerate(words[: chosen.start]) if place and word in _OF]:
        kind = _of_a_part(words[before[0] - 1], chosen.kind)
    elif part := _part_of_known(words, chosen, ends):
        kind = part
    elif len(ends) > 1 and _size(chosen, words) == 1:
        kind = _of_several(words, ends)
    if kind is None or _is_only_in_names(words, chosen) or _is_another(words, chosen, ends):
        return None
    return Read(kind, " ".join(words[chosen.start : chosen.stop]), chosen.is_plural)


def _is_only_in_names(words: tuple[str, ...], match: _Match) -> bool:
    """Whether the word tells its kind behind a name alone: Acme Capital, but no capital, nor a white paper."""
    rest = (*words[: match.start], *words[match.stop :])
    return words[match.start : match.stop][-1] in _ONLY_IN_NAMES and all(map(_is_noun, rest))


def _is_another(words: tuple[str, ...], match: _Match, ends: list[_Match]) -> bool:
    """Whether something else is named behind "and": the Secretary of State and the District Council."""
    return any(
        "and" in words[match.stop : other.start]
        and _size(other, words) > 1
        and org_tables.common(match.kind, other.kind) is None
        for other in ends
        if other.start > match.stop
    )


def part_of(whole: str) -> str:
    """What a part of something of the kind is."""
    return next((part for kind, part in _PARTS_OF.items() if org_tables.is_a(whole, kind)), UNIT)


def _part_of_known(words: tuple[str, ...], part: _Match, ends: list[_Match]) -> str | None:
    """What a division of a court or of a ministry is; None where it is none, or nothing is told of its whole."""
    whole = next((one for one in ends if one.start > part.stop and words[part.stop] in _OF), None)
    if whole is None:
        return None
    if part.kind == UNIT:
        return part_of(whole.kind)
    is_inner = words[part.stop - 1] in _WITHIN and org_tables.is_a(whole.kind, _JUDICIAL)
    return _PARTS_OF[_JUDICIAL] if is_inner else None


def _of_a_part(word: str, kind: str) -> str | None:
    """What a part of something is: the chamber of a court is a judicial body; of other parts nothing is certain."""
    return _JUDICIAL if word in _PARTS and org_tables.is_a(kind, _JUDICIAL) else None


def _matches(words: tuple[str, ...]) -> list[_Match]:
    found = []
    for start in range(len(words)):
        for stop in range(min(len(words), start + org_tables.longest_head()), start, -1):
            heads, is_plural = org_tables.heads().get(words[start:stop], ()), False
            if not heads and words[stop - 1].endswith(("s", "men")):
                single = tuple(in_singular(" ".join(words[start:stop])).split())
                heads, is_plural = org_tables.heads().get(single, ()), True
            heads = tuple(head for head in heads if head.place != "start" or start == 0)
            found += [_Match(start, stop, head.kind, head.place, is_plural) for head in heads]
            if heads:
                break
    return found


def _outermost(matches: list[_Match]) -> list[_Match]:
    """Those that do not lie inside a longer one."""
    return [
        one
        for one in matches
        if not any(
            other.start <= one.start and one.stop <= other.stop and other.stop - other.start > one.stop - one.start
            for other in matches
        )
    ]


def _size(match: _Match, words: tuple[str, ...]) -> int:
    """How many words, without a preposition at the end: "bank of"."""
    return match.stop - match.start - (words[match.stop - 1] in _PREPOSITIONS)


def _ends_here(words: tuple[str, ...], match: _Match) -> bool:
    """Whether a noun phrase ends with the match."""
    if words[match.stop - 1] in _PREPOSITIONS:
        return True
    after = words[match.stop] if match.stop < len(words) else "of"
    return match.place != "start" and (after in _PREPOSITIONS or bool(_NUMBER.fullmatch(after)))


def _elsewhere(words: tuple[str, ...], matches: list[_Match]) -> _Match | None:
    """The head of a name that begins with it: "Hospital Santa Clara"; not of a "Hospital Act"."""
    for one in matches:
        if one.start == 0 and one.place == "start":
            return one
        if one.start == 0 and one.place == "any" and not _is_noun(words[one.stop]):
            return one
    return None


def _is_noun(word: str) -> bool:
    """Whether it is an everyday word, which would be the head itself, and no name."""
    return any(concept.name.islower() for concept in concepts.senses(word))


def _of_several(words: tuple[str, ...], ends: list[_Match]) -> str | None:
    """What holds whichever of the heads is the one: a Bank of England Museum is no bank, an Office of the Court is."""
    first, last = ends[0], ends[-1]
    between = words[first.start + _size(first, words) : last.start]
    if len(between) > 1 and between[0] in ("of", "for", "at", "in") and between[1] == "the":
        return first.kind
    if between[:1] in (("of",), ("for",)) and len(between) == 1:
        return first.kind
    return org_tables.common(first.kind, last.kind)
