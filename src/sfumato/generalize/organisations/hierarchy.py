"""The generalization hierarchy of organisations: court, ministry, hospital, university, company, newspaper, party ...

An organisation is read by its known name, by the head of its name ("Istanbul Assize Court"), by what the document says
beside it ("the law firm X") or by its legal form. Its levels are its kind and wider kinds, with the country or part of
the world that its name tells. English only.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from sfumato.generalize import evidence
from sfumato.generalize.hierarchy import Level, Mention
from sfumato.generalize.organisations.context import BY_CONTEXT, Location, locate, read_from_context, read_team
from sfumato.generalize.organisations.kinds import ENGLISH, Kind, ancestors, find_known, is_a, is_initials
from sfumato.generalize.organisations.reading import UNIT, Reading, is_state, part_of, read, strip_phrase
from sfumato.generalize.places.countries import count_countries
from sfumato.lexicon import wordnet, world
from sfumato.lexicon.grammar import lemma, split_words
from sfumato.lexicon.grammar_en import FUNCTION_WORDS, pluralize_phrase, singularize_phrase
from sfumato.lexicon.name_lists import family_names, given_names, lookup_key
from sfumato.lexicon.tables import languages_with
from sfumato.lexicon.tokens import lazy_pattern
from sfumato.lexicon.world import Area

_LANGUAGES = languages_with("organisations", "sfumato.generalize")

# The levels of a reading: its kind in its country, then wider areas and wider kinds; each holds the one before.

_MOST_LEVELS = 7
_WORLD_POPULATION = 8_000_000_000
_COUNTRIES = 200
_FEW = 20
"""With fewer of a kind in a country, to name the country is to name the organisation."""
_GROWTH = 1.25
_PLURAL = "forces"
"""What kinds end with that are plurals: "armed forces"."""
_NGRAM = 4
_PUBLIC = "public body"
_OF_A_COUNTRY: Mapping[str, str] = ENGLISH["of_a_country"]
_OF_A_REGION: Mapping[str, str] = ENGLISH["of_a_region"]
_NATIONAL = frozenset({"national government", "national parliament"})
"""Kinds that are national by being of a country."""

Step = tuple[Kind, Area | None]


def levels_of(reading: Reading, phrase: str, location: Location) -> list[Level]:
    """What is true of what was read, the narrowest first."""
    levels: list[Level] = []
    for kind, area in _steps(_wider(_kinds(reading, location), phrase), phrase, location):
        text = describe(kind, area)
        if any(level.text == text for level in levels):
            continue
        members = max(2.0, members_of(kind, area), levels[-1].members * _GROWTH if levels else 0.0)
        is_plural = reading.is_plural or kind.name.endswith(_PLURAL)
        if reading.is_plural:
            text = pluralize_phrase(text).replace(" of a country in ", " of countries in ")
        modifier = _modifier(kind, area)
        levels.append(Level(text, members, "" if is_plural else "a", is_plural, modifier, source=reading.source))
    return levels if len(levels) <= _MOST_LEVELS else [*levels[: _MOST_LEVELS - 1], levels[-1]]


def _wider(kinds: tuple[Kind, ...], phrase: str) -> tuple[Kind, ...]:
    """The kinds that are wider than what the phrase says by itself: of a "ministry" not "government ministry"."""
    folded = phrase.casefold()
    forms = (folded, singularize_phrase(folded))
    repeated = [
        index
        for index, kind in enumerate(kinds)
        if kind.name.casefold() in forms or (" " not in folded and set(forms) & set(kind.name.casefold().split()))
    ]
    return kinds[repeated[-1] + 1 :] if repeated else kinds


def describe(kind: Kind, area: Area | None) -> str:
    """The kind, and where it is: "criminal court in Western Asia", "government of a country in Asia"."""
    if area is None:
        return kind.name
    if kind.where != "nation" or " of " in kind.name or kind.name == "government":
        return f"{kind.name} in {area.name}"
    name = kind.name.removeprefix("national ") if kind.name in _NATIONAL else kind.name
    return f"{name} of {area.name if len(area.countries) == 1 else f'a country in {area.name}'}"


def members_of(kind: Kind, area: Area | None) -> float:
    """About how many there are: all of the kind, shared out by countries or by people."""
    if area is None:
        return kind.members
    if kind.where == "nation":
        return kind.members * len(area.countries) / _COUNTRIES
    # Of the parts of the United Kingdom only the whole has a count.
    people = sum(world.countries()[code[:2]].population / (4 if "-" in code else 1) for code in area.countries)
    return kind.members * people / _WORLD_POPULATION


def _kinds(reading: Reading, location: Location) -> tuple[Kind, ...]:
    """The kind and wider ones; the government of a country is a national one, that of Scotland is not."""
    if not location.is_nation:
        return ancestors(reading.kind)
    has_country_around = len(location.areas) > 3
    names = _OF_A_REGION if has_country_around else _OF_A_COUNTRY
    return ancestors(names.get(reading.kind, reading.kind))


def _steps(kinds: tuple[Kind, ...], phrase: str, location: Location) -> list[Step]:
    """First the area grows around the kind, then the kind; each step holds the one before.

    Where the kind repeats a word of the name, the area grows around the first wider one that repeats none.
    """
    if not kinds:
        return []
    if len(location.areas) < 2:
        return [(kind, area) for kind in kinds for area in (*location.areas, None)]
    near, far = location.areas[-2:]
    first = kinds[0]
    nearest: Area | None = location.areas[0]
    if location.is_told:
        nearest = location.areas[1] if len(location.areas) > 3 and first.where != "nation" else None
    pieces = _pieces(phrase)
    untold = next((index for index, kind in enumerate(kinds) if not pieces & _pieces(kind.name)), len(kinds) - 1)
    steps: list[Step] = []
    if nearest and members_of(first, nearest) >= (_FEW if first.where == "nation" else 2):
        steps.append((first, nearest))
    steps.append((first, near))
    if untold == 0:
        steps.append((first, far))
    elif kinds[-1].name == _PUBLIC:
        # Courts, ministries and the like are everyday words of the texts that name them, and tell little.
        steps += [(first, far), *([(kinds[1], far)] if untold > 1 else []), (kinds[untold], far)]
    else:
        steps += [(kinds[untold], near), (kinds[untold], far)]
    return [*steps, *((kind, None) for kind in kinds[untold:])]


def _modifier(kind: Kind, area: Area | None) -> str | None:
    """Before a noun: "Western Asian government" officials."""
    if any(f" {word} " in kind.name for word in ("of", "in", "for", "to", "or")):
        return None
    if area is None:
        return kind.name
    return f"{area.adjective} {kind.name}" if area.adjective else None


def _pieces(phrase: str) -> frozenset[str]:
    """The telling words of a phrase, and all four letters in a row of them."""
    pieces = set()
    for word in split_words(phrase.casefold()):
        if word not in FUNCTION_WORDS:
            pieces |= {lemma(word), *(word[start : start + _NGRAM] for start in range(len(word) - _NGRAM + 1))}
    return frozenset(pieces)


# The hierarchy.

_LONGEST = 200
_MOSTLY = 0.6
"""Share of a word's uses."""
_ORGANISED = frozenset({"group", "artifact"})
"""Fields of WordNet with organisations and the buildings that they are in."""
_IN_BUILDING = lazy_pattern(r"(?:unit|flat|apartment|suite|block|plot|room)\s+\w*\d|\d+[a-z]?,?\s", re.IGNORECASE)
_CALLED = lazy_pattern(r"\b(?:company|firm|business) (?:called|named|known as|by the name of)\s+(?:the\s+)?[\"“‘']?$")
_NUMBERED = lazy_pattern(r"(?:Division|Section|Branch|Department) (?:\d+|[IVX]+|One|Two|Three|Four)", re.I)
_NAMED = r"(?P<whole>[A-ZÀ-ÞİŞ][\w'’.-]*(?: (?:of|for|and|the|in|[A-ZÀ-ÞİŞ][\w'’.-]*))*)"
_WHOLE_AFTER = lazy_pattern(rf"\s*(?:\([^()]*\)\s*)?(?:,|of|at|in|within|attached to)\s+(?:the\s+)?{_NAMED}")
_WHOLE_BEFORE = lazy_pattern(rf"{_NAMED}(?:['’]s?\s+|,\s+|\s+\()(?:the\s+)?[\"“]?$")


