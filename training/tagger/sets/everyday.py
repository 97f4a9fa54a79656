"""The everyday corpus as training data: its documents, and copies of them with other names, places and numbers.

A copy keeps the words around a mark and replaces what is marked: the same person gets the same new name throughout, a
number another number of the same shape. So the tagger learns where a name stands rather than which names there are.
"""

from __future__ import annotations

import random
import re
import string
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, partial

from babel.dates import get_day_names, get_month_names
from faker import Faker

from training.everyday_corpus import MarkedDocument, MarkedSpan, Part, read_corpus
from training.tagger.noise import spoiled
from training.tagger.records import Mark, Record, disjoint
from training.tagger.slots import FOLDER, FOREIGN

SET = "everyday"
COPIES = "everyday_copies"
VALIDATION = "everyday_validation"
LABELS: dict[str, tuple[str | None, str | None]] = {
    "N": ("PERSON", "direct"),
    "U": ("PERSON", "direct"),
    "I": ("CODE", "direct"),
    "C": ("CODE", "direct"),
    "K": ("CODE", "direct"),
    "V": ("CODE", "direct"),
    "A": ("LOC", "quasi"),
    "L": ("LOC", "quasi"),
    "P": ("LOC", "quasi"),
    "O": ("ORG", "quasi"),
    "D": ("DATETIME", "quasi"),
    "G": ("DEM", "quasi"),
    "Q": (None, None),
}
"""A mark's kind -> label and decision. Q may go or stay: nothing is learned there. X is text like any other."""
_PARTICLES = frozenset(
    "de da do dos das del della di du la le van der den von zu zum zur al el bin ibn bint abu ben o' d' y e und".split()
)
_TOKEN = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*\.?")
_NUMBER = re.compile(r"\d+")
_NAME_WORDS = tuple((FOLDER / "names_that_are_words.txt").read_text(encoding="utf-8").split())
_ENGLISH = ("en_GB", "en_US", "en_IN", "en_NG", "en_IE", "en_AU", "en_CA", "en_NZ")
_LOCALES = {
    "en": _ENGLISH,
    "de": ("de_DE", "de_AT", "de_CH"),
    "fr": ("fr_FR", "fr_CA", "fr_CH"),
    "es": ("es_ES", "es_MX", "es_AR", "es_CO", "es_CL"),
    "it": ("it_IT",),
    "pt": ("pt_PT", "pt_BR"),
    "nl": ("nl_NL", "nl_BE"),
}
_FROM_ELSEWHERE = (*FOREIGN, "ar_AA", "zh_CN", "ja_JP", "vi_VN", "zu_ZA", "tw_GH", "yo_NG", "en_PK", "en_TH", "uz_UZ")


def read(part: Part) -> Iterator[Record]:
    """The documents of a part of the corpus."""
    for document in read_corpus(part=part):
        name = VALIDATION if part == "validation" else SET
        yield _record(name, document.id, document, document.text, document.spans)


def copies(count: int, seed: int) -> Iterator[Record]:
    """``count`` refilled copies of every document of the training part, some of them spoiled by noise."""
    documents = list(read_corpus(part="train"))
    pool: dict[tuple[str, str], list[str]] = defaultdict(list)
    for document in documents:
        for span in document.spans:
            if span.kind in "LOU":
                pool[document.language, span.kind].append(document.text[span.start : span.end])
    for document in documents:
        for number in range(count):
            rng = random.Random(f"{seed} {document.id} {number}")
            text, spans = _refilled(document, pool, rng)
            record = _record(COPIES, f"{document.id}-{number}", document, text, spans)
            if rng.random() < 0.4:
                text, marks = spoiled(text, list(record.marks), rng)
                record = Record(COPIES, record.id, record.group, text, disjoint(text, marks))
            yield record


def _record(name: str, record_id: str, document: MarkedDocument, text: str, spans: Sequence[MarkedSpan]) -> Record:
    marks = [Mark(span.start, span.end, *LABELS[span.kind]) for span in spans if span.kind != "X"]
    return Record(name, record_id, document.id, text, disjoint(text, marks))


def _refilled(
    document: MarkedDocument, pool: Mapping[tuple[str, str], list[str]], rng: random.Random
) -> tuple[str, list[MarkedSpan]]:
    refill = _Refill(document, pool, rng)
    text, spans, end = "", [], 0
    for span in document.spans:
        text += document.text[end : span.start]
        value = refill.value(span)
        spans.append(MarkedSpan(len(text), len(text) + len(value), span.kind, span.entity))
        text += value
        end = span.end
    return text + document.text[end:], spans


