"""What flows through the house: documents, spans, edits, releases, attempts and scores.

Offsets are Unicode code points into ``Document.text``, everywhere, always. This room imports nothing of ours but
the errors.
"""

from sfumato.document.disjoint import merge_spans, settled
from sfumato.document.release import Document, Edit, Outcome, OverlappingEdits, Release, Withheld
from sfumato.document.score import Attempt, Evidence, Guess, Score
from sfumato.document.span import LABELS, Identifier, Span

__all__ = [
    "LABELS",
    "Attempt",
    "Document",
    "Edit",
    "Evidence",
    "Guess",
    "Identifier",
    "Outcome",
    "OverlappingEdits",
    "Release",
    "Score",
    "Span",
    "Withheld",
    "merge_spans",
    "settled",
]
