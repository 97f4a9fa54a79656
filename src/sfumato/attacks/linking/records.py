"""The record-linkage attack: what texts tell besides shared words, weighed as Fellegi and Sunter (1969) weigh fields.

A release may share no rare word with what is known of a person, and still give its year away by a date, the country by
a nationality or by words that texts of one country share, and the document it was taken from by its typography or by
paragraph numbers that go on where it ends (``facts``). Each of these is compared on its own. How often true pairs agree
is learned from the releases themselves, by expectation maximization; no truth is needed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.attacks.base import Person
from sfumato.attacks.linking.cleaning import Ints
from sfumato.attacks.linking.facts import (
    CountryMention,
    CountryWords,
    Time,
    country_weights,
    lines_of_times_and_countries,
    lines_of_words,
    read_facts,
    read_times_and_countries,
)
from sfumato.attacks.linking.followed import Compares, Followed, MarginalGain, others_than, rank_subject
from sfumato.attacks.linking.fusion import LARGE, TEMPERATURE, assign
from sfumato.attacks.linking.joint import JointLinking, TextScores
from sfumato.attacks.linking.ranking import RangeWeights, merge_range_weights
from sfumato.attacks.linking.record_fields import (
    APOSTROPHES,
    COUNTRY,
    FIELDS,
    GENDER,
    LAST_YEAR,
    PARAGRAPHS,
    REFERENCE,
    WORDS,
    agreement_by_level,
    level_evidence,
    smoothed,
    strangers_by_level,
    strangers_to,
    weigh_levels,
)
from sfumato.attacks.linking.sparse import TfIdfAttack
from sfumato.document import Guess
from sfumato.models.base import Floats, Range

CANDIDATES = 500
"""Among many people, those who stay in the comparison: the likeliest by the agreement that is expected at first."""
STEPS = 15
MIN_RELEASES = 30
"""With fewer releases nothing is learned from them."""
_WIDEST = 40
"""Years that a time may span to be compared."""
_NARROW = 4
"""Years that a time may span to be the last."""
_FEWEST_BEFORE = 3
"""A text whose first paragraph has a lower number goes on from no other."""
_TIE_BREAK = 1e-3
"""Nats for a deviation of shared words: decides between people who agree with a release alike."""


# From where on the next level of a field begins: years away, years later, probability of the country, paragraphs to the
# number, difference of the shares of female words, deviations.
_DISTANCES = np.array([1, 2, 3])
_LAGS = np.array([0, 1, 2, 3, 4, 7])
_PROBABILITIES = np.array([0.01, 0.05, 0.15, 0.35, 0.65, 0.9])
_STEPS_TO_NUMBER = np.array([-9, -3, -1, 0, 1, 2, 3, 10])
_DIFFERENCES = np.array([0.1, 0.3, 0.5, 0.8])
_DEVIATIONS = np.array([-1, -0.5, 0, 0.5, 1, 1.5, 2, 3])
UNKNOWN = -1
FOLLOWED = (REFERENCE, LAST_YEAR, COUNTRY, WORDS)
"""The fields that the loop follows; typography and paragraphs are hidden afterwards."""
_LEAST_GAIN = 0.05
"""Nats by which any time or country may tell a subject, where none does by itself."""
_NATS = 0.6
"""About so much a deviation of shared words tells; it decides what is tried first, and nothing else."""
_NOT_NAMED = 0.02
"""How much a country counts that a release does not name, where it names others: beside shares of what is named."""


class _Known(NamedTuple):
    """The facts of all people, in the order of their ids."""

    reference: Ints
    """The year of the first reference number; 0 where there is none."""
    latest: Ints
    country: Ints
    """Its column among the probabilities of countries."""
    apostrophe: NDArray[np.str_]
    first_number: Ints
    female: Floats
    """NaN where nothing tells the gender."""


_Compared = tuple[str, NDArray[np.int8], Floats, Ints, list[Floats]]
"""A release's key, levels [field, 1, person], shared words in deviations, rows of people, and levels of strangers."""


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
    compares: ClassVar[Compares] = "facts"
    named_only: ClassVar[bool] = True
    """It compares every release with every person field by field."""

    def __init__(self, *, stems: str = "english", per_person: int | None = None) -> None:
        """``stems``: a Snowball language, or "none". ``per_person``: as for ``joint``."""
        super().__init__(per_person)
        self.words = TfIdfAttack(longest=2, stems=stems, rarity=2)
        self._agreement: list[Floats] = []
        self._frequencies: list[Floats] = []

    @property
    def settings(self) -> dict[str, object]:
        """How often true pairs agree at each level, as learned from the last releases."""
        learned = zip(FIELDS, self._agreement, strict=False)
        return {
            **super().settings,
            "agreement": {field.name: np.round(levels, 2).tolist() for field, levels in learned},
        }

    def learn(self, people: Sequence[Person]) -> None:
        self.words.fit(people)
        texts = ["\n\n".join(person.texts) for person in people]
        facts = [read_facts(text) for text in texts]
        countries = [fact.country or "" for fact in facts]
        self.country_words = CountryWords(texts, countries)
        column = {code: index for index, code in enumerate(self.country_words.codes)}
        self._known = _Known(
            np.array([next(iter(fact.references), 0) for fact in facts], np.int64),
            np.array([fact.latest for fact in facts], np.int64),
            np.array([column.get(code, UNKNOWN) if code else UNKNOWN for code in countries], np.int64),
            np.array([fact.apostrophe for fact in facts]),
            np.array([fact.first_number or 0 for fact in facts], np.int64),
            np.array([np.nan if fact.female is None else fact.female for fact in facts]),
        )

    def read(self, text: str) -> TextScores:
        """By the agreement that is expected at first."""
        levels, words = self.compare(text)
        expected = [np.array(field.expected) for field in FIELDS]
        scores = weigh_levels(levels[:, None], expected, strangers_by_level(levels[:, None]))[0] + _TIE_BREAK * words
        return TextScores(scores.astype(np.float32), np.full(len(scores), bool(np.ptp(scores) > 0)))

    @property
    def learned(self) -> str | None:
        if not self._agreement:
            return None
        return sha256(b"".join(part.tobytes() for part in (*self._agreement, *self._frequencies))).hexdigest()

    def follow(self, text: str, subjects: Sequence[int], rank: int) -> FollowedRecords:
        return FollowedRecords(self, text, subjects, rank)

    def field_evidence(self, field: int, levels: Ints) -> Floats:
        """Everyone's evidence in nats by one field, as the last run weighed it; 0 where the level is UNKNOWN."""
        strangers = smoothed([strangers_to(levels, field)], [self._frequencies[field]])[0]
        return np.where(levels >= 0, level_evidence(self._agreement[field], strangers)[np.maximum(levels, 0)], 0)

    def country_column(self, row: int) -> int:
        """Which of the probabilities of countries is that of a person's; UNKNOWN where none is known."""
        return int(self._known.country[row])

    def evidence(self, text: str, row: int) -> RangeWeights:
        """The times and the countries of the text, which count alike."""
        times, countries = read_times_and_countries(text)
        told = sorted({time[2:] for time in times} | {(item.start, item.end) for item in countries})
        starts, ends = (np.array([item[side] for item in told], np.int64) for side in (0, 1))
        return merge_range_weights([RangeWeights(starts, ends, np.full(len(told), 1 / max(1, len(told))))])

    def compare(self, text: str) -> tuple[NDArray[np.int8], Floats]:
        """[field, person]: how a text and each person agree, UNKNOWN where one of them does not tell; shared words."""
        facts, known = read_facts(text), self._known
        levels = np.full((len(FIELDS), len(self._ids)), UNKNOWN, np.int8)
        levels[REFERENCE], levels[LAST_YEAR] = self.compare_times(facts.times)
        levels[COUNTRY] = self.compare_countries(
            facts.countries, self.country_words.shares(self.country_words.weigh(text))
        )
        if facts.apostrophe:
            levels[APOSTROPHES] = np.where(known.apostrophe != "", known.apostrophe != facts.apostrophe, UNKNOWN)
        steps = known.first_number - 1 - facts.paragraphs
        goes_on = known.first_number > _FEWEST_BEFORE
        levels[PARAGRAPHS] = np.where(goes_on, np.searchsorted(_STEPS_TO_NUMBER, steps, "right"), UNKNOWN)
        if facts.female is not None:
            apart = np.searchsorted(_DIFFERENCES, np.nan_to_num(np.abs(known.female - facts.female)), "right")
            levels[GENDER] = np.where(np.isnan(known.female), UNKNOWN, apart)
        levels[WORDS], deviations = self.compare_words(self.words.scores(text).astype(np.float64))
        return levels, deviations

    def compare_words(self, scores: Floats) -> tuple[Ints, Floats]:
        """Everyone's levels of the words that they share with a text, by their scores; and these in deviations."""
        deviations: Floats = (scores - scores.mean()) / (scores.std() or 1)
        unknown = np.full(len(scores), UNKNOWN)
        return np.searchsorted(_DEVIATIONS, deviations, "right") if scores.any() else unknown, deviations

    def compare_times(self, times: Sequence[Time]) -> tuple[Ints, Ints]:
        """Everyone's levels of the first time against reference numbers, and of the last time against the latest."""
        known, unknown = self._known, np.full(len(self._ids), UNKNOWN)
        by_reference, by_latest = unknown, unknown
        if first := next((time for time in times if time.high - time.low <= _WIDEST), None):
            away = np.maximum(0, np.maximum(first.low - known.reference, known.reference - first.high))
            by_reference = np.where(known.reference > 0, np.searchsorted(_DISTANCES, away, "right"), UNKNOWN)
        if narrow := [time.low for time in times if time.high - time.low <= _NARROW]:
            lag = known.latest - max(narrow)
            by_latest = np.where(known.latest > 0, np.searchsorted(_LAGS, lag, "right"), UNKNOWN)
        return by_reference, by_latest

    def compare_countries(self, mentions: Sequence[CountryMention], by_words: Floats) -> Ints:
        """Everyone's level of the probability that the text is from their country."""
        probabilities = self.country_probabilities(mentions, by_words)
        levels = np.searchsorted(_PROBABILITIES, probabilities, "right")
        return np.where(self._known.country >= 0, levels[self._known.country], UNKNOWN)

    def country_probabilities(self, mentions: Sequence[CountryMention], by_words: Floats) -> Floats:
        """The probability of each country, by the words of a text and by the countries that it names."""
        weights = country_weights(tuple(mentions))
        total = sum(weights.values())
        named = np.array([weights.get(code, 0.0) / total if total else 0.0 for code in self.country_words.codes])
        shares = by_words * (named + _NOT_NAMED)
        probabilities: Floats = shares / shares.sum()
        return probabilities

    def _compared(self, released: Mapping[str, str]) -> Iterator[_Compared]:
        """Of each release that tells something of anyone: how it agrees with those who may fit it."""
        expected = [np.array(field.expected) for field in FIELDS]
        for key, text in released.items():
            levels, words = self.compare(text)
            strangers = strangers_by_level(levels[:, None])
            scores = weigh_levels(levels[:, None], expected, strangers)[0] + _TIE_BREAK * words
            if np.ptp(scores) > 0:
                rows = np.arange(len(scores))
                if len(rows) > LARGE:
                    rows = np.sort(np.argpartition(-scores, CANDIDATES)[:CANDIDATES])
                yield key, levels[:, None, rows], words[rows], rows, strangers

    def _guesses(self, released: Mapping[str, str]) -> dict[str, tuple[Guess, ...]]:
        if not (compared := list(self._compared(released))):
            return {}
        expected = [np.array(field.expected) for field in FIELDS]
        keys, agreeing, words, candidates, strangers = zip(*compared, strict=True)
        levels, ties, rows = np.concatenate(agreeing, axis=1), _TIE_BREAK * np.stack(words), np.stack(candidates)
        together = [np.concatenate(parts) for parts in zip(*strangers, strict=True)]
        self._frequencies = [each.mean(axis=0) for each in together]
        together = smoothed(together, self._frequencies)
        self._agreement = expected
        for _ in range(STEPS if len(keys) >= MIN_RELEASES else 0):
            share = self._assign(weigh_levels(levels, self._agreement, together) + ties, rows)
            self._agreement = [
                agreement_by_level(levels[number], share, expected[number]) for number in range(len(FIELDS))
            ]
        share = self._assign(weigh_levels(levels, self._agreement, together) + ties, rows)
        return {key: self._best(*row) for key, *row in zip(keys, rows, share, strict=True)}

    def _assign(self, scores: Floats, rows: Ints) -> Floats:
        return assign(scores * TEMPERATURE, rows, self._per_person, len(self._ids))


