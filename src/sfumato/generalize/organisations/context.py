"""What a document says of an organisation: its kind, by the words beside its name, and where it is or whose it is."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice

from sfumato.annotated_text import read_once
from sfumato.generalize import places
from sfumato.generalize.hierarchy import Mention
from sfumato.generalize.organisations.kinds import ENGLISH, english_words, is_a, kinds, words_of
from sfumato.generalize.organisations.reading import Reading, is_state, read, read_by_head, strip_phrase
from sfumato.generalize.places.countries import AMBIGUOUS_COUNTRIES, count_countries
from sfumato.generalize.places.kinds import is_head
from sfumato.lexicon import wordnet, world
from sfumato.lexicon.grammar_en import word_classes
from sfumato.lexicon.name_lists import family_names, given_names, lookup_key, major_cities
from sfumato.lexicon.tables import fold_name
from sfumato.lexicon.tokens import find_whole, lazy_pattern
from sfumato.lexicon.world import Area

# What the document says about a name that tells nothing by itself: "the law firm X", "X, an illegal organisation,".

BY_CONTEXT = "organisations by context"
_MOST_MENTIONS = 12
"""So many mentions of a name are looked at."""
_CAPITALISED = lazy_pattern(r"(?:[A-ZÀ-ÞİŞ][\w'’.-]*|of|the|and|for|de|la|des|du|in|on|&|['’])(?:\s+|$)")
_BRACKET = lazy_pattern(
    r"\(\s*(?:[^()]{0,60},\s*)?(?:(?:hereinafter|hereafter|later)\s*,?\s*)?(?:(?:called|referred to as)\s+)?"
    r"(?:the\s+)?[\"“‘'«]?(?:the\s+)?$"
)
_BESIDE = lazy_pattern(r"\s*\((?P<inside>[^()]{3,90})\)")
_APPOSITION = lazy_pattern(
    r"\s*(?:\([^()]{1,60}\)\s*)?(?:,\s*(?:which\s+(?:is|was)\s+)?|(?:\s+(?:is|was))\s+|\s+[–—-]\s+)(?:an?|the)\s+"
    r"(?P<phrase>[a-z][\w'’‑ -]{2,70})",
)
_LAWYERS = lazy_pattern(r",\s+(?:a firm of\s+)?(?:solicitors|lawyers|advocates|attorneys)\b")
_INTRODUCED = lazy_pattern(
    r"\b(?:an?|the|its|his|her|their|this)\s+(?P<phrase>(?:[\w'’-]+\s+){0,4}?[a-z][\w'’-]+)"
    r"(?P<link>,|\s+(?:called|named|known as|by the name of)|)\s*(?:the\s+)?[\"“‘'«(]?\s*$",
)
_SHARED = lazy_pattern(r"\s+and\s+(?:the\s+)?(?P<heads>(?:[A-ZÀ-ÞİŞ][\w'’-]*\s+){1,4}[A-Za-z]{3,}s)\b")
"""What two names share: the "[Bursa] and Varto Criminal Courts"."""
_LED = lazy_pattern(r"\b(?:of|in|for|to|by|from|with|at|the|an?|his|her|its|their|this)\s")
_STOPS = lazy_pattern(
    r"\s+(?:that|which|who|whose|where|based|located|situated|founded|established|specialising|operating|with)\s"
)
_AFTER_NOUN_PHRASE = english_words("after_noun_phrase")
_BY_SUBJECT: Mapping[str, tuple[str, str]] = ENGLISH["by_subject"]
_BINDING = english_words("binding")
_CLUB_NAMES = english_words("club_names")
_NO_TEAMS = english_words("no_teams")
_SPORT = lazy_pattern(rf"\b({'|'.join(ENGLISH['sport'])})\b", re.I)
_SPORT_WORDS = 3
"""So many different words of sport make a text one about it."""
_NEVER_BEFORE_NAMES = ENGLISH["never_before_names"]


def read_team(phrase: str, text: str) -> Reading | None:
    """A sports team, by a town's name with a nickname ("Rochester Royals", "Torquay United") in a text about sport."""
    words = phrase.split()
    if not 2 <= len(words) <= 4 or not all(word[:1].isupper() for word in words):
        return None
    is_nickname = words[-1] in _CLUB_NAMES or (words[-1].endswith("s") and words[-1].casefold() not in _NO_TEAMS)
    is_placed = any(
        world.find_settlements(" ".join(words[:size])) or world.find_provinces(" ".join(words[:size]))
        for size in range(1, len(words))
    )
    if not (is_nickname and is_placed) or not _is_about_sport(text):
        return None
    return Reading("sports team", "", source=BY_CONTEXT)


