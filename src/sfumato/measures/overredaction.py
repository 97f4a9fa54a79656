"""What was masked that nobody asked to mask."""

from __future__ import annotations

from collections.abc import Sequence

from sfumato.document import Release
from sfumato.intervals import Estimate, share, share_of_documents
from sfumato.measures.base import Annotations, edited, metric
from sfumato.measures.mentions import annotated, coverage, masked_ranges, must_go, words


@metric("over-redaction", family="redaction", higher_is_better=False)
def over_redaction(releases: Sequence[Release], gold: Annotations) -> Estimate:
    """Share of the words outside every reference mention that are masked, in whole or in part."""
    pairs, settings = annotated(edited(releases), gold)
    hits, totals = dict[str, float](), dict[str, float]()
    for release, spans in pairs:
        text = release.document.text
        said = coverage(text, masked_ranges(release))
        wanted = coverage(text, ((span.start, span.end) for span in must_go(spans)))
        harmless = [(start, end) for start, end in words(text) if not any(wanted[start:end])]
        hits[release.document.id] = sum(any(said[start:end]) for start, end in harmless)
        totals[release.document.id] = len(harmless)
    nothing = "the reference covers every word of these documents, so nothing can be masked needlessly"
    return share(hits, totals, settings, why_none=nothing)


@metric("over-redaction-documents", family="redaction", higher_is_better=False)
def touched_documents(releases: Sequence[Release], gold: Annotations) -> Estimate:
    """Share of the documents without personal information that were changed all the same."""
    pairs, settings = annotated(releases, gold)
    hits = {
        release.document.id: float(release.text != release.document.text)
        for release, spans in pairs
        if not must_go(spans)
    }
    nothing = "every document holds something to mask: give --gold with documents that hold nothing"
    return share_of_documents(hits, settings, why_none=nothing)
