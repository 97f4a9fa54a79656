"""Attackers who may abstain: how many people they find when nine in ten of the links they assert are right.

An attack asserts a link only where its margin, the lead of the first guess over the second, is large enough. How large
is learned on the background alone: pieces of it are held out, masked as an anonymizer might, and attacked. Nobody needs
to know whom a release is about. Where no margin is wide enough for pieces, as among texts full of the same phrases, the
margin is learned from other releases whose people the attacker knows.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from sfumato.attacks.base import LinkingAttack, Person
from sfumato.document import Attempt
from sfumato.statistics import wilson

PRECISION = 0.9
"""The share of asserted links that is to be right."""
MAX_PIECES = 200
"""Pieces that are held out."""
MAX_PEOPLE = 20_000
"""With more people, an attack is not run a second time to learn its margin."""
FOLDS = 10
"""Of the releases, where the margin is learned from the others."""
MIN_ASSERTED = 5
"""Fewer links say nothing about a precision."""
_SHARE = 0.25
_SHORTEST, _LONGEST = 8, 400
_WORD = re.compile(r"\S+")
_NAME_OR_NUMBER = re.compile(r"[^\w]*(?:[^\W\d_a-z]\w*|\w*\d)", re.UNICODE)
_MASKED_SHARE = 0.2


LearnedOn = Literal["background", "other releases"]


@dataclass(frozen=True, slots=True)
class Abstention:
    """What an attack finds where it abstains from links with a margin below ``margin``."""

    margin: float
    asserted: int
    """Links asserted."""
    found: int
    """Those that are right."""
    n: int
    recall: float
    """The share of all releases whose person is found by an asserted link."""
    interval: tuple[float, float]
    precision: float | None
    """The share of asserted links that are right; None where none is asserted."""
    learned_on: LearnedOn
    """Pieces of the background; or, where no margin is wide enough there, the other releases and their truth."""


@dataclass(frozen=True)
class Calibration:
    """The background without the pieces, and the pieces by the person whom each is about."""

    people: tuple[Person, ...]
    pieces: Mapping[str, str]


def hold_out(people: Sequence[Person], seed: int = 0) -> Calibration:
    """A piece of up to MAX_PIECES people's longest text, masked, and the background without them."""
    generator = np.random.default_rng(seed)
    rest = {person.id: person for person in people}
    pieces: dict[str, str] = {}
    ordered = sorted(people, key=lambda person: person.id)
    for row in generator.permutation(len(ordered)):
        if len(pieces) == MAX_PIECES:
            break
        person = ordered[row]
        longest = max(range(len(person.texts)), key=lambda number: len(person.texts[number]), default=None)
        if longest is None:
            continue
        text = person.texts[longest]
        words = list(_WORD.finditer(text))
        size = min(_LONGEST, int(len(words) * _SHARE))
        if size < _SHORTEST:
            continue
        first = int(generator.integers(0, len(words) - size + 1))
        start, end = words[first].start(), words[first + size - 1].end()
        pieces[person.id] = " ".join(
            "***" if _NAME_OR_NUMBER.match(word.group()) or generator.random() < _MASKED_SHARE else word.group()
            for word in words[first : first + size]
        )
        left = (text[:start], text[end:])
        rest[person.id] = Person(person.id, (*person.texts[:longest], *left, *person.texts[longest + 1 :]))
    return Calibration(tuple(rest[person.id] for person in people), pieces)


def learn_margin(attack: LinkingAttack, calibration: Calibration, precision: float = PRECISION) -> float | None:
    """The smallest margin from which on the links of an unfitted attack to pieces are right often enough; else None."""
    pieces = {key: text for key, text in calibration.pieces.items() if text.replace("*", "").strip()}
    if len(pieces) < MIN_ASSERTED:
        return None
    attempts = attack.fit(calibration.people).run(pieces)
    links = [
        (margin_of(attempt), bool(attempt.guesses) and attempt.guesses[0].answer == attempt.document_id)
        for attempt in attempts
    ]
    return choose_margin(links, precision)


def choose_margin(links: Sequence[tuple[float, bool]], precision: float = PRECISION) -> float | None:
    """The smallest margin such that of the links with at least it the share ``precision`` is right; None: no margin."""
    ordered = sorted(links, key=lambda link: -link[0])
    chosen, right = None, 0
    for number, (margin, is_correct) in enumerate(ordered, 1):
        right += is_correct
        is_last_of_ties = number == len(ordered) or ordered[number][0] < margin
        if is_last_of_ties and number >= MIN_ASSERTED and right >= precision * number and margin > 0:
            chosen = margin
    return chosen


def abstain(attempts: Sequence[Attempt], margin: float) -> Abstention:
    """What attempts with their true ranks find where links below a margin are not asserted."""
    asserted = [attempt for attempt in attempts if attempt.guesses and margin_of(attempt) >= margin]
    return _counted(asserted, attempts, margin, "background")


def abstain_by_others(attempts: Sequence[Attempt], precision: float = PRECISION) -> Abstention | None:
    """The same where the margin for a tenth of the releases is learned from the others, whose truth the attacker knows.

    None where no margin is wide enough.
    """
    links = [(margin_of(attempt), attempt.rank == 1) for attempt in attempts]
    whole = choose_margin(links, precision)
    if whole is None:
        return None
    asserted: list[Attempt] = []
    for fold in range(FOLDS):
        margin = choose_margin([link for number, link in enumerate(links) if number % FOLDS != fold], precision)
        if margin is not None:
            asserted += [attempt for attempt in attempts[fold::FOLDS] if margin_of(attempt) >= margin]
    return _counted(asserted, attempts, whole, "other releases")


def _counted(
    asserted: Sequence[Attempt], attempts: Sequence[Attempt], margin: float, learned_on: LearnedOn
) -> Abstention:
    right, n = sum(attempt.rank == 1 for attempt in asserted), len(attempts)
    share = right / len(asserted) if asserted else None
    return Abstention(margin, len(asserted), right, n, right / n if n else 0.0, wilson(right, n), share, learned_on)


def margin_of(attempt: Attempt) -> float:
    """How far an attempt's first guess leads; 0 where it has none."""
    return attempt.score or 0.0
