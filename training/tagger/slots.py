"""What stands in a template's ``{slot}``: an invented value with its type and decision."""

from __future__ import annotations

import datetime as dt
import random
import re
import string
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from babel.dates import format_date, format_time
from faker import Faker

FOLDER = Path(__file__).parent / "templates"
FOREIGN = tuple(
    "pl_PL tr_TR sv_SE fi_FI cs_CZ hu_HU ro_RO hr_HR en_IN es_ES de_DE fr_FR it_IT pt_BR nl_NL da_DK id_ID".split()
)
"""Names from elsewhere: people move, and a tagger that knows only local names fails them."""


@cache
def words() -> dict[str, dict[str, list[str]]]:
    """The word lists of ``words.toml`` by language."""
    return tomllib.loads((FOLDER / "words.toml").read_text(encoding="utf-8"))


@cache
def _faker(locale: str) -> Faker:
    return Faker(locale)


@dataclass(frozen=True)
class Person:
    """One invented person, so that a text can call the same one by several names."""

    first: str
    last: str
    honorific: str
    user: str
    email: str
    male: bool

    def called(self, form: str) -> str:
        initials = f"{self.first[0]}.{self.last[0]}."
        forms = {
            "full": f"{self.first} {self.last}",
            "first": self.first,
            "last": self.last,
            "title": f"{self.honorific} {self.last}",
            "title_full": f"{self.honorific} {self.first} {self.last}",
            "title_initial": f"{self.honorific} {self.first[0]}. {self.last}",
            "initials": initials,
            "user": self.user,
            "email": self.email,
        }
        return forms[form]


class Filler:
    """Makes the values of one text, all from one random source."""

    def __init__(self, rng: random.Random, language: str) -> None:
        self.rng = rng
        self.words = words()[language]
        self.language = language
        self.locale = rng.choice(self.words["locales"])
        self.fake = self._seeded(self.locale)
        self.people: dict[str, Person] = {}

    def value(self, slot: str) -> tuple[str, str | None, str | None]:
        """The text of a slot, its label and its decision (None, None for plain text)."""
        name, _, override = slot.partition(":")
        if name.startswith("#"):
            low, high = name[1:].split("-")
            return str(self.rng.randint(int(low), int(high))), None, None
        if name in ("he", "him"):
            male = self.person("a").male
            return {"he": ("she", "he"), "him": ("her", "him")}[name][male], None, None
        if "." in name:
            who, form = name.split(".")
            label = "CODE" if form == "email" else "PERSON"
            return self.person(who).called(form), label, override or "direct"
        label, decision, make = SLOTS[name]
        return " ".join(make(self).split()), label, override or decision

    def person(self, who: str) -> Person:
        if who not in self.people:
            self.people[who] = self._invent()
        return self.people[who]

    def _invent(self) -> Person:
        fake = self.fake if self.rng.random() < 0.7 else self._seeded(self.rng.choice(FOREIGN))
        male = self.rng.random() < 0.5
        first = fake.first_name_male() if male else fake.first_name_female()
        last = fake.last_name_male() if male else fake.last_name_female()
        honorific = self.rng.choice(self.words["male" if male else "female"])
        handle = re.sub(r"\W", "", first + self.rng.choice(["", "_", last[0], last]) + last).lower()
        user = handle[: self.rng.randint(5, 14)] + self.rng.choice(["", str(self.rng.randint(1, 2010))])
        domain = self.fake.free_email_domain() if self.rng.random() < 0.6 else self.fake.domain_name()
        mailbox = self.rng.choice([f"{first}.{last}", f"{first[0]}{last}", user]).lower().replace(" ", "")
        return Person(first, last, honorific, user, f"{mailbox}@{domain}", male)

    def _seeded(self, locale: str) -> Faker:
        fake = _faker(locale)
        fake.seed_instance(self.rng.getrandbits(32))
        return fake

    def day(self, first_year: int = 1985, last_year: int = 2025) -> dt.date:
        span = dt.date(last_year, 12, 31) - dt.date(first_year, 1, 1)
        return dt.date(first_year, 1, 1) + dt.timedelta(days=self.rng.randrange(span.days))

    def date(self, day: dt.date, pattern: str | None = None) -> str:
        return format_date(day, pattern or self.rng.choice(self.words["dates"]), locale=self.language)

    def time(self) -> str:
        moment = dt.time(self.rng.randrange(24), self.rng.randrange(60), self.rng.randrange(60))
        return format_time(moment, self.rng.choice(self.words["times"]), locale=self.language)

    def place(self, kind: str) -> str:
        pattern = self.rng.choice(self.words[kind])
        return pattern.format(city=self.city(), last=self.fake.last_name(), first=self.fake.first_name())

    def code(self, *patterns: str) -> str:
        """A pattern with ``#`` for a digit, ``?`` for a capital letter."""
        made = {"#": string.digits, "?": string.ascii_uppercase}
        return "".join(self.rng.choice(made[sign]) if sign in made else sign for sign in self.rng.choice(patterns))

    def money(self) -> str:
        small, round_sum, exact = (
            self.rng.randint(5, 999),
            self.rng.randint(1, 900) * 1000,
            self.rng.randint(500, 99999) / 100,
        )
        amount = self.rng.choice([small, round_sum, exact])
        number = f"{amount:,}" if self.language == "en" else f"{amount:,}".translate(str.maketrans(",.", ".,"))
        pattern = "$* £* EUR_* *_euros *_EUR €* *_€ USD_*" if self.language == "en" else "*_€ *_EUR EUR_* *_euros"
        return self.rng.choice(pattern.split()).replace("*", number).replace("_", " ")

    def job(self) -> str:
        job = self.fake.job()
        return job.lower() if self.rng.random() < 0.6 and self.language != "de" else job

    def city(self) -> str:
        if self.locale != "it_IT":
            return str(self.fake.city())
        # Faker draws Italian towns from a set, whose order changes from run to run; its addresses repeat.
        return re.sub(r"^\d+,? |(?: \(..\))$", "", self.fake.address().splitlines()[-1]).strip(", ")

    def phone(self) -> str:
        if self.rng.random() < 0.8:
            return str(self.fake.phone_number())
        return self.code("### ### ###", "(###) ###-####", "+## ### ######", "##########")

    def iban(self) -> str:
        solid = self.fake.iban()
        return solid if self.rng.random() < 0.7 else " ".join(re.findall("....?", solid))

    def link(self) -> str:
        user = self.person("a").user
        return self.rng.choice([self.fake.url(), f"www.{self.fake.domain_name()}", f"linkedin.com/in/{user}"])

    def street(self) -> str:
        return self.fake.street_address() if self.rng.random() < 0.7 else self.fake.street_name()

    def organisation(self) -> str:
        if self.rng.random() < 0.75:
            return self.fake.company()
        return self.place(self.rng.choice(["school", "hospital", "university"]))


