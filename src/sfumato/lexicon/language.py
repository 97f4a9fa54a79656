"""The language of a text, judged by all of its words.

A linear classifier over words and their letters (hashed n-grams) knows 36 languages in Latin script, and names, which
belong to no language. The evidence of the words is added up, so a foreign word, a name or an abbreviation does not
decide about a document. Made by ``training/build_language_model.py``, described in docs/models.md. Languages in other
scripts are told by their letters.
"""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import resources
from itertools import chain, islice
from types import MappingProxyType
from typing import Literal, NamedTuple
from unicodedata import normalize
from zlib import crc32

import numpy as np
import numpy.typing as npt

from sfumato.annotated_text import read_once
from sfumato.lexicon.grammar import STOP_WORDS
from sfumato.lexicon.name_lists import PARTICLES
from sfumato.lexicon.tables import languages_with, load_toml
from sfumato.lexicon.tokens import lazy_pattern, words_by_line

COVERED = languages_with("function_words")
"""The languages that have word lists here, and so are read by the detectors."""
_COVERED_IN_ORDER = tuple(dict.fromkeys(("en", *sorted(COVERED))))
CONFIDENT = 0.9
"""The least confidence of ``identify_language`` for what must not be wrong."""
NO_LANGUAGE = "zxx"
"""The class of names alone."""
BUCKETS = 2**17
"""Features are hashed into so many."""
SCRIPT_LETTERS: Mapping[str, str] = MappingProxyType(
    {script: entry["letters"] for script, entry in load_toml("scripts").items()}
)
"""Ranges of letters by script, for a character class."""
SCRIPT_LANGUAGES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {script: tuple(entry["languages"].split()) for script, entry in load_toml("scripts").items()}
)

FULL_WEIGHT, INITIAL_WEIGHT, _CAPITALISED_WEIGHT = 1.0, 0.8, 0.3
"""A capitalised word is likely a name, which says little about the language around it, but less so as the first of a
sentence."""
_OTHER_LETTERS = "".join(SCRIPT_LETTERS.values())
_LATIN = rf"[^\W\d_{_OTHER_LETTERS}]"
WORD = re.compile(rf"((?<![\w.@/\\#&=])(?<!\d-){_LATIN}+(?:['’]{_LATIN}+)*)(?![\w@/\\=]|\.\w|-\d|://)")
"""A word in Latin letters: not a part of an address or a code, nor an abbreviation with full stops inside ("y.o.")."""
_PRONOUN = re.compile(r"I(?:['’](?:m|ve|ll|d|s)?)?\Z")
"""The English word that has a capital within a sentence; "i" is a word of a dozen other languages."""
_PRONOUN_KEY = (("I",), FULL_WEIGHT)
_SENTENCE_START = re.compile(r"[.!?…:;\n\r\"“”„«»(\[•*>¿¡|-]\s*\Z")
_NEAR = 3
"""So many characters before a word tell whether it is the first of a sentence."""
MOST_REPEATS = 8
MOST_BEHIND = np.float32(6)
"""A single word does not decide: "uroporphyrinogen" looks Danish."""
SAMPLE = 100_000
"""Characters of a text by which its language is told; of a longer one, parts of as many together."""
_WINDOWS = 25
_LEAST_SHARE = 0.8
"""Of the probability of the covered languages, for one of them to be a document's language."""


class Language(NamedTuple):
    """An ISO 639 code, or None where there is nothing to tell it by, with a confidence from 0 to 1."""

    code: str | None
    confidence: float


Floats = npt.NDArray[np.float32]
Indexes = npt.NDArray[np.intp]


class _Model(NamedTuple):
    codes: tuple[str, ...]
    weights: npt.NDArray[np.int8]
    """A row for each bucket, a column for each code."""
    bias: Floats
    scale: np.float32
    frequent: npt.NDArray[np.uint32]
    """Hashes, sorted, of words that are used often in languages that had no lists here when the model was made."""
    frequent_in: npt.NDArray[np.uint64]
    """For each of them a bit for each code."""


