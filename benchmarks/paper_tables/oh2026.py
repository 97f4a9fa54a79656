"""CPR and IPR of Oh et al. (2026) × methods, on SPIA's rulings (TAB) and posts (PANORAMA), by several attackers."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

from benchmarks.paper_tables.frame import Column, Corpus, Row, Table
from benchmarks.paper_tables.held_out import annotated_documents
from benchmarks.paper_tables.rows import Published, baseline, guarded_rewriters, named, present, published_rewriters
from benchmarks.subjects import FirstGuess

from sfumato.document import Document, Score
from sfumato.metrics.base import MetricInput
from sfumato_papers.attacks.subjects.matching import Profile
from sfumato_papers.attacks.subjects.profiler import RuleProfiler
from sfumato_papers.metrics.subjects import collective_protection, individual_protection

CPR, IPR, UTILITY = "CPR", "IPR", "utility"
DIRECT, QUASI = "direct entities gone", "quasi entities gone"
AS_PUBLISHED = {"profiler": "chat", "judge": "chat"}
TAB: Published = {
    "published/deid-gpt": {CPR: ".674", IPR: ".665", DIRECT: "1.000", UTILITY: ".754"},
    "published/dp-prompt": {CPR: ".452", IPR: ".446", DIRECT: ".450", UTILITY: ".764"},
    "published/longformer": {CPR: ".330", IPR: ".325", DIRECT: ".997", UTILITY: ".874"},
    "published/adversarial-rulings": {CPR: ".359", IPR: ".365", DIRECT: "1.000", UTILITY: ".857"},
}
"""Each with the language model that protects best."""
_OWN = ("labels", "redact", "default")


def corpora(data: Path) -> Sequence[Corpus]:
    rulings = {row["text"]: row for row in _read(data / "spia" / "tab_train_dev.jsonl")}
    posts = {row["text"]: row for row in _read(data / "spia" / "panorama_380.jsonl")}
    return [
        _corpus("spia-tab", "SPIA, rulings (TAB)", annotated_documents(data, "tab"), rulings),
        _corpus("spia-panorama", "SPIA, posts (PANORAMA)", annotated_documents(data, "spia"), posts),
    ]


def _corpus(name: str, title: str, annotated: Sequence[Document], rows: dict[str, Any]) -> Corpus:
    """The annotated documents that SPIA has, too, under SPIA's ids."""
    found = [(document, rows[document.text]) for document in annotated if document.text in rows]
    documents = [replace(document, id=row["metadata"]["data_id"]) for document, row in found]
    profiles = {row["metadata"]["data_id"]: row["subjects"] for _, row in found}
    return Corpus(name, title, documents, {"subject_profiles": profiles})


def rows(data: Path, corpus: Corpus) -> Sequence[Row]:
    published, kind = (TAB, "rulings") if corpus.name == "spia-tab" else ({}, "posts")
    return [
        *named(["none"]),
        baseline("presidio"),
        baseline("spacy"),
        *named(_OWN),
        *named(present(["published/longformer"]), published),
        *named(published_rewriters(kind), published),
        *named(guarded_rewriters()),
        *named(["all"]),
    ]


def _read(path: Path) -> list[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


class RememberingProfiler(RuleProfiler):
    """The attacker without a language model; every text is read once for all columns, originals for all rows."""

    _read: ClassVar[dict[str, list[Profile]]] = {}

    def profile(self, texts: Sequence[str]) -> list[list[Profile]]:
        new = [text for text in dict.fromkeys(texts) if text not in self._read]
        self._read.update(zip(new, super().profile(new), strict=True))
        return [self._read[text] for text in texts]


class RememberingFirstGuess(FirstGuess, RememberingProfiler):
    """The same held to one answer for each tag, of certainty 3 or more."""


def by_rules(inputs: MetricInput) -> Score:
    return collective_protection(inputs, profiler=RememberingProfiler())


def by_rules_each(inputs: MetricInput) -> Score:
    return individual_protection(inputs, profiler=RememberingProfiler())


def by_first_guess(inputs: MetricInput) -> Score:
    return collective_protection(inputs, profiler=RememberingFirstGuess())


def target(inputs: MetricInput) -> Score:
    """1 − AAC: CPR of those alone whom a document is about."""
    score = by_rules(inputs)
    single = score.settings["one_minus_aac"]
    interval = (single["interval"][0], single["interval"][1])
    return replace(score, value=single["value"], interval=interval, n=single["subjects"])


TABLES = (
    Table(
        name="oh2026-main",
        title="CPR and IPR of Oh et al. 2026",
        corpora=corpora,
        rows=rows,
        columns=(
            Column(CPR, "cpr", AS_PUBLISHED, asks=True),
            Column(IPR, "ipr", AS_PUBLISHED, asks=True),
            Column("CPR, rules", compute=by_rules),
            Column("IPR, rules", compute=by_rules_each),
            Column("CPR, first guess of rules", compute=by_first_guess),
            Column("1 − AAC, rules", compute=target),
            Column(DIRECT, "entity-recall-direct"),
            Column(QUASI, "entity-recall-quasi"),
            Column(UTILITY, "judged-utility", asks=True),
            Column("ROUGE-L", "rouge-l"),
        ),
        notes=(
            "Published: 144 rulings, attacker Claude Sonnet 4.5, each method with the language model that protects "
            "best (GPT-4.1; DP-Prompt: Claude Sonnet), by a summary of the paper; there a fine-tuned Longformer has "
            "CPR .330 and IPR .325. On 151 posts the best CPR is .799.",
            "CPR and IPR as published: people, attributes, alignment and agreement by a language model. By rules: our "
            "attacker without one, with at most two answers for a tag; first guess: one answer, of certainty 3 or "
            "more. 1 − AAC: those alone whom a document is about. The attacker on originals is the row none.",
            "Texts that our tagger was not trained on. The rules were developed on half of the posts.",
        ),
    ),
)
