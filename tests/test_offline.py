"""Nothing is asked of a network and nothing is written but what the user named: proved by what the system was asked.

strace counts the calls of every process, thread and native library; ``tests/tracing.py`` says what counts. The short
form runs with the other tests; ``make test-offline`` runs every command, every recipe and a process that stays alive.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import pytest

from sfumato import recipe
from sfumato.cli.app import commands
from tests.tracing import Trace, trace, why_not, without_network

ROOT = Path(__file__).parents[1]
EXAMPLES = ROOT / "examples/texts"
PEOPLE = ROOT / "examples/background/people.csv"
TELEMETRY = "ORT_DISABLE_TELEMETRY"
SECONDS = 120
"""How long the process stays alive."""

pytestmark = pytest.mark.skipif(why_not() is not None, reason=str(why_not()))


def traced(
    folder: Path, *arguments: str | Path, environment: dict[str, str] | None = None, loopback: bool = False
) -> Trace:
    """Python with these arguments; ``folder / "out"`` is what the user named. No switch is set beforehand."""
    (folder / "out").mkdir(exist_ok=True)
    paths = os.pathsep.join(filter(None, (str(ROOT / "src"), str(ROOT), os.environ.get("PYTHONPATH"))))
    return trace(
        [sys.executable, *arguments],
        folder,
        named=[folder / "out"],
        environment={TELEMETRY: "", "PYTHONPATH": paths, **(environment or {})},
        loopback=loopback,
    )


@pytest.fixture
def run(tmp_path: Path) -> Callable[..., Trace]:
    def program(text: str, **environment: str) -> Trace:
        return traced(tmp_path, "-c", text, tmp_path / "out", environment=environment)

    return program


# The proof sees what it has to see.


@pytest.mark.parametrize(
    "program",
    [
        "import socket; socket.socket()",
        "import socket; socket.socket(type=socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', 9))",
        "import ctypes; ctypes.CDLL(None).socket(2, 2, 0)",
        "import ctypes, threading; t = threading.Thread(target=lambda: ctypes.CDLL(None).socket(10, 1, 0)); t.start()",
        "import os; os.fork() or __import__('socket').socket()",
        "import subprocess, sys; subprocess.run([sys.executable, '-c', 'import socket; socket.socket()'])",
        "import socket; socket.socket(socket.AF_UNIX).connect_ex('/run/some/service')",
        "import socket; socket.getaddrinfo('sfumato.example', 80)",
    ],
)
def test_every_way_out_is_counted(run: Callable[..., Trace], program: str) -> None:
    if "getaddrinfo" in program and not without_network():
        pytest.skip("this system has no empty network namespace, and no test looks up a name in a real one")
    assert run(program).connections


@pytest.mark.parametrize(
    "program",
    [
        "open(os.environ['HOME'] + '/file', 'w')",
        "open(os.environ['TMPDIR'] + '/left', 'w')",
        "open('file', 'w')",
        "os.mkdir(os.environ['HOME'] + '/folder'); os.rmdir(os.environ['HOME'] + '/folder')",
        "open(sys.argv[1] + '/file', 'w'); os.rename(sys.argv[1] + '/file', os.environ['HOME'] + '/moved')",
        "os.symlink('elsewhere', 'link')",
        "os.chdir(sys.argv[1]); os.open('../work/file', os.O_CREAT)",
        "d = os.open('.', os.O_RDONLY); os.mkdir('folder', dir_fd=d)",
        "import ctypes; ctypes.CDLL(None).creat(b'file', 0o600)",
    ],
)
def test_every_foreign_file_is_listed(run: Callable[..., Trace], program: str) -> None:
    trace = run(f"import os, sys; {program}")
    assert (trace.returncode, trace.connections) == (0, ()), trace.output
    assert len(trace.foreign_files) == 1


def test_what_was_named_is_no_foreign_file(run: Callable[..., Trace]) -> None:
    trace = run(
        "import os, sys, tempfile; open(sys.argv[1] + '/file', 'w'); tempfile.TemporaryFile().close(); os.listdir('.')"
    )
    assert trace.returncode == 0, trace.output
    trace.assert_private()


def test_the_proof_fails_without_the_switch(run: Callable[..., Trace]) -> None:
    program = "import sfumato, onnxruntime"
    run(program).assert_private()
    left_on = run(program, **{TELEMETRY: "0"})
    assert left_on.returncode == 0, left_on.output
    assert any(path.endswith("onnxruntime.db") for path in left_on.foreign_files)


# Every process of ours.


def test_a_library_that_was_imported_before_is_switched_off_late_and_said_so(run: Callable[..., Trace]) -> None:
    trace = run("import onnxruntime, sfumato")
    assert "RuntimeWarning: onnxruntime was imported before sfumato" in trace.output
    assert trace.foreign_files  # what it made while it was imported
    set_before = run("import onnxruntime, sfumato", **{TELEMETRY: "1"})
    assert set_before.output == ""
    set_before.assert_private()


@pytest.mark.parametrize("program", ["import training, onnxruntime", "import sfumato, onnxruntime"])
def test_the_switch_is_set_before_a_program_imports_more(run: Callable[..., Trace], program: str) -> None:
    run(program).assert_private()


COMMAND = "from sfumato.cli import main; main()"


def command(folder: Path, *words: str | Path, codes: tuple[int, ...] = (0,)) -> None:
    trace = traced(folder, "-c", COMMAND, *words)
    assert trace.returncode in codes, (words, trace.output)
    trace.assert_private()


def test_a_command_with_a_model(tmp_path: Path) -> None:
    command(tmp_path, "anonymize", EXAMPLES / "profile.txt", "--out", tmp_path / "out" / "released.txt")


@pytest.mark.deep
def test_every_command(tmp_path: Path) -> None:
    out, people = tmp_path / "out", EXAMPLES / "biographies.json"
    cases = ROOT / "examples/protect/cases.jsonl"
    out.mkdir()
    (out / "cases.jsonl").write_text("".join(cases.read_text().splitlines(keepends=True)[:4]))
    (out / "note.txt").write_text("[** First Name 1 **] was seen on [**2101-3-4**].\n")
    register = ROOT / "examples/protect/people.csv"
    vault = ("--vault", out / "vault.db", "--key-file", out / "key")
    released = out / "released" / "biographies.json"
    risk = ("--background", PEOPLE, "--metric", "risk")
    report = ("--report", out / "report.html", "--cache", out / "cache")
    runs: list[tuple[str | Path, ...]] = [
        ("methods", "--json"),
        ("models", "--json"),
        ("detect", people, "--out", out / "spans.jsonl"),
        ("anonymize", EXAMPLES, "--out", out / "released", "--audit", out / "audit.jsonl", *vault),
        ("anonymize", people, "--out", out / "two", "--jobs", "2", "--recipe", "labels"),
        ("restore", out / "released", "--out", out / "restored", *vault),
        ("attack", people, released, "--background", PEOPLE),
        ("measure", people, released, *risk, "--metric", "rouge-l", "--json"),
        ("compare", people, "--method", "none", "--method", "labels", *risk, "--metric", "tps", *report),
        ("protect", out / "cases.jsonl", "--out", out / "p.jsonl", "--k", "3", "--background", register),
        ("certificate", out / "p.jsonl.certificate.json", out / "p.jsonl"),
        ("frontier", out / "cases.jsonl", "--background", register, "--k", "3", "--report", out / "frontier.html"),
        ("rate", people, released, "--out", out / "sheet.csv", "--key", out / "sheet.key.csv"),
        ("fill", out / "note.txt", "--out", out / "filled.jsonl", "--gold", out / "gold.jsonl"),
        ("synthesize", out / "cases.jsonl", "--out", out / "new.jsonl", "--base", out / "no-model", "--epsilon", "8"),
    ]
    for words in runs:
        # A document may be withheld; there is no model to synthesize with.
        command(tmp_path, *words, codes=(2,) if words[0] == "synthesize" else (0, 1))
    assert {words[0] for words in runs} == set(commands())


@pytest.mark.deep
@pytest.mark.parametrize("name", sorted(set(recipe.names()) - {"intact"}))  # it needs a language model: see below
def test_every_recipe(tmp_path: Path, name: str) -> None:
    inputs = (EXAMPLES / "ruling.txt", EXAMPLES / "chats.jsonl", EXAMPLES / "intranet.html")
    command(tmp_path, "anonymize", *inputs, "--recipe", name, "--out", tmp_path / "out" / "released", codes=(0, 1))


ALL_RECIPES = """
import sfumato
from sfumato import recipe
from sfumato.errors import SfumatoError
from tests.chats import minimal_chat

