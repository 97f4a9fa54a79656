"""Quantities: *GBP 147,682.42* -> *between 100,000 and 150,000 pounds sterling*, *more than 100,000 pounds sterling*.

Amounts become bands and orders of magnitude that hold them, no end of which repeats a number of the original.
Durations and ages that are labelled as quantities go to their own ladder.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import lru_cache
from itertools import islice

from sfumato.knowledge.ladders import durations
from sfumato.knowledge.ladders.base import MOST, Mention, Rung
from sfumato.knowledge.ladders.bounds import Bound, bound_before, goes_on, is_cut, is_denied, is_end_of_range, last_word
from sfumato.knowledge.ladders.durations.age_reading import read_age
from sfumato.knowledge.ladders.quantities.counted import MONTH_NAMES, YEAR
from sfumato.knowledge.ladders.quantities.guesses import guesses
from sfumato.knowledge.ladders.quantities.reading import LANGUAGES, Quantity, read_quantity
from sfumato.knowledge.ladders.quantities.shares import share_steps, vote_rung
from sfumato.knowledge.ladders.quantities.steps import steps_around
from sfumato.knowledge.ladders.quantities.words import SOURCE, worded
from sfumato.knowledge.ladders.things import kinds as thing_kinds
from sfumato.knowledge.numbers.read import number_at, numbers_in

_LONGEST = 160
_NO_ENDS = ("between", "more", "less", "fewer", "entre", "más", "menos")
"""What cannot be one end of a range."""
_NEXT_WORD = re.compile(r"\s*(?:of\s|de\s)?([^\W\d_]+)")
_LAST_WORD = re.compile(r"([^\W\d_]+)\.?\s*$")
_NUMBERED = re.compile(
    r"\b(?:types?|stages?|grades?|class(?:es)?|categor(?:y|ies)|phases?|levels?|articles?|arts?\.?|sections?|sec\.|ss?\.|"
    r"paragraphs?|paras?\.?|nos?\.|numbers?|chapters?|rules?|rooms?|cells?|blocks?|flats?|apartments?|pages?|pp?\.|vol\.?|volumes?|"
    r"figures?|tables?|appendix|schedules?|points?|items?|versions?|protocols?|plots?|gravida|grav\.|divisions?|units?|wards?|"
    r"channels?|routes?|lines?|gates?|platforms?|tipo|grado|artículo|sección|página|núm\.?)\s+\Z|[§#№]\s*\Z",
    re.IGNORECASE,
)
"""Words before a number that is a name: type 2 diabetes, Article 6."""
_VAGUE = re.compile(
    r"(?:(?:tens|hundreds|thousands) of )?(?:dozens|scores|hundreds|thousands|millions)(?: of ([a-z][a-z -]+))?",
    re.IGNORECASE,
)
_SUM = re.compile(
    r"^(?:an?|the) (?:(?:total|overall|additional|further) )?(?:sum|amount|total|equivalent|maximum|minimum) of ", re.I
)
_ABOUT_IT = re.compile(
    r"\b(?:disput|debat|argu|row|fight|fought|lawsuit|claim|quarrel|conflict|concern|control|power)\w*\s+over\s+\Z"
)
_BEFORE_RANGES: dict[str, Callable[[str], str]] = {
    "between": lambda amount: amount.removeprefix("between ") if amount.startswith("between ") else "",
    "from": lambda amount: amount[8:].replace(" and ", " to ") if amount.startswith("between ") else "",
    "entre": lambda amount: amount.removeprefix("entre ") if amount.startswith("entre ") else "",
}
"""How a band goes on behind a word that stays in the text: between [50% and 79%]."""


def rungs(mention: Mention) -> list[Rung]:
    """What is true of the amount, ever less exactly."""
    if mention.language not in LANGUAGES or _is_cut(mention):
        return []
    if found := durations.rungs(mention):
        return found
    said = mention.said.strip()
    if vote := vote_rung(said, mention.language):
        return [vote]
    if vague := _VAGUE.fullmatch(said) if mention.language == "en" else None:
        return [
            Rung(f"large number of {vague[1]}" if vague[1] else "many", 1e4, "a" if vague[1] else "", source=SOURCE)
        ]
    said = _SUM.sub("", said)
    quantity = read_quantity(said, mention.language) or _of_substance(said, mention.language)
    if quantity is None or _says_nothing(quantity, said) or goes_on(mention.text, mention.end):
        return []
    if (quantity.high is None or quantity.low == 0) and is_denied(mention.text, mention.start):
        return []
    if quantity.kind == "ordinal":  # elsewhere it is part of a name: the Third Republic
        return [Rung(quantity.noun, 10.0, "a", source=SOURCE)] if mention.label in ("QUANTITY", "DEM") else []
    if quantity.kind == "share":
        return share_steps(quantity, mention.language)
    if quantity.kind == "number" and (_is_part_of_a_date(mention) or mention.label == "MISC" or read_age(mention)):
        return []
    if quantity.kind in ("number", "count") and _NUMBERED.search(mention.text[: mention.start][-20:]):
        return []
    before = last_word(mention.text, mention.start)
    outside = _outside(mention, quantity, before)
    steps = list(steps_around(quantity, outside, before, mention.language))
    if before in _BEFORE_RANGES and quantity.low != quantity.high:
        steps = [replace(step, amount=amount) for step in steps if (amount := _BEFORE_RANGES[before](step.amount))]
    elif is_end_of_range(mention.text, mention.start):
        steps = [step for step in steps if not step.amount.startswith(_NO_ENDS)]
    return worded(steps, quantity, mention.language)


def _of_substance(said: str, language: str) -> Quantity | None:
    """*46 grams of heroin*: the measure, and what kind of thing it is a measure of."""
    measure, _, thing = said.partition(" of ")
    found = thing_kinds.find(thing) if thing and language == "en" else None
    quantity = read_quantity(measure, language) if found and found.kind else None
    if not found or quantity is None or quantity.kind not in ("measure", "percent"):
        return None
    kind = thing_kinds.climb(found.kind)[0]
    return replace(quantity, tail=f" of {thing_kinds.rung_of(kind, is_plural=not kind.is_mass).text}")


def _outside(mention: Mention, quantity: Quantity, before: str) -> Bound:
    """The bound before it; *over* a sum of money is more than it, unless people quarrel over it."""
    found = bound_before(mention.text, mention.start, mention.language)
    if found == "unclear" and before == "over" and quantity.kind in ("money", "percent"):
        return found if _ABOUT_IT.search(mention.text[: mention.start][-40:]) else "above"
    return found


def _is_cut(mention: Mention) -> bool:
    """Whether the span cuts a word or a number, such as the *34* of 34 million."""
    if is_cut(mention.text, mention.start, mention.end):
        return True
    found = list(numbers_in(mention.said[:_LONGEST], mention.language))
    if not found or mention.start + (last := found[-1]).end != mention.end:
        return False
    near = mention.text[mention.start + last.start : mention.end + _LONGEST]
    whole = number_at(near, 0, mention.language)
    return whole is not None and whole.end > last.end - last.start


def _is_part_of_a_date(mention: Mention) -> bool:
    """March [27], [27] March."""
    after = _NEXT_WORD.match(mention.text, mention.end)
    before = _LAST_WORD.search(mention.text, max(0, mention.start - 20), mention.start)
    return any(found is not None and found[1] in MONTH_NAMES for found in (before, after))


def _says_nothing(quantity: Quantity, said: str) -> bool:
    """None and one are not made wider without saying something else; a year is no amount."""
    is_year = quantity.kind == "number" and YEAR.fullmatch(said) is not None
    is_one = quantity.kind in ("count", "number") and quantity.high is not None and quantity.high <= 1
    return quantity.high == 0 or is_year or is_one


def originals(phrase: str, text: str, language: str) -> Iterator[str]:
    """Amounts that may have stood there: round ones inside the band first, in the phrase's unit."""
    if language in LANGUAGES:
        said = re.sub(r"^(?:an?|the)\s+", "", phrase.strip(), flags=re.IGNORECASE)
        yield from durations.known_originals(said, language) or _round_amounts(said, language)


@lru_cache(maxsize=1024)
def _round_amounts(said: str, language: str) -> tuple[str, ...]:
    return tuple(islice(guesses(said, language), MOST))
