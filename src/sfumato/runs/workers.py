"""Who works on the documents of a run beside its own process: local processes, or the workers of an engine."""

from __future__ import annotations

import multiprocessing
import os
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, tee
from pathlib import Path

from sfumato.detectors.detection import batches
from sfumato.detectors.passes.subjects import SubjectNames
from sfumato.document import Document, Outcome, Withheld
from sfumato.errors import SfumatoError
from sfumato.isolation import attempt
from sfumato.parallel import Engine, collect_garbage_rarely
from sfumato.pipeline import DetectedSpans, Pipeline
from sfumato.recipe import Recipe
from sfumato.residuals.names import IdChecker
from sfumato.runs.ids import id_checker
from sfumato.vault.key import Key
from sfumato.vault.store import Vault

_AHEAD = 4
"""Batches in flight per process: enough to keep it busy, few enough to keep memory small."""
_WORKER_CHARACTERS = 20_000
"""Of a batch for one of several workers: about a second of work, so that all of them have some until the end."""


@dataclass(frozen=True, slots=True)
class FinishedDocument:
    """A document as it goes out but for its id: whether that is replaced by a number."""

    outcome: Outcome
    is_id_replaced: bool = False


def check_ids(checker: IdChecker, outcomes: Iterable[Outcome]) -> Iterator[FinishedDocument]:
    """The last step: whether the documents' own ids may go out."""
    for outcome in outcomes:
        if isinstance(outcome, Withheld):
            yield FinishedDocument(outcome)
            continue
        checked = attempt(partial(checker.is_replaced, outcome), outcome.document)
        yield FinishedDocument(checked) if isinstance(checked, Withheld) else FinishedDocument(outcome, checked)


@dataclass(frozen=True)
class Worker:
    """What a worker needs; the methods return, there, what is applied to a batch of documents."""

    recipe: Recipe
    key: Key | None = field(repr=False)
    secret: bytes = field(repr=False)
    subjects: SubjectNames | None = field(repr=False)
    is_finishing: bool
    """Whether it checks ids: not where the loop of protection comes before that."""

    def load_anonymize(self, vault: Vault | None = None) -> Callable[[list[Document]], list[FinishedDocument]]:
        pipeline = self._pipeline(vault)
        finish: Callable[[Iterable[Outcome]], Iterator[FinishedDocument]] = partial(map, FinishedDocument)
        if self.is_finishing:
            finish = partial(check_ids, id_checker(self.recipe))
        return lambda batch: list(finish(pipeline.anonymize(batch)))

    def load_find_spans(self) -> Callable[[list[Document]], list[DetectedSpans | Withheld]]:
        return self._pipeline(None).find_spans

    def _pipeline(self, vault: Vault | None) -> Pipeline:
        return Pipeline(self.recipe, vault=vault, key=self.key, secret=self.secret, subjects=self.subjects, threads=1)


def anonymize_in_processes(
    documents: Iterable[Document], jobs: int, worker: Worker, vault: Path | None
) -> Iterator[FinishedDocument]:
    """Like ``Pipeline.anonymize``, in input order; only for recipes whose documents do not depend on each other."""
    context = multiprocessing.get_context("spawn")  # a fork would share open databases and locks
    start = partial(_start_worker, worker, vault)
    with ProcessPoolExecutor(jobs, mp_context=context, initializer=start) as pool:
        waiting: deque[Future[list[FinishedDocument]]] = deque()
        try:
            for batch in batches(documents, _WORKER_CHARACTERS):
                waiting.append(pool.submit(_anonymize_batch, batch))
                if len(waiting) > jobs * _AHEAD:
                    yield from waiting.popleft().result()
            while waiting:
                yield from waiting.popleft().result()
        except BrokenProcessPool:
            raise SfumatoError(
                "a worker process was killed, perhaps for lack of memory: run the same command again, which resumes, "
                "with a smaller --jobs if it happens again"
            ) from None


_anonymize: Callable[[list[Document]], list[FinishedDocument]] | None = None
"""What a worker process does with a batch."""


def _start_worker(worker: Worker, vault: Path | None) -> None:
    global _anonymize
    collect_garbage_rarely()
    threading.Thread(target=_end_with_parent, daemon=True).start()
    opened = Vault(vault, worker.key) if vault and worker.key else None
    _anonymize = worker.load_anonymize(opened)


def _end_with_parent() -> None:
    """A worker whose parent was killed would wait for work for ever, with originals in its memory."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _anonymize_batch(batch: list[Document]) -> list[FinishedDocument]:
    assert _anonymize is not None
    return _anonymize(batch)


def anonymize_by_engine(documents: Iterable[Document], engine: Engine, worker: Worker) -> Iterator[FinishedDocument]:
    """The same by the workers of an engine."""
    return chain.from_iterable(engine.map(worker.load_anonymize, batches(documents, _WORKER_CHARACTERS)))


def detect_by_engine(
    documents: Iterable[Document], engine: Engine, worker: Worker, pipeline: Pipeline
) -> Iterator[Outcome]:
    """Like ``Pipeline.anonymize``, in input order: the workers of an engine detect, and this process replaces.

    So replacements may depend on earlier documents, and on a vault that this process alone writes.
    """
    sent, waiting = tee(batches(documents, _WORKER_CHARACTERS))
    for detected, batch in zip(engine.map(worker.load_find_spans, sent), waiting, strict=True):
        yield from map(pipeline.finish, pipeline.replace_spans(batch, detected))
