"""Surrogates: a name for a name, a city for a city, a code of the same format for a code."""

from __future__ import annotations

import importlib
import random
import re
import string
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from typing import Any

from sfumato.detectors.entities import entity_name
from sfumato.document import Document, Span
from sfumato.errors import suggest
from sfumato.lexicon import name_lists
from sfumato.lexicon.language import identify_language
from sfumato.lexicon.name_lists import given_names, is_title, lookup_key
from sfumato.lexicon.tables import load_toml
from sfumato.lexicon.tokens import LETTERS, fold_phrase
from sfumato.replacers.base import SpanReplacer, assign_absent, entity_of, numbered_label, occurs
from sfumato.replacers.date_shift import DateShift
from sfumato.vault.ledger import Ledger

_DATA = load_toml("surrogates", package="sfumato.replacers")
LOCALES: Mapping[str, str] = _DATA["locales"]
"""Faker's locale by language."""
DEFAULT_LOCALE = "en_US"
_ARTICLES = {article for articles in _DATA["articles"].values() for article in articles.split()}
_ARTICLE = re.compile(rf"(?i)^(?:{'|'.join(sorted(_ARTICLES))})\s+|^l['’]")
_NAME_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]{2,})*")
_KEPT_IN_NAMES = name_lists.PARTICLES | name_lists.SURNAME_CONJUNCTIONS | name_lists.NAME_SUFFIXES
_NAME_LISTS = {
    "given female": ("first_names_female",),
    "given male": ("first_names_male",),
    "given": ("first_names_female", "first_names_male"),
    "family": ("last_names",),
}
_MIN_ALIKE = 20
"""Names of the same length class that are enough to choose from."""
_EXAMPLE_DOMAINS = ("example.com", "example.org", "example.net")
"""Reserved for examples."""
_KIND_WORDS = (
    name_lists.ORGANISATION_HEADS
    | name_lists.PLACE_HEADS
    | name_lists.GENERIC_IN_ORGANISATIONS
    | {lookup_key(form) for form in name_lists.LEGAL_FORMS}
)


class Surrogate(SpanReplacer):
    """Put a realistic invented value of the same type, gender, locale, format and length class.

    Never a value that occurs in the document. Dates move by a secret offset, as ``date-shift`` does. What cannot be
    invented (a free description) gets a numbered label.
    """

    uses = ("ledger",)

    def __init__(self, *, ledger: Ledger, locale: str = "auto") -> None:
        if locale != "auto" and locale not in LOCALES.values():
            raise ValueError(f"no locale {locale!r}: {suggest(locale, ['auto', *LOCALES.values()])}")
        self._ledger = ledger
        self._locale = locale
        self._dates = DateShift(ledger=ledger)

    def replacement(self, document: Document, span: Span) -> str | None:
        locale = locale_of(document.text) if self._locale == "auto" else self._locale
        if span.label == "PERSON":
            invented = fake_person(self._ledger, document, span, locale)
            return invented if any(map(str.isalpha, invented)) else numbered_label(self._ledger, document, span)
        if span.label == "DATETIME":
            return self._dates.replacement(document, span)
        text = document.text[span.start : span.end]
        proposals = self._proposals(document, span, text, locale)
        if proposals is None:
            return numbered_label(self._ledger, document, span)
        # Mentions of one entity may be written differently (ORG and its acronym), so the text counts too.
        entity = f"{entity_of(document, span)}\0{fold_phrase(text)}"
        if span.label == "LOC":
            entity = fold_phrase(_ARTICLE.sub("", text))  # "the Netherlands" is the Netherlands
        reusable = _reusable_words(text, span.label)

        def fits(value: str) -> bool:
            return span.label == "CODE" or _has_no_name_of(document, value, reusable)

        return assign_absent(self._ledger, document, f"surrogate/{span.label}", entity, span.label, proposals, fits)

    def _proposals(self, document: Document, span: Span, text: str, locale: str) -> Callable[[], Iterator[str]] | None:
        kind = span.source.partition(":")[2]
        seed = self._ledger.random_bytes(document, "surrogate", span.label, fold_phrase(text))
        if span.label == "CODE":
            return lambda: codes_like(text, kind, seed)
        if span.label == "LOC":
            return lambda: _places_like(text, locale, seed)
        if span.label == "ORG":
            return lambda: _organisations_like(text, locale, seed)
        if any(letter.isdecimal() for letter in text):
            return lambda: _repeat(lambda rng: scramble_digits(text, rng), seed)
        if span.label == "DEM":
            return _choice_like(text, (name_lists.demonyms(), name_lists.occupations()), seed)
        return None


