"""Options that several commands share, so that one name means one thing."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sfumato.errors import EncryptionKeyError, RecipeError

if TYPE_CHECKING:
    from sfumato.llm.chat import Chat
    from sfumato.vault.ledger import Key


Originals = Annotated[Path, typer.Argument(metavar="ORIGINALS", help="A file or folder of original documents.")]
Gold = Annotated[
    Path | None,
    typer.Option(
        "--gold", metavar="FILE", help="Reference spans: TAB's JSON, a file of detect, masks, or a folder of .ann."
    ),
]
Subjects = Annotated[
    Path | None,
    typer.Option(
        "--subject-profiles", metavar="FILE", help="What is known of each document's people (for cpr and ipr)."
    ),
]
Labels = Annotated[
    Path | None, typer.Option("--labels", metavar="FILE", help="A label per document: columns id and label.")
]
_BACKGROUND = typer.Option(
    "--background", metavar="FILE", help="What the attacker knows: a corpus, or a table of people, a row each."
)
Background = Annotated[Path | None, _BACKGROUND]
KnownBackground = Annotated[Path, _BACKGROUND]
Attacks = Annotated[
    list[str] | None,
    typer.Option("--attack", metavar="NAME", help="An attack; may be given again. Else all that need no extra."),
]
Metrics = Annotated[
    list[str] | None,
    typer.Option("--metric", metavar="NAME", help="A metric or a family of metrics; may be given again."),
]
MetricSettings = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="METRIC.SETTING=VALUE", help="A metric's setting; may be given again."),
]
Scorer = Annotated[str, typer.Option("--scorer", metavar="NAME|PATH", help="What tells how informative a word is.")]
Embedder = Annotated[str, typer.Option("--embedder", metavar="NAME|PATH", help="What tells how alike two texts are.")]
Classifier = Annotated[
    str | None, typer.Option("--classifier", metavar="NAME|PATH", help="What gives a document its labels.")
]
ChatOption = Annotated[
    str | None,
    typer.Option("--chat", metavar="URL|FILE", help="A language model: a server's URL, a .gguf file, or a .toml file."),
]
ChatCache = Annotated[
    Path | None,
    typer.Option("--chat-cache", metavar="FOLDER", help="Confidential: keeps the model's answers; a rerun is free."),
]
ChatKey = Annotated[
    Path | None,
    typer.Option("--chat-key", metavar="FILE", help="Encrypts the kept answers; the key is made if new."),
]
PerDocument = Annotated[
    Path | None, typer.Option("--per-document", metavar="FILE.csv", help="Confidential: every document's value.")
]
ToCsv = Annotated[Path | None, typer.Option("--csv", metavar="FILE", help="Write the figures as CSV, too.")]
TextColumn = Annotated[str, typer.Option("--text-column", metavar="NAME", help="The column that holds the text.")]
IdColumn = Annotated[
    str | None,
    typer.Option("--id-column", metavar="NAME", help="The column that holds the id (else id, then doc_id)."),
]
SubjectsColumn = Annotated[
    str, typer.Option("--subjects-column", metavar="NAME", help="The column that says whom a record is about.")
]
SubjectTableOption = Annotated[
    Path | None,
    typer.Option("--subject-table", metavar="FILE", help="Whom each document is about: a table of id and subjects."),
]
BackgroundId = Annotated[
    str | None, typer.Option("--background-id-column", metavar="NAME", help="The background's column of ids.")
]
BackgroundText = Annotated[
    str | None, typer.Option("--background-text-column", metavar="NAME", help="The background's column of texts.")
]
Json = Annotated[bool, typer.Option("--json", help="Print a JSON object for machines.")]
Inputs = Annotated[
    list[Path],
    typer.Argument(metavar="INPUT...", help="Files and folders: .jsonl .json .csv .tsv .parquet .txt .md .docx .html"),
]
RecipeOption = Annotated[
    str, typer.Option("--recipe", metavar="NAME|FILE", help="A recipe by name, or a .toml file of your own.")
]
KeepColumn = Annotated[
    list[str] | None,
    typer.Option("--keep-column", metavar="NAME", help="A column to carry over unchanged; may be given again."),
]
VaultOption = Annotated[
    Path | None,
    typer.Option(
        "--vault", metavar="FILE", help="An encrypted file that keeps which replacement stands for which value."
    ),
]
KeyFile = Annotated[
    Path | None,
    typer.Option("--key-file", metavar="FILE", help="The key of the vault and of keyed replacers; made if new."),
]


# -- The language model that a command was given.


def chat_output_files(spec: str | None, cache: Path | None, key_file: Path | None) -> list[Path]:
    """Where a model's answers, their recording and their key go, by options and chat file: all confidential."""
    from sfumato.llm.settings import parse_spec

    settings = None if spec is None else parse_spec(spec)
    folder = cache or (settings.cache if settings else None)
    return [path for path in (folder, settings.record if settings else None, key_file) if path is not None]


def open_chat_option(spec: str | None, cache: Path | None, key_file: Path | None) -> Chat | None:
    """The model behind its cache, where there is one; None where none was named."""
    return next(iter(open_chats([] if spec is None else [spec], cache, key_file)), None)


def open_chats(specs: Sequence[str], cache: Path | None, key_file: Path | None) -> list[Chat]:
    """Several models behind one cache."""
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
    from sfumato.vault.ledger import Key

    if path.exists():
        return Key.load(path)
    if (cache / FILE).exists():
        raise EncryptionKeyError(
            f"{path}: no such key file, and a new one does not open the answers in {cache}: give their key "
            "(none where they are not encrypted), or another --chat-cache"
        )
    return Key.create(path)


# -- ``--set NAME.SETTING=VALUE``, as several commands take it.


def parse_settings(given: Iterable[str], example: str) -> dict[str, dict[str, Any]]:
    """The settings by plug-in; ``example`` is shown to whoever wrote them another way."""
    settings: dict[str, dict[str, Any]] = {}
    for text in given:
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
