"""Without a background: what can be said all the same.

Of the subjects nothing is known, so what an attacker may know is reckoned with: rare terms, and what a document says
again and again (``foresight.Unknown``). The other documents are the population in which each must not stand out. What
attackers of single spans find is measured beside it. None of that is a measured chance of being found.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Sequence
from time import monotonic

from sfumato.attacks.base import Person
from sfumato.document import Release, Score
from sfumato.errors import InputError
from sfumato.measures.measure import measure_each
from sfumato.protection.crew import Crew, Means
from sfumato.protection.records import OnStep, Protected, Protection, Step, in_order
from sfumato.protection.target import Target

CHECKED = ("inference-rate",)
"""Metrics that need no background: how often the original of a span is guessed."""


def protect_population(
    starts: Sequence[Release], target: Target, means: Means, foresight: float, on_step: OnStep
) -> Protection:
    """Repair releases until none stands out among the others by what may be known of its subject."""
    began = monotonic()
    open_ = [start for start in starts if start.text.strip()]
    texts: dict[str, list[str]] = defaultdict(list)
    for start in open_:
        for person in start.document.subject_ids:
            texts[person].append(start.text)
    if len(texts) < target.k:
        raise InputError(
            f"without a background the documents are the population, and {_people(len(texts))} too few to hide "
            f"among {target.k}: give more documents, a background (--background), or a smaller target (--k)"
        )
    population = [Person(key, tuple(own)) for key, own in texts.items()]
    subjects = {start.document.id: start.document.subject_ids for start in open_}
    on_step(Step("reading the documents", 0, 1))
    crew = Crew.of_population(population, subjects, means, foresight)
    made: list[Protected] = []
    for one in crew.protect(open_, target, 1):
        made.append(one.insisted_on() if target.insist else one)
        on_step(Step("protecting", len(made), len(open_)))
    on_step(Step("verifying", 0, 1))
    return Protection(
        target,
        "population",
        in_order(starts, made, "it could not be checked"),
        {},
        {},
        tuple(crew.attacks),
        (),
        1,
        len(population),
        _digest(population),
        means.settings | {"foresight": foresight},
        monotonic() - began,
        _checks([one for one in made if one.withheld is None]),
    )


def _people(count: int) -> str:
    return "one person is" if count == 1 else f"{count} people are"


def _checks(released: Sequence[Protected]) -> dict[str, tuple[Score, Score]]:
    if not released:
        return {}
    found = measure_each(
        [one.release.document for one in released],
        {"before": [one.start for one in released], "after": [one.release for one in released]},
        metrics=CHECKED,
        background={one.id: one.start.text for one in released},
        settings={"inference-rate": {"guesser": "ladder"}},
    )
    both = found["before"].scores, found["after"].scores
    return {name: (both[0][name], both[1][name]) for name in CHECKED if name in both[0] and name in both[1]}


def _digest(population: Sequence[Person]) -> str:
    digest = hashlib.sha256()
    for person in population:
        digest.update(repr(person).encode("utf-8", "surrogatepass"))
    return digest.hexdigest()
