"""Where a run writes, and what must not be there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from sfumato.corpus import TEXT_SUFFIXES, Source, Unreadable, format_for, record_format
from sfumato.errors import OutputError


@dataclass(frozen=True)
class Destination:
    """Where a run writes: one file, or a folder that mirrors the inputs; and the audit."""

    out: Path
    audit: Path | None = None
    file_name: Callable[[Source, int], PurePosixPath] = lambda source, number: source.relative
    """What an input file of records is called in an output folder."""
    on_rendered: Callable[[Path, bytes], None] = lambda source, content: None
    """Told of every Word, HTML or text file that is written from a source file."""
    on_mirrored: Callable[[Source, Path], None] = lambda source, target: None
    """Told of every file of records that was written from a source file into a folder."""
    known_file: Callable[[bytes], bytes | None] = lambda content: None
    """Asked for a source file's content whether the file to write is known as a whole."""
    rewrites: str | None = None
    """The rewriter, where the texts have lost their place in a file with markup."""
    confidential: tuple[Path, ...] = ()
    """Other files that undo the release (a vault, a key) and so must not lie in a released folder."""

    @property
    def is_folder(self) -> bool:
        return self.out.is_dir() or not self.out.suffix

    @property
    def is_one_file(self) -> bool:
        """Whether all documents end in one file of records or in one mask file, so that ids must be unique."""
        return not self.is_folder or (self.audit is not None and self.audit.name.endswith(".masks.json"))

    def refusal(self, source: Source) -> str | None:
        """Why a file cannot be written from this one, where that is known before any work is done."""
        if self.rewrites is None or record_format(source.format) or source.path.suffix.lower() in TEXT_SUFFIXES:
            return None
        if not self.is_folder and (self.out.suffix.lower() in TEXT_SUFFIXES or _holds_records(self.out)):
            return None
        return f"{self.rewrites} writes texts anew, which have no place in a {source.format.name} file; write .jsonl"

    def check(self, sources: Sequence[Source], roots: Sequence[Path]) -> None:
        """Find out before the work starts that the output cannot be what was asked for."""
        self.keep_apart(sources, roots)
        if not self.is_folder:
            self._check_format(sources)

    def keep_apart(self, sources: Sequence[Source], roots: Sequence[Path]) -> None:
        """What is written must not be an input, now or in the next run; what undoes a release must not lie in it."""
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
        for path in filter(None, (self.audit, *self.confidential)):
            if path.resolve() == self.out.resolve() or (
                self.is_folder and path.resolve().is_relative_to(self.out.resolve())
            ):
                raise OutputError(
                    f"{path}: would be released with the folder {self.out} and undoes it; choose a place outside of it"
                )

    def _check_format(self, sources: Sequence[Source]) -> None:
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


def _holds_records(path: Path) -> bool:
    try:
        return record_format(format_for(path)) is not None
    except Unreadable:
        return True  # what it is instead is said by whoever checks the output
