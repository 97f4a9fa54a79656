"""The generalization hierarchy of places: building or street, city by size, country, part of the world, continent."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache

from sfumato.generalize import evidence
from sfumato.generalize.context import begins_sentence, modifies_next_noun
from sfumato.generalize.hierarchy import Article, Level, Mention
from sfumato.generalize.places.countries import count_countries, is_everyday
from sfumato.generalize.places.kinds import CITY, ENGLISH, SETTLED, Site, country_site, read_head
from sfumato.generalize.places.reading import read, resolve_in_one_country
from sfumato.lexicon import world
from sfumato.lexicon.grammar_en import is_english_preposition, pluralize_phrase
from sfumato.lexicon.name_lists import family_names, given_names, lookup_key
from sfumato.lexicon.tables import fold_name, languages_with, load_toml, words
from sfumato.lexicon.wordnet import is_common_noun
from sfumato.lexicon.world import Area, Settlement, find_settlements

SOURCE = "places"
_LANGUAGES = frozenset(languages_with("places", "sfumato.generalize")) & {*languages_with("world_regions")}
_CONTINENTS: Mapping[str, frozenset[str]] = {
    language: frozenset(map(fold_name, load_toml("places", language, "sfumato.generalize").get("continents", ())))
    for language in _LANGUAGES
}
"""Names of continents that are countries in other languages: América."""
_MOST_LEVELS = 7
_WORLD_POPULATION = 8_000_000_000
_HOW_MANY: Mapping[str, int] = ENGLISH["how_many"]
_HOW_MANY_OTHERS = 50_000
_REPEATED = frozenset({"city", "town", "town or village", "region"})
"""Kinds that stay while the area around the place grows."""
_BEFORE_REGION = re.compile(
    rf"(?<!\w)(?:{'|'.join(words('places', 'before_regions', package='sfumato.generalize'))})\.?\s?:?\s*\Z",
    re.IGNORECASE,
)
_UNINFORMATIVE = frozenset(ENGLISH["uninformative"])
Step = tuple[str, Area | None, str]
"""A kind of place, the area that it is in, and the side of that area, "" for all of it; as English words."""


def site_levels(site: Site, surface: str = "", language: str = "en") -> list[Level]:
    """The levels of what is certain, each in the next: the kind, wider kinds if ``surface`` repeats it, wider areas."""
    levels: dict[str, Level] = {}
    members = 0.0
    for noun, area, side in _steps(site, surface):
        text = _describe(noun, area, side, language)
        if text is None or text in levels or (noun in _UNINFORMATIVE and area is None):
            continue
        members = max(_members(noun, area, side), members * 1.25)
        modifier = _adjective(noun, area, site) if language in world.LANGUAGES_OF_ADJECTIVES else None
        levels[text] = Level(text, members, modifier=modifier, source=SOURCE)
    return [*levels.values()][:_MOST_LEVELS]


def _adjective(noun: str, area: Area | None, site: Site) -> str | None:
    """How a step stands before a noun; of a country anywhere, by two continents: a "European or Asian" national."""
    if area is not None or noun != "country":
        return area.adjective if area else None
    pairs = [pair for pair in world.continent_pairs().values() if site.codes and site.codes <= pair.countries]
    return pairs[0].adjective if pairs else None


def _steps(site: Site, surface: str) -> list[Step]:
    nouns, areas = site.nouns, site.areas
    narrow, wide = nouns[0], nouns[-1]
    first = areas[0] if areas else None
    if narrow == "capital city":
        return [*((narrow, area, "") for area in areas), *_widening(wide, areas[-1:])]
    if narrow == "part":
        return [("part", first, ""), *_widening("part of a country", areas[1:])]
    if narrow == "country":
        shores = [area for area in world.sea_coasts().values() if areas and site.codes <= area.countries and site.codes]
        return _widening(narrow, sorted((*areas, *shores), key=lambda area: len(area.countries)))
    second_widest = nouns[-2:][0]
    is_repeated = any(word in fold_name(surface).split() for word in fold_name(second_widest).split())
    outward = wide if wide in _REPEATED or is_repeated else second_widest
    steps: list[Step] = [(narrow, first, site.part)] if site.part and first else []
    steps += [(noun, first, "") for noun in (nouns[: nouns.index(outward) + 1] if first else nouns)]
    return [*steps, *_widening(outward, areas[1:]), (wide, None, "")]


def _widening(noun: str, areas: Iterable[Area]) -> list[Step]:
    """The kind in each of the areas, then anywhere."""
    return [(noun, area, "") for area in (*areas, None)]


def _describe(noun: str, area: Area | None, side: str, language: str) -> str | None:
    """ "large city in northern Poland", "gran ciudad del norte de Polonia"; None where the language lacks a word.

    A language whose ``places.toml`` does not translate nouns, areas and sides uses those of the tables, the English.
    """
    words = load_toml("places", language, "sfumato.generalize")
    kind: str | None = words["nouns"].get(noun) if "nouns" in words else noun
    if kind is None or area is None:
        return kind
    name = _area_names(language).get(area.name) if "areas" in words else area.name
    if name is None:
        return None
    bare, wording = name.removeprefix("the "), words["wording"]
    has_article = bare != name or bare in wording["names_with_article"]
    link = wording["links"].get("coast" if area.name in world.sea_coasts() else noun, wording["link"])
    template = wording[("side" if side else "area") + ("_with_article" if has_article else "")]
    kind = wording["before_area"].get(noun, kind)
    return str(template).format(noun=kind, link=link, area=bare, side=words.get("sides", {}).get(side, side))


@cache
def _area_names(language: str) -> Mapping[str, str]:
    return {**world.area_names(language), **load_toml("places", language, "sfumato.generalize")["areas"]}


def _members(noun: str, area: Area | None, side: str) -> float:
    """About how many there are: all of the kind, shared out by population."""
    if area and noun in ("country", "territory", "capital city"):
        return float(len(area.countries))
    if noun == "part":
        return 4.0
    people = sum(world.countries()[code[:2]].population for code in area.countries) if area else _WORLD_POPULATION
    in_world = _HOW_MANY.get(noun.split(" in ")[0], _HOW_MANY_OTHERS)
    return max(2.0, in_world * people / _WORLD_POPULATION / (4 if side else 1))


_SPACES = re.compile(r"\s+")
_SHORT_FORM = re.compile(r"(?<=\w) \((?:the )?[\"“]?[A-Z.]{2,8}[\"”]?\)?$")
_AND = re.compile(r"\s*,\s*(?:and\s+)?|\s+and\s+")


def nationality_levels(name: str) -> list[Level]:
    """What is true of a people or of what is theirs: "Turkish" is "Western Asian", a "Swede" "a Northern European"."""
    name = name.strip()
    if not name[:1].isupper() or len(name) > 40:
        return []
    adjective = world.country_of_adjective(name)
    if adjective is not None:
        country, is_plural = adjective, False
    elif people := world.country_of_people(name):
        country, is_plural = people
    else:
        return []
    levels = []
    article: Article = "a" if adjective is None and not is_plural else ""
    areas = world.former_areas(country) if country.is_former else world.areas_around(country.code)[1:]
    wider = world.continent_pairs().values() if adjective else ()
    others = [area for area in wider if country.code in area.countries][:1]
    for area in sorted((*areas, *others), key=lambda area: len(area.countries)):
        if area.adjective:
            noun = "Briton" if area.adjective == "British" and adjective is None else area.adjective
            text = world.people_plural(noun) if is_plural else noun
            members = float(max(len(area.countries), 4))
            levels.append(Level(text, members, article, is_plural, area.adjective, source=SOURCE))
    return levels


def surrounding_areas(name: str, text: str) -> list[str]:
    """Where a named place lies, without naming it: "Turkey", "Western Asia" and "Asia" for Istanbul."""
    name = _SPACES.sub(" ", name).strip(" ,.;:'\"“”()")
    country = None if world.find_country(name) else world.country_of_adjective(name)
    site = country_site(country) if country else read(name, text)
    if site is None:
        return []
    areas = world.areas_around(*site.codes) if site.nouns[0] == "capital city" else site.areas
    return [area.name for area in areas]


def levels(mention: Mention) -> list[Level]:
    """What is true of a place, the narrowest first."""
    if mention.language not in _LANGUAGES or mention.is_cut:
        return []
    name = _SPACES.sub(" ", mention.surface).strip(" ,.;:'\"“”").removesuffix("'s").removesuffix("’s")
    name = _SHORT_FORM.sub("", name)
    if name.islower() and mention.label == "LOC" and len(name) > 3 and world.find_country(name):
        if is_common_noun(name):
            return []  # china and turkey
        name = name.title()  # as people write in chats
    if not name or len(name) > 150 or fold_name(name) in _CONTINENTS.get(mention.language, ()):
        return []
    has_adjectives = mention.language in world.LANGUAGES_OF_ADJECTIVES
    if has_adjectives and world.find_country(name) is None and (of_people := nationality_levels(name)):
        return of_people if is_nationality(mention) else []
    if not _may_be_place(mention, name):
        return []
    site = read(name, mention.text, mention.before, mention.after)
    if site is None and mention.label == "LOC":
        site = resolve_in_one_country(name, mention.text)
    if site is not None and mention.label == "ORG" and (_NO_ORGANISATIONS | SETTLED) & {*site.nouns}:
        return []  # a club that is called by its city's name, a clinic by its valley's, or a publisher called a house
    if site is not None:
        return site_levels(site, name, mention.language)
    return _several(name, mention.text) if has_adjectives else []


_NO_ORGANISATIONS = frozenset({"place", "building", "natural feature"})
_WORLD_CITY = 5_000_000
"""A city of so many people is meant by its name, though it may be a person's as well."""
_MANY_TIMES = 4
"""A country that the text names so often, each name counting twice, is meant by its name."""


