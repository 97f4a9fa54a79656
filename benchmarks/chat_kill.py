"""A server that is killed in mid-run and started again: does the run end, and with the same result?

    python benchmarks/chat_kill.py MODEL.gguf --data DATA --work FOLDER [--documents 8] [--in-flight 8] [--threads 2]
                                   [--alone]

Two prompts are asked about the shortest biographies through llama.cpp's own server on loopback, three times, each with
an empty cache: undisturbed; undisturbed again, to see what eight requests in flight change by themselves; and with a
SIGKILL after a third of the answers and a new start on the same port. Prints Markdown; nothing is asserted.

llama.cpp rounds differently by what it computes together, so that at temperature 0 a word may still change with the
company a question is in. ``--alone``: eight are in flight all the same, but the server answers one after the other and
keeps no beginnings; then the answers are the same to the letter.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))  # for `training` and `benchmarks`, which are not installed

from benchmarks.chat_server import LocalServer
from benchmarks.chat_sets import biographies

from sfumato import registry
from sfumato.document import Document
from sfumato.llm.cache import CachedChat
from sfumato.llm.chat import Chat, ChatWrapper, Reply, Request
from sfumato.llm.http import HttpChat

PROMPTS = ("all-attributes", "sparks")
EVERYBODY = 50
Range = tuple[int, int]


@dataclass
class Result:
    """What a run answered and found, and what it took."""

    texts: dict[str, str]
    """By prompt and request, in the order of asking."""
    spans: dict[str, list[Range]]
    failed: int
    retried: int
    seconds: float


class Counting(ChatWrapper):
    """Hands on requests, writes the answers down, and calls out once, after so many of them."""

    def __init__(self, chat: Chat, after: int, call: Callable[[], None]) -> None:
        super().__init__(chat)
        self._after, self._call = after, call
        self.texts: dict[str, str] = {}
        self._came = 0

    def ask_unordered(self, requests: Sequence[Request]) -> Iterator[tuple[int, Reply]]:
        for number, reply in super().ask_unordered(requests):
            self.texts[requests[number].key] = reply.failure or reply.text
            self._came += 1
            if self._came == self._after:
                self._call()
            yield number, reply


def run(
    server: LocalServer, cache: Path, documents: Sequence[Document], given: argparse.Namespace, kill: bool
) -> Result:
    """The prompts on the documents with an empty cache; with ``kill`` the server dies on the way, and comes back."""
    shutil.rmtree(cache, ignore_errors=True)
    http = HttpChat(server.url, in_flight=given.in_flight, body={"cache_prompt": not given.alone})
    again: list[threading.Thread] = []

    def killed() -> None:
        server.kill()
        print("killed; starting again", file=sys.stderr, flush=True)
        again.append(threading.Thread(target=server.start))
        again[0].start()

    third = max(1, len(PROMPTS) * len(documents) // 3)
    chat = Counting(CachedChat(http, cache), third if kill else 0, killed)
    spans: dict[str, list[Range]] = {}
    failed = 0
    began = time.perf_counter()
    for name in PROMPTS:
        detector = registry.create("detector", name, {}, chat=chat)
        for document, found in zip(documents, detector.detect(documents), strict=True):
            spans[f"{name} {document.id}"] = [(span.start, span.end) for span in found]
        failed += detector.usage.failed
    for thread in again:
        thread.join()
    return Result(chat.texts, spans, failed, http.retried, time.perf_counter() - began)


def compared(name: str, one: Result, other: Result) -> str:
    """How far a run's answers and spans are those of another."""
    both = one.texts.keys() & other.texts.keys()
    alike = sum(one.texts[key] == other.texts[key] for key in both)
    lists = sum(one.spans[key] == other.spans[key] for key in one.spans)
    asked = len(one.texts.keys() | other.texts.keys())
    return f"| {name} | {alike} of {asked} | {lists} of {len(one.spans)} | {'yes' if alike == asked else 'no'} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True, help="a folder for the caches; those of an earlier run go")
    parser.add_argument("--documents", type=int, default=8)
    parser.add_argument("--in-flight", type=int, default=8)
    parser.add_argument("--threads", type=int, default=2, help="of the server; on a busy machine fewer are faster")
    parser.add_argument("--alone", action="store_true", help="the server answers one question at a time")
    given = parser.parse_args()
    people = biographies(given.data, EVERYBODY).documents
    documents = sorted(people, key=lambda document: len(document.text))[: given.documents]
    runs: dict[str, Result] = {}
    slots = 1 if given.alone else given.in_flight
    options = ("--slots", str(slots), "--threads", str(given.threads))
    with LocalServer(given.model, *options) as server:
        for name in ("undisturbed", "undisturbed again", "killed and started again"):
            runs[name] = run(server, given.work / name.replace(" ", "-"), documents, given, kill=name.startswith("k"))
            print(f"{name}: {runs[name].seconds:.0f} s", file=sys.stderr, flush=True)
    print("| run | answers | left without one | sent again | seconds |\n| --- | --- | --- | --- | --- |")
    for name, one in runs.items():
        print(f"| {name} | {len(one.texts)} | {one.failed} | {one.retried} | {one.seconds:.0f} |")
    print("\n| against the first run | same text | same spans | same result |\n| --- | --- | --- | --- |")
    first, *others = runs
    for name in others:
        print(compared(name, runs[first], runs[name]))


if __name__ == "__main__":
    main()
