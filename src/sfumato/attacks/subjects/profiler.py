"""The people of a text and what can be said of each, by the house's detectors and word lists.

Who an attribute belongs to is decided by nearness: in a sentence with I or my it is the writer's, else the person's who
is named last before it. A number that nobody claims belongs to someone unknown, and by a weaker guess to the writer.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources
from typing import NamedTuple, Protocol

from sfumato.attacks.subjects.matching import Profile
from sfumato.attacks.subjects.people import (
    FIRST_PERSON,
    PersonDraft,
    find_cues,
    find_people,
    names_from_handle,
    sex_of_writer,
)
from sfumato.detectors.base import Detector
from sfumato.detectors.rules.detector import RuleDetector
from sfumato.detectors.tagger import TaggerDetector
from sfumato.document import Document, Span
from sfumato.lexicon import world
from sfumato.lexicon.name_lists import ORGANISATION_HEADS, lookup_key, occupations

# -- The numbers and addresses of a text that belong to someone, by the tag they fall under.


_KINDS = {
    "rules:email": "EMAIL_ADDRESS",
    "rules:phone": "PHONE_NUMBER",
    "rules:licence": "DRIVER_LICENSE_NUMBER",
    "rules:passport": "PASSPORT_NUMBER",
}
_LICENCE = re.compile(r"licen[cs]e|\bDL\b|driv", re.IGNORECASE)
_PASSPORT = re.compile(r"passport", re.IGNORECASE)
_PHONE = re.compile(r"phone|mobile|call|tel\b|contact|dial|whatsapp|cell", re.IGNORECASE)
_IDENTITY = re.compile(r"\bID\b|identi|national|ssn|social security|aadhaar|tax number|insurance", re.IGNORECASE)
_PREFIXED = re.compile(r"\b([A-Z]{2})-(DL|ID|PP)-[\dA-Z-]{4,}")
_SSN = re.compile(r"\b\d{3}-\d{2}-\d{4}\b")
_LONG_PHONE = re.compile(r"(?<![\w-])\+?[\d(][\d ().-]{6,18}\d(?: ?x\d{1,6})?(?!\w)")
_DIGITS = re.compile(r"\d")
_BEFORE, _FAR = 45, 60
_MINE = re.compile(r"\b(?:my|our|me|I)\b|\b(?:contact|phone|email|e-mail|mobile|tel)[^\w\n]{0,3}:", re.IGNORECASE)
_FREE = frozenset(
    "gmail outlook hotmail yahoo aol protonmail proton icloud live gmx web mail msn ymail zoho googlemail me".split()
)
STATES = {"CA": "California", "IN": "Indiana"}
"""Codes of countries that are codes of states of the USA as well, where both are common."""


class Code(NamedTuple):
    """A number or address, its tag, and whether the one who writes calls it theirs."""

    tag: str
    value: str
    start: int
    end: int
    is_writers: bool

    @property
    def country(self) -> str | None:
        """The country that the code itself tells."""
        if self.tag == "EMAIL_ADDRESS":
            return world.country_name_of_domain(self.value)
        if self.tag == "PHONE_NUMBER":
            return world.country_name_of_phone(self.value)
        told = _PREFIXED.fullmatch(self.value)
        return world.country_name_of_code(told[1]) if told else None

    @property
    def employer(self) -> str | None:
        """The organisation behind a mail address that is no free mail's."""
        if self.tag != "EMAIL_ADDRESS":
            return None
        name = self.value.partition("@")[2].partition(".")[0]
        return None if name.casefold() in _FREE else name.capitalize()


def find_codes(text: str, found: Sequence[Span]) -> list[Code]:
    """All codes of a text, in order, each once."""
    ranges: dict[tuple[int, int], str] = {}
    for match in _PREFIXED.finditer(text):
        told = {"DL": "DRIVER_LICENSE_NUMBER", "ID": "IDENTIFICATION_NUMBER", "PP": "PASSPORT_NUMBER"}[match[2]]
        _claim(ranges, *match.span(), told)
    for match in _SSN.finditer(text):
        _claim(ranges, *match.span(), "IDENTIFICATION_NUMBER")
    dates = [(span.start, span.end) for span in found if span.label == "DATETIME"]
    for span in sorted(found, key=lambda span: (span.source != "rules:email", span.start - span.end)):
        kind = _KINDS.get(span.source)
        if span.label == "CODE" and not any(start < span.end and span.start < end for start, end in dates):
            said = text[span.start : span.end]
            if kind == "EMAIL_ADDRESS" or (len(_DIGITS.findall(said)) >= 5 and "@" not in said):
                kind = _by_context(text, span) or kind
                if kind:
                    _claim(ranges, *_trimmed(text, span.start, span.end), kind)
    return [
        Code(kind, text[start:end], start, end, bool(_MINE.search(text[max(0, start - _BEFORE) : start])))
        for (start, end), kind in sorted(ranges.items())
    ]


