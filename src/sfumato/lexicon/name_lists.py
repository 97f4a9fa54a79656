"""Names, places, demonyms and occupations to look words up in. Loaded on first use, once.

Keys are casefolded, with a straight apostrophe. Made by ``training/build_lexicon.py``; licences in ``data/SOURCES.md``.
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


def key(phrase: str) -> str:
    """The form under which a word or phrase stands in the tables."""
    folded = phrase.casefold()
    if folded.isascii():
        return folded
    # A Turkish capital İ folds to an i with a combining dot.
    return normalize("NFC", folded.replace("i\u0307", "i").replace("’", "'").replace("\u2011", "-"))


@cache
def given_names() -> Mapping[str, NameGender]:
    """Given names with the gender they are given to."""
    pairs = (line.split("\t") for line in tables.lines("given"))
    return MappingProxyType({name: _GENDERS[gender] for name, gender in pairs})


@cache
def family_names() -> frozenset[str]:
    """Family names, as single words."""
    return frozenset(tables.lines("family"))


@cache
def cities() -> frozenset[str]:
    """Cities of the world with 15,000 people or more; other-language names of the large ones."""
    return frozenset(line.removesuffix("\t+") for line in tables.lines("cities"))


@cache
def major_cities() -> frozenset[str]:
    """Cities of 400,000 people or more."""
    return frozenset(line[:-2] for line in tables.lines("cities") if line.endswith("\t+"))


@cache
def regions() -> frozenset[str]:
    """Countries in seven languages, states, provinces and other large regions."""
    return frozenset(map(key, tables.lines("regions")))


@cache
def demonyms() -> frozenset[str]:
    """Nationalities as people write them: capitalised in English, German and Dutch, not in the Romance languages."""
    return frozenset(tables.lines("demonyms"))


@cache
def groups() -> frozenset[str]:
    """Religions, ethnic groups and languages that describe a person; written as ``demonyms`` are."""
    return frozenset(tables.lines("groups"))


@cache
def occupations() -> frozenset[str]:
    """Occupations of one to three words."""
    return frozenset(map(key, tables.lines("occupations")))


@cache
def common_words() -> frozenset[str]:
    """Frequent words of the seven languages that a capital letter alone does not make a name."""
    return frozenset(tables.lines("common"))


# -- Titles and honorifics that stand before a name, with the gender they tell where they tell one.
#
# Written for this project; English, Spanish, German, French, Italian, Portuguese, Dutch.


Gender = Literal["female", "male"]

FEMALE = frozenset(
    "mrs ms miss madam madame mme mlle lady dame sra srta señora señorita doña dña frau signora signorina sig.ra "
    "senhora dona mevrouw mevr mw sister soeur hermana doctora dra profesora profa dott.ssa prof.ssa".split()
)
MALE = frozenset(
    "mr mister sir lord monsieur mm sr señor don herr signor signore sig senhor seu meneer dhr father brother "
    "frère hermano profesor dottor".split()
)
NEUTRAL = frozenset(
    "dr doctor docteur doktor dott prof professor professeur rev reverend hon honourable honorable judge justice "
    "mx captain capt major maj colonel col general gen sergeant sgt lieutenant lt officer inspector insp "
    "constable pc detective det president senator sen governor gov minister ambassador bishop archbishop cardinal "
    "pastor rabbi imam nurse ing dipl.-ing mag lic licenciado lcdo abogado avvocato avv maître me maitre advocate "
    "attorney counsel counsellor councillor cllr advokat drs ir richter richterin dokter".split()
)


def gender_of(title: str) -> Gender | None:
    """The gender that a title tells: ``gender_of("Mrs.") == "female"``; None where it tells none."""
    word = title.casefold().rstrip(".")
    if word in FEMALE:
        return "female"
    if word in MALE:
        return "male"
    return None


def is_title(word: str) -> bool:
    """Whether a word is one of them, with or without its full stop."""
    word = word.casefold().rstrip(".")
    return word in FEMALE or word in MALE or word in NEUTRAL
