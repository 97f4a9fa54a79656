"""What is done to a release before the loop and after it: what it must be to be attacked, facts in clear, and form.

Times and countries, which ``record-linkage`` compares, are repaired as everything else is, by the next true
generalization. What the recipe left as it is, such as the state in "the Polish Government", becomes an edit that
changes nothing yet. A document that goes on elsewhere, or was typeset by the same hand, can be found by its form,
whatever its words say: apostrophes and quotation marks are made uniform, and some paragraphs are joined.
"""

from __future__ import annotations

import random
import re
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from sfumato.attacks.linking.facts import find_countries
from sfumato.detectors.allowed import allowed_again
from sfumato.document import Document, Edit, Outcome, Release, Span, Withheld, allowed_ranges, outside
from sfumato.lexicon.time import find_dates
from sfumato.protection.records import EMPTY
from sfumato.protection.target import Target
from sfumato.protection.text import WORD_LABEL
from sfumato.replacers.generalize import Generalize
from sfumato.report.html import pluralize
from sfumato.vault.ledger import Ledger

_UNREADABLE = "which nothing here can read"
_WAY_OUT = "release it without protection"
_IN_CLEAR = "stands in clear"
Item = TypeVar("Item")


def as_initial(outcome: Outcome, target: Target) -> Outcome:
    """An outcome of a recipe as the loop takes it: the text of a rewritten release becomes its document.

    A document that the attacks cannot read, or not all of it (images), is withheld.
    """
    document = outcome.document
    if isinstance(outcome, Withheld):
        return outcome
    if (reason := _why_unreadable(document, target)) is not None:
        return Withheld(document, reason)
    if outcome.rewrite is None:
        return outcome
    meta = {**document.meta, "allowed": allowed_again(document, outcome.text)}
    return Release(Document(document.id, outcome.text, document.subjects, None, meta))


def _why_unreadable(document: Document, target: Target) -> str | None:
    """None where attacks can read it, or where the user wants it released anyway."""
    parts = document.meta.get("unchecked", {})
    named = " and ".join(pluralize(count, what) for what, count in parts.items())
    if document.meta.get("wordless"):
        # Not even if the user asks: an empty text would count as a person whom no attack finds.
        return f"{EMPTY} but {named}, {_UNREADABLE}: make text of it first, or {_WAY_OUT}" if parts else EMPTY
    if parts and not target.release_anyway:
        return f"it holds {named}, {_UNREADABLE}: take such parts out, or {_WAY_OUT}"
    return None


def add_fact_edits(release: Release) -> Release:
    """The release with an edit for each date and country that stands in clear, by which the loop can widen it."""
    document = release.document
    if release.rewrite is not None:
        return release
    is_free = _free_ranges(release)
    spans = [span for span in _fact_spans(document) if is_free(span.start, span.end)]
    ledger = Ledger(secret=bytes(32))  # numbered labels are left out, so nothing depends on it
    widened = Generalize(ledger=ledger, choose="most-specific").replace(document, spans) if spans else []
    added = []
    for edit in widened:
        levels = tuple(each for each in (edit, *edit.alternatives) if each.level is not None)
        levels = tuple(each for each in levels if is_free(each.span.start, each.span.end))
        if levels:
            span = levels[0].span
            original = document.text[span.start : span.end]
            added.append(Edit(span, original, (_IN_CLEAR,), alternatives=levels))
    return replace(release, edits=tuple(sorted((*release.edits, *added), key=_start)))


def add_citation_edits(release: Release) -> Release:
    """The release with an edit for each citation that its recipe keeps, by which the loop can hide it whole.

    Nothing but a mark of omission stands for a citation: it is never made vaguer, in whole or in part.
    """
    citations, document = release.document.meta.get("citations", ()), release.document
    if not citations or release.rewrite is not None:
        return release
    text = document.text
    edits = [
        Edit(Span(*part, "MISC", source="protect"), text[slice(*part)], (_IN_CLEAR,))
        for citation in citations
        for part in outside(text, document.meta.get("allowed", ()), *citation)
    ]
    open_document = replace(document, meta={**document.meta, "citations": ()})
    return replace(release, document=open_document, edits=tuple(sorted((*release.edits, *edits), key=_start)))


