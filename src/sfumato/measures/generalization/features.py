"""What a pair looks like where no table can tell: a few numbers, from -1 to 1 or nearly so, for a small model."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from sfumato.knowledge.grammar.lemmas import words
from sfumato.knowledge.subsumption.pairs import Pair, bare, shared_lemmas
from sfumato.knowledge.subsumption.places import countries_in
from sfumato.knowledge.subsumption.tables import rungs
from sfumato.knowledge.wider import concepts, hypernyms
from sfumato.models.base import Embedder

NAMES = (
    "cosine",
    "rung_cosine",
    "shared",
    "longer",
    "described",
    "new_names",
    "new_digits",
    "kind_above",
    "lands_agree",
    "vague",
    "plain_original",
)
_VAGUE = frozenset(
    "approximately around about several some various certain specific number amount sum type kind part member large "
    "small significant substantial considerable modest multiple many few person individual people group organisation "
    "organization institution body place location area region country city town time period event something "
    "thing".split()
)
_DESCRIBES = re.compile(r"\s*(?:(?:in|at|on|from|near)\s+)?(?:an?|some|one of|unos|unas|una?)\s", re.IGNORECASE)
"""How a description begins, and a name does not: "in a port"."""
_DIGITS = re.compile(r"\d+")
_COMMONER = 3


def features(pairs: Sequence[Pair], embedder: Embedder) -> NDArray[np.float64]:
    """[pair, feature], in the order of ``NAMES``."""
    known = [[bare(pair.original), bare(pair.replacement), *(noun for noun, _ in rungs(pair))] for pair in pairs]
    texts = sorted({text for own in known for text in own})
    row = {text: number for number, text in enumerate(texts)}
    vectors = embedder.embed(texts).astype(np.float64) if texts else np.zeros((0, 1))
    found = []
    for pair, own in zip(pairs, known, strict=True):
        original, now, *true = (vectors[row[text]] for text in own)
        found.append([float(now @ original), max((float(now @ rung) for rung in true), default=0.0), *_surface(pair)])
    return np.array(found, np.float64).reshape(len(pairs), len(NAMES))


def _surface(pair: Pair) -> list[float]:
    before, now = words(pair.original), words(pair.replacement)
    lemmas, _, shared = shared_lemmas(pair)
    names, said = _names(pair.original), {word.lower() for word in now}
    here, there = countries_in(pair.original), countries_in(pair.replacement)
    return [
        len(shared) / max(1, len(lemmas)),
        math.tanh(math.log((len(now) + 1) / (len(before) + 1))),
        float(bool(_DESCRIBES.match(pair.replacement))),
        len(_names(pair.replacement) - names) / max(1, len(now)),
        float(not set(_DIGITS.findall(pair.replacement)) <= set(_DIGITS.findall(pair.original))),
        float(_stands_above(hypernyms.head(pair.replacement).casefold(), hypernyms.head(pair.original).casefold())),
        0.0 if not here or not there else 1.0 if here & there else -1.0,
        float(not said.isdisjoint(_VAGUE)),
        float(not names and not _DIGITS.search(pair.original)),
    ]


def _names(text: str) -> set[str]:
    """Words with a capital letter; of a phrase of several the first may have it for its place alone."""
    said = words(text)
    if len(said) > 1 and said[1].islower():
        said = said[1:]
    return {word.lower() for word in said if word[:1].isupper()}


@lru_cache(maxsize=2**13)
def _stands_above(wide: str, narrow: str) -> bool:
    """Whether one of the commoner senses of a noun stands above one of the other's in WordNet."""
    tops, senses = (concepts.senses(noun)[:_COMMONER] for noun in (wide, narrow))
    own = {sense.number for sense in senses}
    return bool({top.number for top in tops} & _over(senses)) and not own & {top.number for top in tops}


def _over(below: Sequence[concepts.Concept]) -> set[int]:
    found, waiting = set[int](), list(below)
    while waiting:
        waiting = [parent for concept in waiting for parent in concepts.above(concept) if parent.number not in found]
        found.update(concept.number for concept in waiting)
    return found
