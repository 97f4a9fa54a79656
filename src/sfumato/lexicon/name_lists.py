"""Lists of names, places, demonyms and occupations, and the words in and around names: titles, particles, legal forms.

The large lists are loaded on first use; their keys are casefolded, with a straight apostrophe (``lookup_key``). They
are made by ``training/build_lexicon.py``; licences in ``data/SOURCES.md``. The small ones hold the words of all
languages, from ``names.toml``, ``head_nouns.toml`` and ``legal_forms.toml`` in ``data/<language>/`` and ``data/all/``.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Literal
from unicodedata import normalize

from sfumato.lexicon import tables

NameGender = Literal["female", "male", "both"]
_GENDERS: dict[str, NameGender] = {"f": "female", "m": "male", "b": "both"}


def lookup_key(phrase: str) -> str:
    """The form under which the lists have a word or phrase."""
    folded = phrase.casefold()
    if folded.isascii():
        return folded
    # A Turkish capital İ folds to an i with a combining dot.
    return normalize("NFC", folded.replace("i\u0307", "i").replace("’", "'").replace("\u2011", "-"))


@cache
def given_names() -> Mapping[str, NameGender]:
    """Given names with the gender they are given to."""
    return MappingProxyType({name: _GENDERS[gender] for name, gender in tables.table_rows("given_names")})


@cache
def family_names() -> frozenset[str]:
    """Family names, as single words."""
    return frozenset(tables.table_lines("family_names"))


@cache
def _cities_by_size() -> tuple[frozenset[str], frozenset[str]]:
    """All cities, and those of 400,000 people or more."""
    lines = tables.table_lines("cities")
    major = frozenset([line[:-2] for line in lines if line.endswith("\t+")])
    return major.union([line for line in lines if not line.endswith("\t+")]), major


@cache
def cities() -> frozenset[str]:
    """Cities of the world with 15,000 people or more; other-language names of the large ones."""
    return _cities_by_size()[0]


@cache
def major_cities() -> frozenset[str]:
    """Cities of 400,000 people or more."""
    return _cities_by_size()[1]


@cache
def regions() -> frozenset[str]:
    """Countries in seven languages, states, provinces and other large regions."""
    return frozenset(map(lookup_key, tables.table_lines("regions")))


@cache
def places() -> frozenset[str]:
    """Cities and regions."""
    return cities() | regions()


@cache
def large_places() -> frozenset[str]:
    """Cities of 400,000 people or more, and regions."""
    return major_cities() | regions()


@cache
def demonyms() -> frozenset[str]:
    """Nationalities as people write them: capitalised in English, German and Dutch, not in the Romance languages."""
    return frozenset(tables.table_lines("demonyms"))


@cache
def groups() -> frozenset[str]:
    """Religions, ethnic groups and languages that describe a person; written as ``demonyms`` are."""
    return frozenset(tables.table_lines("groups"))


@cache
def occupations() -> frozenset[str]:
    """Occupations of one to three words."""
    return frozenset(map(lookup_key, tables.table_lines("occupations")))


COMMON_WORD_LANGUAGES = frozenset({"en", "es", "de", "fr", "it", "pt", "nl"})


@cache
def common_words() -> frozenset[str]:
    """Frequent words of ``COMMON_WORD_LANGUAGES`` that a capital letter alone does not make a name."""
    return frozenset(tables.table_lines("common_words"))


Gender = Literal["female", "male"]

FEMALE_TITLES = frozenset(tables.words_of_all_languages("names", "titles.female"))
MALE_TITLES = frozenset(tables.words_of_all_languages("names", "titles.male"))
NEUTRAL_TITLES = frozenset(tables.words_of_all_languages("names", "titles.neutral"))
PARTICLES = frozenset(tables.words_of_all_languages("names", "particles"))
"""Small words within or before a surname: "de", "van", "bin"."""
LEADING_PARTICLES = frozenset(tables.words_of_all_languages("names", "leading_particles"))
"""Particles that begin a surname written with a capital: "Van der Berg"."""
SURNAME_PREFIXES = frozenset(tables.words_of_all_languages("names", "surname_prefixes"))
""""Mac" and "Mc", which may be written apart from the rest of the surname."""
SURNAME_CONJUNCTIONS = frozenset(tables.words_of_all_languages("names", "surname_conjunctions"))
"""Words that join two surnames: "Ramón y Cajal"."""
NAME_SUFFIXES = tables.word_set("names", "suffixes")
""""Jr", "III": what follows a name and belongs to it."""
ROLES = frozenset(tables.words_of_all_languages("names", "roles"))
"""What someone is to the writer, before a surname: "Kollege Schmidt"."""
BRANDS = tables.word_set("names", "brands")
"""Makes of things that are given or family names as well."""
GIVEN_NAMES_THAT_ARE_WORDS = frozenset(tables.words_of_all_languages("names", "given_names_that_are_words"))
"""Everyday words that are given names before a family name."""
GIVEN_NAMES_THAT_OPEN_SENTENCES = tables.word_set("names", "given_names_that_open_sentences", "en")
"""Those of them that begin sentences in their ordinary sense: "Will you come?"."""
LEGAL_FORMS = tables.words("legal_forms", "forms")
"""Endings of company names, as they are written: "Ltd", "GmbH"."""
ORGANISATION_HEADS = frozenset(tables.words_of_all_languages("head_nouns", "organisations"))
PLACE_HEADS = frozenset(tables.words_of_all_languages("head_nouns", "places"))
GENERIC_IN_ORGANISATIONS = tables.word_set("head_nouns", "generic_in_organisations", "en")
"""Words in names of organisations that do not say which organisation it is."""
NOT_IN_NAMES_OF_PEOPLE = (
    ORGANISATION_HEADS | PLACE_HEADS | tables.word_set("head_nouns", "not_in_names_of_people", "en")
)
"""Capitalised words that are never part of a person's name."""


def is_full_name(first: str, second: str) -> bool:
    """Whether two words, casefolded, are a given name and a family name in any order."""
    given, family = given_names(), family_names()
    return (first in given and second in family) or (first in family and second in given)


def gender_of(title: str) -> Gender | None:
    """The gender a title tells: ``gender_of("Mrs.") == "female"``; None where it tells none."""
    word = title.casefold().rstrip(".")
    if word in FEMALE_TITLES:
        return "female"
    return "male" if word in MALE_TITLES else None


def is_title(word: str) -> bool:
    """Whether a word is a title or honorific, with or without its full stop."""
    word = word.casefold().rstrip(".")
    return word in FEMALE_TITLES or word in MALE_TITLES or word in NEUTRAL_TITLES
