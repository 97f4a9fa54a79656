"""The measures of the Text Anonymization Benchmark: how much of what people marked is masked, and how much besides.

Pilán et al., "The Text Anonymization Benchmark (TAB)", Computational Linguistics 48(4), 2022. Several annotators of a
document are micro-averaged: each one's entities, mentions and tokens count.
"""

from __future__ import annotations

from collections.abc import Sequence

from sfumato.document import Identifier, Release, Span
from sfumato.errors import NotMeasurable
from sfumato.intervals import Estimate, share
from sfumato.measures.base import Annotations, edited, metric
from sfumato.measures.mentions import (
    annotated,
    coverage,
    entities,
    is_ignorable,
    is_masked,
    masked_ranges,
    must_go,
    words,
)

_NOTHING = "the reference marks nothing to mask in these documents"


@metric("tab-direct-recall", family="tab", paper="TAB", higher_is_better=True)
def direct_recall(releases: Sequence[Release], gold: Annotations) -> Estimate:
    """Share of the directly identifying entities that are masked in every mention."""
    return _entity_recall(releases, gold, "direct")


@metric("tab-quasi-recall", family="tab", paper="TAB", higher_is_better=True)
def quasi_recall(releases: Sequence[Release], gold: Annotations) -> Estimate:
    """Share of the quasi-identifying entities that are masked in every mention."""
    return _entity_recall(releases, gold, "quasi")


@metric("tab-mention-recall", family="tab", paper="TAB", higher_is_better=True)
def mention_recall(releases: Sequence[Release], gold: Annotations) -> Estimate:
    """Share of the mentions to mask of which no word but ignorable ones is left."""
    pairs, settings = annotated(edited(releases), gold)
    hits, totals = dict[str, float](), dict[str, float]()
    for release, spans in pairs:
        document = release.document
        said = coverage(document.text, masked_ranges(release))
        mentions = must_go(spans)
        hits[document.id] = sum(is_masked(document.text, mention, said) for mention in mentions)
        totals[document.id] = len(mentions)
    return share(hits, totals, settings, why_none=_NOTHING)


@metric("tab-token-recall", family="tab", paper="TAB", higher_is_better=True)
def token_recall(releases: Sequence[Release], gold: Annotations, authors_compat: bool = False) -> Estimate:
    """Share of the words in mentions to mask that are covered in full; ignorable words do not count.

    ``authors_compat``: they count, and count as masked, so that a text left as it was scores above 0.
    """
    pairs, settings = annotated(edited(releases), gold)
    hits, totals = dict[str, float](), dict[str, float]()
    for release, spans in pairs:
        text = release.document.text
        said = coverage(text, masked_ranges(release))
        masked = total = 0
        for mention in must_go(spans):
            for start, end in words(text, mention.start, mention.end):
                if not is_ignorable(text[start:end]):
                    masked += all(said[start:end])
                elif authors_compat:
                    masked += 1
                else:
                    continue
                total += 1
        hits[release.document.id], totals[release.document.id] = masked, total
    return share(hits, totals, settings, why_none=_NOTHING)


def _entity_recall(releases: Sequence[Release], gold: Annotations, wanted: Identifier) -> Estimate:
    pairs, settings = annotated(edited(releases), gold)
    decided = [(release, spans) for release, spans in pairs if _is_decided(spans)]
    if 2 * len(decided) <= len(pairs):
        raise NotMeasurable(
            f"of {len(pairs)} documents the reference tells direct from quasi-identifiers in {len(decided)} only: "
            "give --gold with decisions (TAB's identifier_type)"
        )
    if undecided := len(pairs) - len(decided):
        settings = {**settings, "undecided": undecided}
    hits, totals = dict[str, float](), dict[str, float]()
    for release, spans in decided:
        document = release.document
        said = coverage(document.text, masked_ranges(release))
        own = [mentions for mentions in entities(document, must_go(spans)) if _decision(mentions) == wanted]
        hits[document.id] = sum(all(is_masked(document.text, one, said) for one in mentions) for mentions in own)
        totals[document.id] = len(own)
    return share(hits, totals, settings, why_none=f"the reference marks no {wanted} identifier")


def _is_decided(spans: Sequence[Span]) -> bool:
    return all(span.identifier is not None for span in must_go(spans))


def _decision(mentions: Sequence[Span]) -> Identifier:
    return "direct" if any(mention.identifier == "direct" for mention in mentions) else "quasi"
