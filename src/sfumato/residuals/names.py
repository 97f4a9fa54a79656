"""Ids and names of files and columns: whether they carry something personal, or repeat what was replaced."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from functools import lru_cache
from itertools import pairwise
from typing import Literal

from sfumato.detectors.allowed import NOTHING_ALLOWED, AllowedTerms
from sfumato.detectors.everyday import KNOWN, EverydayWords, everyday_words, may_name
from sfumato.document import Document, Release, Span
from sfumato.formats.identifiers import WORD_BOUNDARIES, ReplacedWords, alphanumeric, identifier_words
from sfumato.lexicon.folding import folded_form
from sfumato.lexicon.name_lists import common_words, is_full_name, is_title
from sfumato.lexicon.tables import word_set
from sfumato.residuals.values import pieces, replaced_values

Policy = Literal["check", "renumber", "keep"]

_MOST_DIGITS = 6
"""A counter has no more significant digits than this; a phone number, a card or a date has."""
_DAY_DIGITS = 5
"""A date with a day has at least so many digits (3 August 1961); a year or a month has fewer."""
_SHORTEST_WORD = 3
_RANDOM = re.compile(
    r"\{?[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\}?|[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64}", re.IGNORECASE
)
"""UUIDs and digests: they say nothing, whatever digits they are made of."""
_DIGITS = re.compile(r"\d+")
_NUMBER = re.compile(r"\d+(?:[\W_]{1,3}\d+)*")
"""Groups of digits that read as one number: 536-22-1234."""
_MAIL = re.compile(r"\w@\w")
_NUMBERED = re.compile(r"(?:document|file)-\d+", re.IGNORECASE)
_LONGEST_NAME = 5_000
"""Characters; a longer id is a text of its own, and is not kept."""
_LONG_ENOUGH = 4
_MOST_PIECES = 6
"""Words of a name that are looked up together."""


class IdChecker:
    """Chooses the id that a document is released under."""

    def __init__(
        self, policy: Policy, detect: Callable[[Document], list[Span]], allowed: AllowedTerms = NOTHING_ALLOWED
    ) -> None:
        self._policy = policy
        self.allowed = allowed
        self.detect = detect
        self._has_spans = lru_cache(maxsize=4096)(lambda name: _has_spans(name, detect))

    def is_replaced(self, release: Release) -> bool:
        """Whether a document's id carries something personal, so that it gets a number."""
        name = release.document.id
        if self._policy == "keep":
            return False
        return self._policy == "renumber" or self.is_personal(name) or _repeats_edit(name, release)

    def repeats(self, name: str, release: Release) -> bool:
        """Whether the name of a file of records, or a kept value, holds a rare name or a code that was replaced."""
        rare = _rare_words(name)
        return rare != "" and ReplacedWords(release).occur_in(rare)

    def replaces_file_name(self, name: str, release: Release) -> bool:
        """Whether the file gets a number because of that."""
        return self._policy != "keep" and self.repeats(name, release)

    def values_of(self, release: Release) -> list[str]:
        """Digests of what was replaced and tells who is meant: rare surnames, full names, numbers, addresses."""
        return sorted(map(_digest, replaced_values(release))) if self._policy == "check" else []

    def values_in(self, name: str) -> list[str]:
        """Digests of all that a name, of a document, a file or a folder, may repeat of other documents."""
        is_checked = self._policy == "check" and len(name) <= _LONGEST_NAME and not _RANDOM.fullmatch(name)
        return list(_digests_in(name)) if is_checked else []

    def is_personal(self, name: str) -> bool:
        """Whether a name carries something personal, or could be mistaken for one of our numbers; False to keep all."""
        return self._policy != "keep" and (_NUMBERED.fullmatch(name) is not None or self.tells_something(name))

    def tells_something(self, name: str) -> bool:
        """Whether a name carries something personal."""
        if len(name) > _LONGEST_NAME:
            return True
        if _RANDOM.fullmatch(name):
            return False
        name = folded_form(name)
        if _significant_digits(name) > _MOST_DIGITS or _MAIL.search(name) or _has_full_name(identifier_words(name)):
            return True
        return self._has_spans(name)


