"""Invented letters, notes and chats in the seven languages, the same for the same seed. Phrases: letters.toml."""

from __future__ import annotations

import random
import re
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

LANGUAGES = ("en", "es", "de", "fr", "it", "nl", "pt")
PHONES = {
    "en": ("+44 20 7946 0{n3}", "(555) 0{n2}-{n4}", "020 7946 0{n3}"),
    "es": ("+34 6{n2} {n3} {n3}", "91 {n3} {n2} {n2}"),
    "de": ("+49 30 {n3}{n4}", "0221 / {n3}{n3}"),
    "fr": ("+33 6 {n2} {n2} {n2} {n2}", "04 {n2} {n2} {n2} {n2}"),
    "it": ("+39 347 {n3}{n4}", "051 {n3}{n3}"),
    "nl": ("+31 6 {n4}{n4}", "030-{n3}{n4}"),
    "pt": ("+351 91 {n3} {n4}", "239 {n3} {n3}"),
}
BANKS = {"en": "GB", "es": "ES", "de": "DE", "fr": "FR", "it": "IT", "nl": "NL", "pt": "PT"}
ACCOUNTS = {"GB": "ABCD##############", "ES": "#" * 20, "DE": "#" * 18, "FR": "#" * 23, "IT": "X" + "#" * 22}
ACCOUNTS |= {"NL": "ABCD##########", "PT": "#" * 21}
CODES = ("HC-{n4}-{n3}", "{n4}/{n2}", "AB{n3}{n3}C", "{n4}{n4}{n2}", "ECLI:NL:RB:2{n3}:{n4}", "{n3}-{n2}-{n4}")
SLOT = re.compile(r"\{(\w+)\}")


class Letter(NamedTuple):
    id: str
    language: str
    text: str


def letters(count: int = 280, seed: int = 7) -> list[Letter]:
    """``count`` letters, the languages in turn; each language's sentences come up equally often."""
    tables: dict[str, dict[str, Any]] = tomllib.loads(Path(__file__).with_name("letters.toml").read_text("utf-8"))
    chance = random.Random(seed)
    turns = {language: _turns(tables[language]["sentences"], chance) for language in LANGUAGES}
    made = []
    for number in range(count):
        language = LANGUAGES[number % len(LANGUAGES)]
        sentences = [next(turns[language]) for _ in range(chance.randint(2, 5))]
        person = {slot: chance.choice(tables[language][slot]) for slot in ("given", "family")}
        filled = [_filled(sentence, tables[language], language, person, chance) for sentence in sentences]
        made.append(Letter(f"{language}-{number:03}", language, chance.choice((" ", "\n", "\n\n")).join(filled)))
    return made


def _turns(sentences: list[str], chance: random.Random) -> Iterator[str]:
    while True:
        yield from chance.sample(sentences, len(sentences))


def _filled(sentence: str, table: dict[str, Any], language: str, person: dict[str, str], chance: random.Random) -> str:
    def slot(match: re.Match[str]) -> str:
        name = match[1]
        if name in person and chance.random() < 0.7:  # a letter is about one person, mostly
            return person[name]
        made = _MADE.get(name)
        text = made(table, language, chance) if made else chance.choice(table[name])
        return _filled(text, table, language, person, chance)

    return SLOT.sub(slot, sentence)


def _digits(count: int) -> Callable[[dict[str, Any], str, random.Random], str]:
    return lambda table, language, chance: "".join(chance.choice("0123456789") for _ in range(count))


def _date(table: dict[str, Any], language: str, chance: random.Random) -> str:
    """One of the ways to write a date in words, in figures, or as ISO 8601."""
    forms: list[str] = [*table["day_month"], *table["day_month"], "{numeric}", "{iso}", "{year}"]
    return chance.choice(forms)


def _numeric(table: dict[str, Any], language: str, chance: random.Random) -> str:
    day, month, year = chance.randint(1, 28), chance.randint(1, 12), chance.randint(1931, 2024)
    forms = (f"{day:02}/{month:02}/{year}", f"{day}.{month}.{year}", f"{day:02}.{month:02}.{year % 100:02}")
    return chance.choice((*forms, f"{day}-{month}-{year}", f"{day}/{month}/{year % 100:02}"))


def _iso(table: dict[str, Any], language: str, chance: random.Random) -> str:
    return f"{chance.randint(1950, 2024)}-{chance.randint(1, 12):02}-{chance.randint(1, 28):02}"


def _word(key: str) -> Callable[[dict[str, Any], str, random.Random], str]:
    return lambda table, language, chance: chance.choice(table[key].split())


def _number(low: int, high: int, form: str = "d") -> Callable[[dict[str, Any], str, random.Random], str]:
    return lambda table, language, chance: format(chance.randint(low, high), form)


def _iban(table: dict[str, Any], language: str, chance: random.Random) -> str:
    country = BANKS[language]
    account = "".join(chance.choice("0123456789") if mark == "#" else mark for mark in ACCOUNTS[country])
    check = 98 - int("".join(str(int(mark, 36)) for mark in account + country + "00")) % 97
    whole = f"{country}{check:02}{account}"
    return chance.choice((whole, " ".join(whole[at : at + 4] for at in range(0, len(whole), 4))))


def _choice(*forms: str) -> Callable[[dict[str, Any], str, random.Random], str]:
    return lambda table, language, chance: chance.choice(forms)


_MADE: dict[str, Callable[[dict[str, Any], str, random.Random], str]] = {
    "date": _date,
    "date2": _date,
    "numeric": _numeric,
    "iso": _iso,
    "month": _word("months"),
    "short": _word("short_months"),
    "weekday": _word("weekdays"),
    "day": _number(4, 28),
    "year": _number(1931, 2024),
    "yy": _number(0, 99, "02"),
    "age": _number(18, 97),
    "age2": _number(1, 17),
    "count": _choice("2", "3", "5"),
    "n": _number(110, 9800),
    "small": _number(2, 140),
    "clock": _choice("9:05", "14:30", "23:59", "07:15"),
    "n2": _digits(2),
    "n3": _digits(3),
    "n4": _digits(4),
    "phone": lambda table, language, chance: chance.choice(PHONES[language]),
    "email": _choice("r.{n3}@example.org", "info@harwick.example", "first.last{n2}@mail.example.com"),
    "url": _choice("https://www.example.org/files/{n4}", "http://example.com/~u{n3}?id={n4}", "www.example.net/{n2}"),
    "user": _choice("@bluefox{n2}", "kestrel_{n3}"),
    "ip": _choice("192.0.2.{small}", "198.51.100.{small}", "2001:db8::{n4}"),
    "iban": _iban,
    "code": _choice(*CODES),
}
