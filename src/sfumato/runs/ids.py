"""Released ids and file names: replaced by numbers where they carry something personal."""

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
_NUMBERED = re.compile(r"document-\d+")
_LONG_ENOUGH = 4


class IdChecker:
    """Chooses the id that a document is released under."""

    def __init__(self, policy: Policy, detect: Callable[[Document], list[Span]]) -> None:
        self._policy = policy
        self._has_spans = lru_cache(maxsize=4096)(lambda name: _has_spans(name, detect))

    def released(self, release: Release, position: int) -> str:
        """The document's id, or ``document-<position>`` where its id carries something personal."""
        name = release.document.id
        if self._policy == "keep":
            return name
        if self._policy == "renumber" or self.is_personal(name) or _repeats_edit(name, release):
            return f"document-{position}"
        return name

    def is_personal(self, name: str) -> bool:
        """Whether a name carries something personal, or could be mistaken for one of our numbers."""
        if self._policy == "keep":
            return False
        if _HARMLESS.fullmatch(name):
            return _NUMBERED.fullmatch(name) is not None
        return self._has_spans(name)


def id_checker(recipe: Recipe) -> IdChecker:
    """Checks names with the recipe's detectors, as far as they can read a name."""
    # Rules alone where the recipe has them: a file name has no context for the tagger or a language model to read.
    offline = recipe.plain_detectors
    detectors = [choice for choice in offline if choice.use == "rules"] or offline or [Choice(use="rules")]
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
    """The vault's key for a released file's original name: only this file under this name."""
    with file.open("rb") as handle:
        digest = hashlib.file_digest(handle, "sha256").digest()
    return b"sfumato: original name of\0" + digest + name.as_posix().encode()


def _has_spans(name: str, detect: Callable[[Document], list[Span]]) -> bool:
    """Whether the detectors find anything in john_smith-2021, or a name or code in John Smith 2021."""
    spaced = " ".join(WORD_BOUNDARIES.sub(" ", name).split())
    if any(detect(Document("id", form)) for form in {name, spaced} if form.strip()):
        return True
    # Capitals reveal names, but also turn "clinic/notes" into an organisation.
    titled = detect(Document("id", spaced.title())) if spaced else []
    return any(span.label in ("PERSON", "CODE") for span in titled)


def _repeats_edit(name: str, release: Release) -> bool:
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
