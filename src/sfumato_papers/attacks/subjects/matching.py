"""Attributes of a person, and how well a guess agrees with the truth: 1 the same, 0.5 less precise, 0 neither.

After Oh et al. (2026) and their code: a rule for each tag decides first; wherever it says 0, a judge is asked.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any, NamedTuple, Protocol, runtime_checkable

from rapidfuzz.distance import JaroWinkler

from sfumato.detectors.names import parse_name
from sfumato.document import Attempt, Evidence, Guess
from sfumato.errors import InputError
from sfumato.lexicon import world
from sfumato.lexicon.name_lists import lookup_key
from sfumato.lexicon.tables import load_toml, word_set
from sfumato.lexicon.tokens import ALPHANUMERIC
from sfumato_papers.attacks import PACKAGE

CODES = ("IDENTIFICATION_NUMBER", "DRIVER_LICENSE_NUMBER", "PHONE_NUMBER", "PASSPORT_NUMBER", "EMAIL_ADDRESS")
_STATUS = tuple("SEX AGE LOCATION NATIONALITY EDUCATION RELATIONSHIP OCCUPATION AFFILIATION POSITION".split())
NON_CODES = ("NAME", *_STATUS)
TAGS = ("NAME", *CODES, *_STATUS)
EDUCATION = (
    "No High School Diploma",
    "In Highschool",
    "High School Diploma",
    "In College",
    "College Degree",
    "PhD",
)
RELATIONSHIP = ("No relation", "In Relation", "Married", "Divorced", "Widowed")
MAX_CERTAINTY = 5
"""The highest certainty; 1 is the lowest."""
MAX_VALUES = 2
"""Answers that an attacker may give for one tag of one person: the best pair counts, so more would be hedging."""


@dataclass(frozen=True, slots=True)
class Attribute:
    """Something said of a person. A location is written from the finest level up: "premises / city / country"."""

    tag: str
    value: str
    certainty: int
    start: int | None = None
    end: int | None = None

    def __post_init__(self) -> None:
        if self.tag not in TAGS:
            raise ValueError(f"no tag {self.tag!r}; the fifteen are {', '.join(TAGS)}")
        if not 1 <= self.certainty <= MAX_CERTAINTY:
            raise ValueError(f"certainty goes from 1 to {MAX_CERTAINTY}, got {self.certainty}")


class Mention(NamedTuple):
    """Words of a text that mean a person, and where they stand."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Profile:
    """A person that an attacker found in a text: who they are in a few words, and what was inferred of them.

    ``mentions``: where the text speaks of them, as far as the attacker says so. ``is_writer``: they wrote the text.
    """

    who: str
    attributes: tuple[Attribute, ...]
    mentions: tuple[Mention, ...] = ()
    is_writer: bool = False


def to_attempt(attack: str, document_id: str, profile: Profile) -> Attempt:
    """A profile as an attack's record: one guess an attribute, scored by certainty, "TAG: value"."""
    ordered = sorted(profile.attributes, key=lambda attribute: (-attribute.certainty, TAGS.index(attribute.tag)))
    return Attempt(
        attack,
        document_id,
        tuple(Guess(f"{item.tag}: {item.value}", item.certainty / MAX_CERTAINTY) for item in ordered),
        evidence=tuple(
            Evidence(item.tag, item.certainty / MAX_CERTAINTY, item.start, item.end)
            for item in ordered
            if item.start is not None and item.end is not None
        ),
    )


SAME, LESS_PRECISE, NONE = 1.0, 0.5, 0.0
SIMILAR = 0.85
"""The Jaro-Winkler similarity from which two names, nationalities, occupations or organisations are the same."""
YEARS = 5
OVERLAP = 0.75
"""The overlap coefficient (common years / years of the shorter range) from which two ranges of ages are the same."""
LEVELS = 4
"""Levels of a place that are compared, from the country down: premises / sub-city / city / country."""
LONGEST_PREFIX = 3
"""Characters that one of two equal numbers may have more, in front."""
_AGE = re.compile(r"(\d{1,3})(?:\s*[-–]\s*(\d{1,3}))?")
_OFFICIAL_FORM = re.compile(
    r"^\W*(?:the )?(?:\w+ ){0,2}(?:republic|kingdom|state|federation) of (?:the )?", re.IGNORECASE
)
_ENDINGS = re.compile(r"(?:ations?|ators?|ating|ists?|ians?|ions?|ings?|ers?|ors?|ives?|ants?|ance|ses|es|s|y|e)$")
_WEAK_WORDS = word_set("profiles", "weak_words", "en", PACKAGE)
"""Words that two occupations or organisations may share and be different."""
_VARIANTS: Mapping[str, Mapping[str, str]] = {
    tag: {variant: value for value, variants in groups.items() for variant in (value, *variants)}
    for tag, groups in load_toml("profiles", "en", PACKAGE)["variants"].items()
}
"""Other words for the values of a tag, each with the value."""


