"""Invented people, dates and places in the place of the tags of de-identified notes, with the exact spans.

Within a note, or within all notes of a subject where subjects are known: the same tag is the same person, place or
number; first and last names beside each other are one person; all dates move by one number of days, whole weeks, so
that days of the week and intervals stay. Everything is drawn by a seed.
"""

from __future__ import annotations

import hashlib
import random
import re
from calendar import monthrange
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from itertools import pairwise
from typing import Literal

from sfumato.annotated_text import AnnotatedText
from sfumato.document import Document, Identifier, Span
from sfumato.errors import InputError, Problem, RecipeError, suggest
from sfumato.formats.base import OnProblem
from sfumato.lexicon.name_lists import Gender
from sfumato.lexicon.tables import load_toml, words
from sfumato.lexicon.time import MONTHS
from sfumato.replacers.base import assign_absent
from sfumato.replacers.surrogate import fake, plain_countries
from sfumato.replacers.surrogate_codes import codes_like
from sfumato.replacers.surrogate_names import ALL_LOCALES, LOCALES, genders_in_text, invent_name, locale_of
from sfumato.vault.ledger import Ledger
from sfumato_papers.synthesis import PACKAGE
from sfumato_papers.synthesis.deid_tags import (
    UNKNOWN,
    BrokenTag,
    DateParts,
    DeidTag,
    TagStyle,
    check_own_kinds,
    find_tags,
)

UnknownTags = Literal["number", "keep", "error"]
"""What becomes of a tag of no known kind: a made-up number, the tag itself, or an error."""
_DATA = load_toml("fill", package=PACKAGE)
_LABELS: Mapping[str, str] = {kind: label for label, kinds in _DATA["labels"].items() for kind in kinds.split()}
_DIRECT = frozenset(words("fill", "identifiers.direct", package=PACKAGE))
_STATES = words("safe_harbor", "states", package="sfumato.replacers")
_GIVEN = ("given", "given-female", "given-male")
_STATED_GENDER: Mapping[str, Gender] = {"given-female": "female", "given-male": "male"}
_BETWEEN_NAMES = re.compile(r"(?:\s|,|[A-Z]\.)*")
_LONGEST_BETWEEN = 6
_PLACEHOLDER = "Quorvex"
"""Stands for every name while the text around names is read for genders."""
_FIRST_DAY, _DAYS = date(2001, 1, 1), 17 * 365
"""The last date of a note is moved to about one of these days."""
_CODES: Mapping[str, tuple[str, str | None]] = {
    "phone": ("617-555-0123", "phone"),
    "email": ("anna.miller@mail.com", "email"),
    "url": ("www.some-site.com", "url"),
    "ssn": ("123-45-6789", "national-id"),
    "pager": ("12345", None),
}
"""By kind: an example of the format, and its kind of code."""


@dataclass(frozen=True)
class FillSettings:
    """How notes are filled."""

    seed: int = 0
    tags: TagStyle = "mimic"
    unknown: UnknownTags = "number"
    locale: str = "auto"
    kinds: Mapping[str, str] = field(default_factory=dict)
    """Further kinds, by what stands in a tag: ``{"Dictator Info": "name"}``."""

    def __post_init__(self) -> None:
        if self.tags not in ("mimic", "generic", "both"):
            raise RecipeError(f"tags are mimic, generic or both, got {self.tags!r}")
        if self.unknown not in ("number", "keep", "error"):
            raise RecipeError(f"unknown tags are filled by number, keep or error, got {self.unknown!r}")
        if self.locale != "auto" and self.locale not in ALL_LOCALES:
            raise RecipeError(f"no locale {self.locale!r}: {suggest(self.locale, ['auto', *ALL_LOCALES])}")
        object.__setattr__(self, "kinds", check_own_kinds(self.kinds))


@dataclass(frozen=True)
class Filled:
    """Filled notes with their spans as annotations, and how many tags of each kind they had."""

    documents: tuple[Document, ...] = field(repr=False)
    kinds: Mapping[str, int]


def fill_documents(
    documents: Iterable[Document], settings: FillSettings | None = None, *, on_problem: OnProblem
) -> Filled:
    """The notes with invented values in place of their tags; ``annotations`` are the spans of these values.

    A note with a broken tag is reported and left out. One without tags stays as it is, with no span.
    """
    settings = settings or FillSettings()
    tagged: list[tuple[Document, list[DeidTag]]] = []
    for document in documents:
        try:
            tagged.append((document, find_tags(document.text, settings.tags, settings.kinds)))
        except BrokenTag as broken:
            on_problem(Problem(f"document {document.id}", str(broken)))
    counts = Counter(tag.kind for _, tags in tagged for tag in tags)
    _report_unknown(tagged, settings, on_problem)
    filler = _Filler(settings, tagged)
    return Filled(tuple(filler.fill(*pair) for pair in tagged), dict(counts.most_common()))


