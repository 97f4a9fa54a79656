"""Generalize quantities: *GBP 147,682.42* -> *between 100,000 and 150,000 pounds sterling*.

Amounts become bands and orders of magnitude that hold them, no end of which repeats a number of the original.
Durations and ages that are labelled as quantities go to their own hierarchy.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from math import ceil, floor, log10

from sfumato.generalize import durations
from sfumato.generalize.bounds import (
    Bound,
    cuts_word_or_number,
    format_band,
    has_trailing_bound,
    is_end_of_range,
    last_word_before,
    preceding_bound,
)
from sfumato.generalize.clauses import is_denied
from sfumato.generalize.durations.ages import read_age
from sfumato.generalize.hierarchy import Level, Mention
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
from sfumato.lexicon.numbers import SCALES, in_words, number_at, numbers_in, written
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
    if quantity is None or _says_nothing(quantity, surface) or has_trailing_bound(mention.text, mention.end):
        return []
    if (quantity.high is None or quantity.low == 0) and is_denied(mention.text, mention.start, mention.language):
        return []
    if quantity.kind == "ordinal":  # elsewhere it is part of a name: the Third Republic
        return [Level(quantity.noun, 10.0, "a", source=_SOURCE)] if mention.label in ("QUANTITY", "DEM") else []
    if quantity.kind == "share":
        return _share_levels(quantity, mention.language)
    if quantity.kind == "number" and (read_age(mention) or not _counts_next_word(mention)):
        return []
    if quantity.kind in ("number", "count") and _NUMBERED.search(mention.before[-20:]):
        return []
    before = last_word_before(mention.text, mention.start)
    outside = _outside(mention, quantity, before)
    steps = list(_steps_around(quantity, outside, before, mention.language))
    if before in _OPEN_RANGE and quantity.low != quantity.high:
        steps = [replace(step, amount=amount) for step in steps if (amount := _continue_range(before, step.amount))]
    elif is_end_of_range(mention.text, mention.start):
        steps = [step for step in steps if not step.amount.startswith(_NOT_ENDS)]
    return _word_steps(steps, quantity, mention.language)


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


def candidate_originals(phrase: str, text: str, language: str) -> Iterator[str]:
    """Amounts that may have stood there: round ones inside the band first, in the phrase's unit."""
    if language in QUANTITY_LANGUAGES:
        phrase = re.sub(r"^(?:an?|the)\s+", "", phrase.strip(), flags=re.IGNORECASE)
        yield from durations.known_originals(phrase, language) or _originals(phrase, language)


# Bands around an amount, each holding the one before, whose ends repeat no number of the original.

_FINE = (Fraction(1), Fraction(3, 2), *map(Fraction, (2, 3, 4, 5, 6, 8)))
_COARSE = tuple(map(Fraction, (1, 2, 5)))
_POWERS = (Fraction(1),)
_PERCENT = tuple(map(Fraction, (1, 2, 5, 10, 15, 20, 25, 30, 40, 50, 60, 70, 75, 80, 85, 90, 95, 99)))
_PERCENT_COARSE = tuple(map(Fraction, (10, 20, 50, 80, 90)))


@dataclass(frozen=True, slots=True)
class _Band:
    """From ``low`` to ``high``; None: without end."""

    low: Fraction
    high: Fraction | None

    def holds(self, other: _Band) -> bool:
        """Whether all of the other lies in it, and it reaches further."""
        below = self.low <= other.low
        above = self.high is None or (other.high is not None and other.high <= self.high)
        return below and above and self != other

    @property
    def width(self) -> float:
        high = self.high if self.high is not None else 20 * max(self.low, Fraction(1))
        return float(high - self.low)


@dataclass(frozen=True, slots=True)
class _OriginalNumbers:
    """The numbers of an original, so that no level repeats one."""

    values: frozenset[Fraction]
    groups: frozenset[str]
    words: str
    language: str

    @classmethod
    def of(cls, text: str, language: str) -> _OriginalNumbers:
        values = {value for number in numbers_in(text, language) for value in number.values}
        whole = re.sub(r"(?<=\d)[.,]\d{1,2}(?!\d)", "", text)
        return cls(frozenset(values), frozenset(re.findall(r"\d+", whole)), text.lower(), language)

    def allows(self, edge: Fraction) -> bool:
        shown = set(re.findall(r"\d+", self.shown(edge)))
        return edge not in self.values and not any(group in self.groups for group in shown if group.strip("0"))

    def shown(self, edge: Fraction) -> str:
        """The number in digits; from a million on with the word, unless the original used it."""
        for size, singular, plural in quantity_data(self.language)["large_scales"]:
            if edge >= size and (edge / size * 10).denominator == 1 and plural[:5] not in self.words:
                return f"{written(edge / size, self.language)} {singular if edge == size else plural}"
        return written(edge, self.language)


