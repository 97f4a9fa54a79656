"""Many requests at once, never more than a server is to have in flight, each reply handed over as it comes."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from queue import Empty, SimpleQueue

from sfumato.models.chat.base import Reply, Request

Answer = Callable[[Request, threading.Event], Reply]
"""Answers a request; the event says that nobody waits for the reply any more."""
_Landed = tuple[int, Reply | BaseException]


def fly(requests: Sequence[Request], answer: Answer, in_flight: int) -> Iterator[tuple[int, Reply]]:
    """Each request's number and reply, in the order of arrival. What ``answer`` raises ends the flight."""
    over = threading.Event()
    if len(requests) == 1 or in_flight == 1:
        for number, request in enumerate(requests):
            yield number, answer(request, over)
        return
    waiting: SimpleQueue[tuple[int, Request]] = SimpleQueue()
    landed: SimpleQueue[_Landed] = SimpleQueue()
    for ticket in enumerate(requests):
        waiting.put(ticket)

    def work() -> None:
        while True:
            try:
                number, request = waiting.get_nowait()
            except Empty:
                return
            try:
                landed.put((number, answer(request, over)))
            except BaseException as error:  # noqa: BLE001 - it is raised where the replies are read
                landed.put((number, error))
                return

    # Daemons: whoever interrupts a run does not wait for answers that nobody reads any more.
    for _ in range(min(in_flight, len(requests))):
        threading.Thread(target=work, daemon=True, name="sfumato-chat").start()
    try:
        for _ in requests:
            number, found = landed.get()
            if isinstance(found, BaseException):
                raise found
            yield number, found
    finally:
        over.set()
        _drain(waiting)


def in_order(arrivals: Iterator[tuple[int, Reply]], count: int) -> list[Reply]:
    """The replies in the order of their requests."""
    found = dict(arrivals)
    return [found[number] for number in range(count)]


def _drain(waiting: SimpleQueue[tuple[int, Request]]) -> None:
    while True:
        try:
            waiting.get_nowait()
        except Empty:
            return
