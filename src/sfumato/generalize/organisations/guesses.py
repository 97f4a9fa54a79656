"""Names that an attacker would guess to have stood where a level of an organisation stands, the likeliest first."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import chain, islice, zip_longest
from types import MappingProxyType

from sfumato.annotated_text import AnnotatedText, read_once
from sfumato.generalize.hierarchy import unique, with_first_kept
from sfumato.generalize.organisations import kinds
from sfumato.generalize.organisations.kinds import KnownOrganisation, english_words
from sfumato.generalize.places.countries import is_everyday, named_countries
from sfumato.generalize.places.kinds import CITY
from sfumato.lexicon import wordnet, world
from sfumato.lexicon.grammar_en import pluralize_phrase, singularize_phrase, word_classes
from sfumato.lexicon.tables import group, languages_with
from sfumato.lexicon.time import MONTHS
from sfumato.lexicon.world import Area

_ARTICLE = re.compile(r"^(?:an?|the|one|some)\s+", re.I)
_LINKS = (" of a country in ", " of countries in ", " in ", " of ")
_NAME = re.compile(r"(?<![.!?]\s)(?<!^)\b[A-ZÀ-ÞİŞ][^\W\d_]{2,}(?:[ -][A-ZÀ-ÞİŞ][^\W\d_]{2,})?\b")
_EMPTY_LINE = "\n\n"
_LANGUAGES = languages_with("organisations", "sfumato.generalize")
_LOWER_IN_NAMES = english_words("lower_in_names")
_WELL_KNOWN = ("large ", "professional ")
_NAMED_BY_PLACE = english_words("named_by_place")
_NAMED_ALONE = english_words("named_alone")
_ONE_PER_COUNTRY = english_words("one_per_country")
_HEADS = 4
_TOWNS = 12
_PLACES = 6


def candidate_originals(phrase: str, text: str, language: str) -> Iterator[str]:
    """Names of the kind in the area: the best known, the kind's usual name by itself and with places of the text."""
    if language not in _LANGUAGES or parse_level(phrase) is None:
        return iter(())
    return _originals(phrase, tuple(named_countries(text)), _cities_named(text))


@with_first_kept
def _originals(phrase: str, named: tuple[str, ...], cities: tuple[tuple[str, str], ...]) -> Iterator[str]:
    """The names under a phrase in a text that names these countries and cities."""
    parsed = parse_level(phrase)
    assert parsed is not None
    kind, area, is_plural = parsed
    names = _candidates(kind, area, named, cities)
    return unique(filter(None, map(pluralize_phrase, names) if is_plural else names))


def parse_level(phrase: str) -> tuple[str, Area | None, bool] | None:
    """A level taken apart: its kind, its area, and whether it is a plural; None where it is no level of ours."""
    bare = _ARTICLE.sub("", " ".join(phrase.split()).strip(" ,.;:'\"“”"), count=1)
    for form, is_plural in ((bare, False), (singularize_phrase(bare), True)):
        if is_plural and form == bare:
            return None
        if kind := _kind(form):
            return kind, None, is_plural
        for link in _LINKS:
            lead, _, place = form.rpartition(link)
            if (kind := _kind(lead)) and (area := _area(place)):
                return kind, area, is_plural
        for adjective, area in _adjectives().items():
            if form.startswith(f"{adjective} ") and (kind := _kind(form[len(adjective) + 1 :])):
                return kind, area, is_plural
    return None


def _kind(name: str) -> str | None:
    first = name[:1].lower() + name[1:]
    return next((form for form in (name, first, f"national {first}") if form in kinds.kinds()), None)


def _area(name: str) -> Area | None:
    country = world.find_country(name)
    around = world.areas_around(country.code) if country else ()
    return world.world_regions().get(name) or (around[0] if around else None)


def _adjectives() -> Mapping[str, Area]:
    return MappingProxyType({area.adjective: area for area in world.world_regions().values() if area.adjective})


@cache
def _narrower() -> Mapping[str, tuple[str, ...]]:
    """A kind -> itself and all that lie in it, the commonest first."""
    commonest_first = sorted(kinds.kinds().values(), key=lambda kind: (-kind.members, kind.name))
    return group((wider.name, kind.name) for kind in commonest_first for wider in kinds.ancestors(kind.name))


@cache
def _known_organisations() -> Mapping[str, tuple[KnownOrganisation, ...]]:
    """A kind -> those that are known."""
    return group((organisation.kind, organisation) for organisation in kinds.known_names())


@cache
def _heads() -> Mapping[str, tuple[str, ...]]:
    """A kind -> the English phrases that name it by themselves."""
    heads = (head for same in kinds.organisation_heads().values() for head in same if head.place != "start")
    return group((head.kind, _capitalised(head.phrase)) for head in heads if all(map(_is_english, head.phrase.split())))


def _is_english(word: str) -> bool:
    is_listed = word in _LOWER_IN_NAMES or word.removesuffix("'s").removesuffix("s'") in word_classes()
    return is_listed or bool(wordnet.lookup_form(word))


def _capitalised(phrase: str) -> str:
    name = " ".join([word if word in _LOWER_IN_NAMES else word[:1].upper() + word[1:] for word in phrase.split()])
    return name[:1].upper() + name[1:]


