"""What kind of organisation a phrase names: by its name, by the head of its words, by its legal form."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from types import MappingProxyType

from sfumato.generalize import places
from sfumato.generalize.places import names as place_heads
from sfumato.generalize.places.names import AMBIGUOUS_COUNTRIES, count_countries
from sfumato.lexicon import tables, wordnet, world
from sfumato.lexicon.grammar_en import singularize_phrase, word_classes
from sfumato.lexicon.name_lists import family_names, given_names, lookup_key, major_cities
from sfumato.lexicon.tables import fold_name
from sfumato.lexicon.world import Area

# -- Legal forms at the end of a company's name, and what they tell.


_FORMS = {
    "company": "Ltd;Limited;LLC;L.L.C.;LLP;PLC;plc;Inc;Incorporated;Corp;Co;Pty Ltd;Pvt Ltd;S.A.;SA;S.A.U.;S.L.;S.L.U.;"
    "SLU;S.R.L.;SRL;S.r.l.;Srl;S.p.A.;SpA;S.n.c.;S.a.s.;SARL;S.A.R.L.;SAS;SASU;EURL;SNC;Lda;Ltda;B.V.;BV;N.V.;NV;VOF;AG;KG;"
    "A/S;ApS;AB;ASA;AS;SE;GmbH & Co. KG;& Co;& Co KG;Bhd;Sdn Bhd;S.C.A.;EOOD;OOD;EAD;AD;TOV",
    "company in a German-speaking country": "GmbH;mbH;OHG;gGmbH",
    "company in Poland": "Sp. z o.o.;sp. z o. o.;z o.o.;sp.k.",
    "company in Hungary": "Kft;Zrt;Nyrt;Bt",
    "company in Finland": "Oy;Oyj;Oy Ab",
    "company in Central Europe": "s.r.o.;s. r. o.",
    "company in Western Asia": "A.Ş.;Ltd. Şti.;Ltd Şti;A. Ş.",
    "company in a former Yugoslav country": "d.o.o.;d.d.;DOO",
    "company in a former Soviet country": "OOO;ZAO;OAO;PAO",
    "registered association": "e.V.;e. V.",
}
_FORM_OF = {form.replace(".", ""): kind for kind, forms in _FORMS.items() for form in forms.split(";")}
_LEGAL = re.compile(
    r"[\s,]+(?P<form>"
    + "|".join(
        re.escape(form).replace(r"\.", r"\.?")
        for form in sorted((form for forms in _FORMS.values() for form in forms.split(";")), key=len, reverse=True)
    )
    + r")\.?$"
)


def without_form(phrase: str) -> str:
    """A name without its legal form: "Siemens" for "Siemens AG"."""
    return _LEGAL.sub("", phrase)


def legal_form(phrase: str) -> tuple[str, str] | None:
    """The kind that the legal form tells, and the form; None where the phrase has none."""
    found = _LEGAL.search(phrase)
    return (_FORM_OF[found["form"].replace(".", "")], found["form"]) if found and phrase[0].isalnum() else None


# -- Kinds of organisations, the phrases that tell them, and known names, from our own lists.
#
# Made by ``training/build_org_kinds.py`` from ``training/wordlists/org_*.tsv``.


_DOTS = re.compile(r"(?<=\w)\.(?=\w|$|\s)")


@dataclass(frozen=True, slots=True)
class Kind:
    """What an organisation is: "criminal court"."""

    name: str
    wider: str
    members: float
    where: str
    """nation: it is of a country; local: it is where its name says; city: mostly so; -: its name does not say."""


@dataclass(frozen=True, slots=True)
class Head:
    """A phrase that tells the kind of what has it in its name, and where in the name it does: end, start, any."""

    phrase: str
    kind: str
    place: str


@dataclass(frozen=True, slots=True)
class Known:
    """An organisation that is known by its name."""

    name: str
    kind: str
    code: str
    others: tuple[str, ...]


@cache
def kinds() -> Mapping[str, Kind]:
    found = (
        Kind(name, "" if wider == "-" else wider, float(many), where)
        for name, wider, many, where in tables.table_rows("org_kinds")
    )
    return MappingProxyType({kind.name: kind for kind in found})


@cache
def ancestors(kind: str) -> tuple[Kind, ...]:
    """The kind and all wider ones, the narrowest first."""
    found = []
    while kind:
        found.append(kinds()[kind])
        kind = kinds()[kind].wider
    return tuple(found)


def common(one: str, other: str) -> str | None:
    """The narrowest kind that holds both."""
    above = {kind.name for kind in ancestors(other)}
    return next((kind.name for kind in ancestors(one) if kind.name in above), None)


def is_a(kind: str, wider: str) -> bool:
    return any(step.name == wider for step in ancestors(kind))


def words_of(phrase: str) -> tuple[str, ...]:
    """The words of a phrase as the tables compare them: without case and dots, with straight apostrophes."""
    folded = phrase.casefold().replace("i\u0307", "i").replace("’", "'").replace("‑", "-")
    return tuple(word.rstrip("'") or word for word in _DOTS.sub("", folded).split())


@cache
def organisation_heads() -> Mapping[tuple[str, ...], tuple[Head, ...]]:
    """By their words; several where a phrase tells different things in different places of a name."""
    found: dict[tuple[str, ...], list[Head]] = {}
    for phrase, kind, place in tables.table_rows("org_heads"):
        found.setdefault(words_of(phrase), []).append(Head(phrase, kind, place))
    return MappingProxyType({words: tuple(same) for words, same in found.items()})


@cache
def longest_head() -> int:
    return max(map(len, organisation_heads()))


@cache
def usual() -> Mapping[str, tuple[str, ...]]:
    """A kind -> what texts mostly call those of it, the likeliest first."""
    return MappingProxyType({kind: tuple(names.split(";")) for kind, names in tables.table_rows("org_usual")})


@cache
def known_names() -> tuple[Known, ...]:
    found = []
    for name, kind, code, others in tables.table_rows("org_names"):
        found.append(Known(name, kind, code, tuple(other for one in others.split(";") if (other := one.strip()))))
    return tuple(found)


@cache
def _kinds_by_name() -> Mapping[str, tuple[Known, ...]]:
    found: dict[str, list[Known]] = {}
    for known in known_names():
        for name in dict.fromkeys((known.name, *known.others)):
            found.setdefault(_name_key(name), []).append(known)
    return MappingProxyType({name: tuple(same) for name, same in found.items()})


def _name_key(name: str) -> str:
    """Initials by their letters, case and all; of other names case does not count."""
    bare = _DOTS.sub("", name).replace("’", "'").replace("‑", "-")
    if is_initials(bare):
        return bare
    return " ".join(words_of(bare)).removeprefix("the ")


def is_initials(name: str) -> bool:
    """Whether it is a short word in capitals: PKK, UNHCR, P.K.K."""
    bare = name.replace(".", "").replace("-", "").replace("/", "")
    return 2 <= len(bare) <= 8 and bare.isupper() and " " not in bare


def known(name: str) -> tuple[Known, ...]:
    """What is known under a name; several where organisations share it."""
    return _kinds_by_name().get(_name_key(name.strip()), ())


# -- What kind of organisation a phrase names by the noun it is built on: a Court of Appeal Registry is a registry.


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
    words = tuple(word for one in spoken for word in (words_of(one) or (one,)))
    if not words or len(words) > 25:
        return None
    matches = _outermost(_matches(words))
    ends = [one for one in matches if _ends_here(words, one)]
    chosen = ends[0] if ends else _elsewhere(words, matches)
    if chosen is None:
        return None
    for other in ends[1:]:
        if other.start < chosen.stop and is_a(other.kind, chosen.kind):
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
        "and" in words[match.stop : other.start] and _size(other, words) > 1 and common(match.kind, other.kind) is None
        for other in ends
        if other.start > match.stop
    )


def part_of(whole: str) -> str:
    """What a part of something of the kind is."""
    return next((part for kind, part in _PARTS_OF.items() if is_a(whole, kind)), UNIT)


def _part_of_known(words: tuple[str, ...], part: _Match, ends: list[_Match]) -> str | None:
    """What a division of a court or of a ministry is; None where it is none, or nothing is told of its whole."""
    whole = next((one for one in ends if one.start > part.stop and words[part.stop] in _OF), None)
    if whole is None:
        return None
    if part.kind == UNIT:
        return part_of(whole.kind)
    is_inner = words[part.stop - 1] in _WITHIN and is_a(whole.kind, _JUDICIAL)
    return _PARTS_OF[_JUDICIAL] if is_inner else None


def _of_a_part(word: str, kind: str) -> str | None:
    """What a part of something is: the chamber of a court is a judicial body; of other parts nothing is certain."""
    return _JUDICIAL if word in _PARTS and is_a(kind, _JUDICIAL) else None


def _matches(words: tuple[str, ...]) -> list[_Match]:
    found = []
    for start in range(len(words)):
        for stop in range(min(len(words), start + longest_head()), start, -1):
            heads, is_plural = organisation_heads().get(words[start:stop], ()), False
            if not heads and words[stop - 1].endswith(("s", "men")):
                single = tuple(singularize_phrase(" ".join(words[start:stop])).split())
                heads, is_plural = organisation_heads().get(single, ()), True
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
    return any(concept.name.islower() for concept in wordnet.senses(word))


def _of_several(words: tuple[str, ...], ends: list[_Match]) -> str | None:
    """What holds whichever of the heads is the one: a Bank of England Museum is no bank, an Office of the Court is."""
    first, last = ends[0], ends[-1]
    between = words[first.start + _size(first, words) : last.start]
    if len(between) > 1 and between[0] in ("of", "for", "at", "in") and between[1] == "the":
        return first.kind
    if between[:1] in (("of",), ("for",)) and len(between) == 1:
        return first.kind
    return common(first.kind, last.kind)


# -- What kind of organisation a phrase names: by its name, by the head of its words, by its legal form.


_EDGES = " \t\r\n\"'“”‘’«»„()[]{},;:.!?–—-"
_ARTICLE = re.compile(r"(?:the|an?)\s+(?=\S)", re.I)
_POSSESSIVE = re.compile(r"(?:['’]s|(?<=s)['’])$")
_STATE = re.compile(
    r"(?P<lead>(?:(?!of )[\w-]+ )*)(?:republic|kingdom|state|commonwealth|federation|confederation|principality)"
    r"(?: of (?:the )?(?P<name>.+))?",
    re.I,
)


def bare(said: str) -> str:
    """A phrase without the signs at its edges, its article and its possessive ending."""
    said = " ".join(said.split())
    opens, closes = said.count("("), said.count(")")
    cut = said.strip(_EDGES) if opens != closes or said.startswith("(") else said.strip(_EDGES.replace(")", ""))
    cut = _POSSESSIVE.sub("", cut)
    return _ARTICLE.sub("", cut, count=1) if _ARTICLE.match(cut) else cut


@lru_cache(maxsize=4096)
def is_state(phrase: str) -> bool:
    """Whether it is a country and no organisation: "Republic of Turkey"."""
    if world.find_country(phrase):
        return True
    found = _STATE.fullmatch(phrase)
    if found is None:
        return False
    lead = found["lead"].strip()
    return world.find_country(found["name"] or "") is not None or world.country_of_adjective(lead) is not None


@lru_cache(maxsize=4096)
def read(phrase: str) -> Read | None:
    """What the phrase says by itself; None where nothing is certain."""
    return _read_by_name(phrase) or _by_form(phrase) or by_head(phrase)


def _read_by_name(phrase: str) -> Read | None:
    for name in dict.fromkeys((phrase, without_form(phrase), re.sub(r"\s*\([^()]*\)$", "", phrase))):
        found = known(name)
        if not found or name.islower():
            continue
        kind: str | None = found[0].kind
        for other in found[1:]:
            kind = common(kind, other.kind) if kind else None
        if kind is None:
            return None
        codes = {one.code for one in found}
        return Read(kind, "", code=codes.pop() if len(codes) == 1 else "", source="organisations by name")
    return None


def _by_form(phrase: str) -> Read | None:
    found = legal_form(phrase)
    if found is None:
        return None
    kind, form = found
    rest = without_form(phrase)
    inner = by_head(rest) if " " in rest else None
    if inner and not inner.is_plural and kind == "company" and not is_a(inner.kind, "public body"):
        return inner
    return Read(kind, form, source="organisations by legal form")


# -- Where an organisation is, or which country's it is, as far as its name leaves no doubt.


_RUN = re.compile(r"[^\W\d_][\w.'’‑-]*")
_PLACED = re.compile(r"\b(?:of|in|at|de|di|von|van|d['’])\s+(?:the\s+)?$", re.I)
_PART = re.compile(
    r"\b(?:Lower|Upper|North|South|East|West|Northern|Southern|Eastern|Western|Central|New|Inner|Outer|Anti)[ -]+$"
)
"""What makes a country or a people part of another name: "Lower Austrian"."""
_BEFORE = re.compile(r"([A-ZÀ-ÞİŞĆŁŚŻŽČŠ][\w'’]*)[ -]$")
_AFTER = re.compile(r"[ -]([A-ZÀ-ÞİŞĆŁŚŻŽČŠ][\w'’]*)")
_SEVERAL = re.compile(r"\band\b|&|[,/]")
_LONGEST = 3
_OF_THEIR_PEOPLE = (
    "political organisation",
    "trade union",
    "airline",
    "broadcaster",
    "sports league",
    "sports federation",
)
"""Kinds that, where a people stands in their name, are that people's; a Chinese restaurant is wherever it is."""


