"""llama.cpp's own OpenAI-compatible server on loopback, through its ``xllamacpp`` wheel.

    python benchmarks/chat_server.py MODEL.gguf [--port 8080] [--slots 8] [--context 4096] [--threads 2]

Serves until it is stopped; then ``--chat http://127.0.0.1:PORT/v1`` reaches it. ``LocalServer`` starts one in a process
of its own, for other benchmarks.
"""

from __future__ import annotations

import argparse
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from types import TracebackType

HOST = "127.0.0.1"
READY_SECONDS = 180
"""How long a server may take to load its model."""


def serve(given: argparse.Namespace) -> None:
    """Load the model, listen, and wait."""
    import xllamacpp

    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(given.model)
    parameters.model_alias = {given.model.stem}
    parameters.hostnames = [HOST]
    parameters.port = given.port
    parameters.n_parallel = given.slots
    parameters.n_ctx = given.context * given.slots
    # Each slot attends to its own tokens alone; in one common cache every token pays for those of all slots.
    parameters.kv_unified = False
    parameters.n_batch, parameters.n_ubatch = given.batch, given.ubatch
    parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = given.threads
    parameters.verbosity = 0
    server = xllamacpp.Server(parameters)
    print(f"{server.listening_address}/v1", flush=True)
    signal.sigwait({signal.SIGINT, signal.SIGTERM})


class LocalServer:
    """The server as a process of its own: started, killed and started again on the same port."""

    def __init__(self, model: Path, *options: str, port: int | None = None) -> None:
        self.port = port or free_port()
        self.url = f"http://{HOST}:{self.port}/v1"
        self._command = [sys.executable, __file__, str(model), "--port", str(self.port), *options]
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start, and wait until the model is loaded."""
        self._process = subprocess.Popen(self._command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        limit = time.monotonic() + READY_SECONDS
        while not self._is_ready():
            if self._process.poll() is not None:
                raise SystemExit(f"the server ended with status {self._process.returncode}: is xllamacpp installed?")
            if time.monotonic() > limit:
                raise SystemExit(f"the server was not ready after {READY_SECONDS} s")
            time.sleep(0.2)

    def kill(self) -> None:
        """End it at once, as a crash would: whatever it was answering is lost."""
        if self._process is not None:
            self._process.send_signal(signal.SIGKILL)
            self._process.wait()
            self._process = None

    def __enter__(self) -> LocalServer:
        self.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.kill()

    def _is_ready(self) -> bool:
        try:
            with urllib.request.urlopen(f"http://{HOST}:{self.port}/health", timeout=2) as answer:
                return bool(answer.status == 200)
        except (urllib.error.URLError, OSError):
            return False


def free_port() -> int:
    """A port of the loopback that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path)
    parser.add_argument("--port", type=int, default=8080)
    parser.add_argument("--slots", type=int, default=8, help="requests in flight")
    parser.add_argument("--context", type=int, default=4096, help="tokens of one request and its answer")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--batch", type=int, default=2048)
    parser.add_argument("--ubatch", type=int, default=512)
    serve(parser.parse_args())


if __name__ == "__main__":
    main()
