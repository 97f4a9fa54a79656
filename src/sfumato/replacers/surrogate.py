"""Surrogates: a name for a name, a city for a city, a valid code of the same format for a code."""

from __future__ import annotations

import importlib
import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from sfumato.detectors.passes.never_personal import is_guess
from sfumato.document import Document, Edit, Span
from sfumato.errors import suggest
from sfumato.lexicon import name_lists
from sfumato.lexicon.name_lists import lookup_key
from sfumato.lexicon.tables import load_toml, word_set, words
from sfumato.lexicon.time import find_dates
from sfumato.lexicon.tokens import LETTERS, fold_phrase
from sfumato.replacers.base import (
    assign_absent,
    date_order,
    detection_reason,
    entity_of,
    language_of,
    numbered_label,
    occurs,
)
from sfumato.replacers.date_shift import DateShift, shift_dates
from sfumato.replacers.kept import KeptText
from sfumato.replacers.surrogate_codes import codes_like, kind_of_code, kind_of_coordinates, postcode_like
from sfumato.replacers.surrogate_names import ALL_LOCALES, LOCALES, InventedNames, locale_of
from sfumato.vault.ledger import Ledger

_DATA = load_toml("surrogates", package="sfumato.replacers")
_ARTICLES = {article for articles in _DATA["articles"].values() for article in articles.split()}
_ARTICLE = re.compile(rf"(?i)^(?:{'|'.join(sorted(_ARTICLES))})\s+|^l['’]")
_KIND_WORDS = (
    name_lists.ORGANISATION_HEADS
    | name_lists.PLACE_HEADS
    | name_lists.GENERIC_IN_ORGANISATIONS
    | {lookup_key(form) for form in name_lists.LEGAL_FORMS}
    | word_set("surrogates", "kind_words", package="sfumato.replacers")
)
_STREET = re.compile(rf"(?P<name>[^\W\d_]{{3,}})(?P<ending>{'|'.join(_DATA['street_endings'].split())})")
_US_STATES = word_set("detection", "addresses.us_states")
_STATE_NAMES = words("safe_harbor", "states", package="sfumato.replacers")
_WHOLE_WORD = re.compile(r"[^\W\d_]+(?:['’‑-][^\W\d_]+)*")
_PART_BORDER = re.compile(r"(\s*[,;\n]\s*)")
_POSTAL_CODE = re.compile(
    r"(?P<uk>\b[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}\b)|(?P<other>\b(?:\d{4} ?[A-Z]{2}|\d{4,5}-\d{3,4}|\d{5})\b)"
)
_PLACE_BEFORE = re.compile(r"(?:(?i:\bzip)(?: ?codes?)?\W{1,3}|\b[A-Z]{2},? )\Z")
_NUMBER = re.compile(r"\d+(?:[.,  ]\d{3})*(?:[.,]\d+)?")
_MOST_CHANGE = 0.2
"""Of a quantity: a fifth up or down."""


