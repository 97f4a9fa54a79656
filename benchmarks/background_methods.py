"""Published methods that decide against a background, beside what their authors released and beside ``protect``.

    python -m benchmarks.background_methods TABLE --data DATA --out FOLDER [--corpora a,b] [--methods a,b] [--limit N]

``word2vec``  WikiActors-50: our Word2Vec protection beside the releases that the data carry
``petre``     PETRE beside ``protect`` at k = 3, 5 and 11, and k-anonymity, on WikiActors-50 and TAB dev

Cells are kept in FOLDER, so that a run that was stopped goes on. PETRE looks at tfidf; the loop of ``protect`` looks at
attacks by words, pairs and topics, and is verified by bm25 and combination alone. Characters, dense and joint, which
reads all releases at once, took part in neither: theirs is the risk that counts. Prints Markdown; nothing is asserted.
"""

from __future__ import annotations

import argparse
import dataclasses
import datetime
import json
import platform
import re
import sys
from collections.abc import Callable, Sequence
from contextlib import closing
from difflib import SequenceMatcher
from functools import cache, partial
from pathlib import Path
from statistics import fmean

from benchmarks.attacks import actors as read_actors
from benchmarks.generalize import documents as rulings
from benchmarks.generalize import people as known_of_rulings
from benchmarks.paper_tables import manzanares2025
from benchmarks.paper_tables.frame import (
    Cells,
    Column,
    Corpus,
    Make,
    Result,
    Row,
    Table,
    TableRun,
    select_columns,
    select_corpora,
    select_rows,
)
from benchmarks.paper_tables.markdown import TrirFigures, section
from benchmarks.protect_figures import ALIKE, FOREIGN, difference
from benchmarks.protect_sets import SECRET

import sfumato
from sfumato import recipe as recipes
from sfumato import registry
from sfumato.attacks.background import as_background
from sfumato.comparison.methods import MethodResult, NothingReleased
from sfumato.document import Document, Edit, Outcome, Release, Score, Span
from sfumato.errors import SfumatoError
from sfumato.llm.chat import Chat
from sfumato.llm.usage import Usage
from sfumato.metrics.base import MetricInput
from sfumato.pipeline import Pipeline
from sfumato.protection.protect import protect_releases
from sfumato.protection.target import Options, Target
from sfumato.statistics import SEED, Estimate, mean

TARGETS = (3, 5, 11)
DIRECT = "names and codes"
"""Under which a document's ``meta`` has what annotators marked as a name or a code."""
OTHER_SEED = 2
"""The published recipe has 1: how much of a figure is chance."""
CARRIED = {"W2V .5": "published/word2vec-0.5", "W2V .25": "published/word2vec-0.25"}
"""Releases that the data carry, and our method of the same name."""
ALONE = ("tfidf", "bm25", "skip-grams", "characters", "combination", "dense")
"""Attacks that read one release at a time."""
ANYWAY = ", nothing withheld"
K_ANONYMITY = ("published/k-anonymity-greedy", "published/k-anonymity-random")
_TOKEN = re.compile(r"\w+|[^\w\s]")


# -- Corpora.


def actors(data: Path) -> Sequence[Corpus]:
    return manzanares2025.corpora(data)


def both(data: Path) -> Sequence[Corpus]:
    people = known_of_rulings(data)
    known = {person.id for person in people}
    lines = (data / "tab/dev.jsonl").read_text(encoding="utf-8").splitlines()
    direct = {
        row["doc_id"]: sorted({one["text"] for one in row["entities"] if one["type"] in ("PERSON", "CODE")})
        for row in map(json.loads, lines)
    }
    dev = [
        dataclasses.replace(document, meta={**document.meta, DIRECT: direct[document.id]})
        for document in rulings(data)
        if document.id in known
    ]
    return [*actors(data), Corpus("tab-dev", "TAB dev", dev, {"background": people, "scorer": "frequency"})]


# -- Rows.


def word2vec_rows(data: Path, corpus: Corpus) -> Sequence[Row]:
    """Ours, those that the data carry, and the two ends of what others did to the same texts."""
    _, columns = read_actors(data, "")

    def carried(name: str) -> Row:
        return Row(_carried(name), [aligned_release(one, columns[name][one.id]) for one in corpus.documents])

    return [
        Row("none", "none"),
        *(row for name, ours in CARRIED.items() for row in (carried(name), Row(ours, ours))),
        *(Row(f"{ours}, seed {OTHER_SEED}", _changed(ours, seed=OTHER_SEED)) for ours in CARRIED.values()),
        carried("manual"),
    ]


