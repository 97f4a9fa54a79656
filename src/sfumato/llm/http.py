"""Any server that speaks OpenAI's chat interface, as a Chat: vLLM, llama.cpp, Ollama, OpenAI and others."""

from __future__ import annotations

import hashlib
import ipaddress
import json
import os
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote, urljoin, urlsplit

from sfumato.errors import ChatError, RecipeError
from sfumato.llm import protocol
from sfumato.llm.chat import Reply, Request, collect_ordered, map_unordered
from sfumato.llm.transport import WEB_PAGE, Answered, Clock, HttpTransport

# -- What a server says of its models.


_CONTEXTS = ("max_model_len", "context_length", "context_window", "max_context_length", "n_ctx")
"""What servers call the context: vLLM, OpenRouter, Groq, LM Studio, llama.cpp."""


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """A model that a server has."""

    model: str
    context: int | None


def parse_model_list(found: Any) -> list[ModelInfo]:
    """From the page ``/models``; empty where it is none."""
    listed = found.get("data") if isinstance(found, Mapping) else None
    rows = [row for row in listed if isinstance(row, Mapping)] if isinstance(listed, list) else []
    return [ModelInfo(row["id"], _context(row)) for row in rows if isinstance(row.get("id"), str)]


def _context(row: Mapping[str, Any]) -> int | None:
    meta = row.get("meta")
    places = [row, meta] if isinstance(meta, Mapping) else [row]
    return next((size for place in places for key in _CONTEXTS if (size := positive(place.get(key)))), None)


def positive(value: Any) -> int | None:
    """A size that is one."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None


# -- Where a server is, and the key that opens it: to whom text and key may go.


KEY = "SFUMATO_CHAT_KEY"
OPENAI_KEY = "OPENAI_API_KEY"


@dataclass(frozen=True, slots=True)
class Address:
    """A base URL in parts. The key is in no repr."""

    base: str
    """Without a final slash; what has no path gets ``/v1``."""
    host: str
    """With its port."""
    machine: str
    """Without."""
    model: str | None
    key: str = field(repr=False)
    key_from: str
    """The environment variable that the key is read from."""

    @property
    def path(self) -> str:
        """Behind the host; two gateways on one host differ in it alone."""
        return urlsplit(self.base).path

    @classmethod
    def of(cls, url: str, key_env: str | None = None) -> Address:
        """``URL`` or ``URL#MODEL``. ``key_env``: where the key stands; empty: send none."""
        try:
            parts = urlsplit(url)
            host, port = parts.hostname or "", parts.port
        except ValueError:
            raise RecipeError("a chat URL cannot be read: write it as http://127.0.0.1:8080/v1") from None
        shown = f"{parts.scheme}://{host}" + (f":{port}" if port else "") + parts.path
        if parts.scheme not in ("http", "https") or not host:
            raise RecipeError(f"chat URL {shown!r}: write it as http://127.0.0.1:8080/v1 or https://HOST/v1")
        if parts.username is not None or parts.password is not None or parts.query:
            raise RecipeError(
                f"chat URL {shown}: a key does not belong into an address; put it into the environment as {KEY}"
            )
        name = f"[{host}]" if ":" in host else host
        where = name + (f":{port}" if port else "")
        base = f"{parts.scheme}://{where}{parts.path.rstrip('/') or '/v1'}"
        variable = _variable(host) if key_env is None else key_env
        key = os.environ.get(variable, "") if variable else ""
        if not key.isascii() or any(sign.isspace() for sign in key):
            raise RecipeError(f"the key in {variable} is not one: it has white space or letters that no key has")
        if key and parts.scheme == "http" and not is_loopback(host):
            raise RecipeError(
                f"{base}: the key in {variable} would go over the network readable by all; use https, "
                f"or take {variable} out of the environment"
            )
        return cls(base, where, host, unquote(parts.fragment) or None, key, variable or KEY)


def is_loopback(host: str) -> bool:
    """Whether a host is this machine."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _variable(host: str) -> str:
    """OpenAI's key goes to OpenAI alone: another host would learn it."""
    at_openai = host == "api.openai.com" or host.endswith(".api.openai.com")
    return OPENAI_KEY if at_openai and KEY not in os.environ else KEY


# -- Any server that speaks OpenAI's chat interface, as a Chat: vLLM, llama.cpp, Ollama, OpenAI and others.


IN_FLIGHT = 8
_USUAL_PATH = "/v1"
_NO_QUESTIONS = {405, 501}
"""What a server says whose pages take no questions."""


