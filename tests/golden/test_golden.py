"""What the program does is what fingerprints.json says it does.

After an intended change: SFUMATO_GOLDEN_UPDATE=1 pytest tests/golden (a minute) writes the fingerprints anew. To see
what changed rather than that something did, collect with the old and the new code and use compare.py.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from pathlib import Path

from tests.golden.collect import collect
from tests.golden.compare import files_in

FINGERPRINTS = Path(__file__).with_name("fingerprints.json")


def fingerprints(folder: Path) -> dict[str, str]:
    return {name: hashlib.sha256(path.read_bytes()).hexdigest() for name, path in files_in(folder).items()}


def test_outputs_are_as_recorded(tmp_path: Path) -> None:
    is_update = os.environ.get("SFUMATO_GOLDEN_UPDATE") == "1"
    collect(tmp_path, Path(sys.executable), "fast" if is_update else "small", quiet=True)
    current = fingerprints(tmp_path)
    if is_update:
        FINGERPRINTS.write_text(json.dumps(current, indent=1) + "\n", "utf-8")
    recorded = json.loads(FINGERPRINTS.read_text("utf-8"))
    assert current
    assert sorted(name for name in current if recorded.get(name) != current[name]) == []
