"""The language model that a command was given."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from sfumato.errors import RecipeError

if TYPE_CHECKING:
    from sfumato.models.chat import Chat


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
    from sfumato.vault import Key

    key = None if key_file is None else Key.load(key_file) if key_file.exists() else Key.create(key_file)
    secret = None if key is None else key.derive("chat cache")
    # A model that is named twice, to be asked and to judge, is loaded once.
    models = {spec: open_chat(spec, cache=cache, secret=secret) for spec in dict.fromkeys(specs)}
    return [models[spec] for spec in specs]