class Surrogate:
    """Put a realistic invented value of the same type, gender, region and format; valid where that can be checked.

    Never a value that occurs in the document. Dates move by a secret offset, as ``date-shift`` does, ages by up to five
    years. What must not be invented (an occupation, a free description, an acronym) gets a numbered label.
    """

    uses = ("ledger",)
    hides_named_days = "beside dates"

    def __init__(self, *, ledger: Ledger, locale: str = "auto") -> None:
        if locale != "auto" and locale not in ALL_LOCALES:
            raise ValueError(f"no locale {locale!r}: {suggest(locale, ['auto', *ALL_LOCALES])}")
        self._ledger = ledger
        self._locale = locale
        self._dates = DateShift(ledger=ledger)
        self._kept = KeptText("")

    def replace(self, document: Document, spans: Sequence[Span]) -> list[Edit]:
        locale = locale_of(document) if self._locale == "auto" else self._locale
        names = InventedNames(self._ledger, document, spans, locale)
        self._kept = KeptText(document.text)
        edits = []
        for span in spans:
            replacement = self._replacement(document, span, names, locale)
            if replacement is not None:
                edits.append(Edit(span, replacement, (detection_reason(span), type(self).__name__)))
        return edits

    def _replacement(self, document: Document, span: Span, names: InventedNames, locale: str) -> str | None:
        text = document.text[span.start : span.end]
        if span.label == "PERSON":
            invented = names.person(span)
            is_name = not is_guess(span) or not all(map(self._kept.is_everyday, _WHOLE_WORD.findall(text)))
            if is_name and invented != text and any(map(str.isalpha, invented)):
                return invented
            return numbered_label(self._ledger, document, span)
        if span.label == "DATETIME":
            return self._dates.replacement(document, span)
        if span.label == "CODE" and (shifted := self._shifted_date(document, text)):
            return shifted
        proposals = self._proposals(document, span, names, locale)
        if proposals is None:
            return numbered_label(self._ledger, document, span)
        # Mentions of one entity may be written differently (ORG and its acronym), so the text counts too.
        entity = f"{entity_of(document, span)}\0{fold_phrase(text)}"
        if span.label == "LOC":
            entity = fold_phrase(_ARTICLE.sub("", text))  # "the Netherlands" is the Netherlands
        reusable = frozenset(word for word in LETTERS.findall(text) if span.label == "QUANTITY" or _stays(word))

        def fits(value: str) -> bool:
            return value != text and (span.label in ("CODE", "DEM") or _has_no_name_of(document, value, reusable))

        return assign_absent(self._ledger, document, f"surrogate/{span.label}", entity, span.label, proposals, fits)

    def _shifted_date(self, document: Document, text: str) -> str | None:
        """A date or a timestamp that was taken for a code, moved like the other dates."""
        if not any(match.start() == 0 for form, match in find_dates(text) if form not in ("year", "month", "weekday")):
            return None
        shifted = shift_dates(text, self._dates.offset(document), date_order(document), language_of(document))
        return shifted if shifted != text else None

    def _proposals(
        self, document: Document, span: Span, names: InventedNames, locale: str
    ) -> Callable[[], Iterator[str]] | None:
        text = document.text[span.start : span.end]
        seed = self._ledger.random_bytes(document, "surrogate", span.label, fold_phrase(text))
        match span.label:
            case "CODE":
                kind = kind_of_code(document.text, span) or kind_of_coordinates(text)
                if kind is None and not any(map(str.isdecimal, text)):
                    return None  # a word is no code
                people = {word: name for word in LETTERS.findall(text) if (name := names.name_of(word))}
                return lambda: codes_like(text, kind, seed, locale, people.get)
            case "LOC":
                return _places_like(text, names, locale, seed)
            case "ORG":
                return _organisations_like(text, entity_of(document, span), names)
            case "QUANTITY":
                return (lambda: _repeat(lambda rng: _vary(text, rng), seed)) if _NUMBER.search(text) else None
            case "DEM":
                return (lambda: _repeat(lambda rng: _other_age(text, rng), seed)) if _AGE.fullmatch(text) else None
        return None


def _has_no_name_of(document: Document, value: str, reusable: frozenset[str]) -> bool:
    """Whether no name in an invented value occurs in the document, where it may have been replaced."""
    return not any(
        len(word) > 1 and word[0].isupper() and word not in reusable and occurs(word, document)
        for word in LETTERS.findall(value)
    )


def _repeat(make: Callable[[random.Random], str], seed: bytes) -> Iterator[str]:
    rng = random.Random(seed)
    while True:
        yield make(rng)


def _vary(text: str, rng: random.Random) -> str:
    """Other numbers, up to a fifth larger or smaller, written like the ones in the text; a share stays below 100 %."""

    def replace(match: re.Match[str]) -> str:
        written = match.group()
        digits = re.sub(r"\D", "", written)
        value = int(digits)
        least, most = 10 ** (len(digits) - 1) if value and written[0] != "0" else 0, 10 ** len(digits) - 1
        if "%" in text and value <= 100:
            most = 100
        reach = max(1, round(value * _MOST_CHANGE))
        options = (max(least, value - reach), min(most, value + reach))
        other = rng.randint(*options) if options[0] < options[1] else value
        shown = iter(f"{other:0{len(digits)}}")
        return "".join(next(shown) if sign.isdecimal() else sign for sign in written)

    return _NUMBER.sub(replace, text)