@read_once
def document_language(text: str) -> str | None:
    """Which of the covered languages a document is mainly in, by all of its words; None where too few words tell."""
    if len(text) <= SAMPLE and not text.isupper():
        words = word_counts(text)
        likeliest = max(_COVERED_IN_ORDER, key=lambda code: len(words.keys() & STOP_WORDS[code]))
        # A lower bound of the lead in ``weigh_language``: no weighing of the words could make it another language.
        if _least_lead(likeliest).of(words.items()) >= _SURE_LEAD:
            return likeliest
    return weigh_language(text)


def weigh_language(text: str) -> str | None:
    """The same by the exact evidence of all words."""
    scores = language_scores(text)
    covered = {code: score for code, score in scores.items() if code in COVERED}
    best = max(covered, key=lambda code: covered[code])
    shares = np.exp(np.array([score - covered[best] for score in covered.values()]))
    return best if 1 / shares.sum() >= _LEAST_SHARE else None


_SURE_LEAD = float(np.log(len(COVERED) * _LEAST_SHARE / (1 - _LEAST_SHARE))) + 1.0
"""With such a lead over each of the others a language has the share it needs, and more than rounding could change."""


class LeadBound:
    """By how much the words of a text favour the best of some classes over the best of others, at least or at most.

    A bound: a word that may weigh less than in full (``may_count_less``) can only lower a least lead, and only raise a
    most lead.
    """

    _MOST_KNOWN = 2**14
    """So many words are kept before the next text begins anew."""

    def __init__(
        self, bound: Literal["least", "most"], favoured: Indexes, others: Indexes, margin: float = 0.0
    ) -> None:
        """``margin`` is added to the bound of every text."""
        self._limit = min if bound == "least" else max
        self._favoured, self._others = favoured, others
        self._known: dict[str, float] = {}
        """The lead that each word gives: asked for every word of every text."""
        self._start = self._leads(prior_scores()[None])[0] + margin if favoured.size else -np.inf

    def of(self, counts: Iterable[tuple[str, int]]) -> float:
        """That of words, with how often they stand in the text; minus infinity where there are no favoured classes."""
        if not self._favoured.size:
            return -np.inf
        counts = list(counts)
        known = self._with_leads_of([word for word, _ in counts])
        bound = self._start
        for word, count in counts:
            bound += min(count, MOST_REPEATS) * known[word]
        return bound

    def _with_leads_of(self, words: Sequence[str]) -> Mapping[str, float]:
        """A mapping that has the lead of each of the words, unknown ones weighed together."""
        known = self._known
        new = [word for word in words if word not in known]
        if new:
            if len(known) >= self._MOST_KNOWN:
                known = self._known = {}
                new = list(words)
            parts = [word_parts(word) if word[0] != "I" else (*word_parts(word), "I") for word in new]
            leads = iter(self._leads(np.stack(scores_of_words(list(chain.from_iterable(parts))))))
            for word, its_parts in zip(new, parts, strict=True):
                of_parts = list(islice(leads, len(its_parts)))
                known[word] = (
                    sum(self._limit(lead, 0.0) for lead in of_parts) if may_count_less(word) else sum(of_parts)
                )
        return known

    def _leads(self, scores: Floats) -> list[float]:
        leads: list[float] = (scores[:, self._favoured].max(1) - scores[:, self._others].max(1)).tolist()
        return leads


@cache
def _least_lead(language: str) -> LeadBound:
    """That of a covered language over each other covered one."""
    others = [class_codes().index(code) for code in COVERED if code != language]
    return LeadBound("least", np.array([class_codes().index(language)]), np.array(others))


@read_once
def words_with_starts(text: str) -> tuple[Sequence[str], Sequence[int]]:
    """The words by which the language of a text is judged, as written, and where they begin."""
    words, starts = list[str](), array("I")
    shared: dict[str, str] = {}  # a long text has few different words; each is kept once
    for match in WORD.finditer(text):
        word = match[1]
        words.append(shared.setdefault(word, word))
        starts.append(match.start())
    return words, starts


