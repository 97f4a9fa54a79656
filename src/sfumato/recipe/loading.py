"""A recipe by its name, from a file, or around one method."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from importlib import resources
from pathlib import Path
from typing import Any

from sfumato import registry
from sfumato.errors import RecipeError, UnknownName, suggest
from sfumato.recipe.model import Recipe, checked

_SHIPPED = resources.files("sfumato.recipe").joinpath("shipped")


def names() -> list[str]:
    """The recipes that come with the package."""
    return sorted(entry.name.removesuffix(".toml") for entry in _SHIPPED.iterdir())


def load(name_or_file: str | Path | Recipe = "default") -> Recipe:
    """A recipe by name, or from a TOML file; or the default one with a detector, replacer or rewriter of that name."""
    if isinstance(name_or_file, Recipe):
        return name_or_file
    if not isinstance(name_or_file, str | Path):
        raise RecipeError(f"recipe: a name, a path or a Recipe, not {type(name_or_file).__name__}")
    path = Path(name_or_file)
    if path.suffix == ".toml" or path.is_file():
        try:
            return parse(path.read_text(encoding="utf-8"), str(path))
        except FileNotFoundError:
            raise RecipeError(f"{path}: no such recipe file") from None
        except (OSError, UnicodeDecodeError) as error:
            raise RecipeError(f"{path}: the recipe cannot be read ({error})") from None
    name = str(name_or_file)
    if name not in names():
        return _around(name)
    return parse(_SHIPPED.joinpath(f"{name}.toml").read_text(encoding="utf-8"), name)


def methods() -> list[str]:
    """Every name that ``load`` knows: the recipes, and the methods that one can be made around."""
    return sorted({*names(), *(name for kind in _AROUND for name in registry.names(kind))})


_AROUND: Mapping[str, Callable[[str], dict[str, Any]]] = {
    "detector": lambda name: {"detect": [name]},
    "rewriter": lambda name: {"rewrite": name},
    "replacer": lambda name: {"replace": {"default": name}},
}


def _around(name: str) -> Recipe:
    for kind, change in _AROUND.items():
        if name in registry.names(kind):
            purpose = registry.describe(kind, name).purpose
            return load("default").with_changes(name=name, description=purpose, **change(name))
    raise UnknownName(f"no recipe or method {name!r}: {suggest(name, methods())}, or name a .toml file")


def parse(text: str, where: str) -> Recipe:
    """A recipe from TOML text; ``where`` is named in errors."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise RecipeError(f"{where}: not valid TOML: {error}") from None
    return checked(data, where)
