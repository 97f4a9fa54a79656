"""The library: detect, anonymize, restore, measure, attack, compare, protect and frontier as functions."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from math import isnan
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Unpack, overload

from sfumato import recipe as recipes
from sfumato.detectors.allowed import AllowedTerms, with_allowed
from sfumato.document import Document, Outcome, Release, Span, Withheld, is_table
from sfumato.errors import (
    EncryptionKeyError,
    InputError,
    NotReleased,
    Problem,
    RecipeError,
    UncoveredLanguage,
    WrongArgument,
)
from sfumato.lexicon.caches import forget_texts
from sfumato.lexicon.time import Order
from sfumato.llm.chat import Chat
from sfumato.llm.settings import open_chat
from sfumato.pipeline import Pipeline
from sfumato.progress import OnProgress, ignore_progress
from sfumato.recipe import Recipe
from sfumato.vault.key import Key
from sfumato.vault.ledger import find_tokens
from sfumato.vault.restore import Restorer, decrypt_tokens, restore_with
from sfumato.vault.store import Vault

if TYPE_CHECKING:
    from sfumato.attacks.background import Background, BackgroundLike
    from sfumato.attacks.base import LinkingAttack
    from sfumato.attacks.risk import AttackReport
    from sfumato.attacks.suite import Settings
    from sfumato.comparison.compare import Comparison
    from sfumato.comparison.methods import Methods
    from sfumato.formats.base import Columns
    from sfumato.formats.inputs import Corpus, Releases
    from sfumato.formats.subject_table import SubjectTableLike
    from sfumato.metrics.measurement import Measurement
    from sfumato.metrics.run import EvaluationInputs
    from sfumato.models.base import Embedder, TokenScorer
    from sfumato.protection.keep import Keep
    from sfumato.protection.records import FrontierPoint, Protection
    from sfumato.protection.target import Options


Text = str | Document
RecipeLike = str | Path | Recipe
ChatLike = Chat | str | Path


@overload
def anonymize(  # type: ignore[overload-overlap]  # a str is an iterable of str, too
    text: Text,
    *,
    recipe: RecipeLike = ...,
    allow: Iterable[str] = ...,
    locale: str | None = ...,
    date_order: Order | None = ...,
    vault: Vault | str | Path | None = ...,
    key_file: str | Path | None = ...,
    chat: ChatLike | None = ...,
    background: BackgroundLike | None = ...,
) -> Release: ...
@overload
def anonymize(
    text: Iterable[Text],
    *,
    recipe: RecipeLike = ...,
    allow: Iterable[str] = ...,
    locale: str | None = ...,
    date_order: Order | None = ...,
    vault: Vault | str | Path | None = ...,
    key_file: str | Path | None = ...,
    chat: ChatLike | None = ...,
    background: BackgroundLike | None = ...,
) -> list[Release]: ...
def anonymize(
    text: Text | Iterable[Text],
    *,
    recipe: RecipeLike = "default",
    allow: Iterable[str] = (),
    locale: str | None = None,
    date_order: Order | None = None,
    vault: Vault | str | Path | None = None,
    key_file: str | Path | None = None,
    chat: ChatLike | None = None,
    background: BackgroundLike | None = None,
) -> Release | list[Release]:
    """The release of a text (its ``.text`` is the released text), or a list of releases for several.

    ``recipe`` is a name that ``sfumato methods`` lists, a .toml file, or a ``Recipe``. ``allow`` are terms that are
    never replaced, beside those of the recipe. ``locale`` ("en-GB", "de-AT") says where the texts come from, and
    ``date_order`` ("dmy", "mdy" or "ymd") how they write numeric dates; without them each text itself tells.
    ``vault`` (a ``Vault``, or a path together with ``key_file``) remembers which replacement stands for which value,
    so that later calls agree and ``restore`` works in another process; ``key_file`` alone is the key of replacers that
    need one. ``chat`` is the language model of methods that ask one: a Chat, a server's URL, or a .gguf or .toml file.
    ``background`` is what is known of people, for recipes that read it (as in ``attack``).

    Raises ``UncoveredLanguage`` where a text is in a language that no detector of the recipe covers, ``NotReleased``
    where it is withheld for another reason; then none of the texts is released. All errors are ``SfumatoError``.
    """
    loaded, documents = recipes.load(recipe).with_options(allow, locale, date_order), list(text_documents(text))
    with _opened(vault, key_file) as opened:
        key = opened.key if opened else None if key_file is None else _key(key_file)
        people = _as_people(background, loaded)
        pipeline = Pipeline(loaded, vault=opened, key=key, chat=_as_chat(chat), background=people)
        pipeline.learn(lambda: documents)
        outcomes = pipeline.anonymize(documents)
        releases = [_released(outcome, _which(text, index, documents)) for index, outcome in enumerate(outcomes)]
        if opened:
            for release in releases:
                opened.record(release, release.document.id)
            opened.sync()
    return releases[0] if isinstance(text, str | Document) else releases


@overload
def detect(  # type: ignore[overload-overlap]
    text: Text,
    *,
    recipe: RecipeLike = ...,
    allow: Iterable[str] = ...,
    locale: str | None = ...,
    chat: ChatLike | None = ...,
) -> list[Span]: ...
@overload
def detect(
    text: Iterable[Text],
    *,
    recipe: RecipeLike = ...,
    allow: Iterable[str] = ...,
    locale: str | None = ...,
    chat: ChatLike | None = ...,
) -> list[list[Span]]: ...
def detect(
    text: Text | Iterable[Text],
    *,
    recipe: RecipeLike = "default",
    allow: Iterable[str] = (),
    locale: str | None = None,
    chat: ChatLike | None = None,
) -> list[Span] | list[list[Span]]:
    """The spans of a text, disjoint, sorted and linked by ``entity``; or a list of such lists for several texts.

    ``recipe`` is a name that ``sfumato methods`` lists, a .toml file, or a ``Recipe``; only its detectors are used.
    ``allow`` are terms that are no spans; ``locale`` is as in ``anonymize``.
    Raises ``NotReleased`` where a language model failed on a text, unless the recipe falls back to its other detectors:
    an incomplete list of spans must not be taken for a complete one.
    """
    loaded, documents = recipes.load(recipe).with_options(allow, locale), list(text_documents(text))
    pipeline = Pipeline(loaded.detection_only, chat=_as_chat(chat))
    pipeline.learn(lambda: documents)
    detected = []
    for index, (document, spans) in enumerate(pipeline.detect(documents)):
        if (reason := pipeline.why_incomplete(document)) is not None:
            hint = '; failed = "fallback" in the recipe accepts what its other detectors find'
            raise NotReleased(
                f"the spans of {_which(text, index, documents)} are incomplete: {reason}"
                f"{hint if document.id in pipeline.failed else ''}"
            )
        detected.append(spans)
    forget_texts()
    return detected[0] if isinstance(text, str | Document) else detected


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
    released id of the ``document`` the text is about (``release.document.id``) where the vault holds several: then
    nothing of another document is put in. Without ``document`` the whole vault is searched, and a replacement that
    stands for several values is left as it is. ``key_file`` alone restores the tokens of the replacer ``encrypt``, with
    ``document`` (here its original id) those of that document.

    Raises ``RestoreError`` where the vault has no such document, or the text cannot be turned back;
    ``EncryptionKeyError`` where the vault or its key is missing or wrong.
    """
    if isinstance(text, Release):
        release = text if release is None else release
        text = text.text
    if not isinstance(text, str):
        raise WrongArgument(f"restore takes a text: a str or a sfumato.Release, not {type(text).__name__}")
    if release is not None:
        return restore_with(text, _releases(release))
    if not isinstance(document, str | None):
        raise WrongArgument(f"document: the id of a release, a str, not {type(document).__name__}")
    if vault is None and key_file is not None and find_tokens(text):
        return decrypt_tokens(Release(Document(_random_id(), text)), Key.load_existing(key_file), document).text
    if vault is None:
        missing = "the vault is missing" if key_file is not None else "restore needs the release the text was made from"
        raise EncryptionKeyError(f"{missing}: restore(text, release), or restore(text, vault=..., key_file=...)")
    with _opened(vault, key_file, make_new=False) as opened:
        assert opened is not None
        restorer = Restorer(opened)
        if document is None:
            return restorer.restore(Document(_random_id(), text))[1].text
        return restorer.about(document, text).text


