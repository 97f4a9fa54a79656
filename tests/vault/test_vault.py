"""A vault's assignments are consistent, and unreadable without its key."""

from __future__ import annotations

import itertools
import multiprocessing
import sqlite3
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from sfumato.document import Document, Edit, Release, Span
from sfumato.errors import EncryptionKeyError, WrongArgument
from sfumato.vault.key import Key
from sfumato.vault.ledger import Ledger, MemoryStore, Store
from sfumato.vault.store import Vault


def numbers(taken: int) -> Iterator[str]:
    return (f"PERSON_{n}" for n in itertools.count(taken + 1))


@pytest.fixture
def vault(tmp_path: Path) -> Iterator[Vault]:
    with Vault.open(tmp_path / "v.db", tmp_path / "v.key") as opened:
        yield opened


@pytest.mark.parametrize("kind", ["memory", "vault"])
def test_an_entity_keeps_its_replacement_and_shares_it_with_nobody(kind: str, vault: Vault) -> None:
    store: Store = MemoryStore() if kind == "memory" else vault
    assert store.assign("s", "k", "anna", numbers) == "PERSON_1"
    assert store.assign("s", "k", "boris", numbers) == "PERSON_2"
    assert store.assign("s", "k", "anna", numbers) == "PERSON_1"
    assert store.assign("s", "k", "carla", lambda taken: ["PERSON_1", "PERSON_9"]) == "PERSON_9"
    assert store.assign("t", "k", "carla", numbers) == "PERSON_1"


def test_document_scope_starts_anew_with_each_document_and_corpus_scope_does_not(vault: Vault) -> None:
    one, two = Document("1", "x"), Document("2", "x")
    by_document, by_corpus = Ledger(vault), Ledger(vault, scope="corpus")
    assert by_document.assign(one, "k", "anna", numbers) == by_document.assign(two, "k", "boris", numbers) == "PERSON_1"
    assert by_corpus.assign(one, "k", "anna", numbers) == "PERSON_1"
    assert by_corpus.assign(two, "k", "boris", numbers) == "PERSON_2"


def test_memory_is_given_back_after_each_document() -> None:
    store = MemoryStore()
    ledger = Ledger(store)
    for n in range(50):
        document = Document(str(n), "x")
        ledger.assign(document, "k", "anna", numbers)
        ledger.finish(document)
    assert not store._assigned
    assert not store._taken


def test_later_runs_agree(tmp_path: Path) -> None:
    files = tmp_path / "v.db", tmp_path / "v.key"
    with Vault.open(*files) as first:
        first.assign("s", "k", "anna", numbers)
        assert first.assign("s", "k", "boris", numbers) == "PERSON_2"
    with Vault.open(*files) as second:
        assert second.assign("s", "k", "boris", numbers) == "PERSON_2"
        assert second.assign("s", "k", "carla", numbers) == "PERSON_3"


def test_threads_agree(vault: Vault) -> None:
    names = [f"name{n % 25}" for n in range(400)]
    with ThreadPoolExecutor(8) as pool:
        given = list(pool.map(lambda name: vault.assign("s", "k", name, numbers), names))
    by_name = dict(zip(names, given, strict=True))
    assert all(by_name[name] == value for name, value in zip(names, given, strict=True))
    assert sorted(by_name.values()) == sorted(f"PERSON_{n}" for n in range(1, 26))


def _assign_in_process(job: tuple[str, str, list[str]]) -> list[tuple[str, str]]:
    path, key, names = job
    with Vault.open(path, key) as vault:
        return [(name, vault.assign("s", "k", name, numbers)) for name in names]


def test_processes_agree(tmp_path: Path) -> None:
    path, key = str(tmp_path / "v.db"), str(tmp_path / "v.key")
    Vault.open(path, key).close()
    names = [f"name{n}" for n in range(30)]
    jobs = [(path, key, names[shift:] + names[:shift]) for shift in (0, 7, 13, 21)]
    with multiprocessing.get_context("spawn").Pool(4) as pool:
        results = [dict(pairs) for pairs in pool.map(_assign_in_process, jobs)]
    assert all(result == results[0] for result in results)
    assert len(set(results[0].values())) == 30


