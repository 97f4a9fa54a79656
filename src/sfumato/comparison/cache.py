"""What was computed before, in a folder of the user's choice, so that a run that was stopped goes on.

A key is a SHA-256 over everything the value depends on. What lies there is confidential: masks say where the originals
were changed, and attempts whom an attack took a text for.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

from sfumato.comparison.methods import Made
from sfumato.document import Attempt, Document, Edit, Evidence, Guess, Release, Score, Span
from sfumato.formats.files import CONFIDENTIAL, atomic_path
from sfumato.llm.usage import Usage
from sfumato.version import __version__

_T = TypeVar("_T")


class ResultCache:
    """Values by kind and key. Without a folder nothing is kept, and everything is made anew."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder

    def releases(self, key: str, documents: Sequence[Document], make: Callable[[], Made]) -> Made:
        by_id = {document.id: document for document in documents}
        return self._kept(
            "releases",
            key,
            make,
            lambda made: {
                "releases": {
                    one.document.id: _edits(one) if one.rewrite is None else one.rewrite for one in made.releases
                },
                "usage": asdict(made.usage),
                "used_fallback": made.used_fallback,
            },
            lambda found: Made(
                [_release(by_id[identifier], kept) for identifier, kept in found["releases"].items()],
                Usage(**found["usage"]),
                found.get("used_fallback", 0),
            ),
        )

    def attempts(self, key: str, make: Callable[[], Sequence[Attempt]]) -> Sequence[Attempt]:
        return self._kept(
            "attempts", key, make, lambda made: [asdict(one) for one in made], lambda found: list(map(_attempt, found))
        )

    def score(self, key: str, make: Callable[[], Score]) -> Score:
        return self._kept("score", key, make, asdict, _score)

    def _kept(
        self,
        kind: str,
        key: str,
        make: Callable[[], _T],
        to_json: Callable[[_T], Any],
        from_json: Callable[[Any], _T],
    ) -> _T:
        if self._folder is None:
            return make()
        path = self._folder / f"{kind}-{key}.json"
        try:
            return from_json(json.loads(path.read_text(encoding="utf-8")))
        except (OSError, ValueError, KeyError, TypeError):  # not there, or not whole: it is made again
            made = make()
        with atomic_path(path, CONFIDENTIAL) as temporary:
            temporary.write_text(json.dumps(to_json(made), ensure_ascii=False, default=str), encoding="utf-8")
        return made


def key_of(*parts: Any) -> str:
    """One key for all that a value depends on, this version of the package included."""
    text = json.dumps([__version__, *parts], ensure_ascii=True, sort_keys=True, default=str)
    return sha256(text.encode()).hexdigest()[:32]


def digest_of(releases: Sequence[Release]) -> str:
    """Tells one method's releases of a corpus from another's."""
    return key_of([(one.document.id, one.document.subjects, _edits(one), one.text) for one in releases])


def corpus_digest(documents: Sequence[Document]) -> str:
    return key_of([(one.id, one.text, one.subjects) for one in documents])


def _edits(release: Release) -> list[list[Any]]:
    return [
        [edit.span.start, edit.span.end, edit.span.label, edit.replacement, edit.span.source] for edit in release.edits
    ]


def _release(document: Document, kept: Any) -> Release:
    if isinstance(kept, str):
        return Release.rewritten(document, kept)
    return Release(
        document,
        tuple(
            Edit(Span(start, end, label, source=source), replacement) for start, end, label, replacement, source in kept
        ),
    )


def _attempt(found: Mapping[str, Any]) -> Attempt:
    return Attempt(
        found["attack"],
        found["document_id"],
        tuple(Guess(**one) for one in found["guesses"]),
        found["rank"],
        found["score"],
        tuple(Evidence(**one) for one in found["evidence"]),
    )


def _score(found: Mapping[str, Any]) -> Score:
    return Score(**{**found, "interval": tuple(found["interval"])})