def _as_chat(chat: ChatLike | None) -> Chat | None:
    return None if chat is None else open_chat(chat)


def text_documents(text: Text | Iterable[Text]) -> Iterator[Document]:
    if (hint := _instead_of(text)) is not None or not isinstance(text, str | Document | Iterable):
        name = type(text).__name__
        raise WrongArgument(
            f"give a str, a sfumato.Document or a list of them, not {name}" + (f": {hint}" if hint else "")
        )
    items: Iterable[object] = [text] if isinstance(text, str | Document) else text
    for number, item in enumerate(items, start=1):
        # A bare text has no id; a random one keeps its numbered labels apart from other texts' in a vault.
        if isinstance(item, str):
            yield Document(_random_id(), item)
        elif isinstance(item, Document):
            yield item
        else:
            is_missing = item is None or (isinstance(item, float) and isnan(item))
            raise WrongArgument(
                f"text {number} is a {type(item).__name__}, not a str or a sfumato.Document"
                + ("; leave missing values out" if is_missing else "")
            )


def _instead_of(given: object) -> str | None:
    """What to give in the place of something that is no text and looks like several; None for anything else."""
    if isinstance(given, bytes):
        return "decode it first, text.decode()"
    if isinstance(given, Mapping):
        return "[sfumato.Document(id, text) for id, text in texts.items()] gives each text its id"
    if isinstance(given, PurePath) or hasattr(given, "read"):
        return "read it first; sfumato.runs.anonymize.anonymize_files and the command line take files"
    if is_table(given):
        return (
            'name the column that holds the texts, list(table["text"]); for a whole table write it to a .csv or '
            ".parquet file, and give that to the command line or to sfumato.runs.anonymize.anonymize_files"
        )
    return None


