"""Options, as ``options.toml`` describes them, and those that several commands share, so that one name means one thing.

A group of options that always go together is a dataclass: a command has one parameter for it, and ``flatten_groups``
shows Typer its fields.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, fields, is_dataclass
from functools import cache, wraps
from importlib import resources
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sfumato.cli.output_paths import check_answers_apart
from sfumato.errors import EncryptionKeyError, RecipeError
from sfumato.formats.base import Columns
from sfumato.formats.subject_table import as_subject_table

if TYPE_CHECKING:
    from sfumato.llm.chat import Chat
    from sfumato.recipe import Recipe
    from sfumato.vault.key import Key


@cache
def _described() -> dict[str, dict[str, list[str]]]:
    return tomllib.loads(resources.files(__package__).joinpath("options.toml").read_text("utf-8"))


def _describe(key: str) -> tuple[str, dict[str, Any]]:
    command, _, name = key.rpartition(".")
    metavar, text = _described()[command or "shared"][name]
    return name, {"metavar": metavar or None, "help": text}


def option(key: str, **settings: Any) -> Any:
    """The option ``--name``, described under ``name`` or ``command.name`` in ``options.toml``."""
    name, description = _describe(key)
    return typer.Option(f"--{name}", **description, **settings)


def argument(key: str) -> Any:
    """The argument that is described under this key."""
    return typer.Argument(**_describe(key)[1])


def flatten_groups(command: Callable[..., None]) -> Callable[..., None]:
    """The command with the fields of each of its groups as parameters of their own."""
    parameters: dict[str, Parameter] = {}
    groups: dict[str, Any] = {}
    for parameter in signature(command, eval_str=True).parameters.values():
        if is_dataclass(parameter.annotation):
            groups[parameter.name] = parameter.annotation
            parameters |= signature(groups[parameter.name], eval_str=True).parameters
        else:
            parameters[parameter.name] = parameter

    @wraps(command)
    def call(**values: Any) -> None:
        for name, group in groups.items():
            values[name] = group(**{field.name: values.pop(field.name) for field in fields(group)})
        command(**values)

    keywords = [parameter.replace(kind=Parameter.KEYWORD_ONLY) for parameter in parameters.values()]
    call.__signature__ = Signature(keywords)  # type: ignore[attr-defined]
    return call


Originals = Annotated[Path, argument("originals")]
_BACKGROUND = option("background")
Background = Annotated[Path | None, _BACKGROUND]
KnownBackground = Annotated[Path, _BACKGROUND]
Attacks = Annotated[list[str] | None, option("attack")]
Scorer = Annotated[str, option("scorer")]
Embedder = Annotated[str, option("embedder")]
ChatOption = Annotated[str | None, option("chat")]
ChatCache = Annotated[Path | None, option("chat-cache")]
ChatKey = Annotated[Path | None, option("chat-key")]
PerDocument = Annotated[Path | None, option("per-document")]
ToCsv = Annotated[Path | None, option("csv")]
TextColumn = Annotated[str, option("text-column")]
IdColumn = Annotated[str | None, option("id-column")]
SubjectsColumn = Annotated[str, option("subjects-column")]
Json = Annotated[bool, option("json")]
Inputs = Annotated[list[Path], argument("input")]
RecipeOption = Annotated[str, option("recipe")]
Jobs = Annotated[int | None, option("jobs", min=1)]
EngineOption = Annotated[str | None, option("engine")]
Staging = Annotated[Path | None, option("staging")]
KeepColumn = Annotated[list[str] | None, option("keep-column")]


@dataclass(frozen=True)
class TextOptions:
    """What the user says about the texts, beside the recipe."""

    allow: Annotated[list[str] | None, option("allow")] = None
    allow_file: Annotated[Path | None, option("allow-file")] = None
    locale: Annotated[str | None, option("locale")] = None
    date_order: Annotated[str | None, option("date-order")] = None

    def apply(self, recipe: Recipe) -> Recipe:
        """The recipe with these options."""
        terms = [*(self.allow or ()), *(_read_terms(self.allow_file) if self.allow_file else ())]
        return recipe.with_options(terms, self.locale, self.date_order)  # type: ignore[arg-type]  # it is checked there


def _read_terms(path: Path) -> list[str]:
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = "it is not UTF-8" if isinstance(error, UnicodeDecodeError) else error.strerror
        raise RecipeError(
            f"--allow-file {path}: cannot be read: {reason}; give a text file with a term a line"
        ) from None
    return [line.strip() for line in lines if line.strip()]


@dataclass(frozen=True)
class CorpusColumns:
    """How the records of a corpus are read."""

    text_column: TextColumn = "text"
    id_column: IdColumn = None
    subjects_column: SubjectsColumn = "subjects"
    subject_table: Annotated[Path | None, option("subject-table")] = None

    def of_corpus(self, keep: Sequence[str] | None = None) -> Columns:
        """The columns of the originals; reads the subject table."""
        table = as_subject_table(self.subject_table)
        return Columns(self.id_column, self.text_column, tuple(keep or ()), self.subjects_column, table)


@dataclass(frozen=True)
class CorpusAndBackgroundColumns(CorpusColumns):
    """The same, and how the background is read."""

    background_id: Annotated[str | None, option("background-id-column")] = None
    background_text: Annotated[str | None, option("background-text-column")] = None

    def of_background(self) -> Columns:
        return Columns(self.background_id, self.background_text or "text")


@dataclass(frozen=True)
class MetricOptions:
    """Which metrics ``measure`` and ``compare`` compute, and what they need for it."""

    gold: Annotated[Path | None, option("gold")] = None
    subject_profiles: Annotated[Path | None, option("subject-profiles")] = None
    labels: Annotated[Path | None, option("labels")] = None
    background: Background = None
    attacks: Attacks = None
    metrics: Annotated[list[str] | None, option("metric")] = None
    settings: Annotated[list[str] | None, option("set")] = None
    scorer: Scorer = "default"
    embedder: Embedder = "default"
    classifier: Annotated[str | None, option("classifier")] = None

    def arguments(self) -> dict[str, Any]:
        """As ``measure_each`` and ``compare_methods`` take them."""
        settings = parse_settings(self.settings or (), "METRIC.SETTING=VALUE, such as lr.threshold=0.9")
        return {**asdict(self), "settings": settings}


@dataclass(frozen=True)
class ChatOptions:
    """A language model, and where its answers are kept."""

    chat: ChatOption = None
    chat_cache: ChatCache = None
    chat_key: ChatKey = None

    def output_files(self, recipe: Recipe | None = None) -> list[Path]:
        """As ``chat_output_files``; without --chat, those of the recipe's model, if it asks one."""
        model = self.chat or (recipe.chat if recipe and recipe.asking else None)
        return chat_output_files(model, self.chat_cache, self.chat_key)

    def open(self, inputs: Sequence[Path], out: Path | None = None, recipe: Recipe | None = None) -> Chat | None:
        """The model behind its cache, if one was named. Raises where its files would lie among inputs or releases."""
        check_answers_apart(inputs, out, *self.output_files(recipe))
        model = self.chat or (recipe.chat if recipe and self.chat_cache else None)
        return next(iter(open_chats([model] if model else [], self.chat_cache, self.chat_key)), None)


