"""Recipes: which detectors, replacers and rewriter a run uses, from TOML, checked before the first document."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from hashlib import sha256
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, field_validator

from sfumato import registry
from sfumato.detectors.base import DEFAULT_DETECTORS
from sfumato.detectors.rules.patterns import Pattern
from sfumato.document import LABELS, Identifier
from sfumato.errors import RecipeError, SfumatoError, UnknownName, suggest
from sfumato.lexicon.locales import NO_LOCALE, Locale, parse_locale
from sfumato.lexicon.time import Order


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

    def asks(self, kind: str) -> bool:
        """Whether the plug-in needs a language model for what its options say."""
        return registry.asks(kind, self.use, self.options)

    @property
    def is_remote_detector(self) -> bool:
        """Whether it is a detector that asks a language model or a service, which may fail to answer."""
        return self.asks("detector") or registry.calls_service("detector", self.use)


DETECT = tuple(Choice.model_validate({"use": name, **options}) for name, options in DEFAULT_DETECTORS.items())
"""The default recipe's detectors."""

ChoiceOrName = Annotated[Choice, BeforeValidator(_named)]


class UserPattern(_Strict):
    """One pattern of the user's own."""

    name: str = Field(description="What the audit calls it.")
    regex: str = Field(description="A Python regular expression; the whole match is the span.")
    label: str = Field(default="CODE", description="One of the eight labels.")
    identifier: Identifier = Field(default="direct", description="`direct` or `quasi`.")
    score: float = Field(default=0.9, ge=0, le=1, description="How sure a match is, before context.")
    context: tuple[str, ...] = Field(default=(), description="Words near the match that raise its score.")

    def compiled(self) -> Pattern:
        pattern = Pattern(**self.model_dump())
        _ = pattern.compiled  # raises RecipeError for a regex that does not compile
        return pattern


class Published(_Strict):
    """The published method that a recipe repeats, without anything of ours around it."""

    cite: str = Field(description="The key of the work in references.toml.")
    stands_in: str = Field(default="", description="What stands in for a model that cannot be shipped.")
    differs: tuple[str, ...] = Field(default=(), description="Where the recipe differs from the work, and why.")

    @property
    def source(self) -> str:
        """Authors and year."""
        work = registry.references()[self.cite]
        return f"{work['authors']} {work['year']}"


