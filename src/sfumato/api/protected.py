"""Whole corpora protected: one target, or the frontier of many."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from sfumato import recipe as recipes
from sfumato.api.corpora import columns_about
from sfumato.api.texts import ChatLike, RecipeLike, opened_chat
from sfumato.document import Release
from sfumato.errors import InputError, Problem

if TYPE_CHECKING:
    from sfumato.attacks.background import BackgroundLike
    from sfumato.attacks.base import LinkingAttack
    from sfumato.attacks.suite import Settings
    from sfumato.corpus import AboutLike
    from sfumato.corpus.given import Corpus, Releases
    from sfumato.models.base import Embedder, TokenScorer
    from sfumato.protection.records import FrontierPoint, OnStep, Protection


def protect(
    originals: Corpus,
    background: BackgroundLike | None = None,
    *,
    k: int | None = None,
    target_risk: float | None = None,
    budget: float | None = None,
    insist: bool = False,
    recipe: RecipeLike = "default",
    releases: Releases | None = None,
    foresight: float = 1.0,
    attacks: Iterable[str | LinkingAttack] | None = None,
    settings: Settings | None = None,
    scorer: str | TokenScorer = "frequency",
    embedder: str | Embedder = "default",
    cache: str | Path | None = None,
    chat: ChatLike | None = None,
    about: AboutLike | None = None,
    on_step: OnStep = lambda step: None,
) -> Protection:
    """Anonymize documents until nobody is found in them: attack, repair what the attack found, verify.

    The target is ``k`` people who fit each release as well as its subject (11 unless said otherwise), or a
    ``target_risk``; ``budget`` is the share of a document's information that may be lost for it. What misses the
    target is withheld, unless ``insist`` says that it goes out all the same; ``budget`` alone asks for the least risk
    within it, and withholds nothing for missing a target. ``releases`` are where to start, else what ``recipe`` (a
    name, a .toml file, or a ``Recipe``) makes of the originals. ``foresight=4``: the attacker has read four times as
    much as the ``background`` holds. ``attacks`` verify what came out. ``cache`` is a confidential file that lets a
    stopped run go on. What comes back has ``.documents`` (``.released``, ``.withheld``), each with its ``release``,
    ``repairs`` and ``loss``; ``.met``; and the verified ``.columns``.
    """
    from sfumato.attacks.background import as_background
    from sfumato.attacks.mentions import also_named
    from sfumato.corpus.given import as_documents, as_releases
    from sfumato.protection.attackers import VERIFYING
    from sfumato.protection.options import Options
    from sfumato.protection.protect import protect_releases
    from sfumato.protection.shelf import Shelf
    from sfumato.protection.starts import started, workable
    from sfumato.protection.target import Target

    loaded, model = recipes.load(recipe), opened_chat(chat)
    target, columns, problems = Target.of(k, target_risk, budget, insist=insist), columns_about(about), list[Problem]()
    known = None if background is None else as_background(background, None, problems.append, columns)
    if known is not None:
        target.check(len(known))
    options = Options(
        foresight=foresight,
        attacks=VERIFYING if attacks is None else tuple(attacks),
        settings=settings,
        scorer=scorer,
        embedder=embedder,
        chat=model,
    )
    documents = as_documents(originals, columns, problems.append)
    given = None
    if releases is not None:
        given = as_releases("releases", releases, documents, columns, problems.append, Release.rewritten)
    if problems:
        count = len(problems)
        raise InputError(f"{count} problem{'s' * (count > 1)} with what was given, the first: {problems[0]}")
    starts = started(documents, loaded, target, model) if given is None else [workable(one, target) for one in given]
    with closing(Shelf(None if cache is None else Path(cache))) as shelf:
        found = protect_releases(starts, known, target, options, shelf=shelf, on_step=on_step)
    return found if known is None else found.naming(also_named(documents, known))


def frontier(
    originals: Corpus,
    background: BackgroundLike,
    *,
    recipe: RecipeLike = "default",
    releases: Releases | None = None,
    ks: Iterable[int] | None = None,
    foresight: float = 1.0,
    attacks: Iterable[str | LinkingAttack] | None = None,
    settings: Settings | None = None,
    scorer: str | TokenScorer = "frequency",
    embedder: str | Embedder = "default",
    chat: ChatLike | None = None,
    about: AboutLike | None = None,
    on_step: OnStep = lambda step: None,
    on_problem: Callable[[Problem], None] = lambda problem: None,
) -> list[FrontierPoint]:
    """What each target costs: verified risk and information kept at the start, and protected for each of ``ks``.

    Without ``ks``, 2, 3, 5, 11, 20 and 40 as far as the background is large enough. ``on_problem`` hears of documents
    and targets that were left out; all else is as in ``protect``. ``sfumato.protection.pages.frontier`` draws them.
    """
    from sfumato.protection.attackers import VERIFYING
    from sfumato.protection.frontier import frontier_of_corpus
    from sfumato.protection.options import Options

    return frontier_of_corpus(
        originals,
        background,
        recipe=recipe,
        releases=releases,
        ks=None if ks is None else list(ks),
        options=Options(
            foresight=foresight,
            attacks=VERIFYING if attacks is None else tuple(attacks),
            settings=settings,
            scorer=scorer,
            embedder=embedder,
            chat=opened_chat(chat),
        ),
        columns=columns_about(about),
        on_step=on_step,
        on_problem=on_problem,
    )
