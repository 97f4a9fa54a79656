"""Phrases about places: "northern Iraq", "Gdynia, Poland", "12 Mill Lane, Leeds", "Manchester Airport"."""

from __future__ import annotations

import re
from functools import cache

from sfumato.generalize.places import names as place_heads
from sfumato.generalize.places.names import Site, countries_of, evidence, of_provinces, resolve
from sfumato.lexicon import world
from sfumato.lexicon.world import Area, Province, all_provinces, find_provinces

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
_PART_OF = re.compile(
    r" (?:district|quarter|area|suburb|borough|neighbou?rhood|section|part|province|region|county|village|town) of "
    r"(?=(?:the )?[^\Wa-z\d_])"
)
_CUE_AFTER = re.compile(r"\s*(province|region|oblast|county|governorate|state|department|canton|voivodeship)\b", re.I)
_CUE_BEFORE = re.compile(
    r"\b(province|region|oblast|county|governorate|state|department|canton|county)s? of (?:the )?$", re.I
)

_OUTSIDE = re.compile(
    r"(?:,\s+|\s+\(|,?\s+in\s+)(?:the )?(?P<outer>[A-ZÀ-Þ][\w.'’-]*(?: (?:and )?[A-ZÀ-Þ][\w.'’-]*){0,2})"
)
_LISTED = re.compile(r"\s*(?:,|and|or|,\s*and)\s+(?:the )?(?P<next>[A-ZÀ-Þ][\w.-]*(?: [A-ZÀ-Þ][\w.-]*)?)")
_WASHINGTON = re.compile(r"Washington,? D\.?\s?C\.?")
_SAINT = re.compile(r"(?:San|Santa|Sant['’]|Santo|São|Saint|St\.?|Sainte|Sv\.?)\b")
_SHRINE = re.compile(
    r"\b(?:church|chapel|oratory|cathedral|convent|monastery|basilica|abbey|parish|order|statue|feast|relics|altar"
    r"(?:piece)?|life|lives) of (?:the )?$",
    re.I,
)
"""What bears a saint's name: the Oratory of San Biagio is in no San Biagio."""
_STATE = re.compile(r"[A-Z]\. ?[A-Z]\.?")
_LONG = 5
"""Words that are more than the name of a place."""
_FEDERAL = frozenset("US DE AU IN BR MX MY NG AT VE MM SD SS ET FM PW CH".split())
"""Countries that are made of states."""
_SETTLED = frozenset({"city", "town", "town or city", "town or village", "city or urban district"})


def read(said: str, text: str, before: str = "", after: str = "") -> Site | None:
    """What a phrase says of a place; None where any of it cannot be read."""
    if _WASHINGTON.fullmatch(said):
        return resolve("Washington", text, frozenset({"US"}), "settlement", "DC")
    if _STATE.fullmatch(said) and (states := _by_code(said.replace(".", "").replace(" ", ""))):
        return of_provinces(states)
    if _SAINT.match(said) and _SHRINE.search(before[-40:]):
        return None
    if after and (site := _beside(said, text, after)):
        return site
    is_region = _CUE_AFTER.match(after[:20]) or _CUE_BEFORE.search(before[-30:])
    if is_region and (site := resolve(said, text, wanted="region")):
        return site
    if site := resolve(said.removeprefix("the ").removeprefix("The "), text):
        if is_region and site.nouns[0] not in ("country", "territory"):
            return site.within(("region",))
        return site
    if (match := _COMPASS.fullmatch(said)) and (said[0].islower() or not countries_of(said)):
        return _side(match["name"], text)
    return _composite(said, text) or _by_head(said, text)


def _by_code(code: str) -> list[Province]:
    return [one for one in all_provinces() if one.state == code][:1]


