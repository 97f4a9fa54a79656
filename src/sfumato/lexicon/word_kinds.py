"""What word lists know of a single word, as one number: how common it is, and whether it may be a name.

The tagger's vocabulary of word pieces is English. The kind of a word tells it that *Miete* is an everyday word and
*Anneke* a given name, in seven languages. The table is one sorted array of hashes, mapped into memory rather than read.
Made by ``training/build_word_kinds.py``; licences in ``data/SOURCES.md``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from hashlib import blake2b
from importlib import resources

import numpy as np
from numpy.typing import NDArray

from sfumato.lexicon.tables import frequency_key

BANDS = ("unknown", "compound", "rare", "uncommon", "common", "frequent")
"""How common a word is: in no list; made of two listed words; below 1, 10, 100 in a million words; more."""
FLAGS = ("given name", "family name", "place", "medical term")
_NAME_FLAGS = sum(1 << FLAGS.index(flag) for flag in ("given name", "family name", "place"))
WORD_KIND_COUNT = len(BANDS) << len(FLAGS)
"""How many values a kind has: a band and any of the flags."""
KIND_BITS = 7
"""The lowest bits of an entry of the table hold the kind, the others the word's hash."""
_SHORTEST_COMPOUND = 7
_SHORTEST_HEAD, _SHORTEST_MODIFIER = 4, 3
_JOINTS = ("", "s", "n", "en", "es", "er", "e")
"""What may stand between the two words of a compound, in German and Dutch."""
_LONGEST_COMPOUND = 100
"""In letters: a longer run of letters is no word, and is not split at each of them."""
_COMPOUND_PART = BANDS.index("uncommon")
_MOST_REMEMBERED = 1 << 16


def kind_number(band: str, flags: Iterable[str]) -> int:
    """The number of a kind."""
    return BANDS.index(band) << len(FLAGS) | sum(1 << FLAGS.index(flag) for flag in flags)


def word_hash(word: str) -> int:
    """The upper bits of a word's entry in the table; the kind's bits are 0."""
    digest = int.from_bytes(blake2b(word.encode(), digest_size=8).digest())
    return digest >> KIND_BITS << KIND_BITS


@cache
def _table() -> NDArray[np.uint64]:
    with resources.as_file(resources.files("sfumato.lexicon") / "data" / "word_kinds.npy") as path:
        table: NDArray[np.uint64] = np.load(path, mmap_mode="r")
    return table


_remembered: dict[str, int] = {}
"""The kinds of words as they were written."""


def word_kinds(words: Sequence[str]) -> list[int]:
    """The kind of each word, however it is written."""
    kinds = {word: kind for word in words if (kind := _remembered.get(word)) is not None}
    if new := [word for word in dict.fromkeys(words) if word not in kinds]:
        if len(_remembered) + len(new) > _MOST_REMEMBERED:
            _remembered.clear()
        listed = dict(zip(new, _kinds([frequency_key(word) for word in new]), strict=True))
        kinds.update(listed)
        _remembered.update(listed)
    return [kinds[word] for word in words]


def _kinds(keys: list[str]) -> list[int]:
    kinds = _listed(keys)
    splits = [
        (number, modifier, head)
        for number, (key, kind) in enumerate(zip(keys, kinds, strict=True))
        if not kind and _SHORTEST_COMPOUND <= len(key) <= _LONGEST_COMPOUND and key.isalpha()
        for modifier, head in _splits(key)
    ]
    bands = [kind >> len(FLAGS) for kind in _listed([part for _, *parts in splits for part in parts])]
    for (number, _, _), modifier, head in zip(splits, bands[::2], bands[1::2], strict=True):
        if modifier >= _COMPOUND_PART <= head:
            kinds[number] = kind_number("compound", ())
    return kinds


def _splits(key: str) -> Iterator[tuple[str, str]]:
    """Ways to read a word as a compound: modifier and head, without what joins them."""
    for end in range(_SHORTEST_MODIFIER, len(key) - _SHORTEST_HEAD + 1):
        for joint in _JOINTS:
            modifier = key[:end]
            if modifier.endswith(joint) and end - len(joint) >= _SHORTEST_MODIFIER:
                yield modifier.removesuffix(joint), key[end:]


def _listed(keys: list[str]) -> list[int]:
    """The kinds that the table has, 0 for a word that it lacks."""
    if not keys:
        return []
    table = _table()
    hashes = np.array([word_hash(key) for key in keys], np.uint64)
    entries = table[np.minimum(np.searchsorted(table, hashes), len(table) - 1)]
    bits = np.uint64((1 << KIND_BITS) - 1)
    kinds = np.where(entries & ~bits == hashes, entries & bits, 0)
    listed: list[int] = kinds.tolist()
    return listed


def is_common(word: str) -> bool:
    """Whether a word comes more than ten times in a million words."""
    (kind,) = word_kinds([word])
    return kind >> len(FLAGS) >= BANDS.index("common")


def is_known(word: str) -> bool:
    """Whether a word comes more than once in a million words."""
    (kind,) = word_kinds([word])
    return kind >> len(FLAGS) >= BANDS.index("uncommon")


def may_name(word: str) -> bool:
    """Whether a word is a name of people or of a place."""
    (kind,) = word_kinds([word])
    return bool(kind & _NAME_FLAGS)
