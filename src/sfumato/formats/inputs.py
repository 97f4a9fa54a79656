"""Originals and releases from a path, ``{id: text}`` or objects; what does not match is reported.

Where only the released text is known, its edits are recovered by aligning the words of both texts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from rapidfuzz.distance import Indel, Levenshtein

from sfumato.document import Document, Edit, Release, Span, is_table
from sfumato.errors import InputError, Problem, WrongArgument, listed
from sfumato.formats.base import Columns, OnProblem, file_format, format_for
from sfumato.formats.files import SeenIds
from sfumato.formats.json_array import Broken, first_character, stream_pairs
from sfumato.formats.sources import open_corpus
from sfumato.formats.spans import is_audit_file, read_audit, read_masks
from sfumato.lexicon.tokens import WORD_OR_SIGN

ALIGNED = "aligned"
"""The source of an edit that was recovered by aligning texts."""

_LABEL = "MISC"
_LARGE = 2_000_000_000
"""Pairs of words that take 250 MB to align; above, a method is used that keeps a few words less."""

Range = tuple[int, int]


def align_release(document: Document, text: str) -> Release:
    """The release as edits, where at least half of the original's words are unchanged and in order.

    Otherwise it is a rewritten text, and what was kept is not known.
    """
    before, after = _tokens(document.text), _tokens(text)
    kept = list(_kept(document.text, before, text, after))
    if 2 * sum(document.text[start].isalnum() for (start, _), _ in kept) < sum(
        document.text[start].isalnum() for start, _ in before
    ):
        return Release.rewritten(document, text)
    return Release(
        document,
        tuple(
            Edit(Span(start, end, _LABEL, source=ALIGNED), replacement, ("aligned",))
            for start, end, replacement in _changes(document.text, text, kept)
        ),
    )


def is_aligned(release: Release) -> bool:
    """Whether its edits were recovered by aligning texts."""
    return any(edit.span.source == ALIGNED for edit in release.edits)


def _tokens(text: str) -> list[Range]:
    return [match.span() for match in WORD_OR_SIGN.finditer(text)]


def _kept(
    original: str, before: Sequence[Range], released: str, after: Sequence[Range]
) -> Iterator[tuple[Range, Range]]:
    """The longest sequence of words that both texts have, as ranges in both."""
    method = Indel if len(before) * len(after) <= _LARGE else Levenshtein
    steps = method.opcodes([original[slice(*token)] for token in before], [released[slice(*token)] for token in after])
    for step in steps:
        if step.tag == "equal":
            yield from zip(before[step.src_start : step.src_end], after[step.dest_start : step.dest_end], strict=True)


def _changes(original: str, released: str, kept: Sequence[tuple[Range, Range]]) -> Iterator[tuple[int, int, str]]:
    """Start, end and replacement of what differs between kept words, without unchanged white space at the ends."""
    ends = [(0, 0), *((before[1], after[1]) for before, after in kept)]
    starts = [*((before[0], after[0]) for before, after in kept), (len(original), len(released))]
    for (start, released_start), (end, released_end) in zip(ends, starts, strict=True):
        old, new = original[start:end], released[released_start:released_end]
        if old == new:
            continue
        while old and new and old[-1] == new[-1] and old[-1].isspace():
            old, new, end = old[:-1], new[:-1], end - 1
        while old and new and old[0] == new[0] and old[0].isspace():
            old, new, start = old[1:], new[1:], start + 1
        yield start, end, new


T = TypeVar("T")

Corpus = str | Path | Mapping[str, str] | Iterable[Document]
Releases = str | Path | Mapping[str, str] | Iterable[Release]
_EXPECTED = "Releases are texts in any format, or masks {id: [[start, end, replacement], ...]}"
FromText = Callable[[Document, str], Release]
"""Makes a release where only its text is known: aligned with its original, or as a rewritten text."""


def as_documents(corpus: Corpus, columns: Columns, on_problem: OnProblem) -> list[Document]:
    """The documents of a path, of ``{id: text}`` or of an iterable."""
    if isinstance(corpus, str | Path):
        documents = _read(Path(corpus), columns, on_problem)
    elif isinstance(corpus, Mapping):
        documents = _with_subjects([Document(str(key), text) for key, text in corpus.items()], columns)
    else:
        documents = _check_items(Document, corpus, "a corpus is a path, {id: text} or documents")
        if len({document.id for document in documents}) < len(documents):
            raise InputError("two documents have the same id; give each one its own")
        documents = _with_subjects(documents, columns)
    for problem in columns.subject_table.unmatched(documents) if columns.subject_table else ():
        on_problem(problem)
    return documents


def _check_items(kind: type[T], values: Iterable[T], expected: str) -> list[T]:
    """The values as a list. Raises WrongArgument where one is of another type."""
    if is_table(values):
        raise WrongArgument(
            f"{expected}, not {type(values).__name__}: "
            'dict(zip(table["id"], table["text"])) makes {id: text} of a table'
        )
    if not isinstance(values, Iterable):
        raise WrongArgument(f"{expected}, not {type(values).__name__}")
    items = list(values)
    if wrong := [item for item in items if not isinstance(item, kind)]:
        raise WrongArgument(f"{expected}, not a list of {type(wrong[0]).__name__}")
    return items


def _with_subjects(documents: list[Document], columns: Columns) -> list[Document]:
    table = columns.subject_table
    return documents if table is None else [table.with_subjects(document) for document in documents]


def as_releases(
    name: str,
    releases: Releases,
    originals: Sequence[Document],
    columns: Columns,
    on_problem: OnProblem,
    from_text: FromText = align_release,
) -> list[Release]:
    """The releases that belong to the originals, in their order, from a path, ``{id: text}`` or releases."""
    by_id = {document.id: document for document in originals}
    if isinstance(releases, str | Path):
        return _read_releases(Path(releases), by_id, columns, on_problem, from_text)
    if isinstance(releases, Mapping):
        texts = {str(key): text for key, text in releases.items()}
        _check_items(str, texts.values(), f"{name}: the released texts are str")
        return _match_originals(name, by_id, _from_texts(by_id, texts, from_text), on_problem)
    items = _check_items(Release, releases, f"{name}: a path, {{id: text}} or releases")
    for release in items:
        if release.document.id in by_id and release.document.text != by_id[release.document.id].text:
            raise InputError(f"the release of document {release.document.id} was made from another text")
    if columns.subject_table is not None:  # the originals have its subjects
        items = [replace(item, document=by_id.get(item.document.id, item.document)) for item in items]
    return _match_originals(name, by_id, ((release.document.id, release) for release in items), on_problem)


def load_documents(path: Path, columns: Columns, on_problem: OnProblem, expected: str) -> list[Document]:
    """Documents that belong to originals, so that their subjects do not matter; what cannot be read is reported.

    ``expected``: what such a file should be, for the error message.
    """
    return _read(path, replace(columns, subjects=Columns().subjects, subject_table=None), on_problem, f". {expected}")


def _read(path: Path, columns: Columns, on_problem: OnProblem, expected: str = "") -> list[Document]:
    problems: list[Problem] = []
    documents: list[Document] = []
    with SeenIds() as seen:
        try:
            for source in open_corpus([path], problems.append):
                documents += source.documents(columns, problems.append, seen)
        except InputError:
            if not problems:
                raise
    if not documents:
        if len(problems) == 1:
            raise InputError(f"{problems[0]}{expected}")
        first = f"; the first: {problems[0]}" if problems else ""
        raise InputError(f"{path}: not one document could be read ({len(problems)} problems{first}){expected}")
    for problem in problems:
        on_problem(problem)
    return documents


def _read_releases(
    path: Path, by_id: Mapping[str, Document], columns: Columns, on_problem: OnProblem, from_text: FromText
) -> list[Release]:
    """Exact edits from a mask file or audit; from released texts what ``from_text`` makes."""
    if not path.exists():
        raise InputError(f"{path}: there is no such file or folder; check the name")
    pairs: Iterator[tuple[str, Release | None]]
    if is_mask_file(path):
        pairs = _from_edits(path, by_id, read_masks(path, on_problem), on_problem)
    elif is_audit_file(path):
        pairs = _from_edits(path, by_id, read_audit(path, on_problem), on_problem)
    else:
        texts = {document.id: document.text for document in load_documents(path, columns, on_problem, _EXPECTED)}
        if len(by_id) == len(texts) == 1 and path.is_file() and file_format(format_for(path)) is not None:
            # A file that is one document has its name as its id: measure letter.txt released.txt.
            texts = dict(zip(by_id, texts.values(), strict=True))
        pairs = _from_texts(by_id, texts, from_text)
    return _match_originals(path, by_id, pairs, on_problem)


def _from_texts(
    by_id: Mapping[str, Document], texts: Mapping[str, str], from_text: FromText
) -> Iterator[tuple[str, Release | None]]:
    return ((key, from_text(by_id[key], text) if key in by_id else None) for key, text in texts.items())


def _match_originals(
    name: Path | str, by_id: Mapping[str, Document], pairs: Iterable[tuple[str, Release | None]], on_problem: OnProblem
) -> list[Release]:
    """The releases that belong to an original and can be measured, in their order; reports the others."""
    matched: dict[str, Release] = {}
    unknown, seen = [], set[str]()
    for identifier, release in pairs:
        seen.add(identifier)
        if identifier not in by_id:
            unknown.append(identifier)
        elif release is not None:
            matched[identifier] = release
    missing = [identifier for identifier in by_id if identifier not in seen]
    if not seen & by_id.keys():
        raise InputError(
            f"{name}: not one of its {len(seen)} ids is among the originals' ids ({listed(unknown)}); if they were "
            "renumbered at release, give the audit that anonymize writes with --audit FILE.jsonl or FILE.masks.json"
        )
    if unknown:
        on_problem(Problem(name, f"{len(unknown)} releases have ids that no original has: {listed(unknown)}"))
    if missing:
        hint = "; were ids renumbered at release? An audit (--audit FILE.jsonl, FILE.masks.json) has the originals'"
        message = f"{len(missing)} originals have no release and are left out: {listed(missing)}"
        on_problem(Problem(name, message + (hint if unknown else "")))
    releases = [matched[identifier] for identifier in by_id if identifier in matched]
    return _without_empty_originals(name, releases, on_problem)


def is_mask_file(path: Path) -> bool:
    """Whether a file is one JSON object whose first value is a list: ``{id: [[start, end, replacement?], ...]}``."""
    if path.suffix.lower() != ".json" or not path.is_file() or first_character(path) != "{":
        return False
    try:
        _, value = next(stream_pairs(path), ("", None))
    except Broken:
        return False
    return isinstance(value, list)


def _from_edits(
    path: Path, by_id: Mapping[str, Document], edits_by_id: Iterable[tuple[str, list[Edit]]], on_problem: OnProblem
) -> Iterator[tuple[str, Release | None]]:
    for identifier, edits in edits_by_id:
        document = by_id.get(identifier)
        size = 0 if document is None else len(document.text)
        beyond = sum(edit.span.end > size for edit in edits)
        if document is None or not beyond:
            yield identifier, None if document is None else Release(document, tuple(edits))
            continue
        message = f"{beyond} masks of document {identifier} end after its {size} characters; it is left out"
        on_problem(Problem(path, f"{message}. Check that the masks belong to these originals and count characters"))
        yield identifier, None


def _without_empty_originals(name: Path | str, releases: list[Release], on_problem: OnProblem) -> list[Release]:
    empty = [release.document.id for release in releases if not release.document.text.strip()]
    if empty:
        on_problem(Problem(name, f"{len(empty)} originals hold no text and are left out: {listed(empty)}"))
    rest = [release for release in releases if release.document.text.strip()]
    if blank := [release.document.id for release in rest if not release.text.strip()]:
        on_problem(Problem(name, f"{len(blank)} releases hold no text at all; they are measured: {listed(blank)}"))
    return rest
