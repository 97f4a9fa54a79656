"""From a mention to what is true of it, by whichever ladder can read it; and back, as an attacker would."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from itertools import islice, zip_longest

from sfumato.knowledge.ladders.base import MOST, Ladder, Mention, Rung

_LADDERS: dict[str, tuple[str, ...]] = {
    "DATETIME": ("dates", "durations", "quantities"),
    "LOC": ("places", "organisations", "things"),
    "ORG": ("organisations", "places", "things"),
    "DEM": ("demographics", "durations", "quantities", "dates", "places", "things"),
    "QUANTITY": ("quantities", "durations", "dates", "things"),
    "MISC": ("things", "organisations", "demographics", "durations", "quantities", "dates", "places"),
}
"""Which ladders may read a label's mentions, in this order. Annotators and taggers differ on labels, texts do not."""
_UNDER_LABEL: dict[str, tuple[str, ...]] = {
    "LOC": ("country", "city"),
    "ORG": ("state authority", "court", "company", "government authority", "police force"),
    "DEM": ("European", "professional"),
    "QUANTITY": ("several",),
}
"""Where one begins to guess from a bare label: the widest phrases under it."""
_LABEL = re.compile(rf"\W*({'|'.join(_UNDER_LABEL)})(?:_\d+)?\W*")
NUMBERED = frozenset({"PERSON", "CODE"})
"""Labels that have no ladder: each one of them is somebody or something by itself."""


def climb(mention: Mention) -> tuple[Rung, ...]:
    """What is true of the mention, most specific first; empty where no ladder can read it."""
    for ladder in _ladders(mention.label):
        rungs = ladder.rungs(mention)
        if rungs:
            return tuple(rungs)
    return ()


def originals(phrase: str, text: str, label: str, language: str = "en") -> Iterator[str]:
    """What may have stood where the phrase stands, likeliest first: by the ladder that knows the phrase."""
    bare = _LABEL.fullmatch(phrase)
    if bare:
        offers = [_of_first(said, text, label, language) for said in _UNDER_LABEL[bare[1]]]
        yield from dict.fromkeys(answer for row in zip_longest(*offers) for answer in row if answer is not None)
    else:
        yield from dict.fromkeys(_of_first(phrase, text, label, language))


def _of_first(phrase: str, text: str, label: str, language: str) -> Iterator[str]:
    for ladder in _ladders(label):
        found = islice(ladder.originals(phrase, text, language), MOST)
        first = next(found, None)
        if first is not None:
            yield first
            yield from found
            return


def _ladders(label: str) -> Iterator[Ladder]:
    if label not in NUMBERED:
        yield from map(_ladder, _LADDERS.get(label, _LADDERS["MISC"]))


@cache
def _ladder(name: str) -> Ladder:
    # Imported when first needed: each brings its tables.
    module: object = import_module(f"sfumato.knowledge.ladders.{name}")
    return module  # type: ignore[return-value]
