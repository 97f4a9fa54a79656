"""What the loop starts from: what a recipe made of documents, or releases that were made elsewhere."""

from __future__ import annotations

from collections.abc import Sequence

from sfumato.document import Document, Outcome, Release, Withheld
from sfumato.models.chat import Chat
from sfumato.pipeline import Pipeline
from sfumato.protection.records import EMPTY, not_released
from sfumato.protection.target import Target
from sfumato.recipe import Recipe
from sfumato.report.words import counted

_UNREAD = "which nothing here can read"
_WAY_OUT = "release it without protection"


def started(documents: Sequence[Document], recipe: Recipe, target: Target, chat: Chat | None = None) -> list[Release]:
    """What a recipe makes of documents."""
    pipeline = Pipeline(recipe, chat=chat)
    pipeline.learn(lambda: documents)
    return [start_of(outcome, target) for outcome in pipeline.anonymize(documents)]


def start_of(outcome: Outcome, target: Target) -> Release:
    """One outcome of a recipe; a document that it withholds says nothing, and is withheld."""
    if isinstance(outcome, Withheld):
        return not_released(outcome.document, outcome.reason)
    return workable(outcome, target)


def workable(release: Release, target: Target) -> Release:
    """A release that can be repaired: where only its text is known, that text is the document.

    One that nothing here can read, or of which it cannot read all, is withheld: no attack looks into a picture.
    """
    given = release.document
    if (reason := _unreadable(given, target)) is not None:
        return not_released(given, reason)
    if release.rewrite is None:
        return release
    return Release(Document(given.id, release.text, given.subjects, None, given.meta))


def _unreadable(document: Document, target: Target) -> str | None:
    """Why no attack can say who is found in a document; None where one can, or where the user insists."""
    parts = document.meta.get("unchecked", {})
    told = " and ".join(counted(count, what) for what, count in parts.items())
    if document.meta.get("wordless"):
        # Insisting does not help: a text that says nothing would count as a person whom nobody finds.
        return f"{EMPTY} but {told}, {_UNREAD}: make text of it first, or {_WAY_OUT}" if parts else EMPTY
    return f"it holds {told}, {_UNREAD}: take such parts out, or {_WAY_OUT}" if parts and not target.insist else None
