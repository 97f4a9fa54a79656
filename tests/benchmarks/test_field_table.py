"""The table of all methods: no method is missing, and a row that protects against the attacks keeps its target."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from itertools import product
from pathlib import Path

from benchmarks.paper_tables import field
from benchmarks.paper_tables.frame import Cells, Column, Corpus, Row, TableRun, select_columns

from sfumato import recipe as recipes
from sfumato import registry
from sfumato.attacks.base import Person
from sfumato.document import Document, Score
from sfumato.recipe import Recipe

(TABLE,) = field.TABLES
TOWNS = ("Velbrin", "Tolmark", "Quorven", "Ostrel")
TRADES = ("baker", "joiner", "printer")


def people_and_documents() -> Corpus:
    """People who share a trade or a town with others: hiding one of the two hides them among three or four."""
    texts = [f"He worked as a {trade} in {town} and sold bread." for trade, town in product(TRADES, TOWNS)]
    documents = [Document(f"p{n}", text, subjects=(f"p{n}",)) for n, text in enumerate(texts)]
    return Corpus("own", "Own", documents, {"background": [Person(f"p{n}", (text,)) for n, text in enumerate(texts)]})


def test_every_recipe_and_every_published_method_has_a_row() -> None:
    rows = TABLE.rows(Path("nowhere"), people_and_documents())
    sources = [row.source.name if isinstance(row.source, Recipe) else row.source for row in rows]
    assert {"none", "all", *recipes.names(), *recipes.published_names()} <= set(map(str, sources))
    names = [row.name for row in rows]
    assert len(set(names)) == len(names)
    assert {f"protect, k = {k}" for k in (3, 5, 11)} <= set(names)
    for column in TABLE.columns:
        assert column.metric in registry.names("metric")


def test_releases_of_protect_are_harder_to_link_and_are_made_once(tmp_path: Path) -> None:
    corpus = people_and_documents()
    by_name = {row.name: row for row in TABLE.rows(Path("nowhere"), corpus)}
    chosen = [by_name["none"], by_name["protect, k = 3"]]
    with closing(Cells(tmp_path)) as cells:
        run = TableRun(select_columns(TABLE, ["risk"]), corpus, cells)
        none, protected = run.results(chosen)
        again = list(run.results(chosen))
    assert not none.failure
    assert not protected.failure
    assert none.scores["risk"].value == 1
    assert protected.scores["risk"].value < 1
    # Seconds come from the run that made the releases.
    assert again[1].seconds == protected.seconds
    assert again[1].scores == protected.scores


def test_a_new_attack_makes_risks_anew_and_nothing_else(tmp_path: Path) -> None:
    corpus = people_and_documents()
    fewer = replace(corpus, inputs={**corpus.inputs, "attacks": ["bm25"]})
    computed: list[str] = []

    class Watched(Cells):
        def score(self, key: str, compute: Callable[[], Score]) -> Score:
            def watch() -> Score:
                computed.append(key)
                return compute()

            return super().score(key, watch)

    made = replace(TABLE, columns=[Column("risk", "risk"), Column("ROUGE-L", "rouge-l")])
    for given, expected in ((fewer, 2), (corpus, 1), (fewer, 0)):
        computed.clear()
        with closing(Watched(tmp_path)) as cells:
            run = TableRun(made, given, cells)
            run.__dict__["_key"] = "the same texts and background"
            list(run.results([Row("none", "none")]))
        assert len(computed) == expected
