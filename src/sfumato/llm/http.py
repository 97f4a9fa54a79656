"""A Chat over HTTP: any server with OpenAI's chat completions API (vLLM, llama.cpp, Ollama, OpenAI and others).

Temporary failures are tried again, others reported. Text goes to the host that was named and to no other: redirects
are not followed, and proxies of the environment are not used.
"""

from __future__ import annotations

import hashlib
import ipaddress
import json
import os
import random
import ssl
import threading
import time
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import unquote, urljoin, urlsplit

from sfumato.errors import ChatError, RecipeError
from sfumato.llm import openai_protocol as protocol
from sfumato.llm.chat import AsksUnordered, ProcessLock, Reply, Request, map_unordered

if TYPE_CHECKING:
    import httpx2

    from sfumato.llm.deadline import Deadline

KEY = "SFUMATO_CHAT_KEY"
_USUAL_PATH = "/v1"
_NO_CHAT = {405, 501}
"""Statuses of a server whose pages take no requests."""
_CONTEXT_KEYS = ("max_model_len", "context_length", "context_window", "max_context_length", "n_ctx")
"""What servers call the context: vLLM, OpenRouter, Groq, LM Studio, llama.cpp."""
MAX_BYTES = 10_000_000
"""Bytes of a response; a longer one is not read to its end."""
WEB_PAGE = "a web page instead of an answer"
_FAILED_TRIES = 5
"""How often a request is sent that the server received and did not answer properly."""
_TIMEOUT_TRIES = 2
_FIRST_CONTACT = 10.0
"""Seconds to wait for a server that has never answered: the address is probably wrong."""
_CONNECT_TIMEOUT = 10.0
_FIRST_PAUSE, _LONGEST_PAUSE = 0.5, 20.0
_NOT_TLS = {"WRONG_VERSION_NUMBER", "RECORD_LAYER_FAILURE", "HTTP_REQUEST"}
"""OpenSSL's reasons when the other side does not speak TLS."""
_UNAVAILABLE = {502, 503, 504}
_BUSY = {408, 409, 425, 429, 529}
_RANDOM = random.Random()
"""Our own generator: drawing from the common one would change what a seeded program draws."""


@dataclass(frozen=True, slots=True)
class Clock:
    """Time and random numbers, which tests replace."""

    now: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    random: Callable[[], float] = _RANDOM.random


class HttpChat(AsksUnordered):
    """A model behind a base URL. Nothing is sent before the first request (or before ``name`` is read, where no
    model was named)."""

    def __init__(
        self,
        url: str,
        *,
        model: str | None = None,
        name: str | None = None,
        context: int | None = None,
        in_flight: int = 8,
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
            clock=clock or Clock(),
        )
        self._models: list[ModelInfo] | None = None
        self._list_failure: str | None = None
        self._lock = ProcessLock()
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
            path = urlsplit(self.address.base).path  # two gateways on one host differ only in their paths
            path = "" if path == _USUAL_PATH else path
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
        refusals = []
        for mode in modes:
            response = self._post_in_mode(request, mode, cancelled)
            if response.status not in (400, 422) or protocol.is_context_overflow(response.content):
                if response.status == 200 and mode != modes[0]:
                    with self._lock:
                        if mode in self._modes:
                            self._modes = self._modes[self._modes.index(mode) :]
                return response
            refusals.append(response)
        return refusals[0]

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

    @classmethod
    def parse(cls, url: str, key_env: str | None = None) -> Address:
        """``URL`` or ``URL#MODEL``. ``key_env``: the environment variable of the key; empty: send none."""
        try:
            parts = urlsplit(url)
            hostname, port = parts.hostname or "", parts.port
        except ValueError:
            raise RecipeError("a chat URL cannot be read: write it as http://127.0.0.1:8080/v1") from None
        at_port = f":{port}" if port else ""
        shown = f"{parts.scheme}://{hostname}{at_port}{parts.path}"
        if parts.scheme not in ("http", "https") or not hostname:
            raise RecipeError(f"chat URL {shown!r}: write it as http://127.0.0.1:8080/v1 or https://HOST/v1")
        if "@" in parts.netloc or parts.query:
            raise RecipeError(
                f"chat URL {shown}: a key does not belong in an address; put it into the environment as {KEY}"
            )
        host = (f"[{hostname}]" if ":" in hostname else hostname) + at_port
        base = f"{parts.scheme}://{host}{parts.path.rstrip('/') or _USUAL_PATH}"
        variable = _key_variable(hostname) if key_env is None else key_env
        key = os.environ.get(variable, "")
        _check_key(key, variable, base, is_safe=parts.scheme == "https" or is_loopback(hostname))
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
    return "OPENAI_API_KEY" if at_openai and KEY not in os.environ else KEY