def _carried(name: str) -> str:
    return f"{name} (carried by the data)"


def aligned_release(document: Document, released: str) -> Release:
    """The release whose edits are where the words of a text differ from the original's, whatever their case."""
    places = [match.span() for match in _TOKEN.finditer(document.text)]
    words = [document.text[start:end].lower() for start, end in places]
    others = [match[0] for match in _TOKEN.finditer(released)]
    matcher = SequenceMatcher(None, words, [word.lower() for word in others], autojunk=False)
    edits: list[Edit] = []
    for kind, first, last, begin, end in matcher.get_opcodes():
        if kind in ("replace", "delete"):
            span = Span(places[first][0], places[last - 1][1], "MISC")
            edits.append(Edit(span, " ".join(others[begin:end])))
    return Release(document, tuple(edits))


def petre_rows(data: Path, corpus: Corpus) -> Sequence[Row]:
    """PETRE from the text and from what our detectors found, ``protect``, and k-anonymity."""
    starts = cache(partial(_by_default, corpus.documents))
    return [
        Row("none", "none"),
        Row("default", "default"),
        *(Row(petre_name(k), _changed("published/petre", k=k)) for k in TARGETS),
        *(
            Row(petre_name(k, started=True), _changed("published/petre", k=k, start=["rules", "tagger"]))
            for k in TARGETS
        ),
        *(Row(protect_name(k), _protected(corpus, k, starts)) for k in TARGETS),
        Row(f"{protect_name(max(TARGETS))}{ANYWAY}", _protected(corpus, max(TARGETS), starts, release_anyway=True)),
        *(Row(name, name) for name in K_ANONYMITY),
    ]


def petre_name(k: int, *, started: bool = False) -> str:
    return f"published/petre, k = {k}" + (", after our detectors" if started else "")


def protect_name(k: int) -> str:
    return f"protect, k = {k}"


def _changed(name: str, **options: object) -> recipes.Recipe:
    """A recipe whose replacer has other options."""
    recipe = recipes.load(name)
    return recipe.with_changes(replace={"default": recipe.replace["default"].model_dump() | options})


def _protected(corpus: Corpus, k: int, starts: Callable[[], list[Outcome]], *, release_anyway: bool = False) -> Make:
    background = as_background(corpus.inputs["background"] or ())
    key = f"{protect_name(k)}, {background.digest}, verified by {', '.join(ALIKE)}, {sfumato.__version__}"
    key += ANYWAY if release_anyway else ""

    def protect(documents: Sequence[Document], chat: Chat | None) -> MethodResult:
        options = Options(holdout_documents=0, attacks=ALIKE, secret=SECRET)
        found = protect_releases(starts(), background, Target(k, release_anyway=release_anyway), options)
        if not found.released:
            raise NothingReleased(f"the target k = {k} holds for not one document, so all are withheld", Usage())
        return MethodResult([document.release for document in found.released], Usage())

    return Make(key, protect)


def _by_default(documents: Sequence[Document]) -> list[Outcome]:
    pipeline = Pipeline(recipes.load("default"), secret=SECRET)
    pipeline.learn(lambda: documents)
    return list(pipeline.anonymize(documents))


# -- Columns.


def risk_of(inputs: MetricInput, attacks: Sequence[str], rank: str) -> Score:
    """The metric risk by some of the attacks."""
    attempts = inputs.attempts or {}
    chosen = {name: attempts[name] for name in attacks}
    score: Score = registry.get("metric", "risk")(dataclasses.replace(inputs, attempts=chosen), rank=rank)
    return score


def names_left(inputs: MetricInput) -> Score:
    """Share of the annotated names and codes of a text that its release still has, mean of documents."""
    shares = {
        release.document.id: fmean(name in release.text for name in release.document.meta[DIRECT])
        for release in inputs.releases
        if release.document.meta.get(DIRECT)
    }
    found = mean(shares, why_none="no names and codes are annotated")
    return Score("names-left", found.value, found.interval, found.n, found.per_document, False, {}, {})


RISK = Column(
    "risk", settings={"attacks": ALONE}, compute=partial(risk_of, attacks=ALONE, rank="first"), higher_is_better=False
)
JOINT = Column("joint", compute=partial(risk_of, attacks=("joint",), rank="first"), higher_is_better=False)
NAMES = Column("names and codes left", compute=names_left, higher_is_better=False)
MASKED = Column("masked terms", "masked-terms", higher_is_better=False)
HELD_OUT = [
    Column(f"{name}, {rank} rank", settings={"rank": rank}, compute=partial(risk_of, attacks=(name,), rank=rank),
           higher_is_better=False)
    for name in FOREIGN for rank in ("first", "best")
]  # fmt: skip


