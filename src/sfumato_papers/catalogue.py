"""The published methods that are no recipes: those that cannot be run here, and those that are commands."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from importlib import resources
from typing import Any

from sfumato import registry
from sfumato.recipe import PUBLISHED, PublishedCommand, RefusedMethod


def methods() -> Iterator[RefusedMethod | PublishedCommand]:
    """What refused.toml and published_commands.toml list."""
    for name, source, entry in _published_table("refused.toml"):
        yield RefusedMethod(name, entry["title"], source, entry["reason"], entry["instead"])
    for name, source, entry in _published_table("published_commands.toml"):
        values = (entry["description"], source, entry["command"], entry["needs"], entry["stands_in"])
        yield PublishedCommand(name, *values, tuple(entry["differs"]))


def _published_table(file: str) -> list[tuple[str, str, dict[str, Any]]]:
    """Name, authors and year, and the keys of each entry."""
    entries = tomllib.loads(resources.files("sfumato_papers").joinpath(file).read_text(encoding="utf-8"))
    works = registry.references()
    return [
        (f"{PUBLISHED}{key}", f"{works[entry['cite']]['authors']} {works[entry['cite']]['year']}", entry)
        for key, entry in entries.items()
    ]
