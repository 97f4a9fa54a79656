"""``sfumato certificate`` as a user runs it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sfumato.protection.certificate import write_certificate
from tests.cli.test_commands import sfumato
from tests.protection.certificate_samples import protection, released


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_certificate(tmp_path / "certificate.json", protection(), released(tmp_path / "out"), tmp_path / "out")
    return tmp_path


def test_in_words_what_was_guaranteed_and_that_these_are_the_files(folder: Path) -> None:
    shown = sfumato("certificate", folder / "certificate.json", folder / "out").stdout
    assert shown.startswith("The target was met in this sample, but so few releases do not show it: ")
    for part in (
        "target: at most 9.1 % found, each person among 11 or more who fit as well",
        "5 % (95 % interval 0.9 % to 24 %)",
        "what it does not say: Someone who knows more",
        "20 released, 2 withheld (2: … still has rank …)",
        "4.2 % of a document's information on average (scorer bert); repairs: a wider word (40), removed, with a "
        "mark of omission (20)",
        "All 3 files named in the certificate are here and unchanged.",
        "The seal is intact",
    ):
        assert part in shown


def test_files_that_do_not_belong(folder: Path) -> None:
    (folder / "out" / "a.txt").write_text("PERSON_1 dances.")
    (folder / "out" / "more" / "a.txt").unlink()
    (folder / "out" / "new.txt").write_text("PERSON_1 rows.")
    done = sfumato("certificate", folder / "certificate.json", folder / "out", expect=1)
    assert "do not belong together: 1 changed, 1 missing, 1 not in the certificate." in done.stdout
    assert [line.split(":")[0] for line in done.stderr.splitlines()] == ["a.txt", "more/a.txt", "new.txt"]
    parsed = json.loads(sfumato("certificate", folder / "certificate.json", folder / "out", "--json", expect=1).stdout)
    assert (parsed["belongs"], parsed["met"], parsed["seal"]) == (False, True, "intact")
    assert [(finding["kind"], finding["file"]) for finding in parsed["findings"]] == [
        ("changed", "a.txt"),
        ("missing", "more/a.txt"),
        ("unknown", "new.txt"),
    ]
    assert parsed["certificate"] == json.loads((folder / "certificate.json").read_text("utf-8"))


def test_a_target_that_was_not_met_and_a_broken_seal(folder: Path) -> None:
    path = folder / "certificate.json"
    missed = protection(verified={"dense": [14] * 3 + [*range(20, 37)]})
    write_certificate(path, missed, released(folder / "out"), folder / "out")
    done = sfumato("certificate", path, folder / "out", expect=1)
    assert done.stdout.startswith("The target was missed: ")
    assert "All 3 files" in done.stdout
    assert done.stderr == "the certificate says that the target was missed\n"
    path.write_text(path.read_text("utf-8").replace('"met": false', '"met": true'), encoding="utf-8")
    done = sfumato("certificate", path, folder / "out", expect=1)
    assert "The seal is broken" in done.stdout
    assert "certificate.json: the certificate was changed" in done.stderr


def test_errors_say_what_to_do(folder: Path) -> None:
    swapped = sfumato("certificate", folder / "out" / "a.txt", folder / "certificate.json", expect=2).stderr
    assert "name the certificate of the release first" in " ".join(swapped.split())
    (folder / "empty").mkdir()
    assert "holds no file" in sfumato("certificate", folder / "certificate.json", folder / "empty", expect=2).stderr