def levels(mention: Mention) -> list[Level]:
    """What is true of an organisation, most specific first."""
    if mention.language not in _LANGUAGES or len(mention.surface) > _LONGEST or mention.is_cut:
        return []
    phrase = strip_phrase(mention.surface)
    if not any(map(str.isalpha, phrase)) or is_state(phrase) or _is_part_of_another(phrase, mention):
        return []
    reading = _possessive_name(mention.surface) or read(phrase)
    if reading is not None and not _is_read_rightly(reading, phrase, mention):
        return []
    if reading is not None:
        reading = _in_text(reading, phrase, mention)
    if reading is None or (not reading.phrase and " " not in phrase):
        reading = _agreed(reading, read_from_context(phrase, mention)) or read_team(phrase, mention.text)
    if reading is not None and reading.kind == UNIT:
        reading = replace(reading, kind=_of_whole(mention))
        if reading.kind == UNIT and _NUMBERED.fullmatch(phrase):
            return []  # a division of a league, or of anything
    return levels_of(reading, phrase, locate(reading, phrase, mention.text)) if reading else []


def _is_part_of_another(phrase: str, mention: Mention) -> bool:
    """Whether it is written as a part of another name, or as something else."""
    if mention.label not in ("ORG", "LOC") and is_initials(phrase):
        return True  # WBA is an allowance as well as a boxing association
    if _IN_BUILDING.match(phrase):
        return True  # "Unit 4C Dairy Court"
    if " " not in phrase and not is_initials(phrase) and evidence.name_word_before(mention):
        return True  # "Glebe [Farm]"
    if mention.label == "LOC" and phrase.islower() and " " in phrase:
        return True  # "in moose factory", where people write names in small letters
    # The Mill Bank Surgery is no bank.
    is_longer = evidence.name_word_after(mention) not in ("", "Instance")
    return is_longer or (phrase.islower() and evidence.is_part_of_compound(mention))