class Recipe(_Strict):
    """Everything a run needs to know besides its input and output."""

    name: str = Field(default="custom", description="What reports call the recipe.")
    description: str = Field(default="", description="One line for people.")
    detect: tuple[ChoiceOrName, ...] = Field(default=DETECT, description="The detectors; their spans are merged.")
    replace: dict[str, ChoiceOrName] = Field(
        default={"default": Choice(use="label")},
        description="The replacer for each label; `default` (label) for all labels not named.",
    )
    rewrite: ChoiceOrName | None = Field(
        default=None, description="A rewriter that makes a new text of each document, after its spans are replaced."
    )
    rewrite_reads: Literal["release", "original"] = Field(
        default="release",
        description="What the rewriter is given: the text with its spans replaced, or the original as in the papers.",
    )
    chat: str | None = Field(
        default=None, description="The language model: a URL, a .gguf file or a .toml file, as `--chat` takes it."
    )
    always_run: tuple[ChoiceOrName, ...] = Field(
        default=DETECT,
        description="Detectors that always run beside a language model, whatever it answers; `[]` removes them.",
    )
    failed: Literal["withhold", "fallback"] = Field(
        default="withhold",
        description="What happens to a document that a language model gave no usable answer for: withheld, or "
        "released as the detectors of `always_run` alone make it.",
    )
    spans: Literal["completed", "as-found"] = Field(
        default="completed",
        description="The detectors' spans: completed to whole names and values, found again elsewhere in the text, and "
        "dropped where they name nobody; or just as the detectors return them.",
    )
    without_passes: tuple[str, ...] = Field(
        default=(),
        description="Steps behind the detectors that are left out, by name (docs/methods.md lists them).",
    )
    scope: Literal["document", "corpus"] = Field(
        default="document", description="Within what an entity keeps its number or surrogate."
    )
    threshold: Annotated[float, Field(ge=0, le=1)] | Literal["precise", "balanced", "leave-nothing"] = Field(
        default="balanced", description="The least score of a span: a number, or a level by name."
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
    locale: str | None = Field(
        default=None,
        description="Where the texts come from, such as `en-GB`: decides the order of numeric dates, which of several "
        "places of one name is meant, and whose phone numbers are read. Without it each text itself tells.",
    )
    date_order: Order | None = Field(
        default=None, description="How 03/04/05 is read: `dmy`, `mdy` or `ymd`; else as the locale says, or the text."
    )
    allow: tuple[str, ...] = Field(default=(), description="Terms that are never replaced.")
    citations: Literal["keep", "hide", "parts"] = Field(
        default="hide",
        description="Citations of court decisions (`Smith v Jones [2019] UKSC 12`): kept whole where they are of other "
        "cases than the text's own; hidden whole; or their parts treated as any text.",
    )
    deny: dict[str, tuple[str, ...]] = Field(default={}, description="Terms that are always replaced, by label.")
    pattern: tuple[UserPattern, ...] = Field(default=(), description="Patterns of your own.")
    published: Published | None = Field(
        default=None, description="The published method that the recipe repeats, with `cite`, `stands_in`, `differs`."
    )

    @field_validator("replace")
    @classmethod
    def _with_default(cls, replace: dict[str, Choice]) -> dict[str, Choice]:
        return {"default": Choice(use="label"), **replace}

    @field_validator("locale")
    @classmethod
    def _known_locale(cls, locale: str | None) -> str | None:
        if locale is not None:
            parse_locale(locale)
        return locale

    @property
    def stated_locale(self) -> Locale:
        """What ``locale`` and ``date_order`` say of the texts."""
        if self.locale is None:
            return NO_LOCALE._replace(date_order=self.date_order)
        return parse_locale(self.locale, self.date_order)

    @property
    def detectors(self) -> tuple[Choice, ...]:
        """The detectors that run: where a language model or a service finds spans, or a model rewrites, those of
        ``always_run`` run, too."""
        if self.rewrite is None and not any(choice.is_remote_detector for choice in self.detect):
            return self.detect
        named = {choice.use for choice in self.detect}
        return (*self.detect, *(choice for choice in self.always_run if choice.use not in named))

    @property
    def plain_detectors(self) -> tuple[Choice, ...]:
        """The detectors that ask no language model and no service."""
        return tuple(choice for choice in self.detectors if not choice.is_remote_detector)

    @property
    def has_given_spans(self) -> bool:
        """Whether its spans are those of annotators alone."""
        return all(choice.use == "gold" for choice in self.detectors)

    @property
    def _chosen(self) -> list[tuple[str, Choice]]:
        """Every plug-in with its kind."""
        chosen = [("detector", choice) for choice in self.detectors]
        chosen += [("replacer", choice) for choice in self.replace.values()]
        return chosen + ([("rewriter", self.rewrite)] if self.rewrite is not None else [])

    @property
    def asking(self) -> tuple[str, ...]:
        """The names of its plug-ins that ask a language model."""
        return tuple(dict.fromkeys(choice.use for kind, choice in self._chosen if choice.asks(kind)))

    @property
    def extras(self) -> tuple[str, ...]:
        """The optional installs that its plug-ins need."""
        extras = (registry.describe(kind, choice.use).extra for kind, choice in self._chosen)
        return tuple(dict.fromkeys(extra for extra in extras if extra))

    @property
    def reads_background(self) -> bool:
        """Whether one of its replacers decides by what is known of people."""
        return any(registry.reads_background("replacer", choice.use) for choice in self.replace.values())

    @property
    def detection_only(self) -> Recipe:
        """The recipe for detection alone: without replacers and rewriters that would ask a language model."""
        if self.rewrite is None and not any(choice.asks("replacer") for choice in self.replace.values()):
            return self
        detect = [choice.model_dump() for choice in self.detectors]
        return self.with_changes(detect=detect, rewrite=None, replace={"default": "suppress"})

    @property
    def files(self) -> dict[str, str]:
        """Files that its options name (prompts, tables), each with its SHA-256: outputs depend on them, too."""
        values = [value for _, choice in self._chosen for value in choice.options.values()]
        items = [item for value in values for item in (value if isinstance(value, list | tuple) else [value])]
        names = sorted({str(item) for item in items if isinstance(item, str | Path)})
        return {name: sha256(Path(name).read_bytes()).hexdigest() for name in names if _is_file(name)}

    def with_changes(self, **changes: Any) -> Recipe:
        """A copy with other values, checked again."""
        return checked({**self.model_dump(), **changes}, "options")

    def with_options(
        self, allow: Iterable[str] = (), locale: str | None = None, date_order: Order | None = None
    ) -> Recipe:
        """The recipe with what a caller adds to its allowed terms, and states instead of its locale and date order."""
        if isinstance(allow, str):
            raise RecipeError("allow: a list of terms, not a single str: write allow=[term]")
        allowed = tuple(allow)
        if not all(isinstance(term, str) and term.strip() for term in allowed):
            raise RecipeError("allow: a list of terms, each a str that is not empty")
        changes: dict[str, Any] = {"allow": (*self.allow, *allowed)} if allowed else {}
        if locale is not None:
            # The order of another locale in the recipe does not hold for this one.
            changes |= {"locale": locale, "date_order": date_order}
        elif date_order is not None:
            changes["date_order"] = date_order
        return self.with_changes(**changes) if changes else self


def _is_file(text: str) -> bool:
    try:
        return Path(text).is_file()
    except (OSError, ValueError):  # too long a name, or none
        return False


def checked(data: dict[str, Any], where: str) -> Recipe:
    """A recipe from its keys and values; ``where`` is named in errors."""
    try:
        recipe = Recipe.model_validate(data)
    except ValidationError as error:
        raise RecipeError("\n".join(f"{where}: {_explain(item)}" for item in error.errors())) from None
    _check_names(recipe, where)
    return recipe


def _explain(item: Any) -> str:
    path = ".".join(str(part) for part in item["loc"])
    if item["type"] != "extra_forbidden":
        message = item["msg"].removeprefix("Value error, ").replace("valid tuple", "list")
        return f"{path}: {message[:1].lower()}{message[1:]}"
    key = str(item["loc"][-1])
    parts: dict[str, type[BaseModel]] = {"pattern": UserPattern, "published": Published}
    fields = parts.get(str(item["loc"][0]), Recipe).model_fields
    return f"unknown key {path!r}: {suggest(key, fields)}"


def _check_names(recipe: Recipe, where: str) -> None:
    """Names of plug-ins and labels, so that a typing error is found before the first document."""
    labels = [*(label for label in recipe.replace if label != "default"), *recipe.deny]
    labels += [pattern.label for pattern in recipe.pattern]
    for label in labels:
        if label not in LABELS:
            raise RecipeError(f"{where}: no label {label!r}: {suggest(label.upper(), LABELS)}")
    denied = {term.casefold() for terms in recipe.deny.values() for term in terms}
    if both := denied.intersection(term.casefold() for term in recipe.allow):
        raise RecipeError(f"{where}: {len(both)} terms are in both allow and deny; remove them from one")
    if recipe.published is not None and recipe.published.cite not in registry.references():
        hint = suggest(recipe.published.cite, registry.references())
        raise RecipeError(f"{where}: published.cite: no work {recipe.published.cite!r}: {hint}")
    try:
        for choice in (*recipe.detect, *recipe.always_run):
            registry.get("detector", choice.use)
        for choice in (choice for choice in recipe.always_run if choice.is_remote_detector):
            what = "a language model" if choice.asks("detector") else "a service"
            raise RecipeError(f"always_run: {choice.use} asks {what}; these detectors are for when that fails")
        if recipe.rewrite is not None:
            registry.get("rewriter", recipe.rewrite.use)
        for choice in recipe.replace.values():
            registry.get("replacer", choice.use)
        for pattern in recipe.pattern:
            pattern.compiled()
    except SfumatoError as error:
        raise RecipeError(f"{where}: {error}") from None


PUBLISHED = "published/"
"""How the names of published methods begin."""
UNGUARDED = (
    "a published method as its authors describe it: no detector of ours runs beside it, and what it misses is "
    "released. To protect people, use a method without published/ in its name"
)


def names() -> list[str]:
    """The recipes that come with an installed package, without those of published methods."""
    return [name for name in _recipe_files() if not name.startswith(PUBLISHED)]


def published_names() -> list[str]:
    """The recipes that repeat a published method, and nothing of ours around it: ``published/NAME``."""
    return [name for name in _recipe_files() if name.startswith(PUBLISHED)]


def origin(name: str) -> str:
    """Where a recipe comes from: core, papers, or the distribution that brings it."""
    return _recipe_files()[name].origin


class RefusedMethod(NamedTuple):
    """A method that a paper's table compares and that cannot be run here."""

    name: str
    """``published/NAME``."""
    title: str
    """What the paper calls it."""
    source: str
    """Authors and year of the paper."""
    reason: str
    instead: str
    """What to use in its place."""

    def __str__(self) -> str:
        return f"{self.name} ({self.title}, compared in {self.source}): {self.reason}. Instead: {self.instead}"


@cache
def refused() -> dict[str, RefusedMethod]:
    """The published methods that cannot be run here, by name."""
    return {method.name: method for method in _catalogue() if isinstance(method, RefusedMethod)}


class PublishedCommand(NamedTuple):
    """A published method that is a command of its own, because it makes no release of each document."""

    name: str
    """``published/NAME``."""
    purpose: str
    source: str
    """Authors and year."""
    command: str
    needs: str
    stands_in: str
    differs: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.name} ({self.source}) is a command of its own, not a recipe: {self.command}"


