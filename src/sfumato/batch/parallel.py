"""The same pipeline in several processes on one machine, results in the documents' order."""

from __future__ import annotations

import multiprocessing
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from sfumato.detectors.detection import batches
from sfumato.detectors.repeats import SubjectNames
from sfumato.document import Document, Outcome
from sfumato.pipeline import Pipeline
from sfumato.recipe import Recipe
from sfumato.vault import Key, Vault

_AHEAD = 2
"""Batches in flight for each process: enough to keep it busy, few enough to keep memory small."""


@dataclass(frozen=True)
class Setup:
    """All a process needs to build the pipeline for itself."""

    recipe: Recipe
    key: Key | None
    secret: bytes
    vault: Path | None
    subjects: SubjectNames | None = None


def anonymize_in_processes(setup: Setup, documents: Iterable[Document], jobs: int) -> Iterator[Outcome]:
    """As ``Pipeline.anonymize``; only for recipes whose documents do not depend on each other."""
    if setup.recipe.scope == "corpus":
        raise ValueError("numbers given out corpus-wide depend on the order of documents: use one process")
    context = multiprocessing.get_context("spawn")  # a fork would share open databases and locks
    with ProcessPoolExecutor(jobs, mp_context=context, initializer=_start, initargs=(setup,)) as pool:
        waiting: deque[Future[list[Outcome]]] = deque()
        for batch in batches(documents):
            waiting.append(pool.submit(_work, batch))
            if len(waiting) > jobs * _AHEAD:
                yield from waiting.popleft().result()
        while waiting:
            yield from waiting.popleft().result()


_pipeline: Pipeline | None = None


def _start(setup: Setup) -> None:
    global _pipeline
    vault = Vault(setup.vault, setup.key) if setup.vault and setup.key else None
    _pipeline = Pipeline(
        setup.recipe, vault=vault, key=setup.key, secret=setup.secret, subjects=setup.subjects, threads=1
    )


def _work(batch: list[Document]) -> list[Outcome]:
    assert _pipeline is not None
    return list(_pipeline.anonymize(batch))