class HttpChat:
    """A model behind a base URL. Nothing is sent before the first question (or before ``name`` is asked for, where no
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
        ca: str | None = None,
        clock: Clock | None = None,
    ) -> None:
        """``key_env``: the environment variable with the key; ``body``, ``without``: what else a request says, and
        what it leaves out; ``name``: what results and the cache call the model."""
        self.address = Address.of(url, key_env)
        self._model, self._name, self._context = model or self.address.model, name, context
        self._in_flight = in_flight
        self._modes = list(protocol.MODES[protocol.MODES.index(json_mode) :])
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
        self._offers: list[ModelInfo] | None = None
        self._unlisted: str | None = None
        self._lock = threading.RLock()
        self._worked = False

    @property
    def model(self) -> str:
        """The model named, or the one that the server has."""
        if self._model is None:
            offered = [offer.model for offer in self.offers()]
            if self._unlisted is not None:
                raise ChatError(
                    f"{self.address.base} does not list its models ({self._unlisted}): check the address, "
                    f"or name a model, as in {self.address.base}#MODEL"
                )
            if len(offered) != 1:
                has = f"has {', '.join(sorted(offered)[:20])}" if offered else "names none"
                raise ChatError(f"{self.address.base} {has}: name a model, as in {self.address.base}#MODEL")
            self._model = offered[0]
        return self._model

    @property
    def name(self) -> str:
        if self._name is None:
            added = {"body": self._body, "without": self._without}
            digest = hashlib.sha256(json.dumps(added, sort_keys=True, default=str).encode()).hexdigest()[:8]
            path = "" if self.address.path == _USUAL_PATH else self.address.path
            self._name = f"{self.model}@{self.address.host}{path}" + (f"#{digest}" if any(added.values()) else "")
        return self._name

    @property
    def context(self) -> int | None:
        """As the server says, where it does and the user has not."""
        if self._context is None:
            model = self.model
            self._context = next((offer.context for offer in self.offers() if offer.model == model), None)
        return self._context

    @property
    def retried(self) -> int:
        """How often a request had to be sent again."""
        return self._transport.retried

    @property
    def json_mode(self) -> protocol.JsonMode:
        """How the server is held to JSON by now."""
        return self._modes[0]

    def offers(self) -> list[ModelInfo]:
        """The server's models; empty where it does not list them."""
        with self._lock:
            if self._offers is None:
                found = self._transport.send("GET", "/models")
                self._raise_if_closed(found)
                self._offers, self._unlisted = parse_model_list(found.content), found.failure
                if len(self._offers) == 1 and self._offers[0].context is None:
                    self._offers = [ModelInfo(self._offers[0].model, self._llama_context())]
            return self._offers

    def ask(self, requests: Sequence[Request]) -> list[Reply]:
        return collect_ordered(self.ask_unordered(requests), len(requests))

    def ask_unordered(self, requests: Sequence[Request]) -> Iterator[tuple[int, Reply]]:
        """Replies as they arrive, with as many requests in flight as allowed."""
        if requests:
            _ = self.model  # once, before there are threads
        return map_unordered(requests, self._answer, self._in_flight)

    def close(self) -> None:
        self._transport.close()

    def _answer(self, request: Request, over: threading.Event) -> Reply:
        began = time.perf_counter()
        found = self._held(request, over)
        seconds = time.perf_counter() - began
        self._raise_if_closed(found)
        if found.failure is not None:
            return Reply("", seconds=seconds, failure=found.failure)
        if found.status == 200:
            self._worked = True
            return protocol.reply(found.content, seconds)
        if protocol.is_context_overflow(protocol.refusal(found.content)):
            return Reply("", seconds=seconds, failure=protocol.TOO_LONG)
        return Reply("", seconds=seconds, failure=f"the server refused the request ({found.status})")

    def _held(self, request: Request, over: threading.Event) -> Answered:
        """Ask in the strictest way that the server takes; one that it refuses is not tried again."""
        modes = list(self._modes) if request.schema is not None else self._modes[-1:]
        first: Answered | None = None
        for mode in modes:
            found = self._sent(request, mode, over)
            if found.status not in (400, 422) or protocol.is_context_overflow(protocol.refusal(found.content)):
                if found.status == 200:
                    self._remember(mode, modes[0])
                return found
            first = first or found
        return first or Answered(0, failure="nothing was asked")

    def _sent(self, request: Request, mode: protocol.JsonMode, over: threading.Event) -> Answered:
        sent = {"model": self.model, **protocol.body(request, mode), **self._body}
        trimmed = self._trimmed(sent)
        found = self._transport.send("POST", "/chat/completions", trimmed, over)
        renamed = "max_completion_tokens"  # OpenAI's newer models refuse the old name
        if found.status == 400 and renamed not in trimmed and renamed in protocol.refusal(found.content):
            self._length_key = renamed
            found = self._transport.send("POST", "/chat/completions", self._trimmed(sent), over)
        return found

    def _trimmed(self, sent: Mapping[str, Any]) -> dict[str, Any]:
        renamed = {self._length_key if key == "max_tokens" else key: value for key, value in sent.items()}
        return {key: value for key, value in renamed.items() if key not in self._without}

    def _remember(self, mode: protocol.JsonMode, tried: protocol.JsonMode) -> None:
        with self._lock:
            if mode != tried and self._modes[0] != mode and mode in self._modes:
                self._modes = self._modes[self._modes.index(mode) :]

    def _raise_if_closed(self, found: Answered) -> None:
        base = self.address.base
        if found.status == 401 or (found.status == 403 and not self._worked):
            raise ChatError(f"{base} does not let us in ({found.status}): put its key into {self.address.key_from}")
        if not self._worked and (found.failure == WEB_PAGE or found.status in _NO_QUESTIONS):
            said = "answers with a web page" if found.failure == WEB_PAGE else f"takes no questions ({found.status})"
            raise ChatError(f"{base} {said} and is no chat server: check the address; it mostly ends in /v1")
        if found.status == 404 and not self._worked:
            raise ChatError(f"{base} has no such model or address (404): {self._choice()}")

    def _choice(self) -> str:
        offered = [] if self._offers is None and self._model is None else self._listed()
        if offered:
            return f"name one of its models, as in {self.address.base}#MODEL: {', '.join(sorted(offered)[:20])}"
        return "is a chat server there? Its address mostly ends in /v1"

    def _listed(self) -> list[str]:
        if self._offers is None:
            self._offers = parse_model_list(self._transport.send("GET", "/models").content)
        return [offer.model for offer in self._offers]

    def _llama_context(self) -> int | None:
        """llama.cpp says it beside the OpenAI interface."""
        found = self._transport.get_once(urljoin(self.address.base, "/props"))
        try:
            return positive(found["default_generation_settings"]["n_ctx"])
        except (KeyError, TypeError):
            return None

    def __repr__(self) -> str:
        return f"HttpChat({self.address.base!r}, model={self._model!r})"

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_lock": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._lock = threading.RLock()