NOTHING_CHECKED = IdChecker("keep", lambda document: [])


@lru_cache(maxsize=4096)
def _rare_words(name: str) -> str:
    """A file name is asked about with every document of the file."""
    return " ".join(word for word in identifier_words(name) if word not in common_words())


@lru_cache(maxsize=4096)
def _digests_in(name: str) -> tuple[str, ...]:
    words = [piece.text for piece in pieces(name)]
    kinds = word_set("file_names", "kinds")
    forms = {
        "".join(words[first:last])
        for first in range(len(words))
        for last in range(first + 1, min(first + _MOST_PIECES, len(words)) + 1)
    }
    return tuple(_digest(form) for form in sorted(forms - kinds) if len(form) >= _LONG_ENOUGH)


def _digest(value: str) -> str:
    return hashlib.blake2b(value.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def _significant_digits(text: str) -> int:
    """How many digits there are, without the zeros that fill up a counter."""
    numbers = (_DIGITS.findall(number) for number in _NUMBER.findall(text))
    return sum(len(groups[0].lstrip("0")) if len(groups) == 1 else len("".join(groups)) for groups in numbers)


def _has_full_name(words: list[str]) -> bool:
    """Whether a given name and a family name stand side by side, in any order; kinds of documents do not count."""
    words = [word for word in words if word not in word_set("file_names", "kinds")]
    return any(
        is_full_name(first, second) and not {first, second} <= common_words() for first, second in pairwise(words)
    )


def _has_spans(name: str, detect: Callable[[Document], list[Span]]) -> bool:
    """Whether the detectors find anything in john_smith-2021, or a name or code in John Smith 2021."""
    spaced = " ".join(WORD_BOUNDARIES.sub(" ", name).split())
    for form in {name, spaced}:
        if form.strip() and any(
            _identifies_someone(form[span.start : span.end], span.label) for span in detect(Document("id", form))
        ):
            return True
    # Capitals reveal names, but also turn "clinic/notes" into an organisation, and "forum" into a given name.
    kinds = word_set("file_names", "kinds")
    titled = " ".join(word for word in spaced.split() if word.casefold() not in kinds).title()
    return any(
        span.label in ("PERSON", "CODE") and _identifies_someone(titled[span.start : span.end], span.label)
        for span in detect(Document("id", titled))
    )


def _identifies_someone(value: str, label: str) -> bool:
    """Whether a span of a name points to someone: "esse-100" looks like a case number, but is a word and a counter."""
    if value.casefold() in word_set("file_names", "kinds"):
        return False
    if label == "DATETIME":
        return len("".join(_DIGITS.findall(value))) >= _DAY_DIGITS
    if label == "CODE" and _significant_digits(value) <= _MOST_DIGITS and "@" not in value:
        return any(len(word) < _SHORTEST_WORD for word in identifier_words(value) if word.isalpha())
    return label != "QUANTITY"


def _repeats_edit(name: str, release: Release) -> bool:
    """Whether the id holds a name or a code that was replaced in the text."""
    words = {word for word in identifier_words(name) if len(word) >= _LONG_ENOUGH or (word.isalpha() and len(word) > 2)}
    words -= word_set("file_names", "kinds")
    together = alphanumeric(name)
    text = release.document.text
    everyday = everyday_words(text)
    for edit in release.hidden:
        original, label = text[edit.span.start : edit.span.end], edit.span.label
        if label in ("PERSON", "ORG") and any(
            _names_someone(word, label, everyday) for word in words.intersection(identifier_words(original))
        ):
            return True
        code = alphanumeric(original)
        if label == "CODE" and len(code) >= _LONG_ENOUGH and code in together:
            return True
    return False


def _names_someone(word: str, label: str, everyday: EverydayWords) -> bool:
    """Whether a word of a replaced name tells who it is: "radiology" of a ward's name does not."""
    if is_title(word):
        return False
    return (label == "PERSON" and may_name(word)) or not everyday.includes(word.title(), label, KNOWN)
