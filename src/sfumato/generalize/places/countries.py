"""Which countries a text names: as themselves, by their peoples, by cities, by postcodes and telephone numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from types import MappingProxyType

from sfumato.annotated_text import AnnotatedText, read_once
from sfumato.generalize.places.kinds import CITY, TOWN, codes_of, is_head, place_words
from sfumato.lexicon import name_lists, world
from sfumato.lexicon.caches import remember_in_run
from sfumato.lexicon.tables import fold_name, load_toml
from sfumato.lexicon.tokens import alternation, lazy_pattern
from sfumato.lexicon.world import Settlement, find_provinces, find_settlements

# Which countries a text names.

METROPOLIS = 500_000
_FAMOUS = ((20, METROPOLIS), (5, 2 * METROPOLIS))
"""How many times larger than all others together, and how large, a city must be to be meant without saying so."""
_FAMOUS_CAPITAL = (3, CITY)
LONGEST = 7
"""Words in a name that is looked up."""
_NAME_WORD = lazy_pattern(r"[^\W\d_][\w'’.-]*")
_LOWER_IN_NAMES = frozenset({"of", "and", "the", "de", "la"})
SHORT = 3
"""Letters; so few are a code rather than a name."""
_STATES_AS_NAMES = place_words("states_as_names")
_WELL_KNOWN_CITIES = place_words("well_known_cities")
AMBIGUOUS_COUNTRIES = place_words("ambiguous_countries")


_MARKS = load_toml("country_marks", package="sfumato.generalize")
_CALLING_CODE = lazy_pattern(r"(?<![\w+])\+(\d{2,3})(?!\d)|(?<![\w+])\+(\d{2})(?=\d)")
_COUNTRY_OF_WORD = {word: code for code, listed in _MARKS["words"].items() for word in listed}
_COUNTRY_WORD = lazy_pattern(rf"(?<!\w)(?:{alternation(sorted(_COUNTRY_OF_WORD, key=len, reverse=True))})(?!\w)")
_COUNTRY_PATTERNS = tuple((code, lazy_pattern("|".join(marks))) for code, marks in _MARKS["patterns"].items())
_MAY_MARK_COUNTRY = lazy_pattern(_MARKS["may_mark"])
_DIGIT = lazy_pattern(r"\d")
_MARK_COUNTS = 9
"""A postcode or a telephone number counts as so many names of cities: a city named once says less of the text."""


def marked_countries(text: str) -> frozenset[str]:
    """The countries that postcodes, telephone numbers, currencies and public services in a text belong to."""
    codes: set[str] = set()
    if any(map(text.__contains__, _COUNTRY_OF_WORD)):
        codes = {_COUNTRY_OF_WORD[match.group()] for match in _COUNTRY_WORD.finditer(text)}
    if _DIGIT.search(text) is None:  # which all others have
        return frozenset(codes)
    if "+" in text:
        calls = (match[1] or match[2] for match in _CALLING_CODE.finditer(text))
        codes |= {_MARKS["calling_codes"][call] for call in calls if call in _MARKS["calling_codes"]}
    if _MAY_MARK_COUNTRY.search(text) is None:
        return frozenset(codes)
    return frozenset(codes | {code for code, pattern in _COUNTRY_PATTERNS if pattern.search(text)})


_STATED_COUNTRY: ContextVar[str | None] = ContextVar("stated_country", default=None)
_STATED_COUNTS = 100
"""The country that the user states counts as so many names of cities."""


@contextmanager
def stating_country(country: str | None) -> Iterator[None]:
    """Within it, texts are read as texts of the country that the user states for a document."""
    token = _STATED_COUNTRY.set(country)
    try:
        yield
    finally:
        _STATED_COUNTRY.reset(token)


def count_countries(text: str) -> Mapping[str, int]:
    """How often a text names each country: as itself, by its people, by a city of no other, by a postcode."""
    return _count_countries(text, _STATED_COUNTRY.get())


_PARAGRAPH_END = lazy_pattern(r"\n[^\S\n]*\n")


@read_once
def _count_countries(text: str, stated: str | None) -> Mapping[str, int]:
    # A release that is read again and again while its levels are chosen differs in a few paragraphs.
    part = AnnotatedText(text).part
    paragraphs = [_countries_of_paragraph(part(paragraph)) for paragraph in _PARAGRAPH_END.split(text)]
    marked = sorted({code for marks, _ in paragraphs for code in marks})
    counts = Counter[str](dict.fromkeys(marked, _MARK_COUNTS))
    if stated is not None:
        counts[stated] += _STATED_COUNTS
    for _, named in paragraphs:
        counts.update(named)
    return MappingProxyType(dict(counts))


@read_once
def _countries_of_paragraph(text: str) -> tuple[frozenset[str], tuple[str, ...]]:
    """The countries that marks in a paragraph belong to, and each country as often as it is named."""
    return marked_countries(text), tuple(code for run in _capitalised_runs(text) for code in _countries_in_run(run))


def _capitalised_runs(text: str) -> Iterator[str]:
    """The parts of a text from a capitalised word to the last one of them before an uncapitalised word."""
    start = end = -1
    for match in _NAME_WORD.finditer(text):
        word = match.group()
        if word[0].isupper():
            start, end = match.start() if start < 0 else start, match.end()
        elif start >= 0 and word not in _LOWER_IN_NAMES:
            yield text[start:end]
            start = -1
    if start >= 0:
        yield text[start:end]


@remember_in_run(8192)
def _countries_in_run(run: str) -> tuple[str, ...]:
    """The countries that a run of capitalised words names, the longest names first."""
    words = [(match.group(), match.start()) for match in _NAME_WORD.finditer(run)]
    countries: list[str] = []
    first = 0
    while first < len(words):
        if not words[first][0][0].isupper():
            first += 1
            continue
        end = min(len(words), first + LONGEST)
        if end - first > 1 and not world.begins_longer_name(run[words[first][1] : words[first + 1][1]]):
            end = first + 1
        codes: tuple[str, ...] = ()
        while end > first and not codes:
            end -= 1
            last, start = words[end]
            if last[0].isupper():
                name = run[words[first][1] : start + len(last)].rstrip(".,;:'’-")
                codes = _countries_named(name.removesuffix("'s").removesuffix("’s"))
        countries += codes
        first = max(first, end) + 1
    return tuple(countries)


def named_countries(text: str) -> list[str]:
    """The codes of the countries that a text names, the one it names most often first."""
    return most_named(count_countries(text))


def most_named(counts: Mapping[str, int]) -> list[str]:
    """The codes of countries, the one that is counted most often first."""
    return sorted((code for code in counts if code in world.countries()), key=lambda code: -counts[code])


@remember_in_run(8192)
def _countries_named(name: str) -> tuple[str, ...]:
    if fold_name(name) in AMBIGUOUS_COUNTRIES:
        return ()
    people = world.country_of_people(name)
    country = world.find_country(name) or world.country_of_adjective(name) or (people[0] if people else None)
    if country:
        return country.people if country.is_former else (country.code[:2],) * 2
    readings = find_settlements(name)
    codes = codes_of(readings) | codes_of(find_provinces(name))
    # Geneva and Strasbourg stand for the organisations that sit there.
    if not codes or is_everyday(name) or is_head(name) or name_lists.lookup_key(name) in _WELL_KNOWN_CITIES:
        return ()
    if readings and (len(codes) == 1 or is_famous(readings)) and readings[0].population >= CITY:
        return (readings[0].code[:2],)
    return tuple(codes) if not readings and len(codes) == 1 and len(name) > SHORT else ()


def is_everyday(name: str) -> bool:
    """Whether it is a word or a person's name as well, and no large city."""
    word = name_lists.lookup_key(name)
    if len(name) > SHORT and any(place.state for place in find_provinces(name)):
        return word in _STATES_AS_NAMES
    readings = find_settlements(name)
    if word in _WELL_KNOWN_CITIES:
        return False
    if readings and readings[0].population >= METROPOLIS:
        return word in name_lists.common_words() and readings[0].population < 4 * METROPOLIS
    is_surname = word in name_lists.family_names() and (not readings or readings[0].population < TOWN)
    return is_surname or word in name_lists.common_words() or word in name_lists.given_names()


def is_famous(readings: Sequence[Settlement]) -> bool:
    """Whether the first is meant wherever nothing in the text speaks against it."""
    if not readings:
        return False
    if name_lists.lookup_key(readings[0].name) in _WELL_KNOWN_CITIES:
        return True
    others = sum(max(place.population, 500) for place in readings[1:])
    bars = (*_FAMOUS, _FAMOUS_CAPITAL) if readings[0].is_capital else _FAMOUS
    return any(readings[0].population >= max(least, times * others) for times, least in bars)