def _random_id() -> str:
    return f"text-{secrets.token_hex(6)}"


def _which(given: Text | Iterable[Text], index: int, documents: Sequence[Document]) -> str:
    """How a message refers to one of the given texts."""
    return "the text" if isinstance(given, str | Document) else f"text {index + 1} of {len(documents)}"


def _released(outcome: Outcome, which: str) -> Release:
    if isinstance(outcome, Withheld):
        if outcome.language is not None:
            raise UncoveredLanguage(
                f'{which} is {outcome.reason}; add a detector for it. With uncovered = "release" in the recipe it '
                "would be released with whatever no detector found in it"
            )
        raise NotReleased(f"{which} is withheld: {outcome.reason}")
    return outcome


def _releases(given: object) -> list[Release]:
    releases = [given] if isinstance(given, Release) else list(given) if isinstance(given, Iterable) else None
    if releases is None or not all(isinstance(release, Release) for release in releases):
        raise WrongArgument(
            f"release: what anonymize gave back, or a list of those, not {type(given).__name__}; a released text goes "
            "first, restore(text, release)"
        )
    return releases


def _key(key_file: str | Path) -> Key:
    if not Path(key_file).exists():
        raise EncryptionKeyError(
            f"{key_file}: no such key file, and the vault is missing: with vault=... both are made new; without one, "
            "key_file is a file that exists"
        )
    return Key.load(key_file)