_AGE = re.compile(r"[^\d]{0,30}(?P<years>[1-9]?\d|1[01]\d|12[0-2])[^\d]{0,30}")
_AGE_BANDS = ((0, 17), (18, 89), (90, 122))
"""An invented age stays a minor's, an adult's, or that of one of the few people above 89."""
_MOST_YEARS = 5


def _other_age(text: str, rng: random.Random) -> str:
    """An age up to five years away, of the same band."""
    match = _AGE.fullmatch(text)
    assert match is not None
    years = int(match["years"])
    low, high = next(band for band in _AGE_BANDS if years <= band[1])
    other = rng.randint(max(low, years - _MOST_YEARS), min(high, years + _MOST_YEARS))
    return text[: match.start("years")] + str(other) + text[match.end("years") :]


# Places.


def _places_like(text: str, names: InventedNames, locale: str, seed: bytes) -> Callable[[], Iterator[str]] | None:
    if kind := kind_of_coordinates(text):
        return lambda: codes_like(text, kind, seed, locale, lambda word: None)
    names_in_text = (word for word in LETTERS.findall(_ARTICLE.sub("", text)) if word[0].isupper())
    if not any(names_in_text) and not _POSTAL_CODE.search(text):
        return None
    surnames = _surnames(text, names)
    return lambda: _repeat(lambda rng: _address(text, surnames, locale, rng), seed)


def _surnames(text: str, names: InventedNames) -> dict[str, str]:
    """A surname for each capitalised word that does not say what kind of place or organisation it is."""
    named = [word for word in LETTERS.findall(text) if word[0].isupper() and len(word) > 1 and not _stays(word)]
    streets = {word: match for word in named if (match := _STREET.fullmatch(word))}
    return {
        word: names.surname(streets[word]["name"]) + streets[word]["ending"] if word in streets else names.surname(word)
        for word in named
    }


def _address(text: str, surnames: Mapping[str, str], locale: str, rng: random.Random) -> str:
    """Each part of an address replaced by one of its kind: country, city, street with its number, postal code."""
    parts = _PART_BORDER.split(text)
    parts[::2] = [_place(part, surnames, locale, rng) for part in parts[::2]]
    return "".join(parts)


def _place(part: str, surnames: Mapping[str, str], locale: str, rng: random.Random) -> str:
    name = _ARTICLE.sub("", part)
    if lookup_key(name) in country_names():
        return _match_upper_case(rng.choice(plain_countries(LOCALES[locale[:2]])), part)
    if name in _STATE_NAMES:
        return rng.choice(_STATE_NAMES)
    if not any(map(str.isdecimal, part)) and not any(says_the_kind(word) for word in LETTERS.findall(part)):
        return part if part in _US_STATES or not name else _match_upper_case(fake(locale, "city", rng), part)
    codes = list(_POSTAL_CODE.finditer(part))
    pieces, offset = [], 0
    for code in codes:
        pieces += [_street(part[offset : code.start()], surnames, rng), _postal_code(code, locale, rng)]
        offset = code.end()
    rest = part[offset:]
    if codes and rest.strip() and not any(says_the_kind(word) for word in LETTERS.findall(rest)):
        pieces.append(rest[: len(rest) - len(rest.lstrip())] + fake(locale, "city", rng))  # "75011 Paris"
    else:
        pieces.append(_street(rest, surnames, rng))
    return "".join(pieces)


def _street(text: str, surnames: Mapping[str, str], rng: random.Random) -> str:
    """Capitalised words become surnames, house numbers other numbers; what says the kind of place stays."""

    def number(match: re.Match[str]) -> str:
        digits = match.group()
        return str(rng.randrange(10 ** (len(digits) - 1), 10 ** len(digits)))

    renamed = LETTERS.sub(lambda match: surnames.get(match.group(), match.group()), text)
    return re.sub(r"\d+", number, renamed)


