"""Which country a name, a people, a city, a region, a web address or a phone number belongs to.

Made by ``training/build_countries.py``; licences in ``data/SOURCES.md``.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

import phonenumbers

from sfumato.knowledge import shipped
from sfumato.knowledge.lexicon import key

_NOT_COUNTRIES_ONLINE = frozenset("co io ai me tv cc fm ly to ws".split())
"""Endings of web addresses that belong to a country and are used by all the world."""


def _bare(phrase: str) -> str:
    return key(phrase.strip()).removeprefix("the ").strip()


@cache
def _by_code() -> Mapping[str, str]:
    return MappingProxyType({code: name.removeprefix("The ") for code, name, _ in shipped.rows("countries")})


@cache
def _by_name() -> Mapping[str, str]:
    found = {}
    for _, name, others in shipped.rows("countries"):
        found.update({_bare(one): name.removeprefix("The ") for one in (name, *others.split(";")) if one})
    return MappingProxyType(found)


@cache
def _by_place() -> Mapping[str, str]:
    return MappingProxyType({name: _by_code()[code] for name, code in shipped.rows("places")})


def named(phrase: str) -> str | None:
    """The country that a phrase names, as itself or by its people: ``named("Dutch") == "Netherlands"``."""
    return _by_name().get(_bare(phrase))


def around(place: str) -> str | None:
    """The country that a city or region lies in; of cities that share a name, that of the largest."""
    return _by_place().get(key(place.strip()))


def of_code(code: str) -> str | None:
    """The country of a code of two letters (ISO 3166); UK counts as one."""
    return _by_code().get("GB" if code.upper() == "UK" else code.upper())


def of_domain(domain: str) -> str | None:
    """The country that the ending of a web or mail address stands for."""
    ending = domain.rpartition(".")[2].casefold()
    return None if ending in _NOT_COUNTRIES_ONLINE or len(ending) != 2 else of_code(ending)


def of_phone(number: str) -> str | None:
    """The country of a phone number that is written with its country's number; by that number alone, unchecked."""
    digits = "+" + "".join(filter(str.isdigit, number))
    if not number.lstrip("( ").startswith(("+", "00")):
        return None
    try:
        parsed = phonenumbers.parse(digits.replace("+00", "+"), None)
    except phonenumbers.NumberParseException:
        return None
    if parsed.country_code in (None, 1):  # half a continent shares +1
        return None
    return of_code(phonenumbers.region_code_for_country_code(parsed.country_code))
