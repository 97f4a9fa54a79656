"""What can be known of a replacement: by its words, its dates, its numbers, its places.

Each table answers with ``Known(truthful, abstract)``, None where it cannot tell; the first that can decides.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

from sfumato.knowledge.grammar.function_words import ENGLISH
from sfumato.knowledge.ladders.base import Mention
from sfumato.knowledge.ladders.climb import climb
from sfumato.knowledge.subsumption.numbers import Amount, amount
from sfumato.knowledge.subsumption.pairs import Pair, bare, says_no_more
from sfumato.knowledge.subsumption.places import COUNTRY, REGION, area_of
from sfumato.knowledge.subsumption.times import contains, when
from sfumato.knowledge.wider import concepts, hypernyms

_COARSE = 0.1
"""28 days are a month: how far a coarser unit may be off."""
_ROUNDING = 0.0005
_OTHER_WORDS = 3
"""Words beside the amount, from which on a phrase is about something else."""
_FUNCTION = ENGLISH | frozenset("approximately around roughly nearly almost over about least most more less".split())
_FEW_KINDS = 10
"""Below so many kinds a thing beside another is a sibling; above, as an expert beside an engineer, it may hold it."""
_CLOCK = re.compile(
    r"(?:at |about |around )?(\d{1,2})(?:[:.h](\d{2}))?\s*(a\.?\s?m\.?|p\.?\s?m\.?|hours|hrs|o'clock)?", re.IGNORECASE
)
_DAY_PARTS = {
    "morning": (5, 12),
    "midday": (11, 14),
    "noon": (11, 14),
    "afternoon": (12, 18),
    "evening": (17, 23),
    "night": (20, 30),
}


class Known(NamedTuple):
    """None: not known."""

    truthful: bool | None
    abstract: bool | None
    because: str


def known(pair: Pair) -> Known | None:
    """What the first table that knows says; None where none does."""
    for table in _TABLES:
        found = table(pair)
        if found is not None:
            return found
    return None


def _same(pair: Pair) -> Known | None:
    if bare(pair.original) == bare(pair.replacement):
        return Known(True, False, "same words")
    return None


def _type(pair: Pair) -> Known | None:
    return Known(True, True, "type") if says_no_more(pair.replacement, pair.label) else None


def _times(pair: Pair) -> Known | None:
    original, now = when(pair.original), when(pair.replacement)
    if original is None or now is None:
        return None
    held = contains(now, original)
    if held is None:
        return None
    return Known(held, now.days > original.days * 1.01 or (original.dated and not now.dated), "dates")


def _clock(pair: Pair) -> Known | None:
    original = _minutes(pair.original)
    now = _minutes(pair.replacement)
    if original is None:
        return None
    if now is not None:
        return Known(original == now, False, "times")
    for name, (first, last) in _DAY_PARTS.items():
        if re.search(rf"\b{name}\b", pair.replacement.lower()) and not any(map(str.isdigit, pair.replacement)):
            hour = original / 60
            return Known(first <= hour <= last or first <= hour + 24 <= last, True, "times")
    return None


def _minutes(text: str) -> int | None:
    match = _CLOCK.fullmatch(text.strip())
    if not match or not (match[2] or match[3]):
        return None
    hour, minute, half = int(match[1]), int(match[2] or 0), (match[3] or "").lower()
    if hour > 24 or minute > 59:
        return None
    if half.startswith("p") and hour < 12:
        hour += 12
    return (hour * 60 + minute) % 1440


def _amounts(pair: Pair) -> Known | None:
    original, now = amount(pair.original), amount(pair.replacement)
    if original is None or now is None:
        return None
    if pair.label not in ("DATETIME", "QUANTITY", "UNKNOWN") and not original.unit:
        return None  # Law no. 4928 is no amount
    if original.unit and now.unit and original.unit != now.unit:
        # Who knows what a krona was worth that day?
        return None if original.unit != "day" != now.unit else Known(False, None, "units")
    if max(len(original.words - _FUNCTION), len(now.words - _FUNCTION)) > _OTHER_WORDS:
        return None
    if bool(original.unit) != bool(now.unit):
        original, now = _unitless(original), _unitless(now)
    slack = _ROUNDING * abs(original.low)
    centre = (now.low + now.high) / 2
    if abs(centre - (original.low + original.high) / 2) <= slack:
        # Said in other words; that it is "about" so much changes nothing.
        return Known(True, now.words < original.words, "numbers")
    wider = now.high - now.low > (original.high - original.low) * 1.01 or now.size > original.size
    if now.low - slack <= original.low and original.high <= now.high + slack:
        return Known(True, wider, "numbers")
    if now.size > original.size and abs(now.low - original.low) <= _COARSE * original.low and now.low <= 3 * now.size:
        return Known(True, True, "numbers")
    return Known(False, wider, "numbers")


def _unitless(found: Amount) -> Amount:
    return found._replace(low=found.low / found.size, high=found.high / found.size, unit="", size=1.0)


def _places(pair: Pair) -> Known | None:
    """Of two names of places or peoples: whether the first lies in the second."""
    first, second = area_of(pair.original), area_of(pair.replacement)
    if first is None or second is None:
        return None
    if not first.lands <= second.lands:
        return Known(False, False, "places")
    if second.level == REGION and first.level <= REGION:
        return None  # Which towns lie in a region is not in these tables.
    if first.level == second.level:
        # The country by another name, or two towns of one country.
        return Known(first.level == COUNTRY, False, "places")
    return Known(second.level > first.level, second.level > first.level, "places")


def _taxonomy(pair: Pair) -> Known | None:
    """A single noun: above the kind of thing in WordNet, in the sense the context settles; the same; or beside it."""
    if pair.language != "en":
        return None
    wide, own = hypernyms.head(pair.replacement), hypernyms.head(pair.original)
    if not wide or bare(pair.replacement) != wide.casefold():
        return None
    tops, senses = concepts.senses(wide), concepts.senses(own)
    numbers, same = {concept.number for concept in tops}, {concept.number for concept in senses}
    above = hypernyms.chain(pair.original, text=f"{pair.before} {pair.after}")
    if any(concept.number in numbers - same for concept in above):
        return Known(True, True, "taxonomy")
    if not senses or bare(pair.original) != own.casefold():
        return None
    if tops[0] == senses[0]:
        return Known(True, False, "taxonomy")
    nearest = [{concept.number for concept in concepts.above(first)} for first in (tops[0], senses[0])]
    is_beside = nearest[0] & nearest[1] and not numbers & same and tops[0].members < _FEW_KINDS
    if is_beside or senses[0].number in nearest[0]:
        return Known(False, False, "taxonomy")
    return None


def _ladder(pair: Pair) -> Known | None:
    """A rung of our own ladders, true by construction. It comes last, after all that reads for itself."""
    now = bare(pair.replacement)
    return Known(True, True, "ladders") if any(now in rung for rung in rungs(pair)) else None


@lru_cache(maxsize=2**12)
def rungs(pair: Pair) -> tuple[tuple[str, str], ...]:
    """What our ladders know to be true of the original: each rung as a noun, and as it stands before one."""
    start = len(pair.before)
    text = f"{pair.before}{pair.original}{pair.after}"
    mention = Mention(text, start, start + len(pair.original), pair.label, pair.language)
    return tuple((bare(rung.text), bare(rung.modifier or rung.text)) for rung in climb(mention))


_TABLES: tuple[Callable[[Pair], Known | None], ...] = (
    _same,
    _type,
    _times,
    _clock,
    _amounts,
    _places,
    _taxonomy,
    _ladder,
)