def _beside(said: str, text: str, after: str) -> Site | None:
    """By the country or American state that follows: "[Canton], Ohio", "[Ried] (Austria)", "[Sambek] in Russia"."""
    match = _OUTSIDE.match(after[:80])
    if match is None or world.find_country(said) or any(one.state for one in find_provinces(said)):
        return None
    words = match["outer"].split()
    for size in range(len(words), 0, -1):
        outer = " ".join(words[:size]).rstrip(".,'’")
        land = world.find_country(outer)
        states = [one.state for one in find_provinces(outer) if one.state]
        if land is None and not states:
            continue
        rest = after[match.start("outer") + len(outer) :]
        if (next_one := _LISTED.match(rest)) and world.find_country(next_one["next"]):
            return None  # countries in a row
        code = "US" if states and (land is None or land.code == "GE") else land.code if land else ""
        if land and land.is_former:
            return None
        is_sure = not match[0].startswith(",") or not countries_of(said)
        return _within(said, text, code, states[0] if code == "US" and states else "", is_sure)
    return None


def _within(said: str, text: str, code: str, state: str, is_sure: bool) -> Site | None:
    """What lies in a country or a state; ``is_sure``: that it does, though no table has it there."""
    site = resolve(said, text, frozenset({code[:2]}), state=state)
    if site is not None:
        return site
    if parsed := place_heads.head(said):
        return Site(parsed[0].nouns, world.areas_around(code))
    is_name = said[:1].isupper() and not any(map(str.isdigit, said)) and len(said.split()) < _LONG
    return Site(("place",), world.areas_around(code)) if is_sure and is_name else None


def _side(name: str, text: str) -> Site | None:
    """The north of a country, of a region or of a city."""
    land = world.find_country(name)
    if land and not land.is_former:
        # "North Jersey" and "South Georgia" may be elsewhere.
        is_sure = land.code != "JE" and (land.code != "GE" or "GE" in evidence(text))
        return Site(("region",), world.areas_around(land.code)) if is_sure else None
    inner = resolve(name, text)
    if inner is None or not inner.areas:
        return None
    return Site(
        (f"area in a {inner.nouns[0]}", "urban area") if _SETTLED & {*inner.nouns} else ("region",), inner.areas
    )


def _composite(said: str, text: str) -> Site | None:
    """ "Gdynia, Poland"; "Başkale (Van)"; "12 Mill Lane, Leeds LS1 4AP"; "a prison in Izmir"."""
    said = _PART_OF.sub(", ", said)
    pieces = [piece for piece in _SPLIT.split(_POSTCODE.sub("", said).replace(")", "")) if piece.strip()]
    has_number = bool(_ADDRESS.match(said)) or any(_NUMBER_LAST.search(piece) for piece in pieces)
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
    inner = resolve(pieces[0], text, codes, state=state)
    if inner is not None and not has_number:
        # Two cities are a list, not a place and what it is in.
        return None if "city" in inner.nouns and outer is not None and _SETTLED & {*outer.nouns} else inner
    if outer is None:
        return None
    parsed = place_heads.head(pieces[0])
    nouns = ("address",) if has_number else parsed[0].nouns if parsed else ("place",)
    return _inside(nouns, outer)


def _outer(pieces: list[str], text: str) -> tuple[frozenset[str], str, Site | None]:
    """The country that the last pieces of a phrase tell, the American state, and the narrowest place they name."""
    codes: frozenset[str] = frozenset()
    state = ""
    outer: Site | None = None
    for place in reversed(pieces[1:]):
        if is_american := codes <= {"US"} and (found := [one.state for one in find_provinces(place) if one.state]):
            state = found[0]
        land = world.find_country(place)
        if land and not land.is_former and not (is_american and not codes):
            site: Site | None = _of_country(land)
        else:
            wanted = "region" if is_american else ""
            site = resolve(place, text, codes, wanted, state if codes and not is_american else "")
        own = _codes(site) if site else frozenset()
        # Two names that only one country has both of tell it as well as its name does.
        if not own and len(both := countries_of(place) & (codes or countries_of(pieces[0]))) == 1:
            own, site = both, resolve(place, text, both)
        codes = own or codes
        outer = site or outer
    return codes, state, outer


def _of_country(land: world.Country) -> Site:
    """A country, as what something lies in."""
    return Site(("country",), world.areas_around(land.code), codes=frozenset({land.code}))


def _codes(site: Site) -> frozenset[str]:
    """The country that a site is in."""
    return frozenset(code[:2] for code in site.codes)


