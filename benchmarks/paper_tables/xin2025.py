"""Tables 1 and 3 of Xin et al. (2025) on MedQA: privacy by claims, use and coherence; who is linked by three claims.

A record is the patient's profile of an exam question; the question itself and its options are what the profile is used
for. Of WildChat there are no data here.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.paper_tables.frame import Column, Corpus, Row, Table
from benchmarks.paper_tables.rows import (
    Published,
    baseline,
    guarded_rewriters,
    named,
    present,
    published_rewriters,
    scrubbing,
)

from sfumato.document import Document
from sfumato_papers.attacks.claims import KNOWN_CLAIMS, ClauseSplitter

LEXICAL, SEMANTIC, TASK, COHERENCE = "lexical distance", "semantic distance", "task utility", "coherence"
FIRST, RANDOM, LAST = "first three", "random three", "last three"


def _table1(lexical: str, semantic: str, task: str, coherence: str) -> dict[str, str]:
    return {LEXICAL: lexical, SEMANTIC: semantic, TASK: task, COHERENCE: coherence}


def _table3(first: str, random: str, last: str) -> dict[str, str]:
    return {FIRST: first, RANDOM: random, LAST: last}


SCRUBBING = "published/azure-pii"
TABLE_1: Published = {
    "none": _table1(".08", ".04", ".69", "3.79"),
    "all": {TASK: ".44"},
    "published/sanitize-paraphrase": _table1(".66", ".31", ".65", "3.60"),
    SCRUBBING: _table1(".20", ".06", ".67", "3.29"),
    "published/self-disclosure": _table1(".61", ".34", ".61", "2.84"),
    "published/adversarial-records": _table1(".53", ".33", ".62", "3.07"),
}
TABLE_3: Published = {
    "none": _table3(".99", ".99", ".99"),
    "published/sanitize-paraphrase": _table3(".58", ".66", ".78"),
    SCRUBBING: _table3(".81", ".91", ".94"),
    "published/self-disclosure": _table3(".70", ".67", ".69"),
    "published/adversarial-records": _table3(".58", ".69", ".78"),
}
_OWN = ("labels", "redact", "clinical", "hipaa", "default")


def corpora(data: Path) -> Sequence[Corpus]:
    exams = _exams(data / "medqa" / "questions_900.jsonl")
    documents = [Document(key, exam["profile"]) for key, exam in exams.items()]
    # Of a record with three claims nothing is left to learn.
    split = ClauseSplitter().split([document.text for document in documents])
    kept = [document for document, claims in zip(documents, split, strict=True) if len(claims) > KNOWN_CLAIMS]
    return [Corpus("medqa", "MedQA, patients' profiles", kept, settings={"mcq-accuracy": {"questions": exams}})]


def rows(published: Published, *, with_all: bool) -> list[Row]:
    return [
        *named(["none"], published),
        *(named(["all"], published) if with_all else []),
        scrubbing("published/presidio with asterisks", published.get(SCRUBBING, {})),
        baseline("presidio"),
        baseline("spacy"),
        *named(_OWN),
        *named(present([SCRUBBING]), published),
        *named(published_rewriters("records"), published),
        *named(guarded_rewriters()),
    ]


def _exams(path: Path) -> dict[str, dict[str, Any]]:
    """Profile, question, options and right answer of each patient; a question about no patient is left out."""
    exams = {}
    with path.open(encoding="utf-8") as lines:
        for number, record in enumerate(map(json.loads, lines)):
            stem = record["question"].partition("\nA)")[0].strip().strip('"').strip()
            question = re.split(r"(?<=[.!?])\s+|\n+", stem)[-1]
            if profile := stem.removesuffix(question).strip():
                asked = {key: record[key] for key in ("options", "answer")}
                exams[f"patient-{number:03}"] = {"profile": profile, "question": question, **asked}
    return exams


_MODELS = (
    "Published figures are of other questions of MedQA, with GPT-4o as sanitizer and judge of coherence and Llama 3 8B "
    "as judge of claims."
)
_SCRUBBED = (
    "The paper's service (Azure AI, asterisks) needs an account: its figures stand beside Presidio with asterisks. "
    "Staab et al.: adversarial-records. Self-disclosure is two prompts in place of the authors' two fine-tuned models."
)

TABLES = (
    Table(
        name="xin2025-table1",
        title="Table 1 of Xin et al. 2025",
        corpora=corpora,
        rows=lambda data, corpus: rows(TABLE_1, with_all=True),
        columns=(
            Column("linked", "claims-linkage", higher_is_better=False),
            Column(LEXICAL, "rouge-link-privacy"),
            Column(SEMANTIC, "claims-privacy", {"splitter": "chat", "judge": "chat"}, asks=True),
            Column("semantic, judge embedding", "claims-privacy", {"judge": "embedding"}),
            Column("semantic, judge lexical", "claims-privacy", {"judge": "lexical"}),
            Column(TASK, "mcq-accuracy", asks=True),
            Column(COHERENCE, "coherence", {"kind": "clinical note"}, asks=True),
        ),
        notes=(
            _MODELS,
            _SCRUBBED,
            "Three claims of each record are known, drawn at random. Semantic distance as published: claims and "
            "ratings by a language model, the most frequent of three answers. The other two columns need none: claims "
            "are clauses, rated by embeddings or by shared words.",
            "Linkage depends on how many records there are to choose from: here as many as n.",
        ),
    ),
    Table(
        name="xin2025-table3",
        title="Table 3 of Xin et al. 2025, share of records linked",
        corpora=corpora,
        rows=lambda data, corpus: rows(TABLE_3, with_all=False),
        columns=tuple(
            Column(title, "claims-linkage", {"known": known}, higher_is_better=False)
            for title, known in ((FIRST, "first"), (RANDOM, "random"), (LAST, "last"))
        ),
        notes=(
            _MODELS,
            _SCRUBBED,
            "Known claims are clauses of the record; linkage depends on how many records there are to choose from.",
        ),
    ),
)
