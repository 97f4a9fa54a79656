"""Phrases about places: "northern Iraq", "Gdynia, Poland", "12 Mill Lane, Leeds", "Manchester Airport"."""

from __future__ import annotations

import re

from sfumato.generalize.places import names as place_heads
from sfumato.generalize.places.names import Site, count_countries, countries_of, province_site, resolve_name
from sfumato.lexicon import world
from sfumato.lexicon.tables import load_toml, word_set
from sfumato.lexicon.world import Province, all_provinces, find_provinces

_ALL = load_toml("places", package="sfumato.generalize")
_ENGLISH = load_toml("places", "en", "sfumato.generalize")
_REGION_WORDS = "|".join(_ENGLISH["regions"])
_COMPASS = re.compile(
    r"(?:the )?(?P<side>(?:north|south|east|west|north-?east|north-?west|south-?east|south-?west|cent(?:re|er)|middle|"
    r"mid-?\w*|upper|lower)(?:ern|-ern)?|central|inner|outer|far \w+)(?: part)?(?: of)? (?P<name>.+)",
    re.I,
)
_ADDRESS = re.compile(
    r"(?:(?:flat|apartment|unit|no\.?|nº|number|room|house|block)\s*)?\d+\s?[A-Za-z]?(?:[/-]\d+)?[,\s]+(?=\D)", re.I
)
_NUMBER_LAST = re.compile(r"[,\s]+(?:n[º°o.]+\s*)?\d+\s?[A-Za-z]?(?:[/-]\d+)?$")
_POSTCODE = re.compile(r"\b(?:[A-Z]{1,2}\d[\dA-Z]? ?\d[A-Z]{2}|(?:[A-Z]{1,2}-)?\d{4,6}(?:-\d{3,4})?)\b")
_SPLIT = re.compile(r"\s*[,;(]\s*|\s+(?:in|near)\s+(?=(?:the )?[^\Wa-z\d_])")
_PART_OF = re.compile(rf" (?:{'|'.join(_ENGLISH['parts'])}) of (?=(?:the )?[^\Wa-z\d_])")
_REGION_AFTER = re.compile(rf"\s*(?:{_REGION_WORDS})\b", re.I)
_REGION_BEFORE = re.compile(rf"\b(?:{_REGION_WORDS})s? of (?:the )?$", re.I)
_OUTSIDE = re.compile(
    r"(?:,\s+|\s+\(|,?\s+in\s+)(?:the )?(?P<outer>[A-ZÀ-Þ][\w.'’-]*(?: (?:and )?[A-ZÀ-Þ][\w.'’-]*){0,2})"
)
_LISTED = re.compile(r"\s*(?:,|and|or|,\s*and)\s+(?:the )?(?P<next>[A-ZÀ-Þ][\w.-]*(?: [A-ZÀ-Þ][\w.-]*)?)")
_WASHINGTON = re.compile(r"Washington,? D\.?\s?C\.?")
_SAINT = re.compile(rf"(?:{'|'.join(_ALL['saints'])})\b")
_SHRINE = re.compile(rf"\b(?:{'|'.join(_ALL['shrines'])}) of (?:the )?$", re.I)
_STATE = re.compile(r"[A-Z]\. ?[A-Z]\.?")
_LONG = 5
"""Words; so many are more than the name of a place."""
_FEDERAL = word_set("places", "federal", package="sfumato.generalize")
_SETTLED = frozenset({"city", "town", "town or city", "town or village", "city or urban district"})


def read(phrase: str, text: str, before: str = "", after: str = "") -> Site | None:
    """What a phrase says of a place; None where any of it cannot be read."""
    if _WASHINGTON.fullmatch(phrase):
        return resolve_name("Washington", text, frozenset({"US"}), "settlement", "DC")
    if _STATE.fullmatch(phrase) and (states := _by_code(phrase.replace(".", "").replace(" ", ""))):
        return province_site(states)
    if _SAINT.match(phrase) and _SHRINE.search(before[-40:]):
        return None
    if after and (site := _beside(phrase, text, after)):
        return site
    is_region = _REGION_AFTER.match(after[:20]) or _REGION_BEFORE.search(before[-30:])
    if is_region and (site := resolve_name(phrase, text, wanted="region")):
        return site
    if site := resolve_name(phrase.removeprefix("the ").removeprefix("The "), text):
        if is_region and site.nouns[0] not in ("country", "territory"):
            return site.within(("region",))
        return site
    if (match := _COMPASS.fullmatch(phrase)) and (phrase[0].islower() or not countries_of(phrase)):
        return _side(match["name"], text)
    return _composite(phrase, text) or _by_head(phrase, text)


def _by_code(code: str) -> list[Province]:
    return [province for province in all_provinces() if province.state == code][:1]


def _beside(name: str, text: str, after: str) -> Site | None:
    """By the country or American state that follows: "[Canton], Ohio", "[Ried] (Austria)", "[Sambek] in Russia"."""
    match = _OUTSIDE.match(after[:80])
    if match is None or world.find_country(name) or any(province.state for province in find_provinces(name)):
        return None
    words = match["outer"].split()
    for size in range(len(words), 0, -1):
        outer = " ".join(words[:size]).rstrip(".,'’")
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
    if parsed := place_heads.read_head(name):
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
    return Site(
        (f"area in a {inner.nouns[0]}", "urban area") if _SETTLED & {*inner.nouns} else ("region",), inner.areas
    )


def _composite(phrase: str, text: str) -> Site | None:
    """ "Gdynia, Poland"; "Başkale (Van)"; "12 Mill Lane, Leeds LS1 4AP"; "a prison in Izmir"."""
    phrase = _PART_OF.sub(", ", phrase)
    pieces = [piece for piece in _SPLIT.split(_POSTCODE.sub("", phrase).replace(")", "")) if piece.strip()]
    has_number = bool(_ADDRESS.match(phrase)) or any(_NUMBER_LAST.search(piece) for piece in pieces)
    if has_number:
        pieces = [_NUMBER_LAST.sub("", _ADDRESS.sub("", piece)) for piece in pieces]
        pieces = [piece for piece in pieces if piece.strip() and not piece.strip().isdigit()]
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
        return None if "city" in inner.nouns and outer is not None and _SETTLED & {*outer.nouns} else inner
    if outer is None:
        return None
    parsed = place_heads.read_head(pieces[0])
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
            site: Site | None = _country_around(country)
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


def _country_around(country: world.Country) -> Site:
    """A country, as what something lies in."""
    return Site(("country",), world.areas_around(country.code), codes=frozenset({country.code}))


def _codes(site: Site) -> frozenset[str]:
    """The country that a site is in."""
    return frozenset(code[:2] for code in site.codes)


def _inside(nouns: tuple[str, ...], outer: Site) -> Site:
    """Something in a city: "street in a large city" in the same areas."""
    if not _SETTLED & {*outer.nouns} or not outer.areas:
        return outer.within(nouns)
    article = "an" if outer.nouns[-1][0] in "aeiou" else "a"
    return outer.within((f"{nouns[0]} in {article} {outer.nouns[0]}", *nouns))


def _by_head(phrase: str, text: str) -> Site | None:
    parsed = place_heads.read_head(phrase.removeprefix("the ").removeprefix("The "))
    if parsed is None or not any(letter.isupper() for letter in phrase):
        return None
    kind, name = parsed
    site = None
    if kind.nouns[0] in place_heads.ADMINISTRATIVE:
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
