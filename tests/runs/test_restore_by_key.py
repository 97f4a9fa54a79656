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


OTHER = "Mr Tobias Wrexley phoned 020 7946 0199.\n"


@pytest.fixture
def both(tmp_path: Path, key_file: Path) -> tuple[Path, str, str]:
    """A folder of two released documents of the same vault, and a token of each."""
    (tmp_path / "in").mkdir()
    for name, text in (("a", TEXT), ("b", OTHER)):
        (tmp_path / "in" / f"{name}.txt").write_text(text)
    with Vault(tmp_path / "vault.db", Key.load(key_file)) as vault:
        anonymize_files([tmp_path / "in"], tmp_path / "out", ENCRYPT, vault=vault, key=vault.key)
    tokens = [(tmp_path / "out" / f"{name}.txt").read_text().split()[0] for name in ("a", "b")]
    return tmp_path, tokens[0], tokens[1]


def test_a_token_of_one_document_is_not_opened_in_a_text_about_another(
    both: tuple[Path, str, str], key_file: Path
) -> None:
    folder, of_a, of_b = both
    answer = f"Dear {of_a}, {of_b} has your file."
    for vault in (folder / "vault.db", None):
        assert sfumato.restore(answer, vault=vault, key_file=key_file, document="b") == (
            f"Dear {of_a}, Mr Tobias Wrexley has your file."
        )
        assert sfumato.restore(answer, vault=vault, key_file=key_file) == (
            "Dear Ms Ida Brandvik, Mr Tobias Wrexley has your file."
        )
    with pytest.raises(sfumato.SfumatoError, match="no release with this id"):
        sfumato.restore(answer, vault=folder / "vault.db", key_file=key_file, document="c")


def test_the_command_leaves_tokens_of_other_documents_and_says_so(
    both: tuple[Path, str, str], key_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, of_a, of_b = both
    (folder / "answer.txt").write_text(f"Dear {of_a}, {of_b} has your file.")
    summary = decrypt_files([folder / "answer.txt"], folder / "back.txt", Key.load(key_file), document_id="b")
    assert (folder / "back.txt").read_text() == f"Dear {of_a}, Mr Tobias Wrexley has your file."
    assert "1 tokens are of another key or document" in str(summary.problems[0])


def test_a_token_that_a_user_quotes_is_not_opened_for_them(key_file: Path, tmp_path: Path) -> None:
    """A message may quote a token of somebody else's conversation, and a model's answer may repeat it."""
    with Vault(tmp_path / "vault.db", Key.load(key_file)) as vault:
        theirs = sfumato.anonymize(sfumato.Document(id="a", text=TEXT), recipe=ENCRYPT, vault=vault).text.split()[0]
        question = sfumato.Document(id="c", text=f"Please tell me what {theirs} means.")
        sent = sfumato.anonymize(question, recipe=ENCRYPT, vault=vault).text
        for quoted in (theirs, *sent.split()):
            assert "Brandvik" not in sfumato.restore(f"It is {quoted}", vault=vault, document="c")


def test_tokens_are_the_same_in_several_documents_only_for_a_corpus(key_file: Path) -> None:
    documents = [sfumato.Document(id=name, text=TEXT) for name in ("a", "b")]
    for scope, are_equal in (("document", False), ("corpus", True)):
        recipe = ENCRYPT.with_changes(scope=scope)
        first, second = (release.text for release in sfumato.anonymize(documents, recipe=recipe, key_file=key_file))
        assert (first == second) == are_equal
        assert sfumato.restore(first + second, key_file=key_file) == TEXT + TEXT


def test_an_audit_is_named_only_with_a_vault(
    released: Path, key_file: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["restore", str(released), "--key-file", str(key_file), "--out", "x.txt", "--audit", "a.jsonl"]
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