@cache
def commands() -> dict[str, PublishedCommand]:
    """The published methods that are commands of their own, by name."""
    return {method.name: method for method in _catalogue() if isinstance(method, PublishedCommand)}


def _catalogue() -> Iterator[RefusedMethod | PublishedCommand]:
    """The published methods that are no recipes, of all installed packages."""
    for name in registry.names("catalogue"):
        yield from registry.get("catalogue", name)()


def why_no_recipe(name: str) -> str | None:
    """For a published method that is no recipe: that it is refused, with the reason, or its command."""
    published = f"{PUBLISHED}{name.removeprefix(PUBLISHED)}"
    method = refused().get(published) or commands().get(published)
    return None if method is None else str(method)


class _RecipeFile(NamedTuple):
    """A recipe that comes with a package."""

    folder: Traversable
    file: str
    origin: str


@cache
def _recipe_files() -> dict[str, _RecipeFile]:
    """By name: ours, and those of the packages in the group ``sfumato.recipes``, with the folders in them."""
    folders = {name: resources.files(registry.get("recipe", name)) for name in registry.names("recipe")}
    places = {registry.origin("recipe", name): folder for name, folder in folders.items()}
    recipes: dict[str, _RecipeFile] = {}
    for place, top in {"core": resources.files("sfumato").joinpath("recipes"), **places}.items():
        for prefix, folder in (("", top), *((f"{entry.name}/", entry) for entry in top.iterdir() if entry.is_dir())):
            for file in (entry.name for entry in folder.iterdir() if entry.name.endswith(".toml")):
                name = f"{prefix}{file.removesuffix('.toml')}"
                if name in recipes:
                    both = f"{recipes[name].origin} and {place}"
                    raise RecipeError(f"two packages bring a recipe {name!r}, {both}: uninstall one of them")
                recipes[name] = _RecipeFile(folder, file, place)
    return dict(sorted(recipes.items()))


