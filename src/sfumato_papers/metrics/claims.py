"""Metrics of the claims attack: what someone who knows three facts of a record learns of the rest.

Xin et al. (2025), A false sense of privacy. The claims come from the originals; they are linked to the releases.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rapidfuzz import process
from rapidfuzz.distance import LCSseq

from sfumato.attacks.base import CHAT, resolve, resolve_plugin
from sfumato.document import Attempt, Release
from sfumato.errors import NotMeasurable, RecipeError, suggest
from sfumato.llm.chat import Chat
from sfumato.metrics.base import metric, with_cost
from sfumato.metrics.surface import rouge_l_f1, words
from sfumato.statistics import Estimate, mean, share_of_documents
from sfumato_papers.attacks.claims import (
    KNOWN_CLAIMS,
    SAME,
    UNSUPPORTED,
    ChatSplitter,
    ClaimsAttack,
    ClauseSplitter,
    ExplainingJudge,
    Judge,
    Question,
    Rating,
    Splitter,
    SummarySplitter,
    choose_known_claims,
)

MAX_PAIRS = 10**8
Texts = Mapping[str, str]
"""By id."""
SPLITTERS: Mapping[str, Callable[[], Splitter]] = {ClauseSplitter.name: ClauseSplitter}
"""Those that ask no language model."""
SUMMARY = "summary"
"""The splitter that has each text summarized first."""
_ROWS = 256
"""Queries compared with all records at once: bounds the memory."""


@dataclass(frozen=True)
class Record:
    """The claims of a record that the attacker knows, and the others."""

    release: Release
    known: tuple[str, ...]
    unknown: tuple[str, ...]


@dataclass(frozen=True)
class LinkedRecord:
    """An original, the text that the attack linked to it, and what that text says of the claims not known before.

    Table 5 of Xin et al. (2025). It holds original text.
    """

    document_id: str
    match_id: str
    original: str = field(repr=False)
    match: str = field(repr=False)
    known: tuple[str, ...] = field(repr=False)
    """The claims that the attacker knew, and linked by."""
    others: tuple[tuple[str, Rating], ...] = field(repr=False)
    """The other claims as the judge rated them."""

    @property
    def leaked(self) -> list[tuple[str, Rating]]:
        """The claims that the match supports, in whole or in part."""
        return [(claim, rating) for claim, rating in self.others if rating.value not in (None, UNSUPPORTED)]

    def to_json(self) -> dict[str, Any]:
        """As ``sfumato measure --show-claims ID --json`` prints it."""
        others = [{"claim": claim, "rating": rated.value, "reason": rated.reason} for claim, rated in self.others]
        return {**asdict(self), "known": list(self.known), "others": others}

    def lines(self, release: str) -> Iterator[Sequence[tuple[str, str]]]:
        """As ``sfumato measure --show-claims ID`` prints it."""
        whose = "its own" if self.match_id == self.document_id else self.match_id
        yield [(f"\nclaims attack on {self.document_id}{f', {release}' if release else ''}", "bold")]
        for title, text in (("original record", self.original), (f"linked release ({whose})", self.match)):
            yield [(f"{title}:", "dim")]
            yield [(text, "")]
        yield [("claims used for the link:", "dim")]
        for claim in self.known:
            yield [(f"  {claim}", "")]
        yield [(f"claims that leak, {len(self.leaked)} of {len(self.others)} others:", "dim")]
        for claim, rating in self.leaked:
            reason = f": {rating.reason}" if rating.reason else ""
            said = "the same is said" if rating.value == SAME else "something similar is said"
            yield [(f"  {claim} ", ""), (f"({said}{reason})", "yellow")]


def show_records(
    ids: Sequence[str],
    releases: Sequence[Release],
    known: str = "random",
    seed: int = 0,
    splitter: str | Splitter = "clauses",
    judge: str | Judge = "lexical",
    chat: Chat | None = None,
    synthesized: Texts | None = None,
) -> list[LinkedRecord]:
    """The claims attack on these documents, as ``claims-privacy`` with the same settings runs and rates it.

    Documents that have no release, or too few claims, are left out.
    """
    texts, records, _, _ = _prepare(releases, synthesized, known, seed, splitter, chat)
    shown = {key: records[key] for key in dict.fromkeys(ids) if key in records}
    rater: Judge = resolve_plugin("judge", judge, chat) if isinstance(judge, str) else judge
    matches = {attempt.document_id: attempt.guesses[0].answer for attempt in _attempts(texts, shown, seed)}
    questions = [Question(record.unknown, texts[matches[key]]) for key, record in shown.items()]
    if isinstance(rater, ExplainingJudge):
        ratings = rater.explain(questions)
    else:
        ratings = [[Rating(value) for value in rated] for rated in rater.rate(questions)]
    return [
        LinkedRecord(
            key,
            matches[key],
            record.release.document.text,
            texts[matches[key]],
            record.known,
            tuple(zip(record.unknown, rated, strict=True)),
        )
        for (key, record), rated in zip(shown.items(), ratings, strict=True)
    ]


@metric("claims-linkage", family="claims", cite="xin2025", higher_is_better=False)
def linkage(
    releases: Sequence[Release],
    known: str = "random",
    seed: int = 0,
    splitter: str | Splitter = "clauses",
    chat: Chat | None = None,
    synthesized: Texts | None = None,
) -> Estimate:
    """Share of records that someone who knows three of their claims finds among all releases (BM25)."""
    if synthesized is not None:
        raise NotMeasurable("a synthesized text stands for no original, so no link is right or wrong")
    texts, records, settings, claim_splitter = _prepare(releases, None, known, seed, splitter, chat)
    attempts = _attempts(texts, records, seed)
    right = {attempt.document_id: _probability_right(attempt, len(texts)) for attempt in attempts}
    return with_cost(share_of_documents(right, settings), claim_splitter)


@metric("claims-privacy", family="claims", cite="xin2025", higher_is_better=True, show=show_records)
def privacy(
    releases: Sequence[Release],
    known: str = "random",
    seed: int = 0,
    splitter: str | Splitter = "clauses",
    judge: str | Judge = "lexical",
    chat: Chat | None = None,
    synthesized: Texts | None = None,
) -> Estimate:
    """How little the linked release says of a record's other claims: mean (rating − 1) / 2; 1 is private."""
    rater: Judge = resolve_plugin("judge", judge, chat) if isinstance(judge, str) else judge
    texts, records, settings, claim_splitter = _prepare(releases, synthesized, known, seed, splitter, chat)
    linked = {attempt.document_id: texts[attempt.guesses[0].answer] for attempt in _attempts(texts, records, seed)}
    values: dict[str, float | None] = {}
    counts = Counter[int | None]()
    questions = [Question(record.unknown, linked[key]) for key, record in records.items()]
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
    synthesized: Texts | None = None,
) -> Estimate:
    """The lexical baseline: 1 − ROUGE-L of an original with the release most like its known claims by ROUGE-L."""
    texts, records, settings, claim_splitter = _prepare(releases, synthesized, known, seed, splitter, chat)
    if len(records) * len(texts) > MAX_PAIRS:
        raise NotMeasurable(
            f"ROUGE-L compares every record with every release, {len(records):,} × {len(texts):,} pairs of texts: "
            "measure a sample of the documents"
        )
    values: dict[str, float | None] = {}
    found = dict(zip(records, _most_similar(texts, records, seed), strict=True))
    for key, record in records.items():
        shared = rouge_l_f1(record.release.document.text, texts[found[key]])
        values[key] = None if shared is None else 1 - shared
    settings["variant"] = "F1, whole text, lower-cased words, no stemming; for linking and for likeness"
    if synthesized is None:
        settings["linked"] = sum(key == candidate for key, candidate in found.items()) / len(records)
    return with_cost(mean(values, settings, why_none="no original has words to compare"), claim_splitter)


