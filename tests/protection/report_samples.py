"""Protections made by hand, with invented people."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from sfumato.attacks.risk import LinkageRisk, linkage_risk, with_true_rank
from sfumato.document import Attempt, Document, Guess, Release, Withheld
from sfumato.protection.records import ProtectedDocument, Protection, Repair, ThreatScenario
from sfumato.protection.target import Target

PEOPLE = 60
SECRET, REACHED = 7919, 6007
"""Ranks that no page may tell: the one a document had to reach, and the one it did."""


def at_ranks(name: str, ranks: Sequence[int | None]) -> LinkageRisk:
    """What an attack achieves whose true people stand at these ranks."""
    return _at_ranks(name, tuple(ranks))


@lru_cache
def _at_ranks(name: str, ranks: tuple[int | None, ...]) -> LinkageRisk:
    attempts = []
    for number, rank in enumerate(ranks):
        own = {rank: f"p{number}"} if rank else {}
        guesses = tuple(Guess(own.get(place, f"stranger {place}"), 1 / place) for place in range(1, PEOPLE))
        attempts.append(with_true_rank(Attempt(name, f"d{number}", guesses), [f"p{number}"]))
    return linkage_risk(attempts)


REPAIRS = (
    Repair("generalize", "a hospital in Ghent", "a hospital in Belgium", 3, 0.012, "tfidf"),
    Repair("hypernym", "carillonneur", "musician", 2, 0.009, "skip-grams"),
    Repair("figure", "1,437 pigeons", "more than 1,000 pigeons", 1, 0.0002, "tfidf", partial=True),
    Repair("drop", "one-eyed", "", 1, 0.004, "skip-grams"),
    Repair("suppress", "falconry", "[…]", 1, 0.006, "tfidf"),
)


def protected(
    number: int,
    *,
    id: str | None = None,
    before: int | None = 1,
    repairs: Sequence[Repair] = REPAIRS,
    withheld: str | None = None,
    hardest_subject: str | None = None,
    after: int | None = REACHED,
) -> ProtectedDocument:
    document = Document(id or f"d{number}", "Anna Quorvex races pigeons.")
    start = Release(document, ())
    return ProtectedDocument(
        start if withheld is None else Withheld(document, withheld),
        start,
        tuple(repairs),
        sum(repair.loss for repair in repairs),
        {"tfidf": before, "skip-grams": 4},
        {"tfidf": after, "skip-grams": None},
        hardest_subject,
        secret_rank=SECRET,
    )


def protection(
    documents: Sequence[ProtectedDocument],
    *,
    target: Target | None = None,
    guarantee: str = "background",
    verified: int = 1,
    binding: bool = True,
) -> Protection:
    """``verified``: in how many of 40 documents the strongest other attack names the person."""
    n = 40
    before = {
        "tfidf": at_ranks("tfidf", [1] * 18 + [5] * 22),
        "skip-grams": at_ranks("skip-grams", [1] * 14 + [None] * 26),
        "characters": at_ranks("characters", [1] * 11 + [30] * 29),
        "dense": at_ranks("dense", [1] * 6 + [None] * 34),
    }
    after = {
        "tfidf": at_ranks("tfidf", [12 + number % 30 for number in range(n)]),
        "skip-grams": at_ranks("skip-grams", [None] * n),
        "characters": at_ranks("characters", [1] * verified + [None] * (n - verified)),
        "dense": at_ranks("dense", [None] * n),
    }
    other = {name: after[name] for name in ("characters", "dense")}
    more = {"tfidf": at_ranks("tfidf", [1] * 5 + [None] * (n - 5)), "skip-grams": after["skip-grams"]}
    columns = (
        ThreatScenario(
            "other attacks, same background",
            "Knows what the loop knew, and reads it in ways that the loop did not.",
            1141,
            other,
            binding,
        ),
        ThreatScenario(
            "same attacks, more background",
            "Knows all of each person’s text, of which the loop read the first quarter.",
            1141,
            more,
            False,
        ),
        ThreatScenario("other attacks, more background", "Both.", 1141, other, False),
    )
    return Protection(
        target or Target(11),
        guarantee,
        tuple(documents),
        before,
        after,
        ("tfidf", "skip-grams"),
        columns,
        2,
        1141,
        "3f9a77b01c5de2aa90",
        {"recipe": "default", "scorer": "frequency", "seed": 0},
        74.2,
    )


def nothing_released() -> Protection:
    """All withheld: there was nothing to attack."""
    documents = [protected(number, withheld="nothing is left to repair", repairs=()) for number in range(3)]
    return Protection(Target(11), "background", tuple(documents), {}, {}, (), (), 1, 1141, "", {}, 0.3)
