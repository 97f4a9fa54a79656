"""One HTTP server, asked with patience: what passes is tried again, what does not is said.

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
from typing import TYPE_CHECKING, Any

from sfumato.errors import ChatError
from sfumato.llm.protocol import decoded

if TYPE_CHECKING:
    import httpx2


# -- When to try again.


_FIRST, _LONGEST = 0.5, 20.0
_CHANCE = random.Random()
"""Our own: drawing from the common one would change what a seeded program draws."""


@dataclass(frozen=True, slots=True)
class Clock:
    """Time and chance, which tests replace."""

    now: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    chance: Callable[[], float] = _CHANCE.random


def backoff(waits: int, clock: Clock) -> float:
    """Twice as long each time, less up to half of it by chance, so that many do not come back at once."""
    longest = min(_LONGEST, _FIRST * 2.0 ** min(waits, 10))
    return longest * (0.5 + clock.chance() / 2)


def seconds_from(header: str | None) -> float | None:
    """Retry-After: seconds, or a date."""
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


# -- One HTTP server, asked with patience: what passes is tried again, what does not is said.


MOST_BYTES = 10_000_000
"""Bytes of an answer; what is longer is not read on."""
_TRIES = 5
"""How often a request is sent that the server received and did not answer well."""
_SLOW_TRIES = 2
_FIRST_CONTACT = 10.0
"""Seconds for which a server is waited for that has never answered: it is likelier a wrong address."""
_CONNECT = 10.0
WEB_PAGE = "a web page in the place of an answer"
_NOT_TLS = {"WRONG_VERSION_NUMBER", "RECORD_LAYER_FAILURE", "HTTP_REQUEST"}
"""What OpenSSL calls it when the other side does not speak TLS."""
_NEVER = 501
"""A server's word for what it cannot do, now or later."""
_AWAY = {502, 503, 504}
_BUSY = {408, 409, 425, 429, 529}


@dataclass(frozen=True, slots=True)
class Answered:
    """What a server said: a status and JSON, or why there is nothing."""

    status: int
    content: Any = None
    failure: str | None = None


