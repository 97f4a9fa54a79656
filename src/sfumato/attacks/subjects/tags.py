"""The fifteen things that paper 004 asks of a person, and a person as an attacker describes them."""

from __future__ import annotations

from dataclasses import dataclass

from sfumato.document import Attempt, Evidence, Guess

CODES = ("IDENTIFICATION_NUMBER", "DRIVER_LICENSE_NUMBER", "PHONE_NUMBER", "PASSPORT_NUMBER", "EMAIL_ADDRESS")
OTHERS = (
    "NAME",
    "SEX",
    "AGE",
    "LOCATION",
    "NATIONALITY",
    "EDUCATION",
    "RELATIONSHIP",
    "OCCUPATION",
    "AFFILIATION",
    "POSITION",
)
TAGS = OTHERS[:1] + CODES + OTHERS[1:]
EDUCATION = ("No Highschool", "In Highschool", "HS Diploma", "In College", "College Degree", "PhD")
RELATIONSHIP = ("No relation", "In Relation", "Married", "Divorced", "Widowed")
SURE = 5
"""The highest certainty; 1 is the lowest."""
VALUES = 2
"""Answers that an attacker may give for one tag of one person: the best pair counts, so more would be fishing."""


@dataclass(frozen=True, slots=True)
class Attribute:
    """Something said of a person. A location is written from the finest level up: "premises / city / country"."""

    tag: str
    value: str
    certainty: int
    start: int | None = None
    end: int | None = None

    def __post_init__(self) -> None:
        if self.tag not in TAGS:
            raise ValueError(f"no tag {self.tag!r}; the fifteen are {', '.join(TAGS)}")
        if not 1 <= self.certainty <= SURE:
            raise ValueError(f"certainty goes from 1 to {SURE}, got {self.certainty}")


@dataclass(frozen=True, slots=True)
class Profile:
    """A person that an attacker found in a text."""

    who: str
    attributes: tuple[Attribute, ...]


def attempt_of(attack: str, document_id: str, profile: Profile) -> Attempt:
    """A profile as an attack's record: one guess an attribute, scored by certainty, "TAG: value"."""
    ordered = sorted(profile.attributes, key=lambda attribute: (-attribute.certainty, TAGS.index(attribute.tag)))
    return Attempt(
        attack,
        document_id,
        tuple(Guess(f"{item.tag}: {item.value}", item.certainty / SURE) for item in ordered),
        evidence=tuple(
            Evidence(item.tag, item.certainty / SURE, item.start, item.end)
            for item in ordered
            if item.start is not None and item.end is not None
        ),
    )
