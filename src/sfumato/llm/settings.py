"""All that can be said about a language model in a file."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from sfumato.errors import RecipeError, suggest
from sfumato.llm.cache import CachedChat
from sfumato.llm.chat import Chat
from sfumato.llm.replay import RecordingChat, ReplayChat
from sfumato.llm.usage import Price, PricedChat, Prices

_HTTP = {"model", "in_flight", "timeout", "patience", "json_mode", "key_env", "body", "without", "proxy", "ca"}
_GGUF = {"threads", "slots", "gpu_layers"}


class ChatSettings(BaseModel):
    """A chat file. One of ``url``, ``gguf`` and ``replay`` says which model; the rest how it is used."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)

    url: str | None = Field(default=None, description="Base URL of a server that speaks OpenAI's chat interface.")
    gguf: Path | None = Field(default=None, description="A model file for llama.cpp.")
    replay: Path | None = Field(default=None, description="A recording to answer from.")
    name: str | None = Field(default=None, min_length=1, description="What results and the cache call the model.")
    context: int | None = Field(default=None, ge=256, description="Tokens that a question and its answer may have.")
    model: str | None = Field(default=None, min_length=1, description="Which of the server's models.")
    in_flight: int = Field(default=8, ge=1, le=1024, description="Requests that the server has at once.")
    timeout: float = Field(default=600, gt=0, description="Seconds for one answer.")
    patience: float = Field(default=300, ge=0, description="Seconds for which a server may be away or busy.")
    json_mode: Literal["schema", "object", "none"] = Field(
        default="schema", alias="json", description="How the server is held to JSON, at first."
    )
    key_env: str | None = Field(default=None, description="The environment variable that holds the key; empty: none.")
    body: dict[str, Any] = Field(default={}, description="What else each request says.")
    without: tuple[str, ...] = Field(default=(), description="What a request leaves out, for servers that refuse it.")
    proxy: str | None = Field(default=None, description="A proxy to go through; none of the environment is used.")
    ca: Path | None = Field(default=None, description="A PEM file with the authority that the server is vouched by.")
    threads: int | None = Field(default=None, ge=1, description="Threads of llama.cpp.")
    slots: int = Field(default=2, ge=1, le=256, description="Questions that llama.cpp answers at once.")
    gpu_layers: int | None = Field(default=None, ge=0, description="Layers that an accelerator takes.")
    cache: Path | None = Field(default=None, description="A folder that keeps answers.")
    record: Path | None = Field(default=None, description="A file that questions and answers are added to.")
    currency: str = Field(default="USD", min_length=1, description="What amounts are called.")
    prices: dict[str, Price] = Field(default={}, description="Price of a million tokens, by model.")

    @model_validator(mode="after")
    def _one_model(self) -> ChatSettings:
        named = [key for key in ("url", "gguf", "replay") if getattr(self, key) is not None]
        if len(named) != 1:
            raise ValueError(f"give one of url, gguf and replay, not {' and '.join(named) or 'none'}")
        idle = self.model_fields_set & {"url": _GGUF, "gguf": _HTTP, "replay": _GGUF | _HTTP}[named[0]]
        if idle:
            raise ValueError(f"{min(idle)} says nothing about a model from {named[0]}; take it out")
        return self

    @property
    def price_list(self) -> Prices | None:
        return Prices(currency=self.currency, models=self.prices) if self.prices else None


def load_settings(path: Path) -> ChatSettings:
    """Settings from a TOML file; paths in it are relative to it."""
    try:
        written = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise RecipeError(f"{path}: no such chat file") from None
    except tomllib.TOMLDecodeError as error:
        raise RecipeError(f"{path}: not valid TOML: {error}") from None
    except (OSError, UnicodeDecodeError) as error:
        raise RecipeError(f"{path}: the chat file cannot be read ({type(error).__name__})") from None
    for key in ("gguf", "replay", "ca", "cache", "record"):
        if isinstance(written.get(key), str):
            written[key] = path.parent / Path(written[key]).expanduser()
    return checked(written, str(path))


def checked(written: dict[str, Any], where: str) -> ChatSettings:
    """Settings from what was written; ``where`` is named in errors."""
    try:
        return ChatSettings.model_validate(written)
    except ValidationError as error:
        raise RecipeError("\n".join(f"{where}: {_explain(item)}" for item in error.errors())) from None


def _explain(item: Any) -> str:
    place = ".".join(str(part) for part in item["loc"])
    if item["type"] == "extra_forbidden":
        known = [field.alias or key for key, field in ChatSettings.model_fields.items()]
        return f"unknown key {place!r}: {suggest(str(item['loc'][-1]), known)}"
    said = item["msg"].removeprefix("Value error, ")
    return f"{place}: {said.lower()}" if place else said


# -- From what a user says to a Chat. Nothing is contacted or loaded before the first question.


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
        from sfumato.llm.http import HttpChat

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
        from sfumato.llm.gguf import GgufChat

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
