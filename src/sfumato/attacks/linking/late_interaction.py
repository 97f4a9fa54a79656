"""The late-interaction attack: each word of a release, in its context, matched to a person's nearest word."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from io import BytesIO
from pathlib import Path
from typing import ClassVar, NamedTuple

import numpy as np

from sfumato.attacks.base import Person
from sfumato.attacks.linking import fusion
from sfumato.attacks.linking.cleaning import WORD, Ints, clean
from sfumato.attacks.linking.followed import Compares, Followed, MarginalGain
from sfumato.attacks.linking.fusion import in_deviations, learn_scale
from sfumato.attacks.linking.joint import JointLinking, TextScores
from sfumato.attacks.linking.ranking import RangeWeights, Scores, merge_range_weights, top_rows
from sfumato.attacks.linking.sparse import TfIdfAttack, fit_together
from sfumato.cache import SqliteStore, cache_key
from sfumato.models import word_vectors
from sfumato.models.base import Floats, Range
from sfumato.models.word_vectors import Vectors

DIMENSIONS = 96
"""Principal components that are kept of a word's vector."""
SAMPLE = 20_000
"""Words from which they are learned."""
COMMON = 0.3
"""Words that a larger share of people have are not compared."""
NEAR = 0.4
"""Cosines below this say nothing."""
CANDIDATES = 300
"""Among many people, those who are compared with a text: the likeliest by shared words, and as many drawn at random."""
READ_IN_FULL = 100
"""Among many people, texts that are compared with everyone, to learn people's means and deviations."""
MAX_FACTOR = 3.0
"""A network changes the weight of a word by e to this power at most."""
_BLOCK = 2**23
"""Cosines computed at once: bounds memory."""
_TEXTS = 256
"""Texts read at once."""
_CONTEXT = 300
"""Characters around new words of a text that is followed, which are read with them."""
_KEPT_NUMBERS = 2**25
"""Numbers (words times dimensions, and scores) of the texts that are remembered: an eighth of a gigabyte."""


class _ReadText(NamedTuple):
    """The words of a release that are compared, and how well everyone fits it."""

    starts: Ints
    ends: Ints
    weights: Floats
    """They sum to 1."""
    vectors: Vectors
    scores: Scores
    """Of each person, in the order of their ids; empty where they were not asked for."""

    @property
    def size(self) -> int:
        return self.vectors.size + self.scores.size


