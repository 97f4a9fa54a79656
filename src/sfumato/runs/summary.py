"""The summary of a run: counts, and notes on documents that were withheld or need attention."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from sfumato.detectors.allowed import NOTHING_ALLOWED, AllowedTerms
from sfumato.document import Document
from sfumato.errors import InputError, Problem
from sfumato.llm.usage import Usage
from sfumato.report.html import pluralize

if TYPE_CHECKING:
    from sfumato.protection.records import Protection


@dataclass
class KeptColumn:
    """How many values of a column went out, and in how many the recipe would have replaced something."""

    values: int = 0
    personal: int = 0


T = TypeVar("T")

_MOST_NOTES = 1000
_UNNAMED = "(its name says something personal)"


@dataclass(frozen=True, slots=True)
class Note:
    """A note on one document: its file, its line or record where the file holds several, and the reason."""

    file: str
    reason: str
    line: int | None = None
    record: int | None = None

    @property
    def place(self) -> tuple[str, int] | None:
        """What is counted in the file, and which one it is; None where the file is the document."""
        if self.line is not None:
            return "line", self.line
        return None if self.record is None else ("record", self.record)

    def to_json(self) -> dict[str, Any]:
        place = {} if self.place is None else dict([self.place])
        return {"file": self.file, **place, "reason": self.reason}


@dataclass
class Summary:
    """What a run did. Lists hold the first thousand notes of each kind."""

    documents: int = 0
    released: int = 0
    withheld: int = 0
    skipped: int = 0
    not_read: int = 0
    """Files and records of the input among what was skipped: they took no part."""
    used_fallback: int = 0
    """Documents that a language model failed on, released by the recipe's fallback."""
    withheld_documents: list[Note] = field(default_factory=list)
    """Where it came from and why, one for each document that is not released."""
    fallback_documents: list[Note] = field(default_factory=list)
    """The same for each that fell back."""
    problems: list[Problem] = field(default_factory=list)
    """What could not be read or written."""
    unchecked: list[str] = field(default_factory=list)
    """Parts that no detector can look into (images), of the files that go out."""
    unchecked_parts: Counter[str] = field(default_factory=Counter)
    """How many they are, by kind."""
    kept_columns: dict[str, KeptColumn] = field(default_factory=dict)
    """What the recipe would have replaced in columns that go out as they are."""
    dropped_columns: list[str] = field(default_factory=list)
    """Columns of the input that are not in the output; one whose name says something personal is not named."""
    renamed_files: int = 0
    renumbered_ids: int = 0
    """Files and ids that are called otherwise in the output: their names said something personal, or the recipe gives
    all of them numbers; or, where they are restored, they have their original names again."""
    are_all_renumbered: bool = False
    """Whether the recipe gives all of them numbers, whatever they say."""
    labels: Counter[str] = field(default_factory=Counter)
    characters: int = 0
    seconds: float = 0.0
    resumed: int = 0
    files: list[Path] = field(default_factory=list)
    protection: Protection | None = None
    """What the loop did and what was verified, where the run was protected."""
    usage: dict[str, Usage] = field(default_factory=dict)
    """What each method that asks a language model has cost in this run."""
    asked: int = 0
    """The documents that this was spent on: those that an earlier run finished are not among them."""
    allowed: AllowedTerms = field(default=NOTHING_ALLOWED, repr=False)
    """The terms that the user allows. They are named in messages: whoever allows a term calls it fit for release."""
    allowed_found: set[str] = field(default_factory=set, repr=False)
    """Those that stand in a document."""
    allowed_lost: Counter[str] = field(default_factory=Counter, repr=False)
    """Those that stood in an id, a file name or a text that a language model wrote anew, and do so no more."""
    remarks: list[str] = field(default_factory=list)
    """What the methods have to say of this run as a whole: a promise that could not be kept with this model."""

    @property
    def complete(self) -> bool:
        """Whether every document that was given went out, within the target where there is one."""
        return not self.skipped and not self.withheld and (self.protection is None or self.protection.is_acceptable)

    def skip(self, problem: Problem) -> None:
        """Note something that could not be read or written, or a warning, which does not count as skipped."""
        self.skipped += not problem.is_warning
        _keep_first(self.problems, problem)

    def skip_input(self, problem: Problem) -> None:
        """The same for a file or a record of the input."""
        self.not_read += not problem.is_warning
        self.skip(problem)

    def withhold(self, note: Note) -> None:
        """Note a document that is not released."""
        self.withheld += 1
        _keep_first(self.withheld_documents, note)

    def fall_back(self, note: Note) -> None:
        """Note a document that went out without what a language model was to add."""
        self.used_fallback += 1
        _keep_first(self.fallback_documents, note)

    def read(self, document: Document) -> None:
        """Note a document that came in."""
        self.documents += 1
        self.characters += len(document.text)
        if len(self.allowed_found) < len(self.allowed.terms):
            self.allowed_found |= self.allowed.used(document.text)

    def note_lost(self, before: str, after: str) -> None:
        """Note what is allowed and stands in a name or text before, and not in what was made of it."""
        if self.allowed:
            self.allowed_lost.update(self.allowed.used(before) - self.allowed.used(after))

    @property
    def allowed_nowhere(self) -> list[str]:
        """Allowed terms that stand in no document: mistyped, maybe."""
        return [term for term in self.allowed.terms if term not in self.allowed_found]

    def note_unchecked(self, parts: Mapping[str, int], file: str) -> None:
        """Note parts of a released document that no detector can look into (images)."""
        self.unchecked_parts.update(parts)
        for what, count in parts.items():
            _keep_first(self.unchecked, f"{file}: {pluralize(count, what)}")

    def note_kept(self, columns: Mapping[str, KeptColumn], file: str) -> None:
        """Note what goes out as it is, and warn of columns with personal information in them."""
        self.kept_columns.update(columns)
        for name, column in columns.items():
            if column.personal:
                message = (
                    f"the kept column {name!r} is written as it is, and the recipe would replace something in "
                    f"{column.personal:,} of its {pluralize(column.values, 'value')}: leave it out, or anonymize it as "
                    "text (--text-column)"
                )
                self.skip(Problem(file, message, is_warning=True))

    def note_dropped(self, columns: Iterable[str]) -> None:
        """Note columns that are not written."""
        for name in columns:
            if name not in self.dropped_columns:
                _keep_first(self.dropped_columns, name)

    def hide_dropped_columns(self, is_personal: Callable[[str], bool]) -> None:
        """Take the names that say something personal out of ``dropped_columns``."""
        self.dropped_columns = [_UNNAMED if is_personal(name) else name for name in self.dropped_columns]

    def to_json(self) -> dict[str, Any]:
        return {
            "documents": self.documents,
            "released": self.released,
            "withheld": self.withheld,
            "skipped": self.skipped,
            "used_fallback": self.used_fallback,
            "withheld_documents": [note.to_json() for note in self.withheld_documents],
            "fallback_documents": [note.to_json() for note in self.fallback_documents],
            "problems": [str(problem) for problem in self.problems],
            "unchecked": self.unchecked,
            "unchecked_parts": dict(sorted(self.unchecked_parts.items())),
            "kept_columns": {name: asdict(column) for name, column in self.kept_columns.items()},
            "dropped_columns": self.dropped_columns,
            "renamed_files": self.renamed_files,
            "renumbered_ids": self.renumbered_ids,
            "allowed": {"in_no_document": self.allowed_nowhere, "not_kept": dict(self.allowed_lost)},
            "remarks": self.remarks,
            "edits": dict(sorted(self.labels.items())),
            "characters": self.characters,
            "seconds": round(self.seconds, 3),
            "resumed": self.resumed,
            "files": [str(path) for path in self.files],
            **({"chat": {name: usage.to_json() for name, usage in self.usage.items()}} if self.usage else {}),
            **({} if self.protection is None else {"protection": self.protection.to_json()}),
        }


class NothingRead(InputError):
    """Not one document could be read. ``summary`` holds the reasons; the message has the first."""

    def __init__(self, summary: Summary) -> None:
        self.short = "no document could be read"
        """Without the first reason, for whoever shows all of them."""
        count = pluralize(summary.skipped, "problem")
        if len(summary.problems) == 1:
            message = f"{self.short}: {summary.problems[0]}"
        else:
            first = f"; the first: {summary.problems[0]}" if summary.problems else ""
            message = f"{self.short} ({count}{first})"
        super().__init__(message)
        self.summary = summary


def _keep_first(notes: list[T], note: T) -> None:
    if len(notes) < _MOST_NOTES:
        notes.append(note)