def is_nationality(mention: Mention) -> bool:
    """Whether an adjective of a country says whose something is: not in "American Express", not in capitals."""
    if evidence.is_written_as_code(mention) or evidence.is_in_longer_name(mention):
        return False
    if world.find_country(mention.surface) and _is_also_a_word(mention.surface):
        return False  # "Jersey cows"
    # A word that was taken for a place or a firm is an adjective only before a noun: "Spanish, interpreter needed".
    return mention.label not in ("LOC", "ORG") or modifies_next_noun(mention.text, mention.end)


def is_ruled_out(mention: Mention) -> bool:
    """Whether the words around a name say that it is no place, whatever it is elsewhere in the text."""
    if evidence.is_stated_person(mention) or evidence.is_in_longer_name(mention):
        return True
    if begins_sentence(mention.text, mention.start) and is_common_noun(mention.surface):
        return not evidence.is_stated_place(mention)  # "Bath: declined"
    if mention.surface.islower() and (is_common_noun(mention.surface) or not evidence.is_stated_place(mention)):
        return True
    is_town = bool(find_settlements(mention.surface)) and world.find_country(mention.surface) is None
    return is_town and evidence.has_naming_article(mention)


def _may_be_place(mention: Mention, name: str) -> bool:
    """Whether the sentence leaves no doubt that the name is that of a place."""
    country = world.find_country(name)
    if _is_something_else(mention, country) or is_english_preposition(name.partition(" ")[0], mention.language):
        return False  # "via Ursula" is no street
    readings = find_settlements(name)
    if not readings and read_head(name):
        return not evidence.name_word_after(mention)  # "Mill Lane": what its head noun says
    if evidence.is_in_longer_name(mention):
        return False
    is_told = any(sign in name for sign in ",(") or name[:1].islower()
    return is_told or evidence.is_stated_place(mention) or _is_meant(name, mention, country, readings)


