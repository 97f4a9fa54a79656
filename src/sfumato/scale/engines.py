"""Engines by name, as ``--engine`` takes them: Ray, whose actors are the workers of a run, here or on a cluster.

Ray's own processes are on this machine unless an address is named. Batches of documents are read by the run, sent to
actors that have loaded the models once, and come back in order. An actor that dies is started again by Ray, and what it
was doing is done again.
"""

from __future__ import annotations

import os
import secrets
import sys
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sfumato.errors import MissingExtra, RecipeError, SfumatoError
from sfumato.files import TemporaryFolder
from sfumato.parallel import Engine, Item, Result
from sfumato.version import __version__

_AHEAD = 2
"""Items at an actor at once: one that it works on, and one that is there when it has finished."""
_WINDOW = 4
"""Items sent and not yet taken back, per actor: a long item at the front does not leave the other actors idle."""
_RESTARTS = 3
"""How often an actor is started again before the run stops; it can then be resumed."""
_SHORT_PATH = Path("/tmp")
"""Where Ray's sockets lie: the path of one has a hundred bytes at most, which ``TMPDIR`` may use up."""


@contextmanager
def open_engine(spec: str | None, jobs: int | None = None) -> Iterator[Engine | None]:
    """The engine of ``ray`` (on this machine) or ``ray:ADDRESS`` (a cluster); None where none is named."""
    if spec is None:
        yield None
        return
    name, _, address = spec.partition(":")
    if name != "ray":
        raise RecipeError(
            f"--engine {spec}: write ray for Ray on this machine, or ray:HOST:PORT or ray:auto for a cluster; without "
            "--engine the work is done by this machine's processes (--jobs)"
        )
    # Ray prints what happens to workers on standard output, where a command's own output goes.
    with redirect_stdout(sys.stderr), RayEngine(address or None, jobs) as engine:
        yield engine


@dataclass(frozen=True)
class _Failure:
    """An error of the package in an actor. Exceptions themselves do not always survive pickling."""

    message: str


class _Actor:
    """Holds the function of a worker. Ray makes one in a process of its own."""

    def __init__(self) -> None:
        self._map: int | None = None
        self._worker: Callable[[Any], Any] | None = None

    def version(self) -> str:
        return __version__

    def apply(self, number: int, make_worker: list[Any], item: Any) -> Any:
        """``number``: of the map; ``make_worker``: a reference in a list, so that it is read for a new map alone."""
        try:
            if self._map != number or self._worker is None:
                self._worker = None  # before the next one is loaded
                import ray

                self._worker = ray.get(make_worker[0])()
                self._map = number
            return self._worker(item)
        except SfumatoError as error:
            return _Failure(str(error))

    def forget(self) -> None:
        """Free what a map that has ended needed."""
        self._map = self._worker = None


