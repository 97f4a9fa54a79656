"""Read a quantity: how much money, how many of what, what share, at least and at most."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Literal

from sfumato.generalize.bounds import BOUND_LANGUAGES, apply_bound, leading_bound
from sfumato.lexicon import time
from sfumato.lexicon.grammar import STOP_WORDS
from sfumato.lexicon.numbers import Number, number_at, numbers_in
from sfumato.lexicon.tables import languages_with, load_toml, words_of_all_languages
from sfumato.lexicon.tokens import alternation, lazy_pattern

QUANTITY_LANGUAGES = tuple(language for language in languages_with("quantities") if language in BOUND_LANGUAGES)


def quantity_data(language: str) -> Any:
    return load_toml("quantities", language)


@dataclass(frozen=True, slots=True)
class Unit:
    """What an amount is counted in."""

    name: str
    """In the plural, in the language that is read; empty where a sign says no more than that it is money."""
    singular: str = ""
    short: str = ""
    """A code or sign that says the same; empty where there is none."""


def _listed(unit: str) -> str:
    """As units are listed: a pattern without case takes the Turkish capital İ for an i, and the micro sign for a mu."""
    return unit.casefold().replace("\u0307", "")


def _money(language: str) -> dict[str, Unit]:
    currencies = load_toml("currencies")
    units: dict[str, Unit] = {}
    names = [entry["en"] for entry in currencies["codes"].values()]
    for code, entry in currencies["codes"].items():
        name = entry.get(language, entry["en"])
        units[_listed(code)] = Unit(name, short=code)
        # Old and new money of one name: the name does not say the code.
        by_name = Unit(name, short=code if names.count(entry["en"]) == 1 else "")
        for form in _names(entry):
            units.setdefault(_listed(form), by_name)
    for word in currencies["unspecific"]:
        name = currencies["signs"].get(word, {}).get(language)
        units.setdefault(word, Unit(name or (word if word[:2].isalpha() and len(word) > 3 else "")))
    return units


def _names(entry: Mapping[str, Any]) -> Iterator[str]:
    """The names of a currency or a measure in all languages: a text may use another's."""
    yield from (entry[language] for language in QUANTITY_LANGUAGES if language in entry)
    yield from entry["forms"]


def _measures(language: str) -> dict[str, Unit]:
    units: dict[str, Unit] = {}
    for short, entry in load_toml("measures").items():
        unit = Unit(entry.get(language, entry["en"]), entry["singular"], short)
        for form in (short, entry["singular"], *_names(entry)):
            units.setdefault(_listed(form), unit)
    return units


_MONEY = {language: _money(language) for language in QUANTITY_LANGUAGES}
_MEASURES = {language: _measures(language) for language in QUANTITY_LANGUAGES}
_NOUN = lazy_pattern(r"(?:of\s+|de\s+)?[^\W\d_][^\W\d_'’.-]*(?:(?:[-'’ \n]+|,\s)[^\W\d_][^\W\d_.]*)*", re.DOTALL)
NOT_COUNTED, BEFORE_NOUN, _AFTER_NOUN = (
    frozenset(words_of_all_languages("quantities", key))
    for key in ("not_counted", "stop_words_before_noun", "stop_words_after_noun")
)
_MONTHS = [name for names in (*time.MONTHS.values(), *time.SHORT_MONTHS.values()) for name in names]
MONTH_NAMES = frozenset((*_MONTHS, *map(str.capitalize, _MONTHS)))
YEAR = lazy_pattern(time.YEAR)


def _is_counted(noun: str, language: str) -> bool:
    """Whether these words can be what is counted: no half phrase, no date (*6 July*), no address (*10 Rose Street*)."""
    words = noun.split()
    if words[0] in MONTH_NAMES or words[-1].lower() in STOP_WORDS[language] - _AFTER_NOUN:
        return False
    if words[0].lower() in STOP_WORDS[language] - BEFORE_NOUN or len(words[0]) == 1:
        return False
    return not words[0][0].isupper() or words[-1].islower() or words[-1].endswith(("s", "S"))


Kind = Literal["money", "measure", "percent", "share", "count", "number", "ordinal"]
_LONGEST = 160
_ABOUT = (Fraction(4, 5), Fraction(5, 4))


@dataclass(frozen=True, slots=True)
class Quantity:
    """An amount from ``low`` to ``high`` (None: no upper bound is said), of what, and what stands around it."""

    kind: Kind
    low: Fraction
    high: Fraction | None
    unit: Unit | None = None
    noun: str = ""
    """What is counted, as it stands there: *other persons*."""
    surface: str = ""
    opening: str = ""
    tail: str = ""
    is_modifier: bool = False
    in_each_direction: bool = False


