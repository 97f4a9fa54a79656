"""A kind and a name give a lazily imported plug-in. Built-ins and third parties come in by the same entry points.

A plug-in is a class (or function) whose docstring's first line is its purpose. It may have ``cite``, the key in
references.toml of the work it comes from, and ``extra``, the optional install it needs. docs/plugins.md says how to
write one.
"""

from __future__ import annotations

import inspect
import re
import tomllib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import EntryPoint, EntryPoints, entry_points
from pathlib import Path
from typing import Any, Protocol, cast, runtime_checkable

from sfumato.errors import RecipeError, UnknownName, suggest

KINDS = ("detector", "replacer", "rewriter", "attack", "metric", "scorer", "embedder", "classifier", "guesser", "judge")
"""Each kind is the entry point group ``sfumato.<kind>s``."""
EXTENSIONS = ("command", "function", "recipe", "catalogue")
"""What a package may bring beside plug-ins, in groups of the same form: commands of the command line, functions of
``sfumato``, folders of recipes, and lists of published methods that are no recipes."""
RESOURCES: Mapping[str, tuple[str, ...]] = {
    "detector": ("threshold", "threads", "chat"),
    "replacer": ("ledger", "chat", "background"),
    "rewriter": ("ledger", "chat"),
    "attack": ("chat", "embedder"),
    "guesser": ("chat",),
    "judge": ("chat",),
}
"""What the constructor of a plug-in of each kind is given where the class attribute ``uses`` names it."""


@runtime_checkable
class UsesResources(Protocol):
    """A plug-in whose constructor is given what ``RESOURCES`` offers its kind."""

    uses: Collection[str]


@runtime_checkable
class NeedsChat(Protocol):
    """A plug-in that cannot do without a language model what its options ask of it: True, or a function of them."""

    needs_chat: bool | Callable[[Mapping[str, Any]], bool]


@runtime_checkable
class CallsService(Protocol):
    """A plug-in that sends text to a service on the network."""

    calls_service: bool


@runtime_checkable
class NeedsBackground(Protocol):
    """A guesser that learns from a background, so that a recipe, which has none, refuses it."""

    needs_background: bool


@runtime_checkable
class RequiresInputs(Protocol):
    """A metric that asks for what it is computed from."""

    requires: Collection[str]


@runtime_checkable
class Cites(Protocol):
    """A plug-in that comes from a published work: a key of references.toml."""

    cite: str | None


@runtime_checkable
class NeedsExtra(Protocol):
    """A plug-in that needs an optional install of this package."""

    extra: str | None


@runtime_checkable
class Remarks(Protocol):
    """A plug-in that has something to say of a run as a whole, which its summary shows."""

    remarks: Iterable[str]


@dataclass(frozen=True, slots=True)
class Plugin:
    """One line of ``sfumato methods``."""

    kind: str
    name: str
    purpose: str
    cite: str | None
    """A key of references.toml."""
    extra: str | None
    needs_chat: bool = False
    """Whether it cannot do without a language model, as it is without options."""
    origin: str = "core"
    """Where it comes from: core, papers, or the distribution that brings it."""

    @property
    def source(self) -> str | None:
        """Authors and year of the work it comes from; of a key that references.toml lacks, the key."""
        work = references().get(self.cite) if self.cite else None
        return f"{work['authors']} {work['year']}" if work else self.cite


@cache
def references() -> dict[str, dict[str, Any]]:
    """The works that plug-ins cite, by key: ``authors``, ``year`` and ``title``."""
    return tomllib.loads((Path(__file__).parent / "references.toml").read_text(encoding="utf-8"))


@cache
def _all_points() -> EntryPoints:
    """Those of all installed packages, whose metadata are read once for all kinds."""
    return cast(EntryPoints, entry_points())  # before Python 3.12 a dict that can select as well


@cache
def _points(kind: str) -> dict[str, EntryPoint]:
    if kind not in (*KINDS, *EXTENSIONS):
        raise UnknownName(f"no kind of plug-in {kind!r}: {suggest(kind, KINDS)}")
    points: dict[str, EntryPoint] = {}
    for point in _all_points().select(group=f"sfumato.{kind}s"):
        other = points.setdefault(point.name, point)
        if other.value != point.value:
            raise RecipeError(
                f"two packages bring a {kind} {point.name!r}, {other.value} and {point.value}: uninstall one of them"
            )
    return points


def packages() -> list[str]:
    """The packages that bring plug-ins, by the name they are imported by; ours among them."""
    points = (point for kind in (*KINDS, *EXTENSIONS) for point in _points(kind).values())
    return sorted({_package(point) for point in points})


def _package(point: EntryPoint) -> str:
    return point.module.partition(".")[0]


def origin(kind: str, name: str) -> str:
    """Where a plug-in comes from: core or papers, which are ours, or the name of a distribution."""
    point = _points(kind)[name]
    package = _package(point)
    if package.partition("_")[0] == "sfumato" and (point.dist is None or point.dist.name == "sfumato"):
        return package.partition("_")[2] or "core"
    return point.dist.name if point.dist is not None else package


def names(kind: str) -> list[str]:
    """The names of all plug-ins of a kind."""
    return sorted(_points(kind))


def get(kind: str, name: str) -> Any:
    """The plug-in's class, imported now. Raises RecipeError where a third party's cannot be imported."""
    points = _points(kind)
    if name not in points:
        if not points:
            raise UnknownName(f"no {kind} is registered: install the package (pip install .) before running it")
        raise UnknownName(f"no {kind} {name!r}: {suggest(name, points)}")
    try:
        return _load(points[name])
    except (ImportError, AttributeError) as error:
        raise RecipeError(
            f"{kind} {name!r} cannot be imported from {points[name].value} ({error}): correct or uninstall its package"
        ) from error


