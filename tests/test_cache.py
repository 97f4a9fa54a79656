"""Keys of cached values cover every part, and the code; encrypted entries are bound to their place and their key."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato import cache
from sfumato.cache import EntryCipher, SqliteStore, cache_key, cache_version
from sfumato.errors import EncryptionKeyError

PARTS = st.recursive(st.none() | st.integers() | st.text(), lambda inner: st.lists(inner, max_size=3), max_leaves=6)


@given(PARTS, PARTS)
def test_a_key_covers_every_part(one: object, other: object) -> None:
    assert (cache_key(one) == cache_key(other)) == (json.dumps(one) == json.dumps(other))
    assert cache_key(one, other) == cache_key(one, other)
    assert cache_key(one) != cache_key(one, other)


def test_a_key_changes_with_the_version_of_the_code(monkeypatch: pytest.MonkeyPatch) -> None:
    before = cache_key("a document")
    monkeypatch.setattr(cache, "cache_version", lambda: "another version")
    assert cache_key("a document") != before


def test_the_version_covers_source_data_and_weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "data").mkdir()
    source, words, weights = tmp_path / "cache.py", tmp_path / "data" / "words.toml", tmp_path / "weights.onnx"
    source.write_text("x = 1")
    words.write_text("a = 1")
    weights.write_bytes(bytes(3 << 20))
    monkeypatch.setattr(cache, "__file__", str(source))

    def version() -> str:
        return cache_version.__wrapped__()

    seen = {version()}
    for change in (
        lambda: source.write_text("x = 2"),
        lambda: words.write_text("a = 2"),
        lambda: words.rename(tmp_path / "data" / "terms.toml"),
        lambda: weights.write_bytes(bytes((3 << 20) - 1) + b"1"),
        lambda: weights.write_bytes(bytes((3 << 20) + 1)),
    ):
        assert version() in seen
        change()
        assert version() not in seen
        seen.add(version())
    (tmp_path / "__pycache__").mkdir()
    (tmp_path / "__pycache__" / "cache.pyc").write_bytes(b"compiled")
    assert version() in seen


def test_a_stored_value_is_replaced_by_a_later_one(tmp_path: Path) -> None:
    store, other = SqliteStore(tmp_path / "a.sqlite"), SqliteStore(tmp_path / "a.sqlite")
    store.put(b"key", b"one")
    other.put(b"key", b"two")
    assert store.get(b"key") == other.get(b"key") == b"two"
    assert store.get(b"another key") is None
    store.close()
    other.close()


ONE, TWO = bytes(32), bytes([1]) * 32


def test_an_entry_is_decrypted_only_with_its_key_at_its_place_and_unchanged() -> None:
    cipher = EntryCipher(ONE, TWO, damaged="the entry is damaged")
    entry = cipher.encrypt(b"Mara Quill", b"place")
    assert cipher.decrypt(entry, b"place") == b"Mara Quill"
    assert entry != cipher.encrypt(b"Mara Quill", b"place")
    for other, value, place in (
        (cipher, entry, b"elsewhere"),
        (cipher, entry[:-1], b"place"),
        (cipher, b"", b"place"),
        (EntryCipher(TWO, ONE, damaged="the entry is damaged"), entry, b"place"),
    ):
        with pytest.raises(EncryptionKeyError, match="the entry is damaged"):
            other.decrypt(value, place)


def test_the_lookup_hash_depends_on_the_key_and_the_message() -> None:
    first, second = EntryCipher(ONE, TWO, damaged=""), EntryCipher(ONE, ONE, damaged="")
    assert first.index(b"a") == first.index(b"a")
    assert len({first.index(b"a"), first.index(b"b"), second.index(b"a")}) == 3


def test_opening_waits_for_another_that_creates_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One of them makes it a file with a log, for which SQLite itself does not wait."""
    path = tmp_path / "new.sqlite"
    with closing(sqlite3.connect(path, isolation_level=None)) as creator:
        creator.execute("CREATE TABLE entries (key BLOB PRIMARY KEY, value BLOB)")
        creator.execute("BEGIN IMMEDIATE")
        waited = []

        def finish(seconds: float) -> None:
            waited.append(seconds)
            creator.execute("ROLLBACK")

        monkeypatch.setattr(cache, "_PATIENCE", 0.2)
        monkeypatch.setattr(cache, "sleep", finish)
        assert SqliteStore(path).open().get(b"key") is None
    assert len(waited) == 1
