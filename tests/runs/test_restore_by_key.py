"""Text released with the replacer ``encrypt`` comes back with the key alone."""

from __future__ import annotations

import stat
import sys
from pathlib import Path

import pytest

import sfumato
from sfumato import recipe as recipes
from sfumato.cli import main
from sfumato.runs.anonymize import anonymize_files
from sfumato.runs.restore import decrypt_files, restore_files
from sfumato.vault.key import Key
from sfumato.vault.store import Vault

TEXT = "Ms Ida Brandvik phoned 020 7946 0144.\n"
ENCRYPT = recipes.load("encrypt").with_changes(detect=[{"use": "rules"}])


@pytest.fixture
def key_file(tmp_path: Path) -> Path:
    Key.create(tmp_path / "encrypt.key")
    return tmp_path / "encrypt.key"


@pytest.fixture
def released(tmp_path: Path, key_file: Path) -> Path:
    (tmp_path / "letter.txt").write_text(TEXT)
    anonymize_files([tmp_path / "letter.txt"], tmp_path / "released.txt", ENCRYPT, key=Key.load(key_file))
    assert "Brandvik" not in (tmp_path / "released.txt").read_text()
    return tmp_path / "released.txt"


def test_the_command_needs_the_key_and_no_vault(
    released: Path, key_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    back = tmp_path / "back.txt"
    monkeypatch.setattr(
        sys, "argv", ["sfumato", "restore", str(released), "--key-file", str(key_file), "--out", str(back)]
    )
    with pytest.raises(SystemExit) as stopped:
        main()
    assert not stopped.value.code
    assert back.read_text() == TEXT
    assert stat.S_IMODE(back.stat().st_mode) == 0o600


def test_the_library_too(released: Path, key_file: Path) -> None:
    token = released.read_text().split()[0]
    assert sfumato.restore(f"Dear {token.lower()},", key_file=key_file) == "Dear Ms Ida Brandvik,"


def test_another_key_restores_nothing_and_says_so_once(released: Path, tmp_path: Path) -> None:
    summary = decrypt_files([released], tmp_path / "back.txt", Key.random())
    assert (tmp_path / "back.txt").read_text() == released.read_text()
    (problem,) = summary.problems
    assert "2 tokens are of another key" in str(problem)
    assert not summary.complete


@pytest.mark.parametrize(("text", "said"), [("PERSON_1 came.", "give the vault, too"), ("Nobody came.", "nothing was")])
def test_what_the_key_alone_cannot_restore(text: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "answer.txt").write_text(text)
    summary = decrypt_files([tmp_path / "answer.txt"], tmp_path / "back.txt", Key.random())
    (problem,) = summary.problems
    assert said in str(problem)


def test_a_document_is_named_only_with_a_vault(
    released: Path, key_file: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["restore", str(released), "--key-file", str(key_file), "--out", "x.txt", "--document", "letter"]
    monkeypatch.setattr(sys, "argv", ["sfumato", *arguments])
    with pytest.raises(SystemExit):
        main()
    assert "give the vault with --vault" in capsys.readouterr().err


def test_restored_originals_are_for_their_owner_only(tmp_path: Path, key_file: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "letter.txt").write_text(TEXT)
    (tmp_path / "in" / "rows.jsonl").write_text('{"id": "a", "text": "Ms Ida Brandvik came."}\n')
    with Vault(tmp_path / "vault.db", Key.load(key_file)) as vault:
        anonymize_files([tmp_path / "in"], tmp_path / "out", recipes.load("labels"), vault=vault, key=vault.key)
        restore_files([tmp_path / "out"], tmp_path / "back", vault)
        restore_files([tmp_path / "out"], tmp_path / "back.jsonl", vault)
    restored = [*(tmp_path / "back").iterdir(), tmp_path / "back.jsonl"]
    assert len(restored) == 3
    assert {stat.S_IMODE(path.stat().st_mode) for path in restored} == {0o600}
