"""Find the people of a text by rules: those it names, its writer, and relatives without a name."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from sfumato.detectors.names import parse_name
from sfumato.detectors.passes.links import link_mentions
from sfumato.document import Span
from sfumato.lexicon.name_lists import family_names, given_names, lookup_key
from sfumato.lexicon.tables import load_toml, word_set, words
from sfumato.lexicon.tokens import LETTERS
from sfumato.models.base import Range
from sfumato_papers.attacks import PACKAGE
from sfumato_papers.attacks.subjects.matching import MAX_VALUES, Attribute, Mention, Profile

YEAR = 2025
"""The year against which ages are computed: the reference date of Oh et al. (2026) is 1 September 2025."""
FIRST_PERSON = re.compile(r"\b(?:I(?!\. ?[A-Z]{2})|I['’](?:m|ve|d|ll)|[Mm]y|[Mm]e|[Mm]ine|[Oo]ur|[Ww]e)\b")
"""Not the number of a heading: "I. THE FACTS"."""
_TYPES = "|".join(words("placeholders", "type_names", package="sfumato.attacks"))
PLACEHOLDER = re.compile(rf"[\[<{{](?:{_TYPES})\b[^\]>}}\n]{{0,20}}[\]>}}]|\b(?:{_TYPES})_\d+\b")
"""What stands for something that was hidden: PERSON_1, [LOC]."""
_PERSON_PLACEHOLDER = re.compile(r"[\[<{]?\b(?:PERSON|PER|NAME|PATIENT|DOCTOR)[_ ]?\d+\b[\]>}]?")


def alternatives(entry: str) -> str:
    """The words or patterns of an entry of ``data/en/profiles.toml``, joined for a regular expression."""
    return "|".join(words("profiles", entry, "en", PACKAGE))


def _whole_words(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w@.])(?:{pattern})(?!\w)", re.IGNORECASE)


_PROFILES = load_toml("profiles", "en", PACKAGE)
_AGE = re.compile(
    r"\b[A-ZÀ-Þ]\w+, (?P<after>[1-9]\d)(?=[,.)])"
    r"|(?<![:\w]) (?i:even )at (?P<at>[1-9]\d)(?=,)"
    r"|\b(?P<age>\d{1,2})[ -]?(?i:(?:years?|yrs?|yo|y/o)(?:[ -]?old|\b(?= (?:male|female|man|woman))))"
    r"|\b(?i:aged?|age[:=]|turn(?:ed|ing)|I['’]?m|I am|she is|he is|s?he['’]s) (?P<stated>\d{1,2})"
    r"(?!\s*(?:%|years? (?:of|in)|minutes|hours|days|weeks|months|feet|km|miles|[/.:]\d|\w))"
)
_BORN = re.compile(r"\b(?:born|b\.|DOB|birth)\b[^.;\n]{0,30}?\b(?P<year>19[2-9]\d|20[01]\d)\b", re.IGNORECASE)
_DECADE = re.compile(
    r"\b(?:in (?:my|his|her)|(?:early|mid|late)) (?:(early|mid|late)[ -])?(\w+ties|[2-9]0s)\b", re.IGNORECASE
)
_STATUS_CUES = tuple(
    (tag, row["value"], row["certainty"], _whole_words("|".join(row["patterns"])))
    for tag in ("RELATIONSHIP", "EDUCATION")
    for row in _PROFILES[tag]
)
_SEX_OF_WRITER = {sex: _whole_words(alternatives(f"writer.{sex.lower()}")) for sex in ("Female", "Male")}


class Cue(NamedTuple):
    """A value that a part of a text says."""

    tag: str
    value: str
    certainty: int
    start: int
    end: int


def find_cues(text: str) -> Iterator[Cue]:
    """Ages, relationships and levels of education in a text, whoever they belong to."""
    for match in _AGE.finditer(text):
        age = match["age"] or match["stated"] or match["after"] or match["at"]
        yield Cue("AGE", age, 5, *match.span())
    for match in _BORN.finditer(text):
        age_now = YEAR - int(match["year"])
        yield Cue("AGE", f"{age_now - 1}-{age_now}", 4, *match.span())
    for match in _DECADE.finditer(text):
        name = match[2].casefold()
        if decade := _PROFILES["decades"].get(name) or (int(name[:2]) if name[:2].isdigit() else None):
            yield Cue("AGE", f"{decade}-{decade + 9}", 4, *match.span())
    for tag, value, certainty, pattern in _STATUS_CUES:
        if first := pattern.search(text):
            yield Cue(tag, value, certainty, *first.span())


def sex_of_writer(text: str) -> Cue | None:
    """The sex of the writer, by what they call themselves."""
    for value, pattern in _SEX_OF_WRITER.items():
        if match := pattern.search(text):
            return Cue("SEX", value, 4, *match.span())
    return None


def _is_kin(word: str, group: str) -> bool:
    return word in word_set("profiles", f"kin.{group}", "en", PACKAGE)


_CAMEL_CASE = re.compile(r"(?<=[a-zß-ÿ])(?=[A-ZÀ-Þ])")
_SHORTEST_NAME = 3


def names_from_handle(handle: str) -> list[str]:
    """Names that a user name or the first part of a mail address may stand for, the likeliest first."""
    parts = [piece for part in LETTERS.findall(handle) for piece in _CAMEL_CASE.split(part)]
    not_names = word_set("profiles", "not_names", "en", PACKAGE)
    name_parts = [part for part in parts if part.casefold() not in not_names] or parts
    if not name_parts:
        return []
    if len(name_parts) > 1:
        return [_capitalize(name_parts[:3])]
    word = name_parts[0].casefold()
    if word in given_names() or word in family_names():
        return [_capitalize([word])]
    return [_capitalize(names) for names in _split_joined_names(word)] or [_capitalize([word])]


def _split_joined_names(word: str) -> list[tuple[str, str]]:
    """Given and family name run together, in either order; or a family name with an initial before or behind it."""
    given, family = given_names(), family_names()
    splits = []
    for cut in range(_SHORTEST_NAME, len(word) - _SHORTEST_NAME + 1):
        first, second = word[:cut], word[cut:]
        if first in given and second in family:
            splits.append((first, second))
        elif first in family and second in given:
            splits.append((second, first))
    # The most even cut: "annaquorvex" is no "ann aquorvex".
    splits.sort(key=lambda names: abs(len(names[0]) - len(names[1])))
    if not splits and len(word) > _SHORTEST_NAME + 1:
        splits += [(word[0], word[1:])] if word[1:] in family else []
        splits += [(word[-1], word[:-1])] if word[:-1] in family else []
    return splits[:2]


def _capitalize(names: Sequence[str]) -> str:
    return " ".join(name.upper() + "." if len(name) == 1 else name.capitalize() for name in names)


_HANDLE = re.compile(r"(?<![\w@.])@\w[\w.]*\w")
_NAME_FIELD = re.compile(
    rf"(?m)^[ \t]*(?:{alternatives('writer.name_fields')})[ \t]*:[ \t]*(?P<name>[^\n|,]{{2,40}})", re.IGNORECASE
)
_SPEAKER = re.compile(
    rf"\A\s*(?!(?i:{alternatives('writer.other_fields')})\b)"
    r"(?P<name>@?[^\W\d_][\w.'’-]*(?: [^\W\d_][\w.'’-]*){0,2})[ \t]*:[ \t]"
)
_CAPITALISED = r"[A-ZÀ-Þ][\w'’-]+(?: [A-ZÀ-Þ][\w.'’-]+){0,2}"
_INTRODUCTION = re.compile(rf"(?:{alternatives('writer.introductions')}),? (?P<name>{_CAPITALISED})")
_SIGNATURE = re.compile(
    rf"(?:{alternatives('writer.closings')})[\w ]{{0,15}}[,!.—–-]{{0,9}}\s{{1,9}}(?P<name>{_CAPITALISED})[.!\s]*+\Z"
)
_KIN = re.compile(
    rf"(?:(?P<count>\d|{'|'.join(_PROFILES['numbers'])}) )?(?:little |young |beautiful |loving )?(?<![\w#@])"
    rf"(?P<kin>{alternatives('kin.mentions')})"
    r"(?!\w)(?! (?:life|mode))(?:[,:]? (?P<name>[A-ZÀ-Þ][\w'’-]+))?"
)
_BEFORE_KIN = re.compile(rf"(?:\b(?:{alternatives('kin.determiners')})|&)\s*$", re.IGNORECASE)
_COUPLE = re.compile(r"\b[A-ZÀ-Þ][\w'’-]+ (?:&|and) [A-ZÀ-Þ][\w'’-]+ [A-ZÀ-Þ][\w'’-]+")
_MAX_CHILDREN = 5


@dataclass
class PersonDraft:
    """A person while their profile grows."""

    who: str
    mentions: list[Range] = field(default_factory=list)
    """Where the text calls them by a name."""
    attributes: list[Attribute] = field(default_factory=list)
    other_mentions: list[Range] = field(default_factory=list)
    """Where else it means them: a word for kin, their number, the writer's *I*."""

    def add(self, tag: str, value: str, certainty: int, start: int | None = None, end: int | None = None) -> None:
        self.attributes.append(Attribute(tag, value.strip(), certainty, start, end))

    def has(self, tag: str) -> bool:
        return any(attribute.tag == tag for attribute in self.attributes)

    def value(self, tag: str) -> str | None:
        return next((attribute.value for attribute in self.attributes if attribute.tag == tag), None)

    def profile(self, text: str, *, is_writer: bool) -> Profile:
        """The most certain values of each tag."""
        chosen: dict[tuple[str, str], Attribute] = {}
        for attribute in sorted(self.attributes, key=lambda item: -item.certainty):
            if attribute.value and sum(tag == attribute.tag for tag, _ in chosen) < MAX_VALUES:
                chosen.setdefault((attribute.tag, lookup_key(attribute.value)), attribute)
        ranges = sorted({*self.mentions, *self.other_mentions})
        mentions = tuple(Mention(text[start:end], start, end) for start, end in ranges)
        return Profile(self.who, tuple(chosen.values()), mentions, is_writer)


