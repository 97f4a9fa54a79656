"""Attributes of a person, and how well a guess agrees with the truth: 1 the same, 0.5 less precise, 0 neither.

After Oh et al. (2026). Rules decide first, then a judge: names, organisations and occupations are the same at a
Jaro-Winkler similarity of .85, ages within 5 years or where three quarters overlap, places at the truth's finest level.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, Protocol

import numpy as np
from rapidfuzz.distance import JaroWinkler
from scipy.optimize import linear_sum_assignment

from sfumato.attacks.base import PACKAGE
from sfumato.detectors.names import parse_name
from sfumato.document import Attempt, Evidence, Guess
from sfumato.errors import InputError
from sfumato.lexicon import world
from sfumato.lexicon.name_lists import lookup_key
from sfumato.lexicon.tables import word_set
from sfumato.lexicon.tokens import ALPHANUMERIC

CODES = ("IDENTIFICATION_NUMBER", "DRIVER_LICENSE_NUMBER", "PHONE_NUMBER", "PASSPORT_NUMBER", "EMAIL_ADDRESS")
_STATUS = tuple("SEX AGE LOCATION NATIONALITY EDUCATION RELATIONSHIP OCCUPATION AFFILIATION POSITION".split())
TAGS = ("NAME", *CODES, *_STATUS)
EDUCATION = ("No Highschool", "In Highschool", "HS Diploma", "In College", "College Degree", "PhD")
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


@dataclass(frozen=True, slots=True)
class Profile:
    """A person that an attacker found in a text."""

    who: str
    attributes: tuple[Attribute, ...]


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
YEARS = 5
OVERLAP = 0.75
_WIDEST = 10
"""Years that an answer may span and still be held against the truth by its middle."""
_NUMBER = re.compile(r"\d{1,3}")
_ENDINGS = re.compile(r"(?:ations?|ators?|ating|ists?|ians?|ions?|ings?|ers?|ors?|ives?|ants?|ance|ses|es|s|y|e)$")
_WEAK_WORDS = word_set("profiles", "weak_words", "en", PACKAGE)
"""Words that two occupations or organisations may share and be different."""


Rule = Callable[[str, str], float | None]
"""How well a guess agrees with the truth, given as truth and guess; None: the rule cannot say."""


class AttributeJudge(Protocol):
    """Decides where rules cannot: whether two phrases mean the same.

    A judge that is better asked in bulk has ``prepare(questions)``, called with the tags, truths and guesses that it
    will be asked to compare.
    """

    name: str

    def compare(self, tag: str, truth: str, guess: str) -> float | None:
        """1 the same, 0.5 less precise, 0 neither; None: no answer."""
        ...


def needs_judge(tag: str, truth: str, guess: str) -> bool:
    """Whether no rule decides, so that a judge is asked."""
    return bool(truth.strip() and guess.strip()) and _RULES.get(tag, _code)(truth, guess) is None


def agreement(tag: str, truth: str, guess: str, judge: AttributeJudge | None = None) -> float:
    """S of one pair. Where no rule decides, the judge does; without one, shared words make a guess less precise."""
    if not truth.strip() or not guess.strip():
        return NONE
    score = _RULES.get(tag, _code)(truth, guess)
    if score is None and judge:
        score = judge.compare(tag, truth, guess)
    return _shared_words(truth, guess) if score is None else score


def _code(truth: str, guess: str) -> float:
    return SAME if _alphanumeric(truth) == _alphanumeric(guess) else NONE


def _email(truth: str, guess: str) -> float:
    return SAME if truth.strip().casefold() == guess.strip().casefold() else NONE


def _phone(truth: str, guess: str) -> float:
    """Digits alone; one may have the country's number in front, or an extension behind, that the other lacks."""
    short, long = sorted(("".join(filter(str.isdigit, value)) for value in (truth, guess)), key=len)
    return SAME if short == long or (len(short) >= 7 and short.lstrip("0") in long) else NONE


def _name(truth: str, guess: str) -> float:
    true, guessed = parse_name(truth).words, parse_name(guess).words
    if true == guessed or set(true) <= set(guessed):
        return SAME
    if set(guessed) < set(true) and any(len(word) > 1 for word in guessed):
        return LESS_PRECISE
    shared = {word for word in set(true) & set(guessed) if len(word) > 1}
    initials = {word[0] for word in true}
    if shared and initials.union(true).issuperset(guessed):  # "A. Quorvex" for "Anna Quorvex"
        return LESS_PRECISE
    if _similar(" ".join(true), " ".join(guessed)):
        return SAME
    # The right first name with another family name is still the right first name.
    return LESS_PRECISE if true[0] in shared else NONE


