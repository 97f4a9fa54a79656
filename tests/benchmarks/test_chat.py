"""The benchmark of language models on invented people, with answers written down beforehand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from benchmarks.chat import benchmark, report
from benchmarks.chat_figures import Figure, Measuring, Row, gone, suppressed
from benchmarks.chat_kill import Counting, Result, compared
from benchmarks.chat_parts import ask_all, detection
from benchmarks.chat_sets import RULING_CHARACTERS, Corpus, biographies, rulings
from benchmarks.chat_tables import costs, figures, per_document
from benchmarks.chat_watch import WatchedChat

from sfumato.attacks.background import as_background
from sfumato.attacks.base import Person
from sfumato.document import Document, Release, Span
from sfumato.llm.chat import Message, Request
from sfumato.llm.replay import ScriptedChat
from sfumato.llm.usage import Usage

TEXT = "Odile Marchetti was born in Valmorra in 1951. She led the Brackwater Choir."
NAME, PLACE, CHOIR = (0, 15), (28, 36), (58, 74)


def mention(start: int, end: int, kind: str, label: str, entity: str) -> dict[str, Any]:
    return {
        "start_offset": start,
        "end_offset": end,
        "identifier_type": kind,
        "entity_type": label,
        "entity_id": entity,
    }


MENTIONS = [
    mention(*NAME, "DIRECT", "PERSON", "e1"),
    mention(*PLACE, "QUASI", "LOC", "e2"),
    mention(*CHOIR, "NO_MASK", "ORG", "e3"),
]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A folder as the benchmark reads it."""
    for folder in ("wiki_replace", "tab/masks", "wikibio", "db_bio"):
        (tmp_path / folder).mkdir(parents=True)
    people = [
        {"doc_id": key, "text": TEXT, "annotations": {"a1": {"entity_mentions": MENTIONS}}}
        for key in ("odile-marchetti", "una-other", "third-one")
    ]
    (tmp_path / "wiki_replace/dev50.json").write_text(json.dumps(people))
    ruling = TEXT + " " * (RULING_CHARACTERS - len(TEXT) - 4) + "Valmorra and more."
    entities = [
        *MENTIONS,
        mention(RULING_CHARACTERS - 4, RULING_CHARACTERS + 4, "QUASI", "LOC", "e2"),
        mention(RULING_CHARACTERS + 5, RULING_CHARACTERS + 8, "QUASI", "MISC", "e4"),
    ]
    gold = [{"metadata": {"provenance": {"doc_id": key}}, "text": ruling, "entities": entities} for key in ("1", "2")]
    (tmp_path / "tab/gold_train_dev.jsonl").write_text("".join(json.dumps(row) + "\n" for row in gold))
    (tmp_path / "tab/dev.jsonl").write_text(json.dumps({"doc_id": "2", "text": ruling}) + "\n")
    (tmp_path / "tab/background_public10.json").write_text(json.dumps({"2": "Marchetti of Valmorra", "3": "Nobody."}))
    masks = {"2": [[*NAME, "PERSON_1"], [*PLACE, "a town"], [*CHOIR, "a choir"]]}
    (tmp_path / "tab/masks/Manual_INTACT.json").write_text(json.dumps(masks))
    (tmp_path / "wikibio/people.jsonl").write_text(json.dumps({"text": "a stranger"}) + "\n")
    return tmp_path


def test_a_biography_comes_with_what_its_annotator_masks(data: Path) -> None:
    corpus = biographies(data, 2)
    assert len(corpus.documents) == 2
    assert all(len(spans) == 2 for spans in corpus.gold.values())
    assert corpus.documents == biographies(data, 3).documents[:2]
    facts = {person.id: person.texts for person in corpus.backgrounds["facts"].people}
    assert facts["odile-marchetti"] == ("Odile Marchetti; Valmorra",)
    assert len(corpus.backgrounds["text"]) == 4


def test_rulings_are_cut_with_their_mentions(data: Path) -> None:
    corpus = rulings(data)
    assert [document.id for document in corpus.documents] == ["2"]
    assert len(corpus.documents[0].text) == RULING_CHARACTERS
    ends = [(span.start, span.end) for span in corpus.gold["2"]]
    assert ends == [NAME, PLACE, (RULING_CHARACTERS - 4, RULING_CHARACTERS)]
    assert [edit.replacement for edit in corpus.published["2"]] == ["PERSON_1", "a town"]


def test_a_mention_is_gone_when_none_of_its_telling_words_is_left() -> None:
    document = Document("d", TEXT)
    gold = {"d": [Span(*NAME, "PERSON", "direct"), Span(*PLACE, "LOC", "quasi"), Span(54, 74, "ORG", "quasi")]}
    release = Release.rewritten(document, "MARCHETTI led the choir.")
    assert gone([release], gold, "direct").value == 0.0
    assert gone([release], gold, "quasi").value == 0.5  # "the" is no telling word, "Choir" is
    assert gone([], gold, "quasi").value is None


def test_suppressed_spans_may_overlap() -> None:
    release = suppressed(Document("d", TEXT), [Span(0, 5, "PERSON"), Span(*NAME, "PERSON")])
    assert release.text == TEXT[15:]


