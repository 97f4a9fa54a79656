"""The language model that a command was given."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from sfumato.errors import KeyProblem, RecipeError

if TYPE_CHECKING:
    from sfumato.models.chat import Chat
    from sfumato.vault import Key


def chat_files(spec: str | None, cache: Path | None, key_file: Path | None) -> list[Path]:
    """Where a model's answers, their recording and their key go, by options and chat file: all confidential."""
    from sfumato.models.chat.open import settings_of

    found = None if spec is None else settings_of(spec)
    folder = cache or (found.cache if found else None)
    return [path for path in (folder, found.record if found else None, key_file) if path is not None]


def opened(spec: str | None, cache: Path | None, key_file: Path | None) -> Chat | None:
    """The model behind its cache, where there is one; None where none was named."""
    return next(iter(opened_all([] if spec is None else [spec], cache, key_file)), None)


def opened_all(specs: Sequence[str], cache: Path | None, key_file: Path | None) -> list[Chat]:
    """Several models behind one cache."""
    if not specs:
        if cache or key_file:
            raise RecipeError("--chat-cache and --chat-key keep a model's answers: name the model with --chat")
        return []
    if key_file and not cache:
        raise RecipeError("--chat-key encrypts kept answers: say where they go with --chat-cache FOLDER")
    from sfumato.models.chat.open import open_chat

    secret = None if cache is None or key_file is None else _key(key_file, cache).derive("chat cache")
    # A model that is named twice, to be asked and to judge, is loaded once.
    models = {spec: open_chat(spec, cache=cache, secret=secret) for spec in dict.fromkeys(specs)}
    return [models[spec] for spec in specs]


def _key(path: Path, cache: Path) -> Key:
    """The key in a file; a new one only for a new cache, as kept answers have theirs already."""
    from sfumato.models.chat.answers import FILE
    from sfumato.vault import Key

    if path.exists():
        return Key.load(path)
    if (cache / FILE).exists():
        raise KeyProblem(
            f"{path}: no such key file, and a new one does not open the answers in {cache}: give their key "
            "(none where they are not encrypted), or another --chat-cache"
        )
    return Key.create(path)
