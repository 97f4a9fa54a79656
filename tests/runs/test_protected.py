"""Protected runs over files: every format, certified, and the way back stays open."""

from __future__ import annotations

import csv
import json
import stat
from dataclasses import replace
from pathlib import Path

import pytest

from sfumato.attacks.background import as_background
from sfumato.errors import InputError, OutputError, RecipeError, UnknownName
from sfumato.formats.base import Columns
from sfumato.formats.sources import load
from sfumato.llm.chat import Request
from sfumato.llm.replay import ScriptedChat
from sfumato.protection.certificate import check
from sfumato.protection.target import Options, Target
from sfumato.runs.anonymize import anonymize_files
from sfumato.runs.restore import restore_files
from sfumato.runs.summary import NothingRead
from sfumato.vault.key import Key
from sfumato.vault.store import Vault
from tests.formats.docx_files import paragraph, write_docx
from tests.protection.invented_corpus import background
from tests.runs.engines import PicklingEngine
from tests.runs.protected_runs import KNOWN_RANKS, LABELS, OPTIONS, TEXTS, lines, make_run, seeded


def test_every_format_goes_through_the_loop_and_keeps_its_form(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    numbered = list(TEXTS.items())
    (folder / "n0.txt").write_text(numbered[0][1], encoding="utf-8")
    write_docx(folder / "n1.docx", paragraph(*numbered[1][1].split("Quorvex left.")) + paragraph("Quorvex left."))
    lines(folder / "some.jsonl", {"n2": numbered[2][1]})
    (folder / "more.json").write_text(json.dumps({"n3": numbered[3][1]}))
    with (folder / "table.csv").open("w", newline="") as handle:
        csv.writer(handle).writerows([["id", "text"], list(numbered[4])])
    summary = anonymize_files([folder], tmp_path / "out", seeded(), protected_run=make_run(tmp_path))
    assert summary.complete
    assert summary.protection is not None
    assert summary.protection.met
    assert {path.name for path in (tmp_path / "out").iterdir()} == {path.name for path in folder.iterdir()}
    released = {document.id: document.text for document in load([tmp_path / "out"])}
    made = {item.id: item.release.text for item in summary.protection.documents}
    assert released == made
    assert not check(tmp_path / "certificate.json", [tmp_path / "out"])[1]
    assert all("Quorvex" not in text for text in released.values())


def test_the_audit_says_why_the_loop_changed_what_it_changed(tmp_path: Path) -> None:
    summary = anonymize_files(
        [lines(tmp_path / "in.jsonl")],
        tmp_path / "out.jsonl",
        seeded(),
        audit=tmp_path / "audit.jsonl",
        protected_run=make_run(tmp_path),
    )
    assert summary.protection is not None
    records = [json.loads(line) for line in (tmp_path / "audit.jsonl").read_text("utf-8").splitlines()]
    assert [record["id"] for record in records] == list(TEXTS)
    for record, one in zip(records, summary.protection.documents, strict=True):
        words = [edit for edit in record["edits"] if edit["label"] == "WORD"]
        assert bool(words) or not one.repairs
        assert all(edit["reasons"] for edit in words)
    assert summary.labels["WORD"] > 0


def test_withheld_documents_are_counted_told_and_not_written(tmp_path: Path) -> None:
    texts = {**TEXTS, "stranger": "Belo Tvesk keeps falcons.", "n9": ""}
    summary = anonymize_files(
        [lines(tmp_path / "in.jsonl", texts)],
        tmp_path / "out.jsonl",
        seeded(),
        audit=tmp_path / "audit.jsonl",
        protected_run=make_run(tmp_path),
    )
    assert (summary.documents, summary.released, summary.withheld, summary.complete) == (7, 5, 2, False)
    reasons = [note.reason for note in summary.withheld_documents]
    assert "nobody in the background" in reasons[0]
    assert reasons[1] == "it holds no text"
    assert [document.id for document in load([tmp_path / "out.jsonl"])] == list(TEXTS)
    audit = [json.loads(line) for line in (tmp_path / "audit.jsonl").read_text("utf-8").splitlines()]
    assert [record.get("withheld") for record in audit[-2:]] == reasons
    assert json.loads((tmp_path / "certificate.json").read_text("utf-8"))["documents"]["withheld"] == 2


def test_what_the_recipe_withholds_stays_withheld_even_with_release_anyway(tmp_path: Path) -> None:
    polish = (
        "Powódka Anna Kwiatkowska wniosła o zasądzenie od pozwanego kwoty pięciu tysięcy złotych wraz z odsetkami. "
        "W uzasadnieniu pozwu wskazała, że pozwany nie zapłacił za wykonane prace remontowe w jej mieszkaniu."
    )
    source = lines(tmp_path / "in.jsonl", {**TEXTS, "n9": polish})
    releasing_anyway = make_run(tmp_path, Target(3, budget=0.0, release_anyway=True))
    summary = anonymize_files([source], tmp_path / "out.jsonl", seeded(), protected_run=releasing_anyway)
    assert next(note.reason for note in summary.withheld_documents).count("(pl)") == 1
    assert "Kwiatkowska" not in (tmp_path / "out.jsonl").read_text("utf-8")
    assert (summary.released, summary.complete) == (5, False)
    assert summary.to_json()["protection"]["released_anyway"] == 5


def test_a_certificate_fails_after_one_byte(tmp_path: Path) -> None:
    anonymize_files([lines(tmp_path / "in.jsonl")], tmp_path / "out.jsonl", seeded(), protected_run=make_run(tmp_path))
    assert not check(tmp_path / "certificate.json", [tmp_path / "out.jsonl"])[1]
    content = bytearray((tmp_path / "out.jsonl").read_bytes())
    content[-4] ^= 1
    (tmp_path / "out.jsonl").write_bytes(bytes(content))
    assert [item.kind for item in check(tmp_path / "certificate.json", [tmp_path / "out.jsonl"])[1]] == ["changed"]


def test_the_report_is_its_owners_alone_and_never_lies_in_the_release(tmp_path: Path) -> None:
    source = lines(tmp_path / "in.jsonl")
    with pytest.raises(OutputError, match="would be released"):
        anonymize_files(
            [source], tmp_path / "out", LABELS, protected_run=make_run(tmp_path, report=tmp_path / "out" / "r.html")
        )
    assert not (tmp_path / "out").exists()
    report = tmp_path / "r.html"
    summary = anonymize_files([source], tmp_path / "out", seeded(), protected_run=make_run(tmp_path, report=report))
    assert stat.S_IMODE(report.stat().st_mode) == 0o600
    assert report in summary.files
    assert tmp_path / "certificate.json" in summary.files


def test_neither_release_nor_certificate_holds_an_original_or_a_rank(tmp_path: Path) -> None:
    known = as_background(
        {
            **{person.id: person.texts for person in background().people},
            **{f"n{at}": f"The vlkodlak of Grbnik number {at} races quagga." for at in range(5)},
        }
    )
    texts = {key: f"{text} A vlkodlak of Grbnik races quagga." for key, text in TEXTS.items()}
    summary = anonymize_files(
        [lines(tmp_path / "in.jsonl", texts)],
        tmp_path / "out.jsonl",
        seeded(),
        protected_run=make_run(tmp_path, background=known),
    )
    assert summary.protection is not None
    certificate = (tmp_path / "certificate.json").read_text("utf-8")
    told = json.dumps(summary.to_json())
    for word in ("Quorvex", "Zwickelbach", "vlkodlak", "quagga", "orchard", '"n3"', "rank"):
        assert word not in certificate.replace("at which rank to look", "")
        assert word not in told
    records = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text("utf-8").splitlines()]
    assert all(set(record) == {"id", "text"} for record in records)
    assert "Quorvex" not in str(records)