_PERCENT_WORDS = "|".join(words_of_all_languages("quantities", "percent_words"))
_PERCENT = lazy_pattern(rf"\s?(?:%|(?:{_PERCENT_WORDS})(?!\w))", re.IGNORECASE)
_BRACKETED = lazy_pattern(r"\s*[‑–—-]?\s*[(\[].*$", re.DOTALL)
_TAIL_WORDS = "|".join(words_of_all_languages("quantities", "tail"))
_TAIL = lazy_pattern(rf"(?:\s+(?:{_TAIL_WORDS}))?\s*[.,;:]?", re.IGNORECASE)
_OR_MORE = lazy_pattern(
    r"\s+(?:or|and|o)\s+(?:(?P<more>more|over|above|older|upwards?|más)|less|fewer|under|below|younger|menos)\b",
    re.IGNORECASE,
)
"""*Five or more persons*."""
_RANGE = lazy_pattern(r"\s*(?:-|–|—|to|and|or|a|y|o)\s*", re.IGNORECASE)
_BETWEEN = lazy_pattern(r"(?:between|from|entre|de|desde)\s+", re.IGNORECASE)
_TIMES = lazy_pattern(r"\s*(?:x|×|by|por)\s*", re.IGNORECASE)
_MILLIONS = lazy_pattern(r"\s?(m|mln|b)(?!\w)", re.IGNORECASE)
_HYPHEN = lazy_pattern(r"-([^\W\d_]+)$")
_WORDS = {
    language: [alternation(sorted(units[language], key=len, reverse=True)) for units in (_MONEY, _MEASURES)]
    for language in QUANTITY_LANGUAGES
}
_ANY = {
    language: (
        lazy_pattern(rf"\s?(?:(?:de|of)\s)?({money})(?![^\W_])", re.IGNORECASE),
        lazy_pattern(rf"[\s-]?({measure})(?![^\W_])", re.IGNORECASE),
        lazy_pattern(rf"({money})\s?(?=[\d½¼¾]|(?:[^\W\d_]+))", re.IGNORECASE),
    )
    for language, (money, measure) in _WORDS.items()
}


_NO_AMOUNT = lazy_pattern(r"(?:[12]?\d|3[01])\.(?:0?[1-9]|1[0-2])\.|\d{1,3}\s?[MF]")
"""*12.5.* is a day of May, not twelve and a half; *67M* is a man, not so many metres."""


def read_quantity(surface: str, language: str) -> Quantity | None:
    """What all of ``surface`` says; None where a part of it cannot be read, or its number has two readings."""
    if language not in QUANTITY_LANGUAGES or not 0 < len(surface) <= _LONGEST:
        return None
    surface = surface.strip()
    if _NO_AMOUNT.fullmatch(surface):
        return None
    opening = "(" if surface.startswith("(") else ""
    core = surface.removeprefix("(")
    core = core.removesuffix(")") if opening and core.count("(") < core.count(")") else core
    closing = ")" if opening and surface.count("(") == surface.count(")") else ""
    main = _BRACKETED.sub("", core) or core
    bound, offset = leading_bound(main, language)
    ends = _OR_MORE.search(main) if bound == "exact" else None
    if ends:
        bound, main = "above" if ends["more"] else "below", main[: ends.start()] + main[ends.end() :]
    quantity = _Reader(main, offset, language).read()
    if quantity is None:
        return None
    low, high = apply_bound(quantity.low, quantity.high or quantity.low, bound, _ABOUT)
    if quantity.kind == "ordinal" and bound != "exact":
        return None
    return replace(quantity, low=low, high=high, surface=surface, opening=opening, tail=quantity.tail + closing)


_NOT_AFTER_ORDINAL = frozenset(words_of_all_languages("quantities", "ordinal_nouns_not_behind"))


_SHORTEST_NOUN = 3
"""Letters; "gr" is an abbreviation."""


