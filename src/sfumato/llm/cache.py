"""A cache of a chat model's answers in a folder: the same request is sent once, and a stopped run resumes.

Each answer is stored as it arrives. With a secret the file shows how many answers it holds and how long they are, and
nothing else; without one, answers are stored in plain text, requests as hashes.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from sfumato.cache import EntryCipher, close_with, open_database
from sfumato.errors import EncryptionKeyError, OutputError
from sfumato.files import disk_full
from sfumato.llm.chat import Chat, ChatWrapper, ProcessLock, Reply, Request, iter_replies

FILE = "chat.sqlite"
_CHECK = b"sfumato chat cache 1"
_STORED = ("text", "prompt_tokens", "generated_tokens", "seconds", "logprobs", "cut")


class CachedChat(ChatWrapper):
    """A Chat that is asked the same request once. Failures are not stored, and asked again the next time."""

    def __init__(self, chat: Chat, folder: str | Path, secret: bytes | None = None) -> None:
        """``secret``: 32 bytes that everything in the folder is encrypted with."""
        super().__init__(chat)
        self._answers = AnswerFile(Path(folder), secret)

    def ask_unordered(self, requests: Sequence[Request]) -> Iterator[tuple[int, Reply]]:
        """Stored replies first, then the others as they arrive; a request that a batch repeats is sent once."""
        new: dict[str, list[int]] = {}
        for number, request in enumerate(requests):
            key = f"{self.name}\0{request.key}"
            if key in new:
                new[key].append(number)
            elif (stored := self._answers.get(key)) is not None:
                yield number, stored
            else:
                new[key] = [number]
        keys = list(new)
        for index, reply in iter_replies(self.inner, [requests[new[key][0]] for key in keys]):
            if reply.failure is None:
                self._answers.put(keys[index], reply)
            first, *repeats = new[keys[index]]
            yield first, reply
            for number in repeats:
                yield number, reply if reply.failure is not None else replace(reply, cached=True)

    def close(self) -> None:
        self._answers.close()
        super().close()


class AnswerFile:
    """The SQLite file of answers. Safe to share between threads and processes; opened when it is first needed."""

    def __init__(self, folder: Path, secret: bytes | None) -> None:
        self._folder, self._secret = folder, secret
        self._lock = ProcessLock()
        self._database: sqlite3.Connection | None = None
        self._close: Callable[[], object] | None = None
        self._pid = os.getpid()
        self._cipher = PlainEntries() if secret is None else _cipher(secret)

    def get(self, key: str) -> Reply | None:
        place = self._index(key)
        with self._open() as database:
            row = database.execute("SELECT value FROM answers WHERE key = ?", (place,)).fetchone()
        return None if row is None else _from_json(self._cipher.decrypt(row[0], place))

    def put(self, key: str, reply: Reply) -> None:
        place = self._index(key)
        row = (place, self._cipher.encrypt(_to_json(reply), place))
        with self._open() as database:
            database.execute("INSERT OR IGNORE INTO answers VALUES (?, ?)", row)

    def close(self) -> None:
        with self._lock:
            if self._close is not None:
                self._close()
            self._database = self._close = None

    def _index(self, key: str) -> bytes:
        return self._cipher.index(key.encode("utf-8", "surrogatepass"))

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        with self._lock:
            try:
                if self._database is None or self._pid != os.getpid():
                    if self._close is not None:
                        self._close()
                    self._database, self._pid = self._connect(), os.getpid()
                    self._close = close_with(self, self._database)
                yield self._database
            except (OSError, sqlite3.Error) as error:
                raise disk_full(error, self._folder) or OutputError(
                    f"{self._folder}: answers cannot be stored there ({type(error).__name__}): choose another folder"
                ) from None

    def _connect(self) -> sqlite3.Connection:
        path = self._folder / FILE
        database = open_database(path)
        try:
            database.execute("CREATE TABLE IF NOT EXISTS answers (key BLOB PRIMARY KEY, value BLOB) WITHOUT ROWID")
            database.execute("CREATE TABLE IF NOT EXISTS about (name TEXT PRIMARY KEY, value BLOB) WITHOUT ROWID")
            self._check_secret(database, path)
        except BaseException:
            database.close()
            raise
        return database

    def _check_secret(self, database: sqlite3.Connection, path: Path) -> None:
        """Raise an error where the file was made with another secret."""
        row = ("check", self._cipher.encrypt(_CHECK, b"check"))
        database.execute("INSERT OR IGNORE INTO about VALUES (?, ?)", row)
        (stored,) = database.execute("SELECT value FROM about WHERE name = 'check'").fetchone()
        try:
            if self._cipher.decrypt(stored, b"check") == _CHECK:
                return
        except EncryptionKeyError:
            pass
        if stored == _CHECK:
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
        return {**self.__dict__, "_database": None, "_close": None}


class PlainEntries:
    """Readable answers, requests as SHA-256: whoever guesses a whole request can confirm it."""

    def index(self, message: bytes) -> bytes:
        return hashlib.sha256(message).digest()

    def encrypt(self, plain: bytes, bound_to: bytes) -> bytes:
        return plain

    def decrypt(self, value: bytes, bound_to: bytes) -> bytes:
        return value


def _cipher(secret: bytes) -> EntryCipher:
    if len(secret) != 32:
        raise EncryptionKeyError("the secret of a chat cache has 32 bytes; derive it from a key")
    return EntryCipher(
        hmac.digest(secret, b"sfumato/chat/encrypt", "sha256"),
        hmac.digest(secret, b"sfumato/chat/index", "sha256"),
        damaged="an answer in the chat cache cannot be decrypted with this key, or was changed",
    )


def _to_json(reply: Reply) -> bytes:
    stored = {key: getattr(reply, key) for key in _STORED}
    return json.dumps(stored, ensure_ascii=True, separators=(",", ":")).encode("ascii")


def _from_json(value: bytes) -> Reply:
    stored: Mapping[str, Any] = json.loads(value)
    logprobs = stored["logprobs"]
    return Reply(**{**stored, "logprobs": None if logprobs is None else tuple(logprobs), "cached": True})
