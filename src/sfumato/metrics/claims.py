"""Metrics of the claims attack: what someone who knows three facts of a record learns of the rest.

Xin et al. (2025), A false sense of privacy. The claims come from the originals; they are linked to the releases.
"""

from __future__ import annotations

from collections import Counter
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
from sfumato.metrics.surface import rouge_l_f1, words
from sfumato.statistics import Estimate, mean, share_of_documents

MAX_PAIRS = 10**8
SPLITTERS: Mapping[str, Callable[[], Splitter]] = {ClauseSplitter.name: ClauseSplitter}
_ROWS = 256
"""Queries compared with all records at once: bounds the memory."""


@dataclass(frozen=True)
class Record:
    """The claims of a record that the attacker knows, and the others."""

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
    records, settings, claim_splitter = _records(releases, known, seed, splitter, chat)
    attempts = _attempts(releases, records, seed)
    right = {attempt.document_id: _probability_right(attempt, len(releases)) for attempt in attempts}
    return with_cost(share_of_documents(right, settings), claim_splitter)


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
    rater: Judge = resolve_plugin("judge", judge, chat) if isinstance(judge, str) else judge
    records, settings, claim_splitter = _records(releases, known, seed, splitter, chat)
    by_id = {release.document.id: release for release in releases}
    linked = {attempt.document_id: by_id[attempt.guesses[0].answer] for attempt in _attempts(releases, records, seed)}
    values: dict[str, float | None] = {}
    counts = Counter[int | None]()
    questions = [Question(record.unknown, linked[key].text) for key, record in records.items()]
    for key, rated in zip(records, rater.rate(questions), strict=True):
        counts.update(rated)
        read = [rating for rating in rated if rating is not None]
        values[key] = sum((rating - 1) / 2 for rating in read) / len(read) if read else None
    settings |= {"judge": rater.name, "ratings": {str(rating): counts[rating] for rating in (1, 2, 3)}}
    if counts[None]:
        settings["unreadable"] = counts[None]
    why_none = "the judge gave no answer that can be read; try another (judge = lexical)"
    return with_cost(mean(values, settings, why_none=why_none), claim_splitter, rater)


@metric("rouge-link-privacy", family="claims", cite="xin2025", higher_is_better=True)
def rouge_privacy(
    releases: Sequence[Release],
    known: str = "random",
    seed: int = 0,
    splitter: str | Splitter = "clauses",
    chat: Chat | None = None,
) -> Estimate:
    """The lexical baseline: 1 − ROUGE-L of an original with the release most like its known claims by ROUGE-L."""
    records, settings, claim_splitter = _records(releases, known, seed, splitter, chat)
    if len(records) * len(releases) > MAX_PAIRS:
        raise NotMeasurable(
            f"ROUGE-L compares every record with every release, {len(records):,} × {len(releases):,} pairs of texts: "
            "measure a sample of the documents"
        )
    values: dict[str, float | None] = {}
    linked = 0
    for (key, record), number in zip(records.items(), _most_similar(releases, records, seed), strict=True):
        linked += releases[number].document.id == key
        shared = rouge_l_f1(record.release.document.text, releases[number].text)
        values[key] = None if shared is None else 1 - shared
    settings |= {"variant": "F1, whole text, lower-cased words, no stemming; for linking and for likeness"}
    estimate = mean(values, {**settings, "linked": linked / len(records)}, why_none="no original has words to compare")
    return with_cost(estimate, claim_splitter)


def _records(
    releases: Sequence[Release], known: str, seed: int, splitter: str | Splitter, chat: Chat | None
) -> tuple[dict[str, Record], dict[str, Any], Splitter]:
    """The records with enough claims, three of them known; the score's settings; and the splitter, for its cost."""
    if isinstance(splitter, str):
        splitter = resolve("splitter", splitter, SPLITTERS, ChatSplitter, chat)
    records: dict[str, Record] = {}
    for release, split in zip(releases, splitter.split([release.document.text for release in releases]), strict=True):
        claims = [claim.text for claim in split]
        if len(claims) > KNOWN_CLAIMS:
            known_numbers = choose_known_claims(len(claims), known, seed, release.document.id)
            rest = tuple(claim for number, claim in enumerate(claims) if number not in known_numbers)
            records[release.document.id] = Record(release, tuple(claims[number] for number in known_numbers), rest)
    if not records:
        raise NotMeasurable(
            f"not one of {len(releases)} originals has more than {KNOWN_CLAIMS} claims, so that some are known and "
            "some are not: give longer texts"
        )
    if len(releases) < 2:
        raise NotMeasurable("there is one release only, so every link is right: give all that are released together")
    settings: dict[str, Any] = {"splitter": splitter.name, "candidates": len(releases), "chance": 1 / len(releases)}
    if too_few := len(releases) - len(records):
        settings["too_few_claims"] = too_few
    if empty := sum(not release.text.strip() for release in releases):
        settings["empty_releases"] = empty
    return records, settings, splitter


def _attempts(releases: Sequence[Release], records: Mapping[str, Record], seed: int) -> list[Attempt]:
    """The releases that the attack links to each record. It gets texts only."""
    attack = ClaimsAttack(seed=seed).fit({release.document.id: release.text for release in releases})
    return attack.run({key: record.known for key, record in records.items()})


def _probability_right(attempt: Attempt, candidates: int) -> float:
    """1 or 0; a fraction where several releases fit equally well, or none, and one was drawn at random."""
    best = attempt.guesses[0]
    if not best.score:
        return 1 / candidates
    equal = [guess.answer for guess in attempt.guesses if guess.score == best.score]
    return (attempt.document_id in equal) / len(equal)


def _most_similar(releases: Sequence[Release], records: Mapping[str, Record], seed: int) -> Iterator[int]:
    """The number of the release with the greatest ROUGE-L with each record's known claims; ties are drawn."""
    codes: dict[str, str] = {}

    def encode(text: str) -> str:
        # A character for each word: rapidfuzz compares strings many times faster than lists.
        return "".join(codes.setdefault(word, chr(0x10000 + len(codes))) for word in words(text))

    queries = [encode(" ".join(record.known)) for record in records.values()]
    candidates = [encode(release.text) for release in releases]
    lengths = np.array([len(candidate) for candidate in candidates])
    generator = np.random.default_rng(seed)
    for start in range(0, len(queries), _ROWS):
        batch = queries[start : start + _ROWS]
        common: NDArray[np.int32] = process.cdist(batch, candidates, scorer=LCSseq.similarity, dtype=np.int32)
        totals = lengths + np.array([len(query) for query in batch])[:, None]
        likeness = 2 * common / np.maximum(totals, 1)
        for row in likeness:
            yield int(np.lexsort((generator.random(len(row)), -row))[0])
