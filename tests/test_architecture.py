"""The ways through the house, as docs/architecture.md draws them, are the ways that the commands take."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import sfumato
from sfumato.cli.app import main
from sfumato.llm.replay import RecordingChat
from tests.chats import obedient

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
HOUSE = f"{Path(sfumato.__file__).parent}/"
STATION = re.compile(r"\b([a-z_0-9.]+:[A-Za-z_.]+)")


def drawn(title: str) -> list[str]:
    """The stations of a section, in the order of the page."""
    section = PAGE.split(f"\n## {title}\n")[1].split("\n## ")[0]
    (diagram,) = re.findall(r"```\n(.*?)```", section, re.DOTALL)
    return STATION.findall(diagram)


@contextmanager
def calls() -> Iterator[list[str]]:
    """Every function of the package that is entered, as ``module:function``, once."""
    seen: dict[str, None] = {}

    def note(frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(HOUSE):
            module = code.co_filename.removeprefix(HOUSE).removesuffix(".py").removesuffix("/__init__")
            seen.setdefault(f"{module.replace('/', '.')}:{code.co_qualname}")

    found: list[str] = []
    before = sys.getprofile()
    sys.setprofile(note)
    try:
        yield found
    finally:
        sys.setprofile(before)
        found += seen


def way(monkeypatch: pytest.MonkeyPatch, stations: list[str], *arguments: object) -> list[str]:
    """The drawn stations that a command passes, in the order in which it first does."""
    monkeypatch.setattr(sys, "argv", ["sfumato", *map(str, arguments)])
    with calls() as passed, pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code in (0, 1)
    return [station for station in passed if station in stations]


def test_one_document(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    letter = ROOT / "examples" / "letters" / "tenancy.txt"
    stations = drawn("One document")
    arguments = ("anonymize", letter, "--out", tmp_path / "released.txt", "--audit", tmp_path / "audit.jsonl")
    assert way(monkeypatch, stations, *arguments) == stations


def test_one_rewrite(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    letter, record = tmp_path / "letter.txt", tmp_path / "answers.jsonl"
    text = "Tilda Quorvex lives in Oslo and repairs pianos. She sings in a choir."
    letter.write_text(text, encoding="utf-8")
    sfumato.anonymize(text, recipe="clinical-rewrite", chat=RecordingChat(obedient(), record))
    stations = drawn("One rewrite")
    arguments = ("anonymize", letter, "--out", tmp_path / "out.txt", "--recipe", "clinical-rewrite", "--chat")
    assert way(monkeypatch, stations, *arguments, f"replay:{record}") == stations


def test_one_background(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    cases = tmp_path / "cases.jsonl"
    lines = (ROOT / "examples-protect" / "cases.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    cases.write_text("".join(lines[:3]), encoding="utf-8")
    stations = drawn("One background")
    background = ("--background", ROOT / "examples-protect" / "people.csv", "--k", 3, "--attack", "bm25")
    arguments = ("anonymize", cases, "--out", tmp_path / "out.jsonl", *background, "--report", tmp_path / "report.html")
    assert way(monkeypatch, stations, *arguments) == stations


def test_every_room_is_named() -> None:
    rooms = {path.stem if path.is_file() else path.name for path in Path(HOUSE).iterdir() if path.suffix in ("", ".py")}
    missing = {room for room in rooms if not room.startswith("_") and not re.search(rf"`{room}(/|\.py)`", PAGE)}
    assert not missing