def _check_key(key: str, variable: str, base: str, *, is_safe: bool) -> None:
    if not key.isascii() or any(map(str.isspace, key)):
        raise RecipeError(f"the key in {variable} is not valid: it has white space or non-ASCII characters")
    if key and not is_safe:
        raise RecipeError(
            f"{base}: the key in {variable} would go over the network unencrypted; use https, "
            f"or take {variable} out of the environment"
        )


@dataclass(frozen=True, slots=True)
class Response:
    """A server's response: a status and JSON, or why there is nothing."""

    status: int
    content: Any = None
    failure: str | None = None


@dataclass(frozen=True, slots=True)
class _Retry:
    """Why a request has to be sent again."""

    kind: Literal["unavailable", "busy", "failed", "timeout"]
    reason: str
    wait: float | None = None


@dataclass(eq=False, repr=False)
class HttpTransport:
    """Requests to one base URL. Safe to share between threads."""

    url: str
    key: str
    timeout: float
    """Seconds for one whole response, from the connection to its last byte."""
    patience: float
    """Seconds a server may be unavailable or busy."""
    connections: int
    proxy: str | None
    ca: str | Path | None
    clock: Clock
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    """More headers of every request, such as a key that a service takes in a header of its own."""
    retried: int = 0
    _lock: ProcessLock = field(default_factory=ProcessLock)
    _client: tuple[httpx2.Client, Deadline] | None = None
    _unavailable_since: float | None = None
    _has_answered: bool = False
    _is_failing: bool = False
    """Whether the last request got no proper answer after all its tries: then the next ones are tried once each."""

    def send(self, method: str, path: str, body: Any = None, cancelled: threading.Event | None = None) -> Response:
        """One request, sent again until it is answered, ``patience`` has passed, or it is cancelled."""
        tries_left = {"failed": _FAILED_TRIES, "timeout": _TIMEOUT_TRIES}
        busy_since: float | None = None
        pauses = 0
        while True:
            result = self._send_once(method, self.url + path, body)
            if isinstance(result, Response):
                self._is_failing = self._is_failing and result.status != HTTPStatus.OK
                return result
            if cancelled is not None and cancelled.is_set():
                return Response(0, failure=result.reason)
            now = self.clock.now()
            if result.kind in tries_left:
                tries_left[result.kind] -= 1
                if self._is_failing or not tries_left[result.kind]:
                    self._is_failing = True
                    return Response(0, failure=result.reason)
            wait = _backoff(pauses, self.clock) if result.wait is None else result.wait
            if result.kind == "busy":
                busy_since = now if busy_since is None else busy_since
                if now + wait - busy_since > self.patience:
                    return Response(0, failure=result.reason)
            elif result.kind == "unavailable" and now + wait - self._mark_unavailable(now) > self._allowed():
                return self._give_up(result)
            pauses += 1
            with self._lock:
                self.retried += 1
            self.clock.sleep(wait)

    def get_once(self, url: str) -> Any:
        """The JSON at an address of the same host, tried once; None where there is none."""
        try:
            result = self._send_once("GET", url, None)
        except ChatError:
            return None
        return result.content if isinstance(result, Response) and result.status == 200 else None

    def close(self) -> None:
        with self._lock:
            connected, self._client = self._client, None
        if connected is not None:
            connected[0].close()

    def _send_once(self, method: str, url: str, body: Any) -> Response | _Retry:
        import httpx2

        client, deadline = self._open_client()
        began = self.clock.now()
        deadline.at = began + self.timeout
        try:
            with client.stream(method, url, json=body) as response:
                status = response.status_code
                if retry := self._retry_for(status, response.headers.get("retry-after")):
                    return retry
                self._mark_answered()
                if 300 <= status < 400:
                    raise ChatError(
                        f"{self.url} redirects to another address ({status}), and text goes only to the address "
                        "you name. Give the address that answers"
                    )
                return self._read(response, began)
        except (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.ProxyError) as error:
            self._raise_tls_error(error)
            return _Retry("unavailable", "the server cannot be reached")
        except httpx2.TimeoutException:
            return self._timed_out()
        except (httpx2.TransportError, httpx2.StreamError):
            return _Retry("failed", "the server broke off its answer")

    def _read(self, response: httpx2.Response, began: float) -> Response | _Retry:
        # Undecoded, so that a small response cannot unpack to a large one; no compression was asked for.
        if response.headers.get("content-encoding", "identity") != "identity":
            return Response(response.status_code, failure="the server compressed its answer, which was not asked for")
        content = bytearray()
        for chunk in response.iter_raw():  # as it arrives: a size would be waited for
            content += chunk
            if len(content) > MAX_BYTES:
                return Response(response.status_code, failure=f"an answer of more than {MAX_BYTES // 10**6} MB")
            if self.clock.now() - began > self.timeout:
                return self._timed_out()
        value = protocol.parse_json(bytes(content))
        if value is None and response.status_code == 200:
            if content.lstrip()[:1] == b"<":
                return Response(200, failure=WEB_PAGE)
            return _Retry("failed", "the server's answer is not JSON")
        return Response(response.status_code, value)

    def _timed_out(self) -> _Retry:
        return _Retry("timeout", f"no answer within {self.timeout:g} s")

    def _retry_for(self, status: int, retry_after: str | None) -> _Retry | None:
        if status in _BUSY:
            self._mark_answered()
            return _Retry("busy", f"the server is busy ({status})", _parse_retry_after(retry_after))
        if status in _UNAVAILABLE:
            self._has_answered = True
            return _Retry("unavailable", f"the server is not ready ({status})", _parse_retry_after(retry_after))
        if status >= 500 and status != HTTPStatus.NOT_IMPLEMENTED:
            self._mark_answered()
            return _Retry("failed", f"the server failed ({status})", _parse_retry_after(retry_after))
        return None

    def _raise_tls_error(self, error: BaseException) -> None:
        """Retries do not help where a server has no TLS, or a certificate that is not trusted here."""
        cause: BaseException | None = error
        while cause is not None and not isinstance(cause, ssl.SSLError):
            cause = cause.__cause__ or cause.__context__
        if isinstance(cause, ssl.SSLCertVerificationError):
            raise ChatError(
                f"{self.url}: its certificate is not trusted: name the authority's PEM file as ca in a chat file, or "
                "among a detector's options"
            ) from None
        if cause is not None and cause.reason in _NOT_TLS:
            raise ChatError(f"{self.url} does not speak https: write http:// if it is on your own machine") from None

    def _mark_answered(self) -> None:
        with self._lock:
            self._has_answered, self._unavailable_since = True, None

    def _mark_unavailable(self, now: float) -> float:
        """Since when the server is unavailable; all requests share it, so that they do not wait one after another."""
        with self._lock:
            if self._unavailable_since is None:
                self._unavailable_since = now
            return self._unavailable_since

    def _allowed(self) -> float:
        return self.patience if self._has_answered else min(self.patience, _FIRST_CONTACT)

    def _give_up(self, retry: _Retry) -> Response:
        if self._has_answered:
            return Response(0, failure=f"{retry.reason}, for {self.patience:g} s")
        raise ChatError(f"no server answers at {self.url}: start it, or check the address")

    def _open_client(self) -> tuple[httpx2.Client, Deadline]:
        import httpx2

        from sfumato.llm.deadline import Deadline, set_deadline

        with self._lock:
            if self._client is None:
                headers = {"Accept-Encoding": "identity", "User-Agent": "sfumato", **self.headers}
                if self.key:
                    headers["Authorization"] = f"Bearer {self.key}"
                deadline = Deadline(self.clock.now)
                transport = httpx2.HTTPTransport(
                    # Without TLS there is nothing to verify, and the list of authorities takes time to load.
                    verify=(self.url.startswith("https:") or self.proxy is not None) and _load_authorities(self.ca),
                    trust_env=False,
                    proxy=self.proxy,
                    limits=httpx2.Limits(max_connections=self.connections),
                )
                client = httpx2.Client(
                    headers=headers,
                    transport=set_deadline(transport, deadline),
                    trust_env=False,
                    follow_redirects=False,
                    timeout=httpx2.Timeout(self.timeout, connect=min(_CONNECT_TIMEOUT, self.timeout)),
                )
                weakref.finalize(self, client.close)
                self._client = client, deadline
            return self._client

    def __repr__(self) -> str:
        return f"HttpTransport({self.url!r})"

    def __getstate__(self) -> dict[str, Any]:
        """For other processes: connections stay here."""
        return {**self.__dict__, "_client": None}


def _backoff(pauses: int, clock: Clock) -> float:
    """Exponential backoff with up to half of it taken off at random, so that many clients do not return at once."""
    longest = min(_LONGEST_PAUSE, _FIRST_PAUSE * 2.0 ** min(pauses, 10))
    return longest * (0.5 + clock.random() / 2)


def _parse_retry_after(header: str | None) -> float | None:
    """The seconds in a Retry-After header: a number, or a date."""
    if header is None:
        return None
    try:
        return max(0.0, float(header))
    except ValueError:
        pass
    try:
        return max(0.0, (parsedate_to_datetime(header) - datetime.now(UTC)).total_seconds())
    except (ValueError, TypeError):
        return None


def _load_authorities(ca: str | Path | None) -> Any:
    if ca is None:
        return True
    try:
        return ssl.create_default_context(cafile=ca)
    except (OSError, ssl.SSLError):
        raise ChatError(f"ca = {ca}: no certificate can be read there; name a PEM file") from None
