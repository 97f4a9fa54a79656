"""Who stands for whom: the assignments from entity to replacement, consistent within a scope."""

from __future__ import annotations

import hashlib
import hmac
import secrets
import threading
from collections.abc import Callable, Iterable
from typing import Literal, Protocol

from sfumato.document import Document
from sfumato.errors import KeyProblem
from sfumato.vault.key import Key

Scope = Literal["document", "corpus"]

Candidates = Callable[[int], Iterable[str]]
"""Given how many assignments its kind has already, the replacements to try, best first."""


class Store(Protocol):
    """Where assignments are kept."""

    def assign(self, scope: str, kind: str, entity: str, candidates: Candidates) -> str:
        """What the entity was assigned, or else the first candidate that nobody in the scope has yet."""
        ...

    def forget(self, scope: str) -> None:
        """The scope will not be asked for again in this run."""
        ...


class MemoryStore:
    """Assignments of this process, for runs that need not be undone."""

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
    """The first candidate that is not taken."""
    for candidate in candidates:
        if not taken(candidate):
            return candidate
    raise ValueError("a replacer ran out of replacements")


class Ledger:
    """What replacers share: assignments by entity, and secrets by purpose."""

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
        """Say that a document is done, so that memory does not grow with the number of documents."""
        if self.scope == "document":
            self._store.forget(self._scope_of(document))

    def _scope_of(self, document: Document) -> str:
        return "corpus" if self.scope == "corpus" else f"document/{document.id}"

    @property
    def key(self) -> Key:
        """The user's key, for replacers that cannot work without one."""
        if self._key is None:
            raise KeyProblem(
                "hash and encrypt need a key: give a key file (--key-file FILE, made if it is new, or key_file=...)"
            )
        return self._key

    def random_bytes(self, document: Document, purpose: str, *parts: str) -> bytes:
        """Secret bytes that are the same whenever the same thing is asked within the scope, and guessable by nobody.

        They come from the user's key where there is one, so that later runs agree; otherwise from this run's secret.
        """
        scope = () if self.scope == "corpus" else (document.id,)
        return self.corpus_bytes(purpose, *scope, *parts)

    def corpus_bytes(self, purpose: str, *parts: str) -> bytes:
        """The same for things that do not depend on the document."""
        secret = self._key.derive("random") if self._key else self._secret
        message = "\0".join((purpose, *parts)).encode("utf-8", "surrogatepass")
        return hmac.new(secret, message, hashlib.sha256).digest()