@read_once
def word_counts(text: str) -> Mapping[str, int]:
    """How often a text has each word by which its language is judged, as written."""
    counts = Counter[str]()
    for words in words_by_line(WORD, text):
        counts.update(words)
    return counts


def may_count_less(word: str) -> bool:
    """Whether a word may weigh less than in full, or nothing: a name, a particle of names, one with an apostrophe."""
    return word[0].isupper() or word in PARTICLES or not word.isalpha()


def identify_language(text: str, min_confidence: float = 0.0) -> Language:
    """The likeliest language of a text, with its probability; no code below ``min_confidence``."""
    language = _identify(text)
    return language if language.confidence >= min_confidence else Language(None, language.confidence)


@read_once
def _identify(text: str) -> Language:
    counts = script_counts(text)
    script = max(counts, key=lambda name: counts[name], default="")
    if counts and 2 * counts[script] > sum(map(str.isalpha, text)):
        return Language(SCRIPT_LANGUAGES[script][0], 1.0)
    if next(weighted_words(text), None) is None:
        return Language(None, 0.0)
    scores = language_scores(text)
    best = max(scores, key=lambda code: scores[code])
    confidence = 1 / sum(np.exp(score - scores[best]) for score in scores.values())
    return Language(None if best == NO_LANGUAGE else best, float(confidence))


_BEYOND_LATIN = lazy_pattern("[\u0370-\u1fff\u2c00-\U0010ffff]+")


def script_counts(text: str) -> Counter[str]:
    """How many letters of each script other than Latin a text has."""
    others = "" if text.isascii() else "".join(_BEYOND_LATIN.findall(text))
    if not others:
        return Counter()
    return +Counter({script: sum(map(len, letters.findall(others))) for script, letters in _scripts().items()})


@cache
def _scripts() -> Mapping[str, re.Pattern[str]]:
    return {script: re.compile(f"[{letters}]+") for script, letters in SCRIPT_LETTERS.items()}


def language_scores(text: str) -> dict[str, float]:
    """The score of each language in Latin script, and of ``NO_LANGUAGE``: logarithms of odds, before normalization."""
    return dict(zip(class_codes(), (prior_scores() + document_evidence(text).scores).tolist(), strict=True))


@read_once
def document_evidence(text: str) -> Evidence:
    """The evidence of a whole text; of more than 100,000 characters, that of 25 parts from beginning to end."""
    if len(text) > SAMPLE:
        size, step = SAMPLE // _WINDOWS, (len(text) - SAMPLE // _WINDOWS) // (_WINDOWS - 1)
        text = "\n".join(text[start : start + size] for start in range(0, step * _WINDOWS, step))
    return Evidence.of(text)


def class_codes() -> tuple[str, ...]:
    """The languages in Latin script that are known, and ``NO_LANGUAGE``: the order of all scores."""
    return _model().codes


def prior_scores() -> Floats:
    """The score of each class before a word is read."""
    return _model().bias


@dataclass(frozen=True, slots=True)
class Evidence:
    """What the words of a text add to the score of each class, capitalised ones apart from the others."""

    words: Mapping[str, int]
    """The words that count in full, in lower case."""
    plain: Floats
    capitalised: Floats
    plain_words: int
    initial_words: int
    capitalised_weight: float

    @classmethod
    def of(cls, text: str, may_name: Callable[[str], bool] | None = None) -> Evidence:
        """A word that is repeated counts ``MOST_REPEATS`` times at most: log lines and tables repeat a few.

        ``may_name``: whether a word may be a name. The first word of a sentence that may be none counts in full;
        without it, any may be one.
        """
        plain: dict[str, int] = {}
        capitalised: dict[tuple[str, float], int] = {}
        for (parts, weight), count in _count_weighted_parts(text).items():
            for part in parts:
                is_initial = weight == INITIAL_WEIGHT
                if weight == FULL_WEIGHT or (is_initial and may_name is not None and not may_name(part)):
                    plain[part] = min(plain.get(part, 0) + count, MOST_REPEATS)
                else:
                    capitalised[part, weight] = min(capitalised.get((part, weight), 0) + count, MOST_REPEATS)
        initial_words = sum(repeats for (_, weight), repeats in capitalised.items() if weight == INITIAL_WEIGHT)
        weights = [repeats * weight for (_, weight), repeats in capitalised.items()]
        return cls(
            plain,
            _sum_of_scores(plain, plain.values()),
            _sum_of_scores((word for word, _ in capitalised), weights),
            sum(plain.values()),
            initial_words,
            sum(weights),
        )

    @property
    def scores(self) -> Floats:
        """Capitalised words weigh at most half as much as all others, so that a list of names does not decide."""
        if not self.capitalised_weight:
            return self.plain
        return self.plain + min(1.0, self.plain_words / 2 / self.capitalised_weight) * self.capitalised