class _Refill:
    """New values for the marks of one document."""

    def __init__(self, document: MarkedDocument, pool: Mapping[tuple[str, str], list[str]], rng: random.Random) -> None:
        self._text, self._language, self._pool, self._rng = document.text, document.language, pool, rng
        self._values: dict[tuple[str, str], str] = {}
        self._tokens: dict[tuple[int | None, str], str] = {}
        self._family: set[tuple[int | None, str]] = set()
        for span in document.spans:
            if span.kind == "N":
                tokens = self._name_tokens(span)
                self._family.update((span.entity, token) for token in tokens[1:])
        self._changes = {kind: rng.random() < share for kind, share in (("L", 0.6), ("O", 0.3), ("U", 0.5), ("N", 0.9))}

    def value(self, span: MarkedSpan) -> str:
        """What stands for a mark in the copy; the same for the same string of the same kind."""
        old = self._text[span.start : span.end]
        if span.kind in "QX" or not self._changes.get(span.kind, True):
            return old
        if span.kind == "N":
            return _TOKEN.sub(lambda token: self._name(span.entity, token.group()), old)
        key = span.kind, old.casefold()
        if key not in self._values:
            self._values[key] = self._new(span.kind, old)
        return self._values[key]

    def _new(self, kind: str, old: str) -> str:
        if kind in "LOU":
            choice = self._rng.choice(self._pool[self._language, kind])
            if kind == "L" and self._rng.random() < 0.5 and not any(map(str.isdigit, old)):
                choice = self._fake().city().split(",")[0]
            return _cased(old, choice)
        if kind == "C" and "@" in old:
            return re.sub(r"[^\W\d_]{3,}(?=.*@)", lambda word: _cased(word.group(), _ascii(self._first())), old)
        if kind in "DG":
            return self._date(old)
        if kind == "A":
            old = re.sub(
                r"^(\d*\w?,? ?)([A-Z][a-z]{3,})",
                lambda m: m[1] + (self._last() if self._rng.random() < 0.4 else m[2]),
                old,
            )
        shuffled = _NUMBER.sub(lambda digits: self._digits(digits.group()), old)
        if kind in "KV" or (kind == "I" and self._rng.random() < 0.5):
            shuffled = re.sub(r"(?<=[\d\W])[A-Z]{1,3}(?=[\d\W]|$)", lambda part: self._letters(part.group()), shuffled)
        return shuffled

    def _digits(self, old: str) -> str:
        return "".join(self._rng.choice(string.digits if index else "123456789") for index in range(len(old)))

    def _letters(self, old: str) -> str:
        return "".join(self._rng.choice(string.ascii_uppercase) for _ in old)

    def _date(self, old: str) -> str:
        def number(match: re.Match[str]) -> str:
            value, width = int(match.group()), len(match.group())
            if width == 4 and 1900 <= value <= 2030:
                return str(self._rng.randint(1930, 2026))
            if width > 2:
                return self._digits(match.group())
            low, high = next(bounds for bounds in ((0, 0), (1, 12), (13, 28), (29, 99)) if value <= bounds[1])
            return str(self._rng.randint(low, 59 if high == 99 else high)).zfill(width)

        text = _NUMBER.sub(number, old)
        for names in _calendar(self._language):
            new = self._rng.choice(names)
            for width in range(len(new)):
                pattern = "|".join(re.escape(name[width]) for name in names if len(name[width]) > 2)
                if pattern and re.search(rf"(?i)\b(?:{pattern})\b", text):
                    return re.sub(rf"(?i)\b(?:{pattern})\b", partial(_replace_cased, new[width]), text)
        return text

    def _name_tokens(self, span: MarkedSpan) -> list[str]:
        tokens = (match.group().casefold() for match in _TOKEN.finditer(self._text[span.start : span.end]))
        return [token for token in tokens if token not in _PARTICLES]

    def _name(self, entity: int | None, token: str) -> str:
        bare = token.rstrip(".")
        if bare.casefold() in _PARTICLES:
            return token
        if (len(bare) <= 3 and bare.isupper()) or (token.endswith(".") and len(bare) == 1):
            return self._letters(bare.upper()) + token[len(bare) :]
        key = entity, bare.casefold()
        if key not in self._tokens:
            self._tokens[key] = self._last() if key in self._family else self._first()
        return _cased(bare, self._tokens[key]) + token[len(bare) :]

    def _fake(self) -> Faker:
        fake = _faker(self._rng.choice(_LOCALES[self._language]))
        fake.seed_instance(self._rng.getrandbits(32))
        return fake

    def _named_by(self) -> Faker:
        local = self._rng.random() < 0.6
        fake = _faker(self._rng.choice(_LOCALES[self._language] if local else _FROM_ELSEWHERE))
        fake.seed_instance(self._rng.getrandbits(32))
        return fake

    def _first(self) -> str:
        if self._language == "en" and self._rng.random() < 0.12:
            return self._rng.choice(_NAME_WORDS)
        return str(self._named_by().first_name())

    def _last(self) -> str:
        if self._language == "en" and self._rng.random() < 0.06:
            return self._rng.choice(_NAME_WORDS)
        name = str(self._named_by().last_name())
        return f"{name}-{self._named_by().last_name()}" if self._rng.random() < 0.06 else name


def _cased(old: str, new: str) -> str:
    """``new`` in the case of ``old``; capitals within a name are its own."""
    if old.isupper() and len(old) > 1:
        return new.upper()
    return new.lower() if old.islower() else new


def _replace_cased(new: str, match: re.Match[str]) -> str:
    return _cased(match.group(), new)


def _ascii(name: str) -> str:
    return re.sub(r"\W", "", name.encode("ascii", "ignore").decode()) or "anna"


@cache
def _faker(locale: str) -> Faker:
    return Faker(locale)


@cache
def _calendar(language: str) -> tuple[list[tuple[str, ...]], ...]:
    """Months and weekdays, each as its wide and its short name."""
    return tuple(
        [
            tuple(names(width, locale=language)[number].rstrip(".") for width in ("wide", "abbreviated"))
            for number in numbers
        ]
        for names, numbers in ((get_month_names, range(1, 13)), (get_day_names, range(7)))
    )
