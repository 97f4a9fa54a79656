"""Assignments in a ledger, and secret bytes by key and scope."""

from __future__ import annotations

import pytest

from sfumato.document import Document
from sfumato.errors import EncryptionKeyError
from sfumato.vault.key import Key
from sfumato.vault.ledger import Ledger, MemoryStore, first_free

ONE, TWO = Document("1", "x"), Document("2", "x")


def test_secret_bytes_are_the_same_within_a_scope_and_nowhere_else() -> None:
    by_document, by_corpus = Ledger(secret=b"s" * 32), Ledger(secret=b"s" * 32, scope="corpus")
    asked = [by_document.random_bytes(ONE, "shift", "anna"), by_document.random_bytes(TWO, "shift", "anna")]
    assert asked[0] != asked[1]
    assert by_document.random_bytes(ONE, "shift", "anna") == asked[0]
    assert by_corpus.random_bytes(ONE, "shift", "anna") == by_corpus.random_bytes(TWO, "shift", "anna")
    assert by_corpus.random_bytes(ONE, "shift", "anna") == by_corpus.corpus_bytes("shift", "anna")
    others = [by_document.random_bytes(ONE, *what) for what in (("shift",), ("shift", "boris"), ("name", "anna"))]
    assert len({*asked, *others}) == 5
    assert {len(drawn) for drawn in (*asked, *others)} == {32}
    assert by_document.random_bytes(ONE, "shift", "\ud800")


def test_secret_bytes_come_from_the_key_or_else_from_the_run() -> None:
    def drawn(ledger: Ledger) -> bytes:
        return ledger.random_bytes(ONE, "shift")

    key = Key(b"k" * 16)
    assert drawn(Ledger(key=key)) == drawn(Ledger(key=key, secret=b"another"))
    assert drawn(Ledger(key=key)) != drawn(Ledger(key=Key(b"l" * 16)))
    assert drawn(Ledger(secret=b"run")) == drawn(Ledger(secret=b"run")) != drawn(Ledger(secret=b"other run"))
    assert drawn(Ledger()) != drawn(Ledger())
    assert Ledger(key=key).key is key
    with pytest.raises(EncryptionKeyError, match="need a key"):
        _ = Ledger().key


def test_assignments_are_kept_where_it_is_said_or_else_by_the_ledger_itself() -> None:
    store = MemoryStore()
    assert Ledger(store).assign(ONE, "k", "anna", lambda taken: ["A"]) == "A"
    assert Ledger(store).assign(ONE, "k", "anna", lambda taken: ["B"]) == "A"
    assert Ledger().assign(ONE, "k", "anna", lambda taken: ["B"]) == "B"


def test_a_corpus_is_not_forgotten_with_its_first_document() -> None:
    ledger = Ledger(MemoryStore(), scope="corpus")
    assert ledger.assign(ONE, "k", "anna", lambda taken: ["A"]) == "A"
    ledger.finish(ONE)
    assert ledger.assign(TWO, "k", "anna", lambda taken: ["B"]) == "A"


def test_what_runs_out_says_so() -> None:
    assert first_free(["a", "b"], {"a"}.__contains__) == "b"
    with pytest.raises(ValueError, match="ran out"):
        first_free(["a"], {"a"}.__contains__)
