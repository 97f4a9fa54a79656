"""The tables of counts in the data card of the everyday corpus.

    python -m training.everyday_counts

prints them as Markdown: by part, by language, by kind of mark, and a line of the most frequent genres. A test compares
them with corpora/everyday/README.md.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from training.everyday_corpus import KINDS, MarkedDocument, read_corpus

MAY_GO, MUST_STAY = "Q", "X"
PARTS = ("train", "validation", "test", "new_kinds")
LANGUAGES = {
    "en": "English",
    "de": "German",
    "fr": "French",
    "nl": "Dutch",
    "it": "Italian",
    "es": "Spanish",
    "pt": "Portuguese",
}
_FREQUENT_GENRES = 20


def is_harmless(document: MarkedDocument) -> bool:
    """Nothing in the document must go."""
    return all(span.kind in MAY_GO + MUST_STAY for span in document.spans)


def tables(documents: Sequence[MarkedDocument]) -> str:
    """All tables of the card, in Markdown."""
    return "\n\n".join((_by_part(documents), _by_language(documents), _by_kind(documents), _genres(documents)))


def _by_part(documents: Sequence[MarkedDocument]) -> str:
    groups = [(part, [document for document in documents if document.part == part]) for part in PARTS]
    return _table(
        ("part", "documents", "words", "genres", "must go", "may go", "must stay", "harmless"),
        ((name, *_sums(group)) for name, group in (*groups, ("all", documents))),
    )


def _by_language(documents: Sequence[MarkedDocument]) -> str:
    groups = [
        (name, [document for document in documents if document.language == code]) for code, name in LANGUAGES.items()
    ]
    return _table(
        ("language", *PARTS, "all", "words", "must go", "must stay", "harmless"),
        (
            (
                name,
                *(sum(document.part == part for document in group) for part in PARTS),
                len(group),
                sum(_words(document) for document in group),
                _marks(group) - _marks(group, MAY_GO + MUST_STAY),
                _marks(group, MUST_STAY),
                sum(map(is_harmless, group)),
            )
            for name, group in groups
        ),
    )


def _by_kind(documents: Sequence[MarkedDocument]) -> str:
    counts = Counter(span.kind for document in documents for span in document.spans)
    return _table(("kind", *KINDS, "all"), [("marks", *(counts[kind] for kind in KINDS), counts.total())])


def _genres(documents: Sequence[MarkedDocument]) -> str:
    counts = Counter(document.genre for document in documents)
    frequent = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:_FREQUENT_GENRES]
    single = sum(count == 1 for count in counts.values())
    return f"{', '.join(f'{genre} {count}' for genre, count in frequent)}; genres with one document: {single:,}"


def _sums(documents: Sequence[MarkedDocument]) -> tuple[int, ...]:
    may_go, must_stay = _marks(documents, MAY_GO), _marks(documents, MUST_STAY)
    return (
        len(documents),
        sum(_words(document) for document in documents),
        len({document.genre for document in documents}),
        _marks(documents) - may_go - must_stay,
        may_go,
        must_stay,
        sum(map(is_harmless, documents)),
    )


def _marks(documents: Iterable[MarkedDocument], kinds: str = KINDS) -> int:
    return sum(span.kind in kinds for document in documents for span in document.spans)


def _words(document: MarkedDocument) -> int:
    return len(document.text.split())


def _table(header: Sequence[str], rows: Iterable[Sequence[str | int]]) -> str:
    lines = [header, ["---"] * len(header), *([_cell(value) for value in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _cell(value: str | int) -> str:
    return value if isinstance(value, str) else f"{value:,}"


if __name__ == "__main__":
    print(tables(list(read_corpus())))
