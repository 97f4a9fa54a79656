"""``sfumato protect``, as someone runs it who has letters and a table of people."""

from __future__ import annotations

import csv
import json
import stat
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from sfumato.cli.app import main
from sfumato.protection.certificate import check
from tests.cli.test_commands import ROOT
from tests.cli.test_commands import sfumato as in_a_process_of_its_own
from tests.llm.server import Handler, answer, models, serving
from tests.protection.invented_corpus import background, starts

BIOGRAPHIES, PEOPLE = ROOT / "examples/texts/biographies.json", ROOT / "examples/background/people.csv"
QUICK = ("--attack", "bm25")
"""One attack verifies, so that tests are fast."""


def key(folder: Path) -> Path:
    """Ranks are drawn from the key, so that a test sees the same ones each time."""
    (folder / "a.key").write_text("0f1dd9c2a7be43586e90b31c4fd2857a")
    return folder / "a.key"


class Done(NamedTuple):
    out: str
    err: str


Run = Callable[..., Done]


@pytest.fixture
def run(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path_factory: pytest.TempPathFactory
) -> Run:
    """The command in this process, which spares it the start."""
    keyed = ("--key-file", key(tmp_path_factory.mktemp("keys")))
    monkeypatch.setenv("COLUMNS", "80")

    def call(*arguments: object, expect: int = 0) -> Done:
        whole = (*arguments, *keyed) if arguments[0] == "protect" else arguments
        monkeypatch.setattr(sys, "argv", ["sfumato", *map(str, whole)])
        with pytest.raises(SystemExit) as stop:
            main()
        shown = Done(*capsys.readouterr())
        assert (stop.value.code or 0) == expect, shown.err + shown.out
        return shown

    return call


@pytest.fixture
def office(tmp_path: Path) -> Path:
    """A folder of letters, the same as a table of cases, and tables of people; one lacks some of them."""
    (tmp_path / "letters").mkdir()
    rows = []
    for start in starts(4):
        text = f"Dear Mr Tomasz Belnik,\n{start.text}\n"
        (tmp_path / "letters" / f"{start.document.id}.txt").write_text(text)
        rows.append([start.document.id, text])
    people = [[person.id, " ".join(person.texts)] for person in background().people]
    tables = {
        "cases.csv": [["case", "report"], *rows],
        "people.csv": [["id", "what is known"], *people],
        "some.csv": [["id", "what is known"], *people[2:]],
    }
    for name, table in tables.items():
        with (tmp_path / name).open("w", newline="") as handle:
            csv.writer(handle).writerows(table)
    return tmp_path