@contextmanager
def _opened(
    vault: Vault | str | Path | None, key_file: str | Path | None, *, make_new: bool = True
) -> Iterator[Vault | None]:
    if vault is None or isinstance(vault, Vault):
        yield vault
    elif not isinstance(vault, str | Path):
        raise WrongArgument(f"vault: a path or a sfumato.Vault, not {type(vault).__name__}")
    elif key_file is None:
        raise EncryptionKeyError(f"{vault}: a vault needs its key: pass key_file=...")
    else:
        with (Vault.open if make_new else Vault.open_existing)(vault, key_file) as opened:
            yield opened


def measure(
    originals: Corpus,
    releases: Releases,
    *,
    metrics: Iterable[str] | None = None,
    chat: ChatLike | None = None,
    adversaries: Iterable[ChatLike] = (),
    settings: Settings | None = None,
    authors_compat: bool = False,
    synthesized: bool = False,
    show_claims: Sequence[str] = (),
    subject_table: SubjectTableLike | None = None,
    **inputs: Unpack[EvaluationInputs],
) -> Measurement:
    """How private and how useful releases are: every metric that can be computed from what is given, or those named.

    ``originals`` and ``releases`` are paths, ``{id: text}``, or documents and releases. ``metrics`` are names or
    families. ``chat`` is the language model of metrics that ask one, or are set to
    (``settings={"claims-privacy": {"judge": "chat"}}``); ``adversaries`` are further ones, whose figures and agreement
    the result has under ``.adversaries``. ``subject_table`` maps documents to the people they are about
    (a file, or ``{document: person or people}``; also below). ``synthesized`` says that the releases are texts that
    stand for no original, as many as there are. ``show_claims`` are ids of documents whose matches by the claims attack
    the result has under ``.records``, with original text. ``.scores`` of the result has a ``Score`` by metric,
    ``.refused`` the reason where there is none.

    ``inputs``: ``gold`` holds the reference spans; without it the originals' own annotations serve. With a
    ``background`` the ``attacks`` run, too (all that need no extra). ``subject_profiles`` say what is known of each
    document's people, ``labels`` have a label per document, and ``scorer``, ``embedder`` and ``classifier`` are models.
    """
    from sfumato.metrics.run import measure_each

    (measurement,) = measure_each(
        originals,
        {"releases": releases},
        metrics=metrics,
        chat=_as_chat(chat),
        adversaries=[open_chat(adversary) for adversary in adversaries],
        settings=settings,
        authors_compat=authors_compat,
        synthesized=synthesized,
        show_claims=show_claims,
        columns=_columns(subject_table),
        **inputs,
    ).values()
    return measurement


def attack(
    originals: Corpus,
    releases: Releases,
    background: BackgroundLike,
    attacks: Iterable[str | LinkingAttack] | None = None,
    *,
    settings: Settings | None = None,
    chat: ChatLike | None = None,
    rank: str = "first",
    subject_table: SubjectTableLike | None = None,
) -> AttackReport:
    """Who can still be found: linking attacks on releases, by an attacker who knows the background.

    ``background`` is a path, ``{person: text or texts}``, documents or ``sfumato.attacks.base.Person``; documents
    are matched to it by ``subject_table``, else by their ``subjects``, else by id. ``attacks`` are names or objects
    (all that need no extra), their options in ``settings``; ``chat`` is the language model of those that ask one.
    ``rank="best"`` is for releases made by a method that itself looks at ranks. The result has ``.attacks`` by
    name, the ``.strongest``, ``.any`` of them, and ``.documents``, those at most risk first.
    """
    from sfumato.attacks.suite import attack_releases

    return attack_releases(
        originals,
        releases,
        background,
        attacks=attacks,
        settings=settings,
        chat=_as_chat(chat),
        rank=rank,
        columns=_columns(subject_table),
    )


