"""Which of Faker's locales speaks for a document, and its word lists."""

from __future__ import annotations

import importlib
from functools import cache, lru_cache
from typing import Any

from sfumato.detectors.language import identify
from sfumato.knowledge.honorifics import is_title
from sfumato.knowledge.lexicon import key

LOCALES = {
    "en": "en_US",
    "es": "es_ES",
    "de": "de_DE",
    "fr": "fr_FR",
    "it": "it_IT",
    "pt": "pt_PT",
    "nl": "nl_NL",
}
DEFAULT = "en_US"


@lru_cache(maxsize=16)
def locale_of(text: str) -> str:
    """The locale for a text's language; English where the text is too short to tell."""
    return LOCALES.get(identify(text).code or "", DEFAULT)


@cache
def name_list(locale: str, attribute: str) -> tuple[str, ...]:
    """One of Faker's name lists (``first_names_female``, ``last_names``, ...): single words, no titles (Bishop)."""
    provider = importlib.import_module(f"faker.providers.person.{locale}").Provider
    names = dict.fromkeys(getattr(provider, attribute))
    return tuple(name for name in names if name.isalpha() and not is_title(name))


@cache
def country_list(locale: str) -> tuple[str, ...]:
    """Countries, named in the locale's language."""
    return tuple(importlib.import_module(f"faker.providers.address.{locale}").Provider.countries)


@cache
def country_names() -> frozenset[str]:
    """Countries in all of the languages, as the lexicon writes words."""
    return frozenset(key(name) for locale in LOCALES.values() for name in country_list(locale))


@cache
def faker(locale: str) -> Any:
    """A Faker for the locale. Seed it before every use: it is shared."""
    from faker import Faker

    return Faker(locale)
