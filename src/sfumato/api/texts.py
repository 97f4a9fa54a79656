"""Texts: find what is personal in them, release them, and put the real values back."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import overload

from sfumato import recipe as recipes
from sfumato.document import Document, Outcome, Release, Span, Withheld
from sfumato.errors import KeyProblem, NotReleased, UncoveredLanguage, WrongArgument
from sfumato.models.chat import Chat, open_chat
from sfumato.pipeline import Pipeline
from sfumato.recipe import Recipe
from sfumato.vault import Key, Restorer, Vault, restore_with

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

    ``recipe`` is a name that ``sfumato methods`` lists, a .toml file, or a ``Recipe``. ``vault`` (a ``Vault``, or a
    path together with ``key_file``) remembers who stands for whom, so that later calls agree and ``restore`` works in
    another process; ``key_file`` alone is the key of replacers that need one. ``chat`` is the language model of methods
    that ask one: a Chat, a server's URL, or a .gguf or .toml file.

    Raises ``UncoveredLanguage`` where a text is in a language that no detector of the recipe covers, ``NotReleased``
    where it is withheld for another reason; then no text is released. All errors are ``SfumatoError``.
    """
    loaded, documents = recipes.load(recipe), list(_documents(text))
    with _opened(vault, key_file) as opened:
        key = opened.key if opened else None if key_file is None else _key(key_file)
        pipeline = Pipeline(loaded, vault=opened, key=key, chat=opened_chat(chat))
        pipeline.learn(lambda: documents)
        outcomes = pipeline.anonymize(documents)
        releases = [_released(outcome, _which(text, at, documents)) for at, outcome in enumerate(outcomes)]
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

    ``recipe`` is a name that ``sfumato methods`` lists, a .toml file, or a ``Recipe``; its detectors are what counts.
    Raises ``NotReleased`` where a language model failed on a text, unless the recipe falls back to its floor: half of
    the spans must not be taken for all of them.
    """
    pipeline, documents = Pipeline(recipes.load(recipe).finding, chat=opened_chat(chat)), list(_documents(text))
    pipeline.learn(lambda: documents)
    found = []
    for at, (document, spans) in enumerate(pipeline.detect(documents)):
        if (failure := pipeline.failed.get(document.id)) is not None and not pipeline.may_fall_back:
            raise NotReleased(
                f'the spans of {_which(text, at, documents)} are incomplete: {failure}; failed = "floor" in the recipe '
                "does with what its floor finds"
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
    released id of the ``document`` the text is about (``release.document.id``) where the vault holds several: then
    nothing of another document is put in. Without ``document`` the whole vault is searched, and what stands for
    several things is left as it is.

    Raises ``RestoreError`` where the vault has no such document, or the text cannot be turned back; ``KeyProblem``
    where the vault or its key is missing or wrong.
    """
    if isinstance(text, Release):
        return restore(
            text.text, text if release is None else release, vault=vault, key_file=key_file, document=document
        )
    if not isinstance(text, str):
        raise WrongArgument(f"restore takes a text: a str or a sfumato.Release, not {type(text).__name__}")
    if release is not None:
        return restore_with(text, _releases(release))
    if vault is None:
        missing = "the vault is missing" if key_file is not None else "restore needs the release the text was made from"
        raise KeyProblem(f"{missing}: restore(text, release), or restore(text, vault=..., key_file=...)")
    with _opened(vault, key_file, make_new=False) as opened:
        assert opened is not None
        restorer = Restorer(opened)
        if document is None:
            return restorer.restore(Document(_no_id(), text))[1].text
        if not isinstance(document, str):
            raise WrongArgument(f"document: the id of a release, a str, not {type(document).__name__}")
        return restorer.about(document, text).text


def opened_chat(given: ChatLike | None) -> Chat | None:
    """The language model, where one was named."""
    return None if given is None else open_chat(given)


def _documents(text: Text | Iterable[Text]) -> Iterator[Document]:
    if isinstance(text, bytes | Mapping) or not isinstance(text, str | Document | Iterable):
        raise WrongArgument(f"give a str, a sfumato.Document or a list of them, not {type(text).__name__}")
    texts = [text] if isinstance(text, str | Document) else text
    for item in texts:
        # A bare text has no id of its own; a random one keeps its numbers apart from other texts' in a vault.
        if isinstance(item, str):
            yield Document(_no_id(), item)
        elif isinstance(item, Document):
            yield item
        else:
            raise WrongArgument(f"a text is a str or a sfumato.Document, not {type(item).__name__}")


def _no_id() -> str:
    return f"text-{secrets.token_hex(6)}"


def _which(given: Text | Iterable[Text], at: int, documents: Sequence[Document]) -> str:
    """What a message calls one of the texts that were given."""
    return "the text" if isinstance(given, str | Document) else f"text {at + 1} of {len(documents)}"


def _released(outcome: Outcome, which: str) -> Release:
    if isinstance(outcome, Withheld):
        if outcome.language is not None:
            raise UncoveredLanguage(
                f'{which} is {outcome.reason}; add a detector for it. With uncovered = "release" in the recipe it '
                "would leave with whatever nobody found in it"
            )
        raise NotReleased(f"{which} is withheld: {outcome.reason}")
    return outcome


def _releases(given: object) -> list[Release]:
    found = [given] if isinstance(given, Release) else list(given) if isinstance(given, Iterable) else None
    if found is None or not all(isinstance(one, Release) for one in found):
        raise WrongArgument(
            f"release: what anonymize gave back, or a list of those, not {type(given).__name__}; a released text goes "
            "first, restore(text, release)"
        )
    return found


def _key(key_file: str | Path) -> Key:
    if not Path(key_file).exists():
        raise KeyProblem(
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
        raise KeyProblem(f"{vault}: a vault needs its key: pass key_file=...")
    else:
        with (Vault.open if make_new else Vault.open_existing)(vault, key_file) as opened:
            yield opened
