"""Profile the people of a text by rules: detectors, patterns and word lists, without a language model.

An attribute belongs to whoever is nearest: in a sentence with I or my to the writer, else to the person named last
before it. A number that nobody claims belongs to an unknown holder, and by a weaker guess to the writer.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import chain
from typing import NamedTuple, Protocol

from sfumato.detectors.base import Detector
from sfumato.detectors.rules.detector import RuleDetector
from sfumato.detectors.tagger import TaggerDetector
from sfumato.document import Document, Span
from sfumato.lexicon import world
from sfumato.lexicon.folding import FoldedText, fold, unfolded
from sfumato.lexicon.name_lists import ORGANISATION_HEADS, lookup_key, occupations
from sfumato.lexicon.tables import load_toml, word_set
from sfumato.models.base import Range
from sfumato_papers.attacks import PACKAGE
from sfumato_papers.attacks.subjects.matching import Mention, Profile
from sfumato_papers.attacks.subjects.people import (
    FIRST_PERSON,
    PLACEHOLDER,
    PersonDraft,
    alternatives,
    find_cues,
    find_people,
    names_from_handle,
    sex_of_writer,
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
        return [profiles for profiles, _ in self.profile_with_spans(texts)]

    def profile_with_spans(self, texts: Sequence[str]) -> list[tuple[list[Profile], list[Span]]]:
        """The people of each text, and all that the detectors found in it."""
        folds = [fold(text) or unfolded(text) for text in texts]
        documents = [Document(str(number), folded.text) for number, folded in enumerate(folds)]
        by_detector = [detector.detect(documents) for detector in self._detectors]
        read = []
        for text, folded, *several in zip(texts, folds, *by_detector, strict=True):
            spans = list(chain.from_iterable(several))
            profiles = _TextProfile(folded.text, spans).profiles()
            places = [span.moved(*folded.original(span.start, span.end)) for span in spans]
            read.append(([_at_original_places(profile, folded, text) for profile in profiles], places))
        return read


def _at_original_places(profile: Profile, folded: FoldedText, text: str) -> Profile:
    attributes = []
    for attribute in profile.attributes:
        if attribute.start is not None and attribute.end is not None and attribute.start < attribute.end:
            start, end = folded.original(attribute.start, attribute.end)
            attribute = replace(attribute, start=start, end=end)
        attributes.append(attribute)
    places = (folded.original(mention.start, mention.end) for mention in profile.mentions)
    mentions = tuple(Mention(text[start:end], start, end) for start, end in places)
    return replace(profile, attributes=tuple(attributes), mentions=mentions)


_SENTENCE = re.compile(r"[^.!?\n]+[.!?\n]*")
_PLACE_FIELD = re.compile(
    r"(?mi)(?:^|\|)[ \t]*(?:general )?(?:location|area|city|address|from)[ \t]*:[ \t]*(?P<place>[^\n|]{2,60})"
)
_POSITION = re.compile(
    rf"\b(?P<title>(?:(?:{alternatives('positions.ranks')}) )?(?:{alternatives('positions.titles')}))\b", re.IGNORECASE
)
_CONTACTS = load_toml("contacts", package=PACKAGE)
_OPPOSITE_SEX = {"Male": "Female", "Female": "Male"}


class _TextProfile:
    """One text with its spans and its people."""

    def __init__(self, text: str, spans: list[Span]) -> None:
        self.text = text
        # Rules know the shapes of codes; people, places and organisations are left to the tagger, which reads context.
        self.codes = find_codes(text, spans)
        hidden = [match.span() for match in PLACEHOLDER.finditer(text)]
        self.spans = [
            span
            for span in spans
            if not (span.source.startswith("rules:") and span.label in ("PERSON", "ORG"))
            and not any(start < span.end and span.start < end for start, end in hidden)
        ]
        self.people, self.writer = find_people(text, self.spans, [(code.start, code.end) for code in self.codes])

    def profiles(self) -> list[Profile]:
        if not self.text.strip():
            return []
        self._add_codes()
        self._add_cues()
        self._add_places()
        self._add_organisations()
        self._add_work()
        self._add_currency()
        profiles = (person.profile(self.text, is_writer=person is self.writer) for person in self.people)
        return [profile for profile in profiles if profile.attributes]

    def _owner(self, offset: int) -> PersonDraft | None:
        """Whose an attribute at this offset is."""
        sentence = next((match.span() for match in _SENTENCE.finditer(self.text) if match.end() > offset), (0, offset))
        before = [(start, person) for person in self.people for start, _ in person.mentions if start <= offset]
        if self.writer and FIRST_PERSON.search(self.text[slice(*sentence)]):
            return self.writer
        in_sentence = [(start, person) for start, person in before if start >= sentence[0]]
        if self.writer and not in_sentence:
            return self.writer
        return max(in_sentence or before, key=lambda pair: pair[0])[1] if before else None

    def _add_codes(self) -> None:
        for code in self.codes:
            holder = PersonDraft(f"holder of a code ({code.tag})", other_mentions=[(code.start, code.end)])
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
            written_name = self.writer.value("NAME")
            in_mail, in_text = _name_words(name), _name_words(written_name or "")
            initials = {word[0] for word in in_text}
            if written_name is None:
                self.writer.add("NAME", name, 3, code.start, code.end)
            elif in_mail & (in_text | initials):
                joined = max(in_text - in_mail, key=len, default="") + " " + max(in_mail, key=len)
                full = name if len(in_text) == 1 and in_text & in_mail else joined.strip().title()
                self.writer.add("NAME", full, 4, code.start, code.end)

    def _add_cues(self) -> None:
        for cue in find_cues(self.text):
            if (owner := self._owner(cue.start)) is not None:
                owner.add(*cue)
                if cue.tag == "RELATIONSHIP" and cue.value == "Married":
                    self._add_spouse(owner, cue.start)
        if self.writer and not self.writer.has("SEX") and (sex := sex_of_writer(self.text)):
            self.writer.add(*sex)

    def _add_spouse(self, owner: PersonDraft, offset: int) -> None:
        """Someone named right after "married life with" or "my wife" is married, too."""
        for person in self.people:
            if person is not owner and any(0 < start - offset < 60 for start, _ in person.mentions):
                person.add("RELATIONSHIP", "Married", 4)
                for spouse, other in ((owner, person), (person, owner)):
                    if not spouse.has("SEX") and (sex := other.value("SEX")):
                        spouse.add("SEX", _OPPOSITE_SEX[sex], 3)

    def _add_places(self) -> None:
        fields = [(match["place"].strip(), *match.span("place"), 5) for match in _PLACE_FIELD.finditer(self.text)]
        others = [
            (self.text[span.start : span.end], span.start, span.end, 4)
            for span in self.spans
            if span.label == "LOC" and not any(span.start < end and start < span.end for _, start, end, _ in fields)
        ]
        for place, start, end, certainty in fields + others:
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
        money = (country for sign, country in _CONTACTS["currency_signs"].items() if sign in self.text)
        return next((code.country for code in self.codes if code.country), None) or next(money, None)

    def _add_organisations(self) -> None:
        for span in self.spans:
            name = self.text[span.start : span.end]
            if span.label == "ORG" and len(name) > 2:
                owner = self._owner(span.start)
                for person in {id(person): person for person in (owner, self.writer) if person}.values():
                    person.add("AFFILIATION", name, 4 if person is owner else 2, span.start, span.end)

    def _add_work(self) -> None:
        for occupation, start, end in stated_occupations(self.text):
            if (owner := self._owner(start)) is not None:
                owner.add("OCCUPATION", occupation, 5, start, end)
        for span in self.spans:
            phrase = self.text[span.start : span.end]
            if span.label == "DEM" and _is_occupation(phrase) and (owner := self._owner(span.start)) is not None:
                owner.add("OCCUPATION", phrase, 4, span.start, span.end)
        for match in _POSITION.finditer(self.text):
            if (owner := self._owner(match.start())) is not None:
                owner.add("POSITION", match["title"], 3, *match.span("title"))
        if self.writer and not self.writer.has("OCCUPATION"):
            for index, occupation in enumerate(likely_occupations(self.text)):
                self.writer.add("OCCUPATION", occupation, 2 if index else 3)

    def _add_currency(self) -> None:
        if self.writer and not self.writer.has("LOCATION") and (country := self._country_by_code()):
            self.writer.add("LOCATION", country, 2)
            self.writer.add("NATIONALITY", country, 2)


def _add_countries(person: PersonDraft, code: Code, certainty: int) -> None:
    if country := code.country:
        person.add("LOCATION", country, certainty, code.start, code.end)
        person.add("NATIONALITY", country, certainty, code.start, code.end)
        if code.tag not in ("PHONE_NUMBER", "EMAIL_ADDRESS") and code.value.startswith("CA"):  # or California
            person.add("LOCATION", "California / United States", certainty, code.start, code.end)
            person.add("NATIONALITY", "United States", certainty, code.start, code.end)


def _with_country(place: str, fallback: str | None) -> tuple[str, str | None]:
    """A place with the country it lies in: "Bataan / Philippines"; and the country."""
    levels = [part.strip() for part in place.replace("/", ",").split(",") if part.strip()]
    if last := world.country_name_of(levels[-1] if levels else place):
        return " / ".join([*levels[:-1], last]), last
    country = next(filter(None, map(world.country_name_of_place, reversed(levels))), fallback)
    return " / ".join(filter(None, [*levels, country])), country


def _as_written(text: str, employer: str) -> str:
    """An organisation as the text writes it, where it stands there: "PV Ventures" for pvventures."""
    wanted = lookup_key(employer)
    for match in re.finditer(r"[A-ZÀ-Þ]\w*(?:[ -][A-ZÀ-Þ]\w*){0,3}", text):
        if lookup_key(match.group()).replace(" ", "").replace("-", "") == wanted:
            return match.group()
    return employer


def _name_words(name: str) -> set[str]:
    return set(lookup_key(name).replace(".", "").split())


def _is_occupation(phrase: str) -> bool:
    words = lookup_key(phrase).split()
    tails = {" ".join(words[start:]) for start in range(len(words))}
    singulars = {tail.removesuffix("s") for tail in tails}
    return not occupations().isdisjoint(tails | singulars) and not set(words) & ORGANISATION_HEADS


_TAGS_OF_RULES = {
    "rules:email": "EMAIL_ADDRESS",
    "rules:phone": "PHONE_NUMBER",
    "rules:licence": "DRIVER_LICENSE_NUMBER",
    "rules:passport": "PASSPORT_NUMBER",
}
_TAGS_OF_PREFIXES = {"DL": "DRIVER_LICENSE_NUMBER", "ID": "IDENTIFICATION_NUMBER", "PP": "PASSPORT_NUMBER"}
_CODE_CONTEXT = {
    tag: re.compile(alternatives(f"code_context.{tag}"), re.IGNORECASE)
    for tag in ("DRIVER_LICENSE_NUMBER", "PASSPORT_NUMBER", "PHONE_NUMBER", "IDENTIFICATION_NUMBER")
}
_PREFIXED = re.compile(r"\b([A-Z]{2})-(DL|ID|PP)-[\dA-Z-]{4,}")
_SSN = re.compile(r"\b\d{3}-\d{2}-\d{4}\b")
_LONG_PHONE = re.compile(r"(?<![\w-])\+?[\d(][\d ().-]{6,18}\d(?: ?x\d{1,6})?(?!\w)")
_LEAST_DIGITS = 5
_OWNER_REACH, _CONTEXT_REACH = 45, 60
"""Characters before a code in which words say whose it is, and what it is."""
_OF_WRITER = re.compile(r"\b(?:my|our|me|I)\b|\b(?:contact|phone|email|e-mail|mobile|tel)[^\w\n]{0,3}:", re.IGNORECASE)


class Code(NamedTuple):
    """A number or address, its tag, and whether the writer calls it theirs."""

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
        prefixed = _PREFIXED.fullmatch(self.value)
        return world.country_name_of_code(prefixed[1]) if prefixed else None

    @property
    def employer(self) -> str | None:
        """The organisation behind a mail address that is not of a free provider."""
        if self.tag != "EMAIL_ADDRESS":
            return None
        name = self.value.partition("@")[2].partition(".")[0]
        is_free = name.casefold() in word_set("contacts", "free_mail_providers", package=PACKAGE)
        return None if is_free else name.capitalize()


def find_codes(text: str, spans: Sequence[Span]) -> list[Code]:
    """All codes of a text, in order, each once."""
    ranges: dict[Range, str] = {}
    for match in _PREFIXED.finditer(text):
        _claim(ranges, match.span(), _TAGS_OF_PREFIXES[match[2]])
    for match in _SSN.finditer(text):
        _claim(ranges, match.span(), "IDENTIFICATION_NUMBER")
    dates = [(span.start, span.end) for span in spans if span.label == "DATETIME"]
    for span in sorted(spans, key=lambda span: (span.source != "rules:email", span.start - span.end)):
        if span.label != "CODE" or any(start < span.end and span.start < end for start, end in dates):
            continue
        tag = _TAGS_OF_RULES.get(span.source)
        value = text[span.start : span.end]
        is_code = tag == "EMAIL_ADDRESS" or (len(re.findall(r"\d", value)) >= _LEAST_DIGITS and "@" not in value)
        if is_code and (tag := _tag_by_context(text, span) or tag):
            _claim(ranges, _trim(text, span.start, span.end), tag)
    return [
        Code(tag, text[start:end], start, end, bool(_OF_WRITER.search(text[max(0, start - _OWNER_REACH) : start])))
        for (start, end), tag in sorted(ranges.items())
    ]


def _tag_by_context(text: str, span: Span) -> str | None:
    value = text[span.start : span.end]
    if "@" in value:
        return "EMAIL_ADDRESS"
    before = text[max(0, span.start - _CONTEXT_REACH) : span.start]
    hits = [(match.start(), tag) for tag, pattern in _CODE_CONTEXT.items() for match in pattern.finditer(before)]
    if hits and not (span.source == "rules:phone" and value[0] == "+"):
        return max(hits)[1]
    return "PHONE_NUMBER" if _LONG_PHONE.fullmatch(value) else None


def _trim(text: str, start: int, end: int) -> Range:
    """Without a bracket that opens and never closes; with the plus sign that a number lost."""
    if text[start] == "(" and ")" not in text[start:end]:
        start += 1
    if start and text[start - 1] == "+":
        start -= 1
    return start, end


def _claim(ranges: dict[Range, str], code: Range, tag: str) -> None:
    if not any(code[0] < end and start < code[1] for start, end in ranges):
        ranges[code] = tag


_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)?")
_BEFORE_OCCUPATION = re.compile(
    r"(?:\b(?:I['’]?m|I am|as|being|is|was|became|fellow)"
    r" (?:an? |the |your )?|,\s*(?:an? |the ))(?P<rest>[^\n.,;:!?()]{3,60})",
    re.IGNORECASE,
)
_CAMEL_CASE = re.compile(r"(?<=[a-z])(?=[A-Z])")


@cache
def _work_words() -> Mapping[str, re.Pattern[str]]:
    table = load_toml("occupation_words", "en", PACKAGE)["occupations"]
    patterns = {name: [re.escape(word).replace(r"\*", r"\w*") for word in row.split()] for name, row in table.items()}
    return {name: re.compile(rf"\b(?:{'|'.join(parts)})\b", re.IGNORECASE) for name, parts in patterns.items()}


def stated_occupations(text: str) -> list[tuple[str, int, int]]:
    """Occupations that a text says someone has, with start and end: "I'm a civil engineer", "fellow nurses"."""
    stated = []
    for match in _BEFORE_OCCUPATION.finditer(text):
        if place := _first_occupation(list(_WORD.finditer(match["rest"]))[:6]):
            start, end = (match.start("rest") + offset for offset in place)
            stated.append((text[start:end], start, end))
    return stated


def _first_occupation(words: Sequence[re.Match[str]]) -> Range | None:
    """The longest occupation of the lexicon among the first words, with a word before it that makes it finer."""
    for first in range(len(words)):
        for last in range(min(len(words), first + 3), first, -1):
            phrase = lookup_key(" ".join(word.group() for word in words[first:last]))
            singular = phrase.removesuffix("s")
            is_occupation = not occupations().isdisjoint({phrase, singular})
            if is_occupation and singular not in word_set("profiles", "not_occupations", "en", PACKAGE):
                is_refined = first > 0 and len(words[first - 1].group()) > 3
                return words[first - is_refined].start(), words[last - 1].end()
    return None


def likely_occupations(text: str) -> list[str]:
    """The two occupations most of whose words stand in a text."""
    spaced = _CAMEL_CASE.sub(" ", text)  # "#BusCrew"
    counts = {name: len({hit.casefold() for hit in words.findall(spaced)}) for name, words in _work_words().items()}
    return sorted((name for name in counts if counts[name]), key=lambda name: -counts[name])[:2]