def load(name_or_file: str | Path | Recipe = "default") -> Recipe:
    """A recipe by name, or from a TOML file; or the default one with a detector, replacer or rewriter of that name."""
    if isinstance(name_or_file, Recipe):
        return name_or_file
    if not isinstance(name_or_file, str | Path):
        raise RecipeError(f"recipe: a name, a path or a Recipe, not {type(name_or_file).__name__}")
    if has_options(name_or_file):
        return _with_method_options(str(name_or_file))
    path = Path(name_or_file)
    if path.suffix == ".toml" or path.is_file():
        try:
            return parse(path.read_text(encoding="utf-8"), str(path))
        except FileNotFoundError:
            raise RecipeError(f"{path}: no such recipe file") from None
        except (OSError, UnicodeDecodeError) as error:
            raise RecipeError(f"{path}: the recipe cannot be read ({error})") from None
    name = str(name_or_file)
    if name not in (*names(), *published_names()):
        return _recipe_for_method(name)
    return _shipped(name)


@cache
def _shipped(name: str) -> Recipe:
    """A recipe that comes with a package: read once, since recipes do not change."""
    folder, file, _ = _recipe_files()[name]
    recipe = parse(folder.joinpath(file).read_text(encoding="utf-8"), name)
    return _with_own_prompts(recipe, folder) if recipe.published is not None else recipe


