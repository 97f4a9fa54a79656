"""Realistic stand-ins: a name for a name, a city for a city, a number of the same format for a number."""

from __future__ import annotations

import importlib
import random
import re
import string
from collections.abc import Callable, Iterator, Sequence
from functools import cache, lru_cache
from typing import Any

from sfumato.detectors.entities import entity_name
from sfumato.document import Document, Span
from sfumato.errors import suggest
from sfumato.lexicon import name_lists
from sfumato.lexicon.language import identify_language
from sfumato.lexicon.name_lists import given_names, is_title, lookup_key
from sfumato.lexicon.phrases import fold_phrase
from sfumato.lexicon.tokens import LETTERS
from sfumato.replacers.base import SpanReplacer, assign_absent, entity_of, numbered_label, occurs
from sfumato.replacers.date_shift import DateShift
from sfumato.vault.ledger import Ledger

# -- Invented numbers and addresses of the shape of the real ones, from ranges set aside for examples if there are any.


_SAFE_DOMAINS = ("example.com", "example.org", "example.net")


def scrambled(text: str, chance: random.Random) -> str:
    """Digits for digits, letters for letters of the same case; all else stays, so the format does too."""
    return "".join(_same_kind(letter, chance) for letter in text)


def scrambled_digits(text: str, chance: random.Random) -> str:
    """Other digits in the same places, the first of a number never 0; words stay."""
    result = []
    for position, letter in enumerate(text):
        if letter.isdecimal():
            first = position == 0 or not text[position - 1].isdecimal()
            letter = chance.choice("123456789" if first and letter != "0" else string.digits)
        result.append(letter)
    return "".join(result)


def _same_kind(letter: str, chance: random.Random) -> str:
    if letter.isdecimal():
        return chance.choice(string.digits)
    if letter.isalpha():
        return chance.choice(string.ascii_uppercase if letter.isupper() else string.ascii_lowercase)
    return letter


def _email(text: str, chance: random.Random) -> str:
    local = text.partition("@")[0]
    return f"{scrambled(local, chance)}@{chance.choice(_SAFE_DOMAINS)}"


def _url(text: str, chance: random.Random) -> str:
    scheme, mark, rest = text.rpartition("://")
    path = rest.partition("/")[2]
    return f"{scheme}{mark}{chance.choice(_SAFE_DOMAINS)}/{scrambled(path, chance) or chance.randrange(10**6)}"


def _ip(text: str, chance: random.Random) -> str:
    if ":" in text:
        return f"2001:db8::{chance.randrange(1, 2**16):x}:{chance.randrange(2**16):x}"
    return f"{chance.choice(('192.0.2', '198.51.100', '203.0.113'))}.{chance.randrange(1, 255)}"


def _phone(text: str, chance: random.Random) -> str:
    """The country or trunk code stays with the format; the last seven digits change."""
    digits = [position for position, letter in enumerate(text) if letter.isdecimal()]
    changed = set(digits[-7:])
    return "".join(
        chance.choice(string.digits) if position in changed else letter for position, letter in enumerate(text)
    )


def _iban(text: str, chance: random.Random) -> str:
    return text[:2] + scrambled(text[2:], chance)


_BY_KIND: dict[str, Callable[[str, random.Random], str]] = {
    "email": _email,
    "url": _url,
    "ip": _ip,
    "phone": _phone,
    "iban": _iban,
}


def codes_like(text: str, kind: str, seed: bytes) -> Iterator[str]:
    """Endless invented codes of the original's kind and format."""
    chance = random.Random(seed)
    make = _BY_KIND.get(kind, scrambled)
    while True:
        yield make(text, chance)


# -- Which of Faker's locales speaks for a document, and its word lists.


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
    return LOCALES.get(identify_language(text).code or "", DEFAULT)


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
    return frozenset(lookup_key(name) for locale in LOCALES.values() for name in country_list(locale))


@cache
def faker(locale: str) -> Any:
    """A Faker for the locale. Seed it before every use: it is shared."""
    from faker import Faker

    return Faker(locale)


# -- Invented names, word by word: the same surname always becomes the same surname, in every form it is written in.


_NAME_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]{2,})*")
_PARTICLES = frozenset(
    "de da do dos das del della di du la le los las el al bin ibn ben van von vom zu zum zur der den ter ten y e i "
    "and und et jr sr ii iii iv".split()
)
_LISTS = {
    "given female": ("first_names_female",),
    "given male": ("first_names_male",),
    "given": ("first_names_female", "first_names_male"),
    "family": ("last_names",),
}
_GENDERS = {"female": "female", "male": "male"}
_ENOUGH = 20


def fake_person(ledger: Ledger, document: Document, span: Span, locale: str) -> str:
    """The mention with every name in it replaced; titles, particles, initials, order and case stay as written."""
    mention = document.text[span.start : span.end]
    whole = entity_name(span.entity, mention)
    gender = whole.gender or _GENDERS.get(given_names().get(whole.words[0], "both"))
    alone = len(whole.words) == 1 and whole.words[0] in given_names()
    given = {part for word in (whole.words if alone else whole.words[:-1]) for part in word.split("-")}

    def invent(word: str) -> str:
        role = "given" if word in given else "family"
        names = f"given {gender}" if role == "given" and gender else role
        # Kept by role alone: "Jane" after "Mrs Jane" is the same word, whatever tells her gender.
        return assign_absent(
            ledger,
            document,
            f"surrogate/{role}",
            word,
            "PERSON",
            lambda: _names_like(word, names, locale, ledger.random_bytes(document, "name", role, word)),
        )

    def replaced(match: re.Match[str]) -> str:
        written = match.group()
        word = written.casefold()
        if is_title(written) or word in _PARTICLES or (word == "s" and match.start() > 0):
            return written
        if len(word) == 1:
            spelled_out = next((name for name in whole.words if len(name) > 1 and name.startswith(word)), word)
            return _cased(invent(spelled_out)[:1], written)
        if len(written) <= 3 and written.isupper() and "".join(name[0] for name in whole.words) == word:
            return "".join(invent(name)[:1].upper() for name in whole.words)
        return _cased(invent(word), written)

    return _NAME_WORD.sub(replaced, mention)


