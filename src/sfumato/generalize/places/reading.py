"""What a phrase says of a place: "northern Iraq", "Gdynia, Poland", "12 Mill Lane, Leeds", "Manchester Airport".

Names are resolved by head noun, by the size of the places that bear them and by the countries that the text names.
The head nouns are those of ``training/wordlists/place_heads.txt``, the other words those of ``data/*/places.toml``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from sfumato.generalize.places.countries import (
    AMBIGUOUS_COUNTRIES,
    METROPOLIS,
    SHORT,
    count_countries,
    is_everyday,
    is_famous,
)
from sfumato.generalize.places.kinds import (
    ADMINISTRATIVE,
    CITY,
    ENGLISH,
    TOWN,
    VILLAGE,
    Kind,
    Site,
    areas_of,
    codes_of,
    common_areas,
    country_site,
    place_words,
    province_site,
    read_head,
    settlement_site,
)
from sfumato.lexicon import world
from sfumato.lexicon.tables import fold_name, load_toml
from sfumato.lexicon.tokens import lazy_pattern
from sfumato.lexicon.world import Province, Settlement, find_provinces, find_settlements

# What a name stands for in a document.

_RIVAL = 5
"""A city that is so many times larger than those in the countries that the text names may be meant all the same."""
_LANDMARKS = frozenset(ENGLISH["landmarks"])
_CITY_OR_STATE = place_words("city_or_state")
_FAINT = 8
"""A country that is named that many times less often than another counts as not named."""


def resolve_name(
    name: str, text: str, inside: frozenset[str] = frozenset(), wanted: str = "", state: str = ""
) -> Site | None:
    """What ``name`` is, by the countries that the text names or, more surely, those it is said to be ``inside``.

    ``wanted``: "region" or "settlement", where the words around tell; ``state``: the American one that it is in.
    """
    name = name.strip()
    if not name[:1].isupper() or len(name) > 80:
        return None
    country = world.find_country(name)
    if country and not inside and not (fold_name(name) in AMBIGUOUS_COUNTRIES and _is_state(name, text)):
        return country_site(country)
    seen = count_countries(text)
    readings = find_settlements(name) if wanted != "region" else ()
    if state:
        readings = tuple(place for place in readings if place.state == state)
    regions = find_provinces(name) if wanted != "settlement" else ()
    if states := _american_states(name, regions, seen, inside):
        return province_site(states)
    regions = _meant_regions(name, regions, seen, inside)
    places = _beside_regions(_likely_readings(readings, seen, inside, is_everyday(name)), regions, seen)
    districts = tuple(place for place in regions if place.kind == "urban district")
    is_small = all(place.population < METROPOLIS for place in places)
    if districts and is_small and codes_of(places) <= codes_of(districts):
        return province_site(districts)
    if places and (inside or not codes_of(regions) - codes_of(places)):
        return settlement_site(places)
    if places:
        shared = common_areas([*map(areas_of, places), *(world.areas_around(place.code) for place in regions)])
        return Site(("town or region",), shared) if shared else None
    feature = world.find_feature(name)
    if regions:  # unless it is the mountain that the region is called after
        return None if feature and feature.kind in _LANDMARKS else province_site(regions)
    if feature and not inside and wanted != "settlement":
        area = world.world_regions().get(feature.area)
        return Site((feature.kind,), (area,) if area else ())
    return None


def _meant_regions(
    name: str, regions: tuple[Province, ...], seen: Mapping[str, int], inside: frozenset[str]
) -> tuple[Province, ...]:
    """The regions of a name that may be meant."""
    if inside or len(name) <= SHORT or len(codes_of(regions)) > 1:
        return tuple(place for place in regions if place.code[:2] in (inside or seen))
    is_elsewhere = bool(regions) and is_everyday(name) and regions[0].code[:2] not in seen
    return () if is_elsewhere else regions


def _beside_regions(
    places: tuple[Settlement, ...], regions: tuple[Province, ...], seen: Mapping[str, int]
) -> tuple[Settlement, ...]:
    """The settlements that may be meant where regions of the same name may be, too."""
    if any(place.kind == "state" for place in regions) and all(place.population < CITY for place in places):
        places = tuple(place for place in places if place.code not in {region.code for region in regions})
    # In a text about England, Surrey is no city of another country.
    is_abroad = not codes_of(places) & seen.keys() and codes_of(regions) & seen.keys()
    return () if is_abroad and not is_famous(places) else places


def _is_state(name: str, text: str) -> bool:
    """Whether Georgia is the American one, or nobody can tell."""
    seen = count_countries(text)
    regions = {place.code for place in find_provinces(name)}
    country = world.find_country(name)
    return bool(regions) and not (country is not None and country.code in seen and not regions & set(seen))


def _american_states(
    name: str, regions: Sequence[Province], seen: Mapping[str, int], inside: frozenset[str]
) -> tuple[Province, ...]:
    """The American state of the name, where a text that says no more can mean nothing else: California, Florida."""
    states = tuple(place for place in regions if place.state)
    if not states or len(name) <= SHORT or fold_name(name) in _CITY_OR_STATE:
        return ()
    if inside:
        return states if inside == {"US"} else ()
    is_elsewhere = any(place.code[:2] in seen for place in regions if not place.state)
    return states if "US" in seen or not is_elsewhere else ()


def resolve_in_one_country(name: str, text: str) -> Site | None:
    """Of a name of many towns, all of any size in one country: Springfield is an American one."""
    readings = find_settlements(name)
    large = tuple(place for place in readings if place.population >= TOWN)
    if len({place.code for place in large}) != 1 or len(large) < 2 or find_provinces(name):
        return None
    seen, code = count_countries(text), large[0].code
    if (codes_of(readings) - {code[:2]}) & seen.keys() or (seen and code[:2] not in seen):
        return None
    return Site(("town or city",), common_areas([areas_of(place) for place in large]), codes=frozenset({code}))


def _likely_readings(
    readings: tuple[Settlement, ...], seen: Mapping[str, int], inside: frozenset[str], is_doubtful: bool
) -> tuple[Settlement, ...]:
    """The settlements that may be meant; none where that is not sure."""
    if inside:
        return _largest_or_all(tuple(place for place in readings if place.code[:2] in inside))
    if supported := [place for place in readings if place.code[:2] in seen]:
        return _supported_readings(readings, supported, seen)
    if is_doubtful or not readings:
        return ()
    if is_famous(readings):
        return readings[:1]
    # Without a country in the text a small place may be one that no table has.
    least = VILLAGE if not seen and len(readings) == 1 else CITY
    is_one = not seen or len({place.code for place in readings}) == 1
    return readings if is_one and readings[0].population >= least else ()


def _supported_readings(
    readings: tuple[Settlement, ...], supported: list[Settlement], seen: Mapping[str, int]
) -> tuple[Settlement, ...]:
    """The same where some of them are in countries that the text names."""
    most = max(seen[place.code[:2]] for place in supported)
    likely = tuple(place for place in supported if seen[place.code[:2]] * _FAINT >= most)
    # A city abroad may be named without its country, even in a text about another.
    rivals = [place for place in readings if place not in likely and place.population >= CITY]
    rivals = [place for place in rivals if place.population > _RIVAL * likely[0].population or place.is_capital]
    if rivals:
        return (*rivals, *likely)
    return likely[:1] if is_famous(likely) else _largest_or_all(likely)


def _largest_or_all(readings: tuple[Settlement, ...]) -> tuple[Settlement, ...]:
    """The first alone, where it is far larger than all others in the countries in question."""
    others = sum(max(place.population, 500) for place in readings[1:])
    return readings[:1] if readings and readings[0].population >= max(CITY, 20 * others) else readings


def countries_of(name: str) -> frozenset[str]:
    """All countries that have a place of the name."""
    country = world.find_country(name)
    codes = {country.code[:2]} if country and not country.is_former else set()
    return frozenset(codes | codes_of(find_settlements(name)) | codes_of(find_provinces(name)))


# Phrases around names.

_REGION_WORDS = "|".join(ENGLISH["regions"])
_COMPASS = lazy_pattern(
    r"(?:the )?(?:(?:north|south|east|west|north-?east|north-?west|south-?east|south-?west|cent(?:re|er)|middle|"
    r"mid-?\w*|upper|lower)(?:ern|-ern)?|central|inner|outer|far \w+)(?: part)?(?: of)? (?P<name>.+)",
    re.I,
)
_ADDRESS = lazy_pattern(
    r"(?:(?:flat|apartment|unit|no\.?|nº|number|room|house|block)\s*)?\d+\s?[A-Za-z]?(?:[/-]\d+)?[,\s]+(?=\D)", re.I
)
_NUMBER_LAST = lazy_pattern(r"[,\s]+(?:n[º°o.]+\s*)?\d+\s?[A-Za-z]?(?:[/-]\d+)?$")
_POSTCODE = lazy_pattern(r"\b(?:[A-Z]{1,2}\d[\dA-Z]? ?\d[A-Z]{2}|(?:[A-Z]{1,2}-)?\d{4,6}(?:-\d{3,4})?)\b")
_SPLIT = lazy_pattern(r"\s*[,;(]\s*|\s+(?:in|near)\s+(?=(?:the )?[^\Wa-z\d_])")
_PART_OF = lazy_pattern(rf" (?:{'|'.join(ENGLISH['parts'])}) of (?=(?:the )?[^\Wa-z\d_])")
_REGION_AFTER = lazy_pattern(rf"\s*(?:{_REGION_WORDS})\b", re.I)
_REGION_BEFORE = lazy_pattern(rf"\b(?:{_REGION_WORDS})s? of (?:the )?$", re.I)
_OUTSIDE = lazy_pattern(
    r"(?:,\s+|\s+\(|,?\s+in\s+)(?:the )?(?P<outer>[A-ZÀ-Þ][\w.'’-]*(?: (?:and )?[A-ZÀ-Þ][\w.'’-]*){0,2})"
)
_LISTED = lazy_pattern(r"\s*(?:,|and|or|,\s*and)\s+(?:the )?(?P<next>[A-ZÀ-Þ][\w.-]*(?: [A-ZÀ-Þ][\w.-]*)?)")
_WASHINGTON = lazy_pattern(r"Washington,? D\.?\s?C\.?")
_LISTS = load_toml("places", package="sfumato.generalize")
_SAINT = lazy_pattern(rf"(?:{'|'.join(_LISTS['saints'])})\b")
_SHRINE = lazy_pattern(rf"\b(?:{'|'.join(_LISTS['shrines'])}) of (?:the )?$", re.I)
_STATE = lazy_pattern(r"[A-Z]\. ?[A-Z]\.?")
_LONG = 5
"""Words; so many are more than the name of a place."""
_FEDERAL = place_words("federal")
_LIVED_IN = frozenset({"city", "town", "town or city", "town or village", "city or urban district"})


def read(phrase: str, text: str, before: str = "", after: str = "") -> Site | None:
    """What a phrase says of a place; None where any of it cannot be read."""
    if _WASHINGTON.fullmatch(phrase):
        return resolve_name("Washington", text, frozenset({"US"}), "settlement", "DC")
    if _STATE.fullmatch(phrase) and (state := _state_of_code(phrase.replace(".", "").replace(" ", ""))):
        return province_site([state])
    if _SAINT.match(phrase) and _SHRINE.search(before[-40:]):
        return None
    if after and (site := _beside(phrase, text, after)):
        return site
    is_region = _REGION_AFTER.match(after[:20]) or _REGION_BEFORE.search(before[-30:])
    if is_region and (site := resolve_name(phrase, text, wanted="region")):
        return site
    if site := resolve_name(phrase.removeprefix("the ").removeprefix("The "), text):
        return site.within(("region",)) if is_region and site.nouns[0] not in ("country", "territory") else site
    if (match := _COMPASS.fullmatch(phrase)) and (phrase[0].islower() or not countries_of(phrase)):
        return _side(match["name"], text)
    return _composite(phrase, text) or _by_head(phrase, text)


def _state_of_code(code: str) -> Province | None:
    return next((province for province in world.all_provinces() if province.state == code), None)


def _beside(name: str, text: str, after: str) -> Site | None:
    """By the country or American state that follows: "[Canton], Ohio", "[Ried] (Austria)", "[Sambek] in Russia"."""
    match = _OUTSIDE.match(after[:80])
    if match is None or world.find_country(name) or any(province.state for province in find_provinces(name)):
        return None
    words = match["outer"].split()
    for size in range(len(words), 0, -1):
        outer = " ".join(words[:size]).rstrip(".,'’")
        if len(outer) <= SHORT and not outer.isupper():
            continue  # "Ms" is no Mississippi
        country = world.find_country(outer)
        states = [province.state for province in find_provinces(outer) if province.state]
        if country is None and not states:
            continue
        rest = after[match.start("outer") + len(outer) :]
        if (listed := _LISTED.match(rest)) and world.find_country(listed["next"]):
            return None  # countries in a row
        code = "US" if states and (country is None or country.code == "GE") else country.code if country else ""
        if country and country.is_former:
            return None
        is_sure = not match[0].startswith(",") or not countries_of(name)
        return _within(name, text, code, states[0] if code == "US" and states else "", is_sure)
    return None


def _within(name: str, text: str, code: str, state: str, is_sure: bool) -> Site | None:
    """What lies in a country or a state; ``is_sure``: that it does, though no table has it there."""
    site = resolve_name(name, text, frozenset({code[:2]}), state=state)
    if site is not None:
        return site
    if parsed := read_head(name):
        return Site(parsed[0].nouns, world.areas_around(code))
    is_name = name[:1].isupper() and not any(map(str.isdigit, name)) and len(name.split()) < _LONG
    return Site(("place",), world.areas_around(code)) if is_sure and is_name else None


def _side(name: str, text: str) -> Site | None:
    """The north of a country, of a region or of a city."""
    country = world.find_country(name)
    if country and not country.is_former:
        # "North Jersey" and "South Georgia" may be elsewhere.
        is_sure = country.code != "JE" and (country.code != "GE" or "GE" in count_countries(text))
        return Site(("region",), world.areas_around(country.code)) if is_sure else None
    inner = resolve_name(name, text)
    if inner is None or not inner.areas:
        return None
    is_urban = bool(_LIVED_IN & {*inner.nouns})
    return Site((f"area in a {inner.nouns[0]}", "urban area") if is_urban else ("region",), inner.areas)


def _composite(phrase: str, text: str) -> Site | None:
    """ "Gdynia, Poland"; "Başkale (Van)"; "12 Mill Lane, Leeds LS1 4AP"; "a prison in Izmir"."""
    phrase = _PART_OF.sub(", ", phrase)
    pieces = [piece for piece in _SPLIT.split(_POSTCODE.sub("", phrase).replace(")", "")) if piece.strip()]
    has_number = bool(_ADDRESS.match(phrase)) or any(_NUMBER_LAST.search(piece) for piece in pieces)
    if has_number:
        pieces = [_NUMBER_LAST.sub("", _ADDRESS.sub("", piece)) for piece in pieces]
        pieces = [piece for piece in pieces if piece.strip() and not piece.strip().isdigit()]
    if any(piece.strip()[:1].islower() for piece in pieces[1:]):
        return None
    if len(pieces) < 2:
        if has_number and pieces and (site := _by_head(pieces[0], text)):
            return site.within(("address",))
        return None
    codes, state, outer = _outer(pieces, text)
    if not codes:
        return None
    inner = resolve_name(pieces[0], text, codes, state=state)
    if inner is not None and not has_number:
        # Two cities are a list, not a place and what it is in.
        return None if "city" in inner.nouns and outer is not None and _LIVED_IN & {*outer.nouns} else inner
    if outer is None:
        return None
    parsed = read_head(pieces[0])
    nouns = ("address",) if has_number else parsed[0].nouns if parsed else ("place",)
    return _inside(nouns, outer)


def _outer(pieces: list[str], text: str) -> tuple[frozenset[str], str, Site | None]:
    """The country that the last pieces of a phrase tell, the American state, and the narrowest place they name."""
    codes: frozenset[str] = frozenset()
    state = ""
    outer: Site | None = None
    for place in reversed(pieces[1:]):
        states = [province.state for province in find_provinces(place) if province.state]
        is_american = codes <= {"US"} and bool(states)
        if is_american:
            state = states[0]
        country = world.find_country(place)
        if country and not country.is_former and not (is_american and not codes):
            site: Site | None = Site(("country",), world.areas_around(country.code), codes=frozenset({country.code}))
        else:
            wanted = "region" if is_american else ""
            site = resolve_name(place, text, codes, wanted, state if codes and not is_american else "")
        place_codes = _codes(site) if site else frozenset()
        # Two names that only one country has both of tell it as well as its name does.
        if not place_codes and len(both := countries_of(place) & (codes or countries_of(pieces[0]))) == 1:
            place_codes, site = both, resolve_name(place, text, both)
        codes = place_codes or codes
        outer = site or outer
    return codes, state, outer


def _codes(site: Site) -> frozenset[str]:
    """The country that a site is in."""
    return frozenset(code[:2] for code in site.codes)


def _inside(nouns: tuple[str, ...], outer: Site) -> Site:
    """Something in a city: "street in a large city" in the same areas."""
    if not _LIVED_IN & {*outer.nouns} or not outer.areas:
        return outer.within(nouns)
    article = "an" if outer.nouns[-1][0] in "aeiou" else "a"
    return outer.within((f"{nouns[0]} in {article} {outer.nouns[0]}", *nouns))


def _by_head(phrase: str, text: str) -> Site | None:
    parsed = read_head(phrase.removeprefix("the ").removeprefix("The "))
    if parsed is None or not any(letter.isupper() for letter in phrase):
        return None
    kind, name = parsed
    site = None
    if kind.nouns[-1] == "public road" and any(map(str.isdigit, phrase)):
        kind = Kind(("address",), kind.is_located)
    if kind.nouns[0] in ADMINISTRATIVE:
        site = resolve_name(name, text, wanted="region") or resolve_name(name, text)
    elif kind.is_located or kind.nouns[0] in ("village", "town", "city"):
        site = resolve_name(name, text, wanted="settlement")
    elif kind.nouns[-1] == "urban area":
        site = resolve_name(name, text)
    if kind.nouns[0] == "state" and site is not None and not _codes(site) <= _FEDERAL:
        return None
    if site is None or not (
        site.nouns[-1] in ("city", "region", "urban area") or _codes(site) & count_countries(text).keys()
    ):
        return Site(kind.nouns, ())
    return Site(kind.nouns, site.areas)
