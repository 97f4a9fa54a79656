"""Fig. 1 and 2 of Manzanares-Salor and Sánchez (2025): TPI and the risk of methods, on WikiActors-50.

Their 553 biographies are not at hand. WikiActors-50 has the same design (abstracts, and the bodies of the articles as
what an attacker knows) and carries releases of eight methods, whose TRIR Manzanares-Salor et al. (2024) published.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.paper_tables.frame import Column, Corpus, Row, Table
from benchmarks.paper_tables.markdown import TOKENS, TRIR
from benchmarks.paper_tables.rows import baseline, guarded_rewriters, named, present, published_rewriters

from sfumato.attacks.base import Person
from sfumato.document import Document, Edit, Release, Span
from sfumato.formats.inputs import align_release

NAME = "wikiactors"
MASK = "SENSITIVE"
_FILE = Path("wikiactors/WikiActors_50_eval.json")
CARRIED = {
    "NER3": ("ner3", "NER3", ".70"),
    "NER4": ("ner4", "NER4", ".60"),
    "NER7": ("ner7", "NER7", ".88"),
    "Presidio": ("presidio", "Presidio", ".74"),
    "spaCy": ("spacy", "spaCy", ".70"),
    "Word2Vec .5": ("word2vec_t=0.5", "W2V .5", ".48"),
    "Word2Vec .25": ("word2vec_t=0.25", "W2V .25", ".26"),
    "manual": ("manual", "manual", ".10"),
}
"""Releases that the data carry: the column, its name in ``benchmarks.trir``, and its published TRIR."""
PROMPTS = {
    "student": {TOKENS: "313 + 60", TRIR: "> .35 a"},
    "sparks": {TOKENS: "386 + 118"},
    "man-vs-machine": {TOKENS: "202 + 123", TRIR: ".15 a"},
    "all-attributes": {TOKENS: "345 + 146", TRIR: ".06 a"},
}
"""The prompts of fig. 1, with what the paper says of them with GPT-4o."""
ABLATIONS = {
    "all-attributes-no-example": {TRIR: ".09 a"},
    "all-attributes-entities-only": {},
    "all-attributes-first-only": {},
}
"""Those of fig. 2."""
BACKGROUND_METHODS = (
    "published/word2vec-0.5",
    "published/word2vec-0.25",
    "published/k-anonymity-greedy",
    "published/k-anonymity-random",
)
"""Baselines that read what is known of people: the bodies of the articles, as the attacks do."""


def corpora(data: Path) -> Sequence[Corpus]:
    rows = _read(data)
    documents = [Document(row["name"], row["original_abstract"], subjects=(row["name"],)) for row in rows]
    people = [Person(row["name"], (row["public_knowledge"],)) for row in rows]
    return [Corpus(NAME, "WikiActors-50", documents, {"background": people})]


def carried(data: Path, corpus: Corpus) -> list[Row]:
    """The releases that the data carry."""
    records = {record["name"]: record for record in _read(data)}
    return [
        Row(
            f"{name} (carried by the data)",
            [_release(document, records[document.id][f"{column}_abstract"]) for document in corpus.documents],
            {TRIR: f"{published} b"},
            trir,
        )
        for name, (column, trir, published) in CARRIED.items()
    ]


def rows(data: Path, corpus: Corpus) -> Sequence[Row]:
    published = {f"published/{name}": figures for name, figures in (PROMPTS | ABLATIONS).items()}
    weak = {f"published/{name}": {TRIR: "> .35 a"} for name in ("spacy", "presidio")}
    return [
        Row("none", "none", {TRIR: "1.00 b"}, trir="original"),
        *carried(data, corpus),
        baseline("spacy", weak),
        baseline("presidio", weak),
        *named(present(BACKGROUND_METHODS)),
        *named(("labels", "redact", "default")),
        *named(published, published),
        *named(PROMPTS),
        *named([*published_rewriters(), *guarded_rewriters()]),
        Row("all", "all"),
    ]


def _release(document: Document, text: str) -> Release:
    """The release of a text in which masks are all that differs; any other text is aligned word by word."""
    kept = [r"\s+".join(map(re.escape, re.split(r"\s+", piece))) for piece in text.strip().split(MASK)]
    match = re.fullmatch("(.+?)".join(kept), document.text.strip(), re.DOTALL) if MASK in text else None
    if match is None:
        return align_release(document, text)
    skipped = len(document.text) - len(document.text.lstrip())
    spans = [Span(start + skipped, end + skipped, "MISC", source="mask") for start, end in match.regs[1:]]
    return Release(document, tuple(Edit(span, MASK) for span in spans))


def _read(data: Path) -> list[dict[str, Any]]:
    return list(json.loads((data / _FILE).read_text(encoding="utf-8")))


TABLES = (
    Table(
        name="manzanares2025-fig1",
        title="Fig. 1 and 2 of Manzanares-Salor and Sánchez 2025",
        corpora=corpora,
        rows=rows,
        columns=(
            Column("TPI", "tpi"),
            Column("ROUGE-L", "rouge-l"),
            Column("risk", "risk", higher_is_better=False),
        ),
        has_trir=True,
        notes=(
            "Published, a: on 553 other biographies, with GPT-4o or without a language model; the figure prints no "
            "numbers, these are the ones that its text states. Tokens are those of GPT-4o.",
            "Published, b: of these releases of WikiActors-50, by the authors' attack on DistilBERT (2024).",
            "Risk: the strongest of our linking attacks, which know the body of each actor's article.",
            "Of rewritten texts, and of Word2Vec's, which have other tokens and no capitals, it is not known what was "
            "kept: ROUGE-L stands in for TPI.",
        ),
    ),
)