def _grid_bands(
    low: Fraction, high: Fraction | None, original: _OriginalNumbers, grids: Sequence[tuple[Fraction, ...]]
) -> list[_Band]:
    """Ever wider bands around an amount; open ones where it is itself open."""
    nested: list[_Band] = []
    for grid in grids:
        lower = (edge for edge in reversed(_edges(grid, _exponent(low))) if edge < low)
        upper = (edge for edge in _edges(grid, _exponent(high or low)) if high is not None and edge > high)
        below = next(filter(original.allows, lower), None) if low > 0 else Fraction(0)
        above = next(filter(original.allows, upper), None)
        if below is None or (high is not None and above is None):
            continue
        band = _Band(below, above)
        if not nested or band.holds(nested[-1]):
            nested.append(band)
    return nested


def _percent_bands(low: Fraction, high: Fraction | None, original: _OriginalNumbers) -> list[_Band]:
    """Bands of per cent, within 0 and 100."""
    nested: list[_Band] = []
    for grid in (_PERCENT, _PERCENT_COARSE, (Fraction(50),)):
        below = max((edge for edge in grid if edge < low and original.allows(edge)), default=Fraction(0))
        above = min((edge for edge in grid if high is not None and edge > high and original.allows(edge)), default=None)
        band = _Band(below, above)
        if (below or above is not None) and (not nested or band.holds(nested[-1])):
            nested.append(band)
    return nested


def _exponent(value: Fraction) -> int:
    return floor(log10(value)) if value > 0 else 0


@cache
def _edges(grid: tuple[Fraction, ...], exponent: int) -> tuple[Fraction, ...]:
    """The edges of a grid around numbers of this magnitude, in order."""
    return tuple(part * Fraction(10) ** power for power in range(exponent - 2, exponent + 4) for part in grid)


# The words for an amount: what is counted behind it, in other words than the original's where there are any.


@dataclass(frozen=True, slots=True)
class _Step:
    """One level before what is counted is put behind it."""

    band: _Band
    amount: str
    """*between five and ten*, *several hundred*, *more than 50*."""
    joins: str = " "
    """What stands between the amount and what is counted: "tens of thousands" *of* pounds."""
    modifier: str = ""


def _word_steps(steps: list[_Step], quantity: Quantity, language: str) -> list[Level]:
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


def _text(step: _Step, what: str, quantity: Quantity, language: str) -> str:
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


def _with_units(steps: list[_Step], quantity: Quantity, language: str) -> Iterator[tuple[_Step, str]]:
    """Each step with what is counted, which an amount never loses."""
    if not steps:
        return
    data = quantity_data(language)
    without_unit = [(step, "") for step in steps]
    if quantity.kind == "number":
        yield from without_unit
        if quantity.high == 2 and "some" in data:
            yield _Step(_Band(Fraction(0), None), data["some"]), ""
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


def _agreeing(name: str, step: _Step, quantity: Quantity) -> str:
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


def _with_noun(steps: list[_Step], quantity: Quantity, language: str) -> Iterator[tuple[_Step, str]]:
    data, noun = quantity_data(language), quantity.noun
    for step in steps:
        yield step, noun
    if quantity.is_modifier:
        if quantity.low >= 2 and "multi" in data:
            yield _Step(_Band(Fraction(1), None), "", modifier=data["multi"]), noun
    elif quantity.high == 2 and not noun.lower().startswith(("of ", "de ")) and noun.lower() != "times":
        yield _Step(_Band(Fraction(1), None), "", ""), noun
    elif noun.lower() in _TIMES:
        yield _Step(_Band(Fraction(1), None), data["repeatedly"]), ""
    elif noun.lower().startswith(data["other"]):
        yield steps[-1], data["others"]


# Ever wider bands around an amount, in words: *between 50 and 100*, *several dozen*, *more than 20*.


def _steps_around(quantity: Quantity, outside: Bound, before: str, language: str) -> Iterator[_Step]:
    """Ever wider bands around the amount, as the words before it leave room for them."""
    original = _OriginalNumbers.of(quantity.surface, language)
    counted = quantity.kind in ("count", "number")
    named = _magnitude(quantity, language, original)
    if outside == "unclear":
        if named and before == "over":
            yield named
        return
    if outside in ("above", "below"):
        yield from _ends(_bands(quantity, original), outside == "above", original, counted)
        return
    last: _Band | None = None
    for each in _bands(quantity, original):
        if named and last and named.band.holds(last) and not named.band.holds(each):
            break
        if last is None or each.holds(last):
            yield _banded(each, original, before, counted, language)
            last = each
    if named and last and named.band.holds(last):
        yield named
        last = named.band
    if quantity.kind != "percent" and outside == "exact" and last and last.high is not None and last.low > 0:
        least = next(filter(original.allows, _lower_bounds(last.low, counted)), None)
        if least is not None and _Band(least, None).holds(last):
            yield _banded(_Band(least, None), original, "", counted, language)


