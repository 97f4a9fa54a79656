"""A real Ray on this machine: the same bytes, and workers and runs that are killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from time import monotonic

import pytest

from sfumato.attacks.base import Person
from sfumato.attacks.linking.sparse import TfIdfAttack
from sfumato.document import Outcome
from sfumato.errors import MissingExtra, RecipeError, SfumatoError
from sfumato.scale.engines import open_engine
from tests.runs.test_engines import RECIPES, letters, release

ROOT = Path(__file__).parents[2]

extras = pytest.mark.extras
pytestmark = pytest.mark.filterwarnings("ignore:::ray", "ignore::ResourceWarning", "ignore::FutureWarning")


@pytest.fixture(autouse=True)
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sfumato.detectors.detection.BATCH_DOCUMENTS", 8)


@pytest.fixture(scope="module")
def engine() -> Iterator[object]:
    if find_spec("ray") is None:  # not imported: what Ray reads from the environment is set before that
        pytest.skip("needs ray")
    with open_engine("ray", 2) as engine:
        yield engine


def test_other_names_are_refused() -> None:
    with pytest.raises(RecipeError, match="--engine spark: write ray"), open_engine("spark"):
        pass
    with open_engine(None) as engine:
        assert engine is None


def test_without_ray_the_message_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingExtra, match=r"pip install 'sfumato\[ray\]'"), open_engine("ray"):
        pass


def test_a_ray_that_was_imported_without_a_token_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", sys)
    monkeypatch.delenv("RAY_AUTH_MODE", raising=False)
    with pytest.raises(SfumatoError, match="process of its own"), open_engine("ray"):
        pass


@extras
def test_ray_changes_no_byte_of_a_consistent_corpus_with_a_vault(engine: object, tmp_path: Path) -> None:
    source, recipe = letters(tmp_path / "in"), RECIPES["corpus surrogates"]
    alone = release(source, tmp_path / "alone", recipe, vault=True)
    assert release(source, tmp_path / "ray", recipe, vault=True, engine=engine) == alone


def worker_processes() -> list[int]:
    """The processes of our Ray actors on this machine."""
    pids = []
    for folder in Path("/proc").iterdir():
        try:
            if folder.name.isdigit() and (folder / "cmdline").read_bytes().startswith(b"ray::_Actor"):
                pids.append(int(folder.name))
        except OSError:  # it has ended meanwhile
            continue
    return pids


@extras
def test_a_worker_that_is_killed_costs_nothing(engine: object, tmp_path: Path) -> None:
    source = letters(tmp_path / "in", 80)
    alone = release(source, tmp_path / "alone", RECIPES["surrogates"])
    killed: list[int] = []

    def kill_once(outcome: Outcome) -> None:
        if not killed:
            killed.append(worker_processes()[0])
            os.kill(killed[0], signal.SIGKILL)

    assert release(source, tmp_path / "ray", RECIPES["surrogates"], engine=engine, on_outcome=kill_once) == alone
    assert killed


@extras
def test_ray_on_this_machine_listens_to_this_machine_alone(engine: object) -> None:
    import ray

    assert [node["NodeManagerAddress"] for node in ray.nodes()] == ["127.0.0.1"]
    assert os.environ["RAY_AUTH_MODE"] == "token"
    processes = {os.getpid(), *worker_processes()}
    sockets = {_socket_of(path) for process in processes for path in Path(f"/proc/{process}/fd").iterdir()}
    rows = [line.split() for name in ("tcp", "tcp6") for line in Path("/proc/net", name).read_text().splitlines()[1:]]
    listening = [row[1].rpartition(":")[0] for row in rows if row[3] == "0A" and row[9] in sockets]
    assert listening
    assert set(listening) <= {"0100007F", "0000000000000000FFFF00000100007F"}  # 127.0.0.1


def _socket_of(path: Path) -> str:
    try:
        return os.readlink(path).removeprefix("socket:[").removesuffix("]")
    except OSError:  # closed meanwhile
        return ""


class _Worker:
    """Made in a worker process: squares numbers, and fails in several ways."""

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def __call__(self) -> Callable[[int], tuple[int, int]]:
        return self.square

    def square(self, number: int) -> tuple[int, int]:
        if number == 13 or (number == 7 and not Path(self.folder, "7").exists()):
            Path(self.folder, str(number)).touch()
            os.kill(os.getpid(), signal.SIGKILL)
        if number == -1:
            raise SfumatoError("the number -1 is not squared; give another")
        if number == -2:
            raise KeyError("secret text")
        return number * number, os.getpid()


@extras
def test_results_come_in_order_and_workers_stay(engine: object, tmp_path: Path) -> None:
    read: list[int] = []

    def numbers() -> Iterator[int]:
        for number in range(100, 160):
            read.append(number)
            yield number

    results = engine.map(_Worker(str(tmp_path)), numbers())  # type: ignore[attr-defined]
    first = next(results)
    assert len(read) <= 2 * 4 + 1  # few are read ahead
    rest = list(results)
    assert [square for square, _ in [first, *rest]] == [number * number for number in range(100, 160)]
    assert 1 <= len({process for _, process in [first, *rest]}) <= 2


@extras
def test_workers_that_fail(engine: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that dies is started again, but not for ever; errors say what they say here, and quote no text."""
    monkeypatch.setattr("sfumato.scale.engines._RESTARTS", 1)
    results = engine.map(_Worker(str(tmp_path)), [1, 7, 3, -1])  # type: ignore[attr-defined]
    assert [next(results)[0] for _ in range(3)] == [1, 49, 9]
    with pytest.raises(SfumatoError, match="the number -1 is not squared; give another"):
        next(results)
    with pytest.raises(RuntimeError, match=r"^a worker failed with KeyError$"):
        list(engine.map(_Worker(str(tmp_path)), [-2], most=1))  # type: ignore[attr-defined]
    with pytest.raises(SfumatoError, match=r"a worker died 2 times .* which resumes"):
        list(engine.map(_Worker(str(tmp_path)), [13], most=1))  # type: ignore[attr-defined]


