"""Table 3 of Pilán et al. (2025): TPS, NMI and TRIR of replacement strategies on the same spans, on TAB's dev set.

The paper's table is of TAB's test set. Its authors published their releases of the dev set, too: these, and ours on the
spans that they replaced, are measured here.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks.paper_tables.frame import Column, Corpus, Result, Row, Table
from benchmarks.paper_tables.markdown import TRIR
from benchmarks.paper_tables.rows import named, present

from sfumato import recipe as recipes
from sfumato.attacks.base import Person
from sfumato.document import Document
from sfumato.formats.base import Columns
from sfumato.formats.inputs import as_documents
from sfumato.recipe import Recipe
from sfumato.statistics import pearson

_DOCUMENTS = Path("tab/dev.jsonl")
_MASKS = Path("tab/masks")
_BACKGROUND = Path("tab/background_public10.json")
TPS, NMI = "TPS", "NMI"
TPS_BY_AUTHORS = "TPS by the authors' code"


def _published(tps: str, nmi: str, trir: str) -> dict[str, str]:
    return {TPS_BY_AUTHORS: tps, NMI: nmi, TRIR: trir}


SUPPRESSION = _published(".777", ".302", ".110")
ENTITY_TYPE = _published(".848", ".642", ".134")
PRESIDIO = _published(".858", ".660", ".118")
ABSTRACT = _published(".884", ".587", ".150")
INTACT = _published(".885", ".800", ".126")
LEAST_SPECIFIC = _published(".885", ".577", ".134")
MOST_SPECIFIC = _published(".913", ".899", ".142")
AUTHORS = {
    "suppression": ("Manual_Supression", SUPPRESSION, "suppression"),
    "entity type": ("Manual_Entity", ENTITY_TYPE, "entity type"),
    "Presidio with GPT-3.5": ("Manual_Presidio_gpt-3.5-turbo-0125", PRESIDIO, "Presidio+GPT-3.5"),
    "INTACT with Mistral 7B": ("Manual_INTACT", INTACT, "INTACT"),
    "Presidio's own spans suppressed": ("Presidio_Supression", {}, "Presidio, suppressed"),
    "Presidio's own spans by entity type": ("Presidio_Entity", {}, "Presidio, type"),
}
"""The authors' releases: file, figures of table 3, and name in ``benchmarks.trir``."""
PUBLISHED = {
    "published/presidio-synthetic": PRESIDIO,
    "published/abstract": ABSTRACT,
    "published/intact": INTACT,
    "published/least-specific": LEAST_SPECIFIC,
    "published/most-specific": MOST_SPECIFIC,
}
ON_SPANS = {"suppress": SUPPRESSION, "entity-type": ENTITY_TYPE, "label": {}, "generalize": {}}
"""Our replacers on the annotators' spans; the first two are also baselines of the paper."""
LADDER = {"most-specific": MOST_SPECIFIC, "least-specific": LEAST_SPECIFIC}
"""The paper's variants, with our hierarchies in place of a language model."""


def corpora(data: Path) -> Sequence[Corpus]:
    """The rulings, with all mentions that the authors replaced as annotations to mask."""
    documents = [_annotated(document) for document in as_documents(data / _DOCUMENTS, Columns(), lambda problem: None)]
    known = json.loads((data / _BACKGROUND).read_text(encoding="utf-8"))
    people = [Person(key, (text,)) for key, text in known.items()]
    return [Corpus("tab", "TAB dev", documents, {"background": people})]


def _annotated(document: Document) -> Document:
    """With each mention of any annotator once: the authors replaced those that need no mask, too."""
    spans = [replace(span, source="gold", identifier=None) for span in document.annotations or ()]
    return replace(document, annotations=tuple(dict.fromkeys(spans)))


def rows(data: Path, corpus: Corpus) -> Sequence[Row]:
    authors = [
        Row(f"{name} (authors' release)", data / _MASKS / f"{file}.json", published, trir)
        for name, (file, published, trir) in AUTHORS.items()
    ]
    return [
        Row("none", "none", trir="original"),
        *authors,
        *(Row(name, name, published) for name, published in PUBLISHED.items()),
        *named(present(["published/mapa"])),
        *(
            Row(f"{name} on annotated spans", _on_spans(name), published)
            for name, published in (ON_SPANS | LADDER).items()
        ),
        *(Row(name, name) for name in ("labels", "redact", "default", "intact")),
        Row("all", "all"),
    ]


def _on_spans(replacer: str) -> Recipe:
    """A replacer of ours on the annotators' spans: nothing is detected, so that only the replacements differ."""
    changes: dict[str, Any] = {"detect": [{"use": "gold", "seed": 1}], "always_run": [], "spans": "as-found"}
    return recipes.load("default").with_changes(
        name=f"{replacer} on annotated spans", replace={"default": replacer}, **changes
    )


def correlation(corpus: Corpus, results: Sequence[Result]) -> str:
    """Pearson's r of TPS and NMI over the paper's strategies, as in its section 5.5: of each the first row there is."""
    strategies: dict[str, Result] = {}
    for result in results:
        if result.row.published and {TPS, NMI} <= result.scores.keys():
            strategies.setdefault(str(result.row.published), result)
    if len(strategies) < 3:
        return ""
    tps, nmi = ([result.scores[title].value for result in strategies.values()] for title in (TPS, NMI))
    found = pearson(tps, nmi)
    return (
        f"Pearson's r of TPS and NMI over {found.n} strategies of the paper: {found.value:.3f} (p = {found.p:.3f}); "
        "published: .864 (p = .012) over seven."
    )


TABLES = (
    Table(
        name="pilan2025-table3",
        title="Table 3 of Pilán et al. 2025",
        corpora=corpora,
        rows=rows,
        columns=(
            Column(TPS, "tps"),
            Column(TPS_BY_AUTHORS, "tps", {"authors_compat": True}),
            Column(NMI, "nmi", {"k": 4}),
            Column("risk", "risk", higher_is_better=False),
        ),
        has_trir=True,
        closing=correlation,
        notes=(
            "Published figures are of the 127 rulings of TAB's test set, with BERT for information and clusters, "
            "ALBERT for similarity and DistilBERT for TRIR; ours are of the 127 of its dev set, with our own small "
            "models. INTACT and its variants: with Mistral 7B.",
            "Rows of the authors' releases, `published/…` and `… on annotated spans` replace the same spans: all "
            "mentions of TAB's annotators, and nothing else is searched for. Recipes find their own.",
            "TPS by the authors' code repeats its slips: above all, a term inside a longer mask counts as kept, and a "
            "mask that reaches the end of the text is dropped.",
            "Strategies whose published figure stands beside several rows: the authors' release, the published method "
            "with the model of this run, and our replacer without a model.",
            "Risk: the strongest of our linking attacks, which know the first tenth of 1,141 rulings without their "
            "procedure.",
        ),
    ),
)
