"""Originals and releases, in whatever shape a caller has them: a path, ``{id: text}``, or objects.

What does not fit together is reported.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from rapidfuzz.distance import Indel, Levenshtein

from sfumato.document import Document, Edit, Release, Span
from sfumato.errors import InputError, Problem, WrongArgument, listed
from sfumato.formats.base import Columns, OnProblem
from sfumato.formats.files import SeenIds
from sfumato.formats.json_array import Broken, first_character, stream_pairs
from sfumato.formats.sources import open_corpus
from sfumato.formats.spans import is_audit_file, read_audit, read_masks
from sfumato.lexicon.tokens import WORD_OR_SIGN

# -- What a released text changed, where only the text is known: found again by comparing words.


ALIGNED = "aligned"
"""The source of an edit that was found by comparing texts; nobody recorded it."""

_LABEL = "MISC"
_LARGE = 2_000_000_000
"""Comparing texts of so many pairs of words takes 250 MB; beyond, a way is taken that keeps a few words less."""

Range = tuple[int, int]


def align_release(document: Document, text: str) -> Release:
    """The release as edits, where at least half of the original's words stand unchanged and in order.

    Otherwise it is a rewritten text, and what was kept of it is not known.
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
    """Whether its edits were found by comparing texts."""
    return any(edit.span.source == ALIGNED for edit in release.edits)


def _tokens(text: str) -> list[Range]:
    return [match.span() for match in WORD_OR_SIGN.finditer(text)]


def _kept(
    original: str, before: Sequence[Range], released: str, after: Sequence[Range]
) -> Iterator[tuple[Range, Range]]:
    """The words that stand in both, in order: the most there can be."""
    method = Indel if len(before) * len(after) <= _LARGE else Levenshtein
    steps = method.opcodes([original[slice(*place)] for place in before], [released[slice(*place)] for place in after])
    for step in steps:
        if step.tag == "equal":
            yield from zip(before[step.src_start : step.src_end], after[step.dest_start : step.dest_end], strict=True)


def _changes(original: str, released: str, kept: Sequence[tuple[Range, Range]]) -> Iterator[tuple[int, int, str]]:
    """What stands between kept words, where it differs; blanks that did not change are left out of it."""
    ends = [(0, 0), *((one[1], other[1]) for one, other in kept)]
    starts = [*((one[0], other[0]) for one, other in kept), (len(original), len(released))]
    for (start, released_start), (end, released_end) in zip(ends, starts, strict=True):
        gone, come = original[start:end], released[released_start:released_end]
        if gone == come:
            continue
        while gone and come and gone[-1] == come[-1] and gone[-1].isspace():
            gone, come, end = gone[:-1], come[:-1], end - 1
        while gone and come and gone[0] == come[0] and gone[0].isspace():
            gone, come, start = gone[1:], come[1:], start + 1
        yield start, end, come


# -- Originals and releases, in whatever shape a caller has them: a path, ``{id: text}``, or objects.


T = TypeVar("T")

Corpus = str | Path | Mapping[str, str] | Iterable[Document]
Releases = str | Path | Mapping[str, str] | Iterable[Release]
_EXPECTED = "Releases are texts in any format, or masks {id: [[start, end, replacement], ...]}"
FromText = Callable[[Document, str], Release]
"""How a release is made where only its text is known: compared with its original, or taken as it stands."""


def as_documents(given: Corpus, columns: Columns, on_problem: OnProblem) -> list[Document]:
    """The documents of a path, of ``{id: text}`` or of an iterable."""
    if isinstance(given, str | Path):
        documents = _read(Path(given), columns, on_problem)
    elif isinstance(given, Mapping):
        documents = _told([Document(str(key), text) for key, text in given.items()], columns)
    else:
        documents = _each(Document, given, "a corpus is a path, {id: text} or documents")
        if len({document.id for document in documents}) < len(documents):
            raise InputError("two documents have the same id; give each one its own")
        documents = _told(documents, columns)
    for problem in columns.subject_table.unmatched(documents) if columns.subject_table else ():
        on_problem(problem)
    return documents


def _each(kind: type[T], given: Iterable[T], wanted: str) -> list[T]:
    """All that was given, refused where it is something else."""
    if not isinstance(given, Iterable):
        raise WrongArgument(f"{wanted}, not {type(given).__name__}")
    found = list(given)
    if strange := [item for item in found if not isinstance(item, kind)]:
        raise WrongArgument(f"{wanted}, not a list of {type(strange[0]).__name__}")
    return found


def _told(documents: list[Document], columns: Columns) -> list[Document]:
    return (
        documents
        if columns.subject_table is None
        else [columns.subject_table.with_subjects(document) for document in documents]
    )


def as_releases(
    name: str,
    given: Releases,
    originals: Sequence[Document],
    columns: Columns,
    on_problem: OnProblem,
    from_text: FromText = align_release,
) -> list[Release]:
    """The releases that belong to the originals, in their order, from a path, ``{id: text}`` or releases."""
    by_id = {document.id: document for document in originals}
    if isinstance(given, str | Path):
        return _loaded(Path(given), by_id, columns, on_problem, from_text)
    if isinstance(given, Mapping):
        texts = {str(key): text for key, text in given.items()}
        _each(str, texts.values(), f"{name}: the released texts are str")
        return _matched(name, by_id, _from_texts(by_id, texts, from_text), on_problem)
    releases = _each(Release, given, f"{name}: a path, {{id: text}} or releases")
    for release in releases:
        if release.document.id in by_id and release.document.text != by_id[release.document.id].text:
            raise InputError(f"the release of document {release.document.id} was made from another text")
    if columns.subject_table is not None:  # which spoke to the originals
        releases = [replace(one, document=by_id.get(one.document.id, one.document)) for one in releases]
    return _matched(name, by_id, ((release.document.id, release) for release in releases), on_problem)