@extras
def test_ray_changes_no_bit_of_an_attack(engine: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sfumato.attacks.linking.index.SHARD_CHARACTERS", 300)
    people = [Person(f"p{number}", (f"kept {number} bees near mill {number % 7}",)) for number in range(40)]
    released = {"a": "kept 3 bees", "b": "mill 5 and 12 bees"}
    by_engine = TfIdfAttack()
    by_engine.engine = engine  # type: ignore[assignment]
    assert by_engine.fit(people).run(released) == TfIdfAttack().fit(people).run(released)


KILLED = """
import os, signal, sys
from pathlib import Path
import sfumato.detectors.detection, sfumato.runs.journal
from sfumato.runs.anonymize import anonymize_files
from sfumato.scale.engines import open_engine
from tests.runs.test_engines import RECIPES
from tests.scale.test_engines import worker_processes
sfumato.detectors.detection.BATCH_DOCUMENTS = 8
sfumato.runs.journal._FLUSH_EVERY = 5
others, done = set(worker_processes()), []
def kill(outcome):
    done.append(outcome)
    if len(done) == 20:
        print(*set(worker_processes()) - others, file=sys.__stdout__, flush=True)
        os.kill(os.getpid(), signal.SIGKILL)
source, place = map(Path, sys.argv[1:])
with open_engine("ray", 1) as engine:
    out, audit = place / "out", place / "audit.jsonl"
    anonymize_files([source], out, RECIPES["surrogates"], audit=audit, engine=engine, on_outcome=kill)
"""


@extras
def test_a_run_that_is_killed_resumes_without_ray_and_leaves_no_worker(tmp_path: Path) -> None:
    if find_spec("ray") is None:
        pytest.skip("needs ray")
    source, place = letters(tmp_path / "in"), tmp_path / "killed"
    place.mkdir()
    command: list[str | Path] = [sys.executable, "-W", "ignore", "-c", KILLED, source, place]
    run = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    assert run.returncode == -signal.SIGKILL, run.stderr
    assert not (place / "out").exists()
    resumed = release(source, place, RECIPES["surrogates"])
    assert resumed == release(source, tmp_path / "alone", RECIPES["surrogates"])
    workers = set(map(int, run.stdout.split()))
    assert workers
    deadline = monotonic() + 60
    while workers & set(worker_processes()) and monotonic() < deadline:
        os.sched_yield()
    assert not workers & set(worker_processes())
