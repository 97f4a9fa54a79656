"""Files in pieces, for ways that carry only small ones: ``python -m training.tagger.parts join FILE``."""

from __future__ import annotations

import argparse
from hashlib import sha256
from pathlib import Path


def cut(path: Path, megabytes: int) -> list[Path]:
    """Write FILE.part-00, FILE.part-01, ... of at most that size, and FILE.sha256; the file itself goes."""
    content = path.read_bytes()
    size = megabytes * 2**20
    written = []
    for number, start in enumerate(range(0, len(content), size)):
        part = path.with_name(f"{path.name}.part-{number:02d}")
        part.write_bytes(content[start : start + size])
        written.append(part)
    path.with_name(f"{path.name}.sha256").write_text(sha256(content).hexdigest() + "\n", encoding="ascii")
    path.unlink()
    return written


def join(path: Path, source: Path | None = None) -> None:
    """Put the parts in ``source`` (default: the file's own folder) together as ``path``, and check the sum."""
    folder = source or path.parent
    parts = sorted(folder.glob(f"{path.name}.part-*"))
    if not parts:
        raise FileNotFoundError(f"no {path.name}.part-* in {folder}")
    content = b"".join(part.read_bytes() for part in parts)
    wanted = (folder / f"{path.name}.sha256").read_text(encoding="ascii").strip()
    if sha256(content).hexdigest() != wanted:
        raise ValueError(f"{path.name}: the {len(parts)} parts do not add up to {wanted}; fetch them again")
    path.write_bytes(content)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("verb", choices=["cut", "join"])
    parser.add_argument("file", type=Path)
    parser.add_argument("--mb", type=int, default=15)
    parser.add_argument("--source", type=Path, help="join: where the parts are")
    arguments = parser.parse_args()
    if arguments.verb == "cut":
        cut(arguments.file, arguments.mb)
    else:
        join(arguments.file, arguments.source)


if __name__ == "__main__":
    main()
