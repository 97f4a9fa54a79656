"""spaCy pipelines that are installed, and texts cut to their size."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any

from sfumato.errors import InputError, MissingExtra

_AT_ONCE = 100_000
"""spaCy asks for about a gigabyte of memory per 100,000 characters, far below its own limit of a million."""
_BORDERS = ("\n\n", "\n", ". ", "! ", "? ", "; ", " ")


def load_pipeline(model: str, without: Collection[str] = ()) -> Any:
    """A spaCy pipeline by package or folder, less the components named. Nothing is ever downloaded."""
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
    """How many characters the pipeline is given at once."""
    return min(int(nlp.max_length), _AT_ONCE)


def split_texts(texts: Sequence[str], limit: int) -> list[tuple[int, int, int]]:
    """The number of each text with the start and end of each of its pieces."""
    return [(number, start, end) for number, text in enumerate(texts) for start, end in split_text(text, limit)]


def split_text(text: str, limit: int) -> Iterator[tuple[int, int]]:
    """The text in ranges of at most ``limit`` characters that end after a paragraph, else a line, a sentence, a word.

    A piece is at least half as long as it may be; only where that half has no border at all is a word cut.
    """
    start = 0
    while len(text) - start > limit:
        end = _border(text, start + limit // 2, start + limit)
        yield start, end
        start = end
    if start < len(text):
        yield start, len(text)


def _border(text: str, low: int, high: int) -> int:
    for mark in _BORDERS:
        at = text.rfind(mark, low, high)
        if at >= 0:
            return at + len(mark)
    return high