@read_once
def _is_about_sport(text: str) -> bool:
    return len(set(_SPORT.findall(text))) >= _SPORT_WORDS


def read_from_context(phrase: str, mention: Mention) -> Reading | None:
    """The kind that the document gives the name, by an expansion or an apposition; None where it gives none."""
    for start, end in islice(find_whole(phrase, mention.text), _MOST_MENTIONS):
        before, after = mention.text[max(0, start - 160) : start], mention.text[end : end + 160]
        for reading in _readings(before, after):
            if reading is not None:
                return replace(reading, phrase="", is_plural=False, source=BY_CONTEXT)
    # What a word with several senses means in a text about courts.
    kind, subject = _BY_SUBJECT.get(phrase.casefold().rpartition(" ")[2], ("", ""))
    return Reading(kind, "", source=BY_CONTEXT) if kind and re.search(subject, mention.text) else None


def _readings(before: str, after: str) -> Iterator[Reading | None]:
    if match := _BRACKET.search(before):
        yield _expansion(before[: match.start()])
    if match := _BESIDE.match(after):
        pieces = re.split(r"[;:,]|\s[–—-]\s", match["inside"])
        yield next((reading for piece in pieces if (reading := _read_name(strip_phrase(piece)))), None)
    if _LAWYERS.match(after):
        yield read_by_head("law firm")
    if match := _APPOSITION.match(after):
        yield _ending(_STOPS.split(match["phrase"])[0])
    if (match := _SHARED.match(after)) and (reading := read(strip_phrase(match["heads"]))) and reading.is_plural:
        yield reading
    if match := _INTRODUCED.search(before):
        reading = _at_end(match["phrase"])
        is_linked = bool(match["link"])
        if reading and (is_linked or not any(is_a(reading.kind, kind) for kind in _NEVER_BEFORE_NAMES)):
            yield reading


def _expansion(before: str) -> Reading | None:
    """The name that stands before the bracket in which initials stand."""
    name: list[str] = []
    for word in reversed([word for word in re.split(r"(?<=\s)", before.rstrip() + " ") if word]):
        if not _CAPITALISED.fullmatch(word) or len(name) > 9:
            break
        name.insert(0, word)
    if not name:
        return _at_end(re.split(r"[.,;:()\n]", before.rstrip())[-1])
    words = strip_phrase("".join(name)).split()
    for start in range(len(words)):
        if any(word in _BINDING for word in words[1:start]):
            break  # the Regulations for the Royal Navy are no navy
        part = strip_phrase(" ".join(words[start:]))
        if part[:1].isupper() and (reading := _read_name(part)):
            return reading
    introduced = _INTRODUCED.search(before.rstrip()[: -len("".join(name).rstrip())])
    return _at_end(introduced["phrase"]) if introduced and introduced["link"] else None


def _read_name(name: str) -> Reading | None:
    return read(name) if name and not is_state(name) else None


def _ending(phrase: str) -> Reading | None:
    """The head of a description: "company registered in Poland" by what stands before its first verb."""
    words = phrase.split()
    for size in range(min(len(words), 6), 0, -1):
        reading = _at_end(" ".join(words[:size]))
        # A "hospital worker" is no hospital.
        if reading and (size == len(words) or words[size] in _AFTER_NOUN_PHRASE):
            return reading
    return None


def _at_end(phrase: str) -> Reading | None:
    """The longest head that ends the phrase."""
    inner = _LED.split(phrase)[-1]
    reading = read_by_head(inner)
    if reading is None or reading.is_plural:
        return None
    return reading if " ".join(words_of(inner)).endswith(reading.phrase) else None


# Where an organisation is, or which country's it is, as far as its name leaves no doubt.

_RUN = lazy_pattern(r"[^\W\d_][\w.'’‑-]*")
_PLACED = lazy_pattern(r"\b(?:of|in|at|de|di|von|van|d['’])\s+(?:the\s+)?$", re.I)
_PART = lazy_pattern(
    r"\b(?:Lower|Upper|North|South|East|West|Northern|Southern|Eastern|Western|Central|New|Inner|Outer|Anti)[ -]+$"
)
"""What makes a country or a people part of another name: "Lower Austrian"."""
_BEFORE = lazy_pattern(r"([A-ZÀ-ÞİŞĆŁŚŻŽČŠ][\w'’]*)[ -]$")
_AFTER = lazy_pattern(r"[ -]([A-ZÀ-ÞİŞĆŁŚŻŽČŠ][\w'’]*)")
_SEVERAL = lazy_pattern(r"\band\b|&|[,/]")
_LONGEST = 3
_OF_THEIR_PEOPLE = ENGLISH["of_their_people"]