@dataclass(frozen=True, slots=True)
class Where:
    """The areas around an organisation, the smallest first; ``is_told``: its name tells the first by its own word."""

    areas: tuple[Area, ...] = ()
    is_told: bool = False
    is_nation: bool = False
    """Whether the whole country is meant, as in "Turkish Government"."""


NOWHERE = Where()


def where(read: Read, phrase: str, text: str) -> Where:
    """The areas that a name tells, or its country where the organisation is known; else ``NOWHERE``."""
    if read.code in world.countries():
        land = world.countries()[read.code]
        told = any(
            fold_name(name) in fold_name(phrase)
            for name in (land.name_without_article, *land.other_names, *land.adjectives)
        )
        return Where(world.areas_around(read.code), told, is_nation=True)
    mode = kinds()[read.kind].where
    if mode == "-" or (read.is_plural and _SEVERAL.search(phrase)):
        return NOWHERE
    rest = phrase[: -len(read.phrase)] if phrase.casefold().endswith(read.phrase) else phrase
    nation = _nation(rest, read, mode, text)
    if nation.areas or mode == "nation":
        return nation
    return _place(rest, read, mode, text)


def _nation(rest: str, read: Read, mode: str, text: str) -> Where:
    for said, before in _runs(rest):
        land = world.find_country(said.replace(".", ""))
        if land is None:
            land = world.country_of_adjective(said)
            by_people = mode == "city" and not any(is_a(read.kind, kind) for kind in _OF_THEIR_PEOPLE)
            if land is None or by_people or said[0].islower():
                continue
        elif mode == "city" and not (_PLACED.search(before) or rest.startswith(said)):
            continue
        if fold_name(said) in AMBIGUOUS_COUNTRIES and land.code not in count_countries(text):
            return NOWHERE
        if land.is_former or said[0].islower() or _PART.search(before) or (len(said) < 3 and not said.isupper()):
            continue
        return Where(world.areas_around(land.code), is_told=True, is_nation=True)
    return NOWHERE


