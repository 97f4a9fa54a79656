"""Disguised names, phone numbers, cards and mail addresses: the share that the detectors find, by disguise.

python -m benchmarks.disguises              # 100 values of each kind in each disguise, recipes fast and default
"""

from __future__ import annotations

import argparse
import random
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

from faker import Faker

from sfumato.document import Document, Span
from sfumato.lexicon.tables import load_toml
from sfumato.pipeline import Pipeline
from sfumato.recipe import load
from sfumato.statistics import wilson

SENTENCES: Mapping[str, str] = {
    "name": "The clerk spoke with {} about the letter that came on the last visit.",
    "phone": "The clerk called the number {} about the letter that came on the last visit.",
    "card": "The clerk charged the card {} for the letter that came on the last visit.",
    "mail": "The clerk wrote to {} about the letter that came on the last visit.",
}
FILLERS = {"Hangul filler": "\u3164", "Hangul jamo filler": "\u115f", "half-width filler": "\uffa0"}
UNSEEN = {"zero-width space": "\u200b", "soft hyphen": "\u00ad", "word joiner": "\u2060", "tag": "\U000e0041"}
_BLANKS = (*FILLERS.values(), "\u2800")
DIGIT_WORDS = "zero one two three four five six seven eight nine".split()

CYRILLIC = dict(zip("ABCEHIJKMOPSTXYaceijopsxy", "АВСЕНІЈКМОРЅТХУасеіјорѕху", strict=True))
GREEK = dict(zip("ABEHIKMNOPTXYZaiovu", "ΑΒΕΗΙΚΜΝΟΡΤΧΥΖαιονυ", strict=True))

Disguise = Callable[[str], str]


def _between(mark: str) -> Disguise:
    """A mark between the characters of each word."""
    return lambda value: " ".join(mark.join(word) for word in value.split(" "))


def _shifted(upper: int = 0, lower: int = 0, zero: int = 0) -> Disguise:
    """Letters and digits of another block of code points, in the same order."""

    def disguise(value: str) -> str:
        shifted = []
        for character in value:
            for base, first, last in ((upper, "A", "Z"), (lower, "a", "z"), (zero, "0", "9")):
                if base and first <= character <= last:
                    character = chr(base + ord(character) - ord(first))
                    break
            shifted.append(character)
        return "".join(shifted)

    return disguise


def _mapped(table: Mapping[str, str], *, every: int = 1) -> Disguise:
    """Characters by a table; ``every``: of those that the table has, each such."""

    def disguise(value: str) -> str:
        characters, seen = [], 0
        for character in value:
            if character in table:
                seen += 1
                character = table[character] if seen % every == 0 else character
            characters.append(character)
        return "".join(characters)

    return disguise


def _circled_digits(value: str) -> str:
    return "".join("⓪" if c == "0" else chr(0x2460 + int(c) - 1) if c in "123456789" else c for c in value)


def _set_apart(gap: str) -> Disguise:
    """Each character set apart, words by a wider gap."""
    return lambda value: (gap * 2 if gap == " " else " ").join(gap.join(word) for word in value.split(" "))


def _small_capitals(value: str) -> str:
    table = {latin: letters[0] for latin, letters in load_toml("look_alikes")["small_capitals"].items()}
    return "".join(table.get(character, character) for character in value)


def _superscript(value: str) -> str:
    digits = "⁰¹²³⁴⁵⁶⁷⁸⁹"
    return "".join(digits[int(character)] if character in "0123456789" else character for character in value)


def _in_words(value: str) -> str:
    return " ".join(DIGIT_WORDS[int(character)] for character in value if character.isdigit())