def _is_something_else(mention: Mention, country: world.Country | None) -> bool:
    """Whether the words beside it make it a person, a code, or a name that is shared with a town."""
    if evidence.is_stated_person(mention) or (country is None and evidence.has_naming_article(mention)):
        return True
    if country is None and _BEFORE_REGION.search(mention.text, max(0, mention.start - 20), mention.start):
        return True  # "Dist: Faridpur" is not the town
    is_led = country is not None and (mention.before.endswith("the ") or evidence.is_stated_place(mention))
    return evidence.is_written_as_code(mention) and not is_led


def _is_meant(name: str, mention: Mention, country: world.Country | None, readings: Sequence[Settlement]) -> bool:
    """Whether a name of a place that nothing beside it explains can be nothing else."""
    seen = count_countries(mention.text)
    if country is not None:
        is_named_often = seen.get(country.code[:2], 0) >= _MANY_TIMES and mention.label in ("LOC", "ORG")
        return is_named_often or not _is_also_a_word(name)
    if readings and readings[0].population >= _WORLD_CITY:
        return True
    is_known = not readings or readings[0].population >= CITY or any(place.code[:2] in seen for place in readings)
    return mention.label == "LOC" and is_known and not is_everyday(name) and not _is_also_a_word(name)


def _is_also_a_word(name: str) -> bool:
    """Whether its words are everyday ones, or a person's name: Chad, Turkey, Old Forge."""
    words = [lookup_key(word) for word in name.split()]
    return all(key in given_names() or key in family_names() or is_common_noun(key) for key in words)


def _several(name: str, text: str) -> list[Level]:
    """ "Izmir and Ankara", where both are of one kind: "cities in Turkey"."""
    pieces = [piece for piece in _AND.split(name) if piece]
    if not 1 < len(pieces) < 8:
        return []
    sites = [site for piece in pieces if (site := read(piece, text))]
    if len(sites) < len(pieces):
        return []
    nouns = [noun for noun in sites[0].nouns if all(noun in site.nouns for site in sites)]
    areas = tuple(area for area in sites[0].areas if all(area in site.areas for site in sites))
    if not nouns or any(" " in noun for noun in nouns[:1]):
        return []
    return [
        Level(pluralize_phrase(level.text), level.members, "", True, level.modifier, None, SOURCE)
        for level in site_levels(Site((nouns[0],), areas))
    ]
