"""Patterns as data: a regular expression, what makes a match believable, and what does not."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, Literal, get_args

from sfumato.detectors.base import Threshold, score_at
from sfumato.document import LABELS, Identifier, Span
from sfumato.errors import RecipeError, suggest

Scope = Literal["text", "script", "near numbers", "at numbers", "codes"]

CONTEXT_STEP = 0.45
"""How much a context word nearby adds to a score, or takes from it."""
BEFORE, AFTER = 60, 25
"""How far, in characters, a context word may stand from the match."""

_REACH = 32
_NUMBER = re.compile(r"[0-9]++")
# Possessive, so that a text full of digits costs one pass and no memory.
_NUMBERS = re.compile(r"[0-9](?:[^0-9]{0,64}+[0-9])*+")
# Pieces that hold a digit or are short and in capitals, each at most a separator or two apart.
_PIECE = r"(?:[A-Za-z]{0,6}[0-9][A-Za-z0-9]{0,39}|[A-Z]{1,6})(?![^\W_])"
_CODES = re.compile(rf"(?<!\w)[+(]{{0,2}}{_PIECE}(?:[ \u00a0./()·*-]{{1,3}}{_PIECE})*+")


_BEYOND_LATIN = re.compile("[\u0370-\u1cff\u1f00-\u1fff\u2e80-\ud7ff\U00020000-\U0002ffff]")

STOPS = {"precise": 0.7, "balanced": 0.5, "leave-nothing": 0.3}
"""The dial's stops, as the least score of a pattern's match."""


def least_score(threshold: Threshold) -> float:
    """What the dial means for scores of patterns."""
    return score_at(threshold, STOPS)


@dataclass(frozen=True)
class Pattern:
    """One kind of personal information and how to recognise it.

    The span is the regex's group ``value`` where it has one, else the whole match. A ``validate`` that says no drops
    the match; one that says yes gives it ``validated_score``. A word of ``context`` nearby raises the score, one of
    ``against`` lowers it.

    ``scope`` keeps the built-in patterns fast: "text" looks everywhere, "near numbers" only around digits, "at numbers"
    only where a number begins, "codes" only in runs of digits and capitals with at least five digits (four beside
    letters), "script" only in texts that go beyond the Latin script. ``needs`` names strings of which the text must
    hold one.
    """

    name: str
    label: str
    regex: str
    identifier: Identifier | None = "direct"
    score: float = 0.6
    context: Sequence[str] = ()
    against: Sequence[str] = ()
    validate: Callable[[str], bool] | None = None
    validated_score: float | None = None
    scope: Scope = "text"
    needs: Sequence[str] = ()

    def __post_init__(self) -> None:
        if self.label not in LABELS:
            raise RecipeError(f"pattern {self.name!r}: label {self.label!r} is unknown; {suggest(self.label, LABELS)}")
        if not 0.0 <= self.score <= 1.0:
            raise RecipeError(f"pattern {self.name!r}: a score lies between 0 and 1, got {self.score}")
        try:
            _compiled(self.regex)
        except (re.error, OverflowError) as problem:
            raise RecipeError(
                f"pattern {self.name!r}: its regex does not compile ({problem}); correct the regex"
            ) from problem

    @property
    def kinds(self) -> frozenset[str]:
        """The kinds of its matches."""
        return frozenset({self.name})

    @cached_property
    def compiled(self) -> re.Pattern[str]:
        return _compiled(self.regex)

    @cached_property
    def _group(self) -> str | int:
        return "value" if "value" in self.compiled.groupindex else 0

    def span_of(self, text: str, match: re.Match[str]) -> Span | None:
        """The span of a match of this pattern's regex, or None where the match is not believable."""
        start, end = match.span(self._group)
        if start == end:
            return None
        score = self._score(text, start, end, match[self._group])
        if score <= 0.0:
            return None
        return Span(start, end, self.label, self.identifier, score, f"rules:{self.kind_of(match)}")

    def kind_of(self, match: re.Match[str]) -> str:
        """The kind of a match: the pattern's name."""
        return self.name

    def _score(self, text: str, start: int, end: int, value: str) -> float:
        score = self.score
        if self.validate is not None:
            if not self.validate(value):
                return 0.0
            score = self.score if self.validated_score is None else self.validated_score
        if self.context or self.against:
            near = f"{text[max(0, start - BEFORE) : start]}\n{text[end : end + AFTER]}"
            if self.context and _word_finder(tuple(self.context)).search(near):
                score += CONTEXT_STEP
            if self.against and _word_finder(tuple(self.against)).search(near):
                score -= CONTEXT_STEP
        return min(1.0, max(0.0, score))


