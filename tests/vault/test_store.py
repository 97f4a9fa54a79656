"""What a vault stores: a stable format, several processes, many entries."""

from __future__ import annotations

import hmac
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from sfumato.document import Document, Edit, Release, Span
from sfumato.vault.key import Key
from sfumato.vault.store import Vault


@pytest.fixture
def vault(tmp_path: Path) -> Iterator[Vault]:
    with Vault.open(tmp_path / "v.db", tmp_path / "v.key") as opened:
        yield opened


def test_an_assignment_that_was_written_by_the_books_is_read(tmp_path: Path, vault: Vault) -> None:
    """Vaults outlive versions: lengths of eight bytes before each part, HMAC-SHA-256, AES-GCM bound to the tag."""
    key = Key.load(tmp_path / "v.key")

    def tag(*parts: str) -> bytes:
        message = b"".join(len(part.encode()).to_bytes(8, "big") + part.encode() for part in parts)
        return hmac.digest(key.derive("vault/index"), message, "sha256")

    space, entity, nonce = tag("space", "s", "k"), tag("entity", "s", "k", "anna"), b"n" * 12
    value = nonce + AESGCM(key.derive("vault/encrypt")).encrypt(nonce, "Märia".encode(), entity)
    with closing(sqlite3.connect(tmp_path / "v.db")) as raw:
        raw.execute("INSERT INTO assignment VALUES (?, ?, ?, ?, ?)", (space, entity, tag("taken", "Märia"), 4, value))
        raw.commit()
    assert vault.assign("s", "k", "anna", lambda taken: ["Peter"]) == "Märia"
    assert vault.assign("s", "k", "boris", lambda taken: ["Märia", f"Peter {taken}"]) == "Peter 4"


def test_who_comes_second_gets_what_the_first_one_chose(vault: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    vault.assign("s", "k", "anna", lambda taken: ["PERSON_1"])
    looked: list[bytes] = []
    assigned = Vault._assigned

    def late(self: Vault, space: bytes, tag: bytes) -> str | None:
        looked.append(tag)
        return assigned(self, space, tag) if len(looked) > 1 else None

    monkeypatch.setattr(Vault, "_assigned", late)  # as if another process chose after the first look
    assert vault.assign("s", "k", "anna", lambda taken: ["PERSON_2"]) == "PERSON_1"
    assert len(looked) == 2


def test_more_words_may_be_looked_up_than_one_query_takes(vault: Vault) -> None:
    names = [f"name{number}" for number in range(1300)]
    for name in (names[0], names[-1]):
        release = Release(Document("d", "Anna left."), (Edit(Span(0, 4, "PERSON", entity=name), name),))
        vault.record(release, "r")
    vault._database._connection.setlimit(sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER, 500)
    assert [mention.replacement for mention in vault.mentions("r", names)] == ["name0", "name1299"]


def test_a_file_comes_back_whole_and_no_other(vault: Vault) -> None:
    vault.record_file(b"released", b"original \0\xff" * 100)
    assert vault.original_file(b"released") == b"original \0\xff" * 100
    assert vault.original_file(b"something else") is None
    vault.record_file(b"released", b"newer")
    assert vault.original_file(b"released") == b"newer"


def test_a_closed_vault_is_one_file_that_only_its_owner_reads(tmp_path: Path) -> None:
    with Vault.open(tmp_path / "v.db", tmp_path / "v.key") as vault:
        vault.assign("s", "k", "anna", lambda taken: ["PERSON_1"])
    assert {path.name for path in tmp_path.iterdir()} == {"v.db", "v.key"}
    assert (tmp_path / "v.db").stat().st_mode & 0o777 == 0o600
