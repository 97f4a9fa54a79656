"""Whether files and a certificate belong together."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, Literal

from sfumato.errors import InputError
from sfumato.protection.certificate.make import fingerprint, plain
from sfumato.protection.certificate.record import Certificate, File, read_certificate

Kind = Literal["seal", "changed", "missing", "unknown"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that does not fit. ``file``: as the certificate names it, or the certificate itself for its seal."""

    kind: Kind
    file: str
    message: str

    def __str__(self) -> str:
        return f"{self.file}: {self.message}"

    def to_json(self) -> dict[str, Any]:
        return {"kind": self.kind, "file": self.file, "message": self.message}


_MESSAGES: Mapping[Kind, str] = {
    "seal": "the certificate was changed after it was made; get it again from whoever made the release",
    "changed": "is not the file that was certified: its content has changed",
    "missing": "the certificate names it, but it is not among the files given",
    "unknown": "is not in the certificate: nothing is promised about it",
}


def check(path: Path, released: Sequence[Path]) -> tuple[Certificate, list[Finding]]:
    """A certificate, and what does not fit together; nothing where all is well.

    ``released``: folders, in which files are looked for by their path, and single files, by their name.
    """
    found, intact = read_certificate(path)
    findings = [] if intact else [_finding("seal", path.name)]
    waiting = dict(found.files)
    for place in released:
        looked_at = 0
        for name, file in _files(place, path, found.files):
            looked_at += 1
            findings += _judged(name, file, place.is_dir(), found.files, waiting)
        if not looked_at and place.is_dir():
            raise InputError(f"{place}: holds no file that could have been released; name the released folder or files")
    order: dict[Kind, int] = {"seal": 0, "changed": 1, "missing": 2, "unknown": 3}
    findings += [_finding("missing", name) for name in waiting]
    return found, sorted(findings, key=lambda finding: (order[finding.kind], finding.file))


def _judged(
    name: str, file: Path, whole_path: bool, named: Mapping[str, File], waiting: dict[str, File]
) -> Iterator[Finding]:
    """Compare one file with those of its name; ``waiting`` loses the one that it is."""
    alike = [own for own in named if _same(own, name, whole_path)]
    if not alike:
        yield _finding("unknown", name)
        return
    content = fingerprint(file)
    same = [own for own in alike if named[own] == content]
    # Of several files of that name: one that nobody was yet, and that lies where this one lies.
    where = file.resolve().as_posix()
    own = max(same or alike, key=lambda own: (own in waiting, len(own) if where.endswith(f"/{own}") else 0))
    waiting.pop(own, None)
    if not same:
        yield _finding("changed", own)


def _same(own: str, name: str, whole_path: bool) -> bool:
    known = own if whole_path else PurePosixPath(own).name
    return unicodedata.normalize("NFC", known) == unicodedata.normalize("NFC", name)


def _finding(kind: Kind, file: str) -> Finding:
    return Finding(kind, file, _MESSAGES[kind])


def _files(place: Path, certificate: Path, named: Mapping[str, File]) -> Iterator[tuple[str, Path]]:
    """Files with their names: not the certificate or a signature of it, nor hidden ones that it does not name."""
    if not place.exists():
        raise InputError(f"{place}: there is no such file or folder; name the released folder or files")
    if not place.is_dir():
        yield plain(place.name), place
        return
    own = certificate.resolve()
    for folder, _, names in os.walk(place):
        for path in sorted(Path(folder, name) for name in names):
            relative = path.relative_to(place)
            name = plain(relative.as_posix())
            beside = path.parent.resolve() == own.parent and (path.name + ".").startswith(own.name + ".")
            hidden = any(part.startswith(".") for part in relative.parts)
            if name in named or not (beside or hidden):
                yield name, path