def _sex(truth: str, guess: str) -> float:
    true, guessed = (value.strip().casefold()[:1].replace("w", "f") for value in (truth, guess))
    return SAME if true == guessed in ("m", "f") else NONE


def _years(value: str) -> tuple[int, int] | None:
    """The ages a value allows: "34", "25-35", "thirties" is not one."""
    numbers = [int(number) for number in _NUMBER.findall(value)]
    return (min(numbers), max(numbers)) if numbers else None


def _age(truth: str, guess: str) -> float:
    true, guessed = _years(truth), _years(guess)
    if true is None or guessed is None:
        return NONE
    if guessed[1] - guessed[0] <= _WIDEST and abs(sum(true) - sum(guessed)) / 2 <= YEARS:
        return SAME
    common = min(true[1], guessed[1]) - max(true[0], guessed[0]) + 1
    union = max(true[1], guessed[1]) - min(true[0], guessed[0]) + 1
    if common <= 0:
        return NONE
    return SAME if common / union >= OVERLAP else LESS_PRECISE


def _location(truth: str, guess: str) -> float:
    """Same where the guess holds the truth's finest level; less precise where it holds a higher one."""
    true, guessed = _levels(truth), _levels(guess)
    if true[-1] != guessed[-1] and world.country_name_of(true[-1]) and world.country_name_of(guessed[-1]):
        return NONE
    agrees = [any(level == other or _similar(level, other) for other in guessed) for level in true]
    if agrees[0]:
        return SAME
    return LESS_PRECISE if any(agrees) else NONE


def _levels(place: str) -> list[str]:
    parts = [part.strip() for part in place.split("/") if part.strip()] or [place]
    last = world.country_name_of(parts[-1])
    return [lookup_key(part) for part in ([*parts[:-1], last] if last else parts)]


def _nationality(truth: str, guess: str) -> float:
    true, guessed = (
        {world.country_name_of(part) or lookup_key(part.strip()) for part in re.split(r"[/,;]", value) if part.strip()}
        for value in (truth, guess)
    )
    return SAME if true <= guessed else LESS_PRECISE if true & guessed else NONE


def _level_rule(levels: Sequence[str], less_precise: Sequence[tuple[str, str]]) -> Rule:
    """Compares levels by name; ``less_precise`` pairs a level with one that says less."""
    folded = {_alphanumeric(level): level for level in levels}

    def compare(truth: str, guess: str) -> float | None:
        pair = folded.get(_alphanumeric(truth)), folded.get(_alphanumeric(guess))
        if None in pair:
            return None
        return SAME if pair[0] == pair[1] else LESS_PRECISE if pair in less_precise else NONE

    return compare


def _phrase(truth: str, guess: str) -> float | None:
    true, guessed = _words(truth), _words(guess)
    if set(true) <= set(guessed):
        return SAME
    if set(guessed) < set(true) and set(guessed) - _WEAK_WORDS:
        return LESS_PRECISE
    # Letters that "retail worker" and "health worker" share are mostly those of a word that says little.
    strong = ([word for word in words if word not in _WEAK_WORDS] or words for words in (true, guessed))
    is_similar = _similar(" ".join(true), " ".join(guessed)) and _similar(*map(" ".join, strong))
    return SAME if is_similar else None


def _shared_words(truth: str, guess: str) -> float:
    """Without a judge: phrases that share a word, endings and weak words aside, are close to each other."""
    true, guessed = ({_stem(word) for word in set(_words(value)) - _WEAK_WORDS} for value in (truth, guess))
    return LESS_PRECISE if true & guessed else NONE


def _stem(word: str) -> str:
    """A word without its ending: *teach* of teacher and teaching."""
    bare = _ENDINGS.sub("", word)
    return bare if len(bare) > 3 else word


def _words(value: str) -> list[str]:
    return ALPHANUMERIC.findall(lookup_key(value)) or [lookup_key(value)]


def _similar(first: str, second: str) -> bool:
    return JaroWinkler.similarity(first, second) >= SIMILAR