def load_documents(path: Path, columns: Columns, on_problem: OnProblem, expected: str) -> list[Document]:
    """Texts that belong to originals, which know their subjects; what cannot be read is reported.

    ``expected``: what such a file should be, for whoever gave another one.
    """
    own = replace(columns, subjects=Columns().subjects, subject_table=None)
    return _read(path, own, on_problem, f". {expected}")


def _read(path: Path, columns: Columns, on_problem: OnProblem, expected: str = "") -> list[Document]:
    problems: list[Problem] = []
    found: list[Document] = []
    with SeenIds() as seen:
        try:
            for source in open_corpus([path], problems.append):
                found += source.documents(columns, problems.append, seen)
        except InputError:
            if not problems:
                raise
    if not found:
        count = f"{len(problems)} problem{'s' * (len(problems) != 1)}"
        first = f"; the first: {problems[0]}" if problems else ""
        raise InputError(f"{path}: not one document could be read ({count}{first}){expected}")
    for problem in problems:
        on_problem(problem)
    return found


def _loaded(
    path: Path, by_id: Mapping[str, Document], columns: Columns, on_problem: OnProblem, from_text: FromText
) -> list[Release]:
    """Exact from a mask file; from released texts as ``from_text`` makes them."""
    if not path.exists():
        raise InputError(f"{path}: there is no such file or folder; check the name")
    if is_mask_file(path):
        return _matched(path, by_id, _from_masks(path, by_id, read_masks(path, on_problem), on_problem), on_problem)
    if is_audit_file(path):
        return _matched(path, by_id, _from_masks(path, by_id, read_audit(path, on_problem), on_problem), on_problem)
    texts = {document.id: document.text for document in load_documents(path, columns, on_problem, _EXPECTED)}
    return _matched(path, by_id, _from_texts(by_id, texts, from_text), on_problem)


def _from_texts(
    by_id: Mapping[str, Document], texts: Mapping[str, str], from_text: FromText
) -> Iterator[tuple[str, Release | None]]:
    return ((key, from_text(by_id[key], text) if key in by_id else None) for key, text in texts.items())


def _matched(
    name: Path | str,
    by_id: Mapping[str, Document],
    pairs: Iterable[tuple[str, Release | None]],
    on_problem: OnProblem,
) -> list[Release]:
    """The releases that belong to an original and can be measured; the others are reported."""
    found: dict[str, Release] = {}
    strange, seen = [], set[str]()
    for identifier, release in pairs:
        seen.add(identifier)
        if identifier not in by_id:
            strange.append(identifier)
        elif release is not None:
            found[identifier] = release
    missing = [identifier for identifier in by_id if identifier not in seen]
    if not seen & by_id.keys():
        raise InputError(
            f"{name}: not one of its {len(seen)} ids is among the originals' ids ({listed(strange)}); if they were "
            "renumbered at release, give the audit that anonymize writes with --audit FILE.jsonl or FILE.masks.json"
        )
    if strange:
        on_problem(Problem(name, f"{len(strange)} releases have ids that no original has: {listed(strange)}"))
    if missing:
        hint = "; were ids renumbered at release? An audit (--audit FILE.jsonl, FILE.masks.json) has the originals'"
        said = f"{len(missing)} originals have no release and are left out: {listed(missing)}"
        on_problem(Problem(name, said + (hint if strange else "")))
    releases = [found[identifier] for identifier in by_id if identifier in found]
    return _worth_measuring(name, releases, on_problem)


def is_mask_file(path: Path) -> bool:
    """Whether a file is one object whose values are lists, ``{id: [[start, end, replacement?], ...]}``."""
    if path.suffix.lower() != ".json" or not path.is_file() or first_character(path) != "{":
        return False
    try:
        _, value = next(stream_pairs(path), ("", None))
    except Broken:
        return False
    return isinstance(value, list)


def _from_masks(
    path: Path, by_id: Mapping[str, Document], masks: Iterable[tuple[str, list[Edit]]], on_problem: OnProblem
) -> Iterator[tuple[str, Release | None]]:
    for identifier, edits in masks:
        document = by_id.get(identifier)
        yield identifier, None if document is None else _masked(path, document, edits, on_problem)


def _masked(path: Path, document: Document, edits: Sequence[Edit], on_problem: OnProblem) -> Release | None:
    size = len(document.text)
    beyond = sum(edit.span.end > size for edit in edits)
    if not beyond:
        return Release(document, tuple(edits))
    message = f"{beyond} masks of document {document.id} end after its {size} characters; it is left out"
    on_problem(Problem(path, f"{message}. Check that the masks belong to these originals and count characters"))
    return None


def _worth_measuring(name: Path | str, releases: list[Release], on_problem: OnProblem) -> list[Release]:
    empty = [release.document.id for release in releases if not release.document.text.strip()]
    if empty:
        on_problem(Problem(name, f"{len(empty)} originals hold no text and are left out: {listed(empty)}"))
    rest = [release for release in releases if release.document.text.strip()]
    if bare := [release.document.id for release in rest if not release.text.strip()]:
        on_problem(Problem(name, f"{len(bare)} releases hold no text at all; they are measured: {listed(bare)}"))
    return rest
