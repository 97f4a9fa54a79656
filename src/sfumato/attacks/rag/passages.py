"""What is known about people in passages of equal size: those most like a released text in meaning are shown."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.attacks.base import Person
from sfumato.models.base import Embedder
from sfumato.models.subtokens import VOCABULARY, readable
from sfumato.models.windows import cuts

_SHARED = 10
"""One in so many tokens of a passage stands in the next one too."""


class Passages:
    """The passages of a background, embedded."""

    def __init__(self, background: Sequence[Person], embedder: Embedder, size: int) -> None:
        self._embedder, self._size = embedder, size
        parts = [[piece for text in person.texts for piece in chunks(text, size)] for person in background]
        self._texts = [piece for group in parts for piece in group]
        ends = np.cumsum([0, *map(len, parts)]).tolist()
        self._places = {person.id: place for person, place in zip(background, pairwise(ends), strict=True)}
        self._vectors: NDArray[np.float32] = embedder.embed(self._texts)

    def closest(self, person: str, text: str, most: int) -> list[str]:
        """The person's passages most like the text, in the order they were written."""
        low, high = self._places[person]
        asked = self._embedder.embed(chunks(text, self._size))
        likeness = asked @ self._vectors[low:high].T
        score = likeness.max(axis=0) if len(asked) else np.zeros(high - low)
        chosen = np.sort(np.argsort(-score, kind="stable")[:most])
        return [self._texts[low + place] for place in chosen]


def chunks(text: str, size: int) -> list[str]:
    """The text in passages of at most ``size`` sub-tokens that overlap by a tenth."""
    places = _tokenizer().encode(readable(text), add_special_tokens=False).offsets
    if not places:
        return []
    pieces = cuts(len(places), size, size - size // _SHARED)
    return [text[places[low][0] : places[high - 1][1]] for low, high in pieces]


@cache
def _tokenizer() -> Any:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(VOCABULARY))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer
