"""The plural of a noun, where people use one. English."""

from __future__ import annotations

from sfumato.knowledge.grammar.inflection import head, in_plural
from sfumato.knowledge.wider.concepts import UNHEARD, rarity


def several(thing: str) -> str:
    """The plural, where people use one: *breads*, but *garlic*."""
    plural = in_plural(thing)
    is_heard = _rarity_of_head(thing) == UNHEARD or _rarity_of_head(plural) < UNHEARD
    return plural if is_heard else thing


def _rarity_of_head(phrase: str) -> int:
    return rarity((head(phrase)[0].split() or [phrase])[-1])
