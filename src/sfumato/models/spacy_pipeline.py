"""Installed spaCy pipelines, and texts split to the size that they read."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any

from sfumato.errors import InputError, MissingExtra

_MAX_CHARACTERS = 100_000
"""spaCy needs about a gigabyte of memory per 100,000 characters, far below its own limit of a million."""
_SEPARATORS = ("\n\n", "\n", ". ", "! ", "? ", "; ", " ")


def load_pipeline(model: str, without: Collection[str] = ()) -> Any:
    """A spaCy pipeline by package or folder, without the components named. Nothing is ever downloaded."""
    try:
        import spacy  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        raise MissingExtra("a spaCy pipeline", "spacy") from None
    try:
        return spacy.load(model, exclude=list(without))
    except (OSError, ValueError):
        package = model if model.isidentifier() else "en_core_web_sm"
        raise InputError(
            f"no spaCy model {model!r}: name the folder of a model, or install one with: "
            f"python -m spacy download {package}"
        ) from None


def max_characters(nlp: Any) -> int:
    """The number of characters that the pipeline gets at once."""
    return min(int(nlp.max_length), _MAX_CHARACTERS)


def split_texts(texts: Sequence[str], limit: int) -> list[tuple[int, int, int]]:
    """The number of each text with the start and end of each of its pieces."""
    return [(number, start, end) for number, text in enumerate(texts) for start, end in split_text(text, limit)]


def split_text(text: str, limit: int) -> Iterator[tuple[int, int]]:
    """Ranges of at most ``limit`` characters that end after a paragraph, else a line, a sentence or a word.

    A range is at least half as long as ``limit``; a word is cut only where the second half has no separator.
    """
    start = 0
    while len(text) - start > limit:
        low, high = start + limit // 2, start + limit
        cuts = (cut + len(mark) for mark in _SEPARATORS if (cut := text.rfind(mark, low, high)) >= 0)
        end = next(cuts, high)
        yield start, end
        start = end
    if start < len(text):
        yield start, len(text)
