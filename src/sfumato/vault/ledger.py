"""Who stands for whom: the assignments from entity to replacement, consistent within a scope."""

from __future__ import annotations

import base64
import hashlib
import hmac
import os
import re
import secrets
import threading
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Literal, NamedTuple, Protocol

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESSIV

from sfumato.document import Document, Edit, Span
from sfumato.errors import EncryptionKeyError

# -- The secret that everything reversible hangs on.


_SHORTEST = 16


class Key:
    """A secret from a key file. Each use gets a key of its own, derived by HKDF-SHA-256, so uses cannot mix."""

    def __init__(self, material: bytes) -> None:
        if len(material) < _SHORTEST:
            raise EncryptionKeyError(
                f"a key has at least {_SHORTEST} bytes; make a new one by naming a file that does not exist"
            )
        self._material = material

    @classmethod
    def load(cls, path: str | Path) -> Key:
        """Read a key file: any file of at least 16 unguessable bytes; a final line break does not count."""
        try:
            material = Path(path).read_bytes()
        except FileNotFoundError:
            raise EncryptionKeyError(f"{path}: no such key file; give the one the vault was made with") from None
        except OSError as error:
            raise EncryptionKeyError(f"{path}: the key file cannot be read ({error.strerror})") from None
        try:
            return cls(material.rstrip(b"\r\n"))
        except EncryptionKeyError as problem:
            raise EncryptionKeyError(f"{path}: {problem}") from None

    @classmethod
    def create(cls, path: str | Path) -> Key:
        """Write a new random key, readable by its owner only. Never overwrites."""
        material = secrets.token_hex(32).encode()
        try:
            handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            raise EncryptionKeyError(f"{path}: exists already; a key is never overwritten") from None
        except OSError as error:
            raise EncryptionKeyError(f"{path}: the key file cannot be written ({error.strerror})") from None
        with os.fdopen(handle, "wb") as file:
            file.write(material + b"\n")
        return cls(material)

    @classmethod
    def random(cls) -> Key:
        """A key that nobody will have again."""
        return cls(secrets.token_bytes(32))

    def derive(self, purpose: str) -> bytes:
        """32 bytes for one purpose."""
        from cryptography.hazmat.primitives.hashes import SHA256
        from cryptography.hazmat.primitives.kdf.hkdf import HKDF

        return HKDF(SHA256(), 32, salt=None, info=f"sfumato/1/{purpose}".encode()).derive(self._material)


# -- Who stands for whom: the assignments from entity to replacement, consistent within a scope.


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
            raise EncryptionKeyError(
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


# -- One thing that a replacement stands for, and the words by which it is looked up.


_WORD = re.compile(r"\w+")
NUMBERED = re.compile(r"([^\W\d_]+)_(\d+)")
_WRITTEN = re.compile(r"([^\W\d_]+)(?:\\?_|-|\s+#?|)(\d+)")


class Mention(NamedTuple):
    """``replacement`` stands for ``original``, which is one way to name the ``entity``."""

    replacement: str
    label: str
    entity: str
    original: str

    def words(self) -> set[str]:
        """A numbered label is one word; any other replacement may turn up by each of its own."""
        if NUMBERED.fullmatch(self.replacement):
            return {self.replacement.casefold()}
        return {word.casefold() for word in _WORD.findall(self.replacement)}


def words_in(text: str) -> set[str]:
    """All words by which mentions in a text may be looked up: its own, and its labels however they are written."""
    words = {word.casefold() for word in _WORD.findall(text)}
    return words | {f"{label}_{number}".casefold() for label, number in _WRITTEN.findall(text)}


def written_forms(replacement: str) -> list[str]:
    """Language models write PERSON_1 also as "Person 1", "PERSON-1" or, in Markdown, "PERSON\\_1"."""
    numbered = NUMBERED.fullmatch(replacement)
    if numbered is None:
        return [replacement]
    label, number = numbered.groups()
    return [f"{label}{joint}{number}" for joint in ("_", " ", "-", "\\_", "", " #")]


# -- Values that carry their own original, readable with the key alone: ``ENC_`` and base32 of AES-SIV.
#
# AES-SIV is authenticated and deterministic: equal values give equal tokens in every run, and a changed token is
# noticed. The letters of base32 survive a change of case.


_TOKEN = re.compile(r"(?<!\w)ENC_([A-Z2-7]{26,})(?!\w)", re.IGNORECASE)


class Tokens:
    """Turns values into tokens and back."""

    def __init__(self, key: Key) -> None:
        self._cipher = AESSIV(key.derive("encrypt/mac") + key.derive("encrypt/cipher"))

    def encrypt(self, value: str, label: str) -> str:
        plain = f"{label}\0{value}".encode("utf-8", "surrogatepass")
        return "ENC_" + base64.b32encode(self._cipher.encrypt(plain, None)).decode().rstrip("=")

    def decrypt(self, text: str) -> Iterator[Edit]:
        """An edit for every token of ours in the text; tokens of another key, or changed ones, are left alone."""
        for match in _TOKEN.finditer(text):
            coded = match.group(1).upper()
            try:
                sealed = base64.b32decode(coded + "=" * (-len(coded) % 8))
                plain = self._cipher.decrypt(sealed, None).decode("utf-8", "surrogatepass")
            except (ValueError, InvalidTag):
                continue
            label, _, value = plain.partition("\0")
            yield Edit(Span(match.start(), match.end(), label), value, ("key",))


def decrypt_tokens(text: str, key: Key) -> tuple[Edit, ...]:
    return tuple(Tokens(key).decrypt(text)) if "enc_" in text.casefold() else ()
