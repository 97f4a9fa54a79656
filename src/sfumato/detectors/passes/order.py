"""The passes behind the detectors, in their order, and what runs them: each gets spans and gives spans.

A pass is a function of a ``Context`` and of the spans so far. A recipe may leave passes out (``without_passes``), and
the audit names the passes that changed a span.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from sfumato.annotated_text import AnnotatedText
from sfumato.detectors.allowed import cut_around_allowed
from sfumato.detectors.passes.compounds import complete_spans
from sfumato.detectors.passes.edges import trim_spans
from sfumato.detectors.passes.everyday_ends import trim_everyday_words, trim_function_words
from sfumato.detectors.passes.joined_names import join_names
from sfumato.detectors.passes.labels import unify_labels
from sfumato.detectors.passes.links import link_mentions
from sfumato.detectors.passes.never_personal import drop_never_personal
from sfumato.detectors.passes.outvoted import drop_outvoted
from sfumato.detectors.passes.overlaps import cut_around_direct, drop_imprecise
from sfumato.detectors.passes.repeats import find_repeats
from sfumato.detectors.rules.attributes import drop_weak_numbers
from sfumato.detectors.rules.dates import join_ranges
from sfumato.detectors.structure import Structure, document_structure
from sfumato.document import Document, Span, merge_spans

_MAX_REPEAT_ROUNDS = 4


def no_spans(document: Document, spans: Sequence[Span]) -> Sequence[Span]:
    """Nothing is known without detectors."""
    return ()


@dataclass(frozen=True)
class Context:
    """What passes see beside the spans."""

    document: Document
    structure: Structure
    text: AnnotatedText
    """The document's text, where commas between cells are no commas of a sentence."""
    known: Callable[[Document, Sequence[Span]], Sequence[Span]] = no_spans
    """Spans that are known without detectors: names from other documents of the same people."""
    terms: Sequence[Span] = ()
    """Spans of the recipe's own patterns and terms."""
    left_out: Collection[str] = ()
    """Names of passes that the recipe leaves out."""

    @classmethod
    def of(
        cls,
        document: Document,
        terms: Sequence[Span] = (),
        known: Callable[[Document, Sequence[Span]], Sequence[Span]] = no_spans,
        left_out: Collection[str] = (),
    ) -> Context:
        structure = document_structure(document)
        return cls(document, structure, structure.without_commas, known, terms, left_out)


@dataclass(frozen=True)
class Pass:
    """One step: spans in, spans out."""

    name: str
    why: str
    """What it does to a span, as the audit says it."""
    run: Callable[[Context, Sequence[Span]], Iterable[Span]]
    adds: bool = False
    """Whether it may give spans where it gets none."""


def run_passes(passes: Iterable[Pass], context: Context, spans: Iterable[Span]) -> list[Span]:
    """The spans after these passes; each span that a pass changed says so."""
    current = list(spans)
    for each in passes:
        if each.name in context.left_out or not (current or each.adds):
            continue
        before = {(span.start, span.end, span.label) for span in current}
        current = [
            span if (span.start, span.end, span.label) in before else replace(span, passes=(*span.passes, each.why))
            for span in each.run(context, current)
        ]
    return current


def of_text(
    function: Callable[[str, Sequence[Span]], Iterable[Span]],
) -> Callable[[Context, Sequence[Span]], Iterable[Span]]:
    """A function of the text and the spans, as a pass calls it."""
    return lambda context, spans: function(context.text, spans)


def _keep_in_structure(context: Context, spans: Sequence[Span]) -> Iterable[Span]:
    return cut_around_allowed(context.document, context.structure.cut_spans(spans))


def _keep_allowed(context: Context, spans: Sequence[Span]) -> Iterable[Span]:
    return cut_around_allowed(context.document, spans)


IN_STRUCTURE = Pass("structure", "kept within its value", _keep_in_structure)
ALLOWED = Pass("allowed", "cut around an allowed term", _keep_allowed)
OVERLAPS = Pass("overlaps", "merged with a span that it overlaps", lambda context, spans: merge_spans(spans))
EDGES = Pass("edges", "trimmed at its ends", of_text(trim_spans))
NEVER_PERSONAL = Pass("never-personal", "cut at words that name nobody", of_text(drop_never_personal))
MERGE = (
    OVERLAPS,
    EDGES,
    Pass("compounds", "completed to a whole number, code or name", of_text(complete_spans)),
    Pass("joined-names", "joined with the rest of the name", of_text(join_names)),
    ALLOWED,
)
"""Spans of several sources made disjoint and whole."""


def _add_known(context: Context, spans: Sequence[Span]) -> Iterable[Span]:
    if context.known is no_spans:
        return spans
    known = run_passes([IN_STRUCTURE], context, context.known(context.document, spans))
    return run_passes(MERGE, context, [*spans, *known])


def _add_repeats(context: Context, spans: Sequence[Span]) -> Iterable[Span]:
    """Merging can cut spans, and a part that was cut off may occur elsewhere: that takes a few rounds."""
    for _ in range(_MAX_REPEAT_ROUNDS):
        repeats = run_passes([IN_STRUCTURE, NEVER_PERSONAL], context, find_repeats(context.text, spans))
        if not repeats:
            break
        spans = run_passes(MERGE, context, [*spans, *repeats])
    return spans


PASSES = (
    IN_STRUCTURE,
    Pass("everyday-words", "trimmed of everyday words", of_text(trim_everyday_words)),
    Pass("function-words", "trimmed of function words", of_text(trim_function_words)),
    NEVER_PERSONAL,
    Pass("weak-numbers", "a number that tells nothing", of_text(drop_weak_numbers)),
    Pass("terms", "a term of the recipe", lambda context, spans: [*spans, *context.terms], adds=True),
    ALLOWED,
    Pass("direct", "cut around a direct identifier", lambda context, spans: cut_around_direct(spans)),
    Pass("imprecise", "covered more exactly by others", of_text(drop_imprecise)),
    *MERGE,
    Pass("outvoted", "not found where it stands again", of_text(drop_outvoted)),
    Pass("known", "known from another document", _add_known, adds=True),
    Pass("repeats", "found again", _add_repeats),
    # Spans that were completed may have grown over the end of a value.
    IN_STRUCTURE,
    OVERLAPS,
    EDGES,
    Pass("labels", "labelled as elsewhere in the document", of_text(unify_labels)),
    Pass("ranges", "joined with the other end of the range", of_text(join_ranges)),
    Pass("links", "linked", of_text(link_mentions)),
)
"""What becomes of the detectors' spans, one after the other."""
NAMES = tuple(dict.fromkeys(each.name for each in PASSES))