def _inside(nouns: tuple[str, ...], outer: Site) -> Site:
    """Something in a city: "street in a large city" in the same areas."""
    if not _SETTLED & {*outer.nouns} or not outer.areas:
        return outer.within(nouns)
    article = "an" if outer.nouns[-1][0] in "aeiou" else "a"
    return outer.within((f"{nouns[0]} in {article} {outer.nouns[0]}", *nouns))


def _by_head(said: str, text: str) -> Site | None:
    parsed = place_heads.head(said.removeprefix("the ").removeprefix("The "))
    if parsed is None or not any(letter.isupper() for letter in said):
        return None
    kind, name = parsed
    site = None
    if kind.nouns[0] in place_heads.ADMINISTRATIVE:
        site = resolve(name, text, wanted="region") or resolve(name, text)
    elif kind.is_located or kind.nouns[0] in ("village", "town", "city"):
        site = resolve(name, text, wanted="settlement")
    elif kind.nouns[-1] == "urban area":
        site = resolve(name, text)
    if kind.nouns[0] == "state" and site is not None and not _codes(site) <= _FEDERAL:
        return None
    if site is None or not (site.nouns[-1] in ("city", "region", "urban area") or _codes(site) & evidence(text).keys()):
        return Site(kind.nouns, ())
    return Site(kind.nouns, site.areas)


# -- The hierarchy of places in Spanish: the same steps, said otherwise.


_NOUNS = {
    "large city": "gran ciudad",
    "city": "ciudad",
    "capital city": "ciudad capital",
    "town or city": "localidad",
    "town": "localidad",
    "small town": "localidad pequeña",
    "village or small town": "localidad pequeña",
    "town or village": "localidad",
    "settlement": "localidad",
    "city or urban district": "zona urbana",
    "town or urban district": "zona urbana",
    "town or city district": "zona urbana",
    "urban district": "barrio o distrito",
    "urban area": "zona urbana",
    "country": "país",
    "territory": "territorio",
    "region": "región",
    "province": "provincia",
    "state": "estado",
    "department": "departamento",
    "county": "condado",
    "canton": "cantón",
    "island": "isla",
    "municipality": "municipio",
    "continent": "continente",
    "sea": "mar",
    "ocean": "océano",
    "river": "río",
    "lake": "lago",
    "mountain": "montaña",
    "mountain range": "cordillera",
    "place": "lugar",
    "street": "calle",
    "avenue": "avenida",
    "road": "carretera o camino",
    "square": "plaza",
    "public road": "vía pública",
    "public space": "espacio público",
    "address": "dirección postal",
    "airport": "aeropuerto",
    "transport facility": "instalación de transporte",
    "railway station": "estación de tren",
    "hospital": "hospital",
    "medical facility": "centro sanitario",
    "prison": "prisión",
    "place of detention": "centro de detención",
    "school": "centro escolar",
    "university": "universidad",
    "educational establishment": "centro educativo",
    "church": "iglesia",
    "religious building": "edificio religioso",
    "park": "parque",
    "green space": "zona verde",
}
_SIDES = {
    "northern": "norte",
    "southern": "sur",
    "eastern": "este",
    "western": "oeste",
    "central": "centro",
    "north-eastern": "noreste",
    "north-western": "noroeste",
    "south-eastern": "sureste",
    "south-western": "suroeste",
}
_WITH_ARTICLE = frozenset({"Reino Unido", "Caribe", "Sudeste Asiático"})
_BRITISH = {"England": "Inglaterra", "Scotland": "Escocia", "Wales": "Gales", "Northern Ireland": "Irlanda del Norte"}


@cache
def _areas() -> dict[str, str]:
    names = {**world.region_names("es"), **_BRITISH}
    return names | {land.name: land.spanish for land in world.countries().values() if land.spanish}


def say(noun: str, area: Area | None, part: str) -> str | None:
    """ "gran ciudad del norte de Polonia"; None where a word for it is missing."""
    kind = _NOUNS.get(noun)
    if kind is None or area is None:
        return kind
    name = _areas().get(area.name)
    if name is None:
        return None
    of = f"del {name}" if name in _WITH_ARTICLE else f"de {name}"
    return f"{kind} del {_SIDES[part]} {of}" if part else f"{kind} {of}"