def _report_unknown(
    tagged: Sequence[tuple[Document, Sequence[DeidTag]]], settings: FillSettings, on_problem: OnProblem
) -> None:
    unknown = [(document, tag) for document, tags in tagged for tag in tags if tag.kind == UNKNOWN]
    if not unknown:
        return
    document, tag = unknown[0]
    line = document.text.count("\n", 0, tag.start) + 1
    where = f"{len(unknown):,} of the tags are of no known kind, the first in document {document.id}, line {line}"
    if settings.unknown == "error":
        raise InputError(f"{where}: name their kinds (kinds={{'text of the tag': 'name'}}, --kind TEXT=KIND)")
    done = "filled with numbers" if settings.unknown == "number" else "left in the text"
    on_problem(Problem("tags", f"{where}; they are {done}", is_warning=True))


def scope_of(document: Document) -> str:
    """Within what the same tag stands for the same person: the first subject's notes, or the note alone."""
    return f"subject {document.subjects[0]}" if document.subjects else f"note {document.id}"


class _Filler:
    def __init__(self, settings: FillSettings, tagged: Iterable[tuple[Document, Sequence[DeidTag]]]) -> None:
        self._settings = settings
        self._ledger = Ledger(secret=hashlib.sha256(f"sfumato fill {settings.seed}".encode()).digest())
        self._last_dates: dict[str, date] = {}
        for document, tags in tagged:
            for tag in tags:
                if (found := _possible_day(tag.value)) is not None:
                    scope = scope_of(document)
                    self._last_dates[scope] = max(found, self._last_dates.get(scope, found))

    def fill(self, document: Document, tags: Sequence[DeidTag]) -> Document:
        note = _Note(self._settings, self._ledger, document, tags, self._last_dates.get(scope_of(document)))
        parts, spans, position, length = [], [], 0, 0
        for tag in tags:
            if tag.kind == UNKNOWN and self._settings.unknown == "keep":
                continue
            value = note.value(tag)
            before = document.text[position : tag.start]
            start = length + len(before)
            length = start + len(value)
            identifier: Identifier = "direct" if tag.kind in _DIRECT else "quasi"
            label = _LABELS[tag.kind]
            spans.append(Span(start, length, label, identifier, 1.0, f"fill:{tag.kind}", note.entity(tag)))
            parts += [before, value]
            position = tag.end
        text = "".join([*parts, document.text[position:]])
        if not document.subjects:
            self._ledger.finish(note.scoped)
        return replace(document, text=AnnotatedText(text), annotations=tuple(spans))


def _possible_day(value: DateParts | None) -> date | None:
    if value is None or value.year is None:
        return None
    return _day(value.year, value.month or 1, value.day or 1)


def _day(year: int, month: int, day: int) -> date:
    """The day, or the last one of the month where that is shorter."""
    return date(year, month, min(day, monthrange(year, month)[1]))


