"""Who is in a text: those it names, who writes it, and kin who are only called husband or child."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from sfumato.attacks.subjects.matching import MAX_VALUES, Attribute, Profile
from sfumato.detectors.entities import link, parse_name
from sfumato.document import Span
from sfumato.lexicon.name_lists import family_names, given_names, lookup_key

# -- Phrases that tell age, sex, relationship and education, and words for kin.


YEAR = 2025
"""The year against which ages are reckoned: the reference date of Oh et al. (2026) is 1 September 2025."""
FIRST_PERSON = re.compile(r"\b(?:I|I['’](?:m|ve|d|ll)|[Mm]y|[Mm]e|[Mm]ine|[Oo]ur|[Ww]e)\b")
_ANYCASE = re.IGNORECASE


class Cue(NamedTuple):
    """A value that a part of a text tells."""

    tag: str
    value: str
    certainty: int
    start: int
    end: int


def _pattern(words: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w@.])(?:{words})(?!\w)", _ANYCASE)


_AGE = re.compile(
    r"\b[A-ZÀ-Þ]\w+, (?P<after>[1-9]\d)(?=[,.)])"
    r"|(?<![:\w]) (?i:even )at (?P<at>[1-9]\d)(?=,)"
    r"|\b(?P<age>\d{1,2})[ -]?(?i:(?:years?|yrs?|yo|y/o)(?:[ -]?old|\b(?= (?:male|female|man|woman))))"
    r"|\b(?i:aged?|age[:=]|turn(?:ed|ing)|I['’]?m|I am|she is|he is|s?he['’]s) (?P<stated>\d{1,2})"
    r"(?!\s*(?:%|years? (?:of|in)|minutes|hours|days|weeks|months|feet|km|miles|[/.:]\d|\w))"
)
_BORN = re.compile(r"\b(?:born|b\.|DOB|birth)\b[^.;\n]{0,30}?\b(?P<year>19[2-9]\d|20[01]\d)\b", _ANYCASE)
_DECADE = re.compile(
    r"\b(?:in (?:my|his|her)|(?:early|mid|late)) (?:(early|mid|late)[ -])?(\w+ties|[2-9]0s)\b", _ANYCASE
)
_TENS = dict(
    zip("twenties thirties forties fifties sixties seventies eighties".split(), range(20, 90, 10), strict=True)
)
_RELATIONSHIPS = (
    ("Divorced", 5, _pattern(r"divorced|divorcee?|ex[- ]?(?:husband|wife)|#?\w*divorced\w*")),
    ("Widowed", 5, _pattern(r"widow(?:ed|er)?|late (?:husband|wife)")),
    (
        "Married",
        5,
        _pattern(
            r"#?married\w*|marriage|#(?:husband|wife|hubby)\w*|wedding anniversary|husband|wife|hubby|wifey|spouse|"
            r"newlyweds?"
        ),
    ),
    (
        "In Relation",
        4,
        _pattern(r"(?:my|her|his) (?:\w+ )?(?:boyfriend|girlfriend|fianc[ée]e?)|in a relationship|engaged to"),
    ),
    (
        "No relation",
        4,
        _pattern(
            r"(?:i['’]m|i am|being|still|as a|and) single|single (?:mom|mum|dad|mother|father|parent|and)|unmarried|"
            r"never married"
        ),
    ),
)
_EDUCATIONS = (
    ("PhD", 4, _pattern(r"(?:my|a|her|his|holds an?|earned an?) (?:ph\.?d\.?|doctorate|doctoral degree)")),
    (
        "College Degree",
        4,
        _pattern(
            r"(?:bachelor|master)(?:['’]?s)?(?: of \w+| degree)|b\.?sc\.?|m\.?sc\.?|mba|college degree|degree in|"
            r"university graduate|graduated from (?:\w+ )*(?:university|college)"
        ),
    ),
    (
        "In College",
        4,
        _pattern(r"(?:university|college|undergraduate) student|undergrad|my (?:university|college) course"),
    ),
    ("HS Diploma", 3, _pattern(r"high[- ]?school (?:diploma|graduate)|ged")),
    ("In Highschool", 3, _pattern(r"high[- ]?school(?:er| student| lessons| senior| junior)?")),
)
MALE_KIN = frozenset(
    "husband hubby dad daddy father son brother grandfather grandpa grandson uncle nephew boyfriend boy man gentleman "
    "guy widower papa fiancé groom stepfather stepson".split()
)
FEMALE_KIN = frozenset(
    "wife wifey mom mum mommy mummy mother daughter sister grandmother grandma granddaughter aunt niece girlfriend "
    "girl woman lady widow mama fiancée bride stepmother stepdaughter".split()
)
SPOUSES = frozenset("husband hubby wife wifey spouse".split())
CHILDREN = frozenset("son daughter child kid toddler baby kiddo boy girl".split())
_FEMALE_SELF = _pattern(
    r"#?(?:working|single|proud|super|busy)?[ -]?(?:mom|mum|mommy|mummy|mama|wife)(?:[ -]?life| mode)?(?=\W)|"
    r"(?:as|being) a (?:\w+ )?(?:mother|mom|mum|wife|woman|widow)|#mom\w*|#wife\w*|#girl\w*"
)
_MALE_SELF = _pattern(
    r"#?(?:working|single|proud|super|busy)?[ -]?(?:dad|daddy)(?:[ -]?life| mode)|husband life|super dad|"
    r"(?:as|being) a (?:\w+ )?(?:father|dad|husband|man|guy|widower)|#dad\w*|#husband\w*"
)


def find_cues(text: str) -> Iterator[Cue]:
    """Ages, relationships and levels of education that a text tells, of whomever."""
    for match in _AGE.finditer(text):
        age = match["age"] or match["stated"] or match["after"] or match["at"]
        yield Cue("AGE", age, 5, *match.span())
    for match in _BORN.finditer(text):
        age_now = YEAR - int(match["year"])
        yield Cue("AGE", f"{age_now - 1}-{age_now}", 4, *match.span())
    for match in _DECADE.finditer(text):
        told = match[2].casefold()
        ten = _TENS.get(told) or (int(told[:2]) if told[:2].isdigit() else None)
        if ten:
            yield Cue("AGE", f"{ten}-{ten + 9}", 4, *match.span())
    for tag, table in (("RELATIONSHIP", _RELATIONSHIPS), ("EDUCATION", _EDUCATIONS)):
        for value, certainty, pattern in table:
            if match_ := pattern.search(text):
                yield Cue(tag, value, certainty, *match_.span())


def sex_of_writer(text: str) -> Cue | None:
    """The sex of who writes, by what they call themselves."""
    for value, pattern in (("Female", _FEMALE_SELF), ("Male", _MALE_SELF)):
        if match := pattern.search(text):
            return Cue("SEX", value, 4, *match.span())
    return None


def sex_of_kin(word: str) -> str | None:
    """ "Male" for a husband, "Female" for a daughter, None for a cousin."""
    folded = word.casefold()
    return "Male" if folded in MALE_KIN else "Female" if folded in FEMALE_KIN else None


# -- The name that stands in a user name or the first part of a mail address.


_PARTS = re.compile(r"[^\W\d_]+")
_HUMPS = re.compile(r"(?<=[a-zß-ÿ])(?=[A-ZÀ-Þ])")
_NO_NAMES = frozenset(
    "sale sales deals deal seller shop store reviews review user info contact admin support help team mail office "
    "hello the my real official mr mrs ms agent chef doc nurse teacher coach tech dev gamer fan lover mom dad guy "
    "girl".split()
)
_LEAST = 3


def names_from_handle(handle: str) -> list[str]:
    """Names that a handle may stand for, the likeliest first; several words, an initial and a word, or one word."""
    parts = [piece for part in _PARTS.findall(handle) for piece in _HUMPS.split(part)]
    telling = [part for part in parts if part.casefold() not in _NO_NAMES] or parts
    if not telling:
        return []
    if len(telling) > 1:
        return [_written(telling[:3])]
    word = telling[0].casefold()
    if word in given_names() or word in family_names():
        return [_written([word])]
    return [_written(words) for words in _splits(word)] or [_written([word])]


def _splits(word: str) -> list[tuple[str, str]]:
    """Given and family name run together, in either order; or a family name with an initial before or behind it."""
    given, family = given_names(), family_names()
    found = []
    for cut in range(_LEAST, len(word) - _LEAST + 1):
        first, second = word[:cut], word[cut:]
        if first in given and second in family:
            found.append((first, second))
        elif first in family and second in given:
            found.append((second, first))
    # The most even cut: "annaquorvex" is no "ann aquorvex".
    found.sort(key=lambda names: abs(len(names[0]) - len(names[1])))
    if not found:
        found += [(word[0], word[1:])] if word[1:] in family and len(word) > _LEAST + 1 else []
        found += [(word[-1], word[:-1])] if word[:-1] in family and len(word) > _LEAST + 1 else []
    return found[:2]


def _written(words: tuple[str, ...] | list[str]) -> str:
    return " ".join(word.upper() + "." if len(word) == 1 else word.capitalize() for word in words)


# -- Who is in a text: those it names, who writes it, and kin who are only called husband or child.


_HANDLE = re.compile(r"(?<![\w@.])@\w[\w.]*\w")
_FIELD = re.compile(
    r"(?m)^[ \t]*(?:(?:seller|buyer|user|reviewer|author|full|contact)(?:'s)?[ _]?name|name|seller|username|user|"
    r"author|reviewer|posted by|commenter)[ \t]*:[ \t]*(?P<name>[^\n|,]{2,40})",
    re.IGNORECASE,
)
_LABELS = "seller|buyer|user|reviewer|author|name|username|location|date|time|item|contact|title|subject|rating|to|from"
_SPEAKER = re.compile(
    rf"\A\s*(?!(?i:{_LABELS})\b)"
    r"(?P<name>@?[^\W\d_][\w.'’-]*(?: [^\W\d_][\w.'’-]*){0,2})[ \t]*:[ \t]"
)
_CAPITALISED = r"[A-ZÀ-Þ][\w'’-]+(?: [A-ZÀ-Þ][\w.'’-]+){0,2}"
_SELF = re.compile(rf"(?:\b[Mm]y name is|\bI['’]m|\bI am|\b[Tt]his is|\b[Mm]yself),? (?P<name>{_CAPITALISED})")
_SIGNED = re.compile(
    r"(?:[Tt]hanks|[Cc]heers|[Rr]egards|[Bb]est|[Ss]incerely|[—–-])[\w ]{0,15}[,!.—–-]*\s+"
    rf"(?P<name>{_CAPITALISED})[.!\s]*\Z"
)
_KIN = re.compile(
    r"(?:(?P<count>\d|two|three|four|five) )?(?:little |young |beautiful |loving )?(?<![\w#@])"
    r"(?P<kin>husband|hubby|wife|wifey|spouse|sons?|daughters?|kids?|children|child|toddlers?|babies|baby|kiddos?|"
    r"little ones?|mom|mum|mother|dad|father|brothers?|sisters?|parents)"
    r"(?!\w)(?! (?:life|mode))(?:[,:]? (?P<name>[A-ZÀ-Þ][\w'’-]+))?"
)
_MINE = re.compile(
    r"(?:\b(?:my|our|his|her|their|with|and|of|a|an|the|two|three|four|five|\d|supportive|loving|amazing|awesome|"
    r"wonderful)|&)\s*$",
    re.IGNORECASE,
)
_COUPLE = re.compile(r"\b[A-ZÀ-Þ][\w'’-]+ (?:&|and) [A-ZÀ-Þ][\w'’-]+ [A-ZÀ-Þ][\w'’-]+")
_NUMBERS = {"two": 2, "three": 3, "four": 4, "five": 5}
_MOST_CHILDREN = 5


@dataclass
class PersonDraft:
    """A person while their profile grows."""

    who: str
    mentions: list[tuple[int, int]] = field(default_factory=list)
    attributes: list[Attribute] = field(default_factory=list)

    def add(self, tag: str, value: str, certainty: int, start: int | None = None, end: int | None = None) -> None:
        self.attributes.append(Attribute(tag, value.strip(), certainty, start, end))

    def has(self, tag: str) -> bool:
        return any(attribute.tag == tag for attribute in self.attributes)

    def value(self, tag: str) -> str | None:
        return next((attribute.value for attribute in self.attributes if attribute.tag == tag), None)

    def profile(self) -> Profile:
        """The surest values of each tag."""
        kept: dict[tuple[str, str], Attribute] = {}
        for attribute in sorted(self.attributes, key=lambda item: -item.certainty):
            fellows = sum(tag == attribute.tag for tag, _ in kept)
            if attribute.value and fellows < MAX_VALUES:
                kept.setdefault((attribute.tag, lookup_key(attribute.value)), attribute)
        return Profile(self.who, tuple(kept.values()))


def find_people(
    text: str, found: Sequence[Span], codes: Iterable[tuple[int, int]]
) -> tuple[list[PersonDraft], PersonDraft | None]:
    """Everyone that a text names, and the one of them who writes it. Kin without a name come last."""
    taken = list(codes)
    mentions = _mentions(text, found, taken)
    sketches: dict[str, PersonDraft] = {}
    for span in link(text, mentions):
        sketch = sketches.setdefault(span.entity or "", PersonDraft(text[span.start : span.end]))
        sketch.mentions.append((span.start, span.end))
    for sketch in sketches.values():
        _name(text, sketch)
    people = list(sketches.values())
    writer = _writer_of(text, people)
    _add_couples(text, people)
    return people + _kin(text, people, writer), writer


def _mentions(text: str, found: Sequence[Span], taken: list[tuple[int, int]]) -> list[Span]:
    ranges = [match.span("name") for pattern in (_FIELD, _SPEAKER) for match in pattern.finditer(text)]
    ranges += [match.span() for match in _HANDLE.finditer(text)]
    ranges += [(span.start, span.end) for span in found if span.label == "PERSON"]
    kept: list[tuple[int, int]] = []
    for start, end in ranges:
        while end > start and text[end - 1].isspace():
            end -= 1
        if start < end and not any(start < other and begin < end for begin, other in (*taken, *kept)):
            kept.append((start, end))
    return [Span(start, end, "PERSON") for start, end in sorted(kept)]


def _name(text: str, sketch: PersonDraft) -> None:
    longest = max(sketch.mentions, key=lambda span: span[1] - span[0])
    start, end = longest
    said = text[start:end]
    if _is_handle(said):
        for name in names_from_handle(said):
            sketch.add("NAME", name, 4, start, end)
    else:
        sketch.add("NAME", _with_family(text, end, said), 5, start, end)
    for name in [attribute.value for attribute in sketch.attributes]:
        parsed = parse_name(name)
        gender = parsed.gender or given_names().get(parsed.words[0])
        if gender in ("male", "female"):
            sketch.add("SEX", gender.capitalize(), 5 if parsed.gender else 4, start, end)
        elif gender == "both":
            # Names that some country gives to either: elsewhere the ending mostly tells.
            sketch.add("SEX", "Female" if parsed.words[0][-1] in "aeiy" else "Male", 2, start, end)
        if gender:
            break


def _is_handle(said: str) -> bool:
    return " " not in said and (
        "@" in said or "_" in said or any(map(str.isdigit, said)) or bool(re.search("[a-z][A-Z]", said))
    )


def _with_family(text: str, end: int, said: str) -> str:
    """ "Ann" of "Ann & Bo Quorvex" is Ann Quorvex."""
    shared = re.match(r" (?:&|and) [A-ZÀ-Þ][\w'’-]+ (?P<family>[A-ZÀ-Þ][\w'’-]+)", text[end : end + 60])
    return f"{said} {shared['family']}" if shared and " " not in said else said


def _add_couples(text: str, people: Sequence[PersonDraft]) -> None:
    """ "Ann & Bo Quorvex" are married."""
    for match in _COUPLE.finditer(text):
        for person in people:
            if any(match.start() <= start < match.end() for start, _ in person.mentions):
                person.add("RELATIONSHIP", "Married", 3, *match.span())


def _named_writer(text: str, people: Sequence[PersonDraft]) -> PersonDraft | None:
    for pattern in (_SPEAKER, _FIELD, _SELF, _SIGNED):
        for match in pattern.finditer(text):
            for sketch in people:
                if any(start < match.end("name") and match.start("name") < end for start, end in sketch.mentions):
                    return sketch
    return None


def _writer_of(text: str, people: list[PersonDraft]) -> PersonDraft | None:
    """The one who writes; someone nobody names where the text says I or my, or nobody else is there."""
    writer = _named_writer(text, people)
    if writer is None and text.strip() and (FIRST_PERSON.search(text) or not people):
        writer = PersonDraft("who writes")
        people.insert(0, writer)
    return writer


def _kin(text: str, people: list[PersonDraft], writer: PersonDraft | None) -> list[PersonDraft]:
    found: list[PersonDraft] = []
    for match in _KIN.finditer(text):
        word = match["kin"].casefold()
        if not (match["count"] or _MINE.search(text[: match.start()])) and not match["name"]:
            continue
        single = word.removesuffix("s").replace("children", "child").replace("babie", "baby")
        sex = sex_of_kin(single)
        count = 1 if single == word and word != "children" else _count(match["count"])
        for person in _named_beside(people, match, writer) or [PersonDraft(single) for _ in range(count)]:
            if person not in people and any(other.who == single and count == 1 for other in found):
                continue
            if sex and not person.has("SEX"):
                person.add("SEX", sex, 5, match.start("kin"), match.end("kin"))
            if single in SPOUSES or word == "parents":
                person.add(
                    "RELATIONSHIP", "Married", 5 if single in SPOUSES else 3, match.start("kin"), match.end("kin")
                )
            if single in CHILDREN or single == "little one":
                person.add("OCCUPATION", "Unemployed", 3, match.start("kin"), match.end("kin"))
            if person not in people:
                found.append(person)
        if single in SPOUSES and writer and sex and not writer.has("SEX"):
            writer.add("SEX", "Female" if sex == "Male" else "Male", 3, match.start("kin"), match.end("kin"))
    return found


def _named_beside(people: list[PersonDraft], match: re.Match[str], writer: PersonDraft | None) -> list[PersonDraft]:
    """People whose names follow a word for kin: "my parents, Ann & Bo Quorvex"."""
    reach = 40 if match["kin"].casefold().endswith("s") else 3
    edge = match.start("name") if match["name"] else match.end()
    return [
        person
        for person in people
        if person is not writer and any(-1 <= start - edge <= reach for start, _ in person.mentions)
    ]


def _count(said: str | None) -> int:
    if said is None:
        return 2
    return min(_MOST_CHILDREN, int(said) if said.isdigit() else _NUMBERS[said])