class LateInteractionAttack(JointLinking):
    """Link all texts at once by words that are near in meaning where they stand.

    A score is the sum over a text's words of rarity · max(0, cosine with the person's nearest word - NEAR), as a share
    of the sum of rarities; a word that a text has n times counts 1 + ln n times, shared by its occurrences. Rarity is
    ln((1 + people) / (1 + people who have the word)).
    """

    name: ClassVar[str] = "late-interaction"
    goal: ClassVar[str] = (
        "Find whom each text is about by words that mean what a person's words mean where they stand, with all texts "
        "at hand."
    )
    cite: ClassVar[str | None] = "khattab2020"
    compares: ClassVar[Compares] = "meaning"
    named_only: ClassVar[bool] = True
    """It reads the background by a network, which takes minutes where others take seconds."""

    def __init__(
        self, *, per_person: int | None = None, encoder: str | None = None, folder: str | Path | None = None
    ) -> None:
        """``per_person``: how many of the texts may be about one person; by default as for ``joint``. ``encoder``: a
        folder that ``training/link_encoder`` wrote, in place of the shipped masked language model. ``folder``: keeps
        the vectors of the background's words for later runs; it is confidential."""
        super().__init__(per_person)
        self._encoder = encoder
        self._store = None if folder is None else SqliteStore(Path(folder) / "word_vectors.sqlite").open()
        self._model = word_vectors.load(encoder)
        self._near = NEAR if self._model.near is None else self._model.near
        self._words = TfIdfAttack()
        self._mean: Vectors = np.zeros(0, np.float32)
        self._components: Vectors = np.zeros((0, 0), np.float32)
        self._known: Vectors = np.zeros((0, DIMENSIONS), np.float32)
        self._sizes: Ints = np.zeros(0, np.int64)
        self._read_texts: dict[str, _ReadText] = {}  # evidence is asked for after all scores, and by later rounds
        self._kept_numbers = 0

    def learn(self, people: Sequence[Person]) -> None:
        fit_together([self._words], people)
        self._people_with = _count_people(people)
        self._total = len(people)
        key = cache_key("word vectors", self._encoder, [(person.id, person.texts) for person in people]).encode()
        stored = None if self._store is None else self._store.get(key)
        if stored is None:
            self._read_background(people)
            if self._store is not None:
                file = BytesIO()
                np.savez(file, known=self._known, sizes=self._sizes, mean=self._mean, components=self._components)
                self._store.put(key, file.getvalue())
        else:
            arrays = np.load(BytesIO(stored))
            self._known, self._sizes = arrays["known"], arrays["sizes"]
            self._mean, self._components = arrays["mean"], arrays["components"]
        self._read_texts, self._kept_numbers = {}, 0

    def _read_background(self, people: Sequence[Person]) -> None:
        """The vectors of everyone's words, which takes minutes for megabytes."""
        vectors: list[Vectors] = []
        sizes = np.zeros(len(people), np.int64)
        for owners, texts in _batches(people):
            ranges = [self._compared(text) for text in texts]
            for owner, part in zip(owners, self._model.embed(list(zip(texts, ranges, strict=True))), strict=True):
                vectors.append(part)
                sizes[owner] += len(part)
        whole = np.concatenate(vectors)
        if self._model.near is None:
            self._learn_components(whole)
        self._known, self._sizes = self._reduce(whole), sizes

    def _learn_components(self, vectors: Vectors) -> None:
        """Of a network that was not trained to compare words: the directions in which people's words differ most."""
        drawn = vectors[np.random.default_rng(0).permutation(len(vectors))[:SAMPLE]]
        self._mean = drawn.mean(axis=0) if len(drawn) else np.zeros(self._model.dimensions, np.float32)
        centred = drawn - self._mean
        self._components = np.linalg.svd(centred.T @ centred)[0][:, :DIMENSIONS]

    def read(self, text: str) -> TextScores:
        """In standard deviations over people."""
        scores = self.raw_scores(text)
        return TextScores(in_deviations(scores, centred=True), scores > 0)

    @property
    def sample(self) -> int:
        return READ_IN_FULL if self._total > fusion.LARGE else super().sample

    def read_likely(self, text: str) -> TextScores:
        """Among many people the likeliest by shared words, in deviations over people who are drawn at random."""
        if self._total <= fusion.LARGE:
            return self.read(text)
        likely = top_rows(self._words.scores(text), CANDIDATES)
        drawn = np.random.default_rng(0).permutation(self._total)[:CANDIDATES]
        rows = np.union1d(np.array(likely, np.int64), drawn)
        some = self._scores_of(text, rows)
        scores, shared = np.zeros(self._total, np.float32), np.zeros(self._total, bool)
        scores[rows], shared[rows] = some, some > 0
        at_random = scores[drawn]
        return TextScores((scores - at_random.mean()) / (at_random.std() or np.float32(1)), shared)

    def _scores_of(self, text: str, rows: Ints) -> Scores:
        """``raw_scores`` of the people in some rows."""
        words_of_text = self._words_of(text)
        weights, vectors = words_of_text.weights, words_of_text.vectors
        sizes = self._sizes[rows]
        scores = np.zeros(len(rows), np.float32)
        owned = np.flatnonzero(sizes)
        if not len(owned) or not len(vectors):
            return scores
        first = np.cumsum(sizes) - sizes  # of each person's words among those that are compared
        starts = (np.cumsum(self._sizes) - self._sizes)[rows]
        words = np.arange(sizes.sum()) + np.repeat(starts - first, sizes)
        nearest = np.maximum.reduceat(vectors @ self._known[words].T, first[owned], axis=1)
        scores[owned] = weights @ np.maximum(nearest - self._near, 0)
        return scores

    def raw_scores(self, text: str) -> Scores:
        """How well each person fits a text, in the order of their ids; 0 where no word is near."""
        words = self._words_of(text)
        if not len(words.scores):
            words = words._replace(scores=(words.weights @ self.nearness(words.vectors)).astype(np.float32))
            self._remember(text, words)
        return words.scores

    def is_centred(self, texts: Sequence[str]) -> bool:
        """As links by shared words tell: of what kind the people are does not depend on the attack, and near words can
        be found of whoever has much text."""
        scores = [in_deviations(self._words.scores(text), centred=True) for text in texts]
        return learn_scale(np.stack(scores)).centred

    def evidence(self, text: str, row: int) -> RangeWeights:
        words = self._words_of(text)
        end = int(self._sizes[: row + 1].sum())
        known = self._known[end - int(self._sizes[row]) : end]
        nearest = (words.vectors @ known.T).max(axis=1, initial=0.0)
        parts = words.weights * np.maximum(nearest - self._near, 0)
        return merge_range_weights([RangeWeights(words.starts, words.ends, parts / (parts.sum() or 1))])

    def follow(self, text: str, subjects: Sequence[int], rank: int) -> FollowedLateInteraction:
        return FollowedLateInteraction(self, text)

    def compared_words(self, text: str) -> tuple[Ints, Ints, list[str]]:
        """The words of a release that are compared: their ranges, and their forms in lower case."""
        cleaned = clean(text)
        kept = [number for number, word in enumerate(cleaned.words) if self._is_rare(word)]
        return cleaned.starts[kept], cleaned.ends[kept], [cleaned.words[number].lower() for number in kept]

    def word_weights(self, forms: Sequence[str]) -> Floats:
        """What each word of a text counts: its rarity, shared by its occurrences."""
        if not forms:
            return np.zeros(0)
        _, which, counts = np.unique(np.array(forms, np.str_), return_inverse=True, return_counts=True)
        rarity = np.array([self._rarity(form) for form in forms])
        weights: Floats = rarity * (1 + np.log(counts))[which] / counts[which]
        return weights

    def word_vectors(self, text: str, ranges: Sequence[Range]) -> Vectors:
        """The vectors of words of a text, as they are compared."""
        (vectors,) = self._model.embed([(text, list(ranges))])
        return self._reduce(vectors)

    def nearness(self, vectors: Vectors) -> Scores:
        """[word, person]: how near each person's nearest word is, from 0 on."""
        near = np.zeros((len(vectors), self._total), np.float32)
        for first, last, start, end in self._blocks(max(1, len(vectors))):
            owned = np.flatnonzero(self._sizes[first:last])
            borders = np.cumsum(self._sizes[first:last])[owned] - self._sizes[first:last][owned]
            nearest = np.maximum.reduceat(vectors @ self._known[start:end].T, borders, axis=1)
            near[:, first + owned] = np.maximum(nearest - self._near, 0)
        return near

    def prepare(self, texts: Sequence[str]) -> None:
        """Read the words of several texts by several threads."""
        new = [text for text in dict.fromkeys(texts) if text not in self._read_texts]
        words = [self.compared_words(text) for text in new]
        ranges = [list(zip(starts.tolist(), ends.tolist(), strict=True)) for starts, ends, _ in words]
        embedded = self._model.embed(list(zip(new, ranges, strict=True)))
        for text, (starts, ends, forms), vectors in zip(new, words, embedded, strict=True):
            weights = self.word_weights(forms)
            if vectors.shape[1] > self._model.dimensions:  # the network also tells how much a word counts
                weights = weights * np.exp(np.clip(vectors[:, -1], -MAX_FACTOR, MAX_FACTOR))
            weights /= weights.sum() or 1
            self._remember(text, _ReadText(starts, ends, weights, self._reduce(vectors), np.zeros(0, np.float32)))

    def _words_of(self, text: str) -> _ReadText:
        if text not in self._read_texts:
            self.prepare([text])
        return self._read_texts[text]

    def _remember(self, text: str, words: _ReadText) -> None:
        """Keep what was read of a text, and forget the texts that were read first where it becomes too much."""
        if (before := self._read_texts.pop(text, None)) is not None:
            self._kept_numbers -= before.size
        self._read_texts[text] = words
        self._kept_numbers += words.size
        while self._kept_numbers > _KEPT_NUMBERS and len(self._read_texts) > 1:
            self._kept_numbers -= self._read_texts.pop(next(iter(self._read_texts))).size

    def _compared(self, text: str) -> list[Range]:
        return [match.span() for match in WORD.finditer(text) if self._is_rare(match.group())]

    def _is_rare(self, word: str) -> bool:
        return self._people_with.get(word.lower(), 0) <= max(1, COMMON * self._total)

    def _rarity(self, form: str) -> float:
        return float(np.log((1 + self._total) / (1 + self._people_with.get(form, 0))))

    def _reduce(self, vectors: Vectors) -> Vectors:
        trained = self._model.near is not None
        moved = vectors[:, : self._model.dimensions] if trained else (vectors - self._mean) @ self._components
        lengths = np.linalg.norm(moved, axis=1, keepdims=True)
        reduced: Vectors = (moved / np.where(lengths > 0, lengths, 1)).astype(np.float32)
        return reduced

    def _blocks(self, words: int) -> Iterator[tuple[int, int, int, int]]:
        """Ranges of people, and of their words, few enough to be compared with so many words at once."""
        ends = np.cumsum(self._sizes)
        first = start = 0
        while first < self._total:
            last = max(first + 1, int(np.searchsorted(ends, start + max(1, _BLOCK // words), "right")))
            end = int(ends[last - 1])
            if end > start:
                yield first, last, start, end
            first, start = last, end


class FollowedLateInteraction(Followed):
    """A text that changes, by the words that are near to its own, corrected as for the releases that were seen last.

    Words that stay keep the vectors they had; only new words are read, in the lines around them.
    """

    def __init__(self, attack: LateInteractionAttack, text: str) -> None:
        self._attack, self._scale = attack, attack.scale
        self._forms: list[str] = []
        self._near: Scores = np.zeros((0, len(self._scale.offset)), np.float32)
        self.change(text)

    def change(self, text: str) -> None:
        self._starts, ends, forms = self._attack.compared_words(text)
        self._near = self._nearness(text, forms, ends)
        self._forms = forms
        self._weights = self._attack.word_weights(forms)
        raw = self._weights @ self._near
        self._deviation = float(raw.std()) or 1.0
        corrected = self._scale.apply(((raw - raw.mean()) / self._deviation).astype(np.float32))
        self._shares = raw > 0
        self.scores: Floats = (corrected - corrected.min()).astype(np.float64)

    def _nearness(self, text: str, forms: list[str], ends: Ints) -> Scores:
        """[word, person]; of words that the text had before, as it was."""
        near = np.zeros((len(forms), self._near.shape[1]), np.float32)
        is_new = np.ones(len(forms), bool)
        for before, after, size in SequenceMatcher(None, self._forms, forms, autojunk=False).get_matching_blocks():
            near[after : after + size] = self._near[before : before + size]
            is_new[after : after + size] = False
        new = np.flatnonzero(is_new)
        if len(new):
            ranges = list(zip(self._starts[new].tolist(), ends[new].tolist(), strict=True))
            first, last = max(0, ranges[0][0] - _CONTEXT), ranges[-1][1] + _CONTEXT
            moved = [(start - first, end - first) for start, end in ranges]
            near[new] = self._attack.nearness(self._attack.word_vectors(text[first:last], moved))
        return near

    def score(self, row: int) -> float:
        return float(self.scores[row]) if self._shares[row] else 0.0

    def gain(self, row: int, rivals: Ints, places: Ints, count: int) -> MarginalGain:
        spread = self._scale.spread
        worth = self._near[:, row] / spread[row]
        if len(rivals):
            worth = worth - (self._near[:, rivals] / spread[rivals]).mean(axis=1)
        by_word = self._weights * worth / self._deviation
        place_of_word = places[self._starts] if len(self._starts) else np.zeros(0, np.int64)
        gain: Floats = np.bincount(place_of_word, by_word, count + 1).astype(np.float64)[:count]
        return MarginalGain(gain, gain)


def _count_people(people: Sequence[Person]) -> dict[str, int]:
    """How many people have each word."""
    counts: dict[str, int] = {}
    for person in people:
        for form in {word.lower() for text in person.texts for word in WORD.findall(text)}:
            counts[form] = counts.get(form, 0) + 1
    return counts


def _batches(people: Sequence[Person]) -> Iterator[tuple[list[int], list[str]]]:
    """Texts in batches, each with the row of its person."""
    owners, texts = list[int](), list[str]()
    for row, person in enumerate(people):
        owners += [row] * len(person.texts)
        texts += person.texts
        if len(texts) >= _TEXTS:
            yield owners, texts
            owners, texts = [], []
    if texts:
        yield owners, texts
