"""From files or objects to a protected corpus: what ``sfumato.protect`` does."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from sfumato.attacks.background import BackgroundLike, as_background
from sfumato.attacks.base import LinkingAttack
from sfumato.attacks.suite import Settings
from sfumato.corpus import Columns
from sfumato.corpus.given import Corpus, Releases, as_documents, as_releases
from sfumato.document import Document, Release
from sfumato.errors import InputError, Problem
from sfumato.models.base import Embedder, TokenScorer
from sfumato.models.chat import Chat
from sfumato.pipeline import Pipeline
from sfumato.protection.attackers import VERIFYING
from sfumato.protection.protect import Options, protect_releases
from sfumato.protection.records import OnStep, Protection, not_released
from sfumato.protection.shelf import Shelf
from sfumato.protection.target import Target
from sfumato.recipe import Recipe


def protect_corpus(
    originals: Corpus,
    background: BackgroundLike | None,
    *,
    k: int | None,
    target_risk: float | None,
    budget: float | None,
    insist: bool,
    recipe: Recipe,
    releases: Releases | None,
    foresight: float,
    attacks: Iterable[str | LinkingAttack] | None,
    settings: Settings | None,
    scorer: str | TokenScorer,
    embedder: str | Embedder,
    cache: Path | None,
    chat: Chat | None,
    on_step: OnStep,
) -> Protection:
    """Read everything, release it by the recipe where no releases are given, and protect it. Problems raise."""
    target = Target.of(k, target_risk, budget, insist=insist)
    columns, problems = Columns(), list[Problem]()
    known = None if background is None else as_background(background, columns, problems.append)
    if known is not None:
        target.check(len(known))
    options = Options(
        foresight=foresight,
        attacks=VERIFYING if attacks is None else tuple(attacks),
        settings=settings,
        scorer=scorer,
        embedder=embedder,
        chat=chat,
    )
    documents = as_documents(originals, columns, problems.append)
    given = None
    if releases is not None:
        given = as_releases("releases", releases, documents, columns, problems.append, Release.rewritten)
    if problems:
        count = len(problems)
        raise InputError(f"{count} problem{'s' * (count > 1)} with what was given, the first: {problems[0]}")
    starts = started(documents, recipe, chat) if given is None else [workable(release) for release in given]
    shelf = Shelf(cache)
    try:
        return protect_releases(starts, known, target, options, shelf=shelf, on_step=on_step)
    finally:
        shelf.close()


def started(documents: Sequence[Document], recipe: Recipe, chat: Chat | None = None) -> list[Release]:
    """What a recipe makes of documents; one that it withholds says nothing, and is withheld."""
    pipeline = Pipeline(recipe, chat=chat)
    pipeline.learn(lambda: documents)
    outcomes = pipeline.anonymize(documents)
    return [workable(one) if isinstance(one, Release) else not_released(one.document, one.reason) for one in outcomes]


def workable(release: Release) -> Release:
    """A release that can be repaired: where only its text is known, that text is the document."""
    if release.rewrite is None:
        return release
    given = release.document
    return Release(Document(given.id, release.text, given.subjects, None, given.meta))