def _is_read_rightly(reading: Reading, phrase: str, mention: Mention) -> bool:
    """Whether the word that tells the kind does so here."""
    if not _is_meant(reading, phrase, mention.label) or not _is_sense_of(reading, phrase):
        return False
    return reading.phrase != "court" or _is_court(phrase)


def _in_text(reading: Reading, phrase: str, mention: Mention) -> Reading | None:
    """What the name is in its text; None where it may be another there."""
    is_shared = _is_shared_name(reading, phrase) and not evidence.is_stated_organisation(mention)
    if not is_shared and _CALLED.search(mention.before[-60:]) and not is_a(reading.kind, "business"):
        return Reading("company", "", source=BY_CONTEXT)
    return None if is_shared or _is_foreign(reading, phrase, mention.text) else reading


def _is_foreign(reading: Reading, phrase: str, text: str) -> bool:
    """Whether initials are known as those of a country that the text does not speak of, though it does of others."""
    if not (reading.code and is_initials(phrase)):
        return False
    seen = count_countries(text)
    return bool(seen) and reading.code[:2] not in seen


def _of_whole(mention: Mention) -> str:
    """What a department is by what stands beside it: "[...] of the Ministry", "the Regional Court, [...]"."""
    after, before = _WHOLE_AFTER.match(mention.after[:160]), _WHOLE_BEFORE.search(mention.before[-120:])
    for beside in (after, before):
        whole = read(strip_phrase(beside["whole"])) if beside else None
        if whole is not None and not whole.is_plural:
            return part_of(whole.kind)
    return UNIT


def _agreed(by_name: Reading | None, by_context: Reading | None) -> Reading | None:
    """Of initials and other short names, which many share, what the document says counts where it differs."""
    if by_name is None or by_context is None:
        return by_name or by_context
    return by_name if is_a(by_name.kind, by_context.kind) or is_a(by_context.kind, by_name.kind) else by_context


def _possessive_name(surface: str) -> Reading | None:
    """What is known under a name that ends as a possessive does: "McDonald's"."""
    whole = " ".join(surface.split()).strip('"“”(), ')
    return read(whole) if whole.endswith(("'s", "’s")) and find_known(whole) else None


def _is_court(phrase: str) -> bool:
    """Whether the word before "Court" is a place or a kind of court: no block of flats such as Bramble Court."""
    words = re.split(r"\s+Courts?\b", phrase)[0].split()
    before = words[-1]
    if before == phrase or before[:1].islower() or evidence.is_institution(before):
        return True
    if len(words) > 1 and all(map(wordnet.is_common_noun, words)):
        return True  # "Real Estate Court"
    return bool(world.find_settlements(before) or world.find_provinces(before)) and not wordnet.is_common_noun(before)


def _is_shared_name(reading: Reading, phrase: str) -> bool:
    """Whether a known name of one word is also a person's or an everyday word, so that others may be called so."""
    if reading.phrase or " " in phrase or is_initials(phrase):
        return False
    key = lookup_key(phrase)
    return key in family_names() or key in given_names() or wordnet.is_common_noun(key)


def _is_sense_of(reading: Reading, phrase: str) -> bool:
    """Whether one word in small letters is mostly an organisation: a bakery, but no dentist's crown."""
    if not phrase.islower() or " " in phrase or not reading.phrase:
        return True
    shares = wordnet.sense_shares(phrase)
    return not shares or sum(share for sense, share in shares if sense.field in _ORGANISED) >= _MOSTLY


def _is_meant(reading: Reading, phrase: str, label: str) -> bool:
    """Whether a name of one word, which may be many things, is said to be an organisation."""
    return label == "ORG" or bool(reading.phrase) or " " in phrase or (phrase.isupper() and len(phrase) > 2)