def _length_class(word: str) -> int:
    return (len(word) > 4) + (len(word) > 7)


@cache
def _names(locale: str, role: str, length_class: int | None = None) -> list[str]:
    names = [name for attribute in _LISTS[role] for name in name_list(locale, attribute)]
    return [name for name in names if length_class in (None, _length_class(name))]


def _names_like(word: str, role: str, locale: str, seed: bytes) -> Iterator[str]:
    """Names of the role, first those of the word's length class, then any; when all are taken, two joined."""
    chance = random.Random(seed)
    names = _names(locale, role)
    alike = _names(locale, role, _length_class(word))
    if len(alike) >= _ENOUGH:
        yield from chance.sample(alike, min(len(alike), 50))
    yield from chance.sample(names, min(len(names), 50))
    while True:
        yield "-".join(chance.sample(names, 2))


def _cased(name: str, like: str) -> str:
    if like.isupper() and (len(like) > 1 or len(name) == 1):
        return name.upper()
    return name.lower() if like.islower() else name


# -- Realistic stand-ins: a name for a name, a city for a city, a number of the same format for a number.


_ARTICLE = re.compile(r"(?i)^(?:the|la|le|les|los|las|der|die|das|de|het|il|gli|os|as|o|a|i)\s+|^l['’]")


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
        kept = _kept_words(text, span.label)
        return assign_absent(
            self._ledger,
            document,
            f"surrogate/{span.label}",
            entity,
            span.label,
            proposals,
            lambda value: span.label == "CODE" or _brings_nothing_back(value, kept, document),
        )

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
            return lambda: _repeat(lambda chance: scrambled_digits(text, chance), seed)
        if span.label == "DEM":
            return _choice_like(text, (name_lists.demonyms(), name_lists.occupations()), seed)
        return None


def _kept_words(text: str, label: str) -> frozenset[str]:
    """Words of a mention that its stand-in may repeat: a name none but those that say the kind of thing."""
    words = LETTERS.findall(text)
    only_digits_change = label not in ("LOC", "ORG") and any(map(str.isdecimal, text))
    return frozenset(word for word in words if only_digits_change or _says_the_kind(word))


def _brings_nothing_back(value: str, kept: frozenset[str], document: Document) -> bool:
    """Whether no name in an invented value stands in the document: one may have been taken out there."""
    return not any(word[0].isupper() and word not in kept and occurs(word, document) for word in LETTERS.findall(value))


def _repeat(make: Callable[[random.Random], str], seed: bytes) -> Iterator[str]:
    chance = random.Random(seed)
    while True:
        yield make(chance)


def _choice_like(text: str, lists: Sequence[frozenset[str]], seed: bytes) -> Callable[[], Iterator[str]] | None:
    known = next((words for words in lists if text in words or name_lists.lookup_key(text) in words), None)
    if known is None:
        return None
    others = sorted(known)
    return lambda: _repeat(lambda chance: _cased_like(chance.choice(others), text), seed)


def _cased_like(value: str, like: str) -> str:
    if like.isupper() and len(like) > 3:
        return value.upper()
    return value[:1].upper() + value[1:] if like[:1].isupper() else value


def _places_like(text: str, locale: str, seed: bytes) -> Iterator[str]:
    if name_lists.lookup_key(_ARTICLE.sub("", text)) in country_names():
        countries = country_list(locale)
        return _repeat(lambda chance: _cased_like_name(chance.choice(countries), text), seed)
    if any(letter.isdecimal() for letter in text):
        return _repeat(lambda chance: _renamed(scrambled_digits(text, chance), locale, chance), seed)
    return _repeat(lambda chance: _cased_like_name(_city(locale, chance), text), seed)


def _cased_like_name(value: str, like: str) -> str:
    return value.upper() if like.isupper() and len(like) > 3 else value


def _city(locale: str, chance: random.Random) -> str:
    fake = faker(locale)
    fake.seed_instance(chance.getrandbits(64))
    return str(fake.city())


def _organisations_like(text: str, locale: str, seed: bytes) -> Iterator[str]:
    if text.isupper() and text.isalpha():
        return _repeat(lambda chance: scrambled(text, chance), seed)
    if all(not word[0].isupper() or _says_the_kind(word) for word in LETTERS.findall(text)):
        return iter(())  # "Supreme Court": nothing in it is a name
    return _repeat(lambda chance: _renamed(text, locale, chance), seed)


_KIND_WORDS = (
    name_lists.ORGANISATION_HEADS
    | name_lists.PLACE_HEADS
    | name_lists.GENERIC_IN_ORGANISATIONS
    | {name_lists.lookup_key(form) for form in name_lists.LEGAL_FORMS}
)


def _says_the_kind(word: str) -> bool:
    return name_lists.lookup_key(word) in _KIND_WORDS


def _renamed(text: str, locale: str, chance: random.Random) -> str:
    """Proper words become surnames; what says the kind of thing (University, Street, Ltd) stays."""
    names = name_list(locale, "last_names")

    def replaced(match: re.Match[str]) -> str:
        word = match.group()
        if not word[0].isupper() or _says_the_kind(word):
            return word
        name = chance.choice(names)
        return name.upper() if word.isupper() and len(word) > 1 else name

    return LETTERS.sub(replaced, text)
