"""Names, places, demonyms and occupations to look words up in. Loaded on first use, once.

Keys are casefolded, with a straight apostrophe. Made by ``training/build_lexicon.py``; licences in ``data/SOURCES.md``.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Literal
from unicodedata import normalize

from sfumato.knowledge import shipped

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
    pairs = (line.split("\t") for line in shipped.lines("given"))
    return MappingProxyType({name: _GENDERS[gender] for name, gender in pairs})


@cache
def family_names() -> frozenset[str]:
    """Family names, as single words."""
    return frozenset(shipped.lines("family"))


@cache
def cities() -> frozenset[str]:
    """Cities of the world with 15,000 people or more; other-language names of the large ones."""
    return frozenset(line.removesuffix("\t+") for line in shipped.lines("cities"))


@cache
def major_cities() -> frozenset[str]:
    """Cities of 400,000 people or more."""
    return frozenset(line[:-2] for line in shipped.lines("cities") if line.endswith("\t+"))


@cache
def regions() -> frozenset[str]:
    """Countries in seven languages, states, provinces and other large regions."""
    return frozenset(map(key, shipped.lines("regions")))


@cache
def demonyms() -> frozenset[str]:
    """Nationalities as people write them: capitalised in English, German and Dutch, not in the Romance languages."""
    return frozenset(shipped.lines("demonyms"))


@cache
def groups() -> frozenset[str]:
    """Religions, ethnic groups and languages that describe a person; written as ``demonyms`` are."""
    return frozenset(shipped.lines("groups"))


@cache
def occupations() -> frozenset[str]:
    """Occupations of one to three words."""
    return frozenset(map(key, shipped.lines("occupations")))


@cache
def common_words() -> frozenset[str]:
    """Frequent words of the seven languages that a capital letter alone does not make a name."""
    return frozenset(shipped.lines("common"))