class _Note:
    """The values of the tags of one note."""

    def __init__(
        self,
        settings: FillSettings,
        ledger: Ledger,
        document: Document,
        tags: Sequence[DeidTag],
        last_date: date | None,
    ) -> None:
        self._ledger = ledger
        self.scoped = Document(scope_of(document), document.text)
        """The note under the name of its scope, which the ledger assigns values by."""
        plain = replace(document, text=AnnotatedText(_without_tags(document.text, tags)), annotations=None)
        self._locale = locale_of(plain) if settings.locale == "auto" else settings.locale
        self._people = _link_names(document.text, tags)
        self._genders = self._read_genders(document.text, tags)
        self._last_date = last_date or _FIRST_DAY
        rng = self._random("dates")
        target = _FIRST_DAY + timedelta(rng.randrange(_DAYS))
        weeks = (self._last_date - target).days // 7
        self._shift = timedelta(weeks * 7)
        month_names = MONTHS.get(self._locale[:2], MONTHS["en"])
        self._dates = rng.choice(_date_styles(self._locale))(month_names)

    def value(self, tag: DeidTag) -> str:
        """What stands in place of a tag; never empty."""
        maker = _MAKERS.get(tag.kind)
        if maker is not None:
            return maker(self, tag)
        if tag.kind in _CODES:
            return self._code(tag, *_CODES[tag.kind])
        if _LABELS[tag.kind] == "DATETIME":
            return self._date(tag)
        return self._code(tag, self._random("number", tag.kind, tag.key).choice(_DATA["numbers"]), None)

    def entity(self, tag: DeidTag) -> str:
        """What the tag stands for: mentions with the same are linked."""
        return f"{_LABELS[tag.kind]}:{self._people.get(tag.key, tag.key) if _is_name(tag) else tag.key}"

    def _random(self, *parts: str) -> random.Random:
        return random.Random(self._ledger.random_bytes(self.scoped, "fill", *parts))

    def _draw(self, tag: DeidTag, propose: Callable[[random.Random], str]) -> str:
        """A value that occurs nowhere in the note, and that no other tag of the kind has."""
        rng = self._random(tag.kind, tag.key)

        def proposals() -> Iterator[str]:
            while True:
                yield propose(rng)

        return assign_absent(self._ledger, self.scoped, f"fill/{tag.kind}", tag.key, _LABELS[tag.kind], proposals)

    # Names.

    def _read_genders(self, text: str, tags: Sequence[DeidTag]) -> dict[str, Gender]:
        names = [tag for tag in tags if _is_name(tag)]
        parts, spans, position, length = [], [], 0, 0
        for tag in names:
            before = text[position : tag.start]
            start = length + len(before)
            length = start + len(_PLACEHOLDER)
            spans.append(Span(start, length, "PERSON", entity=self._people[tag.key]))
            parts += [before, _PLACEHOLDER]
            position = tag.end
        found = genders_in_text("".join([*parts, text[position:]]), spans, self._locale[:2])
        stated = {self._people[tag.key]: _STATED_GENDER[tag.kind] for tag in names if tag.kind in _STATED_GENDER}
        return found | stated

    def _name(self, tag: DeidTag, role: str) -> str:
        gender = self._genders.get(self._people[tag.key]) if role == "given" else None
        return invent_name(self._ledger, self.scoped, self._locale, tag.key, role, gender)

    def _full_name(self, tag: DeidTag) -> str:
        return f"{self._name(tag, 'given')} {self._name(tag, 'family')}"

    def _initials(self, tag: DeidTag) -> str:
        rng = self._random("initials", tag.key)
        return "".join(rng.choice("ABCDEFGHJKLMNPRSTW") for _ in range(2))

    def _named(self, tag: DeidTag, suffixes: Sequence[str]) -> str:
        name = invent_name(self._ledger, self.scoped, self._locale, f"{tag.kind} {tag.key}", "family")
        return f"{name} {self._random(tag.kind, tag.key).choice(suffixes)}"

    # Places and codes.

    def _place(self, tag: DeidTag, what: str) -> str:
        return self._draw(tag, lambda rng: " ".join(fake(self._locale, what, rng).split()))

    def _state(self, tag: DeidTag) -> str:
        states = _STATES if self._locale == "en_US" else ()
        return self._draw(tag, lambda rng: rng.choice(states) if states else fake(self._locale, "city", rng))

    def _code(self, tag: DeidTag, like: str, kind: str | None) -> str:
        seed = self._ledger.random_bytes(self.scoped, "fill", tag.kind, tag.key)
        codes = codes_like(like, kind, seed, self._locale, lambda word: None)
        return assign_absent(
            self._ledger, self.scoped, f"fill/{tag.kind}", tag.key, _LABELS[tag.kind], lambda: codes, like.__ne__
        )

    # Dates.

    def _date(self, tag: DeidTag) -> str:
        rng = self._random(tag.kind, tag.key)
        drawn = self._last_date + timedelta(rng.randrange(-30, 31))
        parts = tag.value or DateParts(drawn.year, drawn.month, drawn.day)
        moved = self._moved(parts, drawn)
        match tag.kind:
            case "date":
                return self._dates.full(moved)
            case "month-day":
                return self._dates.month_day(moved)
            case "month-year":
                return self._dates.month_year(moved)
            case "month":
                return self._dates.month(moved)
            case "year-2":
                return f"{moved.year % 100:02}"
            case "date-range":
                last = moved + timedelta(rng.randrange(1, 15))
                return f"{self._dates.full(moved)} - {self._dates.full(last)}"
            case "time":
                return f"{rng.randrange(24):02}:{rng.randrange(60):02}"
            case "holiday":
                return str(rng.choice(_DATA["holidays"]))
        return f"{moved.year:04}"

    def _moved(self, parts: DateParts, drawn: date) -> date:
        """The date moved with all others; what it leaves open is the middle of its month or year."""
        year = parts.year if parts.year is not None else self._last_date.year
        day = _day(year, parts.month or 7, parts.day or 15)
        try:
            return day - self._shift
        except OverflowError:  # before the first year of the calendar
            return drawn - self._shift


