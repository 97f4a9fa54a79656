"""What kind of organisation a name tells, and where it is: by known names, by the head noun, by the legal form.

Kinds, head nouns and known names are made by ``training/build_org_kinds.py`` from ``training/wordlists/org_*.tsv``; the
other words are in ``data/*/organisations.toml``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from sfumato.generalize.organisations.kinds import (
    ENGLISH,
    KIND_OF_FORM,
    LEGAL_FORM,
    english_words,
    find_known,
    is_a,
    narrowest_common,
    organisation_heads,
    without_form,
    words_of,
)
from sfumato.lexicon import wordnet, world
from sfumato.lexicon.grammar_en import singularize_phrase
from sfumato.lexicon.name_lists import FEMALE_TITLES, MALE_TITLES
from sfumato.lexicon.tables import word_set
from sfumato.lexicon.tokens import lazy_pattern

# Reading by head noun: a Court of Appeal Registry is a registry.

_WORD = lazy_pattern(r"[^\W_]+(?:[.'’&/‑-][^\W_]+)*\.?|[(),;&]")
_PREPOSITIONS = word_set("organisations", "prepositions", package="sfumato.generalize")
_OF = english_words("of")
_PARTS = english_words("parts")
_JUDICIAL = "judicial body"
_ONLY_IN_NAMES = english_words("only_in_names")
_NUMBER = lazy_pattern(r"(?:no|nr|nº|n°)\.?|\d+\w*|[ivx]+", re.I)
_PART_OF: Mapping[str, str] = ENGLISH["part_of"]
UNIT = "unit of a larger organisation"
_WITHIN_COURTS = english_words("bodies_within_courts")


@dataclass(frozen=True, slots=True)
class Reading:
    """What a phrase tells: the kind of organisation, the words that tell it, and the country where that is known."""

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

    def is_around(self, other: _Match) -> bool:
        is_longer = self.stop - self.start > other.stop - other.start
        return is_longer and self.start <= other.start and other.stop <= self.stop


def read_by_head(phrase: str) -> Reading | None:
    """By the noun that the phrase is built on: a Court of Appeal Registry is a registry."""
    words = tuple(word for token in _WORD.findall(phrase) for word in (words_of(token) or (token,)))
    if not words or len(words) > 25:
        return None
    matches = _outermost(_matches(words))
    ends = [match for match in matches if _ends_here(words, match)]
    chosen = _chosen(words, matches, ends)
    if chosen is None:
        return None
    if words[chosen.start : chosen.stop] == ("college",) and chosen.stop < len(words):
        return None  # of surgeons, of cardinals, of arms
    kind = _kind_of(words, chosen, ends)
    if kind is None or _is_only_in_names(words, chosen) or _is_another(words, chosen, ends):
        return None
    if chosen.start and words[chosen.start - 1] in FEMALE_TITLES | MALE_TITLES:
        return None  # "Mr. Banks" is a person, in a title of a film as well
    return Reading(kind, " ".join(words[chosen.start : chosen.stop]), chosen.is_plural)


def _chosen(words: tuple[str, ...], matches: list[_Match], ends: list[_Match]) -> _Match | None:
    """The head noun."""
    chosen = ends[0] if ends else _at_start(words, matches)
    for other in ends[1:]:
        if chosen and other.start < chosen.stop and is_a(other.kind, chosen.kind):
            chosen = other  # "Federal [Ministry of] Justice" by both of its readings
    return chosen


def _kind_of(words: tuple[str, ...], chosen: _Match, ends: list[_Match]) -> str | None:
    """What the head noun tells, given what stands before it and behind; None where that leaves it open."""
    if before := [place for place, word in enumerate(words[: chosen.start]) if place and word in _OF]:
        # The chamber of a court is a judicial body; of other parts nothing is certain.
        return _JUDICIAL if words[before[0] - 1] in _PARTS and is_a(chosen.kind, _JUDICIAL) else None
    if part := _part_of_known(words, chosen, ends):
        return part
    return _of_several(words, ends) if len(ends) > 1 and _size(chosen, words) == 1 else chosen.kind


def _is_only_in_names(words: tuple[str, ...], match: _Match) -> bool:
    """Whether the word tells its kind behind a name alone: Acme Capital, but no capital, nor a white paper."""
    rest = (*words[: match.start], *words[match.stop :])
    return words[match.start : match.stop][-1] in _ONLY_IN_NAMES and all(map(_is_noun, rest))


def _is_another(words: tuple[str, ...], match: _Match, ends: list[_Match]) -> bool:
    """Whether something else is named behind "and": the Secretary of State and the District Council."""
    return any(
        "and" in words[match.stop : other.start]
        and _size(other, words) > 1
        and narrowest_common(match.kind, other.kind) is None
        for other in ends
        if other.start > match.stop
    )


def part_of(whole: str) -> str:
    """What a part of something of the kind is."""
    return next((part for kind, part in _PART_OF.items() if is_a(whole, kind)), UNIT)


def _part_of_known(words: tuple[str, ...], part: _Match, ends: list[_Match]) -> str | None:
    """What a division of a court or of a ministry is; None where it is none, or nothing is told of its whole."""
    whole = next((end for end in ends if end.start > part.stop and words[part.stop] in _OF), None)
    if whole is None:
        return None
    if part.kind == UNIT:
        return part_of(whole.kind)
    is_inner = words[part.stop - 1] in _WITHIN_COURTS and is_a(whole.kind, _JUDICIAL)
    return _PART_OF[_JUDICIAL] if is_inner else None


def _matches(words: tuple[str, ...]) -> list[_Match]:
    matches = []
    for start in range(len(words)):
        for stop in range(min(len(words), start + _longest_head()), start, -1):
            heads, is_plural = organisation_heads().get(words[start:stop], ()), False
            if not heads and words[stop - 1].endswith(("s", "men")):
                single = tuple(singularize_phrase(" ".join(words[start:stop])).split())
                heads, is_plural = organisation_heads().get(single, ()), True
            heads = tuple(head for head in heads if head.place != "start" or start == 0)
            matches += [_Match(start, stop, head.kind, head.place, is_plural) for head in heads]
            if heads:
                break
    return matches


@cache
def _longest_head() -> int:
    return max(map(len, organisation_heads()))


def _outermost(matches: list[_Match]) -> list[_Match]:
    """Those that do not lie inside a longer one."""
    return [match for match in matches if not any(other.is_around(match) for other in matches)]


def _size(match: _Match, words: tuple[str, ...]) -> int:
    """How many words, without a preposition at the end: "bank of"."""
    return match.stop - match.start - (words[match.stop - 1] in _PREPOSITIONS)


def _ends_here(words: tuple[str, ...], match: _Match) -> bool:
    """Whether a noun phrase ends with the match."""
    if words[match.stop - 1] in _PREPOSITIONS:
        return True
    after = words[match.stop] if match.stop < len(words) else "of"
    return match.place != "start" and (after in _PREPOSITIONS or bool(_NUMBER.fullmatch(after)))


def _at_start(words: tuple[str, ...], matches: list[_Match]) -> _Match | None:
    """The head of a name that begins with it: "Hospital Santa Clara"; not of a "Hospital Act"."""
    for match in matches:
        if match.start == 0 and match.place == "start":
            return match
        if match.start == 0 and match.place == "any" and not _is_noun(words[match.stop]):
            return match
    return None


def _is_noun(word: str) -> bool:
    """Whether it is an everyday word, which would be the head itself, and no name."""
    return any(concept.name.islower() for concept in wordnet.senses(word))


def _of_several(words: tuple[str, ...], ends: list[_Match]) -> str | None:
    """What holds whichever of the heads is the one: a Bank of England Museum is no bank, an Office of the Court is."""
    first, last = ends[0], ends[-1]
    between = words[first.start + _size(first, words) : last.start]
    if len(between) > 1 and between[0] in ("of", "for", "at", "in") and between[1] == "the":
        return first.kind
    if between[:1] in (("of",), ("for",)) and len(between) == 1:
        return first.kind
    return narrowest_common(first.kind, last.kind)


# Reading of whole phrases.

_EDGES = " \t\r\n\"'“”‘’«»„()[]{},;:.!?–—-"
_ARTICLE = lazy_pattern(r"(?:the|an?)\s+(?=\S)", re.I)
_POSSESSIVE = lazy_pattern(r"(?:['’]s|(?<=s)['’])$")
_STATE = lazy_pattern(
    r"(?P<lead>(?:(?!of )[\w-]+ )*)(?:republic|kingdom|state|commonwealth|federation|confederation|principality)"
    r"(?: of (?:the )?(?P<name>.+))?",
    re.I,
)


def strip_phrase(phrase: str) -> str:
    """A phrase without the signs at its edges, its article and its possessive ending."""
    phrase = " ".join(phrase.split())
    opens, closes = phrase.count("("), phrase.count(")")
    cut = phrase.strip(_EDGES) if opens != closes or phrase.startswith("(") else phrase.strip(_EDGES.replace(")", ""))
    cut = _POSSESSIVE.sub("", cut)
    return _ARTICLE.sub("", cut, count=1) if _ARTICLE.match(cut) else cut


def is_state(phrase: str) -> bool:
    """Whether it is a country and no organisation: "Republic of Turkey"."""
    if world.find_country(phrase):
        return True
    match = _STATE.fullmatch(phrase)
    if match is None:
        return False
    lead = match["lead"].strip()
    return world.find_country(match["name"] or "") is not None or world.country_of_adjective(lead) is not None


def read(phrase: str) -> Reading | None:
    """What the phrase says by itself; None where nothing is certain."""
    return _read_by_name(phrase) or _by_form(phrase) or read_by_head(phrase)


def _read_by_name(phrase: str) -> Reading | None:
    for name in dict.fromkeys((phrase, without_form(phrase), re.sub(r"\s*\([^()]*\)$", "", phrase))):
        organisations = find_known(name)
        if not organisations or name.islower():
            continue
        kind: str | None = organisations[0].kind
        for other in organisations[1:]:
            kind = narrowest_common(kind, other.kind) if kind else None
        if kind is None:
            return None
        codes = {organisation.code for organisation in organisations}
        return Reading(kind, "", code=codes.pop() if len(codes) == 1 else "", source="organisations by name")
    return None


def _by_form(phrase: str) -> Reading | None:
    match = LEGAL_FORM.search(phrase)
    if match is None or not phrase[0].isalnum():
        return None
    form, rest = match["form"], without_form(phrase)
    kind = KIND_OF_FORM[form.replace(".", "")]
    inner = read_by_head(rest) if " " in rest else None
    if inner and not inner.is_plural and kind == "company" and not is_a(inner.kind, "public body"):
        return inner
    return Reading(kind, form, source="organisations by legal form")
