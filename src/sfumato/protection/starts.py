"""What the loop starts from: what a recipe made of documents, or releases that were made elsewhere."""

from __future__ import annotations

from collections.abc import Sequence

from sfumato.document import Document, Outcome, Release, Withheld
from sfumato.models.chat import Chat
from sfumato.pipeline import Pipeline
from sfumato.protection.records import not_released
from sfumato.recipe import Recipe


def started(documents: Sequence[Document], recipe: Recipe, chat: Chat | None = None) -> list[Release]:
    """What a recipe makes of documents."""
    pipeline = Pipeline(recipe, chat=chat)
    pipeline.learn(lambda: documents)
    return [start_of(outcome) for outcome in pipeline.anonymize(documents)]


def start_of(outcome: Outcome) -> Release:
    """One outcome of a recipe; a document that it withholds says nothing, and is withheld."""
    if isinstance(outcome, Withheld):
        return not_released(outcome.document, outcome.reason)
    return workable(outcome)


def workable(release: Release) -> Release:
    """A release that can be repaired: where only its text is known, that text is the document."""
    if release.rewrite is None:
        return release
    given = release.document
    return Release(Document(given.id, release.text, given.subjects, None, given.meta))
