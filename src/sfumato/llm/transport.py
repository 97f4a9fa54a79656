"""HTTP requests to one server, with retries: temporary failures are tried again, others reported.

Text goes to the host that was named and to no other: redirects are not followed, and proxies of the environment are
not used.
"""

from __future__ import annotations

import random
import ssl
import threading
import time
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from sfumato.errors import ChatError
from sfumato.llm.openai_protocol import parse_json

if TYPE_CHECKING:
    import httpx2

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
_NOT_IMPLEMENTED = 501
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


class HttpTransport:
    """Requests to one base URL. Safe to share between threads."""

    def __init__(
        self,
        url: str,
        *,
        key: str = "",
        timeout: float = 600,
        patience: float = 300,
        connections: int = 8,
        proxy: str | None = None,
        ca: str | Path | None = None,
        clock: Clock | None = None,
    ) -> None:
        """``timeout``: seconds for one response; ``patience``: seconds a server may be unavailable or busy."""
        self.url, self._key = url, key
        self._timeout, self._patience, self._connections = timeout, patience, connections
        self._proxy, self._ca = proxy, ca
        self._clock = clock or Clock()
        self._lock = threading.Lock()
        self._client: httpx2.Client | None = None
        self._unavailable_since: float | None = None
        self._has_answered = False
        self.retried = 0

    def send(self, method: str, path: str, body: Any = None, cancelled: threading.Event | None = None) -> Response:
        """One request, sent again until it is answered, ``patience`` has passed, or it is cancelled."""
        tries = {"failed": 0, "timeout": 0}
        busy_since: float | None = None
        pauses = 0
        while True:
            result = self._send_once(method, self.url + path, body)
            if isinstance(result, Response):
                return result
            if cancelled is not None and cancelled.is_set():
                return Response(0, failure=result.reason)
            now = self._clock.now()
            if result.kind in tries:
                tries[result.kind] += 1
            if tries["failed"] >= _FAILED_TRIES or tries["timeout"] >= _TIMEOUT_TRIES:
                return Response(0, failure=result.reason)
            wait = _backoff(pauses, self._clock) if result.wait is None else result.wait
            if result.kind == "busy":
                busy_since = now if busy_since is None else busy_since
                if now + wait - busy_since > self._patience:
                    return Response(0, failure=result.reason)
            elif result.kind == "unavailable" and now + wait - self._mark_unavailable(now) > self._allowed():
                return self._give_up(result)
            pauses += 1
            with self._lock:
                self.retried += 1
            self._clock.sleep(wait)

    def get_once(self, url: str) -> Any:
        """The JSON at an address of the same host, tried once; None where there is none."""
        try:
            result = self._send_once("GET", url, None)
        except ChatError:
            return None
        return result.content if isinstance(result, Response) and result.status == 200 else None

    def close(self) -> None:
        with self._lock:
            client, self._client = self._client, None
        if client is not None:
            client.close()

    def _send_once(self, method: str, url: str, body: Any) -> Response | _Retry:
        import httpx2

        began = self._clock.now()
        try:
            with self._open_client().stream(method, url, json=body) as response:
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
        for chunk in response.iter_raw(1 << 16):
            content += chunk
            if len(content) > MAX_BYTES:
                return Response(response.status_code, failure=f"an answer of more than {MAX_BYTES // 10**6} MB")
            if self._clock.now() - began > self._timeout:
                return self._timed_out()
        value = parse_json(bytes(content))
        if value is None and response.status_code == 200:
            if content.lstrip()[:1] == b"<":
                return Response(200, failure=WEB_PAGE)
            return _Retry("failed", "the server's answer is not JSON")
        return Response(response.status_code, value)

    def _timed_out(self) -> _Retry:
        return _Retry("timeout", f"no answer within {self._timeout:g} s")

    def _retry_for(self, status: int, retry_after: str | None) -> _Retry | None:
        if status in _BUSY:
            self._mark_answered()
            return _Retry("busy", f"the server is busy ({status})", _parse_retry_after(retry_after))
        if status in _UNAVAILABLE:
            self._has_answered = True
            return _Retry("unavailable", f"the server is not ready ({status})", _parse_retry_after(retry_after))
        if status >= 500 and status != _NOT_IMPLEMENTED:
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
                f"{self.url}: its certificate is not trusted: name the authority's PEM file as ca in a chat file"
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
        return self._patience if self._has_answered else min(self._patience, _FIRST_CONTACT)

    def _give_up(self, retry: _Retry) -> Response:
        if self._has_answered:
            return Response(0, failure=f"{retry.reason}, for {self._patience:g} s")
        raise ChatError(f"no server answers at {self.url}: start it, or check the address")

    def _open_client(self) -> httpx2.Client:
        import httpx2

        with self._lock:
            if self._client is None:
                headers = {"Accept-Encoding": "identity", "User-Agent": "sfumato"}
                if self._key:
                    headers["Authorization"] = f"Bearer {self._key}"
                self._client = httpx2.Client(
                    headers=headers,
                    # Without TLS there is nothing to verify, and the list of authorities takes time to load.
                    verify=(self.url.startswith("https:") or self._proxy is not None) and _load_authorities(self._ca),
                    trust_env=False,
                    proxy=self._proxy,
                    follow_redirects=False,
                    timeout=httpx2.Timeout(self._timeout, connect=min(_CONNECT_TIMEOUT, self._timeout)),
                    limits=httpx2.Limits(max_connections=self._connections),
                )
                weakref.finalize(self, self._client.close)
            return self._client

    def __repr__(self) -> str:
        return f"HttpTransport({self.url!r})"

    def __getstate__(self) -> dict[str, Any]:
        """For other processes: connections and locks stay here."""
        return {**self.__dict__, "_client": None, "_lock": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._lock = threading.Lock()


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