def _with_own_prompts(recipe: Recipe, folder: Traversable) -> Recipe:
    """A published method, with prompts of its folder where its detectors or its rewriter name one."""

    def found(choice: Choice) -> dict[str, Any]:
        prompts = {key: str(folder.joinpath(value)) for key, value in choice.options.items() if "prompt" in key}
        return choice.model_dump() | prompts

    detect = [found(choice) for choice in recipe.detect]
    return recipe.with_changes(detect=detect, rewrite=recipe.rewrite and found(recipe.rewrite))


def methods() -> list[str]:
    """Every name that ``load`` knows: the recipes, and the methods that a recipe can be made from."""
    return sorted({*names(), *published_names(), *(name for kind in _CHANGE_BY_KIND for name in registry.names(kind))})


def _text_for(rewriter: str) -> Literal["release", "original"]:
    from sfumato.rewriters.base import ChoosesText

    plugin = registry.get("rewriter", rewriter)
    return plugin.reads if isinstance(plugin, ChoosesText) else "release"


_CHANGE_BY_KIND: Mapping[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "detector": lambda choice: {"detect": [choice]},
    "rewriter": lambda choice: {"rewrite": choice, "rewrite_reads": _text_for(choice["use"])},
    "replacer": lambda choice: {"replace": {"default": choice}},
}


_METHOD_WITH_OPTIONS = re.compile(r"[\w/-]{2,}:\w+=.*", re.DOTALL)


def has_options(name: str | Path) -> bool:
    """Whether a name brings options for its method: ``hf-tagger:model=FOLDER,device=cuda``."""
    return isinstance(name, str) and _METHOD_WITH_OPTIONS.fullmatch(name) is not None


def _with_method_options(text: str) -> Recipe:
    """The recipe of a method with options, or of a published one whose only detector takes them."""
    name, _, rest = text.partition(":")
    options = registry.parse_options(rest, name)
    if name not in (*names(), *published_names()):
        return _recipe_for_method(name, options).with_changes(name=text)
    recipe = load(name)
    if len(recipe.detect) != 1:
        raise RecipeError(f"{name}: options behind a name go to its only detector, and it has {len(recipe.detect)}")
    return recipe.with_changes(detect=[{**recipe.detect[0].model_dump(), **options}])


def _recipe_for_method(name: str, options: Mapping[str, Any] | None = None) -> Recipe:
    for kind, change in _CHANGE_BY_KIND.items():
        if name in registry.names(kind):
            purpose = registry.describe(kind, name).purpose
            return load("default").with_changes(
                name=name, description=purpose, **change({"use": name, **(options or {})})
            )
    if reason := why_no_recipe(name):
        raise UnknownName(reason)
    raise UnknownName(f"no recipe or method {name!r}: {suggest(name, methods())}, or name a .toml file")


MAX_LENGTH = 500_000
"""Characters of a recipe: TOML is read in time and memory that are not proportional to its size."""


def parse(text: str, where: str) -> Recipe:
    """A recipe from TOML text; ``where`` is named in errors."""
    if len(text) > MAX_LENGTH:
        raise RecipeError(f"{where}: longer than {MAX_LENGTH:,} characters, so it is no recipe; name the right file")
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise RecipeError(f"{where}: not valid TOML: {error}") from None
    return checked(data, where)
