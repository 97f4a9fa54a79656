"""``sfumato methods``: every plug-in and recipe, one line each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Annotated

import typer

from sfumato import recipe as recipes
from sfumato import registry
from sfumato.cli import options, render
from sfumato.errors import UnknownName, suggest
from sfumato.recipe import Recipe
from sfumato.registry import Plugin

RECIPE = "recipe"


def methods(
    kind: Annotated[
        str | None, typer.Argument(metavar="KIND", help=f"Only one kind: {', '.join((*registry.KINDS, RECIPE))}.")
    ] = None,
    search: Annotated[str | None, options.option("methods.search")] = None,
    published: Annotated[bool, options.option("methods.published")] = False,
    as_json: options.Json = False,
) -> None:
    """List every method: kind, name, purpose, reference, what it needs, and where it comes from.

    What it needs is an extra, or a language model (--chat). It comes from core, papers, or a package beside Sfumato.
    """
    if published:
        if kind is not None:
            raise UnknownName("published methods are all recipes: leave out the kind")
        _published(search, as_json)
    else:
        _all(kind, search, as_json)


def _all(kind: str | None, search: str | None, as_json: bool) -> None:
    only = _kinds(kind)
    of_kind = (plugin for plugin in registry.all_plugins() if plugin.kind in only)
    plugins = [plugin for plugin in of_kind if _matches(search, plugin.name, plugin.purpose, plugin.source)]
    loaded = {name: recipes.load(name) for name in recipes.names()} if RECIPE in only else {}
    chosen = {name: recipe for name, recipe in loaded.items() if _matches(search, name, recipe.description)}
    if as_json:
        rows = [asdict(plugin) for plugin in plugins]
        descriptions = {name: recipe.description for name, recipe in chosen.items()}
        render.print_json({"methods": rows, "recipes": descriptions})
    else:
        render.methods(_rows(plugins, chosen))
    if not plugins and not chosen:
        render.error(f"no method matches{f' {search!r}' if search else ''}; without options all of them are listed")


def _published(search: str | None, as_json: bool) -> None:
    """Each published method: authors and year, what stands in for a model, and where it differs; then those that are
    commands of their own, and those refused."""
    rows = [method for method in _published_recipes() if _matches(search, method.name, method.purpose, method.source)]
    commands = [method for method in recipes.commands().values() if _matches(search, *method[:-1])]
    refused = [method for method in recipes.refused().values() if _matches(search, *method)]
    if as_json:
        listed = {
            "published": [method._asdict() for method in rows],
            "commands": [method._asdict() for method in commands],
            "refused": [method._asdict() for method in refused],
        }
        for row in listed["published"]:
            del row["command"]
        render.print_json({**listed, "guarded": False, "remark": recipes.UNGUARDED})
    else:
        render.published_methods([*rows, *commands], refused, f"Each is {recipes.UNGUARDED}.")
    if not (rows or commands or refused):
        render.error(f"no published method matches {search!r}; without --search all of them are listed")


def _kinds(kind: str | None) -> tuple[str, ...]:
    kinds = (*registry.KINDS, RECIPE)
    if kind is not None and kind.removesuffix("s") not in kinds:
        raise UnknownName(f"no kind of method {kind!r}: {suggest(kind, kinds)}")
    return kinds if kind is None else (kind.removesuffix("s"),)


def _published_recipes() -> Iterator[recipes.PublishedCommand]:
    for name in recipes.published_names():
        recipe = recipes.load(name)
        if about := recipe.published:
            needs = " ".join(filter(None, (*recipe.extras, "--chat" * bool(recipe.asking))))
            facts = (name, recipe.description, about.source, "", needs, about.stands_in, about.differs)
            yield recipes.PublishedCommand(*facts)


def _matches(word: str | None, *fields: str | None) -> bool:
    return word is None or any(word.casefold() in field.casefold() for field in fields if field)


def _rows(plugins: Sequence[Plugin], chosen: dict[str, Recipe]) -> list[tuple[str, str, str, str, str, str]]:
    rows = []
    for plugin in plugins:
        needs = " ".join(filter(None, (plugin.extra, "--chat" * plugin.needs_chat)))
        rows.append((plugin.kind, plugin.name, plugin.purpose, plugin.source or "", needs, plugin.origin))
    for name, recipe in chosen.items():
        needs = "--chat" * (recipe.chat is None and bool(recipe.asking))
        rows.append((RECIPE, name, recipe.description, "", needs, recipes.origin(name)))
    return rows
