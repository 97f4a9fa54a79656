"""A pipeline as data: small TOML files, checked at the door."""

from __future__ import annotations

import tomllib
from importlib import resources
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, field_validator

from sfumato import registry
from sfumato.detectors.rules.patterns import Pattern
from sfumato.document import LABELS, Identifier
from sfumato.errors import RecipeError, SfumatoError, UnknownName, suggest


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


def _named(value: Any) -> Any:
    """``"label"`` is short for ``{use = "label"}``."""
    return {"use": value} if isinstance(value, str) else value


class Choice(BaseModel):
    """A plug-in by name; every other key is an option of the plug-in."""

    model_config = ConfigDict(extra="allow", frozen=True)

    use: str = Field(description="The plug-in's name, as `sfumato methods` lists it.")

    @property
    def options(self) -> dict[str, Any]:
        return dict(self.model_extra or {})


DETECT = (
    Choice.model_validate({"use": "rules", "without": ["context"]}),
    Choice(use="tagger"),
)
"""The default recipe's detectors: rules less the kinds that the tagger judges better."""

ChoiceOrName = Annotated[Choice, BeforeValidator(_named)]


class UserPattern(_Strict):
    """One pattern of the user's own."""

    name: str = Field(description="What the audit calls it.")
    regex: str = Field(description="A Python regular expression; the whole match is the span.")
    label: str = Field(default="CODE", description="One of the eight labels.")
    identifier: Identifier = Field(default="direct", description="`direct` or `quasi`.")
    score: float = Field(default=0.9, ge=0, le=1, description="How sure a match is, before context.")
    context: tuple[str, ...] = Field(
        default=(), description="Words that raise the score when they stand near the match."
    )

    def compiled(self) -> Pattern:
        return Pattern(
            name=self.name,
            label=self.label,
            identifier=self.identifier,
            regex=self.regex,
            score=self.score,
            context=self.context,
        )


class Recipe(_Strict):
    """Everything a run needs to know besides its input and output."""

    name: str = Field(default="custom", description="What reports call the recipe.")
    description: str = Field(default="", description="One line for people.")
    detect: tuple[ChoiceOrName, ...] = Field(default=DETECT, description="The detectors; their spans are merged.")
    replace: dict[str, ChoiceOrName] = Field(
        default={"default": Choice(use="label")},
        description="The replacer for each label; `default` (label) for all labels not named.",
    )
    scope: Literal["document", "corpus"] = Field(
        default="document", description="Within what an entity keeps its number or surrogate."
    )
    threshold: Annotated[float, Field(ge=0, le=1)] | Literal["precise", "balanced", "leave-nothing"] = Field(
        default="balanced", description="The dial: a stop by name, or the least score of a span."
    )
    uncovered: Literal["withhold", "release"] = Field(
        default="withhold", description="What happens to a text in a language that no detector covers."
    )
    ids: Literal["check", "renumber", "keep"] = Field(
        default="check", description="Renumber ids that carry personal information, all ids, or none."
    )
    seed: int | None = Field(
        default=None,
        description="Makes invented values repeatable without a key. Whoever knows the seed can repeat them too.",
    )
    allow: tuple[str, ...] = Field(default=(), description="Terms that are never replaced.")
    deny: dict[str, tuple[str, ...]] = Field(default={}, description="Terms that are always replaced, by label.")
    pattern: tuple[UserPattern, ...] = Field(default=(), description="Patterns of your own.")

    @field_validator("replace")
    @classmethod
    def _with_default(cls, replace: dict[str, Choice]) -> dict[str, Choice]:
        return {"default": Choice(use="label"), **replace}

    def replacer_for(self, label: str) -> Choice:
        return self.replace.get(label) or self.replace["default"]

    def with_changes(self, **changes: Any) -> Recipe:
        """A copy with other values, checked again."""
        return _checked({**self.model_dump(exclude_unset=False), **changes}, "options")


def names() -> list[str]:
    """The recipes that come with the package."""
    folder = resources.files("sfumato.recipes")
    return sorted(entry.name.removesuffix(".toml") for entry in folder.iterdir() if entry.name.endswith(".toml"))


def load(name_or_file: str | Path | Recipe = "default") -> Recipe:
    """A recipe by name, or from a TOML file."""
    if isinstance(name_or_file, Recipe):
        return name_or_file
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
        raise UnknownName(f"no recipe {name!r}: {suggest(name, names())}, or name a .toml file")
    text = resources.files("sfumato.recipes").joinpath(f"{name}.toml").read_text(encoding="utf-8")
    return parse(text, name)


def parse(text: str, where: str) -> Recipe:
    """A recipe from TOML text; ``where`` is named in errors."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise RecipeError(f"{where}: not valid TOML: {error}") from None
    return _checked(data, where)


def _checked(data: dict[str, Any], where: str) -> Recipe:
    try:
        recipe = Recipe.model_validate(data)
    except ValidationError as error:
        raise RecipeError("\n".join(f"{where}: {_explain(item)}" for item in error.errors())) from None
    _check_names(recipe, where)
    return recipe


def _explain(item: Any) -> str:
    path = ".".join(str(part) for part in item["loc"])
    if item["type"] != "extra_forbidden":
        return f"{path}: {item['msg'].lower().replace('valid tuple', 'list')}"
    key = str(item["loc"][-1])
    known = UserPattern.model_fields if item["loc"][0] == "pattern" else Recipe.model_fields
    return f"unknown key {path!r}: {suggest(key, known)}"


def _check_names(recipe: Recipe, where: str) -> None:
    """Names of plug-ins and labels, so that a typing error is found before the first document."""
    labels = [*(label for label in recipe.replace if label != "default"), *recipe.deny]
    labels += [pattern.label for pattern in recipe.pattern]
    for label in labels:
        if label not in LABELS:
            raise RecipeError(f"{where}: no label {label!r}: {suggest(label.upper(), LABELS)}")
    both = {term.casefold() for term in recipe.allow} & {
        term.casefold() for terms in recipe.deny.values() for term in terms
    }
    if both:
        raise RecipeError(f"{where}: {len(both)} terms stand in both allow and deny; remove them from one")
    try:
        for choice in recipe.detect:
            registry.get("detector", choice.use)
        for choice in recipe.replace.values():
            registry.get("replacer", choice.use)
        for pattern in recipe.pattern:
            pattern.compiled()
    except SfumatoError as error:
        raise RecipeError(f"{where}: {error}") from None
