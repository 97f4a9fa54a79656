"""Files through recipes that ask a language model: what leaves, what comes back, what is said."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

import sfumato
from sfumato.cli import render
from sfumato.document import Document, Release
from sfumato.errors import ChatError, NotReleased, RecipeError
from sfumato.formats.sources import load
from sfumato.llm.chat import Reply, Request
from sfumato.llm.replay import ScriptedChat
from sfumato.pipeline import Pipeline
from sfumato.recipe import Recipe
from sfumato.runs.anonymize import anonymize_files
from sfumato.runs.detect import detect_files
from sfumato.runs.restore import restore_files
from sfumato.runs.summary import Note, NothingRead, Summary
from sfumato.vault.store import Vault
from tests.chats import unreadable_chat
from tests.runs.test_runs import read_jsonl, write_jsonl

TEXT = "Anna Quorvex (anna@example.org) keeps bees behind the lighthouse and raced pigeons for years."
TOLD = "PERSON_1 has animals by the sea and did a sport with birds for a number of years, it is said."
FINNISH = "Tämä on pitkä suomenkielinen teksti, jota mikään sääntö ei lue, ja siinä puhutaan mehiläisistä."
REWRITING = Recipe.model_validate({"name": "rewriting", "rewrite": "dp-prompt", "detect": ["rules"], "always_run": []})
ASKING = Recipe.model_validate({"name": "asking", "detect": ["sparks"], "always_run": ["rules"]})


def telling(text: str = TOLD) -> ScriptedChat:
    return ScriptedChat(lambda request: text, name="telling")


def listing(failing: str = "no text has this") -> ScriptedChat:
    """Lists the pigeons; has nothing readable to say on texts that hold ``failing``."""

    def answer(request: Request) -> str:
        (key,) = (request.schema or {})["properties"]
        return "hm {" if failing in request.messages[-1].text else json.dumps({key: ["raced pigeons"]})

    return ScriptedChat(answer, name="listing")


def letters(folder: Path, *texts: str) -> Path:
    return write_jsonl(folder / "in.jsonl", *({"id": f"doc-{n}", "text": text} for n, text in enumerate(texts, 1)))


@pytest.mark.parametrize("name", ["in.jsonl", "in.txt"])
def test_a_rewritten_file_comes_back_exactly(tmp_path: Path, name: str) -> None:
    original = f"{TEXT}\r\n\r\nSecond line; no line break at its end"
    source = tmp_path / name
    if name.endswith(".txt"):
        source.write_bytes(original.encode())
    else:
        write_jsonl(source, {"id": "doc-1", "text": original})
    out, audit = tmp_path / "out" / name, tmp_path / "audit.jsonl"
    out.parent.mkdir()
    with Vault.open(tmp_path / "vault", tmp_path / "key") as vault:
        anonymize_files([source], out, REWRITING, audit=audit, vault=vault, chat=telling())
        assert "lighthouse" not in out.read_text()
        back = tmp_path / "back" / name
        back.parent.mkdir()
        restore_files([out], back, vault)
        assert back.read_bytes() == source.read_bytes()
    (line,) = read_jsonl(audit)
    assert {edit["label"] for edit in line["edits"]} == {"PERSON", "CODE"}  # type: ignore[index]
    assert any("dp-prompt@" in reason for reason in line["rewritten"])


def test_what_stood_in_the_rewrite_is_put_back_into_another_text(tmp_path: Path) -> None:
    with Vault.open(tmp_path / "vault", tmp_path / "key") as vault:
        released = sfumato.anonymize(Document("1", TEXT), recipe=REWRITING, vault=vault, chat=telling())
        assert released.text == TOLD
        assert sfumato.restore(released) == TEXT
        assert sfumato.restore("Write to PERSON_1.", vault=vault) == "Write to Anna Quorvex."
    assert sfumato.restore("Write to PERSON_1.", released) == "Write to Anna Quorvex."


def test_masks_of_a_rewrite_give_its_text(tmp_path: Path) -> None:
    source, masks = letters(tmp_path, TEXT, "  "), tmp_path / "audit.masks.json"
    anonymize_files([source], tmp_path / "out.jsonl", REWRITING, audit=masks, chat=telling())
    parsed = json.loads(masks.read_text())
    assert parsed["doc-1"] == [[0, len(TEXT), TOLD]]
    (mask,) = parsed["doc-2"]
    assert mask == [0, 2, "  "]


def test_a_file_with_markup_is_refused_before_anything_is_asked(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    page = tmp_path / "in" / "page.html"
    page.write_text(f"<p>{TEXT}</p>")
    (tmp_path / "in" / "note.txt").write_text(TEXT)
    chat = telling()
    summary = anonymize_files([tmp_path / "in"], tmp_path / "out", REWRITING, chat=chat)
    assert (summary.released, summary.skipped, summary.complete) == (1, 1, False)
    assert "dp-prompt writes texts anew" in str(summary.problems[0])
    assert len(chat.asked) == 1
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["note.txt"]
    with pytest.raises(NothingRead, match=r"write \.jsonl"):
        anonymize_files([page], tmp_path / "other", REWRITING, chat=chat)
    assert len(chat.asked) == 1
    assert anonymize_files([page], tmp_path / "out.jsonl", REWRITING, chat=chat).complete


def test_a_run_that_was_stopped_asks_about_the_rest_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sfumato.detectors.detection.BATCH_DOCUMENTS", 1)
    source = letters(tmp_path, *(f"{TEXT} Note {number}." for number in range(4)))
    whole = anonymize_files([source], tmp_path / "whole.jsonl", REWRITING, chat=telling())
    assert (whole.asked, whole.resumed) == (4, 0)

    class Dies(ScriptedChat):
        def ask(self, requests: Sequence[Request]) -> list[Reply]:
            if len(self.asked) == 2:
                raise KeyboardInterrupt
            return super().ask(requests)

    with pytest.raises(KeyboardInterrupt):
        anonymize_files([source], tmp_path / "out.jsonl", REWRITING, chat=Dies(lambda request: TOLD, name="telling"))
    chat = telling()
    summary = anonymize_files([source], tmp_path / "out.jsonl", REWRITING, chat=chat)
    assert len(chat.asked) == 2
    assert (summary.asked, summary.resumed, summary.released) == (2, 2, 4)
    assert summary.usage["dp-prompt"].questions == 2
    assert (tmp_path / "out.jsonl").read_bytes() == (tmp_path / "whole.jsonl").read_bytes()


def test_a_prompt_file_that_changed_starts_the_run_anew(tmp_path: Path) -> None:
    prompt = tmp_path / "mine.toml"
    prompt.write_text("x")
    recipe = Recipe.model_validate({"detect": [{"use": "sparks", "prompt": str(prompt)}]})
    before = recipe.files
    assert list(before) == [str(prompt)]
    prompt.write_text("y")
    assert recipe.files != before
    assert Recipe().files == {}


def test_how_many_fell_back_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = letters(tmp_path, TEXT, f"Badly. {TEXT}")
    audit = tmp_path / "audit.jsonl"
    recipe = ASKING.with_changes(failed="fallback")
    summary = anonymize_files([source], tmp_path / "out.jsonl", recipe, audit=audit, chat=listing("Badly"))
    assert (summary.released, summary.used_fallback) == (2, 1)
    assert summary.complete, "the recipe wants it so"
    told = summary.to_json()
    assert told["used_fallback"] == 1
    assert "no readable answer" in told["fallback_documents"][0]["reason"]
    assert [line.get("fallback_reason") is None for line in read_jsonl(audit)] == [True, False]
    first, second = (line["text"] for line in read_jsonl(tmp_path / "out.jsonl"))
    assert "raced pigeons" not in first
    assert "raced pigeons" in second
    assert "Anna" not in second
    render.finish(summary, "released", as_json=False)
    assert "1 as the other detectors alone make them" in capsys.readouterr().out
    withheld = anonymize_files([source], tmp_path / "other.jsonl", ASKING, chat=listing("Badly"))
    assert (withheld.released, withheld.withheld, withheld.used_fallback) == (1, 1, 0)


def test_spans_that_are_incomplete_are_not_taken_for_all(tmp_path: Path) -> None:
    source, spans = letters(tmp_path, TEXT, f"Badly. {TEXT}"), tmp_path / "spans.jsonl"
    summary = detect_files([source], spans, ASKING, chat=listing("Badly"))
    assert (summary.released, summary.withheld, summary.complete) == (1, 1, False)
    assert (
        "no readable answer (not in the form asked for); no spans are written" in summary.withheld_documents[0].reason
    )
    assert [line["id"] for line in read_jsonl(spans)] == ["doc-1"]
    plain = Recipe.model_validate({"detect": ["rules"]})
    released = anonymize_files([source], tmp_path / "out.jsonl", plain, spans=spans)
    assert (released.released, released.withheld) == (1, 1)

    fallback = ASKING.with_changes(failed="fallback")
    summary = detect_files([source], spans, fallback, chat=listing("Badly"))
    assert (summary.released, summary.used_fallback, summary.complete) == (2, 1, True)

    with pytest.raises(NotReleased, match="incomplete"):
        sfumato.detect([TEXT, f"Badly. {TEXT}"], recipe=ASKING, chat=listing("Badly"))
    detected = sfumato.detect(f"Badly. {TEXT}", recipe=fallback, chat=listing("Badly"))
    assert {span.label for span in detected} == {"PERSON", "CODE"}


def test_finding_asks_no_rewriter(tmp_path: Path) -> None:
    assert sfumato.detect(TEXT, recipe=REWRITING)
    assert REWRITING.detection_only.detectors == REWRITING.detectors
    with pytest.raises(RecipeError, match="nothing in the recipe 'rewriting' asks a language model here"):
        detect_files([letters(tmp_path, TEXT)], tmp_path / "spans.jsonl", REWRITING, chat=telling())


def test_a_rewrite_is_previewed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pipeline = Pipeline(REWRITING, chat=telling())
    render.preview(pipeline.anonymize(load([letters(tmp_path, TEXT)])))
    shown = " ".join(capsys.readouterr().out.split())
    assert "rewritten" in shown
    assert TOLD in shown
    assert "keeps bees" in shown


def test_spans_of_the_user_are_replaced_before_a_rewriter_reads(tmp_path: Path) -> None:
    source = letters(tmp_path, TEXT, TEXT)
    spans = write_jsonl(
        tmp_path / "spans.jsonl", {"id": "doc-1", "spans": [{"start": 0, "end": 12, "label": "PERSON"}]}
    )
    chat = telling(TEXT)
    summary = anonymize_files([source], tmp_path / "out.jsonl", REWRITING, spans=spans, chat=chat)
    assert (summary.released, summary.withheld) == (1, 1)
    (line,) = read_jsonl(tmp_path / "out.jsonl")
    assert "Anna" not in line["text"]
    assert not any("Quorvex" in message.text for request in chat.asked for message in request.messages)


def test_several_jobs_are_refused_and_nothing_is_asked(tmp_path: Path) -> None:
    chat = telling()
    with pytest.raises(RecipeError, match="use --jobs 1"):
        anonymize_files([letters(tmp_path, TEXT)], tmp_path / "out.jsonl", REWRITING, jobs=2, chat=chat)
    assert not chat.asked


def test_ids_are_checked_against_what_was_hidden_before_the_rewrite(tmp_path: Path) -> None:
    source = write_jsonl(tmp_path / "in.jsonl", {"id": "quorvex-7", "text": TEXT})
    anonymize_files(
        [source], tmp_path / "out.jsonl", REWRITING, chat=telling("Somebody keeps bees by the sea, they say.")
    )
    (line,) = read_jsonl(tmp_path / "out.jsonl")
    assert line["id"] == "document-1"


def test_a_rewrite_into_a_language_nobody_reads_is_withheld() -> None:
    (outcome,) = Pipeline(REWRITING, chat=telling(FINNISH)).anonymize([Document("1", TEXT)])
    assert not isinstance(outcome, Release)
    assert "language no active detector covers" in outcome.reason
    (outcome,) = Pipeline(REWRITING.with_changes(failed="fallback"), chat=telling(FINNISH)).anonymize(
        [Document("1", TEXT)]
    )
    assert isinstance(outcome, Release)
    assert outcome.rewrite is None
    assert outcome.fallback_reason is not None
    (outcome,) = Pipeline(REWRITING.with_changes(uncovered="release"), chat=telling(FINNISH)).anonymize(
        [Document("1", TEXT)]
    )
    assert isinstance(outcome, Release)


def test_what_is_withheld_for_its_language_is_not_paid_for() -> None:
    chat = listing()
    outcomes = list(Pipeline(ASKING, chat=chat).anonymize([Document("1", FINNISH), Document("2", TEXT)]))
    assert [isinstance(outcome, Release) for outcome in outcomes] == [False, True]
    assert len(chat.asked) == 1


def test_a_rewriter_gets_nothing_that_belongs_to_the_original() -> None:
    given: list[Document] = []

    class Noting:
        cite = extra = None
        needs_chat = False
        usage = None

        def rewrite(self, documents: list[Document]) -> list[Release]:
            given.extend(documents)
            return [Release.rewritten(document, document.text) for document in documents]

    pipeline = Pipeline(REWRITING, chat=telling())
    pipeline._rewriting._rewriter = Noting()  # type: ignore[union-attr]
    document = Document("1", TEXT, meta={"marked": (), "identifiers": (), "kept": {"a": 1}})
    (outcome,) = pipeline.anonymize([document])
    assert isinstance(outcome, Release)
    assert outcome.document is document
    assert dict(given[0].meta) == {"kept": {"a": 1}}
    assert "Quorvex" not in given[0].text


def test_edits_of_a_rewriter_are_on_the_text_that_it_was_given() -> None:
    def answer(request: Request) -> str:
        (key,) = (request.schema or {})["properties"]
        return json.dumps({key: ["a hobby with birds"] if key == "abstractions" else ["raced pigeons"]})

    recipe = Recipe.model_validate({"rewrite": "self-disclosure", "detect": ["rules"], "always_run": []})
    chat = ScriptedChat(answer)
    (outcome,) = Pipeline(recipe, chat=chat).anonymize([Document("1", TEXT)])
    assert isinstance(outcome, Release)
    assert outcome.document.text == TEXT
    assert "PERSON_1" in outcome.text
    assert "lighthouse" in outcome.text
    assert "raced pigeons" not in outcome.text
    assert not any("Quorvex" in message.text for request in chat.asked for message in request.messages)


def test_empty_texts_go_through() -> None:
    documents = [Document("1", ""), Document("2", " \n "), Document("3", TEXT)]
    outcomes = list(Pipeline(REWRITING, chat=telling()).anonymize(documents))
    assert [item.text for item in outcomes if isinstance(item, Release)] == ["", " \n ", TOLD]
    for outcome in outcomes:
        assert isinstance(outcome, Release)
        assert sfumato.restore(outcome) == outcome.document.text


def test_a_model_that_babbles_lets_nothing_out_by_any_way(tmp_path: Path) -> None:
    for recipe in (ASKING, REWRITING.with_changes(rewrite={"use": "self-disclosure"})):
        (outcome,) = Pipeline(recipe, chat=unreadable_chat()).anonymize([Document("1", TEXT)])
        assert not isinstance(outcome, Release)
        summary = anonymize_files([letters(tmp_path, TEXT)], tmp_path / "out.jsonl", recipe, chat=unreadable_chat())
        assert summary.withheld == 1
        assert (tmp_path / "out.jsonl").read_text() == ""


def test_what_is_withheld_is_named_by_its_place_and_never_by_its_text(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = letters(tmp_path, TEXT, f"Badly. {TEXT}", TEXT, f"Badly. {TEXT}", f"Badly. {TEXT}")
    table = tmp_path / "in.csv"
    table.write_text(f'id,text\na,"{TEXT}"\nb,"Badly. {TEXT}"\n')
    note = tmp_path / "note.txt"
    note.write_text(f"Badly. {TEXT}")
    told = []
    for made in (
        anonymize_files([source, table, note], tmp_path / "out.jsonl", ASKING, chat=listing("Badly")),
        detect_files([source, table, note], tmp_path / "spans.jsonl", ASKING, chat=listing("Badly")),
    ):
        render.problems(made)
        printed = capsys.readouterr().err
        assert f"5 documents withheld, each because: {made.withheld_documents[0].reason} (" in printed
        assert len(printed.splitlines()) == 1
        assert f"{source} lines 2, 4, 5; {table} line 3; {note})" in printed
        assert "pigeons" not in printed
        told.append([{**item, "reason": ""} for item in made.to_json()["withheld_documents"]])
    assert told[0] == told[1]
    lines = [{"file": str(source), "line": line, "reason": ""} for line in (2, 4, 5)]
    assert told[0] == [*lines, {"file": str(table), "line": 3, "reason": ""}, {"file": str(note), "reason": ""}]


def test_many_that_are_withheld_for_one_reason_are_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    summary = Summary(documents=3000)
    for line in range(1, 1501):
        summary.withhold(Note("in.jsonl", "no answer", line))
    summary.withhold(Note("in.parquet", "another reason", record=7))
    render.problems(summary)
    first, last = capsys.readouterr().err.splitlines()
    assert first.startswith("1,000 documents withheld, each because: no answer (in.jsonl lines 1, 2, 3,")
    assert first.endswith("20; and 980 more)")
    assert last.startswith("and 501 more")


def test_that_nothing_was_released_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = letters(tmp_path, TEXT, TEXT)
    summary = anonymize_files([source], tmp_path / "out.jsonl", ASKING, chat=unreadable_chat())
    render.show_summary(summary, "released")
    assert "nothing was released: what is written holds no document" in " ".join(capsys.readouterr().out.split())
    render.show_summary(anonymize_files([source], tmp_path / "out.jsonl", ASKING, chat=listing()), "released")
    assert "nothing was released" not in capsys.readouterr().out


def test_a_method_remarks_once_on_a_promise_it_cannot_keep(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    summary = anonymize_files([letters(tmp_path, TEXT, TEXT)], tmp_path / "out.jsonl", REWRITING, chat=telling())
    (remark,) = summary.to_json()["remarks"]
    render.finish(summary, "released", as_json=False)
    assert capsys.readouterr().err.count(remark) == 1
    assert anonymize_files([letters(tmp_path, TEXT)], tmp_path / "out.jsonl", ASKING, chat=listing()).remarks == []


def test_a_run_that_finished_nothing_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sfumato.detectors.detection.BATCH_DOCUMENTS", 1)
    source = letters(tmp_path, TEXT, f"Last. {TEXT}")

    def refusing(texts_with: str) -> ScriptedChat:
        def answer(request: Request) -> str:
            if texts_with in request.messages[-1].text:
                raise ChatError("401: the key is wrong")
            return TOLD

        return ScriptedChat(answer, name="telling")

    for failing, kept in (("", 0), ("Last", 1), ("", 1)):
        with pytest.raises(ChatError):
            anonymize_files([source], tmp_path / "out.jsonl", REWRITING, chat=refusing(failing))
        assert len(list(tmp_path.glob(".*.sfumato-work"))) == kept
    summary = anonymize_files([source], tmp_path / "out.jsonl", REWRITING, chat=telling())
    assert (summary.resumed, summary.released) == (1, 2)
    assert not list(tmp_path.glob(".*"))
