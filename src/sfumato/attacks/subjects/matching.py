"""Attributes of a person, and how well a guess agrees with the truth: 1 the same, 0.5 less precise, 0 neither.

After Oh et al. (2026). Rules decide first, then a judge: names, organisations and occupations are the same at a
Jaro-Winkler similarity of .85, ages within 5 years or where three quarters overlap, places at the finest level that the
truth has.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from rapidfuzz.distance import JaroWinkler

from sfumato.attacks.base import PACKAGE
from sfumato.detectors.entities import parse_name
from sfumato.document import Attempt, Evidence, Guess
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
    short, long = sorted((_digits(truth), _digits(guess)), key=len)
    return SAME if short == long or (len(short) >= 7 and short.lstrip("0") in long) else NONE


def _name(truth: str, guess: str) -> float:
    true, guessed = parse_name(truth).words, parse_name(guess).words
    if true == guessed or set(true) <= set(guessed):
        return SAME
    if set(guessed) < set(true) and any(len(word) > 1 for word in guessed):
        return LESS_PRECISE
    shared = {word for word in set(true) & set(guessed) if len(word) > 1}
    if shared and all(_abbreviates(word, true) for word in guessed):  # "A. Quorvex" for "Anna Quorvex"
        return LESS_PRECISE
    if _similar(" ".join(true), " ".join(guessed)):
        return SAME
    # The right first name with another family name is still the right first name.
    return LESS_PRECISE if true[0] in shared else NONE


def _abbreviates(word: str, full: tuple[str, ...]) -> bool:
    return any(word == other or (len(word) == 1 and other.startswith(word)) for other in full)


def _sex(truth: str, guess: str) -> float:
    return SAME if _initial(truth) == _initial(guess) in ("m", "f") else NONE


def _initial(value: str) -> str:
    first = value.strip().casefold()[:1]
    return {"w": "f"}.get(first, first)


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
    if true[-1] != guessed[-1] and _is_country(true[-1]) and _is_country(guessed[-1]):
        return NONE
    agrees = [any(level == other or _similar(level, other) for other in guessed) for level in true]
    if agrees[0]:
        return SAME
    return LESS_PRECISE if any(agrees) else NONE


def _levels(place: str) -> list[str]:
    parts = [part.strip() for part in place.split("/") if part.strip()] or [place]
    last = world.country_name_of(parts[-1])
    return [lookup_key(part) for part in ([*parts[:-1], last] if last else parts)]


def _is_country(level: str) -> bool:
    return world.country_name_of(level) is not None


def _nationality(truth: str, guess: str) -> float:
    true, guessed = (
        {world.country_name_of(part) or lookup_key(part.strip()) for part in re.split(r"[/,;]", value) if part.strip()}
        for value in (truth, guess)
    )
    return SAME if true <= guessed else LESS_PRECISE if true & guessed else NONE


def _education(truth: str, guess: str) -> float | None:
    """The next lower level is less precise: who has a doctorate has a degree."""
    return _compare_levels(truth, guess, EDUCATION, zip(EDUCATION[1:], EDUCATION, strict=False))


def _relationship(truth: str, guess: str) -> float | None:
    """In a relation is less precise than married."""
    return _compare_levels(truth, guess, RELATIONSHIP, [("Married", "In Relation")])


def _compare_levels(
    truth: str, guess: str, levels: Sequence[str], less_precise: Iterable[tuple[str, str]]
) -> float | None:
    true, guessed, *folded = map(_alphanumeric, (truth, guess, *levels))
    if true not in folded or guessed not in folded:
        return None
    pairs = [(_alphanumeric(level), _alphanumeric(lower)) for level, lower in less_precise]
    return SAME if true == guessed else LESS_PRECISE if (true, guessed) in pairs else NONE


def _phrase(truth: str, guess: str) -> float | None:
    true, guessed = _words(truth), _words(guess)
    if true <= guessed:
        return SAME
    if guessed < true and guessed - _WEAK_WORDS:
        return LESS_PRECISE
    # Letters that "retail worker" and "health worker" share are mostly those of a word that says little.
    whole = _similar(
        " ".join(ALPHANUMERIC.findall(lookup_key(truth))), " ".join(ALPHANUMERIC.findall(lookup_key(guess)))
    )
    return SAME if whole and _similar(_without_weak_words(truth), _without_weak_words(guess)) else None


def _shared_words(truth: str, guess: str) -> float:
    """Without a judge: phrases that share a word, endings and weak words aside, are close to each other."""
    true, guessed = ({_stem(word) for word in _words(value) - _WEAK_WORDS} for value in (truth, guess))
    return LESS_PRECISE if true & guessed else NONE


def _stem(word: str) -> str:
    """A word without its ending: *teach* of teacher and teaching."""
    bare = _ENDINGS.sub("", word)
    return bare if len(bare) > 3 else word


def _without_weak_words(value: str) -> str:
    words = ALPHANUMERIC.findall(lookup_key(value))
    return " ".join([word for word in words if word not in _WEAK_WORDS] or words)


def _words(value: str) -> set[str]:
    return set(ALPHANUMERIC.findall(lookup_key(value))) or {lookup_key(value)}


def _similar(first: str, second: str) -> bool:
    return JaroWinkler.similarity(first, second) >= SIMILAR


def _alphanumeric(value: str) -> str:
    return "".join(ALPHANUMERIC.findall(value.casefold()))


def _digits(value: str) -> str:
    return "".join(filter(str.isdigit, value))


_RULES: Mapping[str, Callable[[str, str], float | None]] = {
    "NAME": _name,
    "PHONE_NUMBER": _phone,
    "EMAIL_ADDRESS": _email,
    "SEX": _sex,
    "AGE": _age,
    "LOCATION": _location,
    "NATIONALITY": _nationality,
    "EDUCATION": _education,
    "RELATIONSHIP": _relationship,
    **dict.fromkeys(("OCCUPATION", "AFFILIATION", "POSITION"), _phrase),
}