@cache
def _load(point: EntryPoint) -> Any:
    return point.load()


@cache
def _parameters(plugin: Any) -> Mapping[str, inspect.Parameter]:
    return inspect.signature(plugin).parameters


def create(
    kind: str, name: str, options: Mapping[str, Any], *, defaults: Mapping[str, Any] | None = None, **provided: Any
) -> Any:
    """An instance with the user's options.

    Of ``provided`` (objects that are no options) and ``defaults`` (values that options may change) the constructor is
    given what the plug-in's ``uses`` declares.
    """
    plugin = get(kind, name)
    parameters = _parameters(plugin)
    uses = _declared_uses(kind, name, plugin)
    _check_options(f"{kind} {name!r}", options, [key for key in parameters if key not in provided])
    resources = {**(defaults or {}), **provided}
    arguments = {**{key: resources[key] for key in uses if key in resources}, **options}
    if arguments.get("chat") is None and asks(kind, name, options):
        raise no_chat(f"{kind} {name!r}")
    for key, parameter in parameters.items():
        if key not in arguments and _is_required(parameter):
            raise RecipeError(f"{kind} {name!r} needs {key!r}: docs/methods.md, or its own page, says what to give")
    try:
        return plugin(**arguments)
    except (TypeError, ValueError) as error:
        raise RecipeError(f"{kind} {name!r}: {error}") from error


def _check_options(what: str, options: Iterable[str], allowed: Sequence[str]) -> None:
    for key in options:
        if key not in allowed:
            hint = suggest(key, allowed) if allowed else "it takes no options"
            raise RecipeError(f"{what} has no option {key!r}: {hint}")


def _is_required(parameter: inspect.Parameter) -> bool:
    return parameter.default is parameter.empty and parameter.kind is parameter.KEYWORD_ONLY


_OPTION_SEPARATOR = re.compile(r",(?=\w+=)")
"""A comma before the next option, so that a path may contain commas."""


def parse_options(text: str, where: str) -> dict[str, int | float | str]:
    """``key=value,key=value``, as it stands behind a name and a colon; ``where`` is named in errors."""
    options = {}
    for part in _OPTION_SEPARATOR.split(text) if text else ():
        key, equals, value = part.partition("=")
        if not equals:
            raise RecipeError(f"{where}: write options as name:key=value,key=value; got {part!r}")
        options[key.strip()] = _parse_value(value.strip())
    return options


def _parse_value(text: str) -> int | float | str:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _declared_uses(kind: str, name: str, plugin: Any) -> tuple[str, ...]:
    """The plug-in's ``uses``. Raises RecipeError where it does not agree with the constructor's parameters."""
    parameters = _parameters(plugin)
    offered = RESOURCES.get(kind, ())
    uses = tuple(plugin.uses) if isinstance(plugin, UsesResources) else ()
    for key in uses:
        if key not in offered:
            hint = f"a {kind} can use {', '.join(offered)}" if offered else f"a {kind} is given nothing"
            raise RecipeError(f"{kind} {name!r} declares uses = {uses!r}, but {hint}; docs/plugins.md says more")
        if key not in parameters:
            raise RecipeError(f"{kind} {name!r} declares that it uses {key!r}: add a keyword-only parameter {key!r}")
    missing = tuple(key for key in offered if key in parameters and key not in uses)
    if missing:
        raise RecipeError(
            f"{kind} {name!r} has a parameter {missing[0]!r} without declaring it: add uses = {uses + missing!r} to "
            "its class (docs/plugins.md)"
        )
    return uses


def asks(kind: str, name: str, options: Mapping[str, Any]) -> bool:
    """Whether a plug-in cannot do without a language model what its options ask of it."""
    plugin = get(kind, name)
    needs = isinstance(plugin, NeedsChat) and plugin.needs_chat
    return bool(needs(options) if callable(needs) else needs)


def calls_service(kind: str, name: str) -> bool:
    """Whether a plug-in sends text to a service on the network."""
    plugin = get(kind, name)
    return isinstance(plugin, CallsService) and bool(plugin.calls_service)


def no_chat(what: str) -> RecipeError:
    """What is said where something asks a language model and there is none."""
    return RecipeError(f"{what} needs a language model: give --chat URL|FILE.gguf, or chat = ... in the recipe")


def reads_background(kind: str, name: str) -> bool:
    """Whether a plug-in is given the background."""
    plugin = get(kind, name)
    return isinstance(plugin, UsesResources) and "background" in plugin.uses


def no_background(what: str) -> RecipeError:
    """What is said where something reads a background and there is none."""
    return RecipeError(f"{what} needs a background, what is known of people: give --background FILE, or background=...")


def describe(kind: str, name: str) -> Plugin:
    """What ``sfumato methods`` shows."""
    plugin = get(kind, name)
    purpose = (inspect.getdoc(plugin) or "").partition("\n")[0]
    # A metric names its inputs, and a language model is one of those it may require.
    is_metric_of_chat = kind == "metric" and isinstance(plugin, RequiresInputs) and "chat" in plugin.requires
    cite = plugin.cite if isinstance(plugin, Cites) else None
    extra = plugin.extra if isinstance(plugin, NeedsExtra) else None
    return Plugin(kind, name, purpose, cite, extra, asks(kind, name, {}) or is_metric_of_chat, origin(kind, name))


def all_plugins() -> list[Plugin]:
    """Every registered plug-in of every kind."""
    return [describe(kind, name) for kind in KINDS for name in names(kind)]