class _Reader:
    def __init__(self, text: str, offset: int, language: str) -> None:
        self.text, self.offset, self.language = text, offset, language
        self.after_number, self.after_number_short, self.before_number = _ANY[language]

    def read(self) -> Quantity | None:
        between = _BETWEEN.match(self.text, self.offset)
        if between:
            self.offset = between.end()
        unit = self._currency(self.before_number)
        first = self._number(money=unit is not None)
        if first is None:
            return None
        low, ordinal = first
        if ordinal:
            return self._ordinal(low)
        spread = self._other_end(low, unit)
        if spread is None and between:
            return None
        high, kind, unit = spread or (low, None, unit)
        return self._of_what(low, high, kind, unit)

    def _currency(self, pattern: re.Pattern[str]) -> Unit | None:
        match = pattern.match(self.text, self.offset)
        if not match:
            return None
        unit = _MONEY[self.language][_listed(match[1])]
        if match[1].upper() == unit.short and not match[1].isupper():  # "all" is no Albanian lek
            return None
        self.offset = match.end()
        return unit

    def _number(self, *, money: bool = False) -> tuple[Fraction, bool] | None:
        match = number_at(self.text, self.offset, self.language)
        if match is None:
            return None
        follows = money or self.after_number.match(self.text, match.end) is not None
        value = match.value if match.value is not None else _as_money(match, self.text) if follows else None
        if value is None or value < 0 or value > 10**18:
            return None
        self.offset = match.end
        if follows and (scale := _MILLIONS.match(self.text, self.offset)):
            value, self.offset = value * (10**9 if scale[1].lower() == "b" else 10**6), scale.end()
        return value, match.ordinal

    def _other_end(self, low: Fraction, unit: Unit | None) -> tuple[Fraction, Kind | None, Unit | None] | None:
        """The end of a range: 50 *to 79*; 50% *and 79*%; 9 *x 3* cm."""
        start = self.offset
        kind: Kind | None = None
        if percent := _PERCENT.match(self.text, self.offset):
            self.offset, kind = percent.end(), "percent"
        elif unit is None and (money := self._currency(self.after_number)):
            unit = money
        joined = _RANGE.match(self.text, self.offset)
        if joined:
            self.offset = joined.end()
            self._currency(self.before_number)
            second = self._number(money=unit is not None)
            if second and not second[1] and second[0] > low:
                return second[0], kind, unit
        self.offset = start
        return None

    def _of_what(self, low: Fraction, high: Fraction, kind: Kind | None, unit: Unit | None) -> Quantity | None:
        if percent := _PERCENT.match(self.text, self.offset):
            self.offset, kind = percent.end(), "percent"
        if kind == "percent":
            return self._done("percent", low, high)
        if unit is not None or (unit := self._currency(self.after_number)):
            self._currency(self.after_number)  # 100,000 TRL; TRL 100,000 Turkish liras
            return self._done("money", low, high, unit)
        if sides := self._sides(low, high):
            return sides
        if measure := self.after_number_short.match(self.text, self.offset):
            self.offset = measure.end()
            is_modifier = "-" in measure.group()[:1]
            return self._done("measure", low, high, _MEASURES[self.language][_listed(measure[1])], modifier=is_modifier)
        if low == high and low.denominator > 1 and low < 1:
            noun = _NOUN.fullmatch(self.text[self.offset :].strip())
            return Quantity("share", low, high, tail=self.text[self.offset :]) if noun or self._ends() else None
        if self._ends():
            return self._done("number", low, high)
        return self._count(low, high)

    def _sides(self, low: Fraction, high: Fraction) -> Quantity | None:
        start, sizes = self.offset, [low, high]
        while times := _TIMES.match(self.text, self.offset):
            self.offset = times.end()
            more = self._number()
            if more is None or more[1]:
                break
            sizes.append(more[0])
        measure = self.after_number_short.match(self.text, self.offset)
        if len(sizes) > 2 and measure:
            self.offset = measure.end()
            unit = _MEASURES[self.language][_listed(measure[1])]
            done = self._done("measure", min(sizes), max(sizes), unit)
            return replace(done, in_each_direction=True) if done else None
        self.offset = start
        return None

    def _count(self, low: Fraction, high: Fraction) -> Quantity | None:
        rest = self.text[self.offset :]
        if low.denominator != 1 or high.denominator != 1:
            return None
        if hyphen := _HYPHEN.fullmatch(rest):
            return Quantity("count", low, high, noun=hyphen[1], is_modifier=True)
        noun = rest.strip()
        words = noun.lower().split()
        if not rest[:1].isspace() or not _NOUN.fullmatch(noun) or len(words) > 9 or words[0] in NOT_COUNTED:
            return None
        if next(numbers_in(noun, self.language), None) is not None or not _is_counted(noun, self.language):
            return None
        if YEAR.fullmatch(self.text[: self.offset].strip()):  # the 1996 elections
            return None
        return Quantity("count", low, high, noun=noun)

    def _ordinal(self, value: Fraction) -> Quantity | None:
        noun = self.text[self.offset :].strip()
        words = noun.lower().split()
        if not words or not _NOUN.fullmatch(noun) or words[0] in _NOT_AFTER_ORDINAL or len(words[-1]) < _SHORTEST_NOUN:
            return None
        return Quantity("ordinal", value, value, noun=noun)

    def _ends(self) -> bool:
        return _TAIL.fullmatch(self.text, self.offset) is not None

    def _done(
        self, kind: Kind, low: Fraction, high: Fraction, unit: Unit | None = None, *, modifier: bool = False
    ) -> Quantity | None:
        if not self._ends():
            return None
        return Quantity(kind, low, high, unit, tail=self.text[self.offset :], is_modifier=modifier)


def _as_money(number: Number, text: str) -> Fraction | None:
    """Nobody counts thousandths of a euro: *1.500* is fifteen hundred."""
    digits = re.search(r"[.,](\d+)$", text[number.start : number.end])
    return max(number.values) if digits and len(digits[1]) == 3 else None
