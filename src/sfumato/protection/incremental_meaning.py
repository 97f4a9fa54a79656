"""Incremental attacks by meaning: embeddings of chunks and of words that follow each change of one document's text."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher

import numpy as np

from sfumato.attacks.linking import cleaning
from sfumato.attacks.linking.cleaning import Ints
from sfumato.attacks.linking.dense import DenseAttack, Vectors, remove_ranges
from sfumato.attacks.linking.late_interaction import LateInteractionAttack
from sfumato.attacks.linking.ranking import Scores
from sfumato.models.base import Floats, Range
from sfumato.protection.incremental import MarginalGain, SubjectRank, rank_subject, rivals_to_pass

_ROUNDING = 1e-4
"""A sum of vectors shorter than this is none."""
_FEWEST_RIVALS = 60
_CONTEXT = 300
"""Characters around new words that are read with them."""


class IncrementalLateInteractionAttack:
    """The scores of a late-interaction attack on one document, corrected as for the releases that it last saw.

    Words that stay keep the vectors they had; only new words are read, in the lines around them.
    """

    def __init__(self, name: str, attack: LateInteractionAttack, subjects: Sequence[int], rank: int) -> None:
        assert attack.scale is not None, "run the attack first"
        self.name = name
        self._attack, self._scale, self._subjects, self._rank = attack, attack.scale, tuple(subjects), rank
        is_other = np.ones(len(self._scale.offset), bool)
        is_other[list(subjects)] = False
        self._others: Ints = np.flatnonzero(is_other)
        self._forms: list[str] = []
        self._near: Scores = np.zeros((0, len(is_other)), np.float32)

    def update(self, text: str) -> None:
        self._starts, ends, forms = self._attack.compared_words(text)
        self._near = self._nearness(text, forms, ends)
        self._forms = forms
        self._weights = self._attack.word_weights(forms)
        raw = self._weights @ self._near
        self._deviation = float(raw.std()) or 1.0
        corrected = self._scale.apply(((raw - raw.mean()) / self._deviation).astype(np.float32))
        self._shares = raw > 0
        self._scores: Floats = (corrected - corrected.min()).astype(np.float64)

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

    def ranks(self) -> list[SubjectRank]:
        others = self._scores[self._others]
        return [rank_subject(row, self._score(row), others, self._rank) for row in self._subjects]

    def _score(self, row: int) -> float:
        """0 where no word is near to one of the person's: the attack does not guess them."""
        return float(self._scores[row]) if self._shares[row] else 0.0

    def marginal_gain(self, row: int, places: Ints, count: int) -> MarginalGain:
        rivals = self._others[rivals_to_pass(self._scores[self._others], self._score(row), self._rank)]
        return self._gain(row, rivals, places, count)

    def own_contribution(self, row: int, places: Ints, count: int) -> MarginalGain:
        return self._gain(row, np.zeros(0, np.int64), places, count)

    def _gain(self, row: int, rivals: Ints, places: Ints, count: int) -> MarginalGain:
        spread = self._scale.spread
        worth = self._near[:, row] / spread[row]
        if len(rivals):
            worth = worth - (self._near[:, rivals] / spread[rivals]).mean(axis=1)
        by_word = self._weights * worth / self._deviation
        place_of_word = places[self._starts] if len(self._starts) else np.zeros(0, np.int64)
        gain: Floats = np.bincount(place_of_word, by_word, count + 1).astype(np.float64)[:count]
        return MarginalGain(gain, gain)