def _candidates(
    kind: str, area: Area | None, named: tuple[str, ...], cities: tuple[tuple[str, str], ...]
) -> Iterator[str]:
    """The sources in turn: a few of each, then the rest of them."""
    lands = tuple(code for code in named if area is None or code in area.countries)
    sources = [_plain(kind), _composed(kind, area, cities, lands), _known(kind, area, lands)]
    firsts = [list(islice(source, many)) for source, many in zip(sources, _shares(kind, area), strict=True)]
    yield from chain(*firsts, *sources)


def _shares(kind: str, area: Area | None) -> tuple[int, int, int]:
    """How many plain, composed and known names come first."""
    if area is None:
        return (5, 3, 2) if kind in kinds.usual_names() else (2, 2, 1)
    if kinds.kinds()[kind].where == "nation":
        return 1, 4, 1
    return (0, 2, 3) if kind in _NAMED_ALONE else (3, 2, 1)


def _best_known(area: Area | None) -> tuple[str, ...]:
    """The countries of an area that texts name most."""
    lands = world.countries()
    return tuple(sorted(area.countries if area else (), key=lambda code: (-lands[code].frequency, code)))[:_PLACES]


def _known(kind: str, area: Area | None, lands: tuple[str, ...]) -> Iterator[str]:
    """Known organisations; those of countries that the text still names first, then those of no country."""
    below = sorted(_narrower()[kind], key=lambda narrow: not narrow.startswith(_WELL_KNOWN))
    organisations = [organisation for narrow in below for organisation in _known_organisations().get(narrow, ())]
    inside = [organisation for organisation in organisations if area is None or organisation.code in area.countries]
    for organisation in sorted(inside, key=lambda organisation: organisation.code not in lands):
        yield organisation.name
        yield from organisation.others[:1]


def _plain(kind: str) -> Iterator[str]:
    """What those of the kind are usually called: by our list of what texts say, else of each narrower kind in turn."""
    yield from kinds.usual_names().get(kind, ())
    if kinds.is_a(kind, "business"):
        return
    below = [narrow for narrow in _narrower()[kind] if kinds.usual_names().get(narrow) or _heads().get(narrow)]
    names = [
        (kinds.usual_names().get(narrow) or _heads()[narrow])[:_HEADS]
        for narrow in sorted(below, key=lambda narrow: narrow != kind)
    ]
    yield from filter(None, chain.from_iterable(zip_longest(*names)))


def _composed(
    kind: str, area: Area | None, cities: tuple[tuple[str, str], ...], lands: tuple[str, ...]
) -> Iterator[str]:
    """A usual name of the kind with a place: "Istanbul Assize Court", "University of Oslo", "Turkish Government"."""
    mode = kinds.kinds()[kind].where
    heads = [name for name in islice(_plain(kind), 2 * _HEADS) if name in _all_heads()]
    if mode == "-" or not heads or kinds.ancestors(kind)[-1].name not in _NAMED_BY_PLACE:
        return
    if mode == "nation":
        yield from _named_after(_adjectives_of(lands or _best_known(area)), heads[:_HEADS])
        return
    placed = [head for head in heads if head not in _ONE_PER_COUNTRY]
    yield from _named_after([*_places_in(area, cities), *_towns_of(area, lands)], placed[:_HEADS])
    yield from _named_after(_adjectives_of(lands), [head for head in heads if head in _ONE_PER_COUNTRY])


@cache
def _all_heads() -> frozenset[str]:
    """Phrases that name a kind, and nobody of it in particular."""
    return frozenset(name for names in _heads().values() for name in names)


def _named_after(spots: list[str], heads: list[str]) -> Iterator[str]:
    for spot in spots:
        yield from (f"University of {spot}" if head == "University" else f"{spot} {head}" for head in heads)


def _adjectives_of(lands: tuple[str, ...]) -> list[str]:
    return [adjective for code in lands for adjective in world.countries()[code].adjectives[:1]]


def _places_in(area: Area | None, cities: tuple[tuple[str, str], ...]) -> list[str]:
    """Those of the cities that are in an area; months, continents and everyday words are none."""
    return list(islice((name for name, code in cities if area is None or code in area.countries), _PLACES))


@read_once
def _cities_named(text: str) -> tuple[tuple[str, str], ...]:
    """The cities that a text names, each with the code of its country."""
    # A release that is read again and again while its levels are chosen differs in a few paragraphs.
    first, *others = text.split(_EMPTY_LINE)
    paragraphs = map(AnnotatedText(text).part, [first, *(_EMPTY_LINE + paragraph for paragraph in others)])
    return tuple(dict.fromkeys(city for paragraph in paragraphs for city in _cities_of_paragraph(paragraph)))


@read_once
def _cities_of_paragraph(text: str) -> tuple[tuple[str, str], ...]:
    return tuple((name, code) for name in _NAME.findall(text) if (code := _country_of_city(name)))


def _country_of_city(name: str) -> str:
    """The country of a city that is no everyday word; nothing where it is none."""
    if name in MONTHS["en"] or name in world.world_regions() or name.lower() in word_classes():
        return ""
    towns = world.find_settlements(name)[:1]
    if not towns or (towns[0].population < CITY and is_everyday(name)):
        return ""
    return towns[0].code if towns[0].population > 15_000 else ""


def _towns_of(area: Area | None, lands: tuple[str, ...]) -> tuple[str, ...]:
    """The largest cities of the countries that the text names, or of the area."""
    if area is None and not lands:
        return ()
    codes = frozenset(lands) or (area.countries if area else frozenset())
    return tuple(town.name for town in islice(world.towns_of(lambda code: code in codes), _TOWNS))
