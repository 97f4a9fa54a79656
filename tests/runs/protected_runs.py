"""What the tests of protected runs over files share: a protected run, documents, a recipe."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from sfumato import recipe as recipes
from sfumato.protection.target import Options, Target
from sfumato.runs.protected import ProtectedRun
from tests.protection.invented_corpus import background, starts

LABELS = recipes.load("labels")
TEXTS = {
    start.document.id: f"Anna Quorvex wrote this in Zwickelbach. {start.text} Quorvex left." for start in starts(5)
}
OPTIONS = Options(attacks=("bm25",), holdout_documents=0)
KNOWN_RANKS = replace(OPTIONS, secret=b"one")


def make_run(folder: Path, target: Target | None = None, **changes: Any) -> ProtectedRun:
    fields = {"background": background(), "options": KNOWN_RANKS, "certificate": folder / "certificate.json", **changes}
    return ProtectedRun(target or Target(2), **fields)


def lines(path: Path, texts: dict[str, str] = TEXTS) -> Path:
    path.write_text("".join(json.dumps({"id": key, "text": text}) + "\n" for key, text in texts.items()))
    return path


def seeded(seed: int = 1) -> Any:
    return LABELS.with_changes(seed=seed)
