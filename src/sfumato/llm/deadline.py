"""Network streams with a deadline for the whole of a response.

The timeouts of the HTTP library are for each read, so a server that sends a byte now and then would be waited for
without end.
"""

from __future__ import annotations

import ssl
import threading
from collections.abc import Callable, Iterable
from typing import Any

import httpcore2
import httpx2

_WRITE_BYTES = 1 << 16


class Deadline(threading.local):
    """Until when the response to the current request of this thread must be complete."""

    def __init__(self, now: Callable[[], float]) -> None:
        self.now = now
        self.at: float | None = None

    def limit(self, timeout: float | None, error: type[Exception]) -> float | None:
        """The seconds that the next operation may take. Raises the error where none are left."""
        if self.at is None:
            return timeout
        left = self.at - self.now()
        if left <= 0:
            raise error("the deadline of the response has passed")
        return left if timeout is None else min(left, timeout)


class _Stream(httpcore2.NetworkStream):
    def __init__(self, stream: httpcore2.NetworkStream, deadline: Deadline) -> None:
        self._stream, self._deadline = stream, deadline

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._stream.read(max_bytes, self._deadline.limit(timeout, httpcore2.ReadTimeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        for start in range(0, len(buffer), _WRITE_BYTES):
            limit = self._deadline.limit(timeout, httpcore2.WriteTimeout)
            self._stream.write(buffer[start : start + _WRITE_BYTES], limit)

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore2.NetworkStream:
        limit = self._deadline.limit(timeout, httpcore2.ConnectTimeout)
        return _Stream(self._stream.start_tls(ssl_context, server_hostname, limit), self._deadline)

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)


class _Backend(httpcore2.NetworkBackend):
    def __init__(self, backend: httpcore2.NetworkBackend, deadline: Deadline) -> None:
        self._backend, self._deadline = backend, deadline

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore2.NetworkStream:
        limit = self._deadline.limit(timeout, httpcore2.ConnectTimeout)
        stream = self._backend.connect_tcp(host, port, limit, local_address, socket_options)
        return _Stream(stream, self._deadline)

    def sleep(self, seconds: float) -> None:
        self._backend.sleep(seconds)


def set_deadline(transport: httpx2.HTTPTransport, deadline: Deadline) -> httpx2.HTTPTransport:
    """The transport, with connections that keep to the deadline."""
    pool: Any = transport._pool  # httpx passes a network backend on to httpcore in no other way
    pool._network_backend = _Backend(pool._network_backend, deadline)
    return transport