def _reusable_words(text: str, label: str) -> frozenset[str]:
    """Words of a mention that its surrogate may repeat: the kind of thing; all where only digits change."""
    words = LETTERS.findall(text)
    only_digits_change = label not in ("LOC", "ORG") and any(map(str.isdecimal, text))
    return frozenset(word for word in words if only_digits_change or _says_the_kind(word))


def _has_no_name_of(document: Document, value: str, reusable: frozenset[str]) -> bool:
    """Whether no name in an invented value occurs in the document, where it may have been replaced."""
    return not any(
        word[0].isupper() and word not in reusable and occurs(word, document) for word in LETTERS.findall(value)
    )


def _repeat(make: Callable[[random.Random], str], seed: bytes) -> Iterator[str]:
    rng = random.Random(seed)
    while True:
        yield make(rng)


def _choice_like(text: str, lists: Sequence[frozenset[str]], seed: bytes) -> Callable[[], Iterator[str]] | None:
    words = next((words for words in lists if text in words or lookup_key(text) in words), None)
    if words is None:
        return None
    others = sorted(words)
    return lambda: _repeat(lambda rng: _match_case(rng.choice(others), text), seed)


def _match_case(value: str, like: str) -> str:
    if like.isupper() and len(like) > 3:
        return value.upper()
    return value[:1].upper() + value[1:] if like[:1].isupper() else value


def _places_like(text: str, locale: str, seed: bytes) -> Iterator[str]:
    if lookup_key(_ARTICLE.sub("", text)) in country_names():
        countries = country_list(locale)
        return _repeat(lambda rng: _match_upper_case(rng.choice(countries), text), seed)
    if any(letter.isdecimal() for letter in text):
        return _repeat(lambda rng: _rename(scramble_digits(text, rng), locale, rng), seed)
    return _repeat(lambda rng: _match_upper_case(_city(locale, rng), text), seed)


def _match_upper_case(value: str, like: str) -> str:
    return value.upper() if like.isupper() and len(like) > 3 else value


def _city(locale: str, rng: random.Random) -> str:
    fake = faker(locale)
    fake.seed_instance(rng.getrandbits(64))
    return str(fake.city())


def _organisations_like(text: str, locale: str, seed: bytes) -> Iterator[str]:
    if text.isupper() and text.isalpha():
        return _repeat(lambda rng: scramble(text, rng), seed)
    if all(not word[0].isupper() or _says_the_kind(word) for word in LETTERS.findall(text)):
        return iter(())  # "Supreme Court": nothing in it is a name
    return _repeat(lambda rng: _rename(text, locale, rng), seed)


def _says_the_kind(word: str) -> bool:
    return lookup_key(word) in _KIND_WORDS


def _rename(text: str, locale: str, rng: random.Random) -> str:
    """Capitalised words become surnames; what says the kind of thing (University, Street, Ltd) stays."""
    names = name_list(locale, "last_names")

    def replace(match: re.Match[str]) -> str:
        word = match.group()
        if not word[0].isupper() or _says_the_kind(word):
            return word
        name = rng.choice(names)
        return name.upper() if word.isupper() and len(word) > 1 else name

    return LETTERS.sub(replace, text)


# Names of people, word by word: the same surname always becomes the same surname, in every form.


def fake_person(ledger: Ledger, document: Document, span: Span, locale: str) -> str:
    """The mention with every name in it replaced; titles, particles, initials, order and case stay as written."""
    mention = document.text[span.start : span.end]
    person = entity_name(span.entity, mention)
    if not person.words:
        return mention
    gender_of_name = given_names().get(person.words[0])
    gender = person.gender or (gender_of_name if gender_of_name in ("female", "male") else None)
    only_given = len(person.words) == 1 and gender_of_name is not None
    first_names = {part for word in (person.words if only_given else person.words[:-1]) for part in word.split("-")}

    def invent(word: str) -> str:
        role = "given" if word in first_names else "family"
        names = f"given {gender}" if role == "given" and gender else role

        def proposals() -> Iterator[str]:
            return _names_like(word, names, locale, ledger.random_bytes(document, "name", role, word))

        # Assigned by role only: "Jane" after "Mrs Jane" is the same word, whatever shows the gender.
        return assign_absent(ledger, document, f"surrogate/{role}", word, "PERSON", proposals)

    def replace(match: re.Match[str]) -> str:
        written = match.group()
        word = written.casefold()
        if is_title(written) or word in _KEPT_IN_NAMES or (word == "s" and match.start() > 0):
            return written
        if len(word) == 1:
            spelled_out = next((name for name in person.words if len(name) > 1 and name.startswith(word)), word)
            return _match_name_case(invent(spelled_out)[:1], written)
        if len(written) <= 3 and written.isupper() and "".join(name[0] for name in person.words) == word:
            return "".join(invent(name)[:1].upper() for name in person.words)
        return _match_name_case(invent(word), written)

    return _NAME_WORD.sub(replace, mention)


