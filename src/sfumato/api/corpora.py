"""Whole corpora: measure releases, attack them, protect them, and put methods side by side."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sfumato import recipe as recipes
from sfumato.api.texts import ChatLike, RecipeLike, opened_chat
from sfumato.document import Release
from sfumato.errors import InputError, Problem
from sfumato.models.chat import open_chat

if TYPE_CHECKING:
    from sfumato.attacks.background import BackgroundLike
    from sfumato.attacks.base import LinkingAttack
    from sfumato.attacks.report import AttackReport
    from sfumato.attacks.suite import Settings
    from sfumato.comparison import Comparison, Methods
    from sfumato.corpus import AboutLike, Columns
    from sfumato.corpus.given import Corpus, Releases
    from sfumato.measures.base import Annotations
    from sfumato.measures.run import Measurement
    from sfumato.models.base import Classifier, Embedder, TokenScorer
    from sfumato.protection.records import FrontierPoint, OnStep, Protection


def measure(
    originals: Corpus,
    releases: Releases,
    *,
    metrics: Iterable[str] | None = None,
    gold: str | Path | Annotations | None = None,
    subjects: str | Path | Mapping[str, Any] | None = None,
    labels: str | Path | Mapping[str, str] | None = None,
    background: BackgroundLike | None = None,
    attacks: Iterable[str | LinkingAttack] | None = None,
    scorer: str | TokenScorer | None = "default",
    embedder: str | Embedder | None = "default",
    classifier: str | Classifier | None = None,
    chat: ChatLike | None = None,
    settings: Settings | None = None,
    authors_compat: bool = False,
    about: AboutLike | None = None,
) -> Measurement:
    """How private and how useful releases are: every metric that the material allows, or those named.

    ``originals`` and ``releases`` are paths, ``{id: text}``, or documents and releases. ``metrics`` are names or
    families. ``gold`` holds the reference spans; without it the originals' own annotations serve. With a
    ``background`` the ``attacks`` run, too (all that need no extra). ``chat`` is the language model of metrics that ask
    one, or are set to (``settings={"claims-privacy": {"judge": "chat"}}``). ``about`` says whom documents are about,
    where they do not (a table, or ``{document: person or people}``; also below). ``.scores`` of what comes back has a
    ``Score`` by metric, ``.refused`` the reason where there is none.
    """
    from sfumato.measures.measure import measure_each

    (found,) = measure_each(
        originals,
        {"releases": releases},
        metrics=metrics,
        gold=gold,
        subjects=subjects,
        labels=labels,
        background=background,
        attacks=attacks,
        scorer=scorer,
        embedder=embedder,
        classifier=classifier,
        chat=opened_chat(chat),
        settings=settings,
        authors_compat=authors_compat,
        columns=_columns(about),
    ).values()
    return found


def attack(
    originals: Corpus,
    releases: Releases,
    background: BackgroundLike,
    attacks: Iterable[str | LinkingAttack] | None = None,
    *,
    settings: Settings | None = None,
    chat: ChatLike | None = None,
    rank: str = "first",
    about: AboutLike | None = None,
) -> AttackReport:
    """Who can still be found: linking attacks on releases, by an attacker who knows the background.

    ``background`` is a path, ``{person: text or texts}``, documents or ``sfumato.attacks.Person``; documents are
    matched to it by ``about``, else by their ``subjects``, else by id. ``attacks`` are names or objects (all that need
    no extra), their options in ``settings``; ``chat`` is the language model of those that ask one. ``rank="best"`` is
    for releases made by a method that itself looks at ranks. What comes back has ``.attacks`` by name, the
    ``.strongest``, ``.any`` of them, and ``.documents``, those at most risk first.
    """
    from sfumato.attacks.attack import attack_releases

    return attack_releases(
        originals,
        releases,
        background,
        attacks=attacks,
        settings=settings,
        chat=opened_chat(chat),
        rank=rank,
        columns=_columns(about),
    )


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
    target, columns, problems = Target.of(k, target_risk, budget, insist=insist), _columns(about), list[Problem]()
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


def compare(
    originals: Corpus,
    methods: Methods,
    *,
    metrics: Iterable[str] | None = None,
    gold: str | Path | Annotations | None = None,
    subjects: str | Path | Mapping[str, Any] | None = None,
    labels: str | Path | Mapping[str, str] | None = None,
    background: BackgroundLike | None = None,
    attacks: Iterable[str | LinkingAttack] | None = None,
    scorer: str | TokenScorer | None = "default",
    embedder: str | Embedder | None = "default",
    classifier: str | Classifier | None = None,
    settings: Settings | None = None,
    cache: str | Path | None = None,
    chats: Iterable[ChatLike] = (),
    repeats: int = 1,
    judge: ChatLike | None = None,
    about: AboutLike | None = None,
) -> Comparison:
    """Several methods on one corpus: their privacy and utility side by side.

    ``methods`` are names of recipes, recipe files, files of releases (``name=path``), ``"none"`` (no sanitization) or
    ``"all"`` (everything removed); or by name: recipes, paths, ``{id: text}``, releases, or a function of your own
    from a text to its release (``{"mine": function, "default": "default"}``). ``cache`` is a folder that
    keeps what was computed, so that a run that was stopped goes on. A method that asks a language model is run with
    each of ``chats``, ``repeats`` times; attacks and metrics that ask one are given ``judge``.
    """
    from sfumato.comparison import compare_methods

    return compare_methods(
        originals,
        methods,
        metrics=metrics,
        settings=settings,
        cache=None if cache is None else Path(cache),
        columns=_columns(about),
        chats=[open_chat(one) for one in chats],
        repeats=repeats,
        chat=opened_chat(judge),
        gold=gold,
        subjects=subjects,
        labels=labels,
        background=background,
        attacks=attacks,
        scorer=scorer,
        embedder=embedder,
        classifier=classifier,
    )


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
        columns=_columns(about),
        on_step=on_step,
        on_problem=on_problem,
    )


def _columns(about: AboutLike | None) -> Columns:
    from sfumato.corpus import Columns, as_about

    return Columns(about=as_about(about))