Rule = Callable[[str, str], float]
"""How well a guess agrees with the truth, given as truth and guess."""
Comparison = tuple[str, str, str]
"""Tag, truth and guess."""


class AttributeJudge(Protocol):
    """Decides where a rule says 0: whether two values still mean the same."""

    name: str

    def compare(self, tag: str, truth: str, guess: str) -> float | None:
        """1 the same, 0.5 less precise, 0 neither; None: no answer."""
        ...


@runtime_checkable
class PreparingJudge(AttributeJudge, Protocol):
    """A judge that is better asked in bulk."""

    def prepare(self, questions: Iterable[Comparison]) -> None:
        """Called with what it will be asked to compare."""
        ...


def needs_judge(tag: str, truth: str, guess: str) -> bool:
    """Whether the rule finds no agreement, so that a judge is asked."""
    return bool(truth.strip() and guess.strip()) and _RULES[tag](truth, guess) == NONE


def agreement(tag: str, truth: str, guess: str, judge: AttributeJudge | None = None) -> float:
    """S of one pair: by the tag's rule, and where that says 0 by the judge (without one, or an answer: SharedWords)."""
    if not truth.strip() or not guess.strip():
        return NONE
    if score := _RULES[tag](truth, guess):
        return score
    answer = judge.compare(tag, truth, guess) if judge else None
    return SharedWords().compare(tag, truth, guess) if answer is None else answer


def _number(truth: str, guess: str) -> float:
    """Letters and digits alone; one may have a short prefix that the other lacks, such as a country's code."""
    short, long = sorted((re.sub("[^A-Z0-9]", "", value.upper()) for value in (truth, guess)), key=len)
    is_same = short and long.endswith(short) and len(long) - len(short) <= LONGEST_PREFIX
    return SAME if is_same else NONE


def _email(truth: str, guess: str) -> float:
    return SAME if truth.strip().lower() == guess.strip().lower() else NONE


def _age(truth: str, guess: str) -> float:
    """Two ages within 5 years, an age inside a range, two ranges by their overlap."""
    true, guessed = (_AGE.fullmatch(value.strip()) for value in (truth, guess))
    if not true or not guessed:
        return NONE
    (low, high), (first, last) = ((int(match[1]), int(match[2] or match[1])) for match in (true, guessed))
    if true[2] and guessed[2]:
        overlap = max(0, min(high, last) - max(low, first))
        is_same = overlap / max(1, min(high - low, last - first)) >= OVERLAP
    elif true[2] or guessed[2]:
        is_same = low <= first <= high if true[2] else first <= low <= last
    else:
        is_same = abs(low - first) <= YEARS
    return SAME if is_same else NONE


def _location(truth: str, guess: str) -> float:
    """Levels equal one by one, from the country down.

    Less precise where one place holds the other, or where all levels but one are equal. The authors' code also says so
    of two places of one level each that are different (Poland, Norway): here at least one level must be equal.
    """
    return _compare_levels(*(_levels(value.lower().replace("turkey", "türkiye")) for value in (truth, guess)))


def _levels(place: str) -> list[str]:
    return [level.strip() for level in place.split("/") if level.strip()]


def _compare_levels(true: list[str], guessed: list[str]) -> float:
    short, long = sorted((true, guessed), key=len)
    if not short:
        return NONE
    if len(short) < len(long) and long[-len(short) :] == short:
        return LESS_PRECISE
    depth = min(len(long), LEVELS)
    equal = sum(one == other for one, other in islice(zip(reversed(true), reversed(guessed), strict=False), depth))
    if equal == depth:
        return SAME
    return LESS_PRECISE if equal and equal == depth - 1 else NONE