@dataclass(frozen=True, slots=True)
class _Trouble:
    """Why a request has to be sent again. ``kind``: away, busy, broken or slow."""

    kind: str
    what: str
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
        ca: str | None = None,
        clock: Clock | None = None,
    ) -> None:
        """``timeout``: seconds for one answer; ``patience``: seconds for which a server may be away or busy."""
        self.url, self._key = url, key
        self._timeout, self._patience, self._connections = timeout, patience, connections
        self._proxy, self._ca = proxy, ca
        self._clock = clock or Clock()
        self._lock = threading.Lock()
        self._client: httpx2.Client | None = None
        self._away_since: float | None = None
        self._met = False
        self.retried = 0

    def send(self, method: str, path: str, body: Any = None, over: threading.Event | None = None) -> Answered:
        """One request, sent again until it is answered, the patience is at an end, or all is ``over``."""
        counts = {"broken": 0, "slow": 0}
        busy_since: float | None = None
        waits = 0
        while True:
            found = self._once(method, self.url + path, body)
            if isinstance(found, Answered):
                return found
            if over is not None and over.is_set():
                return Answered(0, failure=found.what)
            now = self._clock.now()
            if found.kind in counts:
                counts[found.kind] += 1
            if counts["broken"] >= _TRIES or counts["slow"] >= _SLOW_TRIES:
                return Answered(0, failure=found.what)
            wait = backoff(waits, self._clock) if found.wait is None else found.wait
            if found.kind == "busy":
                busy_since = now if busy_since is None else busy_since
                if now + wait - busy_since > self._patience:
                    return Answered(0, failure=found.what)
            elif found.kind == "away" and now + wait - self._left(now) > self._allowed():
                return self._given_up(found)
            waits += 1
            with self._lock:
                self.retried += 1
            self._clock.sleep(wait)

    def get_once(self, url: str) -> Any:
        """What stands at an address of the same host, tried once; None where nothing does."""
        try:
            found = self._once("GET", url, None)
        except ChatError:
            return None
        return found.content if isinstance(found, Answered) and found.status == 200 else None

    def close(self) -> None:
        with self._lock:
            client, self._client = self._client, None
        if client is not None:
            client.close()

    def _once(self, method: str, url: str, body: Any) -> Answered | _Trouble:
        import httpx2

        began = self._clock.now()
        try:
            with self._opened().stream(method, url, json=body) as response:
                status = response.status_code
                if trouble := self._refused(status, response.headers.get("retry-after")):
                    return trouble
                self._seen()
                if 300 <= status < 400:
                    raise ChatError(
                        f"{self.url} redirects to another address ({status}): text goes only where you say. "
                        "Give the address that answers"
                    )
                return self._read(response, began)
        except (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.ProxyError) as error:
            self._raise_without_tls(error)
            return _Trouble("away", "the server cannot be reached")
        except httpx2.TimeoutException:
            return _Trouble("slow", f"no answer within {self._timeout:g} s")
        except (httpx2.TransportError, httpx2.StreamError):
            return _Trouble("broken", "the server broke off its answer")

    def _read(self, response: httpx2.Response, began: float) -> Answered | _Trouble:
        # Undecoded, so that a small answer cannot unpack to a large one; none was asked for in packed form.
        if response.headers.get("content-encoding", "identity") != "identity":
            return Answered(response.status_code, failure="the server packed its answer, which was not asked for")
        content = bytearray()
        for part in response.iter_raw(1 << 16):
            content += part
            if len(content) > MOST_BYTES:
                return Answered(response.status_code, failure=f"an answer of more than {MOST_BYTES // 10**6} MB")
            if self._clock.now() - began > self._timeout:
                return _Trouble("slow", f"no answer within {self._timeout:g} s")
        found = decoded(bytes(content))
        if found is None and response.status_code == 200:
            if content.lstrip()[:1] == b"<":
                return Answered(200, failure=WEB_PAGE)
            return _Trouble("broken", "the server's answer is not JSON")
        return Answered(response.status_code, found)

    def _refused(self, status: int, retry_after: str | None) -> _Trouble | None:
        if status in _BUSY:
            self._seen()
            return _Trouble("busy", f"the server is busy ({status})", seconds_from(retry_after))
        if status in _AWAY:
            self._met = True
            return _Trouble("away", f"the server is not ready ({status})", seconds_from(retry_after))
        if status >= 500 and status != _NEVER:
            self._seen()
            return _Trouble("broken", f"the server failed ({status})", seconds_from(retry_after))
        return None

    def _raise_without_tls(self, error: BaseException) -> None:
        """Waiting does not help where a server has no TLS, or a certificate that nobody here vouches for."""
        found: BaseException | None = error
        while found is not None and not isinstance(found, ssl.SSLError):
            found = found.__cause__ or found.__context__
        if isinstance(found, ssl.SSLCertVerificationError):
            raise ChatError(
                f"{self.url}: nobody vouches for its certificate: name the authority's PEM file as ca in a chat file"
            ) from None
        if found is not None and found.reason in _NOT_TLS:
            raise ChatError(f"{self.url} does not speak https: write http:// if it is on your own machine") from None

    def _seen(self) -> None:
        with self._lock:
            self._met, self._away_since = True, None

    def _left(self, now: float) -> float:
        """Since when the server has been away; all requests share it, so that they do not wait one after another."""
        with self._lock:
            if self._away_since is None:
                self._away_since = now
            return self._away_since

    def _allowed(self) -> float:
        return self._patience if self._met else min(self._patience, _FIRST_CONTACT)

    def _given_up(self, found: _Trouble) -> Answered:
        if self._met:
            return Answered(0, failure=f"{found.what}, for {self._patience:g} s")
        raise ChatError(f"no server answers at {self.url}: start it, or check the address")

    def _opened(self) -> httpx2.Client:
        import httpx2

        with self._lock:
            if self._client is None:
                headers = {"Accept-Encoding": "identity", "User-Agent": "sfumato"}
                if self._key:
                    headers["Authorization"] = f"Bearer {self._key}"
                self._client = httpx2.Client(
                    headers=headers,
                    # Without TLS there is nothing to verify, and the list of authorities takes its time to load.
                    verify=(self.url.startswith("https:") or self._proxy is not None) and _trust(self._ca),
                    trust_env=False,
                    proxy=self._proxy,
                    follow_redirects=False,
                    timeout=httpx2.Timeout(self._timeout, connect=min(_CONNECT, self._timeout)),
                    limits=httpx2.Limits(max_connections=self._connections),
                )
                weakref.finalize(self, self._client.close)
            return self._client

    def __repr__(self) -> str:
        return f"Courier({self.url!r})"

    def __getstate__(self) -> dict[str, Any]:
        """For other processes: connections and locks stay here."""
        return {**self.__dict__, "_client": None, "_lock": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._lock = threading.Lock()


def _trust(ca: str | None) -> Any:
    if ca is None:
        return True
    try:
        return ssl.create_default_context(cafile=ca)
    except (OSError, ssl.SSLError):
        raise ChatError(f"ca = {ca}: no certificate can be read there; name a PEM file") from None
