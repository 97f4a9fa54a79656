"""What someone who knows three facts of a record learns of the rest: the measures of the claims attack.

Xin et al. (2025), A false sense of privacy. The claims come from the originals; they are linked to the releases.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rapidfuzz import process
from rapidfuzz.distance import LCSseq

from sfumato.attacks.base import resolve, resolve_plugin
from sfumato.attacks.claims import (
    KNOWN_CLAIMS,
    ChatSplitter,
    ClaimsAttack,
    ClauseSplitter,
    Judge,
    Question,
    Splitter,
    choose_known_claims,
)
from sfumato.document import Attempt, Release
from sfumato.errors import NotMeasurable
from sfumato.llm.chat import Chat
from sfumato.metrics.base import metric, with_cost
from sfumato.metrics.surface import longest_common, words
from sfumato.statistics import Estimate, mean, share_of_documents

MOST_PAIRS = 10**8
SPLITTERS: Mapping[str, Callable[[], Splitter]] = {ClauseSplitter.name: ClauseSplitter}
_ROWS = 256
"""Queries compared with all records at once: bounds the memory."""


@dataclass(frozen=True)
class Record:
    """What is known of a record, and what is not."""

    release: Release
    known: tuple[str, ...]
    unknown: tuple[str, ...]


@metric("claims-linkage", family="claims", cite="xin2025", higher_is_better=False)
def linkage(
    releases: Sequence[Release],
    known: str = "random",
    seed: int = 0,
    splitter: str | Splitter = "clauses",
    chat: Chat | None = None,
) -> Estimate:
    """Share of records that someone who knows three of their claims finds among all releases (BM25)."""
    cutter = _splitter(splitter, chat)
    records, said = _records(releases, known, seed, cutter)
    right = {
        attempt.document_id: _chance_right(attempt, len(releases)) for attempt in _attempts(releases, records, seed)
    }
    return with_cost(share_of_documents(right, said), cutter)


@metric("claims-privacy", family="claims", cite="xin2025", higher_is_better=True)
def privacy(
    releases: Sequence[Release],
    known: str = "random",
    seed: int = 0,
    splitter: str | Splitter = "clauses",
    judge: str | Judge = "lexical",
    chat: Chat | None = None,
) -> Estimate:
    """How little the linked release says of a record's other claims: mean (rating − 1) / 2; 1 is private."""
    cutter = _splitter(splitter, chat)
    rater: Judge = resolve_plugin("judge", judge, chat) if isinstance(judge, str) else judge
    records, said = _records(releases, known, seed, cutter)
    by_id = {release.document.id: release for release in releases}
    linked = {attempt.document_id: by_id[attempt.guesses[0].answer] for attempt in _attempts(releases, records, seed)}
    values: dict[str, float | None] = {}
    ratings: dict[int | None, int] = {1: 0, 2: 0, 3: 0, None: 0}
    questions = [Question(record.unknown, linked[key].text) for key, record in records.items()]
    for key, rated in zip(records, rater.rate(questions), strict=True):
        for rating in rated:
            ratings[rating] += 1
        read = [rating for rating in rated if rating is not None]
        values[key] = sum((rating - 1) / 2 for rating in read) / len(read) if read else None
    unreadable = ratings.pop(None)
    said |= {"judge": rater.name, "ratings": {str(rating): count for rating, count in ratings.items()}}
    if unreadable:
        said["unreadable"] = unreadable
    found = mean(values, said, why_none="the judge gave no answer that can be read; try another (judge = lexical)")
    return with_cost(found, cutter, rater)