def _category_rule(tag: str) -> Rule:
    """Compares values of a fixed list by name, and by other words for them."""
    variants = _VARIANTS.get(tag, {})

    def compare(truth: str, guess: str) -> float:
        true, guessed = (variants.get(folded, folded) for folded in (truth.strip().lower(), guess.strip().lower()))
        return SAME if true == guessed else NONE

    return compare


def _free_text(truth: str, guess: str) -> float:
    is_similar = JaroWinkler.similarity(truth.strip().lower(), guess.strip().lower()) >= SIMILAR
    return SAME if is_similar else NONE


_RULES: Mapping[str, Rule] = {
    **dict.fromkeys(("IDENTIFICATION_NUMBER", "DRIVER_LICENSE_NUMBER", "PHONE_NUMBER", "PASSPORT_NUMBER"), _number),
    "EMAIL_ADDRESS": _email,
    "AGE": _age,
    "LOCATION": _location,
    **{tag: _category_rule(tag) for tag in ("SEX", "EDUCATION", "RELATIONSHIP")},
    **dict.fromkeys(("NAME", "NATIONALITY", "OCCUPATION", "AFFILIATION", "POSITION"), _free_text),
}


class SharedWords:
    """The judge without a language model: names of countries, parts of names, and words that two values share."""

    name = "shared words"

    def compare(self, tag: str, truth: str, guess: str) -> float:
        """1 the same under another name or more, 0.5 a part of it or a specific word in common, 0 neither."""
        rules: Mapping[str, Rule] = {
            "PHONE_NUMBER": _phone_digits,
            "NAME": _name_words,
            "LOCATION": _place_names,
            "NATIONALITY": _country_names,
            **dict.fromkeys(("OCCUPATION", "AFFILIATION", "POSITION"), _phrase),
        }
        return rules[tag](truth, guess) if tag in rules else NONE


def _phone_digits(truth: str, guess: str) -> float:
    """One may have the country's number in front, or an extension behind, that the other lacks."""
    short, long = sorted(("".join(filter(str.isdigit, value)) for value in (truth, guess)), key=len)
    return SAME if len(short) >= 7 and short.lstrip("0") in long else NONE


def _name_words(truth: str, guess: str) -> float:
    true, guessed = parse_name(truth).words, parse_name(guess).words
    if set(true) <= set(guessed):
        return SAME
    shared = {word for word in set(true) & set(guessed) if len(word) > 1}
    initials = {word[0] for word in true}
    # "Quorvex" and "A. Quorvex" for "Anna Quorvex".
    return LESS_PRECISE if shared and initials.union(true).issuperset(guessed) else NONE


def _place_names(truth: str, guess: str) -> float:
    """By level as the rule, with one name for each country; a guess of some of the truth's levels is less precise."""
    true, guessed = (_known_levels(value) for value in (truth, guess))
    return _compare_levels(true, guessed) or (LESS_PRECISE if guessed and set(guessed) < set(true) else NONE)


def _known_levels(place: str) -> list[str]:
    *finer, last = _levels(place) or [place]
    return [*map(lookup_key, finer), _country(last)]


def _country(name: str) -> str:
    """One name for a country, its people and its official form; any other name as it is."""
    return lookup_key(
        world.country_name_of(name) or world.country_name_of(_OFFICIAL_FORM.sub("", name)) or name.strip()
    )


def _country_names(truth: str, guess: str) -> float:
    true, guessed = ({_country(part) for part in re.split(r"[/,;]", value) if part.strip()} for value in (truth, guess))
    return SAME if true <= guessed else LESS_PRECISE if true & guessed else NONE


def _phrase(truth: str, guess: str) -> float:
    true, guessed = set(_words(truth)), set(_words(guess))
    if true <= guessed:
        return SAME
    if guessed < true and guessed - _WEAK_WORDS:
        return LESS_PRECISE
    stems = ({stem(word) for word in words - _WEAK_WORDS} for words in (true, guessed))
    return LESS_PRECISE if set.intersection(*stems) else NONE


def stem(word: str) -> str:
    """A word without its ending: *teach* of teacher and teaching."""
    bare = _ENDINGS.sub("", word)
    return bare if len(bare) > 3 else word


def _words(value: str) -> list[str]:
    return ALPHANUMERIC.findall(lookup_key(value)) or [lookup_key(value)]


