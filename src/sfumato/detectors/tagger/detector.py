"""The tagger as a detector."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from sfumato.detectors.base import Threshold, score_at
from sfumato.detectors.tagger.decode import spans
from sfumato.detectors.tagger.everyday import without_everyday
from sfumato.detectors.tagger.network import Network, load
from sfumato.document import Document, Span
from sfumato.models.windows import MARGIN, segments

SHIPPED = Path(__file__).parent / "weights"
_AT_ONCE = 200_000


class TaggerDetector:
    """Finds direct and quasi-identifiers by a small neural network of our own; reads context, not only shapes."""

    paper: ClassVar[str | None] = "002"
    languages: ClassVar[frozenset[str] | None] = frozenset({"en", "es", "de", "fr", "it", "pt", "nl"})

    def __init__(
        self, *, threshold: Threshold = "balanced", model: str | None = None, threads: int | None = None
    ) -> None:
        """``model``: a folder that ``training/tagger`` wrote, in place of the shipped one."""
        self._network: Network = load(Path(model) if model else SHIPPED, threads)
        stops = {name.replace("_", "-"): value for name, value in self._network.card["thresholds"].items()}
        self._threshold = score_at(threshold, stops)

    def detect(self, documents: Sequence[Document]) -> list[list[Span]]:
        found: list[list[Span]] = [[] for _ in documents]
        for group in _groups(documents):
            for part, tokens in zip(group, self._network.read([part.text for part in group]), strict=True):
                found[part.document] += part.own(spans(part.text, tokens, self._network.card["tags"], self._threshold))
        return [without_everyday(document.text, own) for document, own in zip(documents, found, strict=True)]


@dataclass(frozen=True)
class _Part:
    """A piece of a document with some context on either side; what lies in [start, end) is its own."""

    document: int
    start: int
    end: int
    begin: int
    text: str

    def own(self, spans: Iterable[Span]) -> Iterator[Span]:
        """The spans that begin in its own part, at their place in the document; its neighbours have the others."""
        for span in spans:
            if self.start <= span.start + self.begin < self.end:
                yield span.moved(span.start + self.begin, span.end + self.begin)


def _groups(documents: Sequence[Document]) -> Iterator[list[_Part]]:
    """Parts of documents, enough at a time to keep all threads busy."""
    group: list[_Part] = []
    for number, document in enumerate(documents):
        text = document.text
        for start, end in segments(text):
            begin = max(0, start - MARGIN)
            group.append(_Part(number, start, end, begin, text[begin : end + MARGIN]))
            if sum(len(part.text) for part in group) >= _AT_ONCE:
                yield group
                group = []
    if group:
        yield group