def test_time_is_counted_where_something_was_asked(tmp_path: Path) -> None:
    times = tmp_path / "times.json"
    chat = WatchedChat(ScriptedChat({"?": "yes"}), 2, times)
    request = Request((Message("user", "?"),))
    with chat.method("first"):
        chat.ask([request, request])
    with chat.method("second"):
        pass
    assert len(chat.replies) == 0
    assert chat.wall("first") is not None
    assert chat.wall("second") is None
    assert WatchedChat(ScriptedChat({}), 1, times).wall("first") == chat.wall("first")


def test_tables_say_n_once_where_it_is_the_same() -> None:
    rows = [
        Row("one", {"tps": Figure(0.5, 0.25, 0.75, 4), "risk:facts": Figure(0.5, 0.1, 0.9, 4, "tfidf")}),
        Row("two", {"tps": Figure(1.0, 1.0, 1.0, 4), "risk:facts": Figure(0.0, 0.0, 0.5, 3, "bm25")}),
    ]
    shown = figures(rows).splitlines()
    assert shown[0] == "| method | TPS (n = 4) | found, facts |"
    assert shown[2] == "| one | .50 [.25–.75] | .50 [.10–.90, n = 4] tfidf |"
    assert shown[3] == "| two | 1.00 [1.00–1.00] | .00 [.00–.50, n = 3] |"


def test_tokens_are_counted_by_document() -> None:
    usage = Usage(questions=2, requests=3, prompt_tokens=300, generated_tokens=30)
    row = Row("one", documents=2, usage=usage, tokens=[(100, 10)] * 3)
    assert per_document(row) == "165 [165–165]"
    assert "| one | 2 | 3 | 150 | 15 | 165 [165–165] |" in costs([row])
    assert len(costs([Row("asks nobody", documents=2)]).splitlines()) == 2


def test_killing_is_called_for_once_and_answers_are_compared() -> None:
    called: list[int] = []
    chat = Counting(ScriptedChat({"a": "1", "b": "2"}), 2, lambda: called.append(1))
    requests = [Request((Message("user", item),)) for item in ("a", "b", "a again")]
    assert [reply.text for reply in chat.ask(requests)] == ["1", "2", "1"]
    assert called == [1]
    result = Result({"x": "1", "y": "2"}, {"d": [(0, 1)]}, 0, 0, 1.0)
    other = Result({"x": "1", "y": "3"}, {"d": [(0, 1)]}, 0, 2, 1.0)
    assert compared("again", result, result) == "| again | 2 of 2 | 1 of 1 | yes |"
    assert compared("again", result, other) == "| again | 1 of 2 | 1 of 1 | no |"


def scripted(request: Request) -> str:
    wanted = next(iter((request.schema or {"properties": {"text": 0}})["properties"]))
    answers: dict[str, Any] = {"spans": ["Odile Marchetti", "Quentin Abbot"], "inferences": [], "broader": ["a place"]}
    return json.dumps({wanted: answers.get(wanted, "")})


@pytest.fixture
def corpus() -> Corpus:
    gold = [Span(*NAME, "PERSON", "direct", entity="e1"), Span(*PLACE, "LOC", "quasi", entity="e2")]
    known = as_background([Person("d", ("Odile Marchetti of Valmorra",)), Person("x", ("Someone else",))])
    return Corpus("few", "few texts", [Document("d", TEXT)], {"d": gold}, {"facts": known})


def test_a_prompt_is_scored_alone_and_with_other_detectors(corpus: Corpus, tmp_path: Path) -> None:
    chat = WatchedChat(ScriptedChat(scripted, context=4096), 1, tmp_path / "times.json")
    findings = {name: one for _, name, one in ask_all([corpus], chat, ["sparks"])}
    rows = {row.name: row for row in detection(corpus, findings, Measuring(["tfidf"]))}
    assert rows["nothing masked"].figures["tab-mention-recall"].value == 0.0
    assert rows["annotator"].figures["tab-precision"].value == 1.0
    alone = rows["sparks"]
    assert (alone.figures["tab-direct-recall"].value, alone.figures["tab-quasi-recall"].value) == (1.0, 0.0)
    assert alone.usage is not None
    assert (alone.usage.requests, alone.usage.hallucinated) == (1, 1)
    assert len(alone.tokens) == 1
    both = rows["sparks + rules + tagger"].figures["tab-mention-recall"]
    assert both.value is not None
    assert both.value >= 0.5
    assert rows["nothing masked"].figures["risk:facts"].value == 1.0


def test_rewrites_and_offers_have_their_own_figures(corpus: Corpus, tmp_path: Path) -> None:
    chat = WatchedChat(ScriptedChat(scripted, context=4096), 4, tmp_path / "times.json")
    done = list(benchmark([corpus], chat, ["adversarial", "intact"], Measuring(["tfidf"]), few=1))
    assert [part for part, _, _ in done] == ["adversarial", "intact"]
    rewritten = {row.name: row.figures for row in done[0][2]}
    assert rewritten["nothing done"]["direct-gone"].value == 0.0
    assert rewritten["rules + tagger, labels"]["direct-gone"].value == 1.0
    generalized = {row.name: row for row in done[1][2]}
    assert generalized["suppress"].figures["bare"].value == 1.0
    assert generalized["generalize, candidates = chat"].usage is not None
    assert generalized["generalize, candidates = hierarchies"].usage is None
    for part, own, rows in done:
        assert all(f"| {row.name} |" in report(part, own, rows) for row in rows)
