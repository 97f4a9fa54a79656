"""Commands in processes of their own, without the second that each would take to import what all of them import.

A process that has imported the program and read its tables waits for commands; each runs in a fork of it, with its own
arguments, environment and folder. Models are loaded in the fork: their threads would not be there otherwise.
"""

from __future__ import annotations

import atexit
import gc
import json
import os
import subprocess
import sys
import traceback
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NoReturn

ROOT = Path(__file__).parents[2]
_TEXT = "Anna Quorvex, 34, a baker, was born in Gdańsk on 3 May 1961 and paid 1,200 euros at Brell Ltd."


def run(*arguments: object) -> subprocess.CompletedProcess[str]:
    """``sfumato ARGUMENTS``, in the present folder and environment, in a terminal of 200 columns without colours."""
    with TemporaryDirectory() as folder:
        out, err = Path(folder) / "out", Path(folder) / "err"
        command = [*map(str, arguments)]
        environment = {**os.environ, "COLUMNS": "200", "NO_COLOR": "1"}
        asked = {"command": command, "env": environment, "cwd": os.getcwd(), "out": str(out), "err": str(err)}
        server = _server(os.getpid())
        assert server.stdin
        assert server.stdout
        server.stdin.write(json.dumps(asked) + "\n")
        server.stdin.flush()
        code = int(server.stdout.readline())
        return subprocess.CompletedProcess(command, code, out.read_text("utf-8"), err.read_text("utf-8"))


@cache
def _server(process: int) -> subprocess.Popen[str]:
    """The waiting process of a test process."""
    server = subprocess.Popen(
        [sys.executable, "-m", "tests.cli.processes"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env={**os.environ, "COLUMNS": "200", "NO_COLOR": "1"},
    )
    atexit.register(server.communicate)
    return server


def _import_and_read() -> None:
    import sklearn.feature_extraction.text  # noqa: F401

    import sfumato
    import sfumato.cli.app
    from sfumato import registry
    from sfumato.recipe import load

    registry.all_plugins()
    without_a_model = load("default").model_copy(update={"detect": load("fast").detect})
    sfumato.anonymize(_TEXT, recipe=without_a_model)


def _serve() -> None:
    _import_and_read()
    gc.freeze()
    for line in sys.stdin:
        asked = json.loads(line)
        child = os.fork()
        if not child:
            _become(asked)
            _run()
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


def _run() -> NoReturn:
    """Run the command and end, without freeing the memory of the process that was forked, object by object."""
    from sfumato.cli import main

    code: object = 1
    try:
        main()
    except SystemExit as end:
        code = end.code
    except BaseException:  # noqa: BLE001 - as an interpreter prints what it ends with
        traceback.print_exc()
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code if isinstance(code, int) else 0 if code is None else 1)


def _become(asked: dict[str, Any]) -> None:
    os.environ.clear()
    os.environ.update(asked["env"])
    os.chdir(asked["cwd"])
    nowhere = os.open(os.devnull, os.O_RDONLY)
    out, err = (os.open(asked[name], os.O_WRONLY | os.O_CREAT) for name in ("out", "err"))
    for old, new in ((nowhere, 0), (out, 1), (err, 2)):
        os.dup2(old, new)
    sys.argv = ["sfumato", *asked["command"]]


if __name__ == "__main__":
    _serve()