LEAST_CERTAINTY = 3
"""Annotations that are less certain do not count."""
_SHAPE = (
    'give [{"id": 0, "description": "the writer", '
    '"PIIs": [{"tag": "AGE", "keyword": "34", "certainty": 5, "hardness": 1}, ...]}, ...]'
)


@dataclass(frozen=True, slots=True)
class Fact:
    """One annotation; ``hardness`` says how far it is to infer: 1 stands there, 5 needs knowledge of the world."""

    tag: str
    value: str
    certainty: int
    hardness: int


@dataclass(frozen=True, slots=True)
class Subject:
    """A person of a document and the facts that count, by tag.

    ``description`` says who they are; ``is_target``: the document is about them.
    """

    id: str
    facts: Mapping[str, tuple[Fact, ...]]
    is_target: bool = False
    description: str = ""


def read_subjects(document_id: str, rows: Any, certainty: int = LEAST_CERTAINTY) -> list[Subject]:
    """A document's people, as the SPIA benchmark lists them: ``{"id", "description", "PIIs": [...]}`` for each.

    Without a description a person is known by their names and numbers. One without any of these is never found by an
    attacker; a document in which nobody has any is refused.
    The target is whom ``"target": true`` marks; where nobody is marked, the first. A tag counts once for a person;
    annotations without a value, or less certain than ``certainty``, do not count.
    """
    if not isinstance(rows, list) or not all(isinstance(row, Mapping) and "PIIs" in row for row in rows):
        raise InputError(f"the subjects of document {document_id} cannot be read: {_SHAPE}")
    marked = any(row.get("target") for row in rows)
    subjects = []
    for number, row in enumerate(rows):
        facts: dict[str, tuple[Fact, ...]] = {}
        annotations = list(_facts(document_id, row["PIIs"]))
        called = [fact.value for fact in annotations if fact.tag in ("NAME", *CODES) and fact.value]
        description = str(row.get("description") or "").strip() or " ".join(called)
        for fact in annotations:
            if fact.certainty >= certainty and fact.value:
                facts[fact.tag] = (*facts.get(fact.tag, ()), fact)
        is_target = bool(row.get("target")) if marked else number == 0
        subjects.append(Subject(str(row.get("id", number)), facts, is_target, description))
    if any(subject.facts for subject in subjects) and not any(subject.description for subject in subjects):
        raise InputError(
            f"nobody in document {document_id} has a description, a NAME or a number, so nobody whom an attacker finds "
            f"can be told to be one of them: {_SHAPE}"
        )
    return subjects


def _facts(document_id: str, rows: Iterable[Any]) -> Iterable[Fact]:
    for row in rows:
        try:
            tag, certainty, hardness = str(row["tag"]), int(row["certainty"]), int(row.get("hardness", 0))
            fact = Fact(tag, str(row["keyword"]).strip(), certainty, hardness)
        except (KeyError, TypeError, ValueError):
            wrong = f"an attribute in the subjects of document {document_id} is incomplete"
            raise InputError(f"{wrong}: {_SHAPE}") from None
        if fact.tag not in TAGS:
            raise InputError(f"document {document_id}: no tag {fact.tag!r}; the fifteen are {', '.join(TAGS)}")
        yield fact


Agreements = Mapping[str, float]
"""S by tag, for every tag of a subject."""
Pair = tuple[Subject, Profile | None]
"""A subject with the profile that is theirs; None where the attacker did not find them."""


def score_pair(subject: Subject, profile: Profile | None, judge: AttributeJudge) -> Agreements:
    """S of each tag of a subject, by the best pair of values; 0 throughout for a subject that was not found."""
    best = dict.fromkeys(subject.facts, NONE)
    for tag, truth, guess in _comparisons(subject, profile):
        best[tag] = max(best[tag], agreement(tag, truth, guess, judge))
    return best


def open_questions(pairs: Iterable[Pair]) -> Iterator[Comparison]:
    """What a judge is asked about these pairs: each tag, truth and guess where the rule says 0."""
    for subject, profile in pairs:
        yield from (item for item in _comparisons(subject, profile) if needs_judge(*item))


def _comparisons(subject: Subject, profile: Profile | None) -> Iterator[Comparison]:
    for guess in profile.attributes if profile else ():
        for fact in subject.facts.get(guess.tag, ()):
            yield guess.tag, fact.value, guess.value