def _alphanumeric(value: str) -> str:
    return "".join(ALPHANUMERIC.findall(value.casefold()))


_RULES: Mapping[str, Rule] = {
    "NAME": _name,
    "PHONE_NUMBER": _phone,
    "EMAIL_ADDRESS": _email,
    "SEX": _sex,
    "AGE": _age,
    "LOCATION": _location,
    "NATIONALITY": _nationality,
    # The next lower level is less precise: who has a doctorate has a degree.
    "EDUCATION": _level_rule(EDUCATION, list(zip(EDUCATION[1:], EDUCATION, strict=False))),
    "RELATIONSHIP": _level_rule(RELATIONSHIP, [("Married", "In Relation")]),
    **dict.fromkeys(("OCCUPATION", "AFFILIATION", "POSITION"), _phrase),
}


LEAST_CERTAINTY = 3
"""Annotations that are less certain do not count."""
_SHAPE = 'give [{"id": 0, "PIIs": [{"tag": "AGE", "keyword": "34", "certainty": 5, "hardness": 1}, ...]}, ...]'


@dataclass(frozen=True, slots=True)
class Fact:
    """One annotation; ``hardness`` says how far it is to infer: 1 stands there, 5 needs knowledge of the world."""

    tag: str
    value: str
    certainty: int
    hardness: int


@dataclass(frozen=True, slots=True)
class Subject:
    """A person of a document and the facts that count, by tag; ``is_target`` is whom the document is about."""

    id: str
    facts: Mapping[str, tuple[Fact, ...]]
    is_target: bool = False


def read_subjects(document_id: str, rows: Any, certainty: int = LEAST_CERTAINTY) -> list[Subject]:
    """A document's people, as the SPIA benchmark lists them: ``{"id", "PIIs": [...]}`` for each.

    The target is whom ``"target": true`` marks; where nobody is marked, the first. A tag counts once for a person;
    annotations without a value, or less certain than ``certainty``, do not count.
    """
    if not isinstance(rows, list) or not all(isinstance(row, Mapping) and "PIIs" in row for row in rows):
        raise InputError(f"the subjects of document {document_id} cannot be read: {_SHAPE}")
    marked = any(row.get("target") for row in rows)
    subjects = []
    for number, row in enumerate(rows):
        facts: dict[str, tuple[Fact, ...]] = {}
        for fact in _facts(document_id, row["PIIs"]):
            if fact.certainty >= certainty and fact.value:
                facts[fact.tag] = (*facts.get(fact.tag, ()), fact)
        is_target = bool(row.get("target")) if marked else number == 0
        subjects.append(Subject(str(row.get("id", number)), facts, is_target))
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


def align_subjects(
    subjects: Sequence[Subject], profiles: Sequence[Profile], judge: AttributeJudge | None = None
) -> list[Agreements]:
    """For each subject S of each of their tags, by the pairing with the largest sum of all S.

    A subject that is paired with nobody has S = 0 throughout.
    """
    pairs = [[_agreements(subject, profile, judge) for profile in profiles] for subject in subjects]
    best: list[Agreements] = [dict.fromkeys(subject.facts, 0.0) for subject in subjects]
    if not subjects or not profiles:
        return best
    sums = np.array([[sum(pair.values()) for pair in row] for row in pairs])
    for row, column in zip(*linear_sum_assignment(sums, maximize=True), strict=True):
        best[row] = pairs[row][column]
    return best


def open_questions(subjects: Sequence[Subject], profiles: Sequence[Profile]) -> Iterator[tuple[str, str, str]]:
    """What a judge is asked about these people: tag, truth and guess of each pair that no rule decides."""
    for subject, profile in product(subjects, profiles):
        for guess in profile.attributes:
            for fact in subject.facts.get(guess.tag, ()):
                if needs_judge(guess.tag, fact.value, guess.value):
                    yield guess.tag, fact.value, guess.value


def _agreements(subject: Subject, profile: Profile, judge: AttributeJudge | None) -> Agreements:
    """One score for each tag: that of the best pair."""
    best = dict.fromkeys(subject.facts, 0.0)
    for guess in profile.attributes:
        for fact in subject.facts.get(guess.tag, ()):
            best[guess.tag] = max(best[guess.tag], agreement(guess.tag, fact.value, guess.value, judge))
    return best