@metric("rouge-link-privacy", family="claims", cite="xin2025", higher_is_better=True)
def rouge_privacy(
    releases: Sequence[Release],
    known: str = "random",
    seed: int = 0,
    splitter: str | Splitter = "clauses",
    chat: Chat | None = None,
) -> Estimate:
    """The lexical baseline: 1 − ROUGE-L of an original with the release most like its known claims by ROUGE-L."""
    cutter = _splitter(splitter, chat)
    records, said = _records(releases, known, seed, cutter)
    if len(records) * len(releases) > MOST_PAIRS:
        raise NotMeasurable(
            f"ROUGE-L compares every record with every release, {len(records):,} × {len(releases):,} pairs of texts: "
            "measure a sample of the documents"
        )
    values: dict[str, float | None] = {}
    hits = 0
    for (key, record), number in zip(records.items(), _most_like(releases, records, seed), strict=True):
        hits += releases[number].document.id == key
        shared = longest_common(record.release.document.text, releases[number].text)
        values[key] = None if shared is None else 1 - shared
    said |= {"variant": "F1, whole text, lower-cased words, no stemming; for linking and for likeness"}
    found = mean(values, {**said, "linked": hits / len(records)}, why_none="no original has words to compare")
    return with_cost(found, cutter)


def _splitter(splitter: str | Splitter, chat: Chat | None) -> Splitter:
    return resolve("splitter", splitter, SPLITTERS, ChatSplitter, chat) if isinstance(splitter, str) else splitter


def _records(
    releases: Sequence[Release], known: str, seed: int, splitter: Splitter
) -> tuple[dict[str, Record], dict[str, Any]]:
    """The records with claims enough, three of them known; and what the score should say about the others."""
    found: dict[str, Record] = {}
    for release, split in zip(releases, splitter.split([release.document.text for release in releases]), strict=True):
        claims = [claim.text for claim in split]
        if len(claims) > KNOWN_CLAIMS:
            own = choose_known_claims(len(claims), known, seed, release.document.id)
            rest = tuple(claim for number, claim in enumerate(claims) if number not in own)
            found[release.document.id] = Record(release, tuple(claims[number] for number in own), rest)
    if not found:
        raise NotMeasurable(
            f"not one of {len(releases)} originals has more than {KNOWN_CLAIMS} claims, so that some are known and some are "
            "not: give longer texts"
        )
    if len(releases) < 2:
        raise NotMeasurable("there is one release only, so every link is right: give all that are released together")
    said: dict[str, Any] = {"splitter": splitter.name, "candidates": len(releases), "chance": 1 / len(releases)}
    if few := len(releases) - len(found):
        said["too_few_claims"] = few
    if empty := sum(not release.text.strip() for release in releases):
        said["empty_releases"] = empty
    return found, said


def _attempts(releases: Sequence[Release], records: Mapping[str, Record], seed: int) -> list[Attempt]:
    """What the attack takes for each record's own release. It is handed texts alone."""
    attack = ClaimsAttack(seed=seed).fit({release.document.id: release.text for release in releases})
    return attack.run({key: record.known for key, record in records.items()})


def _chance_right(attempt: Attempt, candidates: int) -> float:
    """1 or 0; a part of 1 where several releases fit equally well, or none at all, and one was drawn."""
    best = attempt.guesses[0]
    if not best.score:
        return 1 / candidates
    equal = [guess.answer for guess in attempt.guesses if guess.score == best.score]
    return (attempt.document_id in equal) / len(equal)


def _most_like(releases: Sequence[Release], records: Mapping[str, Record], seed: int) -> Iterator[int]:
    """The number of the release of greatest ROUGE-L with each record's known claims; ties fall to the dice."""
    letters: dict[str, str] = {}

    def spelled(text: str) -> str:
        # A character for each word: rapidfuzz compares strings many times faster than lists.
        return "".join(letters.setdefault(word, chr(0x10000 + len(letters))) for word in words(text))

    queries = [spelled(" ".join(record.known)) for record in records.values()]
    candidates = [spelled(release.text) for release in releases]
    lengths = np.array([len(candidate) for candidate in candidates])
    dice = np.random.default_rng(seed)
    for start in range(0, len(queries), _ROWS):
        part = queries[start : start + _ROWS]
        common: NDArray[np.int32] = process.cdist(part, candidates, scorer=LCSseq.similarity, dtype=np.int32)
        totals = lengths + np.array([len(query) for query in part])[:, None]
        likeness = 2 * common / np.maximum(totals, 1)
        for row in likeness:
            yield int(np.lexsort((dice.random(len(row)), -row))[0])
