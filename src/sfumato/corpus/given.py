"""Originals and releases, in whatever shape a caller has them: a path, ``{id: text}``, or objects."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from sfumato.corpus.align import aligned
from sfumato.corpus.base import Columns, OnProblem
from sfumato.corpus.releases import FromText, from_texts, load_documents, load_releases, matched
from sfumato.document import Document, Release
from sfumato.errors import InputError

Corpus = str | Path | Mapping[str, str] | Iterable[Document]
Releases = str | Path | Mapping[str, str] | Iterable[Release]


def as_documents(given: Corpus, columns: Columns, on_problem: OnProblem) -> list[Document]:
    """The documents of a path, of ``{id: text}`` or of an iterable."""
    if isinstance(given, str | Path):
        return load_documents(Path(given), columns, on_problem)
    if isinstance(given, Mapping):
        return [Document(str(key), text) for key, text in given.items()]
    documents = list(given)
    if strange := [item for item in documents if not isinstance(item, Document)]:
        raise TypeError(f"a corpus is a path, {{id: text}} or documents, not a list of {type(strange[0]).__name__}")
    if len({document.id for document in documents}) < len(documents):
        raise InputError("two documents have the same id; give each one its own")
    return documents


def as_releases(
    name: str,
    given: Releases,
    originals: Sequence[Document],
    columns: Columns,
    on_problem: OnProblem,
    from_text: FromText = aligned,
) -> list[Release]:
    """The releases that belong to the originals, in their order, from a path, ``{id: text}`` or releases."""
    if isinstance(given, str | Path):
        return load_releases(Path(given), originals, columns, on_problem, from_text)
    by_id = {document.id: document for document in originals}
    if isinstance(given, Mapping):
        texts = {str(key): text for key, text in given.items()}
        return from_texts(name, by_id, texts, on_problem, from_text)
    releases = list(given)
    for release in releases:
        if release.document.id in by_id and release.document.text != by_id[release.document.id].text:
            raise InputError(f"the release of document {release.document.id} was made from another text")
    return matched(name, by_id, ((release.document.id, release) for release in releases), on_problem)