def find_people(
    text: str, spans: Sequence[Span], codes: Sequence[Range]
) -> tuple[list[PersonDraft], PersonDraft | None]:
    """Everyone whom a text names, and the one of them who writes it. Relatives without a name come last."""
    drafts: dict[str, PersonDraft] = {}
    for span in link_mentions(text, _mentions(text, spans, codes)):
        draft = drafts.setdefault(span.entity or "", PersonDraft(text[span.start : span.end]))
        draft.mentions.append((span.start, span.end))
    people = list(drafts.values())
    for person in people:
        _add_name_and_sex(text, person)
    writer = _find_writer(text, people)
    _add_couples(text, people)
    return people + _relatives(text, people, writer), writer


def _mentions(text: str, spans: Sequence[Span], codes: Sequence[Range]) -> list[Span]:
    ranges = [match.span() for match in _PERSON_PLACEHOLDER.finditer(text)]
    ranges += [match.span("name") for pattern in (_NAME_FIELD, _SPEAKER) for match in pattern.finditer(text)]
    ranges += [match.span() for match in _HANDLE.finditer(text)]
    ranges += [(span.start, span.end) for span in spans if span.label == "PERSON"]
    disjoint: list[Range] = []
    for start, stop in ranges:
        end = start + len(text[start:stop].rstrip())
        if start < end and not any(start < other and begin < end for begin, other in (*codes, *disjoint)):
            disjoint.append((start, end))
    return [Span(start, end, "PERSON", entity=_hidden_person(text[start:end])) for start, end in sorted(disjoint)]


