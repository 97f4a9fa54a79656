"""What nothing here can read, such as scans and seals, is withheld from a protected release, or told."""

from __future__ import annotations

import json
from pathlib import Path

from sfumato.protection.target import Target
from sfumato.runs.anonymize import anonymize_files
from tests.formats.docx_files import paragraph, write_docx
from tests.formats.planted_containers import png
from tests.runs.protected_runs import TEXTS, make_run, seeded


def letters_with_pictures(folder: Path) -> Path:
    folder.mkdir()
    picture: dict[str, str | bytes] = {"word/media/image1.png": png(b"IDAT", b"")}
    for number, (key, text) in enumerate(TEXTS.items()):
        scan, seal = number == 0, number == 1
        write_docx(folder / f"{key}.docx", "<w:p/>" if scan else paragraph(text), picture if scan or seal else None)
    return folder


def test_what_holds_pictures_or_nothing_but_pictures_is_withheld(tmp_path: Path) -> None:
    folder = letters_with_pictures(tmp_path / "in")
    summary = anonymize_files([folder], tmp_path / "out", seeded(), protected_run=make_run(tmp_path))
    reasons = {Path(note.file).stem: note.reason for note in summary.withheld_documents}
    assert reasons["n0"].startswith("it holds no text but 1 image, which nothing here can read")
    assert reasons["n1"].startswith("it holds 1 image, which nothing here can read: take such parts out")
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["n2.docx", "n3.docx", "n4.docx"]
    assert summary.protection is not None
    assert {value.n for value in summary.protection.after.values()} == {3}
    assert (summary.unchecked, summary.unchecked_parts) == ([], {})


def test_release_anyway_releases_images_and_says_so_but_no_empty_text(tmp_path: Path) -> None:
    folder, report = letters_with_pictures(tmp_path / "in"), tmp_path / "report.html"
    own = make_run(tmp_path, Target(2, release_anyway=True), report=report)
    summary = anonymize_files([folder], tmp_path / "out", seeded(), protected_run=own)
    assert [Path(note.file).stem for note in summary.withheld_documents] == ["n0"]
    assert summary.unchecked == [f"{folder / 'n1.docx'}: 1 image"]
    assert summary.to_json()["unchecked_parts"] == {"image": 1}
    assert summary.protection is not None
    assert summary.protection.to_json()["unchecked"] == {"image": 1}
    said = json.loads((tmp_path / "certificate.json").read_text())["verdict"]["sentence"]
    assert "1 image went out as well, as asked: nothing here can read such parts" in said
    assert "1 image went out as well, as asked" in report.read_text()


def test_pictures_of_a_plain_run_are_counted_when_they_go_out(tmp_path: Path) -> None:
    summary = anonymize_files([letters_with_pictures(tmp_path / "in")], tmp_path / "out", seeded())
    assert (summary.released, summary.unchecked_parts) == (5, {"image": 2})