# -- Lines beneath.


def _points(estimate: Estimate) -> str:
    low, high = estimate.interval
    return f"{100 * estimate.value:+.1f} points [{100 * low:+.1f}–{100 * high:+.1f}]"


def _differences(results: Sequence[Result], pairs: Sequence[tuple[str, str]], columns: Sequence[str], what: str) -> str:
    """For each pair of rows the mean paired difference of their columns, second minus first."""
    by_name = {result.row.name: result for result in results}
    parts = []
    for first, second in pairs:
        if first in by_name and second in by_name:
            one, other = by_name[first].scores, by_name[second].scores
            figures = [
                f"{name} {_points(difference(one[name], other[name]))}"
                for name in columns
                if name in one and name in other
            ]
            parts += [f"{second}: {', '.join(figures)}"] if figures else []
    return f"{what}: {'; '.join(parts)}." if parts else ""


def word2vec_closing(corpus: Corpus, results: Sequence[Result]) -> str:
    pairs = [(_carried(name), ours) for name, ours in CARRIED.items()]
    return _differences(results, pairs, [RISK.title, "TPI"], "Ours minus what the data carry")


def petre_closing(corpus: Corpus, results: Sequence[Result]) -> str:
    columns = [
        "TPS",
        MASKED.title,
        JOINT.title,
        *(column.title for column in HELD_OUT if column.title.endswith("first rank")),
    ]
    lines = [
        _differences(
            results,
            [
                (petre_name(k, started=started), f"{protect_name(k)}{anyway}")
                for k in TARGETS
                for anyway in ("", ANYWAY)
            ],
            columns,
            title,
        )
        for started, title in ((False, "protect minus PETRE"), (True, "protect minus PETRE after our detectors"))
    ]
    return "\n\n".join(filter(None, lines))


TABLES = {
    table.name: table
    for table in (
        Table(
            "word2vec",
            "Word2Vec protection beside its authors' releases",
            actors,
            word2vec_rows,
            (RISK, Column("TPI", "tpi"), Column("TPS", "tps"), MASKED, JOINT),
            ("Carried: aligned with the original word by word, whatever the case, since they are in small letters.",),
            closing=word2vec_closing,
        ),
        Table(
            "petre",
            "PETRE beside protect",
            both,
            petre_rows,
            (RISK, JOINT, *HELD_OUT, MASKED, Column("TPS", "tps"), Column("TPI", "tpi"), NAMES),
            (
                "Risk: the strongest attack on one text at a time, at the first rank; joint reads all releases at "
                "once. Joint, characters and dense took part in neither. At the best rank the attacker knows at which "
                "rank the method hides people.",
                "protect begins with the default recipe, PETRE with the text, or with what our detectors find masked.",
            ),
            closing=petre_closing,
        ),
    )
}


def run_table(table: Table, given: argparse.Namespace) -> str:
    """The Markdown of all corpora, which is also written after each row."""
    command = " ".join(["python -m benchmarks.background_methods", *sys.argv[1:]])
    sections = [f"{datetime.date.today()}, Python {platform.python_version()}. Command: `{command}`\n"]
    with closing(Cells(given.out)) as cells:
        for whole in select_corpora(table.corpora(given.data), given.corpora):
            corpus = whole.drawn(given.limit, given.seed)
            results: list[Result] = []
            sections.append("")
            for result in TableRun(table, corpus, cells).results(
                select_rows(table.rows(given.data, corpus), given.methods)
            ):
                results.append(result)
                sections[-1] = section(table, corpus, results, TrirFigures.read(None))
                (given.out / f"{table.name}.md").write_text("\n".join(sections), encoding="utf-8")
    return "\n".join(sections)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table", choices=TABLES)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True, help="a folder for cells and tables")
    parser.add_argument("--corpora", type=lambda text: text.split(","), help="their names, separated by commas")
    parser.add_argument("--methods", type=lambda text: text.split(";"), help="rows, separated by semicolons")
    parser.add_argument("--columns", type=lambda text: text.split(";"), help="their titles, separated by semicolons")
    parser.add_argument("--limit", type=int, help="at most so many documents of each corpus, drawn by the seed")
    parser.add_argument("--seed", type=int, default=SEED)
    given = parser.parse_args()
    try:
        print(run_table(select_columns(TABLES[given.table], given.columns), given))
    except SfumatoError as error:
        raise SystemExit(f"{error}") from None


if __name__ == "__main__":
    main()