def _by_context(text: str, span: Span) -> str | None:
    if "@" in text[span.start : span.end]:
        return "EMAIL_ADDRESS"
    before = text[max(0, span.start - _FAR) : span.start]
    near = [
        (match.start(), kind)
        for kind, pattern in (
            ("DRIVER_LICENSE_NUMBER", _LICENCE),
            ("PASSPORT_NUMBER", _PASSPORT),
            ("PHONE_NUMBER", _PHONE),
            ("IDENTIFICATION_NUMBER", _IDENTITY),
        )
        for match in pattern.finditer(before)
    ]
    if near and not (span.source == "rules:phone" and text[span.start] == "+"):
        return max(near)[1]
    return "PHONE_NUMBER" if _LONG_PHONE.fullmatch(text[span.start : span.end]) else None


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """Without a bracket that opens and never closes; with the plus sign that a number lost."""
    if text[start] == "(" and ")" not in text[start:end]:
        start += 1
    if start and text[start - 1] == "+":
        start -= 1
    return start, end


def _claim(ranges: dict[tuple[int, int], str], start: int, end: int, kind: str) -> None:
    if not any(start < other and begin < end for begin, other in ranges):
        ranges[start, end] = kind


# -- What someone does for a living, by the words they use.


_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)?")
_SAID = re.compile(
    r"(?:\b(?:I['’]?m|I am|as|being|is|was|became|fellow)"
    r" (?:an? |the |your )?|,\s*(?:an? |the ))(?P<rest>[^\n.,;:!?()]{3,60})",
    re.IGNORECASE,
)
_HUMPS = re.compile(r"(?<=[a-z])(?=[A-Z])")
_NOT_ONES_OWN = frozenset(
    "author writer user guest guests client patient student member model reader seller buyer".split()
)


@cache
def _occupation_words() -> Mapping[str, re.Pattern[str]]:
    text = resources.files(__package__).joinpath("trades.toml").read_text(encoding="utf-8")
    return {
        trade: re.compile(
            r"\b(?:" + "|".join(re.escape(word).replace(r"\*", r"\w*") for word in words.split()) + r")\b",
            re.IGNORECASE,
        )
        for trade, words in tomllib.loads(text)["trades"].items()
    }


def stated_occupations(text: str) -> list[tuple[str, int, int]]:
    """Occupations that a text says someone has, with where they stand: "I'm a civil engineer", "fellow nurses"."""
    found = []
    for match in _SAID.finditer(text):
        words = list(_WORD.finditer(match["rest"]))[:6]
        if hit := _first_occupation(words):
            start, end = hit
            offset = match.start("rest")
            found.append((match["rest"][start:end], offset + start, offset + end))
    return found


def _first_occupation(words: list[re.Match[str]]) -> tuple[int, int] | None:
    """The longest occupation of the lexicon among the first words, with the words before it that make it finer."""
    for first in range(len(words)):
        for last in range(min(len(words), first + 3), first, -1):
            phrase = " ".join(word.group() for word in words[first:last])
            singular = lookup_key(phrase).removesuffix("s")
            if {lookup_key(phrase), singular} & occupations() and singular not in _NOT_ONES_OWN:
                return words[max(0, first - 1) if _refines(words, first) else first].start(), words[last - 1].end()
    return None


def _refines(words: list[re.Match[str]], first: int) -> bool:
    return first > 0 and len(words[first - 1].group()) > 3


def likely_occupations(text: str) -> list[str]:
    """The two trades whose words stand in a text most."""
    apart = _HUMPS.sub(" ", text)  # "#BusCrew"
    counts = {
        trade: len({hit.casefold() for hit in words.findall(apart)}) for trade, words in _occupation_words().items()
    }
    best = sorted((trade for trade in counts if counts[trade]), key=lambda trade: -counts[trade])
    return best[:2]


# -- The people of a text and what can be said of each, by the house's detectors and word lists.


_SENTENCE = re.compile(r"[^.!?\n]+[.!?\n]*")
_PLACE = re.compile(
    r"(?mi)(?:^|\|)[ \t]*(?:general )?(?:location|area|city|address|from)[ \t]*:[ \t]*(?P<place>[^\n|]{2,60})"
)
_MONEY = {"₹": "India", "₱": "Philippines", "£": "United Kingdom", "NZ$": "New Zealand", "A$": "Australia"}
_POSITION = re.compile(
    r"\b(?P<title>(?:(?:senior|vice|deputy|general|project|regional|assistant|managing) )?"
    r"(?:manager|director|principal|president|chairman|chairwoman|chairperson|ceo|cto|cfo|supervisor|minister|"
    r"commissioner|head of \w+|judge|agent|team lead(?:er)?))\b",
    re.IGNORECASE,
)