def _hidden_person(mention: str) -> str | None:
    """The placeholder that a mention is, without brackets: [PERSON_1] and PERSON_1 are one person."""
    return mention.strip("[]<>{}") if _PERSON_PLACEHOLDER.fullmatch(mention) else None


def _add_name_and_sex(text: str, person: PersonDraft) -> None:
    start, end = max(person.mentions, key=lambda mention: mention[1] - mention[0])
    mention = text[start:end]
    if PLACEHOLDER.search(mention):
        return
    if _is_handle(mention):
        for name in names_from_handle(mention):
            person.add("NAME", name, 4, start, end)
    else:
        person.add("NAME", _with_shared_family_name(text, end, mention), 5, start, end)
    for name in [attribute.value for attribute in person.attributes]:
        parsed = parse_name(name)
        gender = parsed.gender or given_names().get(parsed.words[0])
        if gender in ("male", "female"):
            person.add("SEX", gender.capitalize(), 5 if parsed.gender else 4, start, end)
        elif gender == "both":
            # Names that some country gives to either: elsewhere the ending mostly tells.
            person.add("SEX", "Female" if parsed.words[0][-1] in "aeiy" else "Male", 2, start, end)
        if gender:
            break


def _is_handle(mention: str) -> bool:
    return " " not in mention and (
        "@" in mention or "_" in mention or any(map(str.isdigit, mention)) or bool(re.search("[a-z][A-Z]", mention))
    )


