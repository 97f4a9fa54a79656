"""Ids and file names that leave with a release must not name anyone either."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path, PurePath
from typing import Literal

from sfumato.document import Document, Release, Span
from sfumato.formats.identifiers import WORD_BOUNDARIES, alphanumeric, identifier_words
from sfumato.lexicon.name_lists import is_title
from sfumato.pipeline import Pipeline
from sfumato.recipe import Choice, Recipe

Policy = Literal["check", "renumber", "keep"]

_HARMLESS = re.compile(
    r"(?:(?:doc|document|text|file|id|case|record|note|letter|page|part|item|row|sample|example)?[\W_]*\d{0,6}[\W_]*)+",
    re.IGNORECASE,
)
_OURS = re.compile(r"document-\d+")
_LONG_ENOUGH = 4


class IdChecker:
    """Gives every document the id it is released under."""

    def __init__(self, policy: Policy, detect: Callable[[Document], list[Span]]) -> None:
        self._policy = policy
        self._carries_something = lru_cache(maxsize=4096)(lambda name: _found_in(name, detect))

    def released(self, release: Release, position: int) -> str:
        """The document's own id, or ``document-<position>`` where its own would give something away."""
        name = release.document.id
        if self._policy == "keep":
            return name
        if self._policy == "renumber" or self.is_telling(name) or _repeats(name, release):
            return f"document-{position}"
        return name

    def is_telling(self, name: str) -> bool:
        """Whether a name has something personal in it, or could be mistaken for one of our numbers."""
        if self._policy == "keep":
            return False
        if _HARMLESS.fullmatch(name):
            return _OURS.fullmatch(name) is not None
        return self._carries_something(name)


def id_checker(recipe: Recipe) -> IdChecker:
    """Checks by the recipe's own detectors, as far as they make sense of a name."""
    # Rules alone where the recipe has them: a file name has no context for the tagger or a language model to read.
    plain = recipe.plain_detectors
    detectors = [choice for choice in plain if choice.use == "rules"] or plain or [Choice(use="rules")]
    pipeline = Pipeline(
        recipe.with_changes(
            detect=[choice.model_dump() for choice in detectors],
            replace={"default": "suppress"},
            rewrite=None,
            chat=None,
            uncovered="release",
        )
    )

    def detect(document: Document) -> list[Span]:
        return next(pipeline.detect([document]))[1]

    return IdChecker(recipe.ids, detect)


def name_key(file: Path, name: PurePath) -> bytes:
    """What the vault keeps a released file's original name under: only this file under this name."""
    with file.open("rb") as handle:
        digest = hashlib.file_digest(handle, "sha256").digest()
    return b"sfumato: original name of\0" + digest + name.as_posix().encode()


def _found_in(name: str, detect: Callable[[Document], list[Span]]) -> bool:
    """Whether the detectors find something in john_smith-2021, or a name or code in John Smith 2021."""
    spoken = " ".join(WORD_BOUNDARIES.sub(" ", name).split())
    if any(detect(Document("id", form)) for form in {name, spoken} if form.strip()):
        return True
    # Capitals make names visible, but also make an organisation of "clinic/notes".
    titled = detect(Document("id", spoken.title())) if spoken else []
    return any(span.label in ("PERSON", "CODE") for span in titled)


def _repeats(name: str, release: Release) -> bool:
    """Whether the id holds a name or a code that was replaced in the text."""
    words = {word for word in identifier_words(name) if len(word) >= _LONG_ENOUGH or (word.isalpha() and len(word) > 2)}
    together = alphanumeric(name)
    text = release.document.text
    for edit in release.hidden:
        original = text[edit.span.start : edit.span.end]
        if edit.span.label in ("PERSON", "ORG") and words & {
            word for word in identifier_words(original) if not is_title(word)
        }:
            return True
        code = alphanumeric(original)
        if edit.span.label == "CODE" and len(code) >= _LONG_ENOUGH and code in together:
            return True
    return False