def test_without_the_key_nothing_is_readable(tmp_path: Path, vault: Vault) -> None:
    secret = "Quorvexia"
    vault.assign("s", "k", secret, lambda taken: [f"{secret}-surrogate"])
    document = Document(f"{secret}-id", f"{secret} was here.")
    vault.record(Release(document, (Edit(Span(0, 9, "PERSON", entity=f"person:{secret}"), "PERSON_1"),)), "released-7")
    vault.close()
    for file in tmp_path.glob("v.db*"):
        content = file.read_bytes()
        for known in (secret, secret.lower(), "PERSON_1", "released-7", "person"):
            assert known.encode() not in content
    other = Key.create(tmp_path / "other.key")
    with pytest.raises(EncryptionKeyError, match="does not open the vault"):
        Vault(tmp_path / "v.db", other)


def test_a_tampered_entry_is_noticed(tmp_path: Path, vault: Vault) -> None:
    vault.assign("s", "k", "anna", numbers)
    with sqlite3.connect(tmp_path / "v.db") as raw:
        (value,) = raw.execute("SELECT value FROM assignment").fetchone()
        raw.execute("UPDATE assignment SET value = ?", (value[:-1] + bytes([value[-1] ^ 1]),))
    raw.close()
    with pytest.raises(EncryptionKeyError, match="damaged"):
        vault.assign("s", "k", "anna", numbers)


def test_keys(tmp_path: Path) -> None:
    path = tmp_path / "k"
    Key.create(path)
    assert path.stat().st_mode & 0o777 == 0o600
    assert Key.load(path).derive("a") == Key.load(path).derive("a") != Key.load(path).derive("b")
    with pytest.raises(EncryptionKeyError, match="never overwritten"):
        Key.create(path)
    with pytest.raises(EncryptionKeyError, match="no such key file"):
        Key.load(tmp_path / "missing")
    (tmp_path / "short").write_text("123")
    with pytest.raises(EncryptionKeyError, match="at least 16 bytes"):
        Key.load(tmp_path / "short")
    (tmp_path / "v.db").touch()
    with pytest.raises(EncryptionKeyError, match="no such key file"):  # a typing error must not make a second key
        Vault.open(tmp_path / "v.db", tmp_path / "typo")


def test_a_file_that_is_no_vault_is_refused_and_left_as_it_was(tmp_path: Path) -> None:
    Key.create(tmp_path / "k")
    (tmp_path / "letter.txt").write_text("Dear all")
    (tmp_path / "letter.txt").chmod(0o644)
    with pytest.raises(EncryptionKeyError, match="not a vault"):
        Vault.open(tmp_path / "letter.txt", tmp_path / "k")
    assert (tmp_path / "letter.txt").stat().st_mode & 0o777 == 0o644
    (tmp_path / "v.db").write_text("this is not a database, but it is long enough to be read as one" * 20)
    with pytest.raises(EncryptionKeyError, match="not a vault"):
        Vault.open(tmp_path / "v.db", tmp_path / "k")
    with pytest.raises(EncryptionKeyError, match="no such vault"):
        Vault.open_existing(tmp_path / "none", tmp_path / "k")


def test_a_closed_vault_says_so(tmp_path: Path) -> None:
    with Vault.open(tmp_path / "v.db", tmp_path / "v.key") as vault:
        pass
    uses: list[Callable[[], object]] = [
        lambda: vault.assign("s", "k", "anna", numbers),
        lambda: vault.original_id("d"),
    ]
    for use in uses:
        with pytest.raises(WrongArgument, match="closed"):
            use()


@pytest.mark.parametrize("open_vault", [Vault.open, Vault.open_existing])
def test_a_file_without_a_byte_is_a_damaged_vault(open_vault: Callable[[Path, Path], Vault], tmp_path: Path) -> None:
    with Vault.open(tmp_path / "v.db", tmp_path / "v.key"):
        pass
    (tmp_path / "v.db").write_bytes(b"")
    with pytest.raises(EncryptionKeyError, match=r"damaged: the file is empty; put it back"):
        open_vault(tmp_path / "v.db", tmp_path / "v.key")
    assert (tmp_path / "v.db").read_bytes() == b""
