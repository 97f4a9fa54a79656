"""The words for an age, by the form in which it stood: *63 years old*, *aged 63*, *a 63-year-old*."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Form = Literal["predicate", "aged", "age of", "adjective", "noun", "number"]


@dataclass(frozen=True, slots=True)
class Stage:
    """A time of life: from and to which age, and the words for it; the Spanish ones stand after *de*."""

    low: int
    high: int
    phrase: str
    noun: str
    adjective: str
    spanish: str


STAGES = (
    Stage(0, 1, "in infancy", "infant", "infant", "menos de dos años"),
    Stage(2, 12, "in childhood", "child", "pre-teen", "edad infantil"),
    Stage(13, 17, "in adolescence", "adolescent", "adolescent", "edad adolescente"),
    Stage(18, 29, "in early adulthood", "young adult", "young adult", "edad adulta joven"),
    Stage(40, 64, "in middle age", "middle-aged adult", "middle-aged", "edad mediana"),
    Stage(60, 200, "in later life", "older adult", "older", "edad avanzada"),
    Stage(0, 17, "under the age of majority", "minor", "underage", "menos de 18 años"),
    Stage(18, 200, "in adulthood", "adult", "adult", "edad adulta"),
)


def between(low: int, high: int, form: Form, spanish: bool, many: bool) -> str:
    plural = "s" if form == "noun" and many else ""
    if spanish:
        return {"age of": f"edad de entre {low} y {high} años"}.get(form, f"entre {low} y {high} años")
    return {
        "predicate": f"aged between {low} and {high}",
        "aged": f"between {low} and {high} years old",
        "age of": f"age of between {low} and {high}",
        "adjective": f"{low}- to {high}-year-old",
        "noun": f"{low}- to {high}-year-old{plural}",
        "number": f"between {low} and {high}",
    }[form]


def from_on(low: int, form: Form, spanish: bool, many: bool) -> str:
    if spanish:
        return {"age of": f"edad de {low} años o más"}.get(form, f"{low} años o más")
    return {
        "predicate": f"aged {low} or over",
        "aged": f"{low} or more years old",
        "age of": f"age of {low} or over",
        "adjective": "",
        "noun": f"{'people' if many else 'person'} aged {low} or over",
        "number": f"{low} or over",
    }[form]


def under(high: int, form: Form, spanish: bool) -> str:
    if spanish:
        return {"age of": f"edad de menos de {high} años"}.get(form, f"menos de {high} años")
    return {
        "predicate": f"aged under {high}",
        "aged": f"less than {high} years old",
        "age of": f"age of less than {high}",
        "adjective": "",
        "noun": "",
        "number": f"under {high}",
    }[form]