def _prepare(
    releases: Sequence[Release],
    synthesized: Texts | None,
    known: str,
    seed: int,
    splitter: str | Splitter,
    chat: Chat | None,
) -> tuple[Texts, dict[str, Record], dict[str, Any], Splitter]:
    """The texts in which the attacker looks, the records with enough claims, three of them known, the score's settings,
    and the splitter, for its cost.

    The texts are the releases, or the synthesized ones, however many there are.
    """
    if isinstance(splitter, str):
        splitter = _resolve_splitter(splitter, chat)
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
    texts = {release.document.id: release.text for release in releases} if synthesized is None else synthesized
    if synthesized is None and len(texts) < 2:
        raise NotMeasurable("there is one release only, so every link is right: give all that are released together")
    settings: dict[str, Any] = {"splitter": splitter.name, "candidates": len(texts)}
    if synthesized is None:
        settings["chance"] = 1 / len(texts)
    if too_few := len(releases) - len(records):
        settings["too_few_claims"] = too_few
    if empty := sum(not text.strip() for text in texts.values()):
        settings["empty_releases"] = empty
    return texts, records, settings, splitter


def _resolve_splitter(name: str, chat: Chat | None) -> Splitter:
    """By name: clauses, chat or summary; the last two also with a prompt, as chat:FILE.toml."""
    kind, _, prompt = name.partition(":")
    if kind == SUMMARY and chat is not None:
        return SummarySplitter(chat, **({"prompt": prompt} if prompt else {}))
    if kind == SUMMARY:
        raise NotMeasurable("the splitter 'summary' needs a language model: give --chat URL|FILE.gguf")
    if kind not in (*SPLITTERS, CHAT):
        raise RecipeError(f"no splitter {name!r}: {suggest(name, [*SPLITTERS, CHAT, SUMMARY])}")
    return resolve("splitter", name, SPLITTERS, ChatSplitter, chat)


