"""Who of the people that an attacker found in a release is who of the original: by descriptions and places in the text.

In Oh et al. (2026) a language model aligns them, by descriptions, roles and both texts (``ChatAligner``); this is the
way without one. Attributes play no part: a guess that is right about somebody else is not a guess about the subject.

A subject stands in the original where the words of their description do, a profile where the release mentions it. A
word of the release has its place in the original by the longest common subsequence of the words of both texts.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Protocol

import numpy as np
from rapidfuzz.distance import LCSseq
from scipy.optimize import linear_sum_assignment

from sfumato.lexicon.grammar import STOP_WORDS
from sfumato.lexicon.name_lists import lookup_key
from sfumato.lexicon.tables import word_set
from sfumato.models.base import Range
from sfumato_papers.attacks import PACKAGE
from sfumato_papers.attacks.subjects.matching import Pair, Profile, Subject, stem


class People(NamedTuple):
    """The people of one document, both texts, and the profiles that an attacker made of the release."""

    subjects: Sequence[Subject]
    profiles: Sequence[Profile]
    original: str
    released: str


class SubjectAligner(Protocol):
    """Pairs the subjects of documents with profiles."""

    name: str

    def align(self, documents: Sequence[People]) -> list[list[Pair]]:
        """For each document its subjects, in order, each with their own profile or None; no profile serves two."""
        ...


VERSION_SHARE = 0.4
"""The least share of a release's telling words that stand in the original, in order, for it to be a version of it."""
LEAST_SCORE = 0.1
_ROLE_WEIGHT = 0.5
"""What a place of a role ("the applicant") counts beside one of a name."""
_NAME_SCORE = 0.5
"""What a shared name counts; a shared place counts 1."""
_REACH = 2
"""Words that may stand between the words of a description in a text."""
_WIDEST_REPLACEMENT = 12
"""Words of the original that one replacement may stand for."""
_DESCRIPTION_WINDOW = 12
_WORD = re.compile(r"@?\w+(?:[-.'’]\w+)*")
_CODE = re.compile(r"(?=(?:\D*\d){4})\S+")
_DASH = re.compile(r"\s[-–—]\s")
_WRITERS = word_set("profiles", "descriptions.writers", "en", PACKAGE)
_CHILDREN = word_set("profiles", "descriptions.children", "en", PACKAGE)
_BEFORE_DETAILS = word_set("profiles", "descriptions.before_details", "en", PACKAGE)
_NOT_TELLING = STOP_WORDS["en"] | word_set("profiles", "descriptions.not_telling", "en", PACKAGE)


def _key(word: str) -> str:
    """A word without case, possessive and ending."""
    bare = lookup_key(word).removesuffix("'s").removesuffix("'").removesuffix(".")
    return "child" if bare in _CHILDREN else stem(bare)


@dataclass(frozen=True)
class _Words:
    """The words of a text, and where each of them stands."""

    text: str

    @cached_property
    def ranges(self) -> list[Range]:
        return [match.span() for match in _WORD.finditer(self.text)]

    @cached_property
    def keys(self) -> list[str]:
        return [_key(self.text[start:end]) for start, end in self.ranges]

    @cached_property
    def places(self) -> Mapping[str, list[int]]:
        places = defaultdict[str, list[int]](list)
        for number, key in enumerate(self.keys):
            places[key].append(number)
        return places

    @cached_property
    def names(self) -> set[str]:
        """Words that never stand in the text with a small letter."""
        small = {key for key, (start, _) in zip(self.keys, self.ranges, strict=True) if self.text[start].islower()}
        return set(self.keys) - small

    def between(self, start: int, end: int) -> Iterable[int]:
        """The numbers of the words that a range of characters touches."""
        first = bisect_left(self.ranges, start, key=lambda item: item[1] - 1)
        return range(first, bisect_left(self.ranges, end, key=lambda item: item[0]))

    def find(self, phrase: Sequence[str], reach: int) -> set[int]:
        """The words of a phrase where most of its weight stands together; a word counts the more the rarer it is."""
        weights = {key: 1 / len(self.places[key]) for key in phrase if key in self.places}
        starts = sorted({place for key in weights for place in self.places[key]})
        windows = []
        for start in starts:
            here = [
                number for number in range(start, min(start + reach, len(self.keys))) if self.keys[number] in weights
            ]
            windows.append((sum(weights[key] for key in {self.keys[number] for number in here}), here))
        best = max((weight for weight, _ in windows), default=0.0)
        return {number for weight, here in windows if weight > 0.9 * best for number in here}


def _codes(line: str) -> list[str]:
    return [_key(word) for word in _WORD.findall(line) if _CODE.fullmatch(word)]


