"""A Chat over HTTP: any server with OpenAI's chat completions API (vLLM, llama.cpp, Ollama, OpenAI and others)."""

from __future__ import annotations

import hashlib
import ipaddress
import json
import os
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urljoin, urlsplit

from sfumato.errors import ChatError, RecipeError
from sfumato.llm import openai_protocol as protocol
from sfumato.llm.chat import Reply, Request, collect_ordered, map_unordered
from sfumato.llm.transport import WEB_PAGE, Clock, HttpTransport, Response

KEY = "SFUMATO_CHAT_KEY"
OPENAI_KEY = "OPENAI_API_KEY"
IN_FLIGHT = 8
_USUAL_PATH = "/v1"
_NO_CHAT = {405, 501}
"""Statuses of a server whose pages take no requests."""
_CONTEXT_KEYS = ("max_model_len", "context_length", "context_window", "max_context_length", "n_ctx")
"""What servers call the context: vLLM, OpenRouter, Groq, LM Studio, llama.cpp."""


class HttpChat:
    """A model behind a base URL. Nothing is sent before the first request (or before ``name`` is read, where no
    model was named)."""

    def __init__(
        self,
        url: str,
        *,
        model: str | None = None,
        name: str | None = None,
        context: int | None = None,
        in_flight: int = IN_FLIGHT,
        timeout: float = 600,
        patience: float = 300,
        json_mode: protocol.JsonMode = "schema",
        key_env: str | None = None,
        body: Mapping[str, Any] | None = None,
        without: Sequence[str] = (),
        proxy: str | None = None,
        ca: str | Path | None = None,
        clock: Clock | None = None,
    ) -> None:
        """``key_env``: the environment variable with the key; ``body``, ``without``: what a request adds and leaves
        out; ``name``: what results and the cache call the model."""
        self.address = Address.parse(url, key_env)
        self._model, self._name, self._context = model or self.address.model, name, context
        self._in_flight = in_flight
        self._modes = list(protocol.JSON_MODES[protocol.JSON_MODES.index(json_mode) :])
        self._body, self._without = dict(body or {}), tuple(without)
        self._length_key = "max_tokens"
        self._transport = HttpTransport(
            self.address.base,
            key=self.address.key,
            timeout=timeout,
            patience=patience,
            connections=in_flight,
            proxy=proxy,
            ca=ca,
            clock=clock,
        )
        self._models: list[ModelInfo] | None = None
        self._list_failure: str | None = None
        self._lock = threading.RLock()
        self._has_worked = False

    @property
    def model(self) -> str:
        """The model named, or the only one that the server has."""
        if self._model is None:
            models = [info.model for info in self.list_models()]
            if self._list_failure is not None:
                raise ChatError(
                    f"{self.address.base} does not list its models ({self._list_failure}): check the address, "
                    f"or name a model, as in {self.address.base}#MODEL"
                )
            if len(models) != 1:
                has = f"has {', '.join(sorted(models)[:20])}" if models else "names none"
                raise ChatError(f"{self.address.base} {has}: name a model, as in {self.address.base}#MODEL")
            self._model = models[0]
        return self._model

    @property
    def name(self) -> str:
        if self._name is None:
            changes = {"body": self._body, "without": self._without}
            digest = hashlib.sha256(json.dumps(changes, sort_keys=True, default=str).encode()).hexdigest()[:8]
            path = "" if self.address.path == _USUAL_PATH else self.address.path
            self._name = f"{self.model}@{self.address.host}{path}" + (f"#{digest}" if any(changes.values()) else "")
        return self._name

    @property
    def context(self) -> int | None:
        """As the user says, else as the server does."""
        if self._context is None:
            model = self.model
            self._context = next((info.context for info in self.list_models() if info.model == model), None)
        return self._context

    @property
    def retried(self) -> int:
        """How often a request had to be sent again."""
        return self._transport.retried

    @property
    def json_mode(self) -> protocol.JsonMode:
        """How the server is asked for JSON by now."""
        return self._modes[0]

    def list_models(self) -> list[ModelInfo]:
        """The server's models; empty where it does not list them."""
        with self._lock:
            if self._models is None:
                response = self._transport.send("GET", "/models")
                self._raise_if_unusable(response)
                self._models, self._list_failure = parse_model_list(response.content), response.failure
                if len(self._models) == 1 and self._models[0].context is None:
                    self._models = [ModelInfo(self._models[0].model, self._llama_context())]
            return self._models

    def ask(self, requests: Sequence[Request]) -> list[Reply]:
        return collect_ordered(self.ask_unordered(requests), len(requests))

    def ask_unordered(self, requests: Sequence[Request]) -> Iterator[tuple[int, Reply]]:
        """Replies as they arrive, with as many concurrent requests as allowed."""
        if requests:
            _ = self.model  # once, before there are threads
        return map_unordered(requests, self._answer, self._in_flight)

    def close(self) -> None:
        self._transport.close()

    def _answer(self, request: Request, cancelled: threading.Event) -> Reply:
        began = time.perf_counter()
        response = self._post(request, cancelled)
        seconds = time.perf_counter() - began
        self._raise_if_unusable(response)
        if response.failure is not None:
            return Reply("", seconds=seconds, failure=response.failure)
        if response.status == 200:
            self._has_worked = True
            return protocol.parse_reply(response.content, seconds)
        if protocol.is_context_overflow(response.content):
            return Reply("", seconds=seconds, failure=protocol.TOO_LONG)
        return Reply("", seconds=seconds, failure=f"the server refused the request ({response.status})")

    def _post(self, request: Request, cancelled: threading.Event) -> Response:
        """Ask in the strictest JSON mode that the server accepts; one that it refuses is not tried again."""
        modes = list(self._modes) if request.schema is not None else self._modes[-1:]
        first: Response | None = None
        for mode in modes:
            response = self._post_in_mode(request, mode, cancelled)
            if response.status not in (400, 422) or protocol.is_context_overflow(response.content):
                if response.status == 200:
                    self._remember(mode, modes[0])
                return response
            first = first or response
        return first or Response(0, failure="nothing was asked")

    def _post_in_mode(self, request: Request, mode: protocol.JsonMode, cancelled: threading.Event) -> Response:
        content = {"model": self.model, **protocol.request_body(request, mode), **self._body}
        body = self._adapt(content)
        response = self._transport.send("POST", "/chat/completions", body, cancelled)
        renamed = "max_completion_tokens"  # OpenAI's newer models refuse the old name
        if response.status == 400 and renamed not in body and renamed in protocol.error_text(response.content):
            self._length_key = renamed
            response = self._transport.send("POST", "/chat/completions", self._adapt(content), cancelled)
        return response

    def _adapt(self, body: Mapping[str, Any]) -> dict[str, Any]:
        renamed = {self._length_key if key == "max_tokens" else key: value for key, value in body.items()}
        return {key: value for key, value in renamed.items() if key not in self._without}

    def _remember(self, mode: protocol.JsonMode, tried: protocol.JsonMode) -> None:
        with self._lock:
            if mode != tried and self._modes[0] != mode and mode in self._modes:
                self._modes = self._modes[self._modes.index(mode) :]

    def _raise_if_unusable(self, response: Response) -> None:
        base, status = self.address.base, response.status
        if status == 401 or (status == 403 and not self._has_worked):
            raise ChatError(f"{base} denies access ({status}): put its key into {self.address.key_variable}")
        if not self._has_worked and (response.failure == WEB_PAGE or status in _NO_CHAT):
            what = "answers with a web page" if response.failure == WEB_PAGE else f"takes no requests ({status})"
            raise ChatError(f"{base} {what} and is no chat server: check the address; it usually ends in /v1")
        if status == 404 and not self._has_worked:
            raise ChatError(f"{base} has no such model or address (404): {self._suggest_model()}")

    def _suggest_model(self) -> str:
        if self._models is None and self._model is not None:
            self._models = parse_model_list(self._transport.send("GET", "/models").content)
        models = sorted(info.model for info in self._models or ())[:20]
        if models:
            return f"name one of its models, as in {self.address.base}#MODEL: {', '.join(models)}"
        return "is a chat server there? Its address usually ends in /v1"

    def _llama_context(self) -> int | None:
        """llama.cpp tells it outside of OpenAI's API."""
        properties = self._transport.get_once(urljoin(self.address.base, "/props"))
        try:
            return _positive(properties["default_generation_settings"]["n_ctx"])
        except (KeyError, TypeError):
            return None

    def __repr__(self) -> str:
        return f"HttpChat({self.address.base!r}, model={self._model!r})"

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_lock": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._lock = threading.RLock()


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """A model that a server has."""

    model: str
    context: int | None