ALL = tuple(SENTENCES)
NUMBERS = ("phone", "card")
LETTERS = ("name", "mail")
DISGUISES: Mapping[str, tuple[Disguise, Sequence[str]]] = {
    "none": (str, ALL),
    **{f"{name} between letters": (_between(mark), ALL) for name, mark in (*FILLERS.items(), *UNSEEN.items())},
    "Braille blank between letters": (_between("\u2800"), ALL),
    "Hangul filler between words": (lambda value: value.replace(" ", "\u3164"), ("name", *NUMBERS)),
    "Braille blank between words": (lambda value: value.replace(" ", "\u2800"), ("name", *NUMBERS)),
    "full-width": (_shifted(0xFF21, 0xFF41, 0xFF10), ALL),
    "mathematical bold": (_shifted(0x1D400, 0x1D41A, 0x1D7CE), ALL),
    "mathematical sans-serif": (_shifted(0x1D5A0, 0x1D5BA, 0x1D7E2), ALL),
    "monospace": (_shifted(0x1D670, 0x1D68A, 0x1D7F6), ALL),
    "circled letters": (_shifted(0x24B6, 0x24D0), LETTERS),
    "negative circled capitals": (lambda value: _shifted(0x1F150)(value.upper()), ("name",)),
    "squared capitals": (lambda value: _shifted(0x1F130)(value.upper()), ("name",)),
    "parenthesized letters": (_shifted(0, 0x249C), LETTERS),
    "circled digits": (_circled_digits, NUMBERS),
    "keycap digits": (lambda value: "".join(c + "\ufe0f\u20e3" if c.isdigit() else c for c in value), NUMBERS),
    "Arabic digits": (_shifted(zero=0x660), NUMBERS),
    "superscript digits": (_superscript, NUMBERS),
    "small capitals": (_small_capitals, LETTERS),
    "Cyrillic letters": (_mapped(CYRILLIC), LETTERS),
    "one Cyrillic letter in two": (_mapped(CYRILLIC, every=2), LETTERS),
    "Greek letters": (_mapped(GREEK, every=2), LETTERS),
    "struck through": (lambda value: "".join(c + "\u0336" if c.isalnum() else c for c in value), ALL),
    "accents on all letters": (lambda value: "".join(c + "\u0301" if c.isalpha() else c for c in value), LETTERS),
    "spaced out": (_set_apart(" "), ALL),
    "dotted": (_set_apart("."), ("name",)),
    "hyphenated": (_set_apart("-"), ("name", *NUMBERS)),
    "underscored": (_set_apart("_"), ("name",)),
    "digits in words": (_in_words, NUMBERS),
    "behind a label": (lambda value: f"CODE_{value}", ("card",)),
}


def values(kind: str, count: int, seed: int) -> list[str]:
    """Values of one kind, in plain characters."""
    faker = Faker(["en_GB", "en_US"])
    faker.seed_instance(seed)
    draw = random.Random(seed)

    def digits(count: int) -> str:
        return "".join(draw.choices("0123456789", k=count))

    def card() -> str:
        number = faker.credit_card_number(card_type="visa16")
        return " ".join(number[start : start + 4] for start in range(0, 16, 4))

    makers: Mapping[str, Callable[[], str]] = {
        "name": lambda: f"{faker.first_name()} {faker.last_name()}",
        "phone": lambda: draw.choice((f"020 7946 0{digits(3)}", f"+44 20 7946 0{digits(3)}", f"07700 900{digits(3)}")),
        "card": card,
        "mail": lambda: f"{faker.first_name()}.{faker.last_name()}@example.org".lower(),
    }
    return [makers[kind]() for _ in range(count)]


def is_hidden(text: str, value: str, spans: Iterable[Span]) -> bool:
    """Whether spans cover every character of a value that can be read."""
    start = text.index(value)
    covered = {offset for span in spans for offset in range(span.start, span.end)}
    return all(offset in covered for offset in range(start, start + len(value)) if _is_readable(text[offset]))


def _is_readable(character: str) -> bool:
    if character in _BLANKS or unicodedata.category(character) in ("Cf", "Mn", "Me", "Zs"):
        return False
    return character.isalnum() or not character.isascii()


def found(pipeline: Pipeline, kind: str, disguise: Disguise, count: int, seed: int = 1) -> int:
    """How many of the values of a kind are found in a disguise."""
    disguised = [disguise(value) for value in values(kind, count, seed)]
    documents = [Document(str(index), SENTENCES[kind].format(value)) for index, value in enumerate(disguised)]
    results = pipeline.detect(documents)
    return sum(
        is_hidden(document.text, value, spans) for value, (document, spans) in zip(disguised, results, strict=True)
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--recipes", nargs="+", default=["fast", "default"])
    options = parser.parse_args()
    for recipe in options.recipes:
        pipeline = Pipeline(load(recipe))
        hits: Counter[str] = Counter()
        tried: Counter[str] = Counter()
        print(f"\n{recipe}\n{'disguise':40} {'found':>7} {'n':>5}  95 % interval   by kind")
        for name, (disguise, kinds) in DISGUISES.items():
            by_kind = {kind: found(pipeline, kind, disguise, options.count) for kind in kinds}
            hits[name], tried[name] = sum(by_kind.values()), len(kinds) * options.count
            low, high = wilson(hits[name], tried[name])
            details = ", ".join(f"{kind} {number}" for kind, number in by_kind.items())
            print(f"{name:40} {hits[name] / tried[name]:7.1%} {tried[name]:5}  {low:.1%} to {high:.1%}  {details}")


if __name__ == "__main__":
    main()
