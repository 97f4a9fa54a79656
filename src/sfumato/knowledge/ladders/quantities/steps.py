"""Ever wider bands around an amount, in words: *between 50 and 100*, *several dozen*, *more than 20*."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import floor, log10

from sfumato.knowledge.ladders.bounds import Bound, band
from sfumato.knowledge.ladders.quantities.bands import COARSE, FINE, POWERS, Band, Said, bands, percent_bands
from sfumato.knowledge.ladders.quantities.reading import Quantity
from sfumato.knowledge.ladders.quantities.words import Step
from sfumato.knowledge.numbers.write import in_words

_HUNDREDS = {
    "en": "hundred;thousand;tens of thousands;hundred thousand;million;tens of millions;hundred million;billion;"
    "tens of billions".split(";"),
    "es": "cientos;miles;decenas de miles;cientos de miles;millones;decenas de millones;cientos de millones;"
    "miles de millones;decenas de miles de millones".split(";"),
}
"""Orders of magnitude from a hundred on."""


def steps_around(quantity: Quantity, outside: Bound, before: str, language: str) -> Iterator[Step]:
    """Ever wider bands around the amount, as the words before it leave room for them."""
    said = Said.of(quantity.said, language)
    counted = quantity.kind in ("count", "number")
    named = _magnitude(quantity, language, said)
    if outside == "unclear":
        if named and before == "over":
            yield named
        return
    if outside in ("above", "below"):
        yield from _ends(_bands(quantity, said), outside == "above", said, counted)
        return
    last: Band | None = None
    for each in _bands(quantity, said):
        if named and last and named.band.holds(last) and not named.band.holds(each):
            break
        if last is None or each.holds(last):
            yield _banded(each, said, before, counted, language)
            last = each
    if named and last and named.band.holds(last):
        yield named
        last = named.band
    if quantity.kind != "percent" and outside == "exact" and last and last.high is not None and last.low > 0:
        least = next((edge for edge in _floors(last.low, counted) if said.allows(edge)), None)
        if least is not None and Band(least, None).holds(last):
            yield _banded(Band(least, None), said, "", counted, language)


def _bands(quantity: Quantity, said: Said) -> list[Band]:
    low, high = quantity.low, quantity.high
    if quantity.kind == "percent" and (high is None or high <= 100):
        return percent_bands(low, high, said)
    if quantity.kind not in ("count", "number"):
        found = bands(low, high, said, (FINE, COARSE, POWERS))
        return [each for each in found if each.high is None or each.high <= 100 * max(each.low, Fraction(1, 100))]
    small = high is not None and high <= 10
    found = bands(low, high, said, (COARSE,) if small else (FINE, COARSE))
    return [each for each in found if each.low.denominator == 1 and (each.high is None or each.high.denominator == 1)]


def _floors(low: Fraction, counted: bool) -> Iterator[Fraction]:
    """What an amount is more than, said last: a power of ten; for counts also two and five of it."""
    top = floor(log10(low))
    for exponent in range(top, top - 2, -1):
        for part in (5, 2, 1) if counted else (1,):
            edge = part * Fraction(10) ** exponent
            if low / 20 <= edge <= low and (not counted or edge >= 5):
                yield edge


def _shown(edge: Fraction, said: Said, counted: bool) -> str:
    words = in_words(edge, said.language) if counted else ""
    return words if words.isalpha() and not (len(words) > 3 and words in said.words) else said.shown(edge)


def _banded(each: Band, said: Said, before: str, counted: bool, language: str) -> Step:
    more, less = ("more than", "fewer than" if counted else "less than") if language == "en" else ("más de", "menos de")
    if each.high is None:
        return Step(each, f"{more} {_shown(each.low, said, counted)}", _de(each.low, said))
    if each.low <= 0:
        return Step(each, f"{less} {_shown(each.high, said, counted)}", _de(each.high, said))
    in_digits = not all(_shown(edge, said, counted).isalpha() for edge in (each.low, each.high))
    low, high = (_shown(edge, said, counted and not in_digits) for edge in (each.low, each.high))
    first = low.rsplit(" ", 1)
    if len(first) == 2 and high.endswith(first[1]) and language == "en":  # between 50 and 100 million
        low = first[0]
    return Step(each, band(low, high, before, language), _de(each.high, said), modifier=f"{low}- to {high}-")


def _de(edge: Fraction, said: Said) -> str:
    """A million *of* euros, in Spanish."""
    return " de " if said.language == "es" and "mill" in said.shown(edge) else " "


def _ends(found: list[Band], from_below: bool, said: Said, counted: bool) -> Iterator[Step]:
    """What may stand behind a "more than" (less than there was) or "less than" (more) that stays in the text."""
    for each in found[:2]:
        edge = each.low if from_below else each.high
        if edge:
            open_band = Band(edge, None) if from_below else Band(Fraction(0), edge)
            yield Step(open_band, _shown(edge, said, counted), _de(edge, said))


def _magnitude(quantity: Quantity, language: str, said: Said) -> Step | None:
    """*several*, *several hundred*, *tens of thousands of*; None where the original uses these words."""
    low, high = quantity.low, quantity.high
    if high is None or low < 3:
        return None
    several = "several" if language == "en" else "varios"
    counted = quantity.kind in ("count", "number")
    if high < 10:
        if language == "es":
            first = (quantity.noun.split() or [""])[0]
            several = {"os": "varios", "as": "varias"}.get(first[-2:], "")
        if not counted or not several:
            return None
        return Step(Band(Fraction(2), Fraction(11)), several, modifier="several-")
    if counted and language == "en" and low >= 36 and high < 100 and "dozen" not in said.words:
        return Step(Band(Fraction(20), Fraction(100)), "several dozen")
    for exponent, name in enumerate(_HUNDREDS[language], 2):
        power = Fraction(10) ** exponent
        if any(word[:6] in said.words for word in name.split() if len(word) > 3):
            continue
        is_tens = name.startswith(("tens", "decenas"))
        if low >= power * (2 if is_tens else 3) and high < power * 10:
            if is_tens:
                joins = " of " if language == "en" else " de "
                return Step(Band(power, power * 10), name, joins)
            needs_de = language == "es" and quantity.kind != "number"
            return Step(Band(power * 2, power * 10), f"{several} {name}", " de " if needs_de else " ")
    return None
