"""Whole corpora: measure releases, attack them, and put methods side by side."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sfumato.api.texts import ChatLike, opened_chat
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
        columns=columns_about(about),
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
        columns=columns_about(about),
    )


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
        columns=columns_about(about),
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


def columns_about(about: AboutLike | None) -> Columns:
    from sfumato.corpus import Columns, as_about

    return Columns(about=as_about(about))
