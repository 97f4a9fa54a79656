"""Dates and quantities as they stand in documents, and as they are generalized: no corpus holds enough of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

MONTHS = tuple("January February March April May June July August September October November December".split())
SEASONS = ("winter", "spring", "summer", "autumn")
UNITS = (
    *"days weeks months years hours minutes kilometres metres kilograms people children".split(),
    *"euros dollars pounds percent sessions employees hectares apartments".split(),
)
NUMBERS = {
    word: number
    for number, word in enumerate("one two three four five six seven eight nine ten eleven twelve thirteen".split(), 1)
}
_PARTS = ("early", "mid", "late")
_FRAMES = ("{}",) * 6 + ("between {} and {}", "from {} to {}", "on {}", "in {}", "since {}", "{} and {}")


def article(noun: str) -> str:
    return f"{'an' if noun[:1].lower() in 'aeiou' else 'a'} {noun}"


def _ordinal(number: int) -> str:
    ending = "th" if 10 <= number % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


@dataclass(frozen=True)
class Day:
    """A day, as it may be written and as it may be generalized."""

    year: int
    month: int
    day: int

    @classmethod
    def random(cls, chance: Random) -> Day:
        return cls(chance.randint(1880, 2035), chance.randint(1, 12), chance.randint(1, 28))

    def exact(self) -> tuple[str, ...]:
        name = MONTHS[self.month - 1]
        return (
            f"{self.day} {name} {self.year}",
            f"{name} {self.day}, {self.year}",
            f"{self.day:02}/{self.month:02}/{self.year}",
            f"{self.year}-{self.month:02}-{self.day:02}",
        )

    def vague(self) -> tuple[str, ...]:
        """Less and less precise, and all true."""
        name, decade = MONTHS[self.month - 1], self.year // 10 * 10
        part = _PARTS[min(2, self.year % 10 * 3 // 10)]
        return (
            f"{_PARTS[min(2, (self.day - 1) // 10)]} {name} {self.year}",
            f"{name} {self.year}",
            f"{SEASONS[self.month % 12 // 3]} {self.year}",
            f"the {'first' if self.month < 7 else 'second'} half of {self.year}",
            f"{_PARTS[(self.month - 1) // 4]} {self.year}",
            str(self.year),
            f"the {part} {decade}s",
            f"{part}-{decade}s",
            f"the {decade}s",
            f"the {_ordinal(self.year // 100 + 1)} century",
        )

    def triple(self, chance: Random) -> tuple[str, str, str]:
        """The day, or a level above it, a level higher still, and another day or another day's level."""
        levels = (chance.choice(self.exact()), *self.vague())
        low = chance.choice((0, 0, 0, 2, 6))
        other = Day.random(chance)
        wrong = chance.choice((chance.choice(other.exact()), chance.choice(other.vague()[: 6 if low else 9])))
        return levels[low], chance.choice(levels[low + 1 :]), wrong


def dates(chance: Random, count: int) -> Iterator[str]:
    """Points in time at every level of the hierarchy, and stretches between two of them."""
    for _ in range(count):
        first, second = (
            chance.choice((*day.exact(), *day.vague())) for day in (Day.random(chance), Day.random(chance))
        )
        yield chance.choice(_FRAMES).format(first, second)


def quantities(chance: Random, count: int) -> Iterator[str]:
    """Numbers with units, and the vaguer words that stand for them."""
    for _ in range(count):
        yield chance.choice(quantity_triple(chance))


def quantity_triple(chance: Random) -> tuple[str, str, str]:
    """A number of things, a vaguer word for it, and another number of them."""
    unit = chance.choice(UNITS)
    if chance.random() < 0.4:
        word, number = chance.choice(list(NUMBERS.items())[1:])
        other = chance.choice([name for name in NUMBERS if name != word])
    else:
        number = chance.choice((chance.randint(3, 60), chance.randint(3, 900), chance.randint(2, 900) * 1000))
        word, other = f"{number:,}", f"{chance.randint(2, 4 * number):,}"
    lower, upper = number * chance.randint(6, 9) // 10, number * chance.randint(11, 15) // 10 + 1
    vague = (
        f"several {unit}",
        f"a number of {unit}",
        f"more than {lower:,} {unit}",
        f"less than {upper:,} {unit}",
        f"between {lower:,} and {upper:,} {unit}",
        f"some {unit}",
        *(["a few " + unit] if number < 8 else ["many " + unit] if number > 20 else []),
    )
    return f"{word} {unit}", chance.choice(vague), f"{other} {unit}"
