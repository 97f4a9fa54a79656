"""Answers kept by content: asked once, a question costs nothing again, and a run that was stopped goes on.

Each answer is written down as it comes in. With a secret the file shows how many answers it holds and how long they
are, and nothing else; without one, answers lie there readable, though the questions do not.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import sqlite3
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, Protocol

from sfumato.errors import EncryptionKeyError, OutputError
from sfumato.llm.chat import Chat, Reply, Request, ChatWrapper, each
from sfumato.models.cache import opened

# -- The file that answers are kept in, open or sealed.


FILE = "chat.sqlite"
_CHECK = "sfumato chat cache 1"
_KEPT = ("text", "prompt_tokens", "generated_tokens", "seconds", "logprobs", "cut")


class Sealed(Protocol):
    """How a key is looked up and an answer written down."""

    def index(self, key: str) -> bytes: ...

    def seal(self, value: bytes, place: bytes) -> bytes: ...

    def open(self, value: bytes, place: bytes) -> bytes: ...


class Answers:
    """The file of answers. Safe to share between threads and processes; opened when it is first needed."""

    def __init__(self, folder: Path, secret: bytes | None) -> None:
        self._folder, self._secret = folder, secret
        self._lock = threading.Lock()
        self._base: sqlite3.Connection | None = None
        self._pid = os.getpid()
        self._seal: Sealed = Plain() if secret is None else Encrypted(secret)

    def get(self, key: str) -> Reply | None:
        place = self._seal.index(key)
        with self._using() as base:
            row = base.execute("SELECT value FROM answers WHERE key = ?", (place,)).fetchone()
        return None if row is None else _read(self._seal.open(row[0], place))

    def put(self, key: str, reply: Reply) -> None:
        place = self._seal.index(key)
        row = (place, self._seal.seal(_written(reply), place))
        with self._using() as base:
            base.execute("INSERT OR IGNORE INTO answers VALUES (?, ?)", row)

    def close(self) -> None:
        with self._lock:
            if self._base is not None:
                self._base.close()
            self._base = None

    @contextmanager
    def _using(self) -> Iterator[sqlite3.Connection]:
        with self._lock:
            try:
                if self._base is None or self._pid != os.getpid():
                    self._base, self._pid = self._opened(), os.getpid()
                yield self._base
            except (OSError, sqlite3.Error) as error:
                raise OutputError(
                    f"{self._folder}: no answers can be kept there ({type(error).__name__}): choose another folder"
                ) from None

    def _opened(self) -> sqlite3.Connection:
        path = self._folder / FILE
        base = opened(path)
        try:
            base.execute("CREATE TABLE IF NOT EXISTS answers (key BLOB PRIMARY KEY, value BLOB) WITHOUT ROWID")
            base.execute("CREATE TABLE IF NOT EXISTS about (name TEXT PRIMARY KEY, value BLOB) WITHOUT ROWID")
            self._check(base, path)
        except BaseException:
            base.close()
            raise
        return base

    def _check(self, base: sqlite3.Connection, path: Path) -> None:
        """Whether this is the secret that the file was made with."""
        made = (b"check", self._seal.seal(_CHECK.encode(), b"check"))
        base.execute("INSERT OR IGNORE INTO about VALUES (?, ?)", (made[0].decode(), made[1]))
        (found,) = base.execute("SELECT value FROM about WHERE name = 'check'").fetchone()
        try:
            if self._seal.open(found, b"check") == _CHECK.encode():
                return
        except EncryptionKeyError:
            pass
        if found == _CHECK.encode():
            raise EncryptionKeyError(
                f"{path}: the answers there are not encrypted: leave out the key, or choose another folder"
            )
        if self._secret is None:
            raise EncryptionKeyError(
                f"{path}: the answers there are encrypted: give --chat-key FILE with their key, or another folder"
            )
        raise EncryptionKeyError(
            f"{path}: the answers there were encrypted with another key: give that one, or another folder"
        )

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_base": None, "_lock": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._lock = threading.Lock()


class Plain:
    """Answers readable, questions as SHA-256: whoever guesses a question whole can confirm it."""

    def index(self, key: str) -> bytes:
        return hashlib.sha256(key.encode("utf-8", "surrogatepass")).digest()

    def seal(self, value: bytes, place: bytes) -> bytes:
        return value

    def open(self, value: bytes, place: bytes) -> bytes:
        return value


class Encrypted:
    """AES-256-GCM, bound to the place it stands at; questions as HMAC, so that nobody can confirm a guess."""

    def __init__(self, secret: bytes) -> None:
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM

        if len(secret) != 32:
            raise EncryptionKeyError("the secret of a chat cache has 32 bytes; derive it from a key")
        # Two keys from one, so that the two uses cannot mix.
        self._index = hmac.digest(secret, b"sfumato/chat/index", "sha256")
        self._cipher = AESGCM(hmac.digest(secret, b"sfumato/chat/encrypt", "sha256"))

    def index(self, key: str) -> bytes:
        return hmac.digest(self._index, key.encode("utf-8", "surrogatepass"), "sha256")

    def seal(self, value: bytes, place: bytes) -> bytes:
        nonce = os.urandom(12)
        return nonce + self._cipher.encrypt(nonce, value, place)

    def open(self, value: bytes, place: bytes) -> bytes:
        from cryptography.exceptions import InvalidTag

        try:
            return self._cipher.decrypt(value[:12], value[12:], place)
        except (InvalidTag, ValueError):
            raise EncryptionKeyError(
                "an answer in the chat cache cannot be opened with this key, or was changed"
            ) from None


def _written(reply: Reply) -> bytes:
    kept = {key: value for key, value in asdict(reply).items() if key in _KEPT}
    return json.dumps(kept, ensure_ascii=True, separators=(",", ":")).encode("ascii")


def _read(value: bytes) -> Reply:
    found: Mapping[str, Any] = json.loads(value)
    logprobs = found["logprobs"]
    return Reply(**{**found, "logprobs": None if logprobs is None else tuple(logprobs), "cached": True})


# -- Answers kept by content: asked once, a question costs nothing again, and a run that was stopped goes on.


class CachedChat(ChatWrapper):
    """A Chat that is asked once for the same. What failed is not kept, and asked for again the next time."""

    def __init__(self, chat: Chat, folder: str | Path, secret: bytes | None = None) -> None:
        """``secret``: 32 bytes that everything in the folder is encrypted with."""
        super().__init__(chat)
        self._answers = Answers(Path(folder), secret)

    def ask_unordered(self, requests: Sequence[Request]) -> Iterator[tuple[int, Reply]]:
        """What is known first, then the rest as it comes; the same question within a batch is asked once."""
        new: dict[str, list[int]] = {}
        for number, request in enumerate(requests):
            key = self._key(request)
            if key in new:
                new[key].append(number)
            elif (found := self._answers.get(key)) is not None:
                yield number, found
            else:
                new[key] = [number]
        keys = list(new)
        for at, reply in each(self.inner, [requests[new[key][0]] for key in keys]):
            if reply.failure is None:
                self._answers.put(keys[at], reply)
            first, *others = new[keys[at]]
            yield first, reply
            for number in others:
                yield number, reply if reply.failure is not None else replace(reply, cached=True)

    def close(self) -> None:
        self._answers.close()
        super().close()

    def _key(self, request: Request) -> str:
        return f"{self.name}\0{request.key}"
