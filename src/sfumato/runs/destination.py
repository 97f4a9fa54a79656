"""Where a run writes: one file, or a folder that mirrors the inputs; and what is refused before any work is done."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from sfumato.document import Release
from sfumato.errors import OutputError
from sfumato.formats.base import TEXT_SUFFIXES, FileFormat, Unreadable, format_for, record_format
from sfumato.formats.sources import Source

_AUDIT_ENDINGS = (".jsonl", ".masks.json")


@dataclass(frozen=True)
class Destination:
    """The output and the audit of a run. Subclasses say what else becomes of names and files."""

    out: Path
    audit: Path | None = None
    rewrites: str | None = None
    """The rewriter, where the texts have lost their place in a file with markup."""
    mode: int = 0o666
    """The permissions of what is written, minus the user's umask."""
    confidential: tuple[Path, ...] = ()
    """Other files that undo the release (a vault, a key) and so must not lie in a released folder."""

    def file_name(self, source: Source, number: int) -> PurePosixPath:
        """What an input file of records is called in an output folder."""
        return source.relative

    def final_check(self, source: Path, form: FileFormat, content: bytes, release: Release) -> bytes:
        """Called with every rendered file before it is written; returns what is written, or raises."""
        return content

    def record_original(self, source: Path, target: Path, content: bytes) -> None:
        """Called with every Word, HTML or text file that is written from a source file."""

    def record_name(self, source: Source, target: Path) -> None:
        """Called with every file of records that was written from a source file into a folder."""

    def stored_original(self, source: Source, content: bytes) -> bytes | None:
        """The whole file to write for a source file and its content, where it is known."""
        return None

    def name_of(self, source: Source, number: int, *, is_personal: bool) -> PurePosixPath:
        """The name of a file of records in an output folder."""
        return numbered_file(source, number) if is_personal else self.file_name(source, number)

    @property
    def is_folder(self) -> bool:
        return self.out.is_dir() or not self.out.suffix

    @property
    def is_one_file(self) -> bool:
        """Whether all documents end in one file of records or in one mask file, so that ids must be unique."""
        return not self.is_folder or (self.audit is not None and self.audit.name.endswith(".masks.json"))

    @property
    def is_file_of_records(self) -> bool:
        return not self.is_folder and record_format(format_for(self.out)) is not None

    def why_refused(self, source: Source) -> str | None:
        """Why no file can be written from this one, where that is known before any work is done."""
        if self.rewrites is None or record_format(source.format) or source.path.suffix.lower() in TEXT_SUFFIXES:
            return None
        if not self.is_folder and (self.out.suffix.lower() in TEXT_SUFFIXES or _holds_records(self.out)):
            return None
        return f"{self.rewrites} writes texts anew, which have no place in a {source.format.name} file; write .jsonl"

    def check(self, sources: Sequence[Source], roots: Sequence[Path]) -> None:
        """Raise before the work starts where the output cannot be what was asked for."""
        self.check_paths(sources, roots)
        if self.is_folder:
            return
        try:
            form = format_for(self.out)
        except Unreadable as unreadable:
            raise OutputError(f"{self.out}: cannot be written: {unreadable.reason}") from None
        if record_format(form):
            return
        if len(sources) != 1 or record_format(sources[0].format):
            raise OutputError(f"{self.out}: holds one document; name a folder or a .jsonl file for several")
        if self.out.suffix.lower() not in TEXT_SUFFIXES and form.name != sources[0].format.name:
            raise OutputError(f"{self.out}: a {sources[0].format.name} file stays one, or becomes .txt or .jsonl")

    def check_paths(self, sources: Sequence[Source], roots: Sequence[Path]) -> None:
        """Outputs must not be inputs, now or in the next run; confidential files must not be in the released folder."""
        self._check_inputs_stay(sources, roots)
        self._check_confidential()
        if self.audit is not None and not self.audit.name.endswith(_AUDIT_ENDINGS):
            raise OutputError(f"{self.audit}: an audit is written as .jsonl or as .masks.json; choose such a name")

    def _check_inputs_stay(self, sources: Sequence[Source], roots: Sequence[Path]) -> None:
        out = self.out.resolve()
        inputs = {source.path.resolve() for source in sources}
        for taken in inputs & {out, self.audit and self.audit.resolve()}:
            raise OutputError(f"{taken}: is an input and is never overwritten; choose another --out")
        if self.is_folder and any(path.is_relative_to(out) for path in inputs):
            raise OutputError(f"{self.out}: holds inputs; choose an --out folder outside of them")
        for root in (root for root in roots if root.is_dir()):
            for path, option in ((self.out, "--out"), (self.audit, "--audit")):
                if path is not None and path.resolve().is_relative_to(root.resolve()):
                    raise OutputError(
                        f"{path}: lies in the input folder {root}, where the next run would read it; "
                        f"choose an {option} outside of it"
                    )

    def _check_confidential(self) -> None:
        out = self.out.resolve()
        if self.audit is not None and self.audit.resolve() in {path.resolve() for path in self.confidential}:
            raise OutputError(
                f"{self.audit}: is the vault, the key or another file of this run; choose another --audit"
            )
        for path in filter(None, (self.audit, *self.confidential)):
            if path.resolve() == out or (self.is_folder and path.resolve().is_relative_to(out)):
                raise OutputError(
                    f"{path}: would be released with the folder {self.out} and undoes it; choose a place outside of it"
                )


def numbered_file(source: Source, number: int) -> PurePosixPath:
    """The name of a file whose own name is not released."""
    return PurePosixPath(f"file-{number + 1}{source.relative.suffix}")


def _holds_records(path: Path) -> bool:
    try:
        return record_format(format_for(path)) is not None
    except Unreadable:
        return True  # reported when the output is checked
