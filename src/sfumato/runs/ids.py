"""The check of ids and file names with the detectors of a recipe, and their keys in the vault."""

from __future__ import annotations

import hashlib
from pathlib import Path, PurePath

from sfumato.detectors.allowed import AllowedTerms
from sfumato.document import Document, Span
from sfumato.errors import NotReleased
from sfumato.pipeline import Pipeline
from sfumato.recipe import Choice, Recipe
from sfumato.residuals.names import IdChecker


def id_checker(recipe: Recipe) -> IdChecker:
    """Checks names with the recipe's detectors, as far as they can read a name."""
    # Rules alone where the recipe has them: a file name has no context for the tagger or a language model to read.
    offline = recipe.plain_detectors
    detectors = [choice for choice in offline if choice.use == "rules"] or offline or [Choice(use="rules")]
    pipeline = Pipeline(
        recipe.with_changes(
            detect=[choice.model_dump() for choice in detectors],
            replace={"default": "suppress"},
            rewrite=None,
            chat=None,
            uncovered="release",
            spans="completed",
        )
    )

    def detect(document: Document) -> list[Span]:
        spans = next(pipeline.detect([document]))[1]
        if (reason := pipeline.why_incomplete(document)) is not None:
            raise NotReleased(f"its id or a field could not be checked: {reason}")
        return spans

    return IdChecker(recipe.ids, detect, AllowedTerms(recipe.allow))


def name_key(file: Path, name: PurePath) -> bytes:
    """The vault's key for a released file's original name: only this file under this name."""
    with file.open("rb") as handle:
        digest = hashlib.file_digest(handle, "sha256").digest()
    return b"sfumato: original name of\0" + digest + name.as_posix().encode()