def parse_model_list(response: Any) -> list[ModelInfo]:
    """The models in a response of ``/models``; empty where it is none."""
    data = response.get("data") if isinstance(response, Mapping) else None
    rows = [row for row in data if isinstance(row, Mapping)] if isinstance(data, list) else []
    return [ModelInfo(row["id"], _context_of(row)) for row in rows if isinstance(row.get("id"), str)]


def _context_of(row: Mapping[str, Any]) -> int | None:
    meta = row.get("meta")
    tables = [row, meta] if isinstance(meta, Mapping) else [row]
    return next((size for table in tables for key in _CONTEXT_KEYS if (size := _positive(table.get(key)))), None)


def _positive(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None


@dataclass(frozen=True, slots=True)
class Address:
    """A base URL in parts, and the key for it. The key is in no repr."""

    base: str
    """Without a final slash; ``/v1`` is added where there is no path."""
    host: str
    """With its port."""
    hostname: str
    """Without the port."""
    model: str | None
    key: str = field(repr=False)
    key_variable: str
    """The environment variable that the key is read from."""

    @property
    def path(self) -> str:
        """Two gateways on one host differ only in their paths."""
        return urlsplit(self.base).path

    @classmethod
    def parse(cls, url: str, key_env: str | None = None) -> Address:
        """``URL`` or ``URL#MODEL``. ``key_env``: the environment variable of the key; empty: send none."""
        try:
            parts = urlsplit(url)
            hostname, port = parts.hostname or "", parts.port
        except ValueError:
            raise RecipeError("a chat URL cannot be read: write it as http://127.0.0.1:8080/v1") from None
        shown = f"{parts.scheme}://{hostname}" + (f":{port}" if port else "") + parts.path
        if parts.scheme not in ("http", "https") or not hostname:
            raise RecipeError(f"chat URL {shown!r}: write it as http://127.0.0.1:8080/v1 or https://HOST/v1")
        if parts.username is not None or parts.password is not None or parts.query:
            raise RecipeError(
                f"chat URL {shown}: a key does not belong in an address; put it into the environment as {KEY}"
            )
        host = (f"[{hostname}]" if ":" in hostname else hostname) + (f":{port}" if port else "")
        base = f"{parts.scheme}://{host}{parts.path.rstrip('/') or _USUAL_PATH}"
        variable = _key_variable(hostname) if key_env is None else key_env
        key = os.environ.get(variable, "") if variable else ""
        if not key.isascii() or any(character.isspace() for character in key):
            raise RecipeError(f"the key in {variable} is not valid: it has white space or non-ASCII characters")
        if key and parts.scheme == "http" and not is_loopback(hostname):
            raise RecipeError(
                f"{base}: the key in {variable} would go over the network unencrypted; use https, "
                f"or take {variable} out of the environment"
            )
        return cls(base, host, hostname, unquote(parts.fragment) or None, key, variable or KEY)


def is_loopback(hostname: str) -> bool:
    """Whether a host is this machine."""
    if hostname == "localhost":
        return True
    try:
        return ipaddress.ip_address(hostname).is_loopback
    except ValueError:
        return False


def _key_variable(hostname: str) -> str:
    """OpenAI's key goes to OpenAI only: another host would learn it."""
    at_openai = hostname == "api.openai.com" or hostname.endswith(".api.openai.com")
    return OPENAI_KEY if at_openai and KEY not in os.environ else KEY