def compare(
    originals: Corpus,
    methods: Methods,
    *,
    metrics: Iterable[str] | None = None,
    settings: Settings | None = None,
    cache: str | Path | None = None,
    chats: Iterable[ChatLike] = (),
    repeats: int = 1,
    judge: ChatLike | None = None,
    subject_table: SubjectTableLike | None = None,
    **inputs: Unpack[EvaluationInputs],
) -> Comparison:
    """Several methods on one corpus: their privacy and utility side by side.

    ``methods`` are names of recipes, recipe files, files of releases (``name=path``), ``"none"`` (no sanitization) or
    ``"all"`` (everything removed); or by name: recipes, paths, ``{id: text}``, releases, or a function of your own
    from a text to its release (``{"mine": function, "default": "default"}``). ``cache`` is a folder that
    keeps what was computed, so that a stopped run can be continued. A method that asks a language model is run with
    each of ``chats``, ``repeats`` times; attacks and metrics that ask one are given ``judge``. ``inputs`` are those of
    ``measure``.
    """
    from sfumato.comparison.compare import compare_methods

    return compare_methods(
        originals,
        methods,
        metrics=metrics,
        settings=settings,
        cache=None if cache is None else Path(cache),
        columns=_columns(subject_table),
        chats=[open_chat(chat) for chat in chats],
        repeats=repeats,
        chat=_as_chat(judge),
        **inputs,
    )


def _as_people(background: BackgroundLike | None, recipe: Recipe) -> Background | None:
    if background is None:
        return None
    from sfumato.attacks.background import as_background

    if not recipe.reads_background:
        raise RecipeError(
            f"nothing in the recipe {recipe.name!r} reads a background: leave it out, or use sfumato.protect"
        )
    return as_background(background)


def _columns(subject_table: SubjectTableLike | None) -> Columns:
    from sfumato.formats.base import Columns
    from sfumato.formats.subject_table import as_subject_table

    return Columns(subject_table=as_subject_table(subject_table))


def protect(
    originals: Corpus,
    background: BackgroundLike | None = None,
    *,
    k: int | None = None,
    target_risk: float | None = None,
    budget: float | None = None,
    release_anyway: bool = False,
    recipe: RecipeLike = "default",
    releases: Releases | None = None,
    attacker_knowledge: float = 1.0,
    attacks: Iterable[str | LinkingAttack] | None = None,
    settings: Settings | None = None,
    scorer: str | TokenScorer = "frequency",
    embedder: str | Embedder = "default",
    cache: str | Path | None = None,
    chat: ChatLike | None = None,
    subject_table: SubjectTableLike | None = None,
    keep: Iterable[str | Path] | Keep = (),
    allow: Iterable[str] = (),
    key_file: str | Path | None = None,
    on_progress: OnProgress = ignore_progress,
) -> Protection:
    """Anonymize documents, attack the releases, repair what the attacks found until the target holds, and verify.

    The target is ``k`` people who fit each release as well as its subject (11 unless said otherwise), or a
    ``target_risk``; ``budget`` is the share of a document's information that may be lost for it. What misses the
    target is withheld, unless ``release_anyway``; ``budget`` alone asks for the least risk within it, and withholds
    nothing for missing a target. ``releases`` are where to start, else what ``recipe`` (a
    name, a .toml file, or a ``Recipe``) makes of the originals. ``attacker_knowledge=4``: the attacker knows four times
    as much as the ``background`` holds. ``attacks`` verify the result; where all of them ask a language
    model, the default ones do so as well. ``keep``: what is repaired last because the
    releases are for it (labels, terms, entity types; docs/protection.md), ``allow``: terms that are never
    replaced. ``key_file`` is a key (made where there is none) from which ranks and invented values are drawn: give the
    same one for every release of the same documents, because two that hide different words undo each other.
    ``cache`` is a confidential file that lets a stopped run be continued. The result has ``.documents``
    (``.released``, ``.withheld``), each with its ``release``, ``repairs`` and ``loss``; ``.met``; and the verified
    ``.scenarios``.
    """
    from sfumato.attacks.background import as_background
    from sfumato.formats.inputs import as_documents, as_releases
    from sfumato.protection.checkpoints import Checkpoints
    from sfumato.protection.keep import Keep, read_keep
    from sfumato.protection.protect import protect_releases
    from sfumato.protection.target import Target, verifying_attacks

    loaded, model = recipes.load(recipe).with_options(allow), _as_chat(chat)
    target = Target.of(k, target_risk, budget, release_anyway=release_anyway)
    columns, problems = _columns(subject_table), list[Problem]()
    people = None if background is None else as_background(background, None, problems.append, columns)
    if people is not None:
        target.check(len(people))
    options = _loop_options(attacker_knowledge, verifying_attacks(attacks), settings, scorer, embedder, model)
    key = None if key_file is None else Key.load(key_file) if Path(key_file).exists() else Key.create(key_file)
    secret = None if key is None else key.derive("ranks")
    options = replace(options, keep=keep if isinstance(keep, Keep) else read_keep(keep), secret=secret)
    documents = as_documents(originals, columns, problems.append)
    outcomes: Sequence[Outcome] | None = None
    if releases is not None:
        allowed = AllowedTerms(loaded.allow)
        documents = [with_allowed(document, allowed) for document in documents]
        outcomes = as_releases("releases", releases, documents, columns, problems.append, Release.rewritten)
    if problems:
        count = len(problems)
        raise InputError(f"{count} problem{'s' * (count > 1)} with what was given, the first: {problems[0]}")
    finish: Callable[[Release], Outcome] | None = None
    if outcomes is None:
        pipeline = Pipeline(loaded, chat=model, background=people, secret=None if key is None else key.derive("values"))
        pipeline.learn(lambda: documents)
        outcomes, finish = list(pipeline.anonymize(documents)), pipeline.finish
    with closing(Checkpoints(None if cache is None else Path(cache))) as checkpoints:
        protection = protect_releases(
            outcomes, people, target, options, checkpoints=checkpoints, on_progress=on_progress, finish=finish
        )
    return replace(protection, is_unkeyed=key is None)