@dataclass(frozen=True)
class _Description:
    """Who somebody is, in a line: "Ida Quorvex - the applicant, born in 1970"."""

    text: str

    @cached_property
    def _segments(self) -> list[str]:
        return _DASH.split(self.text, maxsplit=1)

    @cached_property
    def name(self) -> list[str]:
        """The words by which they are called."""
        return self._head(self._segments[0])

    @cached_property
    def role(self) -> list[str]:
        return self._head(self._segments[1]) if len(self._segments) > 1 else []

    @cached_property
    def words(self) -> list[str]:
        return [
            key for word in _WORD.findall(self.text) if (key := _key(word)) and lookup_key(word) not in _NOT_TELLING
        ]

    @cached_property
    def is_writer(self) -> bool:
        return any(lookup_key(word) in _WRITERS for part in self._segments for word in self._head_words(part)[:3])

    def _head(self, segment: str) -> list[str]:
        words = (word for word in self._head_words(segment) if lookup_key(word) not in _NOT_TELLING)
        return [_key(word) for word in words if lookup_key(word) not in _WRITERS]

    @staticmethod
    def _head_words(segment: str) -> list[str]:
        """Up to where details begin ("who ...", ", ..."), without whose they are: *father* of "Bo's father"."""
        words: list[str] = []
        for match in re.finditer(rf"{_WORD.pattern}|[,;:(]", segment):
            word = match.group()
            if words and (word in ",;:(" or lookup_key(word) in _BEFORE_DETAILS):
                break
            if word in ",;:(":
                continue
            words = [] if lookup_key(word).endswith(("'s", "s'")) else [*words, word]
        return words

    def places(self, words: _Words) -> dict[int, float]:
        """The words of a text where they stand, with what each counts."""
        by_name = words.find(self.name, len(self.name) + _REACH) if self.name else set()
        by_role = words.find(self.role, len(self.role) + _REACH) if self.role else set()
        places = dict.fromkeys(by_role, _ROLE_WEIGHT) | dict.fromkeys(by_name, 1.0)
        # "The client (QX-ID-77123)" is called by the number; a number further on may be somebody else's.
        is_named = words.names & {words.keys[number] for number in by_name}
        codes = _codes(self._segments[0]) or ([] if is_named else _codes(self.text))
        places |= dict.fromkeys((place for code in codes for place in words.places.get(code, ())), 1.0)
        if not places and len({key for key in self.words if key in words.places}) > 1:
            places = dict.fromkeys(words.find(self.words, _DESCRIPTION_WINDOW), _ROLE_WEIGHT)
        return places


class MentionAligner:
    """Aligns by descriptions, and by where both texts mention people."""

    name = "mentions"

    def align(self, documents: Sequence[People]) -> list[list[Pair]]:
        """One to one, with the largest sum of shared places and names."""
        return [self._align(*people) for people in documents]

    def _align(
        self, subjects: Sequence[Subject], profiles: Sequence[Profile], original: str, released: str
    ) -> list[Pair]:
        if not subjects or not profiles:
            return [(subject, None) for subject in subjects]
        texts = _Texts(_Words(original), _Words(released))
        truths = [_Truth.of(subject, texts.original) for subject in subjects]
        places_of_profiles = [texts.places(profile) for profile in profiles]
        scores = np.array(
            [
                [
                    truth.score(profile, places, texts.is_version)
                    for profile, places in zip(profiles, places_of_profiles, strict=True)
                ]
                for truth in truths
            ]
        )
        aligned: dict[int, Profile] = {}
        for row, column in zip(*linear_sum_assignment(scores, maximize=True), strict=True):
            if scores[row, column] >= LEAST_SCORE:
                aligned[row] = profiles[column]
        return [(subject, aligned.get(number)) for number, subject in enumerate(subjects)]


class _Truth(NamedTuple):
    """A subject: where the original speaks of them, by which names, and whether they wrote it."""

    places: Mapping[int, float]
    names: Collection[str]
    is_writer: bool

    @classmethod
    def of(cls, subject: Subject, original: _Words) -> _Truth:
        description = _Description(subject.description)
        return cls(description.places(original), original.names & set(description.name), description.is_writer)

    def score(self, profile: Profile, profile_places: Collection[int] | None, is_version: bool) -> float:
        """How much speaks for a profile to be the subject: names, places and writing that they share."""
        if profile_places is None:
            return 0.0
        called = " ".join((profile.who, *(mention.text for mention in profile.mentions)))
        score = _NAME_SCORE * any(_key(word) in self.names for word in _WORD.findall(called))
        if is_version:
            if shared := self.places.keys() & set(profile_places):
                here = sum(self.places[place] for place in shared) / sum(self.places.values())
                score += (here + len(shared) / len(profile_places)) / 2
            score += self.is_writer and (profile.is_writer or _Description(profile.who).is_writer)
        return score


@dataclass(frozen=True)
class _Texts:
    """An original and its release, word by word."""

    original: _Words
    released: _Words

    @cached_property
    def _blocks(self) -> list[tuple[int, int, int]]:
        """What both have, in order: where it begins in the original and in the release, and its length."""
        blocks = LCSseq.editops(self.original.keys, self.released.keys).as_matching_blocks()
        return [(block.a, block.b, block.size) for block in blocks]

    @cached_property
    def is_version(self) -> bool:
        """Whether the release says the same as the original for long enough stretches to be made from it."""
        telling = [key not in _NOT_TELLING for key in self.released.keys]
        common = sum(sum(telling[start : start + size]) for _, start, size in self._blocks)
        return common >= VERSION_SHARE * max(1, sum(telling))

    @cached_property
    def _in_original(self) -> Mapping[int, range]:
        """For each word of the release the words of the original in whose place it stands."""
        places: dict[int, range] = {}
        first, start = 0, 0
        for place, begin, size in self._blocks:
            if place - first <= _WIDEST_REPLACEMENT:
                places |= dict.fromkeys(range(start, begin), range(first, place))
            places |= {begin + offset: range(place + offset, place + offset + 1) for offset in range(size)}
            first, start = place + size, begin + size
        return places

    def places(self, profile: Profile) -> set[int] | None:
        """The words of the original in whose place the release mentions a profile; None: it is not of this release."""
        released = self.released
        mentions = [item for item in profile.mentions if released.text[item.start : item.end] == item.text]
        if profile.mentions and not mentions:
            return None
        if mentions:
            numbers = {number for item in mentions for number in released.between(item.start, item.end)}
        else:
            description = _Description(profile.who)
            numbers = set(description.places(released))
            if description.name and not numbers:
                return None
        return {place for number in numbers for place in self._in_original.get(number, ())}