class Profiler(Protocol):
    """Finds the people of texts and infers what it can of each."""

    name: str

    def profile(self, texts: Sequence[str]) -> list[list[Profile]]:
        """The people of each text; none where it finds nobody."""
        ...


class RuleProfiler:
    """Rules, tagger and word lists."""

    name = "rules"

    def __init__(self) -> None:
        self._detectors: tuple[Detector, ...] = (RuleDetector(), TaggerDetector())

    def profile(self, texts: Sequence[str]) -> list[list[Profile]]:
        """The people of each text."""
        documents = [Document(str(number), text) for number, text in enumerate(texts)]
        found = [detector.detect(documents) for detector in self._detectors]
        return [
            _Reading(text, [span for spans in each for span in spans]).profiles()
            for text, each in zip(texts, zip(*found, strict=True), strict=True)
        ]


class _Reading:
    """One text, its spans and its people."""

    def __init__(self, text: str, spans: list[Span]) -> None:
        self.text = text
        # Rules know the shapes of codes; people, places and organisations are left to the tagger, which reads context.
        self.codes = find_codes(text, spans)
        self.spans = [
            span for span in spans if not span.source.startswith("rules:") or span.label not in ("PERSON", "ORG")
        ]
        taken = [(code.start, code.end) for code in self.codes]
        self.people, self.writer = find_people(text, self.spans, taken)

    def profiles(self) -> list[Profile]:
        if not self.text.strip():
            return []
        self._add_codes()
        self._add_cues()
        self._add_places()
        self._add_organisations()
        self._add_work()
        self._add_currency()
        return [profile for profile in (person.profile() for person in self.people) if profile.attributes]

    def _owner(self, at: int) -> PersonDraft | None:
        """Whose an attribute at this place is."""
        start, end = next(((s.start(), s.end()) for s in _SENTENCE.finditer(self.text) if s.end() > at), (0, at))
        before = [(m[0], person) for person in self.people for m in person.mentions if m[0] <= at]
        if self.writer and FIRST_PERSON.search(self.text[start:end]):
            return self.writer
        near = [(place, person) for place, person in before if place >= start]
        if near:
            return max(near, key=lambda pair: pair[0])[1]
        if self.writer:
            return self.writer
        return max(before, key=lambda pair: pair[0])[1] if before else None

    def _add_codes(self) -> None:
        for code in self.codes:
            holder = PersonDraft(f"holder of a code ({code.tag})")
            claimed = code.is_writers or code.tag in ("PHONE_NUMBER", "EMAIL_ADDRESS")
            for person, certainty in ((holder, 2 if claimed else 4), (self.writer, 5 if claimed else 2)):
                if person is not None:
                    person.add(code.tag, code.value, certainty, code.start, code.end)
                    _add_countries(person, code, 3 if certainty > 2 else 2)
                    if code.employer:
                        person.add("AFFILIATION", _as_written(self.text, code.employer), 3, code.start, code.end)
            if code.tag == "EMAIL_ADDRESS":
                self._add_mail_name(code, holder)
            self.people.append(holder)

    def _add_mail_name(self, code: Code, holder: PersonDraft) -> None:
        """The holder's name; and the writer's, where they are the same: a handle's word stands in the address."""
        for name in names_from_handle(code.value.partition("@")[0])[:1]:
            holder.add("NAME", name, 4, code.start, code.end)
            if self.writer is None:
                continue
            own = self.writer.value("NAME")
            words, mine = (
                set(lookup_key(name).replace(".", "").split()),
                set(lookup_key(own or "").replace(".", "").split()),
            )
            if own is None:
                self.writer.add("NAME", name, 3, code.start, code.end)
            elif words & mine or any(one[:1] in {word[0] for word in mine} for one in words if len(one) == 1):
                joined = max(mine - words, key=len, default="") + " " + max(words, key=len)
                full = name if len(mine) == 1 and mine & words else joined.strip().title()
                self.writer.add("NAME", full, 4, code.start, code.end)

    def _add_cues(self) -> None:
        for cue in find_cues(self.text):
            if (owner := self._owner(cue.start)) is not None:
                owner.add(*cue)
                if cue.tag == "RELATIONSHIP" and cue.value == "Married":
                    self._add_spouse(owner, cue.start)
        if self.writer and not self.writer.has("SEX") and (told := sex_of_writer(self.text)):
            self.writer.add(*told)

    def _add_spouse(self, owner: PersonDraft, at: int) -> None:
        """Someone named right after "married life with" or "my wife" is married, too."""
        for person in self.people:
            if person is not owner and any(0 < start - at < 60 for start, _ in person.mentions):
                person.add("RELATIONSHIP", "Married", 4)
                opposite = {"Male": "Female", "Female": "Male"}
                for one, other in ((owner, person), (person, owner)):
                    if not one.has("SEX") and (sex := other.value("SEX")):
                        one.add("SEX", opposite[sex], 3)

    def _add_places(self) -> None:
        told = [(match["place"].strip(), *match.span("place"), 5) for match in _PLACE.finditer(self.text)]
        found = [
            (self.text[span.start : span.end], span.start, span.end, 4)
            for span in self.spans
            if span.label == "LOC" and not any(span.start < end and start < span.end for _, start, end, _ in told)
        ]
        for place, start, end, certainty in told + found:
            owner = self.writer if certainty == 5 and self.writer else self._owner(start)
            if owner is not None:
                levels, country = _with_country(place, self._country_by_code())
                owner.add("LOCATION", levels, certainty, start, end)
                if country:
                    owner.add("NATIONALITY", country, 3, start, end)
        for span in self.spans:
            country = world.country_name_of(self.text[span.start : span.end]) if span.label == "DEM" else None
            owner = self._owner(span.start) if country else None
            if country and owner:
                owner.add("NATIONALITY", country, 5, span.start, span.end)
                owner.add("LOCATION", country, 3, span.start, span.end)

    def _country_by_code(self) -> str | None:
        money = (country for sign, country in _MONEY.items() if sign in self.text)
        return next((code.country for code in self.codes if code.country), None) or next(money, None)

    def _add_organisations(self) -> None:
        for span in self.spans:
            said = self.text[span.start : span.end]
            if span.label == "ORG" and len(said) > 2:
                owner = self._owner(span.start)
                for person in {id(one): one for one in (owner, self.writer) if one}.values():
                    person.add("AFFILIATION", said, 4 if person is owner else 2, span.start, span.end)

    def _add_work(self) -> None:
        for said, start, end in stated_occupations(self.text):
            if (owner := self._owner(start)) is not None:
                owner.add("OCCUPATION", said, 5, start, end)
        for span in self.spans:
            said = self.text[span.start : span.end]
            if span.label == "DEM" and _is_occupation(said) and (owner := self._owner(span.start)) is not None:
                owner.add("OCCUPATION", said, 4, span.start, span.end)
        for match in _POSITION.finditer(self.text):
            if (owner := self._owner(match.start())) is not None:
                owner.add("POSITION", match["title"], 3, *match.span("title"))
        if self.writer and not self.writer.has("OCCUPATION"):
            for place, trade in enumerate(likely_occupations(self.text)):
                self.writer.add("OCCUPATION", trade, 2 if place else 3)

    def _add_currency(self) -> None:
        if self.writer and not self.writer.has("LOCATION") and (country := self._country_by_code()):
            self.writer.add("LOCATION", country, 2)
            self.writer.add("NATIONALITY", country, 2)


