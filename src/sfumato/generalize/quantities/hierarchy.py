"""Generalize quantities: *GBP 147,682.42* -> *between 100,000 and 150,000 pounds sterling*.

Amounts become bands and orders of magnitude that hold them, no end of which repeats a number of the original.
Durations and ages that are labelled as quantities go to their own hierarchy.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from operator import itemgetter

from sfumato.generalize import durations
from sfumato.generalize.bounds import (
    Bound,
    cuts_word_or_number,
    has_trailing_bound,
    is_end_of_range,
    last_word_before,
    nested,
    preceding_bound,
)
from sfumato.generalize.clauses import is_denied
from sfumato.generalize.durations.ages import read_age
from sfumato.generalize.hierarchy import Level, Mention
from sfumato.generalize.quantities.bands import Band, Step, steps_around
from sfumato.generalize.quantities.reading import (
    BEFORE_NOUN,
    MONTH_NAMES,
    NOT_COUNTED,
    QUANTITY_LANGUAGES,
    YEAR,
    Quantity,
    quantity_data,
    read_quantity,
)
from sfumato.generalize.things import kinds as thing_kinds
from sfumato.lexicon.grammar import STOP_WORDS
from sfumato.lexicon.grammar_en import is_plural
from sfumato.lexicon.numbers import number_at, numbers_in
from sfumato.lexicon.tokens import lazy_pattern

_SOURCE = "rule: quantities"
_LONGEST = 160
_MOST = 9
_TIMES = frozenset(quantity_data(language)["times"] for language in QUANTITY_LANGUAGES)
_NOT_ENDS = tuple(word for language in QUANTITY_LANGUAGES for word in quantity_data(language)["not_ends"])
"""What cannot be one end of a range."""
_NEXT_WORD = lazy_pattern(r"[ \u00a0](?:of\s|de\s)?([^\W\d_]+)")
_LAST_WORD = lazy_pattern(r"([^\W\d_]+)\.?\s*$")
_NUMBERED_WORDS = "|".join(word for language in QUANTITY_LANGUAGES for word in quantity_data(language)["numbered"])
_NUMBERED = lazy_pattern(rf"\b(?:{_NUMBERED_WORDS})\s+\Z|[§#№]\s*\Z", re.IGNORECASE)
"""Words before a number that is a name: type 2 diabetes, Article 6."""
_SUM = lazy_pattern(quantity_data("en")["sum"], re.IGNORECASE)
_QUARREL = lazy_pattern(quantity_data("en")["quarrels"])
_DECIMALS = lazy_pattern(r"\d[.,:]\d{1,2}\b")
_OPEN_RANGE = frozenset(word for language in QUANTITY_LANGUAGES for word in quantity_data(language)["behind"])


def levels(mention: Mention) -> list[Level]:
    """What is true of the amount, ever less exactly."""
    if mention.language not in QUANTITY_LANGUAGES or _is_cut(mention):
        return []
    if levels_of_duration := durations.levels(mention):
        return levels_of_duration
    surface = mention.surface.strip()
    if vote := _vote_level(surface, mention.language):
        return [vote]
    if vague := _vague_level(surface, mention.language):
        return [vague]
    surface = _SUM.sub("", surface)
    quantity = read_quantity(surface, mention.language) or _of_substance(surface, mention.language)
    if quantity is None or not _is_amount(quantity, surface, mention):
        return []
    if quantity.kind == "ordinal":  # elsewhere it is part of a name: the Third Republic
        return [Level(quantity.noun, 10.0, "a", source=_SOURCE)] if mention.label in ("QUANTITY", "DEM") else []
    if quantity.kind == "share":
        return _share_levels(quantity, mention.language)
    before = last_word_before(mention.text, mention.start)
    outside = _outside(mention, quantity, before)
    steps = list(steps_around(quantity, outside, before, mention.language))
    if before in _OPEN_RANGE and quantity.low != quantity.high:
        steps = [replace(step, amount=amount) for step in steps if (amount := _continue_range(before, step.amount))]
    elif is_end_of_range(mention.text, mention.start):
        steps = [step for step in steps if not step.amount.startswith(_NOT_ENDS)]
    return _word_steps(steps, quantity, mention.language)


def _is_amount(quantity: Quantity, surface: str, mention: Mention) -> bool:
    """Whether it is an amount that something wider can be said of where it stands."""
    if _says_nothing(quantity, surface) or has_trailing_bound(mention.text, mention.end):
        return False
    if (quantity.high is None or quantity.low == 0) and is_denied(mention.text, mention.start, mention.language):
        return False
    if quantity.kind == "number" and (read_age(mention) or not _counts_next_word(mention)):
        return False
    return quantity.kind not in ("number", "count") or not _NUMBERED.search(mention.before[-20:])


def _continue_range(before: str, amount: str) -> str:
    """What of a band stands behind a word that opens it; empty where it is no band."""
    for language in QUANTITY_LANGUAGES:
        template, behind = quantity_data(language)["between"], quantity_data(language)["behind"]
        match = re.fullmatch(template.format(low="(.+?)", high="(.+)"), amount)
        if match and before in behind:
            return str(behind[before].format(low=match[1], high=match[2]))
    return ""


def _vague_level(surface: str, language: str) -> Level | None:
    """*hundreds of people* -> *a large number of people*."""
    data = quantity_data(language).get("vague")
    match = re.fullmatch(data["pattern"], surface, re.IGNORECASE) if data else None
    if match and match[1]:
        return Level(data["text"].format(noun=match[1]), 1e4, "a", source=_SOURCE)
    return Level(data["alone"], 1e4, "", source=_SOURCE) if match else None


def _of_substance(surface: str, language: str) -> Quantity | None:
    """*46 grams of heroin*: the measure, and what kind of thing it is a measure of."""
    joiner = quantity_data(language).get("measured_things")
    measure, _, name = surface.partition(joiner) if joiner else ("", "", "")
    thing = thing_kinds.find(name) if name else None
    quantity = read_quantity(measure, language) if thing and thing.kind else None
    if not thing or quantity is None or quantity.kind not in ("measure", "percent"):
        return None
    kind = thing_kinds.ancestors(thing.kind)[0]
    return replace(quantity, tail=f"{joiner}{thing_kinds.level_of(kind, is_plural=not kind.is_mass).text}")


def _outside(mention: Mention, quantity: Quantity, before: str) -> Bound:
    """The bound before it; *over* a sum of money is more than it, unless people quarrel over it."""
    bound = preceding_bound(mention.text, mention.start, mention.language)
    if bound == "unclear" and before == "over" and quantity.kind in ("money", "percent"):
        return bound if _QUARREL.search(mention.before[-40:]) else "above"
    return bound


def _is_cut(mention: Mention) -> bool:
    """Whether the span cuts a word or a number, such as the *34* of 34 million."""
    if cuts_word_or_number(mention.text, mention.start, mention.end):
        return True
    numbers = list(numbers_in(mention.surface[:_LONGEST], mention.language))
    if not numbers or mention.start + (last := numbers[-1]).end != mention.end:
        return False
    near = mention.text[mention.start + last.start : mention.end + _LONGEST]
    whole = number_at(near, 0, mention.language)
    return whole is not None and whole.end > last.end - last.start


def _counts_next_word(mention: Mention) -> bool:
    """Whether a bare number counts what follows ([12] people); any other may be a score, a code, a page, a limit.

    March [27] and [27] March are parts of a date.
    """
    after = _NEXT_WORD.match(mention.text, mention.end)
    before = _LAST_WORD.search(mention.text, max(0, mention.start - 20), mention.start)
    if after is None or mention.label == "MISC" or any(match and match[1] in MONTH_NAMES for match in (before, after)):
        return False
    following = after[1].lower()
    if not any(map(str.isdigit, mention.surface)):
        return True  # nobody writes a score or a page in words
    if _DECIMALS.search(mention.surface):
        return False  # 9.00 lights out, 5.30 prayers: a time of day
    if following in BEFORE_NOUN or not after[1].islower():
        return following in BEFORE_NOUN
    # 12 people, 6 weeks, and not "47 missing", "21 high gold".
    return is_plural(following) and following not in STOP_WORDS[mention.language] | NOT_COUNTED


def _says_nothing(quantity: Quantity, surface: str) -> bool:
    """None and one are not made wider without saying something else; a year is no amount."""
    is_year = quantity.kind == "number" and YEAR.fullmatch(surface) is not None
    is_one = quantity.kind in ("count", "number") and quantity.high is not None and quantity.high <= 1
    return quantity.high == 0 or is_year or is_one


# The words for an amount: what is counted behind it, in other words than the original's where there are any.


def _word_steps(steps: list[Step], quantity: Quantity, language: str) -> list[Level]:
    """The steps as levels; one that would say the same words twice is left out."""
    worded: list[Level] = []
    plural = quantity.kind in ("count", "number") and not quantity.is_modifier
    for step, what in _with_units(steps, quantity, language):
        text = _text(step, what, quantity, language)
        if not text or any(text == level.text for level in worded):
            continue
        is_any_money = quantity.kind == "money" and what == quantity_data(language)["any_money"]
        wider = 1.1 if is_any_money or (not what and quantity.kind == "count") else 1.0
        members = max(step.band.width * wider, worded[-1].members * 1.01 + 0.001 if worded else 0.0)
        modifier = text if quantity.is_modifier else None
        worded.append(Level(f"{quantity.opening}{text}{quantity.tail}", members, "", plural, modifier, source=_SOURCE))
    return worded[:_MOST]


def _text(step: Step, what: str, quantity: Quantity, language: str) -> str:
    if quantity.is_modifier:
        return f"{step.modifier}{what}" if step.modifier and what else ""
    if what.startswith("<"):  # a code or sign stands before the number
        shown, times = re.subn(r"(?<![\d.,])\d", rf"{what[1:]} \g<0>", step.amount, count=1)
        return shown if times else ""
    each = quantity_data(language)["in_each_direction"] if quantity.in_each_direction else ""
    if not what:
        return step.amount + each
    joins = " " if what == "%" else step.joins
    return f"{step.amount}{joins}{what}{each}"


def _with_units(steps: list[Step], quantity: Quantity, language: str) -> Iterator[tuple[Step, str]]:
    """Each step with what is counted, which an amount never loses."""
    if not steps:
        return
    data = quantity_data(language)
    without_unit = [(step, "") for step in steps]
    if quantity.kind == "number":
        yield from without_unit
        if quantity.high == 2 and "some" in data:
            yield Step(Band(Fraction(0), None), data["some"]), ""
    elif quantity.kind == "count":
        yield from _with_noun(steps, quantity, language)
    elif quantity.kind == "percent":
        name = data["percent"] if "%" in quantity.surface else "%"
        yield from ((step, name) for step in steps)
    else:
        name = _unit_name(quantity)
        if not name:
            yield from without_unit
        else:
            tells_country = quantity.kind == "money" and any(word[0].isupper() for word in name.split())
            for step in steps:
                yield step, _agreeing(name, step, quantity)
                if tells_country:  # which may be hidden elsewhere
                    yield step, data["any_money"]


def _agreeing(name: str, step: Step, quantity: Quantity) -> str:
    unit = quantity.unit
    if unit and quantity.is_modifier and unit.singular and name == unit.name:
        return unit.singular
    if not unit or name != unit.name or not re.search(r"(?:than|de) 1$", step.amount):
        return name
    return unit.singular if step.amount.startswith(("more", "less")) and unit.singular else name.removesuffix("s")


def _unit_name(quantity: Quantity) -> str:
    """The unit as the original has it: its sign or code as a name (€ -> euros), a short measure as it is (kg)."""
    unit, surface = quantity.unit, quantity.surface.lower()
    if unit is None:
        return ""
    if not unit.name:  # a sign of several currencies
        sign = re.match(r"[^\d\s]+\.?", quantity.surface)
        return f"<{sign.group()}" if sign else ""
    is_short = quantity.kind == "measure" and re.search(
        rf"(?<![^\W_]){re.escape(unit.short.lower())}(?![^\W_])", surface
    )
    return unit.short if is_short else unit.name


def _with_noun(steps: list[Step], quantity: Quantity, language: str) -> Iterator[tuple[Step, str]]:
    data, noun = quantity_data(language), quantity.noun
    for step in steps:
        yield step, noun
    if quantity.is_modifier:
        if quantity.low >= 2 and "multi" in data:
            yield Step(Band(Fraction(1), None), "", modifier=data["multi"]), noun
    elif quantity.high == 2 and not noun.lower().startswith(("of ", "de ")) and noun.lower() != "times":
        yield Step(Band(Fraction(1), None), "", ""), noun
    elif noun.lower() in _TIMES:
        yield Step(Band(Fraction(1), None), data["repeatedly"]), ""
    elif noun.lower().startswith(data["other"]):
        yield steps[-1], data["others"]


# Shares and votes: *two-thirds* -> *more than half*; *ten votes to two* -> *a large majority*.

_SHARE_SOURCE = "rule: shares"
_PARTS = (Fraction(1, 10), Fraction(1, 4), Fraction(1, 3), Fraction(1, 2), Fraction(2, 3), Fraction(3, 4))
_VOTES = lazy_pattern(r"\s+(?:votes?|votos)\s+(?:to|against|contra|a)\s+", re.IGNORECASE)


def _share_levels(quantity: Quantity, language: str) -> list[Level]:
    """Between which simple parts of the whole it lies; then on which side of the half."""
    low, high = quantity.low, quantity.high
    if high is None or not 0 < low <= high < 1:
        return []
    data, surface = quantity_data(language), quantity.surface.lower()
    named = zip(_PARTS, data["parts"], strict=True)
    parts = [(part, name) for part, name in named if name.split()[-1][:5] not in surface]
    below = [(part, name) for part, name in parts if part < low]
    above = [(part, name) for part, name in parts if part > high]
    more, less = data["more_than"], data["less_than"]
    texts: list[tuple[Fraction, Fraction, str]] = []
    if below and above:
        texts.append((below[-1][0], above[0][0], data["between"].format(low=below[-1][1], high=above[0][1])))
    texts += [(part, Fraction(1), f"{more} {name}") for part, name in reversed(below) if part >= Fraction(1, 2)]
    texts += [(Fraction(0), part, f"{less} {name}") for part, name in above if part <= Fraction(1, 2)]
    if not texts:
        texts = [(Fraction(0), above[0][0], f"{less} {above[0][1]}")] if above else []
        texts = texts or ([(below[-1][0], Fraction(1), f"{more} {below[-1][1]}")] if below else [])
    return [
        Level(f"{text}{quantity.tail}", float(most - least) * 100, "", source=_SHARE_SOURCE)
        for least, most, text in nested(texts, itemgetter(0, 1))
    ]


def _vote_level(surface: str, language: str) -> Level | None:
    """*ten votes to two* -> *large majority*."""
    first = number_at(surface, 0, language)
    joined = _VOTES.match(surface, first.end) if first else None
    second = number_at(surface, joined.end(), language) if joined else None
    if not first or not second or first.value is None or second.value is None or second.end != len(surface):
        return None
    if first.value <= second.value:
        return None
    data = quantity_data(language)
    text = data["large_majority" if first.value >= 2 * second.value else "majority"]
    return Level(text, 20.0, "a", source=_SHARE_SOURCE)