def _bands(quantity: Quantity, original: _OriginalNumbers) -> list[_Band]:
    low, high = quantity.low, quantity.high
    if quantity.kind == "percent" and (high is None or high <= 100):
        return _percent_bands(low, high, original)
    if quantity.kind not in ("count", "number"):
        around = _grid_bands(low, high, original, (_FINE, _COARSE, _POWERS))
        return [band for band in around if band.high is None or band.high <= 100 * max(band.low, Fraction(1, 100))]
    around = _grid_bands(low, high, original, (_COARSE,) if high is not None and high <= 10 else (_FINE, _COARSE))
    return [band for band in around if band.low.denominator == 1 and (band.high is None or band.high.denominator == 1)]


def _lower_bounds(low: Fraction, counted: bool) -> Iterator[Fraction]:
    """What the last level says an amount is more than: a power of ten; for counts also two and five of it."""
    top = floor(log10(low))
    for exponent in range(top, top - 2, -1):
        for part in (5, 2, 1) if counted else (1,):
            edge = part * Fraction(10) ** exponent
            if low / 20 <= edge <= low and (not counted or edge >= 5):
                yield edge


def _shown(edge: Fraction, original: _OriginalNumbers, counted: bool) -> str:
    words = in_words(edge, original.language) if counted else ""
    return words if words.isalpha() and not (len(words) > 3 and words in original.words) else original.shown(edge)


def _banded(each: _Band, original: _OriginalNumbers, before: str, counted: bool, language: str) -> _Step:
    data = quantity_data(language)
    more, less = data["more_than"], data["fewer_than" if counted else "less_than"]
    if each.high is None:
        return _Step(each, f"{more} {_shown(each.low, original, counted)}", _joiner(each.low, original))
    if each.low <= 0:
        return _Step(each, f"{less} {_shown(each.high, original, counted)}", _joiner(each.high, original))
    in_digits = not all(_shown(edge, original, counted).isalpha() for edge in (each.low, each.high))
    low, high = (_shown(edge, original, counted and not in_digits) for edge in (each.low, each.high))
    first = low.rsplit(" ", 1)
    if len(first) == 2 and high.endswith(first[1]) and data["shares_scale"]:  # between 50 and 100 million
        low = first[0]
    amount = format_band(low, high, before, language)
    return _Step(each, amount, _joiner(each.high, original), modifier=f"{low}- to {high}-")


def _joiner(edge: Fraction, original: _OriginalNumbers) -> str:
    """A million *of* euros, in Spanish."""
    return quantity_data(original.language)["of_magnitudes"] if "mill" in original.shown(edge) else " "


def _ends(around: list[_Band], from_below: bool, original: _OriginalNumbers, counted: bool) -> Iterator[_Step]:
    """What may stand behind a "more than" (less than there was) or "less than" (more) that stays in the text."""
    for band in around[:2]:
        edge = band.low if from_below else band.high
        if edge:
            open_band = _Band(edge, None) if from_below else _Band(Fraction(0), edge)
            yield _Step(open_band, _shown(edge, original, counted), _joiner(edge, original))


def _magnitude(quantity: Quantity, language: str, original: _OriginalNumbers) -> _Step | None:
    """*several*, *several hundred*, *tens of thousands of*; None where the original uses these words."""
    low, high = quantity.low, quantity.high
    if high is None or low < 3:
        return None
    data = quantity_data(language)
    counted = quantity.kind in ("count", "number")
    if high < 10:
        ending = (quantity.noun.split() or [""])[0][-2:]
        several = data["several"].get(ending, "" if len(data["several"]) > 1 else data["several"]["default"])
        if not counted or not several:
            return None
        return _Step(_Band(Fraction(2), Fraction(11)), several, modifier=data["several_modifier"])
    if counted and "several_dozen" in data and low >= 36 and high < 100 and "dozen" not in original.words:
        return _Step(_Band(Fraction(20), Fraction(100)), data["several_dozen"])
    for exponent, name in enumerate(data["magnitudes"], 2):
        power = Fraction(10) ** exponent
        if any(word[:6] in original.words for word in name.split() if len(word) > 3):
            continue
        is_tens = name.startswith(data["tens"])
        if low >= power * (2 if is_tens else 3) and high < power * 10:
            if is_tens:
                return _Step(_Band(power, power * 10), name, data["of"])
            joins = " " if quantity.kind == "number" else data["of_magnitudes"]
            return _Step(_Band(power * 2, power * 10), f"{data['several']['default']} {name}", joins)
    return None


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
    shares: list[Level] = []
    last: _Band | None = None
    for least, most, text in texts:
        if last is None or _Band(least, most).holds(last):
            last = _Band(least, most)
            shares.append(Level(f"{text}{quantity.tail}", last.width * 100, "", source=_SHARE_SOURCE))
    return shares


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