def test_the_vault_gives_back_the_originals_byte_for_byte(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    for key, text in TEXTS.items():
        (folder / f"{key}.txt").write_bytes(text.replace(". ", ".\r\n").encode())
    (tmp_path / "key").write_text("0f1dd9c2a7be43586e90b31c4fd2857a")
    with Vault.open(tmp_path / "v.db", tmp_path / "key") as vault:
        summary = anonymize_files(
            [folder], tmp_path / "out", LABELS, vault=vault, key=vault.key, protected_run=make_run(tmp_path)
        )
        assert summary.released == 5
        restore_files([tmp_path / "out"], tmp_path / "back", vault)
    for path in folder.iterdir():
        assert (tmp_path / "back" / path.name).read_bytes() == path.read_bytes()


def test_ranks_are_the_keys_or_else_the_runs_own_and_never_a_seeds(tmp_path: Path) -> None:
    source = lines(tmp_path / "in.jsonl")

    def ranks(key: Key | None) -> tuple[int, ...]:
        own = make_run(tmp_path, Target(6), options=OPTIONS)
        summary = anonymize_files([source], tmp_path / "out.jsonl", seeded(), key=key, protected_run=own)
        assert summary.protection is not None
        return tuple(document.secret_rank for document in summary.protection.documents)

    first, again, other = (ranks(Key(letter * 32)) for letter in (b"k", b"k", b"l"))
    assert first == again != other
    assert len({ranks(None) for _ in range(4)}) > 1


def test_two_jobs_give_what_one_gives(tmp_path: Path) -> None:
    source = lines(tmp_path / "in.jsonl")
    for jobs in (1, 2):
        own = make_run(tmp_path, options=OPTIONS)
        anonymize_files(
            [source], tmp_path / f"{jobs}.jsonl", seeded(), key=Key(b"k" * 32), protected_run=own, jobs=jobs
        )
    assert (tmp_path / "1.jsonl").read_bytes() == (tmp_path / "2.jsonl").read_bytes()


@pytest.mark.parametrize("known", [True, False], ids=["background", "population"])
def test_an_engine_gives_what_one_process_gives(known: bool, tmp_path: Path) -> None:
    source, results = lines(tmp_path / "in.jsonl"), []
    options = Options(attacks=("bm25",), holdout_documents=2, attacker_knowledge=1.5)
    for engine in (None, PicklingEngine()):
        name = engine.name if engine else "alone"
        protected_run = make_run(tmp_path, options=options, **({} if known else {"background": None}))
        summary = anonymize_files(
            [source],
            tmp_path / f"{name}.jsonl",
            seeded(),
            key=Key(b"k" * 32),
            protected_run=protected_run,
            audit=tmp_path / f"{name}.audit.jsonl",
            engine=engine,
        )
        assert summary.protection is not None
        protection = {key: value for key, value in summary.protection.to_json().items() if key != "seconds"}
        files = [(tmp_path / f"{name}{suffix}").read_bytes() for suffix in (".jsonl", ".audit.jsonl")]
        results.append((files, protection))
        if engine:
            assert engine.items > len(TEXTS)  # a batch for the recipe, and the documents for the loop
    assert results[0] == results[1]


def test_mistakes_are_found_before_any_work(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="24 people, so nobody can hide among 25"):
        make_run(tmp_path, Target(25))
    with pytest.raises(UnknownName, match="telepathy"):
        make_run(tmp_path, options=Options(attacks=("telepathy",)))


def test_where_nothing_can_be_read_the_reason_is_told(tmp_path: Path) -> None:
    (tmp_path / "cases.csv").write_text("case,report\n1,Anna Quorvex came home.\n")
    for own in (make_run(tmp_path), make_run(tmp_path, background=None)):
        with pytest.raises(NothingRead, match="has no column 'text'"):
            anonymize_files([tmp_path / "cases.csv"], tmp_path / "out.csv", LABELS, protected_run=own)
    assert not (tmp_path / "out.csv").exists()
    assert not (tmp_path / "certificate.json").exists()


def test_a_table_with_names_of_its_own_for_the_columns(tmp_path: Path) -> None:
    with (tmp_path / "cases.csv").open("w", newline="") as handle:
        csv.writer(handle).writerows([["case", "report"], *TEXTS.items()])
    summary = anonymize_files(
        [tmp_path / "cases.csv"],
        tmp_path / "out.csv",
        seeded(),
        columns=Columns("case", "report"),
        protected_run=make_run(tmp_path),
    )
    assert summary.released == 5
    with (tmp_path / "out.csv").open(newline="") as handle:
        assert [row["case"] for row in csv.DictReader(handle)] == list(TEXTS)


def test_without_a_background_nothing_is_verified(tmp_path: Path) -> None:
    summary = anonymize_files(
        [lines(tmp_path / "in.jsonl")],
        tmp_path / "out.jsonl",
        seeded(),
        protected_run=make_run(tmp_path, background=None),
    )
    told = summary.to_json()["protection"]
    assert (told["guarantee"], told["met"], told["scenarios"]) == ("population", False, [])
    assert json.loads((tmp_path / "certificate.json").read_text("utf-8"))["verdict"]["met"] is False


SURE = json.dumps({"score": 50, "evidence": []})


def test_an_attack_that_asks_verifies_with_the_model_of_the_run(tmp_path: Path) -> None:
    with pytest.raises(RecipeError, match="'rag' needs a language model"):
        make_run(tmp_path, options=replace(KNOWN_RANKS, attacks=("rag",)))
    chat = ScriptedChat(lambda request: SURE, name="judge")
    options = replace(KNOWN_RANKS, attacks=("rag",), chat=chat)
    asking = make_run(tmp_path, options=options)
    assert "judge" in asking.depends_on
    assert "judge" not in make_run(tmp_path, options=replace(options, attacks=("bm25",))).depends_on
    summary = anonymize_files(
        [lines(tmp_path / "in.jsonl")], tmp_path / "out.jsonl", seeded(), protected_run=asking, chat=chat
    )
    assert chat.asked
    assert summary.protection is not None
    assert "rag" in summary.protection.after


def test_a_rewrite_is_repaired_and_comes_back(tmp_path: Path) -> None:
    recipe = seeded().with_changes(rewrite="dp-prompt", detect=["rules"], always_run=[], failed="fallback")

    def answer(request: Request) -> str:
        text = request.messages[-1].text
        return "" if "falcons" in text else next(line for line in text.splitlines() if "clerk" in line)

    source = lines(tmp_path / "in.jsonl")
    with Vault.open(tmp_path / "vault", tmp_path / "key") as vault:
        summary = anonymize_files(
            [source],
            tmp_path / "out.jsonl",
            recipe,
            protected_run=make_run(tmp_path),
            audit=tmp_path / "audit.jsonl",
            vault=vault,
            chat=ScriptedChat(answer),
        )
        assert summary.released > 2
        assert summary.used_fallback == 1
        restore_files([tmp_path / "out.jsonl"], tmp_path / "back.jsonl", vault)
    given = {line["id"]: line["text"] for line in map(json.loads, source.read_text().splitlines())}
    back = {line["id"]: line["text"] for line in map(json.loads, (tmp_path / "back.jsonl").read_text().splitlines())}
    assert back
    assert back.items() <= given.items()
    audited = [json.loads(line) for line in (tmp_path / "audit.jsonl").read_text().splitlines()]
    assert any("repairs" in line.get("rewritten", [""])[-1] for line in audited)


def test_who_is_named_in_a_document_about_another_is_told_of(tmp_path: Path) -> None:
    people = {
        **{person.id: "\n".join(person.texts) for person in background().people},
        "Basil Quorvex": "He keeps bees.",
    }
    texts = {**TEXTS, "n1": f"{TEXTS['n1']} BASIL  Quorvex was there."}
    report = tmp_path / "report.html"
    own = make_run(tmp_path, background=as_background(people), report=report)
    summary = anonymize_files(
        [lines(tmp_path / "in.jsonl", texts)], tmp_path / "out.jsonl", seeded(), protected_run=own
    )
    assert summary.protection is not None
    assert summary.protection.also_named == ("n1",)
    told = "1 document also names people of the background whom it is not filed under; the target was not checked"
    sentence = json.loads((tmp_path / "certificate.json").read_text())["verdict"]["sentence"]
    assert told in sentence
    assert "n1" not in sentence
    assert told in report.read_text()
    assert "They are named in n1." in report.read_text()