@cache
def _compiled(regex: str) -> re.Pattern[str]:
    return re.compile(regex)


@cache
def _word_finder(words: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(rf"(?i)(?<![^\W\d_])(?:{alternatives(words)})(?![^\W\d_])")


def alternatives(words: Iterable[str]) -> str:
    """A regex body for any of the words, the longest first; a space stands for white space within a line.

    Shared beginnings are tried once: that makes long lists several times faster than a plain alternation.
    """
    tree: dict[str, Any] = {}
    for word in words:
        node = tree
        for letter in word:
            node = node.setdefault(letter, {})
        node[""] = {}
    return _branch(tree)


def _branch(node: dict[str, Any]) -> str:
    ways = [
        (r"[ \t\u00a0]+" if letter == " " else re.escape(letter)) + _branch(below)
        for letter, below in sorted(node.items())
        if letter
    ]
    if not ways:
        return ""
    if "" in node:
        return f"(?:{'|'.join(ways)})?"
    return ways[0] if len(ways) == 1 else f"(?:{'|'.join(ways)})"


class Places:
    """Where in a text the patterns of each scope have to look; worked out once for all of them."""

    def __init__(self, text: str) -> None:
        self.numbers = [match.start() for match in _NUMBER.finditer(text)]
        size = len(text)
        # Windows do not overlap: digits less than two reaches apart share one.
        self.windows = [(max(0, m.start() - _REACH), min(size, m.end() + _REACH)) for m in _NUMBERS.finditer(text)]
        self.codes = [
            match.span()
            for start, end in self.windows
            for match in _CODES.finditer(text, start, end)
            if _may_be_a_code(match.group())
        ]


def _may_be_a_code(chunk: str) -> bool:
    digits = sum(map(str.isdigit, chunk))
    return digits > 4 or (digits == 4 and any(map(str.isalpha, chunk)))


class PatternSet:
    """Patterns that are looked for together, each only where it can be."""

    def __init__(self, patterns: Iterable[Pattern]) -> None:
        self.patterns = tuple(patterns)
        self._by_scope = {scope: [p for p in self.patterns if p.scope == scope] for scope in get_args(Scope)}

    def find(self, text: str) -> list[Span]:
        """All believable matches, in no particular order; they may overlap."""
        found = (pattern.span_of(text, match) for pattern, match in self._matches(text))
        return [span for span in found if span is not None]

    def _matches(self, text: str) -> Iterator[tuple[Pattern, re.Match[str]]]:
        for pattern in self._possible("text", text):
            for match in pattern.compiled.finditer(text):
                yield pattern, match
        if not text.isascii() and _BEYOND_LATIN.search(text):
            for pattern in self._possible("script", text):
                for match in pattern.compiled.finditer(text):
                    yield pattern, match
        places = Places(text)
        for pattern in self._possible("at numbers", text) if places.numbers else ():
            match_at = pattern.compiled.match
            for start in places.numbers:
                if at := match_at(text, start):
                    yield pattern, at
        for scope, ranges in (("near numbers", places.windows), ("codes", places.codes)):
            for pattern in self._possible(scope, text) if ranges else ():
                search = pattern.compiled.search
                for start, end in ranges:
                    if search(text, start, end):  # most hold nothing: cheaper asked this way
                        for match in pattern.compiled.finditer(text, start, end):
                            yield pattern, match

    def _possible(self, scope: str, text: str) -> Iterator[Pattern]:
        for pattern in self._by_scope[scope]:
            if not pattern.needs or any(needed in text for needed in pattern.needs):
                yield pattern