Maker = Callable[[Filler], Any]
SLOTS: dict[str, tuple[str, str | None, Maker]] = {
    "email": ("CODE", "direct", lambda f: f.fake.email()),
    "phone": ("CODE", "direct", Filler.phone),
    "ssn": ("CODE", "direct", lambda f: f.fake.ssn()),
    "iban": ("CODE", "direct", Filler.iban),
    "bic": ("CODE", "direct", lambda f: f.code("????DE##", "????GB2L", "????ESMM###")),
    "card": ("CODE", "direct", lambda f: f.rng.choice([f.fake.credit_card_number(), f.code("#### #### #### ####")])),
    "mrn": ("CODE", "direct", lambda f: f.code("#######", "??-#####", "###-##-###", "?######", "MRN#####")),
    "case": ("CODE", "direct", lambda f: f.code("#####/##", "##-cv-#####", "? ### ?? ##/##", "####/####", "CR-####")),
    "policy": ("CODE", "direct", lambda f: f.code("#####-#####", "???#######", "POL-######", "H#########")),
    "account": ("CODE", "direct", lambda f: f.code("######", "########", "?##-####", "##-###-##", "C#####")),
    "order": ("CODE", "direct", lambda f: f.code("#######", "INV-####-###", "R####/##", "ORD#######", "??######")),
    "passport": ("CODE", "direct", lambda f: f.code("?########", "#########", "??#######", "P?######")),
    "idno": ("CODE", "direct", lambda f: f.code("########?", "#########", "??-ID-#######", "##.###.###-?")),
    "plate": ("CODE", "direct", lambda f: f.code("??## ???", "?? ### ??", "?-?? ###", "#### ???", "??-###-??")),
    "ip": ("CODE", "direct", lambda f: f.fake.ipv4() if f.rng.random() < 0.8 else f.fake.ipv6()),
    "url": ("CODE", "direct", Filler.link),
    "address": ("LOC", "quasi", lambda f: ", ".join(f.fake.address().splitlines())),
    "street": ("LOC", "quasi", Filler.street),
    "city": ("LOC", "quasi", Filler.city),
    "postcode": ("LOC", "quasi", lambda f: f.fake.postcode()),
    "country": ("LOC", "quasi", lambda f: f.fake.country()),
    "org": ("ORG", "quasi", Filler.organisation),
    "hospital": ("ORG", "quasi", lambda f: f.place("hospital")),
    "school": ("ORG", "quasi", lambda f: f.place("school")),
    "university": ("ORG", "quasi", lambda f: f.place("university")),
    "court": ("ORG", "quasi", lambda f: f.place("court")),
    "date": ("DATETIME", "quasi", lambda f: f.date(f.day())),
    "dob": ("DATETIME", "quasi", lambda f: f.date(f.day(1930, 2015))),
    "monthyear": ("DATETIME", "quasi", lambda f: f.date(f.day(), "MMMM y")),
    "year": ("DATETIME", "quasi", lambda f: str(f.day().year)),
    "weekday": ("DATETIME", "quasi", lambda f: f.date(f.day(), "EEEE")),
    "time": ("DATETIME", "quasi", Filler.time),
    "age": ("DEM", "quasi", lambda f: str(f.rng.randint(3, 97))),
    "job": ("DEM", "quasi", Filler.job),
    "nationality": ("DEM", "quasi", lambda f: f.rng.choice(f.words["nationality"])),
    "language": ("DEM", "quasi", lambda f: f.rng.choice(f.words["language"])),
    "kin": ("DEM", None, lambda f: f.rng.choice(f.words["kin"])),
    "money": ("QUANTITY", "quasi", Filler.money),
}  # fmt: skip
"""A slot's name -> label, decision and maker. Kin has no decision: annotators disagree on "his mother"."""
