"""Opens the Chat that a user names: a URL, a model file, a recording, or a TOML file with settings."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from sfumato.errors import RecipeError, suggest
from sfumato.llm.cache import CachedChat
from sfumato.llm.chat import Asks, Chat
from sfumato.llm.replay import RecordingChat, ReplayChat
from sfumato.llm.usage import Price, PricedChat, Prices

_HTTP = {"model", "in_flight", "timeout", "patience", "json_mode", "key_env", "body", "without", "proxy", "ca"}
_GGUF = {"threads", "slots", "gpu_layers"}


class ChatSettings(BaseModel):
    """The content of a chat file. ``url``, ``gguf`` or ``replay`` names the model; the rest says how it is used."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)

    url: str | None = Field(default=None, description="Base URL of a server with OpenAI's chat API.")
    gguf: Path | None = Field(default=None, description="A model file for llama.cpp.")
    replay: Path | None = Field(default=None, description="A recording to answer from.")
    name: str | None = Field(default=None, min_length=1, description="What results and the cache call the model.")
    context: int | None = Field(default=None, ge=256, description="Tokens that a request and its answer may have.")
    model: str | None = Field(default=None, min_length=1, description="Which of the server's models.")
    in_flight: int = Field(default=8, ge=1, le=1024, description="Concurrent requests.")
    timeout: float = Field(default=600, gt=0, description="Seconds for one answer.")
    patience: float = Field(default=300, ge=0, description="Seconds for which a server may be unavailable or busy.")
    json_mode: Literal["schema", "object", "none"] = Field(
        default="schema", alias="json", description="How the server is asked for JSON, at first."
    )
    key_env: str | None = Field(default=None, description="The environment variable that holds the key; empty: none.")
    body: dict[str, Any] = Field(default={}, description="What else each request contains.")
    without: tuple[str, ...] = Field(default=(), description="What a request leaves out, for servers that refuse it.")
    proxy: str | None = Field(default=None, description="A proxy to go through; none of the environment is used.")
    ca: Path | None = Field(default=None, description="A PEM file with the authority of the server's certificate.")
    threads: int | None = Field(default=None, ge=1, description="Threads of llama.cpp.")
    slots: int = Field(default=2, ge=1, le=256, description="Concurrent requests of llama.cpp.")
    gpu_layers: int | None = Field(default=None, ge=0, description="Layers on an accelerator.")
    cache: Path | None = Field(default=None, description="A folder for cached answers.")
    record: Path | None = Field(default=None, description="A file that requests and answers are appended to.")
    currency: str = Field(default="USD", min_length=1, description="What amounts are called.")
    prices: dict[str, Price] = Field(default={}, description="Price of a million tokens, by model.")

    @model_validator(mode="after")
    def _one_model(self) -> ChatSettings:
        named = [key for key in ("url", "gguf", "replay") if getattr(self, key) is not None]
        if len(named) != 1:
            raise ValueError(f"give one of url, gguf and replay, not {' and '.join(named) or 'none'}")
        unused = self.model_fields_set & {"url": _GGUF, "gguf": _HTTP, "replay": _GGUF | _HTTP}[named[0]]
        if unused:
            raise ValueError(f"{min(unused)} has no effect on a model from {named[0]}; take it out")
        return self


def load_settings(path: Path) -> ChatSettings:
    """Settings from a TOML file; paths in it are relative to it."""
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise RecipeError(f"{path}: no such chat file") from None
    except tomllib.TOMLDecodeError as error:
        raise RecipeError(f"{path}: not valid TOML: {error}") from None
    except (OSError, UnicodeDecodeError) as error:
        raise RecipeError(f"{path}: the chat file cannot be read ({type(error).__name__})") from None
    for key in ("gguf", "replay", "ca", "cache", "record"):
        if isinstance(table.get(key), str):
            table[key] = path.parent / Path(table[key]).expanduser()
    return _validate(table, str(path))


def _validate(table: dict[str, Any], where: str) -> ChatSettings:
    """``where`` is named in errors."""
    try:
        return ChatSettings.model_validate(table)
    except ValidationError as error:
        raise RecipeError("\n".join(f"{where}: {_explain(item)}" for item in error.errors())) from None


def _explain(item: Any) -> str:
    place = ".".join(str(part) for part in item["loc"])
    if item["type"] == "extra_forbidden":
        keys = [field.alias or key for key, field in ChatSettings.model_fields.items()]
        return f"unknown key {place!r}: {suggest(str(item['loc'][-1]), keys)}"
    message = item["msg"].removeprefix("Value error, ")
    return f"{place}: {message.lower()}" if place else message


_REPLAY = "replay:"
_BARE = re.compile(r"[\w.-]+(?::\d+(?:[/#].*)?|/v\d+(?:#.*)?)")
"""A URL without its scheme."""
HOW = "give a URL (http://127.0.0.1:8080/v1), a FILE.gguf, a FILE.toml with settings, or replay:FILE.jsonl"


def open_chat(
    spec: str | Path | Chat, *, cache: str | Path | None = None, secret: bytes | None = None, **settings: Any
) -> Chat:
    """The Chat that ``spec`` names: ``URL``, ``URL#MODEL``, ``FILE.gguf``, ``replay:FILE.jsonl``, ``FILE.toml``.

    ``cache``: a folder for answers, encrypted with ``secret`` (32 bytes) if given; ``settings``: those of a chat file,
    which they override. A Chat is returned as it is, behind the cache if one is named. Nothing is contacted or loaded
    before the first request.
    """
    if not isinstance(spec, str | Path):
        if not isinstance(spec, Asks):
            raise RecipeError(f"chat of type {type(spec).__name__}: {HOW}")
        return spec if cache is None else CachedChat(spec, cache, secret)
    parsed = parse_spec(spec, **settings)
    chat = _open_model(parsed)
    if parsed.record is not None:
        chat = RecordingChat(chat, parsed.record)
    folder = cache if cache is not None else parsed.cache
    if folder is not None:
        chat = CachedChat(chat, folder, secret)
    elif secret is not None:
        raise RecipeError("a secret encrypts cached answers: name their folder with cache = FOLDER")
    return PricedChat(chat, Prices(currency=parsed.currency, models=parsed.prices)) if parsed.prices else chat


def parse_spec(spec: str | Path, **settings: Any) -> ChatSettings:
    """The settings that a spec of ``open_chat`` stands for."""
    text = str(spec)
    if "://" in text:
        return _validate({"url": text, **settings}, "chat")
    if text.startswith(_REPLAY):
        return _validate({"replay": Path(text.removeprefix(_REPLAY)), **settings}, "chat")
    suffix = Path(text).suffix.lower()
    if suffix == ".gguf":
        return _validate({"gguf": Path(text), **settings}, "chat")
    if suffix == ".toml":
        from_file = load_settings(Path(text))
        return _validate({**from_file.model_dump(exclude_unset=True), **settings}, text)
    if _BARE.fullmatch(text):
        raise RecipeError(f"chat {text!r} is an address without http:// or https://: write it in full")
    raise RecipeError(f"chat {text!r} cannot be opened: {HOW}")


def _open_model(settings: ChatSettings) -> Chat:
    if settings.url is not None:
        from sfumato.llm.http import HttpChat

        return HttpChat(settings.url, **settings.model_dump(include={"name", "context", *_HTTP}))
    if settings.gguf is not None:
        from sfumato.llm.gguf import GgufChat

        return GgufChat(settings.gguf, **settings.model_dump(include={"name", "context", *_GGUF}))
    assert settings.replay is not None  # checked by the settings
    return ReplayChat(settings.replay, name=settings.name)
