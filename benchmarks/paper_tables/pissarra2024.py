"""Fig. 2 of Pissarra et al. (2024): seven metrics of clinical anonymization × methods, on three sets of notes.

Their discharge summaries (MIMIC III) need an agreement of each user; cases of AgentClinic that ``sfumato fill`` puts
invented people into stand in for them.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from benchmarks.filled_cases import filled_cases, split
from benchmarks.paper_tables.frame import Column, Corpus, Row, Table
from benchmarks.paper_tables.held_out import annotated_documents
from benchmarks.paper_tables.rows import Published, baseline, guarded_rewriters, named, present, published_rewriters

PUBLISHED: Published = {"published/kneo": {"JSC": "19.1", "NSDCG": "30.4"}}


def corpora(data: Path) -> Sequence[Corpus]:
    cases = filled_cases(data)
    test = set(split(cases)["test"])
    return [
        Corpus("agentclinic", "AgentClinic's cases filled with invented people", cases, {"classifier": "default"}),
        Corpus(
            "agentclinic-test",
            "the test part of these, 30 %",
            [case for case in cases if case.id in test],
            {"classifier": "default"},
        ),
        # The shipped classifier of diagnoses reads English.
        Corpus(
            "asq_phi",
            "ASQ-PHI, questions of clinicians",
            annotated_documents(data, "asq_phi"),
            {"classifier": "default"},
        ),
        Corpus("meddocan", "MEDDOCAN, clinical cases in Spanish", annotated_documents(data, "meddocan")),
    ]


def rows(data: Path, corpus: Corpus) -> Sequence[Row]:
    return [
        *named(["none"]),
        baseline("presidio"),
        baseline("spacy"),
        *named(["labels", "redact", "clinical", "hipaa", "default"]),
        *named(present(["published/clinicalbert"])),
        *named(published_rewriters("records"), PUBLISHED),
        *named(guarded_rewriters()),
        *named(["all"]),
    ]


TABLES = (
    Table(
        name="pissarra2024-fig2",
        title="Fig. 2 of Pissarra et al. 2024",
        corpora=corpora,
        rows=rows,
        columns=(
            Column("ALID", "alid"),
            Column("LR", "lr"),
            Column("LRDI", "lrdi"),
            Column("LRQI", "lrqi"),
            Column("SMR", "smr"),
            Column("JSC", "jsc"),
            Column("NSDCG", "nsdcg"),
        ),
        notes=(
            "All × 100. The figure prints no numbers. Its text has two of KNEO, and 72.6 (JSC) and 84.6 (NSDCG) as the "
            "mean of the other methods. Presidio is lowest in four of the five privacy metrics, and no method reaches "
            "100 in SMR, LR, LRDI or LRQI.",
            "Published figures are of 19,994 discharge summaries with invented identifiers; ASQ-PHI and MEDDOCAN are "
            "texts that our tagger was not trained on and that hold an identifier. Names, numbers and addresses of "
            "contact are direct, places, institutions, dates, ages and other attributes quasi-identifiers.",
            "AgentClinic: notes that `benchmarks.filled_cases` makes of 200 cases, with an invented name, date, place "
            "or number for every tag; what the cases themselves tell of a person (age, occupation) is no mention. "
            "The cases without the invented people are among the texts our tagger and classifier were trained on.",
            "JSC and NSDCG: our classifier of 18 ICD-10 chapters, for BioBERT on more categories. It reads English, "
            "and so do the pipelines of the Presidio and spaCy rows; the paper has Presidio on en_core_web_trf.",
        ),
    ),
)
