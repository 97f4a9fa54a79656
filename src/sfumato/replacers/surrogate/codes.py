"""Invented numbers and addresses of the shape of the real ones, from ranges set aside for examples if there are any."""

from __future__ import annotations

import random
import string
from collections.abc import Callable, Iterator

_SAFE_DOMAINS = ("example.com", "example.org", "example.net")


def scrambled(text: str, chance: random.Random) -> str:
    """Digits for digits, letters for letters of the same case; all else stays, so the format does too."""
    return "".join(_same_kind(letter, chance) for letter in text)


def scrambled_digits(text: str, chance: random.Random) -> str:
    """Other digits in the same places, the first of a number never 0; words stay."""
    result = []
    for position, letter in enumerate(text):
        if letter.isdecimal():
            first = position == 0 or not text[position - 1].isdecimal()
            letter = chance.choice("123456789" if first and letter != "0" else string.digits)
        result.append(letter)
    return "".join(result)


def _same_kind(letter: str, chance: random.Random) -> str:
    if letter.isdecimal():
        return chance.choice(string.digits)
    if letter.isalpha():
        return chance.choice(string.ascii_uppercase if letter.isupper() else string.ascii_lowercase)
    return letter


def _email(text: str, chance: random.Random) -> str:
    local = text.partition("@")[0]
    return f"{scrambled(local, chance)}@{chance.choice(_SAFE_DOMAINS)}"


def _url(text: str, chance: random.Random) -> str:
    scheme, mark, rest = text.rpartition("://")
    path = rest.partition("/")[2]
    return f"{scheme}{mark}{chance.choice(_SAFE_DOMAINS)}/{scrambled(path, chance) or chance.randrange(10**6)}"


def _ip(text: str, chance: random.Random) -> str:
    if ":" in text:
        return f"2001:db8::{chance.randrange(1, 2**16):x}:{chance.randrange(2**16):x}"
    return f"{chance.choice(('192.0.2', '198.51.100', '203.0.113'))}.{chance.randrange(1, 255)}"


def _phone(text: str, chance: random.Random) -> str:
    """The country or trunk code stays with the format; the last seven digits change."""
    digits = [position for position, letter in enumerate(text) if letter.isdecimal()]
    changed = set(digits[-7:])
    return "".join(
        chance.choice(string.digits) if position in changed else letter for position, letter in enumerate(text)
    )


def _iban(text: str, chance: random.Random) -> str:
    return text[:2] + scrambled(text[2:], chance)


_BY_KIND: dict[str, Callable[[str, random.Random], str]] = {
    "email": _email,
    "url": _url,
    "ip": _ip,
    "phone": _phone,
    "iban": _iban,
}


def codes_like(text: str, kind: str, seed: bytes) -> Iterator[str]:
    """Endless invented codes of the original's kind and format."""
    chance = random.Random(seed)
    make = _BY_KIND.get(kind, scrambled)
    while True:
        yield make(text, chance)
