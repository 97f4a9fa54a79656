"""What a user calls a method, and the releases it makes of a corpus."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from sfumato import recipe as recipes
from sfumato.corpus import Columns, OnProblem
from sfumato.corpus.align import aligned
from sfumato.corpus.given import Releases, as_releases
from sfumato.document import Document, Edit, Release, Span, Withheld
from sfumato.errors import InputError, Problem, RecipeError, UnknownName, WrongArgument, suggest
from sfumato.models.chat import Chat, Spent
from sfumato.pipeline import Pipeline
from sfumato.recipe import Recipe
from sfumato.vault import Key

NOTHING, EVERYTHING = "none", "all"
_FIXED = b"sfumato compare: invented values come out the same each time"
"""No secret, and none is needed: nothing that is compared is given away."""
_REASONS = 3
"""Reasons that a message gives at most: those of long documents count their pieces."""

Function = Callable[[str], str]
"""A method of the caller's own: from a text to its release."""
Methods = Iterable[str | Path | Recipe] | Mapping[str, str | Path | Recipe | Releases | Function]


@dataclass(frozen=True)
class Method:
    """A name and where the releases come from: a recipe, a function, releases made elsewhere, or one of the ends."""

    name: str
    source: Any


def methods_of(given: Methods) -> list[Method]:
    """The methods by name. Raises where a name comes twice or means nothing."""
    if isinstance(given, Mapping):
        found = [Method(str(name), _known(one) if isinstance(one, str | Path) else one) for name, one in given.items()]
    elif isinstance(given, str | Path) or not isinstance(given, Iterable):
        raise WrongArgument(f"methods: a list of them, or {{name: method}}, not {type(given).__name__}")
    else:
        found = [_method(one) for one in given]
    if not found:
        raise RecipeError("no method was named; give a recipe, NAME=FILE with releases, none or all")
    names = [method.name for method in found]
    if twice := [name for name in names if names.count(name) > 1]:
        raise RecipeError(f"two methods are called {twice[0]!r}; name one of them: other={twice[0]}")
    return found


def _method(given: str | Path | Recipe) -> Method:
    if isinstance(given, Recipe):
        return Method(given.name, given)
    if not isinstance(given, str | Path):
        raise WrongArgument(
            f"a method is a name, a path or a recipe, not {type(given).__name__}; functions and releases are given by "
            'name: {"mine": function}'
        )
    text = str(given)
    # A file may have an equals sign in its own name.
    name, equals, rest = ("", "", text) if Path(text).exists() else text.partition("=")
    try:
        source = _known(rest if equals else text)
    except UnknownName as unknown:
        if not equals:
            raise
        raise InputError(f"{rest}: there is no such file or folder of releases, and {unknown}") from None
    if name and equals:
        return Method(name, source)
    if isinstance(source, Path):
        return Method(source.name.removesuffix(".masks.json").removesuffix(source.suffix) or text, source)
    return Method(source.name if isinstance(source, Recipe) and text.endswith(".toml") else text, source)


def _known(given: str | Path) -> str | Path | Recipe:
    text = str(given)
    if text in (NOTHING, EVERYTHING):
        return text
    if text.endswith(".toml") or text in recipes.names():
        return recipes.load(text)
    if Path(text).exists():
        return Path(text)
    known = [NOTHING, EVERYTHING, *recipes.methods()]
    if text in known:
        return recipes.load(text)
    if Path(text).suffix or "/" in text or "\\" in text:
        raise InputError(f"{text}: there is no such file or folder of releases; check the name")
    raise UnknownName(f"no method {text!r}: {suggest(text, known)}, or name a recipe (.toml) or a file of releases")


class NothingReleased(InputError):
    """A recipe withholds every document. ``spent``: what finding that out cost."""

    def __init__(self, message: str, spent: Spent) -> None:
        super().__init__(message)
        self.spent = spent


class Made(NamedTuple):
    """A method's releases, and what asking a language model for them cost."""

    releases: list[Release]
    spent: Spent
    fell_back: int = 0
    """How many of them are what the floor alone made, because the model failed."""


def made_by(
    method: Method,
    documents: Sequence[Document],
    columns: Columns,
    on_problem: OnProblem,
    chat: Chat | None = None,
    run: int = 1,
) -> Made:
    """What the method makes of the documents, in their order; what it withholds is left out.

    Raises ``NothingReleased`` where that is all of them. ``run``: each draws its own chances.
    """
    if isinstance(method.source, Recipe):
        return _by_recipe(method, documents, chat, run)
    return Made(_fixed(method, documents, columns, on_problem), Spent())


def _fixed(method: Method, documents: Sequence[Document], columns: Columns, on_problem: OnProblem) -> list[Release]:
    if method.source == NOTHING:
        return [Release(document) for document in documents if document.text.strip()]
    if method.source == EVERYTHING:
        return [_emptied(document) for document in documents if document.text.strip()]
    source = _applied(method, documents) if callable(method.source) else method.source
    return as_releases(method.name, source, documents, columns, on_problem)


def _applied(method: Method, documents: Sequence[Document]) -> dict[str, str]:
    texts = {document.id: method.source(document.text) for document in documents if document.text.strip()}
    if strange := [text for text in texts.values() if not isinstance(text, str)]:
        raise WrongArgument(
            f"the method {method.name!r} takes a text and gives back its release, a str; it gave "
            f"{type(strange[0]).__name__}"
        )
    return texts


def _emptied(document: Document) -> Release:
    return Release(document, (Edit(Span(0, len(document.text), "MISC", source=EVERYTHING), ""),))


def _by_recipe(method: Method, documents: Sequence[Document], chat: Chat | None, run: int) -> Made:
    pipeline = Pipeline(method.source, key=Key(_FIXED if run == 1 else _FIXED + b" in run %d" % run), chat=chat)
    pipeline.learn(lambda: documents)
    outcomes = list(pipeline.anonymize(document for document in documents if document.text.strip()))
    releases = [_with_edits(outcome) for outcome in outcomes if isinstance(outcome, Release)]
    spent = sum(pipeline.spent.values(), start=Spent())
    if not releases:
        why = Counter(outcome.reason for outcome in outcomes if isinstance(outcome, Withheld)).most_common(_REASONS)
        raise NothingReleased(
            f"the method {method.name!r} releases not one document ({'; '.join(reason for reason, _ in why)}); "
            'try uncovered = "release" or failed = "floor" in it',
            spent,
        )
    fell_back = sum(isinstance(outcome, Release) and outcome.fell_back is not None for outcome in outcomes)
    return Made(releases, spent, fell_back)


def _with_edits(release: Release) -> Release:
    """A rewritten text is measured as one that came from elsewhere: by what it has in common with its original."""
    return release if release.rewrite is None else aligned(release.document, release.rewrite)


def remarks(name: str, method: Method, documents: Sequence[Document], made: Made) -> list[Problem]:
    """What the user should know about documents that the method does not release, or not as it was meant to."""
    if not isinstance(method.source, Recipe):
        return []
    found = []
    if count := sum(bool(document.text.strip()) for document in documents) - len(made.releases):
        found.append(Problem(name, f"withholds {count} documents, which are left out of its figures"))
    if made.fell_back:
        why = "the language model failed on them, and its figures have them as the floor alone makes them"
        found.append(Problem(name, f"{made.fell_back} of {len(made.releases)} documents fell back: {why}"))
    return found
