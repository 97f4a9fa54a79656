"""The figures of one method on one set of documents: what it masks, what stays, who is found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from benchmarks.chat_sets import Corpus
from benchmarks.protect_figures import Attackers, Information

from sfumato import registry
from sfumato.attacks.risk import find_strongest
from sfumato.document import Document, Edit, Release, Score, Span, merge_spans
from sfumato.errors import NotMeasurable
from sfumato.formats.inputs import align_release
from sfumato.llm.usage import Usage
from sfumato.metrics.base import MetricInput
from sfumato.metrics.mentions import is_ignorable, words
from sfumato.statistics import wilson

RECALL = ("tab-direct-recall", "tab-quasi-recall", "tab-mention-recall", "tab-token-recall", "tab-precision")
LINKS = ("tfidf", "bm25", "skip-grams", "characters", "combination", "dense")


@dataclass(frozen=True)
class Figure:
    """A value with its 95 % interval and what it was counted over; ``value`` is None where there is none."""

    value: float | None
    low: float = 0.0
    high: float = 0.0
    n: int = 0
    note: str = ""


@dataclass
class Row:
    """One line of a table."""

    name: str
    figures: dict[str, Figure] = field(default_factory=dict)
    documents: int = 0
    failed: int = 0
    """Documents for which an answer is missing, or that were withheld."""
    usage: Usage | None = None
    wall: float | None = None
    """Seconds by the clock, of all runs in which something was asked."""
    tokens: list[tuple[int, int]] = field(default_factory=list)
    """Read and written, by request."""

    def to_json(self) -> dict[str, Any]:
        shown = {key: asdict(figure) for key, figure in self.figures.items()}
        usage = None if self.usage is None else self.usage.to_json()
        return {
            "name": self.name,
            "figures": shown,
            "documents": self.documents,
            "failed": self.failed,
            "usage": usage,
            "wall": self.wall,
            "tokens": self.tokens,
        }


class Measuring:
    """Attacks and models, each made ready once."""

    def __init__(self, attacks: Sequence[str] = LINKS) -> None:
        self._names = attacks
        self._attackers: dict[tuple[str, str], Attackers] = {}
        self._information = Information()

    def masked(self, corpus: Corpus, releases: Sequence[Release]) -> dict[str, Figure]:
        """Of releases with edits: recall and precision against the annotator, information kept, and risk."""
        inputs = MetricInput(releases, gold=corpus.gold)
        found = {name: _figure(registry.get("metric", name), inputs) for name in RECALL}
        return {**found, "tps": self.kept(releases), **self.risks(corpus, releases)}

    def rewritten(self, corpus: Corpus, releases: Sequence[Release]) -> dict[str, Figure]:
        """Of rewritten texts: which annotated words are gone, how much stands as it stood, and risk."""
        shares = {f"{kind}-gone": gone(releases, corpus.gold, kind) for kind in ("direct", "quasi")}
        inputs = MetricInput(releases, gold=corpus.gold)
        likeness = _figure(registry.get("metric", "rouge-l"), inputs)
        edits = [align_release(release.document, release.text) for release in releases]
        kept = self.kept([release for release in edits if release.rewrite is None])
        return {**shares, "rouge-l": likeness, "tps": kept, **self.risks(corpus, releases)}

    def kept(self, releases: Sequence[Release]) -> Figure:
        if not releases:
            return Figure(None, note="no release")
        try:
            return _of(self._information.kept("tps", releases, "default"))
        except NotMeasurable as reason:
            return Figure(None, note=str(reason))

    def risks(self, corpus: Corpus, releases: Sequence[Release]) -> dict[str, Figure]:
        """By background, how often the strongest attack finds the person at its first guess."""
        return {f"risk:{name}": self._risk(corpus, name, releases) for name in corpus.backgrounds}

    def _risk(self, corpus: Corpus, background: str, releases: Sequence[Release]) -> Figure:
        key = corpus.name, background
        if key not in self._attackers:
            self._attackers[key] = Attackers(corpus.backgrounds[background], self._names)
        if not releases:
            return Figure(None, note="no release")
        name, best = find_strongest(self._attackers[key].found(releases))
        return Figure(best.risk, *best.interval, len(releases), name)


def gone(releases: Sequence[Release], gold: Mapping[str, Sequence[Span]], kind: str) -> Figure:
    """Share of the annotated mentions of which no telling word stands in the released text, whatever its case."""
    hits = n = 0
    for release in releases:
        said = {release.text[start:end].casefold() for start, end in words(release.text)}
        text = release.document.text
        for span in gold[release.document.id]:
            telling = [
                text[a:b].casefold() for a, b in words(text, span.start, span.end) if not is_ignorable(text[a:b])
            ]
            if span.identifier == kind and telling:
                n += 1
                hits += not said.intersection(telling)
    return Figure(hits / n, *wilson(hits, n), n) if n else Figure(None, note="nothing of the kind is annotated")


def suppressed(document: Document, spans: Sequence[Span]) -> Release:
    """The spans taken out: what is left then depends on what was found, and on nothing else."""
    return Release(document, tuple(Edit(span, "", ("suppressed",)) for span in merge_spans(list(spans))))


def _figure(metric: Any, inputs: MetricInput) -> Figure:
    try:
        return _of(metric(inputs))
    except NotMeasurable as reason:
        return Figure(None, note=str(reason))


def _of(score: Score) -> Figure:
    return Figure(score.value, *score.interval, score.n)


def measured(metric: str, inputs: MetricInput, **settings: Any) -> Figure:
    """A metric by name; no value, and why, where it refuses."""
    try:
        return _of(registry.get("metric", metric)(inputs, **settings))
    except NotMeasurable as reason:
        return Figure(None, note=str(reason))