class FollowedRecords(Followed):
    """A text that changes, by its times, countries and words, weighed as in the attack's last run.

    Typography and paragraphs are not followed: the loop hides them afterwards.
    """

    def __init__(self, attack: RecordLinkageAttack, text: str, subjects: Sequence[int], rank: int) -> None:
        self._attack, self._rank = attack, rank
        self._lines, self._word_lines = lines_of_times_and_countries(), lines_of_words()
        self._shared_words = attack.words.follow(text, subjects, rank)
        self._others = others_than(subjects, attack.words.people)
        self._read(text)

    def change(self, text: str) -> None:
        self._shared_words.change(text)
        self._read(text)

    def _read(self, text: str) -> None:
        self._times, self._countries = read_times_and_countries(text, self._lines)
        self._weighed = self._attack.country_words.weigh(text, self._word_lines)
        self._by_words = self._attack.country_words.shares(self._weighed)
        levels, self._words = self._attack.compare_words(self._shared_words.scores)
        self._evidence = {
            **self._evidence_of_times(self._times),
            COUNTRY: self._evidence_of_countries(self._countries),
            WORDS: self._attack.field_evidence(WORDS, levels),
        }
        self._nats = self._scored({})
        self.scores: Floats = _above_zero(self._nats)

    def _evidence_of_times(self, times: Sequence[Time]) -> dict[int, Floats]:
        levels = zip((REFERENCE, LAST_YEAR), self._attack.compare_times(times), strict=True)
        return {field: self._attack.field_evidence(field, each) for field, each in levels}

    def _evidence_of_countries(self, mentions: Sequence[CountryMention]) -> Floats:
        return self._attack.field_evidence(COUNTRY, self._attack.compare_countries(mentions, self._by_words))

    def _scored(self, changed: Mapping[int, Floats]) -> Floats:
        """Everyone's scores, where some fields are as stated in place of as they are."""
        evidence = {**self._evidence, **changed}
        return sum((evidence[field] for field in FOLLOWED), np.zeros(len(self._words))) + _TIE_BREAK * self._words

    def score(self, row: int) -> float:
        return float(self.scores[row]) if np.ptp(self._nats) > 0 else 0.0

    def gain(self, row: int, rivals: Ints, places: Ints, count: int) -> MarginalGain:
        shared = self._shared_words.gain(row, rivals, places, count)
        if len(rivals):
            gap = self._gap(row, self._nats)
            units = [(ranges, max(0.0, gap - self._gap(row, nats))) for ranges, nats in self._without_each()]
            columns = [column for rival in rivals if (column := self._attack.country_column(int(rival))) >= 0]
        else:
            units = [
                (ranges, max(_LEAST_GAIN, float(self._nats[row] - nats[row]))) for ranges, nats in self._without_each()
            ]
            columns = list(range(len(self._by_words)))
        return self._by_place(units, self._country_gains(row, columns), shared, places, count)

    def _gap(self, row: int, nats: Floats) -> float:
        """How much the subject's score would have to fall with other evidence."""
        if not np.ptp(nats) > 0:
            return 0.0
        scores = _above_zero(nats)
        return rank_subject(row, float(scores[row]), scores[self._others], self._rank).gap

    def _without_each(self) -> list[tuple[list[Range], Floats]]:
        """Times and countries that say the same, and everyone's scores without them."""
        scored = list[tuple[list[Range], Floats]]()
        for value in dict.fromkeys(time[:2] for time in self._times):
            kept = [time for time in self._times if time[:2] != value]
            ranges = [(time.start, time.end) for time in self._times if time[:2] == value]
            scored.append((ranges, self._scored(self._evidence_of_times(kept))))
        for codes in dict.fromkeys(mention.codes for mention in self._countries):
            others = [mention for mention in self._countries if mention.codes != codes]
            ranges = [(mention.start, mention.end) for mention in self._countries if mention.codes == codes]
            scored.append((ranges, self._scored({COUNTRY: self._evidence_of_countries(others)})))
        return scored

    def _country_gains(self, row: int, columns: Sequence[int]) -> tuple[Ints, Floats]:
        """Where words stand, and what each tells of the subject's country beyond those of others."""
        parts = self._attack.country_words.contributions(self._weighed)
        column = self._attack.country_column(row)
        if column < 0 or not columns:
            return parts.starts, np.zeros(len(parts.starts))
        gains: Floats = parts.logits[:, column] - parts.logits[:, columns].mean(axis=1)
        return parts.starts, gains

    def _by_place(
        self,
        units: Sequence[tuple[list[Range], float]],
        countries: tuple[Ints, Floats],
        shared: MarginalGain,
        places: Ints,
        count: int,
    ) -> MarginalGain:
        total = np.zeros(count + 1)
        for ranges, gain in units:
            touched = np.unique(np.concatenate([places[start:end] for start, end in ranges]))
            touched = touched[touched < count]
            total[touched] += gain / max(1, len(touched))
        starts, gains = countries
        if len(starts):
            total += np.bincount(places[starts], gains, count + 1)
        a_deviation = _NATS / (float(self._shared_words.scores.std()) or 1.0)
        return MarginalGain(*(total[:count] + a_deviation * part for part in shared))


def _above_zero(nats: Floats) -> Floats:
    """Scores of which gaps can be taken as shares: evidence may be against everyone."""
    scores: Floats = nats - nats.min() + 1
    return scores