@dataclass(frozen=True, slots=True)
class Location:
    """The areas around an organisation, the smallest first; ``is_told``: its name tells the first by its own word."""

    areas: tuple[Area, ...] = ()
    is_told: bool = False
    is_nation: bool = False
    """Whether the whole country is meant, as in "Turkish Government"."""


NOWHERE = Location()


def locate(reading: Reading, phrase: str, text: str) -> Location:
    """The areas that a name tells, or its country where the organisation is known; else ``NOWHERE``."""
    if reading.code in world.countries():
        country = world.countries()[reading.code]
        is_told = any(
            fold_name(name) in fold_name(phrase)
            for name in (country.name_without_article, *country.other_names, *country.adjectives)
        )
        return Location(world.areas_around(reading.code), is_told, is_nation=True)
    mode = kinds()[reading.kind].where
    if mode == "-" or (reading.is_plural and _SEVERAL.search(phrase)):
        return NOWHERE
    rest = phrase[: -len(reading.phrase)] if phrase.casefold().endswith(reading.phrase) else phrase
    nation = _nation(rest, reading, mode, text)
    if nation.areas or mode == "nation":
        return nation
    return _place(rest, reading, mode, text)


def _nation(rest: str, reading: Reading, mode: str, text: str) -> Location:
    for name, before in _runs(rest):
        country = world.find_country(name.replace(".", ""))
        if country is None:
            country = world.country_of_adjective(name)
            by_people = mode == "city" and not any(is_a(reading.kind, kind) for kind in _OF_THEIR_PEOPLE)
            if country is None or by_people or name[0].islower():
                continue
        elif mode == "city" and not (_PLACED.search(before) or rest.startswith(name)):
            continue
        if fold_name(name) in AMBIGUOUS_COUNTRIES and country.code not in count_countries(text):
            return NOWHERE
        if country.is_former or name[0].islower() or _PART.search(before) or (len(name) < 3 and not name.isupper()):
            continue
        return Location(world.areas_around(country.code), is_told=True, is_nation=True)
    return NOWHERE


def _place(rest: str, reading: Reading, mode: str, text: str) -> Location:
    for name, before in _runs(rest):
        if not name[0].isupper() or len(name) < 3 or " ".join(words_of(name)) in reading.phrase:
            continue
        if mode == "city" and not _PLACED.search(before) and not _is_city(name):
            continue
        if _is_word(name) if " " not in name else is_head(name.rpartition(" ")[2]):
            continue
        areas = _areas(tuple(places.surrounding_areas(name, text)))
        if areas:
            return Location(areas)
    return NOWHERE


def _is_city(name: str) -> bool:
    """Whether a name without "of" or "in" is surely a city's, and nobody's."""
    folded = lookup_key(name)
    return folded in major_cities() and folded not in given_names() and folded not in family_names()


def _is_word(name: str) -> bool:
    """Whether a place would have to be called as an everyday word: "Penal", "Independence"."""
    low = name.lower()
    if lookup_key(name) in major_cities():
        return False
    return low in word_classes() or any(concept.name.islower() for concept in wordnet.senses(low))


def _runs(rest: str) -> tuple[tuple[str, str], ...]:
    """The capitalised words, several in a row first, each with what stands before it."""
    words = list(_RUN.finditer(rest))
    runs = []
    for size in range(_LONGEST, 0, -1):
        for first in range(len(words) - size + 1):
            part = words[first : first + size]
            name = rest[part[0].start() : part[-1].end()]
            if "," not in name and name[0].isupper() and part[-1].group()[0].isupper() and not _goes_on(rest, part):
                runs.append((name.removesuffix("'s").removesuffix("’s"), rest[: part[0].start()]))
    return tuple(runs)


def _goes_on(rest: str, part: list[re.Match[str]]) -> bool:
    """Whether the words are part of a longer name: "Sól" of "Nowa Sól"."""
    before, after = _BEFORE.search(rest[: part[0].start()]), _AFTER.match(rest[part[-1].end() :])
    words = [match[1].rstrip("'’").removesuffix("'s").removesuffix("’s") for match in (before, after) if match]
    return any(not _is_word(word) and world.country_of_adjective(word) is None for word in words)


def _areas(names: tuple[str, ...]) -> tuple[Area, ...]:
    """The areas of these names, a country with its parts of the world behind it."""
    for name in names:
        country = world.find_country(name)
        if country and not country.is_former:
            return world.areas_around(country.code)
    return tuple(world.world_regions()[name] for name in names if name in world.world_regions())