class IncrementalDenseAttack:
    """An attack by embeddings on one document: a place's part of the score is found by leaving the place out.

    Subjects are compared with the people who fitted best at the start: whoever is left out could only hide a subject
    better. Where the embedder adds up the vectors of words, no text is embedded twice.
    """

    def __init__(self, name: str, attack: DenseAttack, subjects: Sequence[int], rank: int) -> None:
        self.name = name
        self._attack, self._subjects, self._rank = attack, tuple(subjects), rank
        self._embed = SummedChunks(attack) if hasattr(attack.embedder, "sums") else EmbeddedChunks(attack)
        self._text = ""
        self._rows: Ints = np.zeros(0, np.int64)
        self._reduced_text: str | None = None

    def update(self, text: str) -> None:
        self._text = text
        self._chunks, self._vectors = self._embed.chunks(text)
        if not len(self._rows):
            self._choose_rivals(self._attack.all_scores(text))
        self._scores = self._scores_of_all()

    def _choose_rivals(self, scores: Scores) -> None:
        """The subjects first, then the others who fit best."""
        size = min(len(scores), len(self._subjects) + max(_FEWEST_RIVALS, 3 * self._rank))
        order = np.argsort(-scores, kind="stable")
        others = order[~np.isin(order, self._subjects)]
        self._rows = np.concatenate([np.array(self._subjects, np.int64), others])[:size]
        self._index = {int(row): index for index, row in enumerate(self._rows)}
        known = [self._attack.known_vectors(int(row)) for row in self._rows]
        self._known = np.concatenate(known)
        self._starts = np.cumsum([0, *map(len, known)])

    def ranks(self) -> list[SubjectRank]:
        count = len(self._subjects)
        others = self._scores[count:]
        scores = zip(self._subjects, self._scores.tolist(), strict=False)
        return [rank_subject(row, score, others, self._rank) for row, score in scores]

    def marginal_gain(self, row: int, places: Ints, count: int) -> MarginalGain:
        subject, first = self._index[row], len(self._subjects)
        rivals = first + rivals_to_pass(self._scores[first:], float(self._scores[subject]), self._rank)
        return self._gain(subject, rivals, places, count)

    def own_contribution(self, row: int, places: Ints, count: int) -> MarginalGain:
        return self._gain(self._index[row], np.zeros(0, np.int64), places, count)

    def _gain(self, subject: int, rivals: Ints, places: Ints, count: int) -> MarginalGain:
        """By place, how much a person's score falls without it, less how much the rivals' mean falls.

        As far as what is known of each of them that is nearest to a chunk stays the same: a bound, and far faster.
        """
        rows = np.concatenate([[subject], rivals])
        share = np.concatenate([[1.0], np.full(len(rivals), -1 / max(1, len(rivals)))])
        gain = np.zeros(count)
        nearest_chunks = self._nearest_chunks(rows)
        for number, (numbers, reduced) in enumerate(self._reduced_chunks(places, count)):
            if len(numbers):
                known = nearest_chunks[number]  # [row, dimension]
                before = np.maximum(known @ self._vectors[number], 0)
                gain[numbers] += (before - np.maximum(reduced @ known.T, 0)) @ share / len(self._chunks)
        return MarginalGain(gain, gain)

    def _nearest_chunks(self, rows: Ints) -> Vectors:
        """[chunk, row, dimension]: of what is known of each person, what is nearest to each chunk of the text."""
        nearest = [
            self._known[
                self._starts[row]
                + (self._vectors @ self._known[self._starts[row] : self._starts[row + 1]].T).argmax(axis=1)
            ]
            for row in rows
        ]
        stacked: Vectors = np.stack(nearest, axis=1)
        return stacked

    def _scores_of_all(self) -> Floats:
        """By candidate, the mean over chunks of the cosine with their nearest chunk; 0 where it is negative."""
        if not len(self._vectors):
            return np.zeros(len(self._rows))
        cosines = np.maximum.reduceat(self._vectors @ self._known.T, self._starts[:-1], axis=1)
        scores: Floats = np.maximum(cosines, 0).mean(axis=0, dtype=np.float64)
        return scores

    def _reduced_chunks(self, places: Ints, count: int) -> list[tuple[list[int], Vectors]]:
        """For each chunk its places, and its vectors without each of them; computed once per text."""
        if self._reduced_text != self._text:
            self._reduced = [
                (list(ranges), self._embed.without(self._text, chunk, list(ranges.values())))
                for chunk in self._chunks
                for ranges in [_place_ranges(places[chunk[0] : chunk[1]], chunk[0], count)]
            ]
            self._reduced_text = self._text
        return self._reduced


