"""Patterns: a regular expression with validation and context words, and where in a text to search for it."""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, Literal

from sfumato.detectors.base import Threshold, resolve_threshold
from sfumato.detectors.rules.search import PatternSearch, Searchable, code_ranges
from sfumato.document import LABELS, Identifier, Span
from sfumato.errors import RecipeError, suggest
from sfumato.lexicon.tables import load_toml, words, words_of_all_languages

Scope = Literal["text", "codes"]

CONTEXT_STEP = 0.45
"""How much a context word nearby adds to a score, or takes from it."""
BEFORE, AFTER = 60, 25
"""How far, in characters, a context word may stand from the match."""

WordsNear = Callable[[int, int], str | None]
"""Where the context of a range is sought; None where it is the text around."""

THRESHOLDS = {"precise": 0.7, "balanced": 0.5, "leave-nothing": 0.3}
"""The named thresholds as the least score of a pattern's match."""

_PLACEHOLDER = re.compile(r"\{\{(~?)([\w.:]+)\}\}")


def minimum_score(threshold: Threshold) -> float:
    """The least score of a pattern's match at a threshold."""
    return resolve_threshold(threshold, THRESHOLDS)


@dataclass(frozen=True)
class Pattern(Searchable):
    """One kind of personal information and how to recognise it.

    The span is the group ``value`` of the regex where it has one, else the whole match. ``validate`` drops a match by
    returning False. A word of ``context`` nearby raises the score, one of ``against`` lowers it.

    With the scope "codes" a match counts only within a run of digits and capitals with at least five digits, or four
    beside letters.
    """

    name: str
    label: str
    regex: str
    identifier: Identifier | None = "direct"
    score: float = 0.6
    context: Sequence[str] = ()
    against: Sequence[str] = ()
    validate: Callable[[str], bool] | None = None
    scope: Scope = "text"

    def __post_init__(self) -> None:
        if self.label not in LABELS:
            raise RecipeError(f"pattern {self.name!r}: label {self.label!r} is unknown; {suggest(self.label, LABELS)}")
        if not 0.0 <= self.score <= 1.0:
            raise RecipeError(f"pattern {self.name!r}: a score lies between 0 and 1, got {self.score}")

    @property
    def kinds(self) -> frozenset[str]:
        """The kinds of its matches."""
        return frozenset({self.name})

    @cached_property
    def compiled(self) -> re.Pattern[str]:
        """The compiled regex. Compiled on first use: most texts need few of the built-in patterns."""
        try:
            return re.compile(self.regex)
        except (re.error, OverflowError) as problem:
            raise RecipeError(
                f"pattern {self.name!r}: its regex does not compile ({problem}); correct the regex"
            ) from problem

    @cached_property
    def _group(self) -> str | int:
        return "value" if "value" in self.compiled.groupindex else 0

    def span_of(self, text: str, match: re.Match[str], words_near: WordsNear | None = None) -> Span | None:
        """The span of a match of this pattern's regex, or None for a match that is invalid or scores zero."""
        start, end = match.span(self._group)
        if start == end:
            return None
        score = self._score(text, start, end, match[self._group], words_near)
        if score <= 0.0:
            return None
        return Span(start, end, self.label, self.identifier, score, f"rules:{self.kind_of(match)}")

    def kind_of(self, match: re.Match[str]) -> str:
        """The kind of a match: the pattern's name."""
        return self.name

    def _score(self, text: str, start: int, end: int, value: str, words_near: WordsNear | None) -> float:
        score = self.score
        if self.validate is not None and not self.validate(value):
            return 0.0
        if self.context or self.against:
            near = words_near(start, end) if words_near is not None else None
            if near is None:
                near = f"{text[max(0, start - BEFORE) : start]}\n{text[end : end + AFTER]}"
            if self.context and _word_finder(tuple(self.context)).search(near):
                score += CONTEXT_STEP
            if self.against and _word_finder(tuple(self.against)).search(near):
                score -= CONTEXT_STEP
        return min(1.0, max(0.0, score))