def _add_countries(person: PersonDraft, code: Code, certainty: int) -> None:
    if country := code.country:
        person.add("LOCATION", country, certainty, code.start, code.end)
        person.add("NATIONALITY", country, certainty, code.start, code.end)
        state = STATES.get(code.value[:2]) if code.tag not in ("PHONE_NUMBER", "EMAIL_ADDRESS") else None
        if state == "California":
            person.add("LOCATION", f"{state} / United States", certainty, code.start, code.end)
            person.add("NATIONALITY", "United States", certainty, code.start, code.end)


def _with_country(place: str, fallback: str | None) -> tuple[str, str | None]:
    """A place with the country it lies in: "Bataan / Philippines"; and the country."""
    levels = [part.strip() for part in place.replace("/", ",").split(",") if part.strip()]
    if last := world.country_name_of(levels[-1] if levels else place):
        return " / ".join([*levels[:-1], last]), last
    country = next((found for level in reversed(levels) if (found := world.country_name_of_place(level))), fallback)
    return " / ".join([*levels, *([country] if country else [])]), country


def _as_written(text: str, employer: str) -> str:
    """An organisation as the text writes it, where it stands there: "PV Ventures" for pvventures."""
    wanted = lookup_key(employer)
    for match in re.finditer(r"[A-ZÀ-Þ]\w*(?:[ -][A-ZÀ-Þ]\w*){0,3}", text):
        if lookup_key(match.group()).replace(" ", "").replace("-", "") == wanted:
            return match.group()
    return employer


def _is_occupation(said: str) -> bool:
    words = lookup_key(said).split()
    tails = {" ".join(words[place:]) for place in range(len(words))}
    known: Mapping[str, None] = dict.fromkeys(tails | {tail.removesuffix("s") for tail in tails})
    return bool(known.keys() & occupations()) and not set(words) & ORGANISATION_HEADS
