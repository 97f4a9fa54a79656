"""An engine that does everything in this process, and sends everything by pickle as others must."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator

from sfumato.parallel import Item, Result


class PicklingEngine:
    """Reads ``ahead`` items before it returns the first result, as engines with several workers do."""

    name = "pickling"

    def __init__(self, ahead: int = 3) -> None:
        self.ahead = ahead
        self.items = 0

    def map(
        self, make_worker: Callable[[], Callable[[Item], Result]], items: Iterable[Item], *, most: int | None = None
    ) -> Iterator[Result]:
        worker = pickle.loads(pickle.dumps(make_worker))()
        waiting: list[bytes] = []
        for item in items:
            self.items += 1
            waiting.append(pickle.dumps(item))
            if len(waiting) > self.ahead:
                yield pickle.loads(pickle.dumps(worker(pickle.loads(waiting.pop(0)))))
        for sent in waiting:
            yield pickle.loads(pickle.dumps(worker(pickle.loads(sent))))
