"""Documents that the loop has finished, on disk: a run that was stopped does not do them again. Confidential."""

from __future__ import annotations

import hashlib
import json
import os
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

_SECRET = "secret"


class Shelf:
    """Results by key. Without a path it remembers nothing."""

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._file: IO[str] | None = None
        self._kept: dict[str, Mapping[str, Any]] = {}
        if path is not None and path.exists():
            with path.open(encoding="utf-8", errors="surrogatepass") as file:
                for line in file:
                    try:
                        record = json.loads(line)
                    except ValueError:  # a torn last line: that document is done again
                        continue
                    self._kept[record["key"]] = record["value"]

    @staticmethod
    def key(*parts: object) -> str:
        """Of all that a result depends on."""
        return hashlib.sha256(json.dumps(parts, default=str).encode("utf-8", "surrogatepass")).hexdigest()

    def get(self, key: str) -> Mapping[str, Any] | None:
        return self._kept.get(key)

    def put(self, key: str, value: Mapping[str, Any]) -> None:
        """Keep a result. It is on disk before the next one is begun."""
        if self._path is None:
            return
        if self._file is None:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            descriptor = os.open(self._path, os.O_CREAT | os.O_APPEND | os.O_WRONLY, 0o600)
            self._file = os.fdopen(descriptor, "a", encoding="utf-8", errors="surrogatepass")
            if self._path.stat().st_size:
                self._file.write("\n")  # ends a torn line, if there is one
        self._file.write(json.dumps({"key": key, "value": value}, ensure_ascii=False) + "\n")
        self._file.flush()

    def secret(self) -> bytes:
        """Random, and the same when a run is taken up again."""
        kept = self.get(_SECRET)
        if kept is not None:
            return bytes.fromhex(kept["hex"])
        made = secrets.token_bytes(32)
        self.put(_SECRET, {"hex": made.hex()})
        return made

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None
