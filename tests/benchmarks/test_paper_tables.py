"""Tables of the papers: each cell is computed once, a row that fails says why, published figures are beside ours."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest
from benchmarks.paper_tables.__main__ import _names, tables
from benchmarks.paper_tables.frame import Cells, Column, Corpus, Make, Result, Row, Table, TableRun, select_rows
from benchmarks.paper_tables.manzanares2025 import _release
from benchmarks.paper_tables.markdown import TRIR, TrirFigures, section
from benchmarks.trir import read_releases

from sfumato.comparison.methods import MethodResult
from sfumato.document import Document, Release, Score
from sfumato.errors import InputError, UnknownName
from sfumato.llm.chat import Chat
from sfumato.llm.replay import ScriptedChat
from sfumato.llm.usage import Usage
from sfumato.metrics.base import MetricInput

DOCUMENTS = [
    Document(str(number), f"Ida Quorvex sang in Velbrin on {number} May 1990 for a friend.") for number in range(1, 6)
]
CORPUS = Corpus("songs", "Songs", DOCUMENTS)


class Counting:
    """A method and a metric that count how often they are asked."""

    def __init__(self) -> None:
        self.releases = self.scores = 0

    def release(self, documents: Sequence[Document], chat: Chat | None) -> MethodResult:
        self.releases += 1
        return MethodResult([Release(document) for document in documents[1:]], Usage(questions=1, requests=2))

    def score(self, inputs: MetricInput) -> Score:
        self.scores += 1
        n = len(inputs.releases)
        return Score("share", 0.25, (0.125, 0.5), n, {}, True)


def table(counting: Counting, *rows: Row) -> Table:
    return Table(
        name="songs",
        title="Table 1",
        corpora=lambda data: [CORPUS],
        rows=lambda data, corpus: rows,
        columns=(Column("share", compute=counting.score), Column("ROUGE-L", "rouge-l")),
        has_trir=True,
        notes=("A note.",),
    )


def run(folder: Path, made: Table, *rows: Row, chat: Chat | None = None, corpus: Corpus = CORPUS) -> list[Result]:
    with closing(Cells(folder)) as cells:
        return list(TableRun(made, corpus, cells, chat).results(rows))


def test_every_cell_is_computed_once(tmp_path: Path) -> None:
    counting = Counting()
    row = Row("counted", Make("counted", counting.release))
    made = table(counting, row)
    first, second = run(tmp_path, made, row)[0], run(tmp_path, made, row)[0]
    assert (counting.releases, counting.scores) == (1, 1)
    assert first.scores == second.scores
    assert first.seconds == second.seconds is not None
    assert second.usage.requests == 2
    assert (second.released, second.documents) == (4, 5)
    assert read_releases(tmp_path, "songs") == {"counted": {item.id: item.text for item in DOCUMENTS[1:]}}
    run(tmp_path, made, row, corpus=CORPUS.drawn(3, seed=1))
    assert (counting.releases, counting.scores) == (2, 2)


def test_a_recipe_is_run_once_and_a_row_that_fails_says_why(tmp_path: Path) -> None:
    rows = [Row("labels", "labels"), Row("published/sparks", "published/sparks"), Row("missing", Path("nowhere.json"))]
    made = table(Counting(), *rows)
    labels, sparks, missing = run(tmp_path, made, *rows)
    assert labels.released == 5
    assert 0 < labels.scores["ROUGE-L"].value < 1
    assert run(tmp_path, made, rows[0])[0].seconds == labels.seconds
    assert (sparks.failure, sparks.not_run) == ("needs --llm", True)
    assert "nowhere.json" in missing.failure
    assert not missing.not_run


def test_a_language_model_is_asked_where_one_is_given(tmp_path: Path) -> None:
    row = Row("published/sparks", "published/sparks")
    chat = ScriptedChat(lambda request: json.dumps({"spans": ["Ida Quorvex", "Velbrin"]}))
    made = table(Counting(), row)
    result = run(tmp_path, made, row, chat=chat)[0]
    asked = len(chat.asked)
    assert result.usage.requests == asked == 5
    run(tmp_path, made, row, chat=chat)
    assert len(chat.asked) == asked
    text = section(made, CORPUS, [result], TrirFigures.read(None))
    assert f"| {result.usage.prompt_tokens / 5:,.0f} + {result.usage.generated_tokens / 5:,.0f} |" in text


def test_published_figures_and_reasons_stand_beside_ours(tmp_path: Path) -> None:
    counting = Counting()
    rows = [
        Row("counted", Make("counted", counting.release), {"share": ".3", TRIR: ".1"}),
        Row("published/sparks", "published/sparks", {"share": ".7"}),
        Row("published/student", "published/student"),
    ]
    made = table(counting, *rows)
    figures = tmp_path / "trir.json"
    record = {
        "set": "songs",
        "column": "counted",
        "n": 5,
        "low": 0.1,
        "high": 0.5,
        "settings": {"epochs": 15, "seed": 1},
    }
    figures.write_text(
        json.dumps([record | {"trir": 0.2, "choice": "last"}, record | {"trir": 0.4, "choice": "last"}]),
        encoding="utf-8",
    )
    text = section(made, CORPUS, run(tmp_path / "cells", made, *rows), TrirFigures.read(figures))
    head, _, counted, sparks = (line.split(" | ") for line in text.splitlines()[2:6])
    assert head[1:4] == ["n", "share ↑", "share, published"]
    assert counted[:4] == ["| counted", "4 of 5", ".250 [.125–.500]", ".3"]
    assert counted[head.index("TRIR ↓")] == ".300 [.100–.500], n = 5"
    assert counted[head.index("TRIR, published")] == ".1"
    assert (sparks[1], sparks[3]) == ("not run", ".7")
    assert "| published/student" not in text
    assert "- published/sparks, published/student: needs --llm" in text
    assert "- TRIR: epochs 15, seeds 1\n" in text
    assert "nothing of ours guards them" in text
    last_and_best = [record | {"trir": 0.2, "choice": "last"}, record | {"trir": 0.4, "choice": "best"}]
    figures.write_text(json.dumps(last_and_best), encoding="utf-8")
    both = "last epoch .200 [.100–.500], n = 5; best epoch .400 [.100–.500], n = 5"
    assert TrirFigures.read(figures).cell(CORPUS, rows[0]) == both
    figures.write_text("{}", encoding="utf-8")
    assert TrirFigures.read(figures).cell(CORPUS, rows[0]) == "not run"
    figures.write_text('{"a": 1}', encoding="utf-8")
    with pytest.raises(InputError, match="is no file of TRIR figures"):
        TrirFigures.read(figures)


def test_a_column_that_no_row_has_is_named_once() -> None:
    columns = [Column("A", "rouge-l", asks=True), Column("B", "bleu", asks=True)]
    made = Table("t", "T", corpora=lambda data: [], rows=lambda data, corpus: [], columns=columns)
    missing = {"A": "needs --llm", "B": "needs --llm"}
    results = [Result(Row(name, name), 5, reasons=dict(missing), released=5) for name in ("labels", "redact")]
    text = section(made, CORPUS, results, TrirFigures.read(None))
    assert "\n- no A, B: needs --llm\n" in text
    assert "| method | n | s / text | tokens / text |" in text
    results[1].reasons.clear()
    assert "\n- labels: no A, B: needs --llm\n" in section(made, CORPUS, results, TrirFigures.read(None))


def test_names_of_rows_may_have_commas() -> None:
    assert _names("labels,redact") == ["labels", "redact"]
    assert _names("none;protect, k = 3") == ["none", "protect, k = 3"]


def test_documents_are_drawn_by_the_seed_in_their_order() -> None:
    drawn = [document.id for document in CORPUS.drawn(3, seed=1).documents]
    assert drawn == sorted(drawn)
    assert drawn == [document.id for document in CORPUS.drawn(3, seed=1).documents]
    assert len({tuple(document.id for document in CORPUS.drawn(3, seed).documents) for seed in range(9)}) > 1
    assert CORPUS.drawn(9, seed=1) == CORPUS


def test_rows_are_chosen_by_name_and_other_methods_can_be_added() -> None:
    rows = [Row("labels", "labels", {"share": ".3"})]
    assert select_rows(rows, None) == rows
    assert [row.name for row in select_rows(rows, ["published/intact", "labels", "none"])] == [
        "published/intact",
        "labels",
        "none",
    ]
    assert select_rows(rows, ["labels"]) == rows
    with pytest.raises(UnknownName, match="did you mean 'labels'"):
        select_rows(rows, ["lables"])


def test_masks_in_a_carried_release_become_edits_at_their_places() -> None:
    document = Document("1", " Ida Quorvex sang in Velbrin,\nin Oskarup and in Tarnhem. ")
    release = _release(document, "SENSITIVE sang in SENSITIVE, in SENSITIVE and in Tarnhem.")
    masked = [document.text[edit.span.start : edit.span.end] for edit in release.edits]
    assert masked == ["Ida Quorvex", "Velbrin", "Oskarup"]
    assert _release(document, "PERSON sang in Velbrin, in Oskarup and in Tarnhem.").edits[0].replacement == "PERSON"


def test_tables_have_names_of_their_own() -> None:
    assert {"manzanares2025-fig1", "pilan2025-table3"} <= set(tables())