@pytest.fixture(scope="module")
def biographies(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The examples, protected once."""
    folder = tmp_path_factory.mktemp("biographies")
    done = in_a_process_of_its_own(
        "protect", BIOGRAPHIES, "--out", folder / "out.json", "--background", PEOPLE, "--k", 3,
        "--report", folder / "report.html", "--audit", folder / "audit.jsonl", "--key-file", key(folder),
    )  # fmt: skip
    (folder / "stdout").write_text(done.stdout, encoding="utf-8")
    (folder / "stderr").write_text(done.stderr, encoding="utf-8")
    return folder


def test_the_examples_are_released_within_the_target(biographies: Path) -> None:
    shown = (biographies / "stdout").read_text(encoding="utf-8")
    assert shown.startswith(
        "The target was met in this sample, but so few releases do not show it: of the people in 12 releases"
    )
    assert "in the loop" in shown
    assert "12 read, 12 released, 0 withheld" in shown
    assert (biographies / "stderr").read_text() == ""
    assert not check(biographies / "out.json.certificate.json", [biographies / "out.json"])[1]


def test_what_is_confidential_stays_with_its_owner(biographies: Path) -> None:
    for name in ("report.html", "audit.jsonl"):
        assert stat.S_IMODE((biographies / name).stat().st_mode) == 0o600
    told = "".join(
        (biographies / name).read_text(encoding="utf-8") for name in ("stdout", "out.json", "out.json.certificate.json")
    )
    for line in (biographies / "audit.jsonl").read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        original = json.loads(BIOGRAPHIES.read_text(encoding="utf-8"))[record["id"]]
        for edit in record["edits"]:
            if edit["label"] == "PERSON" and edit["end"] - edit["start"] > 4:
                assert original[edit["start"] : edit["end"]] not in told
    for secret in ("sourdough", "lighthouse", "tandem", "secret_rank"):
        assert secret not in told


def test_the_certificate_of_the_examples_is_checked_by_a_command(biographies: Path, run: Run) -> None:
    certificate = biographies / "out.json.certificate.json"
    assert "here and unchanged" in run("certificate", certificate, biographies / "out.json").out
    changed = biographies / "changed" / "out.json"
    changed.parent.mkdir()
    changed.write_bytes((biographies / "out.json").read_bytes()[:-2] + b" }")
    assert "its content has changed" in run("certificate", certificate, changed, expect=1).err


def test_a_folder_of_letters_and_a_table_of_people(office: Path, run: Run) -> None:
    done = run(
        "protect", office / "letters", "--out", office / "out", "--background", office / "people.csv", "--k", 2,
        *QUICK, "--report", office / "report.html", "--json",
    )  # fmt: skip
    parsed = json.loads(done.out)
    assert parsed["released"] == parsed["protection"]["released"] == 4
    protection = parsed["protection"]
    assert protection["met"] is True
    assert protection["target"] == {"k": 2, "risk": 0.5, "budget": None}
    assert (protection["people"], len(protection["scenarios"])) == (24, 3)
    assert set(protection["after"]["bm25"]) == {"risk", "interval", "n"}
    assert len(list((office / "out").iterdir())) == 4
    assert str(office / "out.certificate.json") in parsed["files"]
    run("certificate", office / "out.certificate.json", office / "out")


def test_a_table_with_other_columns_than_the_background(office: Path, run: Run) -> None:
    base = (
        "protect",
        office / "cases.csv",
        "--out",
        office / "out.csv",
        "--background",
        office / "people.csv",
        "--k",
        2,
    )
    wrong = run(*base, *QUICK, expect=2)
    assert "has no column 'text' among its 2; name the right one with --text-column" in wrong.err
    named = (*base, *QUICK, "--id-column", "case", "--text-column", "report")
    strict = ("--background-text-column", "report")
    assert "has no column 'report' (it has: id, what is known)" in run(*named, *strict, expect=2).err
    assert "4 read, 4 released" in run(*named).out
    assert (office / "out.csv").read_text().startswith("case,report")


def test_a_table_says_whom_letters_are_about(office: Path, run: Run) -> None:
    for number in range(4):
        (office / "letters" / f"n{number}.txt").rename(office / "letters" / f"letter {number}.txt")
    base = (
        "protect", office / "letters", "--out", office / "out", "--background", office / "people.csv", "--k", 2,
        *QUICK,
    )  # fmt: skip
    assert "--subject-table" in run(*base, expect=2).err
    (office / "about.csv").write_text(
        "id;subjects\nletter 0.txt;n0\nletter 1;n1\nletters/letter 2.txt;n2\nletter 9.txt;n3\n"
    )
    done = run(*base, "--subject-table", office / "about.csv", expect=1)
    assert "4 read, 3 released, 1 withheld" in done.out
    assert "about.csv: 1 id is of no document here: letter 9.txt" in done.err
    assert "about.csv: 1 document is not in it, so its own subjects, else its id, count: letter 3" in done.err
    certificate = json.loads((office / "out.certificate.json").read_text())
    assert certificate["documents"]["not_read"] == 0  # what the table lacks is no file that was not read
    (office / "letters" / "broken.txt").write_bytes(b"\xff\xfe\xfa")
    assert "broken.txt" in run(*base, "--subject-table", office / "about.csv", expect=1).err
    certificate = json.loads((office / "out.certificate.json").read_text())
    assert certificate["documents"]["not_read"] == 1
    (office / "about.csv").write_text("id;subjects\nletter;n0\n")
    assert (
        "not one of its ids (letter) is that of a document"
        in run(*base, "--subject-table", office / "about.csv", expect=2).err
    )
    assert (
        "is another file of this run"
        in run(*base, "--subject-table", office / "about.csv", "--report", office / "about.csv", expect=2).err
    )


def test_people_who_are_missing_from_the_background(office: Path, run: Run) -> None:
    done = run(
        "protect", office / "letters", "--out", office / "out", "--background", office / "some.csv", "--k", 2, *QUICK,
        expect=1,
    )  # fmt: skip
    assert "4 read, 2 released, 2 withheld" in done.out
    assert "2 documents withheld, each because: it is about nobody in the background" in done.err
    assert "n0.txt" in done.err
    assert "n1.txt" in done.err
    assert sorted(path.name for path in (office / "out").iterdir()) == ["n2.txt", "n3.txt"]


def test_one_document(office: Path, run: Run) -> None:
    letter = office / "letters" / "n0.txt"
    done = run("protect", letter, "--out", office / "n0.txt", "--background", office / "people.csv", "--k", 2, *QUICK)
    assert "of the people in 1 release " in done.out
    assert "With 1 release a limit of" in done.out
    alone = run("protect", letter, "--out", office / "other.txt", "--k", 3, expect=2).err
    assert "one person is too few to hide among 3" in alone
    assert "--background" in alone


def test_a_target_beyond_the_background(office: Path, run: Run) -> None:
    base = ("protect", office / "letters", "--out", office / "out", "--background", office / "people.csv")
    assert "holds 24 people, so nobody can hide among 25" in run(*base, "--k", 25, expect=2).err
    assert sorted(path.name for path in office.iterdir()) == ["cases.csv", "letters", "people.csv", "some.csv"]


def test_without_a_background_it_says_that_nothing_was_verified(office: Path, run: Run) -> None:
    done = run("protect", office / "letters", "--out", office / "out", "--k", 3)
    assert done.out.startswith("Nothing was verified: without a background")
    assert "met" not in done.out.splitlines()[0]
    parsed = json.loads(run("protect", office / "letters", "--out", office / "again", "--k", 3, "--json").out)
    assert (parsed["protection"]["guarantee"], parsed["protection"]["met"]) == ("population", False)
    assert "Nothing was verified" in run("certificate", office / "out.certificate.json", office / "out", expect=1).out


def test_insisting_and_a_budget_alone_release_what_misses(office: Path, run: Run) -> None:
    base = ("protect", office / "letters", "--background", office / "people.csv", *QUICK)
    strict = run(*base, "--out", office / "a", "--k", 11, "--budget", 0, expect=1)
    assert "more information to go than the budget allows" in strict.err
    assert not (office / "a").exists()
    for name, options in {"b": ("--k", 11, "--release-anyway"), "c": ()}.items():
        done = run(*base, "--out", office / name, "--budget", 0, *options, expect=1)
        assert done.out.startswith("The target was missed")
        assert "4 documents that could not be brought to the target went out as well, as asked." in done.out
        assert len(list((office / name).iterdir())) == 4


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--k", "3", "--attack", "bm25"], "verifying takes a background"),
        (["--k", "1"], "it takes 2 people or more"),
        (["--k", "5", "--target-risk", "0.09"], "contradict each other"),
        (["--target-risk", "0.9"], "at most 0.5"),
        (["--target-risk", "nan"], "target risk is"),
        (["--k", "3", "--budget", "1.5"], "between 0 and 1"),
        (["--k", "3", "--budget", "-0.1"], "between 0 and 1"),
        (["--k", "3", "--attacker-knowledge", "0.5"], "the attacker knowledge is 0.5"),
        (["--k", "3", "--attacker-knowledge", "nan"], "the attacker knowledge is nan"),
        (["--background", "people.csv", "--attack", "telepathy"], "no attack 'telepathy'"),
        (["--background", "nowhere.csv"], "nowhere.csv: there is no such file"),
        (["--k", "3", "--report", "out/r.html"], "given away"),
        (["--k", "3", "--report", "letters/r.html"], "lies in the input folder"),
        (["--k", "3", "--certificate", "letters/c.json"], "lies in the input folder"),
        (["--background", "people.csv", "--report", "people.csv"], "another file of this run"),
        (["--k", "3", "--report", "x", "--certificate", "x"], "another file of this run"),
        (["--k", "3", "--report", "x", "--audit", "x"], "another file of this run"),
    ],
)
def test_contradictions_are_told_before_any_work(
    options: list[str], said: str, office: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(office)
    before = {path: path.read_bytes() for path in office.rglob("*") if path.is_file()}
    assert said in run("protect", "letters", "--out", "out", *options, expect=2).err
    assert {path: path.read_bytes() for path in office.rglob("*") if path.is_file()} == before


def test_a_release_into_the_current_folder_has_its_certificate_beside_it(
    office: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    (office / "here").mkdir()
    monkeypatch.chdir(office / "here")
    run("protect", "../letters", "--out", ".", "--background", "../people.csv", "--k", 2, *QUICK)
    assert (office / "here.certificate.json").exists()
    assert len(list((office / "here").glob("*.txt"))) == 4


def test_files_of_an_earlier_run_are_told(office: Path, run: Run) -> None:
    (office / "out").mkdir()
    (office / "out" / "n9.txt").write_text("From an earlier run.")
    base = ("protect", office / "letters", "--out", office / "out", "--background", office / "people.csv", "--k", 2)
    assert "holds a file that is not of this release (the first: n9.txt)" in run(*base, *QUICK, expect=1).err
    (office / "out" / "n9.txt").unlink()
    run(*base, *QUICK)


def test_two_documents_of_one_id_are_an_error(office: Path, run: Run) -> None:
    (office / "twice").mkdir()
    for name in ("a", "b"):
        (office / "twice" / f"{name}.json").write_text(
            json.dumps({"n0": "The baker came home.", f"n{name}": "He left."})
        )
    done = run(
        "protect", office / "twice", "--out", office / "out", "--background", office / "people.csv", "--k", 2, *QUICK,
        expect=2,
    )  # fmt: skip
    assert "two documents have the id 'n0'" in done.err
    assert "baker" not in done.err


def reader(handler: Handler, sent: dict[str, Any], number: int) -> None:
    """Lists two facts, and cannot tell whom they fit."""
    chooses = "The people:" in sent["messages"][-1]["content"]
    said = {"person": 0, "certainty": 0, "evidence": []} if chooses else {"facts": ["a clerk", "a town"]}
    handler.say(200, answer(json.dumps(said)))


def test_a_language_model_reads_the_protected_letters_once(office: Path, run: Run) -> None:
    with serving(reader, models("tiny", max_model_len=32_000)) as server:
        done = run(
            "protect", office / "letters", "--out", office / "out", "--background", office / "people.csv", "--k", 2,
            *QUICK, "--attack", "chat-link", "--chat", server.url, "--json",
        )  # fmt: skip
    protection = json.loads(done.out)["protection"]
    assert len(server.posted) == 2 * protection["released"] == 8
    assert protection["after"]["chat-link"]["risk"] == 0
    assert "chat-link" not in protection["before"]
    certificate = json.loads((office / "out.certificate.json").read_text(encoding="utf-8"))
    assert "chat-link" in certificate["verified"][0]["attacks"]


def test_a_protected_release_needs_a_place(office: Path, run: Run) -> None:
    assert "--out" in run("protect", office / "letters", "--k", 3, "--preview", 1, expect=2).err
