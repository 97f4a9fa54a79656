"""KNEO: every word of a text replaced by one of its nearest neighbours in an embedding (Abdalla et al., 2020)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.document import Document, Outcome, Release, Withheld
from sfumato.errors import InputError, RecipeError
from sfumato.lexicon.tokens import ALPHANUMERIC, in_case_of
from sfumato.llm.usage import Usage
from sfumato.models.embedders import WEIGHTS, load_token_vectors
from sfumato.models.tokens import replace_surrogates
from sfumato.vault.ledger import Ledger

Vectors = NDArray[np.float32]

_BATCH = 256
"""Words compared with the vocabulary at once: bounds memory, not the length of a text."""
_MOST_COLUMNS = 5_000
"""Numbers of a vector: a file with more is no embedding."""


class Kneo:
    """Replace every word by a near neighbour in an embedding, never itself; the same word the same way in a text."""

    cite: ClassVar[str | None] = "abdalla2020"
    uses: ClassVar[tuple[str, ...]] = ("ledger",)
    needs_chat: ClassVar[bool] = False

    def __init__(self, *, ledger: Ledger | None = None, k: int = 2, vectors: str | Path | None = None) -> None:
        """``k``: of how many nearest neighbours one is drawn; ``vectors``: a file in word2vec's text format, trained on
        texts without personal information (default: the word vectors of the shipped embedder)."""
        if isinstance(k, bool) or not isinstance(k, int) or k < 1:
            raise RecipeError(f"k is a whole number from 1 on, got {k!r}")
        self._ledger, self._k = ledger or Ledger(), k
        self._embedding = shipped_embedding() if vectors is None else read_word2vec(Path(vectors))
        if len(self._embedding.words) <= k:
            raise RecipeError(f"k = {k}, but {self._embedding.name} has {len(self._embedding.words)} words: lower k")

    @property
    def usage(self) -> Usage:
        """None: no language model is asked."""
        return Usage()

    def rewrite(self, documents: Sequence[Document]) -> list[Outcome]:
        """A release for each document; spaces, punctuation and line breaks stay."""
        return [self._release(document) for document in documents]

    def _release(self, document: Document) -> Outcome:
        words = list(dict.fromkeys(match[0].casefold() for match in ALPHANUMERIC.finditer(document.text)))
        neighbours = self._neighbours(document, words)
        if neighbours is None:
            reason = f"{self._embedding.name} has no word that is not its own; give a larger embedding (vectors=FILE)"
            return Withheld(document, reason)
        text = ALPHANUMERIC.sub(lambda match: in_case_of(match[0], neighbours[match[0].casefold()]), document.text)
        reason = f"{len(words)} different words, each replaced by one of {self._k} neighbours in {self._embedding.name}"
        return Release.rewritten(document, text, (reason,))

    def _neighbours(self, document: Document, words: Sequence[str]) -> dict[str, str] | None:
        """One neighbour for each word, drawn by the secret, and no word of the document; None where there are none."""
        own = frozenset(words)
        chosen: dict[str, str] = {}
        for start in range(0, len(words), _BATCH):
            batch = words[start : start + _BATCH]
            for word, order in zip(batch, self._embedding.nearest(batch), strict=True):
                draw = int.from_bytes(self._ledger.random_bytes(document, "kneo", word)[:8], "big")
                if order is None:  # the embedding knows nothing of the word
                    order = np.random.default_rng(draw).permutation(len(self._embedding.words))
                candidates = (self._embedding.words[number] for number in order)
                found = list(islice((name for name in candidates if name not in own), self._k))
                if not found:
                    return None
                chosen[word] = found[draw % len(found)]
        return chosen


@dataclass(frozen=True)
class WordEmbedding:
    """Words that may replace others, with their vectors of length 1."""

    name: str
    words: tuple[str, ...]
    vectors: Vectors
    embed: Callable[[Sequence[str]], Vectors]
    """The vectors of any words: [word, dimension], a row of zeros where it knows nothing of one."""

    def nearest(self, words: Sequence[str]) -> Iterator[NDArray[np.int64] | None]:
        """For each word, the vocabulary by falling cosine; None for a word that it knows nothing of."""
        vectors = self.embed(words)
        cosines = vectors @ self.vectors.T
        for vector, row in zip(vectors, cosines, strict=True):
            # Stable, so that words at the same distance keep their order on every machine.
            yield np.argsort(-row, kind="stable") if vector.any() else None


@cache
def shipped_embedding() -> WordEmbedding:
    """The whole words and numbers among the shipped embedder's sub-words; other words are the sum of their parts."""
    table, tokenizer, digest = load_token_vectors(WEIGHTS)
    numbers = {
        word: number
        for word, number in tokenizer.get_vocab().items()
        if len(word) > 1 and ALPHANUMERIC.fullmatch(word) and word.isascii() and table[number].any()
    }
    words = tuple(sorted(numbers))
    unknown = tokenizer.token_to_id("[UNK]")

    def embed(asked: Sequence[str]) -> Vectors:
        encoded = tokenizer.encode_batch_fast([replace_surrogates(word) for word in asked], add_special_tokens=False)
        rows = [table[[number for number in item.ids if number != unknown]].sum(axis=0) for item in encoded]
        return _unit(np.array(rows, np.float32).reshape(len(asked), table.shape[1]))

    return WordEmbedding(f"static@{digest[:8]}", words, _unit(table[[numbers[word] for word in words]]), embed)


@cache
def read_word2vec(path: Path) -> WordEmbedding:
    """Word vectors from a file in word2vec's text format: a line with two counts, then a word and its numbers."""
    rows: dict[str, list[float]] = {}
    number = 0
    try:
        with path.open(encoding="utf-8") as file:
            counts = file.readline().split()
            width = int(counts[1]) if len(counts) == 2 else 0
            if not 0 < width <= _MOST_COLUMNS:
                raise ValueError
            for number, line in enumerate(file, 2):  # noqa: B007 - the error below names the line
                word, *values = line.split()
                if len(values) != width:
                    raise ValueError
                if ALPHANUMERIC.fullmatch(word):
                    rows.setdefault(word.casefold(), [float(value) for value in values])
    except OSError as error:
        raise InputError(f"{path}: the word vectors cannot be read ({error.strerror})") from None
    except (ValueError, UnicodeDecodeError):
        raise InputError(
            f"{path}, line {number or 1}: not word vectors in word2vec's text format (a line with how many words and "
            "numbers, then on each line a word and its numbers); gensim writes it by save_word2vec_format"
        ) from None
    table = np.array(list(rows.values()), np.float32).reshape(len(rows), width)
    if not np.isfinite(table).all():
        raise InputError(f"{path}: a vector has a number that is not finite; train the embedding again")
    vectors = _unit(table)
    row_of = {word: row for row, word in enumerate(rows)}
    with_nothing = np.concatenate([vectors, np.zeros((1, width), np.float32)])

    def embed(asked: Sequence[str]) -> Vectors:
        known: Vectors = with_nothing[[row_of.get(word, -1) for word in asked]]
        return known

    return WordEmbedding(path.name, tuple(rows), vectors, embed)


def _unit(rows: Vectors) -> Vectors:
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    unit: Vectors = (rows / np.where(lengths > 0, lengths, 1)).astype(np.float32)
    return unit
