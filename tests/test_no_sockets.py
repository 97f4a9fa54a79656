"""No call leaves the machine unless a base URL was given: proved by processes in which any socket is an error.

The guard is an audit hook, which Python code can neither remove nor go round; it is set in every process that a run
starts, on every system. Libraries in C open sockets without Python: ``test_offline.py`` sees those, on Linux.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from sfumato.llm.chat import Message, Request
from sfumato.llm.http import HttpChat
from sfumato.llm.replay import RecordingChat, ScriptedChat
from tests.llm.server import serving

ROOT = Path(__file__).parents[1]

GUARD = """
import atexit, os, sys

def forbid(event, arguments):
    if event.startswith("socket."):
        os.write(2, f"SOCKET {event}\\n".encode())
        raise RuntimeError(f"{event}: nothing may open a socket here")

def look():
    try:
        open_files = [os.readlink(f"/proc/self/fd/{number}") for number in os.listdir("/proc/self/fd")]
    except OSError:
        return
    given = os.environ.get("GIVEN_SOCKETS", "").split()
    if any(one.startswith("socket:") and one not in given for one in open_files):
        os.write(2, b"SOCKET left open\\n")

sys.addaudithook(forbid)
atexit.register(look)
"""


def sockets_given() -> str:
    """Those that a child inherits: a terminal may be one."""
    try:
        items = [os.readlink(f"/proc/self/fd/{number}") for number in (0, 1, 2)]
    except OSError:
        return ""
    return " ".join(item for item in items if item.startswith("socket:"))


def guarded(tmp_path: Path, program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """A program in a fresh process, with the guard in it and in all that it starts."""
    (tmp_path / "guard").mkdir(exist_ok=True)
    (tmp_path / "guard" / "sitecustomize.py").write_text(GUARD)
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(tmp_path / "guard"), str(ROOT)]),
        "GIVEN_SOCKETS": sockets_given(),
        "SFUMATO_DEBUG": "1",
    }
    command = [sys.executable, "-c", textwrap.dedent(program), *arguments]
    return subprocess.run(
        command, cwd=tmp_path, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300
    )


@pytest.mark.parametrize(
    "program",
    [
        "import socket; socket.socket()",
        "import socket; socket.getaddrinfo('localhost', 80)",
        "import socket; socket.create_connection(('127.0.0.1', 9))",
        "import urllib.request; urllib.request.urlopen('http://127.0.0.1:9/')",
        "import httpx2; httpx2.get('http://127.0.0.1:9/')",
        "import subprocess, sys; subprocess.run([sys.executable, '-c', 'import socket; socket.socket()'])",
        """
        from sfumato.llm import open_chat, Request, Message
        open_chat('http://127.0.0.1:9/v1#m').ask([Request((Message('user', 'a'),))])
        """,
    ],
)
def test_the_guard_catches_a_socket(tmp_path: Path, program: str) -> None:
    assert "SOCKET" in guarded(tmp_path, program).stderr


COMMANDS = """
import sys
from pathlib import Path
from sfumato.cli.app import app

examples, background, out = Path(sys.argv[1]), sys.argv[2], Path("out")

def run(*words):
    try:
        app([str(word) for word in words])
    except SystemExit as stop:
        assert stop.code in (0, 1), (words, stop.code)

people = examples / "biographies.json"
run("methods", "--json")
run("models", "--json")
run("detect", people, "--out", out / "spans.jsonl")
run("anonymize", people, examples / "ruling.txt", "--out", out / "released", "--audit", out / "audit.jsonl",
    "--vault", out / "vault.db", "--key-file", out / "key")
run("restore", out / "released", "--out", out / "restored", "--vault", out / "vault.db", "--key-file", out / "key")
released = out / "released" / "biographies.json"
run("attack", people, released, "--background", background)
run("measure", people, released, "--background", background, "--metric", "risk", "--metric", "rouge-l", "--json")
run("compare", people, "--method", "none", "--method", "labels", "--background", background,
    "--metric", "risk", "--metric", "rouge-l", "--report", out / "report.html")
print("DONE")
"""


def test_a_normal_run_opens_no_socket(tmp_path: Path) -> None:
    done = guarded(tmp_path, COMMANDS, str(ROOT / "examples/texts"), str(ROOT / "examples/background/people.csv"))
    assert done.stdout.endswith("DONE\n"), done.stderr[-2000:]
    assert "SOCKET" not in done.stderr


ASKING = """
import sys
import sfumato
from sfumato import registry
from sfumato.errors import SfumatoError
from sfumato.llm import ScriptedChat, open_chat, Request, Message

assert open_chat(sys.argv[1]).ask([Request((Message("user", "who?"),))])[0].text == "nobody"
chat = ScriptedChat(lambda request: "{}", context=4096)
text = "Mara Quill, born on 4 May 1971 in Graz, teaches at the harbour school."
tried = 0
for kind in ("detector", "rewriter", "replacer"):
    for name in registry.names(kind):
        if getattr(registry.get(kind, name), "needs_chat", False):
            tried += 1
            try:
                sfumato.anonymize(text, recipe=name, chat=chat)
            except SfumatoError:
                pass  # withheld: the script says nothing sensible
assert tried > 10
assert len(chat.asked) > 10
print("DONE")
"""


def test_methods_that_ask_open_no_socket_of_their_own(tmp_path: Path) -> None:
    recording = tmp_path / "talk.jsonl"
    RecordingChat(ScriptedChat({"who": "nobody"}), recording).ask([Request((Message("user", "who?"),))])
    done = guarded(tmp_path, ASKING, f"replay:{recording}")
    assert done.stdout.startswith("DONE"), done.stderr[-2000:]
    assert "SOCKET" not in done.stderr


CONNECTS = """
import json, sys
seen = []
sys.addaudithook(lambda event, arguments: seen.append(list(arguments[1])) if event == "socket.connect" else None)
from sfumato.llm import open_chat, Request, Message
chat = open_chat(sys.argv[1])
assert chat.ask([Request((Message("user", "who?"),))] * 3)[0].text == "echo who?"
assert chat.context == 4096
print(json.dumps(seen))
"""


def test_a_server_that_was_named_is_the_only_one_spoken_to(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving() as other, serving() as server:
        environment = {**os.environ, "http_proxy": f"http://127.0.0.1:{other.server_port}"}
        done = subprocess.run(
            [sys.executable, "-c", CONNECTS, server.url], env=environment, capture_output=True, text=True, timeout=60
        )
        assert {tuple(place) for place in json.loads(done.stdout)} == {("127.0.0.1", server.server_port)}
        assert other.seen == []
        assert HttpChat(server.url).address.hostname == "127.0.0.1"