# The attacker's side: round amounts inside a band.

_SEVERAL = lazy_pattern(
    r"(?:several|varios|varias)(?:\s+(dozen|hundred|cientos))?(?:\s+(?:de\s+)?([a-zé]+))?", re.IGNORECASE
)
_TENS = lazy_pattern(r"(?:tens|decenas)(?:\s+(?:of|de)\s+(thousands|millions|billions|miles|millones))?", re.IGNORECASE)
_SIZES = {"thousands": 10**3, "millions": 10**6, "billions": 10**9, "miles": 10**3, "millones": 10**6}
_EACH = 30
"""How many values of one roundness are tried."""
_SHARE = lazy_pattern(r"\b(?:half|third|thirds|quarter|quarters|tenth|mitad|tercios?|cuartos?|décima)\b", re.IGNORECASE)
_LESS = lazy_pattern(r"\b(?:less|fewer|menos)\b", re.IGNORECASE)
_MORE = lazy_pattern(r"\b(?:more|más)\b", re.IGNORECASE)


def _originals(phrase: str, language: str) -> Iterator[str]:
    """What may have stood where a level stands, roundest first, with the words around the number kept."""
    if _SHARE.search(phrase):
        yield from (share for share in quantity_data(language)["share_originals"] if share not in phrase)
        return
    amounts = _read_level(phrase, language)
    if amounts is None:
        return
    low, high, before, after = amounts
    in_full = not any(mark.isdigit() for mark in phrase) and high <= 20
    for value in _round(low, high):
        if in_full and value.denominator != 1:
            continue
        number = in_words(value, language) if in_full else written(value, language)
        yield " ".join(part for part in (before, number, after) if part).replace(" %", "%").replace(" -", "-")


def _read_level(phrase: str, language: str) -> tuple[Fraction, Fraction, str, str] | None:
    scales = SCALES[language]
    if (several := _SEVERAL.match(phrase)) is not None:
        size, end = 1, several.end()
        first, second = (several[1] or "").lower(), (several[2] or "").lower()
        size *= {"dozen": 12, "hundred": 100, "cientos": 100}.get(first, 1)
        if second in scales or second in _SIZES:
            size *= scales.get(second, 0) or _SIZES[second]
        elif several[2]:
            end = several.start(2)
        return Fraction(2 * size), Fraction(10 * size), "", _rest(phrase[end:])
    if (tens := _TENS.match(phrase)) is not None:
        size = 10 * _SIZES.get((tens[1] or "").lower(), 1)
        return Fraction(size), Fraction(10 * size), "", _rest(phrase[tens.end() :])
    numbers = [number for number in numbers_in(phrase, language) if not number.ordinal]
    if not numbers or len(numbers) > 2:
        return None
    values = [max(number.values) for number in numbers]
    head = phrase[: numbers[0].start]
    code = re.search(r"([A-Z]{3}|[$€£])\s*$", head)
    before, after = code[1] if code else "", phrase[numbers[-1].end :].strip()
    if len(values) == 2:
        low, high = values
        # "between 50 and 100 million": the word belongs to both.
        scale = next((size for word, size in scales.items() if re.search(rf"\d {word}\b", phrase)), 0)
        low = low * scale if scale and low * scale < high else low
        return (low, high, before, after) if low < high else None
    if _LESS.search(head):
        return Fraction(0), values[0], before, after
    most = values[0] * (20 if _MORE.search(head) else 3)
    return values[0], min(most, Fraction(101)) if re.match("%|per cent|por ciento", after) else most, before, after


def _rest(text: str) -> str:
    return re.sub(r"^(?:of|de)\s+", "", text.strip(), flags=re.IGNORECASE)


def _round(low: Fraction, high: Fraction) -> Iterator[Fraction]:
    """Values strictly inside, the roundest first, of these the smallest."""
    exponent = len(str(int(high))) - 1
    smallest = Fraction(10) ** (exponent - 2) / 2
    # All values are multiples of the smallest step: whole numbers are compared many times faster than fractions.
    seen: set[int] = set()
    for step in (200, 100, 20, 10, 2, 1):
        first, end = int(low / smallest / step) + 1, ceil(high / smallest / step)
        for number in range(first * step, min(first + _EACH, end) * step, step):
            if number not in seen:
                seen.add(number)
                yield smallest * number
