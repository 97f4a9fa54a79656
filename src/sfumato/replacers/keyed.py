"""Replacements made with the user's key: a hash to link by, a token to read back."""

from __future__ import annotations

import hashlib
import hmac

from sfumato.document import Document, Span
from sfumato.replacers.base import SpanReplacer, entity_of
from sfumato.vault.ledger import Ledger
from sfumato.vault.tokens import Tokens


class KeyedHash(SpanReplacer):
    """Put the label with an HMAC-SHA-256 of the entity: linkable with the key's owner's consent, readable by nobody."""

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
    """Put an encrypted token (AES-SIV, authenticated, the same in every run) that the key turns back."""

    def __init__(self, *, ledger: Ledger) -> None:
        self._tokens = Tokens(ledger.key)

    def replacement(self, document: Document, span: Span) -> str:
        return self._tokens.encrypt(document.text[span.start : span.end], span.label)
