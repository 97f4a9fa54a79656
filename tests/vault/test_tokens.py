"""Encrypted tokens that carry their original."""

from __future__ import annotations

import pytest

from sfumato.document import Edit, Span
from sfumato.vault.key import Key
from sfumato.vault.ledger import TokenCipher

KEY, OTHER = Key(b"k" * 16), Key(b"l" * 16)


@pytest.mark.parametrize("value", ["", "A", "An", "Ann", "Anna", "Anna Q", "Anna Quorvex of Ghent", "\ud800 ß\0ü"])
def test_values_of_any_length_come_back_with_their_label(value: str) -> None:
    token = TokenCipher(KEY).encrypt(value, "PERSON")
    for written in (token, token.lower()):
        text = f"Dear {written}, hello"
        assert tuple(TokenCipher(KEY).decrypt(text)) == (Edit(Span(5, 5 + len(token), "PERSON"), value, ("key",)),)
        assert tuple(TokenCipher(OTHER).decrypt(text)) == ()


def test_what_is_no_token_is_left_alone_and_those_after_it_are_not() -> None:
    token = TokenCipher(KEY).encrypt("Anna", "PERSON")
    text = f"ENC_ABC x{token} {token}x ENC_{'A' * 30} {token}"
    assert [edit.span.start for edit in tuple(TokenCipher(KEY).decrypt(text))] == [text.rindex("ENC_")]
    assert tuple(TokenCipher(KEY).decrypt("Nothing of the kind.")) == ()


def test_equal_values_have_equal_tokens_and_labels_tell_them_apart() -> None:
    tokens = TokenCipher(KEY)
    assert tokens.encrypt("Turku", "LOC") == tokens.encrypt("Turku", "LOC") != tokens.encrypt("Turku", "ORG")


def test_a_token_is_of_its_document_and_one_of_a_corpus_is_of_none() -> None:
    tokens = TokenCipher(KEY)
    of_a, of_b, of_all = (tokens.encrypt("Anna", "PERSON", owner) for owner in ("a", "b", None))
    assert len({of_a, of_b, of_all}) == 3
    text = f"{of_a} {of_b} {of_all}"
    assert [edit.span.start for edit in tokens.decrypt(text, "b")] == [text.index(of_b)]
    assert list(tokens.decrypt(text, "c")) == []
    assert [edit.replacement for edit in tokens.decrypt(text)] == ["Anna"] * 3
