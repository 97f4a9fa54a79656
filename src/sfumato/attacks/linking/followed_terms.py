"""The terms of one document's text as a linking attack counts them, counted again only where the text changed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from sfumato.attacks.linking.cleaning import Ints, TextTokens
from sfumato.attacks.linking.terms import Query, Terms, find_terms
from sfumato.attacks.linking.weighting import Weighting, raw_weights
from sfumato.models.base import Floats

_AGREEING = 4
"""Words in a row that must be the same for two texts to agree again after a change."""
_FARTHEST = 60
"""Words of both texts together after which they must agree again; else all the rest counts as changed."""
_LARGE_CHANGE = 0.5
"""The share of a text above which all of it is counted again."""


class ChangedWords(NamedTuple):
    """A range of words of the text before, and the range that stands there now."""

    old_start: int
    old_end: int
    new_start: int
    new_end: int


class TermChange(NamedTuple):
    """Terms whose counts changed, sorted, and by how much their weights did."""

    terms: Ints
    weights: Floats


class FollowedTerms:
    """The different terms of a text that changes, sorted, with their counts and raw weights."""

    def __init__(self, terms: Terms, weighting: Weighting) -> None:
        self._family, self._weighting = terms, weighting
        self._tokens: TextTokens | None = None
        self._words: Ints = np.zeros(0, np.int64)
        self._query: Query | None = None
        self.terms: Ints = np.zeros(0, np.int64)
        self.counts: Ints = np.zeros(0, np.int64)
        self.weights: Floats = np.zeros(0)

    @property
    def starts(self) -> Ints:
        """Where each word of the text starts."""
        assert self._tokens is not None, "call update first"
        return self._tokens.starts

    @property
    def query(self) -> Query:
        """All of the text, with the places of its terms: looked up when it is asked for."""
        assert self._tokens is not None, "call update first"
        if self._query is None:
            self._query = find_terms(self._family, self._tokens, self._weighting.raw)
        return self._query

    def update(self, tokens: TextTokens) -> TermChange:
        """Take the words of the current text; what changed since the last one."""
        before, words_before = self._tokens, self._words
        self._tokens, self._words, self._query = tokens, self._comparable(tokens), None
        if before is None:
            return self._count_all()
        changes = find_changes(words_before, self._words)
        old_ranges, new_ranges = self._affected(before, tokens, changes)
        if sum(end - start for start, end in new_ranges) > _LARGE_CHANGE * len(tokens):
            return self._count_all()
        return self._add(self._count(before, old_ranges), self._count(tokens, new_ranges))

    def _comparable(self, tokens: TextTokens) -> Ints:
        """A number for each word, the same for words that mean the same to the attack, and whether a segment begins."""
        numbers = tokens.ids
        if self._family.reads_unknown:
            numbers = np.fromiter(map(hash, tokens.forms), np.int64, len(tokens))
        begins = np.diff(tokens.segment, prepend=-1) != 0
        comparable: Ints = (numbers << 1) + begins
        return comparable

    def _count_all(self) -> TermChange:
        before, query = (self.terms, self.weights), self.query
        self.terms, self.counts = query.terms, query.counts
        self.weights = query.weights.astype(np.float64)
        terms = np.union1d(before[0], self.terms)
        change = np.zeros(len(terms))
        change[np.searchsorted(terms, self.terms)] += self.weights
        change[np.searchsorted(terms, before[0])] -= before[1]
        changed = np.flatnonzero(change)
        return TermChange(terms[changed], change[changed])

    def _affected(
        self, before: TextTokens, after: TextTokens, changes: Sequence[ChangedWords]
    ) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
        """The words of both texts whose terms may have changed: with a change, those that a term reaches."""
        reach = self._family.reach
        old_kept, new_kept = self._family.kept(before.ids), self._family.kept(after.ids)
        old_ranges, new_ranges = list[tuple[int, int]](), list[tuple[int, int]]()
        for change in changes:
            old = _widened(old_kept, change.old_start, change.old_end, reach, len(before))
            new = _widened(new_kept, change.new_start, change.new_end, reach, len(after))
            if old_ranges and (old[0] < old_ranges[-1][1] or new[0] < new_ranges[-1][1]):
                old_ranges[-1] = old_ranges[-1][0], old[1]
                new_ranges[-1] = new_ranges[-1][0], new[1]
            else:
                old_ranges.append(old)
                new_ranges.append(new)
        return old_ranges, new_ranges

    def _count(self, tokens: TextTokens, ranges: Sequence[tuple[int, int]]) -> tuple[Ints, Ints]:
        """The different terms within some ranges of words, and their counts."""
        parts = [np.arange(start, end) for start, end in ranges]
        words = np.concatenate([np.zeros(0, np.int64), *parts])
        offset = np.repeat(np.arange(len(parts)) * (len(tokens) + 1), [len(part) for part in parts])
        forms = [tokens.forms[number] for number in words.tolist()]
        in_ranges = TextTokens(
            tokens.ids[words], tokens.segment[words] + offset, tokens.starts[words], tokens.ends[words], forms
        )
        terms, counts = np.unique(self._family.find(in_ranges).term, return_counts=True)
        return terms, counts

    def _add(self, removed: tuple[Ints, Ints], added: tuple[Ints, Ints]) -> TermChange:
        """Change the counts of some terms."""
        touched = np.union1d(removed[0], added[0])
        change = np.zeros(len(touched), np.int64)
        change[np.searchsorted(touched, added[0])] += added[1]
        change[np.searchsorted(touched, removed[0])] -= removed[1]
        touched, change = touched[change != 0], change[change != 0]
        place = np.searchsorted(self.terms, touched)
        is_known = place < len(self.terms)
        is_known[is_known] = self.terms[place[is_known]] == touched[is_known]
        counts, weights_before = change.copy(), np.zeros(len(touched))
        counts[is_known] += self.counts[place[is_known]]
        weights_before[is_known] = self.weights[place[is_known]]
        weights = raw_weights(self._weighting, touched, counts)
        stays = is_known & (counts > 0)
        self.counts, self.weights = self.counts.copy(), self.weights.copy()
        self.counts[place[stays]], self.weights[place[stays]] = counts[stays], weights[stays]
        kept = np.ones(len(self.terms), bool)
        kept[place[is_known & (counts == 0)]] = False
        new = ~is_known
        inserted = place[new] - np.cumsum(np.concatenate([[0], ~kept]))[place[new]]
        self.terms = np.insert(self.terms[kept], inserted, touched[new])
        self.counts = np.insert(self.counts[kept], inserted, counts[new])
        self.weights = np.insert(self.weights[kept], inserted, weights[new])
        return TermChange(touched, weights - weights_before)


def _widened(kept: Ints, start: int, end: int, reach: int, length: int) -> tuple[int, int]:
    """A range of words with so many more on either side; only words that are ``kept`` count."""
    if not reach:
        return start, end
    first = int(np.searchsorted(kept, start)) - reach
    last = int(np.searchsorted(kept, end)) + reach - 1
    return (int(kept[first]) if first >= 0 else 0), (int(kept[last]) + 1 if last < len(kept) else length)


def find_changes(before: Ints, after: Ints) -> list[ChangedWords]:
    """Where two rows of numbers differ, from left to right; between the ranges they are the same."""
    size = min(len(before), len(after))
    same_end = _first_difference(before[::-1][:size], after[::-1][:size])
    old_end, new_end = len(before) - same_end, len(after) - same_end
    changes = list[ChangedWords]()
    old = new = 0
    while True:
        size = min(old_end - old, new_end - new)
        same = _first_difference(before[old : old + size], after[new : new + size])
        old, new = old + same, new + same
        if old == old_end and new == new_end:
            return changes
        window = _FARTHEST + _AGREEING
        agreement = _next_agreement(
            before[old : min(old_end, old + window)].tolist(), after[new : min(new_end, new + window)].tolist()
        )
        old_next, new_next = (old_end, new_end) if agreement is None else (old + agreement[0], new + agreement[1])
        changes.append(ChangedWords(old, old_next, new, new_next))
        old, new = old_next, new_next


def _first_difference(first: Ints, second: Ints) -> int:
    """The index of the first difference of rows that are equally long; their length where there is none."""
    differs = first != second
    index = int(differs.argmax()) if len(differs) else 0
    return index if len(differs) and differs[index] else len(differs)


def _next_agreement(before: list[int], after: list[int]) -> tuple[int, int] | None:
    """How many words to leave out on either side, in all as few as possible, for the next ones to be the same."""
    for left_out in range(1, _FARTHEST):
        for old in range(max(0, left_out - len(after)), min(left_out, len(before)) + 1):
            row = before[old : old + _AGREEING]
            if len(row) == _AGREEING and row == after[left_out - old : left_out - old + _AGREEING]:
                return old, left_out - old
    return None