released = []
for name in (*recipe.names(), *recipe.published_names()):
    try:
        sfumato.anonymize("Mrs Anna Quorvex was seen on 3 August 2021.", recipe=name, chat=minimal_chat())
        released.append(name)
    except SfumatoError as error:  # an extra is missing, or the answer says nothing sensible
        print(name, error)
assert "intact" in released
assert len(released) > 20, released
"""


@pytest.mark.deep
def test_every_recipe_by_a_script_in_the_place_of_a_language_model(run: Callable[..., Trace]) -> None:
    trace = run(ALL_RECIPES)
    assert trace.returncode == 0, trace.output
    trace.assert_private()


SERVICE = """
import sys, time
import sfumato
end = time.monotonic() + float(sys.argv[2])
with sfumato.Vault.open(sys.argv[1] + "/vault.db", sys.argv[1] + "/key") as vault:
    while time.monotonic() < end:
        sfumato.anonymize("Mrs Anna Quorvex was seen on 3 August 2021.", vault=vault)
        time.sleep(0.5)
"""


@pytest.mark.deep
def test_a_process_that_stays_alive(tmp_path: Path) -> None:
    trace = traced(tmp_path, "-c", SERVICE, tmp_path / "out", str(SECONDS))
    assert trace.returncode == 0, trace.output
    trace.assert_private()


@pytest.mark.deep
def test_a_process_that_stays_alive_is_caught_without_the_switch(tmp_path: Path) -> None:
    if not without_network():
        pytest.skip("this system has no empty network namespace, and this process would reach a real one")
    trace = traced(tmp_path, "-c", SERVICE, tmp_path / "out", "30", environment={TELEMETRY: "0"})
    assert trace.returncode == 0, trace.output
    assert trace.connections


@pytest.mark.extras
def test_ray_stays_on_this_machine(tmp_path: Path) -> None:
    """Its processes speak to each other; their sockets and logs are gone with them."""
    if find_spec("ray") is None:  # not imported: what Ray reads from the environment is set before that
        pytest.skip("needs ray")
    words = (
        "anonymize",
        EXAMPLES / "profile.txt",
        "--engine",
        "ray",
        "--jobs",
        "1",
        "--out",
        tmp_path / "out" / "o.txt",
    )
    trace = traced(tmp_path, "-c", COMMAND, *words, loopback=True)
    assert trace.returncode == 0, trace.output
    assert [call for call in trace.connections if "AF_UNIX" not in call] == []
    assert [path for path in trace.foreign_files if Path(path).exists()] == []