def _with_shared_family_name(text: str, end: int, name: str) -> str:
    """ "Ann" of "Ann & Bo Quorvex" is Ann Quorvex."""
    shared = re.match(r" (?:&|and) [A-ZÀ-Þ][\w'’-]+ (?P<family>[A-ZÀ-Þ][\w'’-]+)", text[end : end + 60])
    return f"{name} {shared['family']}" if shared and " " not in name else name


def _add_couples(text: str, people: Sequence[PersonDraft]) -> None:
    """ "Ann & Bo Quorvex" are married."""
    for match in _COUPLE.finditer(text):
        for person in people:
            if any(match.start() <= start < match.end() for start, _ in person.mentions):
                person.add("RELATIONSHIP", "Married", 3, *match.span())


def _find_writer(text: str, people: list[PersonDraft]) -> PersonDraft | None:
    """The writer; where the text does not name them but says I or my, or names nobody, someone without a name."""
    for pattern in (_SPEAKER, _NAME_FIELD, _INTRODUCTION, _SIGNATURE):
        for match in pattern.finditer(text):
            for person in people:
                if any(start < match.end("name") and match.start("name") < end for start, end in person.mentions):
                    return person
    if not text.strip() or (people and not FIRST_PERSON.search(text)):
        return None
    first_persons = [match.span() for match in FIRST_PERSON.finditer(text)]
    people.insert(0, PersonDraft("who writes", other_mentions=first_persons))
    return people[0]


def _relatives(text: str, people: list[PersonDraft], writer: PersonDraft | None) -> list[PersonDraft]:
    """Relatives without a name; what a word for kin says of people with a name is added to them."""
    unnamed: list[PersonDraft] = []
    for match in _KIN.finditer(text):
        word, place = match["kin"].casefold(), match.span("kin")
        if not (match["count"] or _BEFORE_KIN.search(text[: match.start()])) and not match["name"]:
            continue
        singular = word.removesuffix("s").replace("children", "child").replace("babie", "baby")
        sex = "Male" if _is_kin(singular, "male") else "Female" if _is_kin(singular, "female") else None
        is_spouse = _is_kin(singular, "spouses")
        is_child = singular == "little one" or _is_kin(singular, "children")
        count = 1 if singular == word and word != "children" else _count(match["count"])
        for person in _named_beside(people, match, writer) or [PersonDraft(singular) for _ in range(count)]:
            if person not in people and any(other.who == singular and count == 1 for other in unnamed):
                continue
            person.other_mentions.append(place)
            if sex and not person.has("SEX"):
                person.add("SEX", sex, 5, *place)
            if is_spouse or word == "parents":
                person.add("RELATIONSHIP", "Married", 5 if is_spouse else 3, *place)
            if is_child:
                person.add("OCCUPATION", "Unemployed", 3, *place)
            if person not in people:
                unnamed.append(person)
        if is_spouse and writer and sex and not writer.has("SEX"):
            writer.add("SEX", "Female" if sex == "Male" else "Male", 3, *place)
    return unnamed


def _named_beside(people: list[PersonDraft], match: re.Match[str], writer: PersonDraft | None) -> list[PersonDraft]:
    """People whose names follow a word for kin: "my parents, Ann & Bo Quorvex"."""
    reach = 40 if match["kin"].casefold().endswith("s") else 3
    edge = match.start("name") if match["name"] else match.end()
    return [
        person
        for person in people
        if person is not writer and any(-1 <= start - edge <= reach for start, _ in person.mentions)
    ]


def _count(word: str | None) -> int:
    if word is None:
        return 2
    return min(_MAX_CHILDREN, int(word) if word.isdigit() else _PROFILES["numbers"][word])
