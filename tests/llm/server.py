"""A loopback server with OpenAI's chat API that misbehaves on demand."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Handler(BaseHTTPRequestHandler):
    """One request. ``behave`` of the server decides; by default it echoes the last message."""

    protocol_version = "HTTP/1.1"
    server: FakeServer

    def log_message(self, format: str, *args: Any) -> None:
        pass

    def do_GET(self) -> None:
        self.server.seen.append((self.path, dict(self.headers), None))
        page = self.server.pages.get(self.path)
        self.say(200, page) if page is not None else self.say(404, {"error": {"message": "no such page"}})

    def do_POST(self) -> None:
        sent = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with self.server.lock:
            number = len([request for request in self.server.seen if request[2] is not None])
            self.server.seen.append((self.path, dict(self.headers), sent))
            self.server.inside += 1
            self.server.most = max(self.server.most, self.server.inside)
        try:
            self.server.behave(self, sent, number)
        except (BrokenPipeError, ConnectionResetError):
            pass
        finally:
            with self.server.lock:
                self.server.inside -= 1

    def say(self, status: int, content: Any, headers: Mapping[str, str] | None = None) -> None:
        data = content if isinstance(content, bytes) else json.dumps(content).encode()
        self.send_response(status)
        for key, value in (headers or {}).items():
            self.send_header(key, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


Behaviour = Callable[[Handler, dict[str, Any], int], None]


class FakeServer(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def __init__(self, behave: Behaviour, pages: Mapping[str, Any], port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), Handler)
        self.behave, self.pages = behave, pages
        self.seen: list[tuple[str, dict[str, str], Any]] = []
        self.lock = threading.Lock()
        self.inside = self.most = 0
        self._connections: list[Any] = []

    def process_request(self, request: Any, client_address: Any) -> None:
        self._connections.append(request)
        super().process_request(request, client_address)

    def kill(self) -> None:
        """Hang up on everybody, as a process does that ends."""
        self.shutdown()
        self.server_close()
        for connection in self._connections:
            with suppress(OSError):
                connection.shutdown(2)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that has gone is what some tests are about."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"

    @property
    def posted(self) -> list[Any]:
        return [body for _, _, body in self.seen if body is not None]


def answer(text: Any, **more: Any) -> dict[str, Any]:
    """As servers put it."""
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}, **more}
    return {"choices": [choice], "usage": {"prompt_tokens": 7, "completion_tokens": 3}}


def echo(handler: Handler, sent: dict[str, Any], number: int) -> None:
    handler.say(200, answer("echo " + sent["messages"][-1]["content"]))


def models(*names: str, **about: Any) -> dict[str, Any]:
    return {"/v1/models": {"data": [{"id": name, **about} for name in names]}}


@contextmanager
def serving(behave: Behaviour = echo, pages: Mapping[str, Any] | None = None, port: int = 0) -> Iterator[FakeServer]:
    server = FakeServer(behave, models("tiny", max_model_len=4096) if pages is None else pages, port)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.kill()
        thread.join()
