"""Texts: find what is personal in them, release them, and put the real values back."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import overload

from sfumato import recipe as recipes
from sfumato.document import Document, Outcome, Release, Span, Withheld
from sfumato.errors import KeyProblem, NotReleased, UncoveredLanguage
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

    ``vault`` (a ``Vault``, or a path together with ``key_file``) remembers who stands for whom, so that later calls
    agree and ``restore`` works in another process. ``chat`` is the language model of methods that ask one: a Chat, a
    server's URL, or a .gguf or .toml file. Raises ``UncoveredLanguage`` where the recipe withholds a text.
    """
    with _opened(vault, key_file) as opened:
        key = opened.key if opened else Key.load(key_file) if key_file else None
        pipeline = Pipeline(recipes.load(recipe), vault=opened, key=key, chat=opened_chat(chat))
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
    pipeline, documents = Pipeline(recipes.load(recipe).finding, chat=opened_chat(chat)), list(_documents(text))
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


def opened_chat(given: ChatLike | None) -> Chat | None:
    """The language model, where one was named."""
    return None if given is None else open_chat(given)


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