def weighted_words(text: str) -> Iterator[tuple[str, float]]:
    """The words by which a text is judged, in lower case, with their weights, as often as they stand there."""
    counts = _count_weighted_parts(text)
    return ((part, weight) for (parts, weight), count in counts.items() for _ in range(count) for part in parts)


_Key = tuple[tuple[str, ...], float]
"""The parts of a word, and its weight."""


def _count_weighted_parts(text: str) -> dict[_Key, int]:
    """How often a text has each word with each weight, the parts of a word together.

    Words that are the same, and capitalised ones that follow the same signs, are counted before they are looked at.
    """
    gaps_and_words = WORD.split(text)
    words = gaps_and_words[1::2]
    small_words = Counter(words)
    counts: dict[_Key, int] = {}
    if not text.isupper():
        names = [word for word in small_words if word[0].isupper()]
        for word in names:
            del small_words[word]
        if names:
            _add_capitalised(counts, words, gaps_and_words[::2], frozenset(names))
    if not PARTICLES.isdisjoint(small_words):
        small_words.subtract(
            word for index, word in enumerate(words) if word in PARTICLES and _is_between_names(words, index)
        )
    for word, count in small_words.items():
        if count:
            key = _full_weight(word)
            counts[key] = counts.get(key, 0) + count
    return counts


@lru_cache(maxsize=2**14)
def _full_weight(word: str) -> _Key:
    return word_parts(word), FULL_WEIGHT


def _add_capitalised(counts: dict[_Key, int], words: list[str], gaps: list[str], names: frozenset[str]) -> None:
    """Count the capitalised words, by what stands before them."""
    if len(gaps[0]) <= _NEAR and not gaps[0].strip():
        gaps[0] = "\n"  # the beginning of a text is that of a sentence
    capitalised = Counter([(word, gap[-_NEAR:]) for word, gap in zip(words, gaps, strict=False) if word in names])
    for (word, gap), count in capitalised.items():
        is_initial = _ends_sentence(gap)
        key = (word_parts(word), INITIAL_WEIGHT if is_initial else _CAPITALISED_WEIGHT)
        if word[0] == "I" and _PRONOUN.match(word) and not (is_initial and word == "I"):
            counts[_PRONOUN_KEY] = counts.get(_PRONOUN_KEY, 0) + count
            key = _full_weight(word[2:])
        counts[key] = counts.get(key, 0) + count


@lru_cache(maxsize=1024)
def _ends_sentence(gap: str) -> bool:
    """Whether the last characters between two words end a sentence."""
    return _SENTENCE_START.search(gap) is not None


@lru_cache(maxsize=2**14)
def word_parts(word: str) -> tuple[str, ...]:
    """A word in lower case, in parts where it has an apostrophe."""
    return tuple(filter(None, normalize("NFC", word.lower()).replace("’", "'").split("'")))


def _is_between_names(words: list[str], index: int) -> bool:
    """Whether a particle stands between two capitalised words: Garcia de la Vega."""
    before = next((word for word in reversed(words[max(0, index - 3) : index]) if word not in PARTICLES), "")
    after = next((word for word in words[index + 1 : index + 4] if word not in PARTICLES), "")
    return before[:1].isupper() and after[:1].isupper()


