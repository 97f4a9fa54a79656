"""One message for one problem."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from sfumato.cli import main


def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> str:
    """What a command that fails prints on standard error."""
    monkeypatch.setattr(sys, "argv", ["sfumato", *map(str, arguments)])
    with pytest.raises(SystemExit) as stopped:
        main()
    assert stopped.value.code == 2
    return capsys.readouterr().err


@pytest.mark.parametrize(
    "command",
    [
        ["anonymize", "a.pdf", "--out", "out.txt"],
        ["protect", "a.pdf", "--out", "out.txt"],
        ["detect", "a.pdf", "--out", "spans.jsonl"],
        ["measure", "a.pdf", "b.txt"],
        ["measure", "b.txt", "a.pdf"],
        ["attack", "b.txt", "b.txt", "--background", "a.pdf"],
    ],
    ids=" ".join,
)
def test_a_file_that_cannot_be_read_is_reported_once(
    command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.pdf").write_bytes(b"%PDF")
    (tmp_path / "b.txt").write_text("Hello.")
    monkeypatch.chdir(tmp_path)
    printed = run(monkeypatch, capsys, *command)
    assert printed.count("convert to .txt") == 1
    assert printed.count("a.pdf") == 1
    assert printed.count("\n") == 1


def test_several_are_reported_once_each(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("a.pdf", "b.pdf"):
        (tmp_path / name).write_bytes(b"%PDF")
    printed = run(monkeypatch, capsys, "anonymize", tmp_path, "--out", tmp_path.parent / "out")
    assert printed.count("a.pdf") == printed.count("b.pdf") == 1
    assert printed.splitlines()[-1] == "sfumato: no document could be read"
