"""From what a user says to a Chat. Nothing is contacted or loaded before the first question."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from sfumato.errors import RecipeError
from sfumato.models.chat.base import Chat
from sfumato.models.chat.cache import CachedChat
from sfumato.models.chat.prices import PricedChat
from sfumato.models.chat.replay import RecordingChat, ReplayChat
from sfumato.models.chat.settings import ChatSettings, checked, load_settings

_REPLAY = "replay:"
_BARE = re.compile(r"[\w.-]+(?::\d+(?:[/#].*)?|/v\d+(?:#.*)?)")
"""An address without its scheme."""
HOW = "give a URL (http://127.0.0.1:8080/v1), a FILE.gguf, a FILE.toml with settings, or replay:FILE.jsonl"


def open_chat(
    spec: str | Path | Chat, *, cache: str | Path | None = None, secret: bytes | None = None, **settings: Any
) -> Chat:
    """The Chat that ``spec`` names: ``URL``, ``URL#MODEL``, ``FILE.gguf``, ``replay:FILE.jsonl``, ``FILE.toml``.

    ``cache``: a folder that keeps answers, encrypted with ``secret`` (32 bytes) if given; ``settings``: those of a
    chat file, over what stands there. A Chat is handed back as it is, behind the cache if one is named.
    """
    if not isinstance(spec, str | Path):
        if not callable(getattr(spec, "ask", None)):
            raise RecipeError(f"chat of type {type(spec).__name__}: {HOW}")
        return spec if cache is None else CachedChat(spec, cache, secret)
    found = settings_of(spec, **settings)
    chat = _model(found)
    if found.record is not None:
        chat = RecordingChat(chat, found.record)
    folder = cache if cache is not None else found.cache
    if folder is not None:
        chat = CachedChat(chat, folder, secret)
    elif secret is not None:
        raise RecipeError("a secret encrypts kept answers: say where they go with cache = FOLDER")
    return chat if found.price_list is None else PricedChat(chat, found.price_list)


def settings_of(spec: str | Path, **settings: Any) -> ChatSettings:
    """What a spec says, as settings."""
    text = str(spec)
    if "://" in text:
        return checked({"url": text, **settings}, "chat")
    if text.startswith(_REPLAY):
        return checked({"replay": Path(text.removeprefix(_REPLAY)), **settings}, "chat")
    suffix = Path(text).suffix.lower()
    if suffix == ".gguf":
        return checked({"gguf": Path(text), **settings}, "chat")
    if suffix == ".toml":
        written = load_settings(Path(text))
        return checked({**written.model_dump(exclude_unset=True), **settings}, text)
    if _BARE.fullmatch(text):
        raise RecipeError(f"chat {text!r} is an address without its beginning: write http:// before it, or https://")
    raise RecipeError(f"chat {text!r} is none that can be opened: {HOW}")


def _model(found: ChatSettings) -> Chat:
    if found.url is not None:
        from sfumato.models.chat.http.client import HttpChat

        return HttpChat(
            found.url,
            model=found.model,
            name=found.name,
            context=found.context,
            in_flight=found.in_flight,
            timeout=found.timeout,
            patience=found.patience,
            json_mode=found.json_mode,
            key_env=found.key_env,
            body=found.body,
            without=found.without,
            proxy=found.proxy,
            ca=None if found.ca is None else str(found.ca),
        )
    if found.gguf is not None:
        from sfumato.models.chat.gguf.model import GgufChat

        return GgufChat(
            found.gguf,
            name=found.name,
            context=found.context,
            threads=found.threads,
            slots=found.slots,
            gpu_layers=found.gpu_layers,
        )
    assert found.replay is not None  # checked by the settings
    return ReplayChat(found.replay, name=found.name)