def chat_output_files(spec: str | None, cache: Path | None, key_file: Path | None) -> list[Path]:
    """Where a model's answers, their recording and their key go, by options and chat file: all confidential."""
    from sfumato.llm.settings import parse_spec

    settings = None if spec is None else parse_spec(spec)
    folder = cache or (settings.cache if settings else None)
    return [path for path in (folder, settings.record if settings else None, key_file) if path is not None]


def open_chats(
    specs: Sequence[str], cache: Path | None, key_file: Path | None, inputs: Sequence[Path] = ()
) -> list[Chat]:
    """Several models behind one cache. Raises where a file of theirs would lie among the inputs."""
    for spec in specs:
        check_answers_apart(inputs, None, *chat_output_files(spec, cache, key_file))
    if not specs:
        if cache or key_file:
            raise RecipeError("--chat-cache and --chat-key keep a model's answers: name the model with --chat")
        return []
    if key_file and not cache:
        raise RecipeError("--chat-key encrypts kept answers: say where they go with --chat-cache FOLDER")
    from sfumato.llm.settings import open_chat

    secret = None if cache is None or key_file is None else _key(key_file, cache).derive("chat cache")
    # A model that is named twice, to be asked and to judge, is loaded once.
    models = {spec: open_chat(spec, cache=cache, secret=secret) for spec in dict.fromkeys(specs)}
    return [models[spec] for spec in specs]


def _key(path: Path, cache: Path) -> Key:
    """The key in a file; a new one only for a new cache, as kept answers have theirs already."""
    from sfumato.llm.cache import FILE
    from sfumato.vault.key import Key

    if path.exists():
        return Key.load_existing(path) if (cache / FILE).exists() else Key.load(path)
    if (cache / FILE).exists():
        raise EncryptionKeyError(
            f"{path}: no such key file, and a new one does not open the answers in {cache}: give their key "
            "(none where they are not encrypted), or another --chat-cache"
        )
    return Key.create(path)


def name_releases(paths: Sequence[Path]) -> dict[str, Path]:
    """Releases by the shortest name of each path that tells it from the others."""
    stems = [path.name.removesuffix(".masks.json").removesuffix(path.suffix) or path.name for path in paths]
    names = stems if len(set(stems)) == len(stems) else [str(path) for path in paths]
    if len(set(names)) < len(names):
        raise typer.BadParameter("the same releases are named twice", param_hint="RELEASES")
    return dict(zip(names, paths, strict=True))


def parse_settings(texts: Iterable[str], example: str) -> dict[str, dict[str, Any]]:
    """``NAME.SETTING=VALUE`` by plug-in; ``example`` is shown to whoever wrote them another way."""
    settings: dict[str, dict[str, Any]] = {}
    for text in texts:
        key, equals, value = text.partition("=")
        plugin, dot, name = key.partition(".")
        if not (equals and dot and plugin and name):
            raise RecipeError(f"--set {text}: write {example}")
        settings.setdefault(plugin, {})[name] = _value(value)
    return settings


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text