class EmbeddedChunks:
    """Chunks of a document as a dense attack compares them, by any embedder; each text is embedded once."""

    def __init__(self, attack: DenseAttack) -> None:
        self._attack = attack
        self._known: dict[str, Vectors] = {}

    def chunks(self, text: str) -> tuple[list[Range], Vectors]:
        ranges, hidden = self._attack.chunks(text), cleaning.placeholders(text)
        return ranges, self._vectors([remove_ranges(text, chunk, hidden) for chunk in ranges])

    def without(self, text: str, chunk: Range, parts: Sequence[Range]) -> Vectors:
        """The vectors of a chunk without each of its parts."""
        hidden = cleaning.placeholders(text)
        return self._vectors([remove_ranges(text, chunk, sorted([*hidden, part])) for part in parts])

    def _vectors(self, texts: Sequence[str]) -> Vectors:
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        if new:
            self._known.update(zip(new, self._attack.vectors(new), strict=True))
        return np.stack([self._known[text] for text in texts]) if texts else self._attack.vectors([])


class SummedChunks:
    """The same where the embedder adds up the vectors of words: words are looked up once, and taken away again."""

    def __init__(self, attack: DenseAttack) -> None:
        self._attack, self._sums = attack, getattr(attack.embedder, "sums")  # noqa: B009 - not every embedder has it
        self._words: dict[str, Vectors] = {}
        self._chunk_sums: dict[Range, Vectors] = {}

    def chunks(self, text: str) -> tuple[list[Range], Vectors]:
        ranges, self._hidden = self._attack.chunks(text), cleaning.placeholders(text)
        sums = self._sums_of([remove_ranges(text, chunk, self._hidden) for chunk in ranges])
        self._chunk_sums = dict(zip(ranges, sums, strict=True))
        return ranges, self._centered(sums)

    def without(self, text: str, chunk: Range, parts: Sequence[Range]) -> Vectors:
        """The vectors of a chunk without each of its parts."""
        hidden = [place for place in self._hidden if chunk[0] <= place[0] and place[1] <= chunk[1]]
        removed = [remove_ranges(text, part, _inside(part, hidden)) for part in parts]
        return self._centered(self._chunk_sums[chunk] - self._sums_of(removed))

    def _sums_of(self, texts: Sequence[str]) -> Vectors:
        words = [text.split() for text in texts]
        new = list(dict.fromkeys(word for row in words for word in row if word not in self._words))
        if new or not self._words:
            self._words.update(zip(["", *new], self._sums(["", *new]), strict=True))
        nothing = self._words[""]
        if not words:
            return np.zeros((0, len(nothing)), np.float32)
        return np.stack([np.sum([self._words[word] for word in row], axis=0) if row else nothing for row in words])

    def _centered(self, sums: Vectors) -> Vectors:
        lengths = np.linalg.norm(sums, axis=1, keepdims=True)
        # What rounding leaves of a sum whose words were all taken away is nothing.
        return self._attack.center(np.where(lengths > _ROUNDING, sums / np.maximum(lengths, _ROUNDING), 0))


def _inside(part: Range, hidden: Sequence[Range]) -> list[Range]:
    """The hidden ranges as far as they lie inside a part."""
    cut = [(max(start, part[0]), min(end, part[1])) for start, end in hidden]
    return [(start, end) for start, end in cut if start < end]


def _place_ranges(places: Ints, start: int, count: int) -> dict[int, tuple[int, int]]:
    """The range of each place in a part of the text that begins at ``start``."""
    borders = np.flatnonzero(np.diff(places)) + 1
    ranges: dict[int, tuple[int, int]] = {}
    for first, last in zip([0, *borders.tolist()], [*borders.tolist(), len(places)], strict=True):
        if first < last and places[first] != count:
            ranges[int(places[first])] = (start + first, start + last)
    return ranges