@cache
def _word_finder(phrases: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(rf"(?i)(?<![^\W\d_])(?:{alternatives(phrases)})(?![^\W\d_])")


def word_list(key: str, *languages: str) -> tuple[str, ...]:
    """The words under ``key`` in ``lexicon/data/<language>/detection.toml``, by default of all languages."""
    if not languages:
        return words_of_all_languages("detection", key)
    return tuple(word for language in languages for word in words("detection", key, language))


def any_of(phrases: Iterable[str]) -> str:
    """A regex group for any of the words, the longest first, spaces as they are."""
    return f"(?:{'|'.join(re.escape(word) for word in sorted(set(phrases), key=lambda word: (-len(word), word)))})"


def alternatives(phrases: Iterable[str]) -> str:
    """A regex for any of the words, the longest first; a space stands for white space within a line.

    Shared beginnings are tried once, which makes long lists several times faster than ``any_of``.
    """
    tree: dict[str, Any] = {}
    for phrase in phrases:
        node = tree
        for letter in phrase:
            node = node.setdefault(letter, {})
        node[""] = {}
    return _tree_regex(tree)


def _tree_regex(node: dict[str, Any]) -> str:
    branches = [
        (r"[ \t\u00a0]+" if letter == " " else re.escape(letter)) + _tree_regex(below)
        for letter, below in sorted(node.items())
        if letter
    ]
    if not branches:
        return ""
    if "" in node:
        return f"(?:{'|'.join(branches)})?"
    return branches[0] if len(branches) == 1 else f"(?:{'|'.join(branches)})"


def load_patterns(topic: str, *validators: Callable[[str], bool], **fragments: str) -> tuple[Pattern, ...]:
    """The patterns of ``detectors/data/all/<topic>.toml``; ``patterns.toml`` there says what the fields mean.

    ``validators`` are the functions that the file may name; ``fragments`` are parts of regular expressions that it may
    use besides its own.
    """
    table = load_toml(topic, package="sfumato.detectors")
    functions = {function.__name__: function for function in validators}
    patterns = []
    for entry in table["pattern"]:
        options = {"label": "CODE", **table.get("defaults", {}), **entry}
        options["regex"] = expand(entry["regex"], {**fragments, **table.get("fragments", {})})
        for key in ("context", "against"):
            words = entry.get(key, ())
            options[key] = word_list(words) if isinstance(words, str) else words
        if "checker" in entry:
            options["validate"] = checker(options.pop("checker"))
        elif "validate" in entry:
            options["validate"] = functions[entry["validate"]]
        patterns.append(Pattern(**options))
    return tuple(patterns)


def expand(regex: str, fragments: Mapping[str, str]) -> str:
    """A regex of a data file with its placeholders replaced by fragments and word lists."""

    def replacement(placeholder: re.Match[str]) -> str:
        as_tree, name = placeholder.groups()
        if name in fragments:
            return expand(fragments[name], fragments)
        return alternatives(word_list(name)) if as_tree else any_of(word_list(name))

    return _PLACEHOLDER.sub(replacement, regex)


def checker(module: str) -> Callable[[str], bool]:
    """The ``is_valid`` function of a python-stdnum module, which is imported on its first call."""

    def is_valid(number: str) -> bool:
        return bool(importlib.import_module(f"stdnum.{module}").is_valid(number))

    return is_valid


class PatternSet:
    """Patterns that are searched for together, each in its scope."""

    def __init__(self, patterns: Iterable[Pattern]) -> None:
        self.patterns = tuple(patterns)
        self._search = PatternSearch(pattern for pattern in self.patterns if pattern.scope == "text")
        self._of_codes = [pattern for pattern in self.patterns if pattern.scope == "codes"]

    def find(self, text: str, words_near: WordsNear | None = None) -> list[Span]:
        """The spans of all valid matches, in no particular order; they may overlap."""
        matches = (*self._search.find(text), *self._find_codes(text))
        spans = (pattern.span_of(text, match, words_near) for pattern, match in matches)
        return [span for span in spans if span is not None]

    def _find_codes(self, text: str) -> Iterator[tuple[Pattern, re.Match[str]]]:
        ranges = code_ranges(text) if self._of_codes else ()
        for pattern in self._of_codes if ranges else ():
            search = pattern.compiled.search
            for start, end in ranges:
                if search(text, start, end):  # most have no match, and search is cheaper than finditer
                    for match in pattern.compiled.finditer(text, start, end):
                        yield pattern, match