def _stays(word: str) -> bool:
    return says_the_kind(word) or word in _US_STATES


def _postal_code(code: re.Match[str], locale: str, rng: random.Random) -> str:
    """A postal code of the same form: of the locale where its codes look like that."""
    if code["uk"]:
        return postcode_like(code["uk"], rng)
    written = code["other"]
    shape = re.sub(r"[A-Z]", "A", re.sub(r"\d", "0", written))
    for _ in range(10):
        other = fake(locale, "postcode", rng)
        if re.sub(r"[A-Z]", "A", re.sub(r"\d", "0", other)) == shape:
            return other
    first = rng.randrange(1, 9)
    return str(first) + re.sub(r"\d", lambda _: str(rng.randrange(1, 9)), written[1:])


def is_postal_code(text: str, start: int, end: int) -> bool:
    """Whether it has the form of a postal code; digits alone only beside the name of a place, or the word ZIP."""
    code = text[start:end]
    if _POSTAL_CODE.fullmatch(code) is None:
        return False
    is_beside_place = _PLACE_BEFORE.search(text, max(0, start - 12), start) or re.match(
        r" [A-ZÀ-Þ]\w", text[end : end + 3]
    )
    return not code.isdecimal() or is_beside_place is not None


def _match_upper_case(value: str, like: str) -> str:
    return value.upper() if like.isupper() and len(like) > 3 else value


def says_the_kind(word: str) -> bool:
    """Whether a word says what a place or an organisation is (Street, University, Ltd), not which one."""
    return lookup_key(word) in _KIND_WORDS


# Organisations.


def _organisations_like(text: str, entity: str, names: InventedNames) -> Callable[[], Iterator[str]] | None:
    parts = LETTERS.findall(text)
    if text.isupper() and len(parts) == 1:
        full = [word for word in LETTERS.findall(entity.partition(":")[2]) if len(word) > 2]
        if "".join(word[0] for word in full) != text.casefold() or all(map(says_the_kind, full)):
            return None  # nothing tells what an acronym stands for
        initials = [word if says_the_kind(word) else names.surname(word.capitalize()) for word in full]
        acronym = "".join(word[0] for word in initials).upper()
        return lambda: iter([acronym])
    if all(not word[0].isupper() or says_the_kind(word) for word in parts):
        return None  # "Supreme Court": nothing in it is a name
    surnames = _surnames(text, names)
    renamed = LETTERS.sub(lambda match: surnames.get(match.group(), match.group()), text)
    return lambda: iter([renamed])


# Word lists of Faker's locales.


@cache
def country_list(locale: str) -> tuple[str, ...]:
    """Countries, named in the locale's language."""
    return tuple(importlib.import_module(f"faker.providers.address.{locale}").Provider.countries)


def plain_countries(locale: str) -> list[str]:
    """The countries whose names are no descriptions: "Congo", not "Congo (the former Zaire)"."""
    return [name for name in country_list(locale) if not re.search(r"[(,]", name) and len(name) <= _LONGEST_COUNTRY]


_LONGEST_COUNTRY = 20


@cache
def country_names() -> frozenset[str]:
    """Lookup keys of countries in all of the languages."""
    return frozenset(lookup_key(name) for locale in LOCALES.values() for name in country_list(locale))


def fake(locale: str, what: str, rng: random.Random) -> str:
    """A value of Faker's: a ``city``, a ``postcode`` or a ``street_address`` of the locale."""
    faker = _faker(locale)
    faker.seed_instance(rng.getrandbits(64))
    return str(getattr(faker, what)())


@cache
def _faker(locale: str) -> Any:
    """A Faker for the locale. Seed it before every use: it is shared."""
    from faker import Faker

    fake = Faker(locale)
    for provider in fake.get_providers():
        # The Italian list is made from a set: its order differs from process to process.
        if isinstance(getattr(provider, "cities", None), list):
            provider.cities = sorted(provider.cities)
    return fake
