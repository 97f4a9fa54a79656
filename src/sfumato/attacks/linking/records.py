"""The record-linkage attack: what texts tell besides shared words, weighed as Fellegi and Sunter (1969) weigh fields.

A release may share no rare word with what is known of a person, and still give its year away by a date, the country by
a nationality, and the document it was taken from by its typography or by paragraph numbers that go on where it ends.
Each of these is compared on its own. How often true pairs agree is learned from the releases themselves, by expectation
maximization; no truth is needed.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.attacks.base import Person
from sfumato.attacks.linking.cleaning import Ints
from sfumato.attacks.linking.joint import LARGE, TEMPERATURE, JointLinking, TextScores, assign
from sfumato.attacks.linking.ranking import RangeWeights, merge_range_weights
from sfumato.attacks.linking.sparse import TfIdfAttack
from sfumato.document import Guess
from sfumato.lexicon import world
from sfumato.models.base import Floats

CANDIDATES = 500
"""Among many people, those who stay in the comparison: the likeliest by the agreement that is expected at first."""
STEPS = 15
MIN_RELEASES = 30
"""With fewer releases nothing is learned from them."""
PRIOR_RELEASES = 25
"""How many releases the agreement that is expected at first counts for."""
MOST_EVIDENCE = 4.0
"""No single field weighs more, in nats either way: fields depend on each other."""
_WIDEST = 12
"""Years that a time may span to be compared."""
_TIE_BREAK = 1e-3
"""Nats for a deviation of shared words: decides between people who agree with a release alike."""
_SMOOTHING = 0.15
"""Share of the whole set in how often strangers agree with a release."""

# A year, a decade or a century, as texts and our generalizations of them write it, and the year of a reference number.
_TIME = re.compile(
    r"(?P<part>early|mid|late)?[ -]?(?:the )?(?:(?P<decade>(?:19|20)\d0)s|(?P<century>20th|21st)[ -]century)"
    r"|(?<![\d/.,-])(?P<year>(?:19|20)\d\d)(?![\d/])"
)
_REFERENCE = re.compile(r"(?<![\d/.])\d{1,6}/(?P<year>(?:19|20)?\d\d)(?![\d/])")
_PARTS = {"early": (0, 3), "mid": (3, 6), "late": (6, 9), None: (0, 9)}
_CENTURIES = {"20th": 1900, "21st": 2000}
_THIS_CENTURY = 40
"""Two digits below this are a year of this century."""
_PARAGRAPH_NUMBER = re.compile(r"(?m)^\s{0,4}(\d{1,3})\.\s+\S")
_FEWEST_BEFORE = 3
"""A text whose first paragraph has a lower number goes on from no other."""
_HEADING = 110
"""Characters of a paragraph below which it is a heading, unless it ends as a sentence does."""
_SENTENCE_ENDS = (".", ":", ";", "!", "?", "”", '"', "’", "»")
_CAPITALISED = re.compile(r"[^\W\d_a-z][\w-]{2,}(?: [^\W\d_a-z][\w-]{2,})?")


class Time(NamedTuple):
    """A time of a text in whole years, and where the text says it."""

    low: int
    high: int
    start: int
    end: int


class Facts(NamedTuple):
    """What a text tells besides its words."""

    times: tuple[Time, ...]
    references: tuple[int, ...]
    """Years of reference numbers."""
    country: str | None
    """The one it names most."""
    apostrophe: str
    paragraphs: int
    first_number: int | None
    """Of its first numbered paragraph."""


def read_facts(text: str) -> Facts:
    """The facts of a released text, or of what is known of a person."""
    times = tuple(_time(match) for match in _TIME.finditer(text))
    references = tuple(_full_year(match["year"]) for match in _REFERENCE.finditer(text))
    named = Counter(filter(None, map(_country, _CAPITALISED.findall(text))))
    country = max(named, key=lambda code: named[code]) if named else None
    apostrophe = max("’'", key=text.count) if "’" in text or "'" in text else ""
    number = _PARAGRAPH_NUMBER.search(text)
    return Facts(times, references, country, apostrophe, _count_paragraphs(text), int(number[1]) if number else None)


def _time(match: re.Match[str]) -> Time:
    if match["year"]:
        low = high = int(match["year"])
    else:
        first = int(match["decade"]) if match["decade"] else _CENTURIES[match["century"]]
        scale = 1 if match["decade"] else 10
        low, high = (first + scale * years for years in _PARTS[match["part"]])
        high += scale - 1
    return Time(low, high, *match.span())


def _full_year(digits: str) -> int:
    year = int(digits)
    return year if year > 99 else year + (2000 if year < _THIS_CENTURY else 1900)


@lru_cache(maxsize=2**16)
def _country(phrase: str) -> str | None:
    """The code of a country that a phrase, or its first word, names or has people of."""
    for words in (phrase, phrase.partition(" ")[0]):
        name = words.title() if words.isupper() else words
        if country := world.find_country(name) or world.country_of_adjective(name):
            return country.code
    return None


def _count_paragraphs(text: str) -> int:
    """Paragraphs, headings not counted."""
    parts = filter(None, map(str.strip, text.split("\n\n")))
    return sum(len(part) >= _HEADING or part.endswith(_SENTENCE_ENDS) for part in parts)


class Field(NamedTuple):
    """One comparison: its name, and how often each level of agreement is expected of true pairs before learning."""

    name: str
    expected: tuple[float, ...]


FIELDS = (
    Field("year of reference numbers", (0.80, 0.12, 0.04, 0.04)),
    Field("years to the last", (0.04, 0.16, 0.22, 0.2, 0.14, 0.16, 0.08)),
    Field("country", (0.92, 0.08)),
    Field("apostrophes", (0.9, 0.1)),
    Field("paragraph numbers", (0.06, 0.08, 0.05, 0.08, 0.34, 0.08, 0.05, 0.12, 0.14)),
    Field("words", (0.04, 0.06, 0.1, 0.14, 0.18, 0.18, 0.14, 0.1, 0.06)),
)
REFERENCE, LAST_YEAR, COUNTRY, APOSTROPHES, PARAGRAPHS, WORDS = range(len(FIELDS))
# From where on the next level of a field begins: years away, years later, paragraphs to the number, deviations.
_DISTANCES = np.array([1, 2, 3])
_LAGS = np.array([0, 1, 2, 3, 4, 7])
_STEPS_TO_NUMBER = np.array([-9, -3, -1, 0, 1, 2, 3, 10])
_DEVIATIONS = np.array([-1, -0.5, 0, 0.5, 1, 1.5, 2, 3])
UNKNOWN = -1


class _Known(NamedTuple):
    """The facts of all people, in the order of their ids."""

    references: Ints
    """[person, number]: years, repeated to the same length; 0 where there is none."""
    latest: Ints
    country: NDArray[np.str_]
    apostrophe: NDArray[np.str_]
    first_number: Ints


class RecordLinkageAttack(JointLinking):
    """Link all texts at once by years, countries, typography and paragraph numbers, beside words.

    A score is the sum over fields of ln(how often true pairs agree like that / how often strangers do).
    """

    name: ClassVar[str] = "record-linkage"
    goal: ClassVar[str] = (
        "Find whom each text is about by what it tells besides shared words: years, country, typography, and paragraph "
        "numbers that go on."
    )
    cite: ClassVar[str | None] = "fellegi1969"
    named_only: ClassVar[bool] = True
    """It compares every release with every person field by field."""

    def __init__(self, *, stems: str = "english", per_person: int | None = None) -> None:
        """``stems``: a Snowball language, or "none". ``per_person``: as for ``joint``."""
        super().__init__(per_person)
        self._words = TfIdfAttack(longest=2, stems=stems, rarity=2)
        self._agreement: list[Floats] = []

    @property
    def settings(self) -> dict[str, object]:
        """How often true pairs agree at each level, as learned from the last releases."""
        learned = zip(FIELDS, self._agreement, strict=False)
        return {
            **super().settings,
            "agreement": {field.name: np.round(levels, 2).tolist() for field, levels in learned},
        }

    def learn(self, people: Sequence[Person]) -> None:
        self._words.fit(people)
        facts = [read_facts("\n\n".join(person.texts)) for person in people]
        longest = max((len(fact.references) for fact in facts), default=0) or 1
        references = np.zeros((len(facts), min(longest, 20)), np.int64)
        for row, fact in enumerate(facts):
            if fact.references:
                references[row] = np.resize(fact.references[: references.shape[1]], references.shape[1])
        latest = [max((*(time.low for time in fact.times), *fact.references), default=0) for fact in facts]
        self._known = _Known(
            references,
            np.array(latest, np.int64),
            np.array([fact.country or "" for fact in facts]),
            np.array([fact.apostrophe for fact in facts]),
            np.array([fact.first_number or 0 for fact in facts], np.int64),
        )

    def read(self, text: str) -> TextScores:
        """By the agreement that is expected at first."""
        levels, words = self._compare(text)
        expected = [np.array(field.expected) for field in FIELDS]
        scores = _weigh(levels[:, None], expected, _strangers(levels[:, None]))[0] + _TIE_BREAK * words
        return TextScores(scores.astype(np.float32), np.full(len(scores), bool(np.ptp(scores) > 0)))

    def range_weights(self, text: str, row: int) -> RangeWeights:
        """The times of the text, which count alike."""
        times = read_facts(text).times
        starts = np.array([time.start for time in times], np.int64)
        ends = np.array([time.end for time in times], np.int64)
        return merge_range_weights([RangeWeights(starts, ends, np.full(len(times), 1 / max(1, len(times))))])

    def _compare(self, text: str) -> tuple[NDArray[np.int8], Floats]:
        """[field, person]: how a text and each person agree, UNKNOWN where one of them does not tell; shared words."""
        facts, known = read_facts(text), self._known
        levels = np.full((len(FIELDS), len(self._ids)), UNKNOWN, np.int8)
        has_reference = known.references[:, 0] > 0
        narrow = [time for time in facts.times if time.high - time.low <= _WIDEST]
        if narrow:
            first = narrow[0]
            away = np.maximum(0, np.maximum(first.low - known.references, known.references - first.high)).min(axis=1)
            levels[REFERENCE] = np.where(has_reference, np.searchsorted(_DISTANCES, away, "right"), UNKNOWN)
            lag = known.latest - max(time.low for time in narrow)
            levels[LAST_YEAR] = np.where(known.latest > 0, np.searchsorted(_LAGS, lag, "right"), UNKNOWN)
        if facts.country:
            levels[COUNTRY] = np.where(known.country != "", known.country != facts.country, UNKNOWN)
        if facts.apostrophe:
            levels[APOSTROPHES] = np.where(known.apostrophe != "", known.apostrophe != facts.apostrophe, UNKNOWN)
        steps = known.first_number - 1 - facts.paragraphs
        goes_on = known.first_number > _FEWEST_BEFORE
        levels[PARAGRAPHS] = np.where(goes_on, np.searchsorted(_STEPS_TO_NUMBER, steps, "right"), UNKNOWN)
        scores = self._words.all_scores(text).astype(np.float64)
        deviations: Floats = (scores - scores.mean()) / (scores.std() or 1)
        if scores.any():
            levels[WORDS] = np.searchsorted(_DEVIATIONS, deviations, "right")
        return levels, deviations

    def _guesses(self, released: Mapping[str, str]) -> dict[str, tuple[Guess, ...]]:
        expected = [np.array(field.expected) for field in FIELDS]
        keys, compared = list[str](), list[tuple[NDArray[np.int8], Floats, Ints, list[Floats]]]()
        for key, text in released.items():
            levels, words = self._compare(text)
            strangers = _strangers(levels[:, None])
            scores = _weigh(levels[:, None], expected, strangers)[0] + _TIE_BREAK * words
            if np.ptp(scores) == 0:
                continue  # it tells nothing of anyone
            rows = np.arange(len(scores))
            if len(rows) > LARGE:
                rows = np.sort(np.argpartition(-scores, CANDIDATES)[:CANDIDATES])
            keys.append(key)
            compared.append((levels[:, None, rows], words[rows], rows, strangers))
        if not keys:
            return {}
        levels = np.concatenate([part for part, *_ in compared], axis=1)
        ties = _TIE_BREAK * np.stack([words for _, words, *_ in compared])
        rows = np.stack([part for _, _, part, _ in compared])
        together = [np.concatenate([part[number] for *_, part in compared]) for number in range(len(FIELDS))]
        together = [(1 - _SMOOTHING) * each + _SMOOTHING * each.mean(axis=0) for each in together]
        self._agreement = expected
        for _ in range(STEPS if len(keys) >= MIN_RELEASES else 0):
            share = self._assign(_weigh(levels, self._agreement, together) + ties, rows)
            self._agreement = [_agreement(levels[number], share, expected[number]) for number in range(len(FIELDS))]
        share = self._assign(_weigh(levels, self._agreement, together) + ties, rows)
        return {key: self._best(*row) for key, *row in zip(keys, rows, share, strict=True)}

    def _assign(self, scores: Floats, rows: Ints) -> Floats:
        return assign(scores * TEMPERATURE, rows, self._per_person, len(self._ids))


def _strangers(levels: NDArray[np.int8]) -> list[Floats]:
    """For each field [release, level]: how often people agree with a release like that."""
    frequencies = []
    for number, field in enumerate(FIELDS):
        counts = np.stack([np.bincount(row[row >= 0], minlength=len(field.expected)) for row in levels[number]])
        frequencies.append((counts + 0.5) / (counts + 0.5).sum(axis=1, keepdims=True))
    return frequencies


def _agreement(levels: NDArray[np.int8], share: Floats, expected: Floats) -> Floats:
    """How often true pairs agree at each level, by how likely each pair is a true one."""
    is_known = levels >= 0
    counts = np.bincount(levels[is_known], share[is_known], len(expected)) + PRIOR_RELEASES * expected
    agreement: Floats = counts / counts.sum()
    return agreement


def _weigh(levels: NDArray[np.int8], agreement: Sequence[Floats], strangers: Sequence[Floats]) -> Floats:
    """[release, person]: the evidence that a release is about a person, in nats."""
    total = np.zeros(levels.shape[1:])
    for number, (of_true, of_strangers) in enumerate(zip(agreement, strangers, strict=True)):
        weights = np.clip(np.log(of_true / of_strangers), -MOST_EVIDENCE, MOST_EVIDENCE)
        chosen = np.take_along_axis(weights, np.maximum(levels[number], 0).astype(np.int64), axis=1)
        total += np.where(levels[number] >= 0, chosen, 0)
    return total