def _loop_options(
    attacker_knowledge: float,
    attacks: Iterable[str | LinkingAttack] | None,
    settings: Settings | None,
    scorer: str | TokenScorer,
    embedder: str | Embedder,
    chat: Chat | None,
) -> Options:
    from sfumato.protection.attackers import VERIFYING
    from sfumato.protection.target import Options

    verifying = VERIFYING if attacks is None else tuple(attacks)
    return Options(
        attacker_knowledge, attacks=verifying, settings=settings, scorer=scorer, embedder=embedder, chat=chat
    )


def frontier(
    originals: Corpus,
    background: BackgroundLike,
    *,
    recipe: RecipeLike = "default",
    releases: Releases | None = None,
    ks: Iterable[int] | None = None,
    attacker_knowledge: float = 1.0,
    attacks: Iterable[str | LinkingAttack] | None = None,
    settings: Settings | None = None,
    scorer: str | TokenScorer = "frequency",
    embedder: str | Embedder = "default",
    chat: ChatLike | None = None,
    subject_table: SubjectTableLike | None = None,
    on_progress: OnProgress = ignore_progress,
    on_problem: Callable[[Problem], None] = lambda problem: None,
) -> list[FrontierPoint]:
    """What each target costs: verified risk and information kept at the start, and protected for each of ``ks``.

    Without ``ks``, 2, 3, 5, 11, 20 and 40 as far as the background is large enough. ``on_problem`` is called for
    documents and targets that were left out; all else is as in ``protect``. ``sfumato.protection.pages`` draws
    them.
    """
    from sfumato.protection.frontier import frontier_of_corpus

    return frontier_of_corpus(
        originals,
        background,
        recipe=recipe,
        releases=releases,
        ks=None if ks is None else list(ks),
        options=_loop_options(attacker_knowledge, attacks, settings, scorer, embedder, _as_chat(chat)),
        columns=_columns(subject_table),
        on_progress=on_progress,
        on_problem=on_problem,
    )