def _start(edit: Edit) -> int:
    return edit.span.start


def _free_ranges(release: Release) -> Callable[[int, int], bool]:
    """Whether a range touches no edit, and nothing that is allowed."""
    taken = [*((edit.span.start, edit.span.end) for edit in release.edits), *allowed_ranges(release.document)]
    starts, ends = ([item[side] for item in sorted(taken)] for side in (0, 1))

    def is_free(start: int, end: int) -> bool:
        index = bisect_right(starts, start)
        return (index == 0 or ends[index - 1] <= start) and (index == len(starts) or end <= starts[index])

    return is_free


def drop_unchanged(release: Release) -> Release:
    """The release without edits that change nothing; of the others it is no longer true that they stand in clear."""
    changed = (edit for edit in release.edits if edit.reasons != (_IN_CLEAR,))
    return replace(
        release,
        edits=tuple(
            replace(edit, reasons=tuple(reason for reason in edit.reasons if reason != _IN_CLEAR)) for edit in changed
        ),
    )


def _fact_spans(document: Document) -> list[Span]:
    """Dates with a year, and mentions of one country, in the order of the text."""
    text = document.text
    spans = [
        Span(*match.span(), "DATETIME", source="protect")
        for _, match in find_dates(text)
        if match.groupdict().get("year")
    ]
    spans += [
        Span(mention.start, mention.end, "DEM" if mention.is_adjective else "LOC", source="protect")
        for mention in find_countries(text)
        if len(mention.codes) == 1
    ]
    spans.sort(key=lambda span: (span.start, -span.end))
    return [span for number, span in enumerate(spans) if all(other.end <= span.start for other in spans[:number])]


# The form: typography, and how many paragraphs there are.

FORM = "form"
"""The kind of repair."""
FORM_IN_WORDS = "typography and paragraph breaks", "uniform signs, fewer paragraphs"
"""What stands for the passage before and after such a repair, which has no words."""
_SIGNS = str.maketrans({"’": "'", "‘": "'", "‛": "'", "“": '"', "”": '"', "„": '"', "‑": "-", "\u00a0": " "})
_SIGN = re.compile("[’‘‛“”„‑\u00a0]")
_BREAK = re.compile(r"(?<=[.!?”’\"'])[ \t]*\n[ \t]*\n\s*(?=[^\W\d_a-z][^\n]{60})")
"""Between two paragraphs of prose: not before a heading, a list or a number."""
_FEWEST_JOINED, _MOST_JOINED = 0.2, 0.6
"""The share of breaks that are joined is drawn for each document between these, so that nobody can count back."""


def hide_form(release: Release, secret: bytes) -> Release:
    """The release with uniform signs and fewer paragraphs; which are joined depends on the secret.

    Paragraphs of a Word file or a page, which have borders that no edit may cross, stay as they are.
    """
    if release.rewrite is not None:
        return release
    document = release.document
    drawn = random.Random(secret + document.id.encode("utf-8", "surrogatepass"))
    share = drawn.uniform(_FEWEST_JOINED, _MOST_JOINED)
    changes = {match.span(): match[0].translate(_SIGNS) for match in _SIGN.finditer(document.text)}
    if not document.meta.get("borders"):
        changes |= {match.span(): " " for match in _BREAK.finditer(document.text) if drawn.random() < share}
    is_free = _free_ranges(release)
    new, last_end = list[Edit](), 0
    for (start, end), replacement in sorted(changes.items()):
        if start >= last_end and is_free(start, end):
            new.append(Edit(Span(start, end, WORD_LABEL, source="protect"), replacement, (FORM,)))
            last_end = end
    return Release(document, (*release.edits, *new), reasons=release.reasons)
