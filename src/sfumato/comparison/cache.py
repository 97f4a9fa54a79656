"""Results of a comparison in a folder of the user's choice, so that a run that was stopped goes on.

A key covers everything that a value depends on (``sfumato.cache``). The file is confidential: it says where the
originals were changed, and whom an attack took a text for.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeVar

from sfumato.cache import SqliteStore, cache_key
from sfumato.comparison.methods import MethodResult
from sfumato.document import Attempt, Document, Edit, Evidence, Guess, Release, Score, Span
from sfumato.llm.usage import Usage

_FILE = "results.sqlite"

_T = TypeVar("_T")


class ResultCache:
    """Releases, attempts and scores by key. Without a folder everything is computed anew."""

    def __init__(self, folder: Path | None) -> None:
        self._store = None if folder is None else SqliteStore(folder / _FILE)

    def close(self) -> None:
        if self._store is not None:
            self._store.close()

    def releases(self, key: str, documents: Sequence[Document], compute: Callable[[], MethodResult]) -> MethodResult:
        by_id = {document.id: document for document in documents}
        return self._get(
            f"releases {key}",
            compute,
            lambda result: {
                "releases": {
                    release.document.id: _edits(release) if release.rewrite is None else release.rewrite
                    for release in result.releases
                },
                "usage": asdict(result.usage),
                "used_fallback": result.used_fallback,
            },
            lambda stored: MethodResult(
                [_release(by_id[document_id], edits) for document_id, edits in stored["releases"].items()],
                Usage(**stored["usage"]),
                stored["used_fallback"],
            ),
        )

    def attempts(self, key: str, compute: Callable[[], Sequence[Attempt]]) -> Sequence[Attempt]:
        return self._get(
            f"attempts {key}",
            compute,
            lambda attempts: [asdict(attempt) for attempt in attempts],
            lambda stored: list(map(_attempt, stored)),
        )

    def score(self, key: str, compute: Callable[[], Score]) -> Score:
        return self._get(f"score {key}", compute, asdict, _score)

    def _get(
        self, key: str, compute: Callable[[], _T], to_json: Callable[[_T], Any], from_json: Callable[[Any], _T]
    ) -> _T:
        if self._store is None:
            return compute()
        stored = self._store.get(key.encode())
        if stored is not None:
            try:
                return from_json(json.loads(stored))
            except (ValueError, KeyError, TypeError):  # damaged: computed again
                pass
        value = compute()
        self._store.put(key.encode(), json.dumps(to_json(value), ensure_ascii=True, default=str).encode())
        return value


def releases_key(releases: Sequence[Release]) -> str:
    """Distinguishes one method's releases of a corpus from another's."""
    return cache_key([(one.document.id, one.document.subjects, _edits(one), one.text) for one in releases])


def corpus_key(documents: Sequence[Document]) -> str:
    return cache_key([(document.id, document.text, document.subjects) for document in documents])


def _edits(release: Release) -> list[list[Any]]:
    return [
        [edit.span.start, edit.span.end, edit.span.label, edit.replacement, edit.span.source] for edit in release.edits
    ]


def _release(document: Document, stored: Any) -> Release:
    if isinstance(stored, str):
        return Release.rewritten(document, stored)
    edits = (
        Edit(Span(start, end, label, source=source), replacement) for start, end, label, replacement, source in stored
    )
    return Release(document, tuple(edits))


def _attempt(stored: Mapping[str, Any]) -> Attempt:
    return Attempt(
        stored["attack"],
        stored["document_id"],
        tuple(Guess(**guess) for guess in stored["guesses"]),
        stored["rank"],
        stored["score"],
        tuple(Evidence(**evidence) for evidence in stored["evidence"]),
    )


def _score(stored: Mapping[str, Any]) -> Score:
    return Score(**{**stored, "interval": tuple(stored["interval"])})
