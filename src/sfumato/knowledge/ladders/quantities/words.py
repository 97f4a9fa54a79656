"""The words for an amount: what is counted behind it, in other words than the original's where there are any."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from sfumato.knowledge.ladders.base import Rung
from sfumato.knowledge.ladders.quantities.bands import Band
from sfumato.knowledge.ladders.quantities.reading import Quantity

SOURCE = "rule: quantities"
_MOST = 6


@dataclass(frozen=True, slots=True)
class Step:
    """One rung before what is counted is put behind it."""

    band: Band
    amount: str
    """*between five and ten*, *several hundred*, *more than 50*."""
    joins: str = " "
    """What stands between the amount and what is counted: "tens of thousands" *of* pounds."""
    modifier: str = ""


def worded(steps: list[Step], quantity: Quantity, language: str) -> list[Rung]:
    """The steps as rungs; one that would say the same words twice is left out."""
    found: list[Rung] = []
    for step, what in _with_units(steps, quantity, language):
        text = _text(step, what, quantity, language)
        if not text or any(text == rung.text for rung in found):
            continue
        wider = 3.0 if not what and quantity.kind in ("money", "count") else 1.0
        members = max(step.band.width * wider, found[-1].members * 1.01 + 0.001 if found else 0.0)
        modifier = text if quantity.is_modifier else None
        plural = quantity.kind in ("count", "number") and not quantity.is_modifier
        found.append(Rung(f"{quantity.opening}{text}{quantity.tail}", members, "", plural, modifier, source=SOURCE))
    return found[:_MOST]


def _text(step: Step, what: str, quantity: Quantity, language: str) -> str:
    if quantity.is_modifier:
        return f"{step.modifier}{what}" if step.modifier and what else ""
    if what.startswith("<"):  # a code or sign stands before the number
        shown, times = re.subn(r"(?<![\d.,])\d", rf"{what[1:]} \g<0>", step.amount, count=1)
        return shown if times else ""
    direction = " in each direction" if language == "en" else " en cada dirección"
    each = direction if quantity.in_each_direction else ""
    if not what:
        return step.amount + each
    joins = " " if what == "%" else step.joins
    return f"{step.amount}{joins}{what}{each}"


def _with_units(steps: list[Step], quantity: Quantity, language: str) -> Iterator[tuple[Step, str]]:
    """Each step with what is counted: said in other words than the original's, or else, once, in those, then not."""
    if not steps:
        return
    if quantity.kind == "number":
        yield from ((step, "") for step in steps)
        if quantity.high == 2 and language == "en":
            yield Step(Band(Fraction(0), None), "some"), ""
    elif quantity.kind == "count":
        yield from _with_noun(steps, quantity, language)
    elif quantity.kind == "percent":
        word = "per cent" if language == "en" else "por ciento"
        name = word if "%" in quantity.said else "%"
        yield from ((step, name) for step in steps)
    else:
        name, is_new = _other_name(quantity)
        if not name:
            yield from ((step, "") for step in steps)
        elif is_new or quantity.kind == "measure":
            yield from ((step, _agreeing(name, step, quantity)) for step in steps)
            if quantity.kind == "money":
                yield steps[-1], ""
        else:
            yield steps[0], name
            yield from ((step, "") for step in steps)


def _agreeing(name: str, step: Step, quantity: Quantity) -> str:
    unit = quantity.unit
    if unit and quantity.is_modifier and unit.singular and name == unit.name:
        return unit.singular
    if not unit or name != unit.name or not re.search(r"(?:than|de) 1$", step.amount):
        return name
    return unit.singular if step.amount.startswith(("more", "less")) and unit.singular else name.removesuffix("s")


def _other_name(quantity: Quantity) -> tuple[str, bool]:
    """A name of the unit, and whether it shares no word with the original; "<EUR": written before the number."""
    unit, said = quantity.unit, quantity.said.lower()
    if unit is None or not unit.name:
        return "", False
    name = unit.name
    shares = any(word[:4].lower() in said for word in name.split())
    if not shares:
        return name, True
    if quantity.kind == "money" and unit.short and unit.short.lower() not in said:
        return f"<{unit.short}", True
    if (
        quantity.kind == "measure"
        and (len(unit.short) < 3 or not name.startswith(unit.short))
        and not re.search(rf"(?<![^\W_]){re.escape(unit.short.lower())}(?![^\W_])", said)
    ):
        return unit.short, True
    return name, False


def _with_noun(steps: list[Step], quantity: Quantity, language: str) -> Iterator[tuple[Step, str]]:
    noun = quantity.noun
    for step in steps:
        yield step, noun
    if quantity.is_modifier:
        if language == "en" and quantity.low >= 2:
            yield Step(Band(Fraction(1), None), "", modifier="multi-"), noun
        return
    if quantity.high == 2 and not noun.lower().startswith(("of ", "de ")) and noun.lower() != "times":
        yield Step(Band(Fraction(1), None), "", ""), noun
        return
    if noun.lower() in ("times", "veces"):
        yield Step(Band(Fraction(1), None), "repeatedly" if language == "en" else "repetidamente"), ""
        return
    last = steps[-1]
    other = "other " if language == "en" else "otros "
    if noun.lower().startswith(other):
        yield last, "others" if language == "en" else "otros"
    else:
        yield last, ""
