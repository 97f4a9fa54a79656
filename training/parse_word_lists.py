"""Parse the word lists of all packages once, so that a run need not: ``data/word_lists.json`` beside each.

Where the detectors' patterns can match is kept as well, in ``detectors/data/hints.json``.

    python -m training.parse_word_lists

Run it after a change to a ``.toml`` file in a data folder. Without it the file is parsed at each start, and a test says
that this script is to be run.
"""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any
from zlib import crc32

from sfumato.detectors import passages
from sfumato.detectors.rules import detector, names_in_context
from sfumato.detectors.rules.search import HINTS_FILE
from sfumato.lexicon.tables import PARSED_FILES
from training.hints import packed

SOURCE = Path(__file__).parents[1] / "src"
HINTS = SOURCE / "sfumato" / "detectors" / "data" / HINTS_FILE


def parsed_files(folder: Path) -> dict[str, tuple[int, dict[str, Any]]]:
    """By language and topic: the checksum of a file and its content."""
    files = sorted(folder.glob("*/*.toml"))
    contents = {f"{file.parent.name}/{file.stem}": file.read_bytes() for file in files}
    return {name: (crc32(content), tomllib.loads(content.decode("utf-8"))) for name, content in contents.items()}


def serialized(parsed: dict[str, tuple[int, dict[str, Any]]]) -> str:
    """JSON with a line for each file, so that a change to one changes one line."""
    lines = [f"{json.dumps(name)}: {json.dumps(entry, ensure_ascii=False)}" for name, entry in parsed.items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def data_folders() -> list[Path]:
    """The folders of word lists."""
    return sorted({file.parents[1] for file in SOURCE.glob("**/data/*/*.toml")})


def pattern_hints() -> str:
    """JSON of where the detectors' patterns can match, with a line for each pattern."""
    patterns = (*detector.PATTERNS, *names_in_context.PATTERNS)
    regexes = [pattern.regex for pattern in patterns if pattern.scope == "text"]
    kept = packed(regexes + [pattern.regex for pattern in passages.PATTERNS])
    lines = [f"{json.dumps(key)}: {json.dumps(entry, ensure_ascii=False)}" for key, entry in sorted(kept.items())]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def main() -> None:
    HINTS.write_text(pattern_hints(), encoding="utf-8")
    for folder in data_folders():
        (folder / PARSED_FILES).write_text(serialized(parsed_files(folder)), encoding="utf-8")


if __name__ == "__main__":
    main()
