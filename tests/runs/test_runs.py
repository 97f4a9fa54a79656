"""Runs over files: bad input is named and skipped, interruptions cost nothing, ids tell nothing."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from sfumato import recipe as recipes
from sfumato.document import Outcome
from sfumato.errors import OutputError, SfumatoError
from sfumato.formats.base import Columns
from sfumato.formats.subject_table import as_subject_table
from sfumato.runs.anonymize import anonymize_files
from sfumato.runs.summary import Summary
from sfumato.vault.store import Vault

LABELS = recipes.load("labels")
KEY = "0f1dd9c2a7be43586e90b31c4fd2857a"


def write_jsonl(path: Path, *records: object) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def read_jsonl(path: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def letters(path: Path, count: int) -> Path:
    names = ["Anna Quorvex", "Boris Belnik", "Carla Trellez", "Dora Aasmund"]
    records = [
        {"id": f"doc-{n}", "text": f"Dear {names[n % 4]}, please call {names[n // 4 % 4]} on 3 March {1990 + n % 30}."}
        for n in range(count)
    ]
    return write_jsonl(path, *records)


def messages(summary: Summary) -> str:
    return "\n".join(map(str, summary.problems))


BAD_LINES: dict[str, tuple[bytes, str]] = {
    "not json": (b'{"id": "x", "text": ', "1"),
    "not an object": (b"[1, 2]", "1"),
    "no id": (b'{"text": "Anna Quorvex"}', "1"),
    "no text": (b'{"id": "x"}', "1"),
    "not utf-8": (b'{"id": "x", "text": "Quorvex \xff"}', "1"),
    "text not a string": (b'{"id": "x", "text": 5}', "1"),
}


@pytest.mark.parametrize("case", BAD_LINES)
def test_a_bad_line_is_named_and_the_rest_goes_on(case: str, tmp_path: Path) -> None:
    line, number = BAD_LINES[case]
    source = tmp_path / "in.jsonl"
    source.write_bytes(line + b"\n" + b'{"id": "good", "text": "Anna Quorvex came."}\n')
    summary = anonymize_files([source], tmp_path / "out.jsonl", LABELS)
    assert not summary.complete
    assert f"in.jsonl:{number}:" in messages(summary)
    assert "Quorvex" not in messages(summary)
    assert [record["id"] for record in read_jsonl(tmp_path / "out.jsonl")] == ["good"]


def test_a_duplicate_id_is_skipped_and_named(tmp_path: Path) -> None:
    source = write_jsonl(tmp_path / "in.jsonl", {"id": "a", "text": "one"}, {"id": "a", "text": "two"})
    summary = anonymize_files([source], tmp_path / "out.jsonl", LABELS)
    assert "in.jsonl:2" in messages(summary)
    assert [record["text"] for record in read_jsonl(tmp_path / "out.jsonl")] == ["one"]


def test_bad_files_do_not_stop_the_good_ones(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "a.docx").write_bytes(b"not a zip")
    (folder / "b.txt").write_bytes(b"\xff\xfe\xff")
    (folder / "c.pdf").write_bytes(b"%PDF")
    (folder / "d.jsonl").write_bytes(b"")
    (folder / "e.txt").write_text("Anna Quorvex came.", encoding="utf-8")
    summary = anonymize_files([folder], tmp_path / "out", LABELS)
    for name in ("a.docx", "b.txt", "c.pdf", "d.jsonl"):
        assert name in messages(summary)
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["e.txt"]


def test_a_line_of_200_megabytes_is_refused_without_filling_the_memory(tmp_path: Path) -> None:
    source = tmp_path / "in.jsonl"
    with source.open("wb") as file:
        file.write(b'{"id": "big", "text": "')
        for _ in range(200):
            file.write(b"x" * 1_000_000)
        file.write(b'"}\n{"id": "good", "text": "fine"}\n')
    summary = anonymize_files([source], tmp_path / "out.jsonl", LABELS)
    assert "in.jsonl:1:" in messages(summary)
    assert [record["id"] for record in read_jsonl(tmp_path / "out.jsonl")] == ["good"]


def test_a_foreign_language_is_withheld_unless_the_user_insists(tmp_path: Path) -> None:
    polish = (
        "Powódka Anna Kwiatkowska wniosła o zasądzenie od pozwanego kwoty pięciu tysięcy złotych wraz z odsetkami. "
        "W uzasadnieniu pozwu wskazała, że pozwany nie zapłacił za wykonane prace remontowe w jej mieszkaniu."
    )
    source = write_jsonl(tmp_path / "in.jsonl", {"id": "pl", "text": polish}, {"id": "en", "text": "Anna came home."})
    summary = anonymize_files([source], tmp_path / "out.jsonl", LABELS, audit=tmp_path / "audit.jsonl")
    assert "(pl)" in summary.withheld_documents[0].reason
    assert [record["id"] for record in read_jsonl(tmp_path / "out.jsonl")] == ["en"]
    assert "withheld" in read_jsonl(tmp_path / "audit.jsonl")[0]
    releasing_anyway = LABELS.with_changes(uncovered="release")
    assert anonymize_files([source], tmp_path / "out2.jsonl", releasing_anyway).released == 2


def test_ids_and_file_names_are_checked_too(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "anna_quorvex.txt").write_text("She came home.", encoding="utf-8")
    (folder / "letter-belnik.txt").write_text("Mr Tomasz Belnik came home.", encoding="utf-8")
    (folder / "plain.txt").write_text("Mr Tomasz Belnik came home.", encoding="utf-8")
    write_jsonl(folder / "rows.jsonl", {"id": "maria.jones@example.org", "text": "hello"}, {"id": "7", "text": "hello"})
    anonymize_files([folder], tmp_path / "out", LABELS, audit=tmp_path / "audit.jsonl")
    names = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert names == ["document-1.txt", "document-2.txt", "plain.txt", "rows.jsonl"]
    assert [record["id"] for record in read_jsonl(tmp_path / "out" / "rows.jsonl")] == ["document-4", "7"]
    mapped = {line["id"]: line["released_id"] for line in read_jsonl(tmp_path / "audit.jsonl")}
    assert mapped["anna_quorvex"] == "document-1"


def test_other_columns_are_dropped_unless_kept_by_name(tmp_path: Path) -> None:
    from sfumato.formats.base import Columns

    source = tmp_path / "in.csv"
    source.write_text("id,name,ward,text\n1,Anna,3A,hello there\n", encoding="utf-8")
    anonymize_files([source], tmp_path / "a.csv", LABELS)
    anonymize_files([source], tmp_path / "b.csv", LABELS, columns=Columns(keep=("ward",)))
    assert (tmp_path / "a.csv").read_text(encoding="utf-8").splitlines() == ["id,text", "1,hello there"]
    assert (tmp_path / "b.csv").read_text(encoding="utf-8").splitlines() == ["id,ward,text", "1,3A,hello there"]


def test_the_released_file_holds_nothing_but_text(tmp_path: Path) -> None:
    source = write_jsonl(tmp_path / "in.jsonl", {"id": "a", "text": "Anna Quorvex came.", "secret": "x", "label": 3})
    anonymize_files([source], tmp_path / "out.jsonl", LABELS)
    assert (tmp_path / "out.jsonl").read_text(encoding="utf-8") == '{"id": "a", "text": "PERSON_1 came."}\n'


class Killed(BaseException):
    pass


def _stop_after(count: int) -> Callable[[Outcome], None]:
    seen = 0

    def look(outcome: Outcome) -> None:
        nonlocal seen
        seen += 1
        if seen > count:
            raise Killed

    return look


RECIPES = {
    "generalizations": recipes.load("default"),
    "labels": LABELS,
    "labels over the corpus": LABELS.with_changes(scope="corpus"),
    "surrogates": LABELS.with_changes(replace={"default": "surrogate"}),
    "surrogates over the corpus": LABELS.with_changes(scope="corpus", replace={"default": "surrogate"}),
}


@pytest.mark.parametrize("name", RECIPES)
@pytest.mark.parametrize("with_vault", [False, True], ids=["memory", "vault"])
def test_an_interrupted_run_goes_on_and_gives_the_same_bytes(name: str, with_vault: bool, tmp_path: Path) -> None:
    recipe = RECIPES[name].with_changes(seed=None if with_vault else 1)
    source = letters(tmp_path / "in.jsonl", 60)

    def run(folder: str, stop: int | None) -> Summary:
        (tmp_path / folder).mkdir(exist_ok=True)
        if not (tmp_path / folder / "v.db").exists():
            shutil.copy(tmp_path / "new.db", tmp_path / folder / "v.db")
        vault = Vault.open(tmp_path / folder / "v.db", tmp_path / "key") if with_vault else None
        extra = {"on_outcome": _stop_after(stop)} if stop is not None else {}
        out = tmp_path / folder / "out.jsonl"
        return anonymize_files([source], out, recipe, audit=tmp_path / folder / "a.jsonl", vault=vault,
                               key=vault.key if vault else None, **extra)  # type: ignore[arg-type]  # fmt: skip

    (tmp_path / "key").write_text(KEY)
    Vault.open(tmp_path / "new.db", tmp_path / "key").close()  # an audit names its vault
    run("whole", None)
    for stop in (25, 15):
        with pytest.raises(Killed):
            run("broken", stop)
        assert not (tmp_path / "broken" / "out.jsonl").exists()
        assert not (tmp_path / "broken" / "a.jsonl").exists()
    summary = run("broken", None)
    assert summary.resumed > 0
    assert summary.released == summary.documents == 60
    for file in ("out.jsonl", "a.jsonl"):
        assert (tmp_path / "broken" / file).read_bytes() == (tmp_path / "whole" / file).read_bytes()
    assert not list((tmp_path / "broken").glob(".*"))


def test_a_killed_process_goes_on_where_it_stopped(tmp_path: Path) -> None:
    source = letters(tmp_path / "in.jsonl", 450)
    out = tmp_path / "out.jsonl"
    program = (
        "import os, pathlib, signal, sys\nfrom sfumato import recipe\n"
        "from sfumato.runs.anonymize import anonymize_files\n"
        "seen = []\n"
        "def look(outcome):\n    seen.append(1)\n    if len(seen) == 410: os.kill(os.getpid(), signal.SIGKILL)\n"
        "out = pathlib.Path(sys.argv[2])\n"
        "anonymize_files([sys.argv[1]], out, recipe.load('labels'), on_outcome=look)\n"
    )
    done = subprocess.run([sys.executable, "-c", program, source, out], env=os.environ, check=False)
    assert done.returncode == -signal.SIGKILL
    assert not out.exists()
    summary = anonymize_files([source], out, LABELS)
    assert 200 <= summary.resumed < 410
    anonymize_files([source], tmp_path / "whole.jsonl", LABELS)
    assert out.read_bytes() == (tmp_path / "whole.jsonl").read_bytes()


@pytest.mark.parametrize("with_vault", [False, True], ids=["memory", "vault"])
def test_several_processes_give_the_same_bytes(with_vault: bool, tmp_path: Path) -> None:
    source = letters(tmp_path / "in.jsonl", 150)
    recipe = LABELS.with_changes(replace={"default": "surrogate"}, seed=1)
    (tmp_path / "key").write_text(KEY)
    for jobs in (1, 2):
        vault = Vault.open(tmp_path / f"{jobs}.db", tmp_path / "key") if with_vault else None
        out = tmp_path / f"{jobs}.jsonl"
        anonymize_files([source], out, recipe, vault=vault, key=vault.key if vault else None, jobs=jobs)
    assert (tmp_path / "1.jsonl").read_bytes() == (tmp_path / "2.jsonl").read_bytes()
    with pytest.raises(SfumatoError, match="--jobs 1"):
        anonymize_files([source], tmp_path / "3.jsonl", LABELS.with_changes(scope="corpus"), jobs=2)


def test_a_changed_input_or_recipe_starts_anew(tmp_path: Path) -> None:
    source = letters(tmp_path / "in.jsonl", 60)
    with pytest.raises(Killed):
        anonymize_files([source], tmp_path / "out.jsonl", LABELS, on_outcome=_stop_after(40))
    tagged = LABELS.with_changes(replace={"default": "tag"})
    assert anonymize_files([source], tmp_path / "out.jsonl", tagged).resumed == 0
    assert "PERSON_1" not in (tmp_path / "out.jsonl").read_text(encoding="utf-8")


def test_a_changed_table_of_subjects_starts_anew(tmp_path: Path) -> None:
    source = letters(tmp_path / "in.jsonl", 60)
    with source.open() as lines:
        ids = [json.loads(line)["id"] for line in lines]
    about = as_subject_table(dict.fromkeys(ids, "p1"))
    for name, other, resumed in (("same", dict.fromkeys(ids, "p1"), True), ("other", dict.fromkeys(ids, "p2"), False)):
        out = tmp_path / f"{name}.jsonl"
        with pytest.raises(Killed):
            anonymize_files([source], out, LABELS, columns=Columns(subject_table=about), on_outcome=_stop_after(40))
        done = anonymize_files([source], out, LABELS, columns=Columns(subject_table=as_subject_table(other)))
        assert (done.resumed > 0, done.released) == (resumed, 60)


@pytest.mark.parametrize("named", ["own field", "table"])
def test_who_is_named_in_one_of_a_persons_letters_is_hidden_in_all(tmp_path: Path, named: str) -> None:
    texts = {"1": "Dear Mrs Anna Quorvex, your number is 4417-22.", "2": "saw Quorvex again, 4417-22 closed."}
    source, out = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    rules = LABELS.with_changes(detect=["rules"])
    whom = {"whom": "p1"} if named == "own field" else {}
    source.write_text("".join(json.dumps({"id": key, "text": text, **whom}) + "\n" for key, text in texts.items()))
    columns = Columns(subjects="whom") if whom else Columns(subject_table=as_subject_table({"1": "p1", "2": "p1"}))
    anonymize_files([source], out, rules, columns=columns)
    assert "Quorvex" not in out.read_text()
    anonymize_files([source], tmp_path / "alone.jsonl", rules)
    assert "Quorvex" in (tmp_path / "alone.jsonl").read_text()


def test_an_input_is_never_overwritten(tmp_path: Path) -> None:
    source = letters(tmp_path / "in.jsonl", 2)
    before = source.read_bytes()
    with pytest.raises(OutputError, match="never overwritten"):
        anonymize_files([source], source, LABELS)
    with pytest.raises(SfumatoError):
        anonymize_files([tmp_path], tmp_path, LABELS)
    assert source.read_bytes() == before


def test_two_runs_do_not_write_the_same_output(tmp_path: Path) -> None:
    source = letters(tmp_path / "in.jsonl", 5)

    def look(outcome: Outcome) -> None:
        with pytest.raises(OutputError, match="another run"):
            anonymize_files([source], tmp_path / "out.jsonl", LABELS)

    anonymize_files([source], tmp_path / "out.jsonl", LABELS, on_outcome=look)
