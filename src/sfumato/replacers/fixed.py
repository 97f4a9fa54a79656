"""Replacements that need no knowledge of the span: nothing, a tag, a mask, a label, a hash, an encrypted token."""

from __future__ import annotations

import hashlib
import hmac

from sfumato.document import Document, Span
from sfumato.replacers.base import SpanReplacer, entity_of, numbered_label
from sfumato.vault.ledger import Ledger, TokenCipher


class Suppress(SpanReplacer):
    """Remove the span and leave nothing in its place."""

    def replacement(self, document: Document, span: Span) -> str:
        return ""


class Tag(SpanReplacer):
    """Put one fixed tag in place of every span."""

    def __init__(self, *, tag: str = "SENSITIVE") -> None:
        if not tag:
            raise ValueError("an empty tag removes the span: use 'suppress' for that")
        self._tag = tag

    def replacement(self, document: Document, span: Span) -> str:
        return self._tag


class Mask(SpanReplacer):
    """Put a mask character in place of every character but spaces; the length stays visible."""

    def __init__(self, *, character: str = "*", keep_last: int = 0) -> None:
        if len(character) != 1 or character.isalnum():
            raise ValueError(f"the mask character is one character, not a letter or digit; got {character!r}")
        if keep_last < 0:
            raise ValueError(f"keep_last is 0 or more, got {keep_last}")
        self._character = character
        self._keep_last = keep_last

    def replacement(self, document: Document, span: Span) -> str:
        text = document.text[span.start : span.end]
        hidden = max(len(text) - self._keep_last, (len(text) + 1) // 2)  # never show more than half
        masked = "".join(letter if letter.isspace() else self._character for letter in text[:hidden])
        return masked + text[hidden:]


class NumberedLabel(SpanReplacer):
    """Put the label with a running number per entity: the same person is always PERSON_1."""

    uses = ("ledger",)

    def __init__(self, *, ledger: Ledger) -> None:
        self._ledger = ledger

    def replacement(self, document: Document, span: Span) -> str:
        return numbered_label(self._ledger, document, span)


class KeyedHash(SpanReplacer):
    """Put the label with an HMAC-SHA-256 of the entity: the same for the same entity, and not reversible."""

    uses = ("ledger",)

    def __init__(self, *, ledger: Ledger, length: int = 16) -> None:
        if not 8 <= length <= 64:
            raise ValueError(f"length is 8 to 64 hexadecimal digits, got {length}")
        self._scope = ledger.scope
        self._key = ledger.key.derive("hash")
        self._length = length

    def replacement(self, document: Document, span: Span) -> str:
        scope = "" if self._scope == "corpus" else document.id
        message = "\0".join((scope, span.label, entity_of(document, span))).encode("utf-8", "surrogatepass")
        return f"{span.label}_{hmac.new(self._key, message, hashlib.sha256).hexdigest()[: self._length]}"


class Encrypt(SpanReplacer):
    """Put an encrypted token (AES-SIV, authenticated) that the key decrypts; the same in every run and of one document.

    With ``scope = "corpus"`` a value has the same token in all documents.
    """

    uses = ("ledger",)

    def __init__(self, *, ledger: Ledger) -> None:
        self._tokens = TokenCipher(ledger.key)
        self._scope = ledger.scope

    def replacement(self, document: Document, span: Span) -> str:
        owner = None if self._scope == "corpus" else document.id
        return self._tokens.encrypt(document.text[span.start : span.end], span.label, owner)