def _place(rest: str, read: Read, mode: str, text: str) -> Where:
    for said, before in _runs(rest):
        if not said[0].isupper() or len(said) < 3 or " ".join(words_of(said)) in read.phrase:
            continue
        if mode == "city" and not _PLACED.search(before) and not _is_city(said):
            continue
        if _is_word(said) if " " not in said else place_heads.is_head(said.rpartition(" ")[2]):
            continue
        areas = _areas(tuple(places.surrounding_areas(said, text)))
        if areas:
            return Where(areas)
    return NOWHERE


def _is_city(said: str) -> bool:
    """Whether a name without "of" or "in" is surely a city's, and nobody's."""
    folded = lookup_key(said)
    return folded in major_cities() and folded not in given_names() and folded not in family_names()


@lru_cache(maxsize=1024)
def _is_word(said: str) -> bool:
    """Whether a place would have to be called as an everyday word: "Penal", "Independence"."""
    low = said.lower()
    if lookup_key(said) in major_cities():
        return False
    return low in word_classes() or any(concept.name.islower() for concept in wordnet.senses(low))


@lru_cache(maxsize=1024)
def _runs(rest: str) -> tuple[tuple[str, str], ...]:
    """The capitalised words, several in a row first, each with what stands before it."""
    words = list(_RUN.finditer(rest))
    found = []
    for size in range(_LONGEST, 0, -1):
        for first in range(len(words) - size + 1):
            part = words[first : first + size]
            said = rest[part[0].start() : part[-1].end()]
            if "," not in said and said[0].isupper() and part[-1].group()[0].isupper() and not _goes_on(rest, part):
                found.append((said.removesuffix("'s").removesuffix("’s"), rest[: part[0].start()]))
    return tuple(found)


def _goes_on(rest: str, part: list[re.Match[str]]) -> bool:
    """Whether the words are part of a longer name: "Sól" of "Nowa Sól"."""
    before, after = _BEFORE.search(rest[: part[0].start()]), _AFTER.match(rest[part[-1].end() :])
    words = [found[1].rstrip("'’").removesuffix("'s").removesuffix("’s") for found in (before, after) if found]
    return any(not _is_word(word) and not _is_people(word) for word in words)


def _is_people(word: str) -> bool:
    return world.country_of_adjective(word) is not None


@lru_cache(maxsize=1024)
def _areas(names: tuple[str, ...]) -> tuple[Area, ...]:
    """The areas of these names, a country with its parts of the world behind it."""
    for name in names:
        land = world.find_country(name)
        if land and not land.is_former:
            return world.areas_around(land.code)
    return tuple(world.world_regions()[name] for name in names if name in world.world_regions())