def _without_tags(text: str, tags: Sequence[DeidTag]) -> str:
    borders = [0, *(place for tag in tags for place in (tag.start, tag.end)), len(text)]
    return " ".join(text[start:end] for start, end in zip(borders[::2], borders[1::2], strict=True))


def _is_name(tag: DeidTag) -> bool:
    return _LABELS[tag.kind] == "PERSON"


def _link_names(text: str, tags: Sequence[DeidTag]) -> dict[str, str]:
    """The person of each name's key: a first and a last name beside each other are one person's."""
    names = [tag for tag in tags if _is_name(tag)]
    linked = {tag.key: tag.key for tag in names}

    def person(key: str) -> str:
        while linked[key] != key:
            linked[key] = key = linked[linked[key]]
        return key

    for first, second in pairwise(names):
        between = text[first.end : min(second.start, first.end + _LONGEST_BETWEEN + 1)]
        kinds = {("given" if tag.kind in _GIVEN else tag.kind) for tag in (first, second)}
        if kinds == {"given", "family"} and len(between) <= _LONGEST_BETWEEN and _BETWEEN_NAMES.fullmatch(between):
            linked[person(second.key)] = person(first.key)
    return {key: person(key) for key in linked}


_MAKERS: Mapping[str, Callable[[_Note, DeidTag], str]] = {
    **dict.fromkeys(_GIVEN, lambda note, tag: note._name(tag, "given")),
    "family": lambda note, tag: note._name(tag, "family"),
    "name": _Note._full_name,
    "initials": _Note._initials,
    "hospital": lambda note, tag: note._named(tag, _DATA["hospitals"]),
    "university": lambda note, tag: note._named(tag, _DATA["universities"]),
    "company": lambda note, tag: note._named(tag, _DATA["companies"]),
    "ward": lambda note, tag: note._named(tag, [str(number) for number in range(2, 13)]),
    "city": lambda note, tag: note._place(tag, "city"),
    "street": lambda note, tag: note._place(tag, "street_address"),
    "zip": lambda note, tag: note._place(tag, "postcode"),
    "state": _Note._state,
    "state-zip": lambda note, tag: f"{note._state(tag)} {note._place(replace(tag, kind='zip'), 'postcode')}",
    "country": lambda note, tag: note._draw(
        tag, lambda rng: rng.choice(plain_countries(LOCALES.get(note._locale[:2], "en_US")))
    ),
    "apartment": lambda note, tag: f"Apt. {note._random('apartment', tag.key).randrange(1, 400)}",
    "po-box": lambda note, tag: f"PO Box {note._random('po-box', tag.key).randrange(100, 9999)}",
    "age": lambda note, tag: str(note._random("age", tag.key).randrange(90, 102)),
}


# How a note writes its dates.


@dataclass(frozen=True)
class _DateStyle:
    full: Callable[[date], str]
    month_day: Callable[[date], str]
    month_year: Callable[[date], str]
    month: Callable[[date], str]


def _date_styles(locale: str) -> list[Callable[[Sequence[str]], _DateStyle]]:
    """Three ways: numbers with slashes or dots, the international form, and the month in words."""
    return [_in_numbers_american if locale == "en_US" else _in_numbers, _international, _in_words(locale == "en_US")]


def _in_numbers_american(months: Sequence[str]) -> _DateStyle:
    return _DateStyle(
        lambda day: f"{day.month}/{day.day}/{day.year}",
        lambda day: f"{day.month}/{day.day}",
        lambda day: f"{day.month}/{day.year}",
        lambda day: months[day.month - 1],
    )


def _in_numbers(months: Sequence[str]) -> _DateStyle:
    return _DateStyle(
        lambda day: f"{day.day:02}/{day.month:02}/{day.year}",
        lambda day: f"{day.day:02}/{day.month:02}",
        lambda day: f"{day.month:02}/{day.year}",
        lambda day: months[day.month - 1],
    )


def _international(months: Sequence[str]) -> _DateStyle:
    return _DateStyle(
        lambda day: day.isoformat(),
        lambda day: f"{day.month:02}-{day.day:02}",
        lambda day: f"{day.year:04}-{day.month:02}",
        lambda day: months[day.month - 1],
    )


def _in_words(month_first: bool) -> Callable[[Sequence[str]], _DateStyle]:
    def style(months: Sequence[str]) -> _DateStyle:
        def month_day(day: date) -> str:
            month = months[day.month - 1]
            return f"{month} {day.day}" if month_first else f"{day.day} {month}"

        return _DateStyle(
            lambda day: f"{month_day(day)}{',' * month_first} {day.year}",
            month_day,
            lambda day: f"{months[day.month - 1]} {day.year}",
            lambda day: months[day.month - 1],
        )

    return style
