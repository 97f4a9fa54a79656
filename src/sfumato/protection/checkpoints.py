"""Results of the loop on disk, so that a run that was stopped does not do them again."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from sfumato.cache import SqliteStore
from sfumato.document import Document, Edit, Release, Span
from sfumato.protection.loop import LoopResult
from sfumato.protection.records import Repair

_SECRET = "secret"


class Checkpoints:
    """Finished documents on disk, so that a run that was stopped does not do them again. Confidential.

    Without a path nothing is stored.
    """

    def __init__(self, path: Path | None = None) -> None:
        self._store = None if path is None else SqliteStore(path)

    def get(self, key: str) -> Mapping[str, Any] | None:
        value = None if self._store is None else self._store.get(key.encode())
        return None if value is None else json.loads(value)

    def put(self, key: str, value: Mapping[str, Any]) -> None:
        """Store a result. It is on disk before the next one is begun."""
        if self._store is not None:
            self._store.put(key.encode(), json.dumps(value).encode())

    def secret(self) -> bytes:
        """Random, and the same when a run is resumed."""
        stored = self.get(_SECRET)
        if stored is None:
            stored = {"hex": secrets.token_hex(32)}
            self.put(_SECRET, stored)
        return bytes.fromhex(stored["hex"])

    def close(self) -> None:
        if self._store is not None:
            self._store.close()


_STORED = ("reached", "loss", "ranks_before", "ranks", "hardest_row")


def result_json(result: LoopResult) -> dict[str, object]:
    """What a checkpoint holds."""
    return {
        "edits": [asdict(replace(edit, alternatives=())) for edit in result.release.edits],
        "repairs": [asdict(repair) for repair in result.repairs],
        **{name: getattr(result, name) for name in _STORED},
    }


def result_of(stored: Mapping[str, Any], document: Document) -> LoopResult:
    """The result of a checkpoint."""
    edits = [
        Edit(Span(**edit["span"]), edit["replacement"], tuple(edit["reasons"]), edit["level"])
        for edit in stored["edits"]
    ]
    release = Release(document, tuple(edits))
    repairs = tuple(Repair(**repair) for repair in stored["repairs"])
    return LoopResult(release, repairs, **{name: stored[name] for name in _STORED})