def _length_class(word: str) -> int:
    return (len(word) > 4) + (len(word) > 7)


@cache
def _names(locale: str, role: str, length_class: int | None = None) -> list[str]:
    names = [name for attribute in _NAME_LISTS[role] for name in name_list(locale, attribute)]
    return [name for name in names if length_class in (None, _length_class(name))]


def _names_like(word: str, role: str, locale: str, seed: bytes) -> Iterator[str]:
    """Names of the role: first those of the word's length class, then any, then two joined."""
    rng = random.Random(seed)
    names = _names(locale, role)
    alike = _names(locale, role, _length_class(word))
    if len(alike) >= _MIN_ALIKE:
        yield from rng.sample(alike, min(len(alike), 50))
    yield from rng.sample(names, min(len(names), 50))
    while True:
        yield "-".join(rng.sample(names, 2))


def _match_name_case(name: str, like: str) -> str:
    if like.isupper() and (len(like) > 1 or len(name) == 1):
        return name.upper()
    return name.lower() if like.islower() else name


# Codes of the same format, from ranges reserved for examples where there are any.


def scramble(text: str, rng: random.Random) -> str:
    """Random digits for digits and letters for letters of the same case; all else stays."""
    return "".join(_random_like(letter, rng) for letter in text)


def scramble_digits(text: str, rng: random.Random) -> str:
    """Random digits for digits, the first of a number never 0; words stay."""
    result = []
    for position, letter in enumerate(text):
        if letter.isdecimal():
            first = position == 0 or not text[position - 1].isdecimal()
            letter = rng.choice("123456789" if first and letter != "0" else string.digits)
        result.append(letter)
    return "".join(result)


def _random_like(letter: str, rng: random.Random) -> str:
    if letter.isdecimal():
        return rng.choice(string.digits)
    if letter.isalpha():
        return rng.choice(string.ascii_uppercase if letter.isupper() else string.ascii_lowercase)
    return letter


def _email(text: str, rng: random.Random) -> str:
    local = text.partition("@")[0]
    return f"{scramble(local, rng)}@{rng.choice(_EXAMPLE_DOMAINS)}"


def _url(text: str, rng: random.Random) -> str:
    scheme, mark, rest = text.rpartition("://")
    path = rest.partition("/")[2]
    return f"{scheme}{mark}{rng.choice(_EXAMPLE_DOMAINS)}/{scramble(path, rng) or rng.randrange(10**6)}"


def _ip(text: str, rng: random.Random) -> str:
    if ":" in text:
        return f"2001:db8::{rng.randrange(1, 2**16):x}:{rng.randrange(2**16):x}"
    return f"{rng.choice(('192.0.2', '198.51.100', '203.0.113'))}.{rng.randrange(1, 255)}"


def _phone(text: str, rng: random.Random) -> str:
    """The country or trunk code stays with the format; the last seven digits change."""
    digits = [position for position, letter in enumerate(text) if letter.isdecimal()]
    changed = set(digits[-7:])
    return "".join(rng.choice(string.digits) if position in changed else letter for position, letter in enumerate(text))


_CODE_MAKERS: dict[str, Callable[[str, random.Random], str]] = {
    "email": _email,
    "url": _url,
    "ip": _ip,
    "phone": _phone,
    "iban": lambda text, rng: text[:2] + scramble(text[2:], rng),
}


def codes_like(text: str, kind: str, seed: bytes) -> Iterator[str]:
    """Invented codes of the original's kind and format, without end."""
    make = _CODE_MAKERS.get(kind, scramble)
    return _repeat(lambda rng: make(text, rng), seed)


# Word lists of Faker's locales.


@lru_cache(maxsize=16)
def locale_of(text: str) -> str:
    """The locale for a text's language; English where the text is too short to tell."""
    return LOCALES.get(identify_language(text).code or "", DEFAULT_LOCALE)


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
    """Lookup keys of countries in all of the languages."""
    return frozenset(lookup_key(name) for locale in LOCALES.values() for name in country_list(locale))


@cache
def faker(locale: str) -> Any:
    """A Faker for the locale. Seed it before every use: it is shared."""
    from faker import Faker

    fake = Faker(locale)
    for provider in fake.get_providers():
        # The Italian list is made from a set: its order differs from process to process.
        if isinstance(getattr(provider, "cities", None), list):
            provider.cities = sorted(provider.cities)
    return fake