def _attempts(texts: Texts, records: Mapping[str, Record], seed: int) -> list[Attempt]:
    """The texts that the attack links to each record."""
    attack = ClaimsAttack(seed=seed).fit(texts)
    return attack.run({key: record.known for key, record in records.items()})


def _probability_right(attempt: Attempt, candidates: int) -> float:
    """1 or 0; a fraction where several releases fit equally well, or none, and one was drawn at random."""
    best = attempt.guesses[0]
    if not best.score:
        return 1 / candidates
    equal = [guess.answer for guess in attempt.guesses if guess.score == best.score]
    return (attempt.document_id in equal) / len(equal)


def _most_similar(texts: Texts, records: Mapping[str, Record], seed: int) -> Iterator[str]:
    """The id of the text with the greatest ROUGE-L with each record's known claims; ties are drawn."""
    codes: dict[str, str] = {}

    def encode(text: str) -> str:
        # A character for each word: rapidfuzz compares strings many times faster than lists.
        return "".join(codes.setdefault(word, chr(0x10000 + len(codes))) for word in words(text))

    queries = [encode(" ".join(record.known)) for record in records.values()]
    ids = list(texts)
    candidates = [encode(text) for text in texts.values()]
    lengths = np.array([len(candidate) for candidate in candidates])
    generator = np.random.default_rng(seed)
    for start in range(0, len(queries), _ROWS):
        batch = queries[start : start + _ROWS]
        common: NDArray[np.int32] = process.cdist(batch, candidates, scorer=LCSseq.similarity, dtype=np.int32)
        totals = lengths + np.array([len(query) for query in batch])[:, None]
        likeness = 2 * common / np.maximum(totals, 1)
        for row in likeness:
            yield ids[int(np.lexsort((generator.random(len(row)), -row))[0])]