class RayEngine:
    """Ray on this machine, or the cluster at an address. Use as a context manager."""

    name = "ray"

    def __init__(self, address: str | None = None, jobs: int | None = None) -> None:
        """``jobs``: how many actors, each with a processor core; else one for each core that Ray has."""
        self._ray = _import_ray(address is None)
        settings: dict[str, Any] = {"log_to_driver": False, "logging_level": "error"}
        self._folder = TemporaryFolder(_SHORT_PATH if _SHORT_PATH.is_dir() else None) if address is None else None
        if self._folder is not None:
            settings |= {
                # Its logs, which it would leave in /tmp/ray. It opens this folder to everybody, but not the one above.
                "_temp_dir": str(self._folder.path / "ray"),
                "num_cpus": jobs,
                "include_dashboard": False,
                # Objects are originals: a full object store must not write them to a disk that nobody chose.
                "_system_config": {"automatic_object_spilling_enabled": False},
            }
        try:
            with _without_api_server(self._ray):
                self._ray.init(address=address or "local", **settings)
        except (ConnectionError, RuntimeError, ValueError, OSError) as error:
            where = "on this machine" if address is None else f"at {address}"
            raise SfumatoError(
                f"--engine ray: Ray cannot be used {where} ({type(error).__name__}); check that it runs there "
                "(ray status) and that its version is the same"
            ) from None
        self._actors: list[Any] = []
        self._maps = 0
        self._jobs = jobs or max(1, int(self._ray.cluster_resources().get("CPU", 1)))

    def __enter__(self) -> RayEngine:
        return self

    def __exit__(self, *exception: object) -> None:
        self._ray.shutdown()
        if self._folder is not None:
            self._folder.close()

    def map(
        self, make_worker: Callable[[], Callable[[Item], Result]], items: Iterable[Item], *, most: int | None = None
    ) -> Iterator[Result]:
        """As ``Engine.map``."""
        actors = self._start(min(self._jobs, most or self._jobs))
        self._maps += 1
        reference = [self._ray.put(make_worker)]
        try:
            yield from self._results(actors, self._maps, reference, iter(items))
        except BaseException:  # also where the results are not read to their end
            for actor in self._actors:
                self._ray.kill(actor)
            self._actors = []
            raise
        for actor in actors:
            actor.forget.remote()

    def _start(self, count: int) -> list[Any]:
        """So many actors; those of an earlier map work on."""
        actor_class = self._ray.remote(_Actor).options(
            num_cpus=1, max_restarts=_RESTARTS, max_task_retries=_RESTARTS, max_concurrency=1
        )
        is_first = not self._actors
        while len(self._actors) < count:
            self._actors.append(actor_class.remote())
        if is_first:
            (version,) = self._get([self._actors[0].version.remote()])
            if version != __version__:
                raise RecipeError(
                    f"--engine ray: the workers have sfumato {version}, this is {__version__}; install the same "
                    "version on every machine of the cluster"
                )
        return self._actors[:count]

    def _results(self, actors: list[Any], number: int, make_worker: list[Any], items: Iterator[Any]) -> Iterator[Any]:
        sent: deque[Any] = deque()
        working: dict[Any, int] = {}  # by what an actor will answer: the actor's number
        for item in items:
            while len(sent) >= _WINDOW * len(actors):
                yield self._take(sent.popleft())
            actor = self._free_actor(working, len(actors))
            answer = actors[actor].apply.remote(number, make_worker, item)
            working[answer] = actor
            sent.append(answer)
        while sent:
            yield self._take(sent.popleft())

    def _free_actor(self, working: dict[Any, int], actors: int) -> int:
        """The actor with the least to do; waits where all have enough. Forgets what is finished."""
        while True:
            finished: list[Any] = []
            if working:
                finished, _ = self._ray.wait(list(working), num_returns=len(working), timeout=0, fetch_local=False)
            for answer in finished:
                del working[answer]
            load = Counter(working.values())
            actor = min(range(actors), key=lambda number: load[number])
            if load[actor] < _AHEAD:
                return actor
            self._ray.wait(list(working), num_returns=1, fetch_local=False)

    def _take(self, answer: Any) -> Any:
        (result,) = self._get([answer])
        if isinstance(result, _Failure):
            raise SfumatoError(result.message)
        return result

    def _get(self, answers: list[Any]) -> list[Any]:
        errors = self._ray.exceptions
        try:
            results: list[Any] = self._ray.get(answers)
        except (errors.RayActorError, errors.WorkerCrashedError, errors.NodeDiedError) as error:
            raise SfumatoError(
                f"--engine ray: a worker died {_RESTARTS + 1} times ({type(error).__name__}), perhaps for lack of "
                "memory: give each worker more (a smaller --jobs) and run the same command again, which resumes"
            ) from None
        except errors.RayTaskError as error:
            # Without its message, which may quote a text.
            raise RuntimeError(f"a worker failed with {type(error.cause).__name__}") from None
        except errors.RayError as error:
            raise SfumatoError(
                f"--engine ray: the work was lost ({type(error).__name__}); run the same command again, which resumes"
            ) from None
        return results


@contextmanager
def _without_api_server(ray: Any) -> Iterator[None]:
    """A Ray that is started here has no API server. No option leaves it out.

    Without a dashboard it serves usage reports alone, and it asks the network which cloud this machine belongs to also
    where these are switched off.
    """
    node = ray._private.node.Node
    start = getattr(node, "start_api_server", None)
    if start is None:
        raise SfumatoError(
            f"--engine ray: Ray {ray.__version__} cannot be kept from asking the network which cloud this is; "
            "install the version that requirements/extras.txt names"
        )
    node.start_api_server = lambda *arguments, **settings: None
    try:
        yield
    finally:
        node.start_api_server = start


def _import_ray(is_local: bool) -> Any:
    """Ray, with what it reads from the environment when it is imported."""
    if is_local:
        if sys.modules.get("ray") is not None and os.environ.get("RAY_AUTH_MODE") != "token":
            raise SfumatoError(
                "--engine ray: Ray was imported by this process before and would start without a token: run it in a "
                "process of its own, or set RAY_AUTH_MODE=token and RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER=0 beforehand"
            )
        # Ray has no option for this: its processes listen on the loopback address alone, as they do on other systems
        # than Linux, and take requests only from whoever has the token.
        os.environ |= {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0", "RAY_AUTH_MODE": "token"}
        os.environ.setdefault("RAY_AUTH_TOKEN", secrets.token_hex(32))
    try:
        import ray
    except ImportError:
        raise MissingExtra("--engine ray", "ray") from None
    return ray