def _sum_of_scores(words: Iterable[str], weights: Iterable[float]) -> Floats:
    """What words with weights add to the score of each class."""
    rows = scores_of_words(list(words))
    if not rows:
        return np.zeros(len(class_codes()), np.float32)
    total: Floats = np.fromiter(weights, np.float32, len(rows)) @ np.concatenate(rows).reshape(len(rows), -1)
    return total


_KEPT_SCORES: dict[str, Floats] = {}
_MOST_KEPT = 2**14
_AT_ONCE = 1000
"""Words whose scores are computed at once: that bounds the memory it takes."""


def scores_of_words(words: Sequence[str]) -> list[Floats]:
    """What each word adds to the score of each class; no class is behind the best one by more than ``MOST_BEHIND``."""
    rows = list(map(_KEPT_SCORES.get, words))
    new = list(dict.fromkeys(word for word, row in zip(words, rows, strict=True) if row is None))
    scores: dict[str, Floats] = {}
    for start in range(0, len(new), _AT_ONCE):
        some = new[start : start + _AT_ONCE]
        scores.update(zip(some, _scores(some), strict=True))
    if len(_KEPT_SCORES) + len(scores) > _MOST_KEPT:
        _KEPT_SCORES.clear()
    _KEPT_SCORES.update(islice(scores.items(), _MOST_KEPT))
    return [scores[word] if row is None else row for word, row in zip(words, rows, strict=True)]


def _scores(words: Sequence[str]) -> Floats:
    """The same, computed: [word, class]."""
    model = _model()
    buckets = list(map(features, words))
    firsts = np.cumsum([0, *map(len, buckets[:-1])])
    rows = model.weights[np.fromiter(chain.from_iterable(buckets), np.intp)]
    scores: Floats = np.add.reduceat(rows, firsts, axis=0, dtype=np.float32) * model.scale
    limited: Floats = np.maximum(scores, scores.max(1, keepdims=True) - MOST_BEHIND)
    return limited


def word_code(word: str) -> int:
    """The hash of a word in lower case."""
    return crc32(word.encode("utf-8", "replace"))


def count_frequent_words(words: Mapping[str, int], classes: npt.NDArray[np.bool_]) -> int:
    """How many words are used often in languages outside of these classes only, and unknown in the covered ones."""
    model = _model()
    hashes = np.fromiter(map(word_code, words), np.uint32, len(words))
    places = np.minimum(np.searchsorted(model.frequent, hashes), len(model.frequent) - 1)
    covered = sum(1 << int(number) for number in np.flatnonzero(classes))
    is_frequent = (model.frequent[places] == hashes) & (model.frequent_in[places] & np.uint64(covered) == 0)
    return sum(count for count, is_one in zip(words.values(), is_frequent.tolist(), strict=True) if is_one)


def features(word: str) -> list[int]:
    """The buckets of a word's features: the word, counted twice, and two to four of its letters with its limits."""
    framed = f"^{word}$"
    whole = f"={word}".encode("utf-8", "replace")
    if framed.isascii():
        letters = framed.encode("ascii")
        grams = [letters[start : start + size] for size in (2, 3, 4) for start in range(len(letters) - size + 1)]
    else:
        parts = (framed[start : start + size] for size in (2, 3, 4) for start in range(len(framed) - size + 1))
        grams = [part.encode("utf-8", "replace") for part in parts]
    return [crc32(gram) % BUCKETS for gram in (whole, whole, *grams)]


@cache
def _model() -> _Model:
    file = resources.files("sfumato.lexicon").joinpath("data", "language_model.npz")
    with file.open("rb") as opened, np.load(opened) as arrays:
        codes = tuple(map(str, arrays["codes"]))
        names = ("weights", "bias", "scale", "frequent", "frequent_in")
        return _Model(codes, *(arrays[name] for name in names))
