"""The library: the same as the command line, on strings and documents."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

from sfumato import recipe as recipes
from sfumato.document import Document, Outcome, Release, Span, Withheld
from sfumato.errors import KeyProblem, NotReleased, Problem, UncoveredLanguage
from sfumato.models.chat import Chat
from sfumato.pipeline import Pipeline
from sfumato.recipe import Recipe
from sfumato.vault import Key, Restorer, Vault, restore_with

if TYPE_CHECKING:
    from sfumato.attacks.background import BackgroundLike
    from sfumato.attacks.base import LinkingAttack
    from sfumato.attacks.report import AttackReport
    from sfumato.comparison import Comparison, Methods
    from sfumato.corpus.given import Corpus, Releases
    from sfumato.measures.base import Annotations
    from sfumato.measures.measure import Settings
    from sfumato.measures.run import Measurement
    from sfumato.models.base import Classifier, Embedder, TokenScorer
    from sfumato.protection.pages.frontier import FrontierPoint
    from sfumato.protection.records import OnStep, Protection

Text = str | Document
RecipeLike = str | Path | Recipe
ChatLike = Chat | str | Path


@overload
def anonymize(  # type: ignore[overload-overlap]  # a str is an iterable of str, too
    text: Text,
    *,
    recipe: RecipeLike = ...,
    vault: Vault | str | Path | None = ...,
    key_file: str | Path | None = ...,
    chat: ChatLike | None = ...,
) -> Release: ...
@overload
def anonymize(
    text: Iterable[Text],
    *,
    recipe: RecipeLike = ...,
    vault: Vault | str | Path | None = ...,
    key_file: str | Path | None = ...,
    chat: ChatLike | None = ...,
) -> list[Release]: ...
def anonymize(
    text: Text | Iterable[Text],
    *,
    recipe: RecipeLike = "default",
    vault: Vault | str | Path | None = None,
    key_file: str | Path | None = None,
    chat: ChatLike | None = None,
) -> Release | list[Release]:
    """The release of a text (its ``.text`` is the released text), or a list of releases for several.

    ``vault`` (a ``Vault``, or a path together with ``key_file``) remembers who stands for whom, so that later calls
    agree and ``restore`` works in another process. ``chat`` is the language model of methods that ask one: a Chat, a
    server's URL, or a .gguf or .toml file. Raises ``UncoveredLanguage`` where the recipe withholds a text.
    """
    with _opened(vault, key_file) as opened:
        key = opened.key if opened else Key.load(key_file) if key_file else None
        pipeline = Pipeline(recipes.load(recipe), vault=opened, key=key, chat=_chat(chat))
        documents = list(_documents(text))
        pipeline.learn(lambda: documents)
        releases = [_released(outcome) for outcome in pipeline.anonymize(documents)]
        if opened:
            for release in releases:
                opened.record(release, release.document.id)
    return releases[0] if isinstance(text, str | Document) else releases


@overload
def detect(  # type: ignore[overload-overlap]
    text: Text, *, recipe: RecipeLike = ..., chat: ChatLike | None = ...
) -> list[Span]: ...
@overload
def detect(text: Iterable[Text], *, recipe: RecipeLike = ..., chat: ChatLike | None = ...) -> list[list[Span]]: ...
def detect(
    text: Text | Iterable[Text], *, recipe: RecipeLike = "default", chat: ChatLike | None = None
) -> list[Span] | list[list[Span]]:
    """The spans of a text, disjoint, sorted and linked by ``entity``; or a list of such lists for several texts.

    Raises ``NotReleased`` where a language model failed on a text, unless the recipe falls back to its floor: half of
    the spans must not be taken for all of them.
    """
    pipeline, documents = Pipeline(recipes.load(recipe).finding, chat=_chat(chat)), list(_documents(text))
    pipeline.learn(lambda: documents)
    found = []
    for document, spans in pipeline.detect(documents):
        if (failure := pipeline.failed.get(document.id)) is not None and not pipeline.may_fall_back:
            raise NotReleased(
                f'the spans of a text are incomplete: {failure}; failed = "floor" in the recipe does with what its '
                "floor finds"
            )
        found.append(spans)
    return found[0] if isinstance(text, str | Document) else found


def restore(
    text: str | Release,
    release: Release | Iterable[Release] | None = None,
    *,
    vault: Vault | str | Path | None = None,
    key_file: str | Path | None = None,
    document: str | None = None,
) -> str:
    """The original of a release, or any text (a language model's answer) with the real values put back into it.

    Give the release, or releases, that the text was made from; or the vault they were recorded in, and with it the
    released id of the ``document`` the text is about where the vault holds several.
    """
    if isinstance(text, Release):
        return restore(text.text, release or text, vault=vault, key_file=key_file, document=document)
    if release is not None:
        return restore_with(text, [release] if isinstance(release, Release) else release)
    if vault is None:
        raise KeyProblem(
            "restore needs the release the text was made from, or a vault: restore(text, vault=..., key_file=...)"
        )
    with _opened(vault, key_file, make_new=False) as opened:
        assert opened is not None
        restorer = Restorer(opened)
        return (restorer.about(document, text) if document else restorer.restore(Document("text", text))[1]).text


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
) -> Measurement:
    """How private and how useful releases are: every metric that the material allows, or those named.

    ``originals`` and ``releases`` are paths, ``{id: text}``, or documents and releases. ``metrics`` are names or
    families. ``gold`` holds the reference spans; without it the originals' own annotations serve. With a
    ``background`` the ``attacks`` run, too (all that need no extra). ``chat`` is the language model of metrics that ask
    one, or are set to (``settings={"claims-privacy": {"judge": "chat"}}``). ``.scores`` of what comes back has a
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
        chat=_chat(chat),
        settings=settings,
        authors_compat=authors_compat,
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
) -> AttackReport:
    """Who can still be found: linking attacks on releases, by an attacker who knows the background.

    ``background`` is a path, ``{person: text or texts}``, documents or ``sfumato.attacks.Person``; documents are
    matched to it by their ``subjects``, else by id. ``attacks`` are names or objects (all that need no extra), their
    options in ``settings``; ``chat`` is the language model of those that ask one. ``rank="best"`` is for releases made
    by a method that itself looks at ranks. What comes back has ``.attacks`` by name, the ``.strongest``, ``.any`` of
    them, and ``.documents``, those at most risk first.
    """
    from sfumato.attacks.attack import attack_releases

    return attack_releases(
        originals, releases, background, attacks=attacks, settings=settings, chat=_chat(chat), rank=rank
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
    on_step: OnStep = lambda step: None,
) -> Protection:
    """Anonymize documents until nobody is found in them: attack, repair what the attack found, verify.

    The target is ``k`` people who fit each release as well as its subject (11 unless said otherwise), or a
    ``target_risk``; ``budget`` is the share of a document's information that may be lost for it. ``releases`` are
    where to start, else what ``recipe`` makes of the originals. ``foresight=4``: the attacker has read four times as
    much as the ``background`` holds. ``attacks`` verify what came out. ``cache`` is a confidential file that lets a
    stopped run go on. What comes back has ``.documents`` (``.released``, ``.withheld``), each with its ``release``,
    ``repairs`` and ``loss``; ``.met``; and the verified ``.columns``.
    """
    from sfumato.protection.library import protect_corpus

    return protect_corpus(
        originals,
        background,
        k=k,
        target_risk=target_risk,
        budget=budget,
        insist=insist,
        recipe=recipes.load(recipe),
        releases=releases,
        foresight=foresight,
        attacks=attacks,
        settings=settings,
        scorer=scorer,
        embedder=embedder,
        cache=None if cache is None else Path(cache),
        chat=_chat(chat),
        on_step=on_step,
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
) -> Comparison:
    """Several methods on one corpus: their privacy and utility side by side.

    ``methods`` are names of recipes, recipe files, files of releases (``name=path``), ``"none"`` (no sanitization) or
    ``"all"`` (everything removed); or by name: recipes, paths, ``{id: text}`` or releases. ``cache`` is a folder that
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
        chats=[one for given in chats if (one := _chat(given)) is not None],
        repeats=repeats,
        chat=_chat(judge),
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
    on_step: OnStep = lambda step: None,
    on_problem: Callable[[Problem], None] = lambda problem: None,
) -> list[FrontierPoint]:
    """What each target costs: verified risk and information kept at the start, and protected for each of ``ks``.

    Without ``ks``, 2, 3, 5, 11, 20 and 40 as far as the background is large enough. ``on_problem`` hears of documents
    and targets that were left out; all else is as in ``protect``. ``sfumato.protection.pages.frontier`` draws them.
    """
    from sfumato.protection.attackers import VERIFYING
    from sfumato.protection.frontier import frontier_of_corpus
    from sfumato.protection.protect import Options

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
            chat=_chat(chat),
        ),
        on_step=on_step,
        on_problem=on_problem,
    )


def _chat(given: ChatLike | None) -> Chat | None:
    if given is None or isinstance(given, Chat):
        return given
    from sfumato.models.chat.open import open_chat

    return open_chat(given)


def _documents(text: Text | Iterable[Text]) -> Iterator[Document]:
    if isinstance(text, bytes | Mapping) or not isinstance(text, str | Document | Iterable):
        raise TypeError(f"give a str, a sfumato.Document or a list of them, not {type(text).__name__}")
    texts = [text] if isinstance(text, str | Document) else text
    for item in texts:
        # A bare text has no id of its own; a random one keeps its numbers apart from other texts' in a vault.
        if isinstance(item, str):
            yield Document(f"text-{secrets.token_hex(6)}", item)
        elif isinstance(item, Document):
            yield item
        else:
            raise TypeError(f"a text is a str or a sfumato.Document, not {type(item).__name__}")


def _released(outcome: Outcome) -> Release:
    if isinstance(outcome, Withheld):
        if outcome.reason.startswith("in a language"):
            raise UncoveredLanguage(
                f'a text is {outcome.reason}; add a detector for it, or set uncovered = "release" in the recipe'
            )
        raise NotReleased(f"a text is withheld: {outcome.reason}")
    return outcome


@contextmanager
def _opened(
    vault: Vault | str | Path | None, key_file: str | Path | None, *, make_new: bool = True
) -> Iterator[Vault | None]:
    if vault is None or isinstance(vault, Vault):
        yield vault
    elif key_file is None:
        raise KeyProblem(f"{vault}: a vault needs its key: pass key_file=...")
    else:
        with (Vault.open if make_new else Vault.open_existing)(vault, key_file) as opened:
            yield opened
