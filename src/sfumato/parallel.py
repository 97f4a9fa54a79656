"""What an engine is: it applies a function to many items, in several processes or on several machines.

And a setting of processes that do the work of this package alone: the command line and its local workers.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Iterator
from typing import Protocol, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")
_NEW_OBJECTS, _YOUNG, _OLD = 50_000, 20, 20
"""After how many new objects, and searches of younger ones, unused objects are searched for."""


class Engine(Protocol):
    """Carries out the work of a run elsewhere than in its own process.

    The run itself stays where it was started: it reads the inputs, keeps the journal and writes the outputs, so that
    bytes and resumption do not depend on the engine.
    """

    name: str

    def map(
        self, make_worker: Callable[[], Callable[[Item], Result]], items: Iterable[Item], *, most: int | None = None
    ) -> Iterator[Result]:
        """One result for each item, in their order; few items are read ahead of the results.

        ``make_worker`` is called once in each worker and returns the function that is applied, with whatever it has
        loaded. It, the items and the results are sent by pickle. A worker that dies is started again, and the item that
        it had is done again: the function must give the same result twice and must write nothing. ``most``: workers at
        most.
        """
        ...


def collect_garbage_rarely() -> None:
    """Search for unused objects that refer to each other less often than Python does by itself.

    Word lists and tables are hundreds of thousands of objects that live until the end. To pass through them again and
    again while they are loaded takes a tenth of the time of a short run, and finds nothing. A program
    that uses the package as a library keeps its own setting.
    """
    gc.set_threshold(_NEW_OBJECTS, _YOUNG, _OLD)
