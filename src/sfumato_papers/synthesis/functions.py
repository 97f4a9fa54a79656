"""``sfumato.fill``: de-identified notes filled with invented values, as a function."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import overload

from sfumato.api import Text, text_documents
from sfumato.document import Document
from sfumato.errors import Problem
from sfumato.formats.base import raise_problem
from sfumato_papers.synthesis.deid_tags import TagStyle
from sfumato_papers.synthesis.fill import FillSettings, UnknownTags, fill_documents


@overload
def fill(  # type: ignore[overload-overlap]  # a str is an iterable of str, too
    text: Text,
    *,
    seed: int = ...,
    tags: TagStyle = ...,
    unknown: UnknownTags = ...,
    locale: str = ...,
    kinds: Mapping[str, str] | None = ...,
) -> Document: ...
@overload
def fill(
    text: Iterable[Text],
    *,
    seed: int = ...,
    tags: TagStyle = ...,
    unknown: UnknownTags = ...,
    locale: str = ...,
    kinds: Mapping[str, str] | None = ...,
) -> list[Document]: ...
def fill(
    text: Text | Iterable[Text],
    *,
    seed: int = 0,
    tags: TagStyle = "mimic",
    unknown: UnknownTags = "number",
    locale: str = "auto",
    kinds: Mapping[str, str] | None = None,
) -> Document | list[Document]:
    """De-identified notes with consistent invented people, dates and places in place of their tags.

    Each comes back as a document whose ``annotations`` are the exact spans of what was put in, so that anonymizers can
    be scored on it. ``tags``: mimic (``[**Last Name 12**]``), generic (``[NAME]``, ``<DATE>``) or both. ``unknown``:
    tags of no known kind are filled with a number, kept, or an error. ``kinds`` says the kind of further tags:
    ``{"Dictator Info": "name"}``. Texts without an id are numbered. Raises ``InputError`` where a tag does not end.
    """

    def stop(problem: Problem) -> None:
        if not problem.is_warning:
            raise_problem(problem)

    items = [text] if isinstance(text, str | Document) else text
    numbered = [Document(str(n), item) if isinstance(item, str) else item for n, item in enumerate(items, start=1)]
    settings = FillSettings(seed, tags, unknown, locale, kinds or {})
    filled = fill_documents(text_documents(numbered), settings, on_problem=stop).documents
    return filled[0] if isinstance(text, str | Document) else list(filled)
