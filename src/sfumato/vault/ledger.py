"""The ledger of assignments from entity to replacement, and encrypted tokens.

Assignments are consistent within a scope: a document, or the whole corpus.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
import secrets
import threading
from collections.abc import Callable, Iterable, Iterator
from typing import Literal, Protocol

from sfumato.document import Document, Edit, Span
from sfumato.errors import EncryptionKeyError
from sfumato.vault.key import Key

Scope = Literal["document", "corpus"]

Candidates = Callable[[int], Iterable[str]]
"""Given the number of assignments of the same kind, the replacements to try, best first."""


class Store(Protocol):
    """Where assignments are stored."""

    def assign(self, scope: str, kind: str, entity: str, candidates: Candidates) -> str:
        """The entity's replacement, or else the first candidate that no other entity in the scope has."""
        ...

    def forget(self, scope: str) -> None:
        """The scope is not used again in this run."""
        ...


class MemoryStore:
    """Assignments in memory, for runs that need not be restored."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._assigned: dict[str, dict[tuple[str, str], str]] = {}
        self._taken: dict[str, dict[str, set[str]]] = {}

    def assign(self, scope: str, kind: str, entity: str, candidates: Candidates) -> str:
        with self._lock:
            assigned = self._assigned.setdefault(scope, {})
            if (kind, entity) not in assigned:
                taken = self._taken.setdefault(scope, {}).setdefault(kind, set())
                value = first_free(candidates(len(taken)), taken.__contains__)
                assigned[kind, entity] = value
                taken.add(value)
            return assigned[kind, entity]

    def forget(self, scope: str) -> None:
        with self._lock:
            self._assigned.pop(scope, None)
            self._taken.pop(scope, None)


def first_free(candidates: Iterable[str], taken: Callable[[str], bool]) -> str:
    for candidate in candidates:
        if not taken(candidate):
            return candidate
    raise ValueError("a replacer ran out of replacements")


class Ledger:
    """What replacers share: assignments by entity, and secret random bytes by purpose."""

    def __init__(
        self,
        store: Store | None = None,
        *,
        scope: Scope = "document",
        key: Key | None = None,
        secret: bytes | None = None,
    ) -> None:
        self.scope = scope
        self._store = store or MemoryStore()
        self._key = key
        self._secret = secret or secrets.token_bytes(32)

    def assign(self, document: Document, kind: str, entity: str, candidates: Candidates) -> str:
        """The entity's replacement in the document's scope; ``candidates`` are tried when it has none yet."""
        return self._store.assign(self._scope_of(document), kind, entity, candidates)

    def finish(self, document: Document) -> None:
        """Forget a finished document, so that memory does not grow with their number."""
        if self.scope == "document":
            self._store.forget(self._scope_of(document))

    def _scope_of(self, document: Document) -> str:
        return "corpus" if self.scope == "corpus" else f"document/{document.id}"

    @property
    def key(self) -> Key:
        """The user's key, for replacers that cannot work without one."""
        if self._key is None:
            raise EncryptionKeyError(
                "hash and encrypt need a key: give a key file (--key-file FILE, made if it is new, or key_file=...)"
            )
        return self._key

    def random_bytes(self, document: Document, purpose: str, *parts: str) -> bytes:
        """Secret bytes, the same for the same purpose and parts within the scope.

        They come from the user's key where there is one, so that later runs agree; otherwise from this run's secret.
        """
        scope = () if self.scope == "corpus" else (document.id,)
        return self.corpus_bytes(purpose, *scope, *parts)

    def corpus_bytes(self, purpose: str, *parts: str) -> bytes:
        """The same, independent of the document."""
        secret = self._key.derive("random") if self._key else self._secret
        message = "\0".join((purpose, *parts)).encode("utf-8", "surrogatepass")
        return hmac.new(secret, message, hashlib.sha256).digest()


_TOKEN = re.compile(r"(?<!\w)ENC_([A-Z2-7]{26,})(?!\w)", re.IGNORECASE)


_HAS_OWNER = b"\1"
"""What a token of one document begins with; a token of a corpus, or of version 0.1, begins with its label."""
_OWNER = 9
"""Bytes that say which document a token is of, and this mark."""


def find_tokens(text: str) -> list[tuple[int, int]]:
    """Ranges of what looks like an encrypted token in a text."""
    return [match.span() for match in _TOKEN.finditer(text)]


class TokenCipher:
    """Encrypts values as tokens that carry their original: ``ENC_`` and base32 of AES-SIV.

    AES-SIV is authenticated and deterministic: equal values of a document give equal tokens in every run, and a changed
    token is noticed. A token says which document it is of, to whoever has the key. The letters of base32 survive a
    change of case.
    """

    def __init__(self, key: Key) -> None:
        from cryptography.hazmat.primitives.ciphers.aead import AESSIV

        self._cipher = AESSIV(key.derive("encrypt/mac") + key.derive("encrypt/cipher"))
        self._document_key = key.derive("encrypt/document")

    def encrypt(self, value: str, label: str, document_id: str | None = None) -> str:
        """``document_id``: the only document that the token is of; None where it is of a whole corpus."""
        plain = f"{label}\0{value}".encode("utf-8", "surrogatepass")
        if document_id is not None:
            plain = self._owner(document_id) + plain
        return "ENC_" + base64.b32encode(self._cipher.encrypt(plain, None)).decode().rstrip("=")

    def decrypt(self, text: str, document_id: str | None = None) -> Iterator[Edit]:
        """An edit for every token in the text that this key made; others, and changed ones, are left alone.

        ``document_id``: only tokens of this document; those of a corpus are left alone, too.
        """
        from cryptography.exceptions import InvalidTag

        for match in _TOKEN.finditer(text):
            encoded = match.group(1).upper()
            try:
                encrypted = base64.b32decode(encoded + "=" * (-len(encoded) % 8))
                plain = self._cipher.decrypt(encrypted, None)
            except (ValueError, InvalidTag):
                continue
            if document_id is not None and not plain.startswith(self._owner(document_id)):
                continue
            plain = plain[_OWNER:] if plain.startswith(_HAS_OWNER) else plain
            label, _, value = plain.decode("utf-8", "surrogatepass").partition("\0")
            yield Edit(Span(match.start(), match.end(), label), value, ("key",))

    def _owner(self, document_id: str) -> bytes:
        """Which document a token is of: a keyed hash of its id, short enough for a token in a text."""
        message = document_id.encode("utf-8", "surrogatepass")
        digest = hmac.new(self._document_key, message, hashlib.sha256).digest()
        return _HAS_OWNER + digest[: _OWNER - len(_HAS_OWNER)]
