"""Realistic stand-ins: a name for a name, a city for a city, a number of the same format for a number."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Sequence

from sfumato.document import Document, Span
from sfumato.errors import suggest
from sfumato.knowledge import heads, lexicon
from sfumato.phrases import folded
from sfumato.replacers.base import SpanReplacer, assign_absent, entity_of, number, occurs
from sfumato.replacers.dateshift import DateShift
from sfumato.replacers.surrogate.codes import codes_like, scrambled, scrambled_digits
from sfumato.replacers.surrogate.locales import LOCALES, country_list, country_names, faker, locale_of, name_list
from sfumato.replacers.surrogate.people import fake_person
from sfumato.vault.ledger import Ledger

_WORD = re.compile(r"[^\W\d_]+")
_ARTICLE = re.compile(r"(?i)^(?:the|la|le|les|los|las|der|die|das|de|het|il|gli|os|as|o|a|i)\s+|^l['’]")


class Surrogate(SpanReplacer):
    """Put a realistic invented value of the same type, gender, locale, format and length class.

    Never a value that occurs in the document. Dates move by a secret offset, as ``date-shift`` does. What cannot be
    invented (a free description) gets a numbered label.
    """

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
            return invented if any(map(str.isalpha, invented)) else number(self._ledger, document, span)
        if span.label == "DATETIME":
            return self._dates.replacement(document, span)
        text = document.text[span.start : span.end]
        proposals = self._proposals(document, span, text, locale)
        if proposals is None:
            return number(self._ledger, document, span)
        # Mentions of one entity may be written differently (ORG and its acronym), so the text counts too.
        entity = f"{entity_of(document, span)}\0{folded(text)}"
        if span.label == "LOC":
            entity = folded(_ARTICLE.sub("", text))  # "the Netherlands" is the Netherlands
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
        seed = self._ledger.random_bytes(document, "surrogate", span.label, folded(text))
        if span.label == "CODE":
            return lambda: codes_like(text, kind, seed)
        if span.label == "LOC":
            return lambda: _places_like(text, locale, seed)
        if span.label == "ORG":
            return lambda: _organisations_like(text, locale, seed)
        if any(letter.isdecimal() for letter in text):
            return lambda: _repeat(lambda chance: scrambled_digits(text, chance), seed)
        if span.label == "DEM":
            return _choice_like(text, (lexicon.demonyms(), lexicon.occupations()), seed)
        return None


def _kept_words(text: str, label: str) -> frozenset[str]:
    """Words of a mention that its stand-in may repeat: a name none but those that say the kind of thing."""
    words = _WORD.findall(text)
    only_digits_change = label not in ("LOC", "ORG") and any(map(str.isdecimal, text))
    return frozenset(word for word in words if only_digits_change or _says_the_kind(word))


def _brings_nothing_back(value: str, kept: frozenset[str], document: Document) -> bool:
    """Whether no name in an invented value stands in the document: one may have been taken out there."""
    return not any(word[0].isupper() and word not in kept and occurs(word, document) for word in _WORD.findall(value))


def _repeat(make: Callable[[random.Random], str], seed: bytes) -> Iterator[str]:
    chance = random.Random(seed)
    while True:
        yield make(chance)


def _choice_like(text: str, lists: Sequence[frozenset[str]], seed: bytes) -> Callable[[], Iterator[str]] | None:
    known = next((words for words in lists if text in words or lexicon.key(text) in words), None)
    if known is None:
        return None
    others = sorted(known)
    return lambda: _repeat(lambda chance: _cased_like(chance.choice(others), text), seed)


def _cased_like(value: str, like: str) -> str:
    if like.isupper() and len(like) > 3:
        return value.upper()
    return value[:1].upper() + value[1:] if like[:1].isupper() else value


def _places_like(text: str, locale: str, seed: bytes) -> Iterator[str]:
    if lexicon.key(_ARTICLE.sub("", text)) in country_names():
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
    if all(not word[0].isupper() or _says_the_kind(word) for word in _WORD.findall(text)):
        return iter(())  # "Supreme Court": nothing in it is a name
    return _repeat(lambda chance: _renamed(text, locale, chance), seed)


_KIND_WORDS = heads.ORGANISATIONS | heads.PLACES | heads.GENERIC | {lexicon.key(form) for form in heads.LEGAL_FORMS}


def _says_the_kind(word: str) -> bool:
    return lexicon.key(word) in _KIND_WORDS


def _renamed(text: str, locale: str, chance: random.Random) -> str:
    """Proper words become surnames; what says the kind of thing (University, Street, Ltd) stays."""
    names = name_list(locale, "last_names")

    def replaced(match: re.Match[str]) -> str:
        word = match.group()
        if not word[0].isupper() or _says_the_kind(word):
            return word
        name = chance.choice(names)
        return name.upper() if word.isupper() and len(word) > 1 else name

    return _WORD.sub(replaced, text)
