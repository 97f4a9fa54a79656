"""Ids and file names: how many that tell who somebody is are replaced, how many harmless ones stay, and how fast.

python -m benchmarks.names            # 1,000 of each kind, and the time for 10,000
"""

from __future__ import annotations

import argparse
import random
import uuid
from collections import Counter
from collections.abc import Callable
from time import process_time

from faker import Faker

from sfumato.recipe import load
from sfumato.residuals.names import IdChecker
from sfumato.runs.ids import id_checker
from sfumato.statistics import wilson

LOCALES = ["en_GB", "en_US", "es_ES", "de_DE", "fr_FR", "it_IT", "nl_NL", "pt_PT"]
TOPICS = (
    "report letter note scan record minutes invoice transcript summary draft discharge interview visit appendix "
    "results brief befund rapport compte-rendu nota lettera verslag carta relatório"
).split()
PARTS = "train test batch part page section volume chapter final v2 copy original signed ocr sheet a b".split()
JOINTS = ("_", "-", " ", ".", "")


def telling_name(faker: Faker, draw: random.Random) -> tuple[str, str]:
    """A kind and an id or file name that says who somebody is: a person, a number of theirs, a day, an address."""
    first, last = faker.first_name().split()[0], faker.last_name().split()[-1]
    digits = "".join(draw.choices("0123456789", k=9))
    day, month, year = draw.randint(1, 28), draw.randint(1, 12), draw.randint(1930, 2024)
    joint = draw.choice(JOINTS[:4])
    kinds: dict[str, Callable[[], str]] = {
        "name": lambda: f"{first}{joint}{last}",
        "name in lower case": lambda: f"{first}{joint}{last}".lower(),
        "surname first": lambda: f"{last}{draw.choice((', ', '_', '-'))}{first}",
        "camel case": lambda: f"{first}{last}",
        "social security number": lambda: draw.choice((digits, f"{digits[:3]}-{digits[3:5]}-{digits[5:]}")),
        "card": lambda: faker.credit_card_number(),
        "phone": lambda: faker.phone_number(),
        "date": lambda: draw.choice(
            (f"{year}-{month:02}-{day:02}", f"{day:02}.{month:02}.{year}", f"{year}{month:02}{day:02}")
        ),
        "time stamp": lambda: f"{year}.{month:02}.{day:02} - 12.30.11",
        "mail": lambda: faker.email(),
        "bank account": lambda: faker.iban(),
        "address": lambda: f"{draw.randint(1, 200)} {last} Street".replace(" ", joint),
    }
    kind = draw.choice(list(kinds))
    name = kinds[kind]()
    if draw.random() < 0.5:
        topic = draw.choice(TOPICS)
        glue = draw.choice(("_", "-", " "))
        name = draw.choice((f"{topic}{glue}{name}", f"{name}{glue}{topic}"))
    return kind, name


def harmless_name(draw: random.Random) -> tuple[str, str]:
    """A kind and an id or file name that says nothing: a counter, a topic, random characters, a year."""
    joint = draw.choice(JOINTS[:4])
    topic, part, number = draw.choice(TOPICS), draw.choice(PARTS), draw.randint(0, 99_999)
    kinds: dict[str, Callable[[], str]] = {
        "counter": lambda: draw.choice((str(number), f"{number:06}", f"{number:08}")),
        "topic and counter": lambda: f"{topic}{draw.choice(JOINTS)}{draw.choice((str(number), f'{number:05}'))}",
        "topic, part and counter": lambda: f"{topic}{joint}{part}{joint}{number % 1000}",
        "topic": lambda: f"{topic}{joint}{draw.choice(TOPICS)}",
        "folder and counter": lambda: f"{part}/{number:05}",
        "uuid": lambda: str(uuid.UUID(int=draw.getrandbits(128), version=4)),
        "digest": lambda: f"{draw.getrandbits(160):040x}",
        "topic and year": lambda: f"{topic}{joint}{draw.randint(1990, 2026)}",
        "part": lambda: f"{part}{joint}{number % 100}",
    }
    kind = draw.choice(list(kinds))
    return kind, kinds[kind]()


def shares(checker: IdChecker, count: int, seed: int) -> tuple[Counter[str], Counter[str], Counter[str], Counter[str]]:
    """How many telling and harmless names were drawn, and how many of each were taken for the other, by kind."""
    draw = random.Random(seed)
    faker = Faker(LOCALES)
    faker.seed_instance(seed)
    told: Counter[str] = Counter()
    missed: Counter[str] = Counter()
    plain: Counter[str] = Counter()
    changed: Counter[str] = Counter()
    for _ in range(count):
        kind, name = telling_name(faker, draw)
        told[kind] += 1
        missed[kind] += not checker.is_personal(name)
        kind, name = harmless_name(draw)
        plain[kind] += 1
        changed[kind] += checker.is_personal(name)
    return told, missed, plain, changed


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=2026)
    arguments = parser.parse_args()
    checker = id_checker(load("default"))
    telling, missed, harmless, changed = shares(checker, arguments.count, arguments.seed)
    for title, drawn, wrong in (("telling, replaced", telling, missed), ("harmless, kept", harmless, changed)):
        right = drawn.total() - wrong.total()
        low, high = wilson(right, drawn.total())
        print(f"{title}: {right / drawn.total():.1%} of {drawn.total():,} (95 % interval {low:.1%} to {high:.1%})")
        for kind, count in sorted(drawn.items()):
            print(f"    {kind:26}{count - wrong[kind]:5} of {count}")
    draw = random.Random(arguments.seed + 1)
    faker = Faker(LOCALES)
    faker.seed_instance(arguments.seed + 1)
    names = [draw.choice((telling_name(faker, draw)[1], harmless_name(draw)[1])) for _ in range(9000)]
    names += ["".join(draw.choices("-. _0123456789ab", k=200)) for _ in range(1000)]
    fresh = id_checker(load("default"))
    fresh.is_personal("a first name loads the tables")
    started = process_time()
    for name in names:
        fresh.is_personal(name)
    print(
        f"{len(names):,} names, 1,000 of them 200 random characters: {process_time() - started:.1f} s of processor time"
    )


if __name__ == "__main__":
    main()
