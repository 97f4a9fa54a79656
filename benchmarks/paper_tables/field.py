"""Every method × the main metrics on one set: rulings of TAB with gold annotations that our tagger was not trained on.

The set is the only one at hand that has all of it for the same documents: what annotators mask (recall), what an
attacker may know of 1,141 people (risk), texts long enough to be taken apart into claims, and releases that authors of
methods published. What it lacks is the people's names, which protection by word embeddings needs: WikiActors-50 has
them, and no gold. Rows are not listed here: they are the recipes of ``sfumato methods``, published ones included, so a
new method has its row as soon as it has a recipe.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from benchmarks.paper_tables import manzanares2025
from benchmarks.paper_tables.frame import Column, Corpus, Make, Row, Table
from benchmarks.paper_tables.rows import baseline
from training.tagger.splits import read_foldout

import sfumato
from sfumato import recipe as recipes
from sfumato.attacks.background import BackgroundLike, as_background
from sfumato.attacks.base import Person
from sfumato.comparison.methods import EVERYTHING, NOTHING, MethodResult, NothingReleased
from sfumato.document import Document
from sfumato.formats.base import Columns
from sfumato.formats.inputs import as_documents
from sfumato.llm.chat import Chat
from sfumato.llm.usage import Usage

_TAB = Path("tab")
TAB_GOLD = "tab-gold"
ON_PIPELINE = ("presidio", "spacy")
"""Published methods whose row names the spaCy pipeline that is installed."""
TARGETS = (3, 5, 11)
"""k of the rows of ``sfumato protect``."""
AUTHORS: Mapping[str, str] = {
    "INTACT with Mistral 7B": "Manual_INTACT",
    "Presidio's synthetic replacement with GPT-3.5": "Manual_Presidio_gpt-3.5-turbo-0125",
    "Presidio, suppressed": "Presidio_Supression",
    "Presidio, entity type": "Presidio_Entity",
}
"""Releases that Pilán et al. (2025) published, by row."""


def corpora(data: Path) -> Sequence[Corpus]:
    """The rulings, and the abstracts about actors."""
    return [_rulings(data), *manzanares2025.corpora(data)]


def _rulings(data: Path) -> Corpus:
    """The gold rulings outside of the tagger's training, with the first tenth of 1,141 rulings as background."""
    kept = read_foldout()["tab"]
    read = as_documents(data / _TAB / "gold_train_dev.jsonl", Columns(), lambda problem: None)
    documents = sorted((document for document in read if document.id in kept), key=lambda document: document.id)
    known = json.loads((data / _TAB / "background_public10.json").read_text(encoding="utf-8"))
    people = [Person(key, (text,)) for key, text in known.items()]
    return Corpus(TAB_GOLD, "TAB, gold rulings outside of training", documents, {"background": people})


def rows(data: Path, corpus: Corpus) -> Sequence[Row]:
    """The two ends, our recipes, the loop of ``protect``, every published method, and published releases."""
    on_pipeline = {f"{recipes.PUBLISHED}{name}": name for name in ON_PIPELINE}
    return [
        Row(NOTHING, NOTHING),
        Row(EVERYTHING, EVERYTHING),
        *(Row(name, name) for name in recipes.names()),
        *(_protected(corpus, k) for k in TARGETS),
        *(
            baseline(on_pipeline[name]) if name in on_pipeline else Row(name, name)
            for name in recipes.published_names()
        ),
        *_others_releases(data, corpus),
    ]


def _others_releases(data: Path, corpus: Corpus) -> list[Row]:
    """Releases of these texts that others published."""
    if corpus.name == TAB_GOLD:
        masks = data / _TAB / "masks"
        return [Row(f"{name} (authors' release)", masks / f"{file}.json") for name, file in AUTHORS.items()]
    if corpus.name == manzanares2025.NAME:
        return [replace(row, published={}) for row in manzanares2025.carried(data, corpus)]
    return []


def _protected(corpus: Corpus, k: int) -> Row:
    """The default recipe with its releases repaired until k people fit each, and what misses that withheld."""
    background = corpus.inputs.get("background") or ()
    name = f"protect, k = {k}"
    key = f"{name}, {as_background(background).digest if background else ''}, {sfumato.__version__}"
    return Row(name, Make(key, partial(_protect, background, k)))


def _protect(background: BackgroundLike, k: int, documents: Sequence[Document], chat: Chat | None) -> MethodResult:
    protection = sfumato.protect(documents, background, k=k)
    if not protection.released:
        raise NothingReleased(f"the target k = {k} holds for not one document, so all are withheld", Usage())
    return MethodResult([document.release for document in protection.released], Usage())


TABLES = (
    Table(
        name="field",
        title="All methods × the main metrics",
        corpora=corpora,
        rows=rows,
        columns=(
            Column("risk", "risk", higher_is_better=False),
            Column("risk, rank learned", "risk", {"rank": "learned"}, higher_is_better=False),
            Column("TPS", "tps"),
            Column("direct recall", "tab-direct-recall"),
            Column("quasi recall", "tab-quasi-recall"),
            Column("precision", "tab-precision"),
            Column("linked by claims", "claims-linkage", higher_is_better=False),
            Column("privacy of claims, lexical", "claims-privacy"),
            Column("privacy of claims", "claims-privacy", {"splitter": "chat", "judge": "chat"}, asks=True),
        ),
        notes=(
            "TAB: the only set at hand with gold annotations, a background and claims for the same documents, and with "
            "texts that our tagger was not trained on. Its people have no names, which Word2Vec needs; those of "
            "WikiActors-50 have, and there is no gold. With so few documents the intervals are wide: read the order of "
            "methods, not the third digit.",
            "Risk: the strongest of our linking attacks, which know the first tenth of 1,141 rulings without their "
            "procedure, or the bodies of the actors' articles: the first guess, and the rank that other releases "
            "teach, for methods that look at ranks (protect does). Recall: entities of which every mention is masked, "
            "by TAB's annotators; of a rewritten text, by alignment with its original. Claims: three known at random, "
            "linked among the set's releases.",
            "Methods on given spans (INTACT, its variants, abstraction, synthetic values, authors' releases) replace "
            "what annotators marked, so their recall says nothing about detection.",
            "Each method with its own defaults; what was trained on what stands in docs/models.md and, by method, in "
            "docs/published.md.",
        ),
    ),
)
