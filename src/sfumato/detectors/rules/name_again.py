"""Names that a text has told in full, found again where it says a part of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from sfumato.detectors.rules.words import Word
from sfumato.document import Span
from sfumato.knowledge import lexicon
from sfumato.knowledge.honorifics import is_title

_WORD = re.compile(r"[^\W\d_][\w'’-]+")


class Established:
    """The words of the names that one text has established."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._common = lexicon.common_words()
        self._keys: set[str] = set()

    def add(self, words: Iterable[Word]) -> None:
        """A name, word by word."""
        self._keys.update(word.key for word in words if not word.is_initial and len(word.text) > 2)

    def add_spans(self, names: Iterable[Span]) -> None:
        """Names that something else found: a form field, a signature."""
        for span in names:
            words = _WORD.findall(self._text[span.start : span.end])
            self._keys.update(lexicon.key(word) for word in words if not is_title(word) and len(word) > 2)

    def is_name(self, word: str) -> bool:
        """Whether a word in small letters is one of these names."""
        if word not in self._keys or word in self._common:
            return False
        return word in lexicon.given_names() or word in lexicon.family_names()

    def again(self, found: Iterable[Span], runs: Iterable[Sequence[Word]]) -> Iterator[Span]:
        """What was found, and beside it each further mention of a name."""
        taken: set[int] = set()
        for span in map(self._known, found):
            taken.update((span.start, span.end))
            yield span
        for word in (word for run in runs for word in run if word.start not in taken and word.end not in taken):
            if word.key in self._keys:
                score = 0.45 if word.key in self._common else 0.7
                yield Span(word.start, word.end, "PERSON", "direct", score, "rules:person")
            elif self._is_genitive(word.key):
                yield Span(word.start, word.end - 1, "PERSON", "direct", 0.6, "rules:person")

    def _known(self, span: Span) -> Span:
        """A lone given name that is part of an established name stands for the whole person."""
        if span.identifier == "quasi" and lexicon.key(self._text[span.start : span.end]) in self._keys:
            return replace(span, identifier="direct", score=max(span.score, 0.7))
        return span

    def _is_genitive(self, key: str) -> bool:
        """The German genitive of an established name; as with "Anna's", the ending is left to the text."""
        return len(key) > 4 and key[-1] == "s" and key[:-1] in self._keys and key not in self._common
