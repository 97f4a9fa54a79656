"""What the form of a release tells: typography, and how many paragraphs it has.

A document that goes on elsewhere, or was typeset by the same hand, can be found by it, whatever its words say. So where
an attack finds people by such signs, apostrophes and quotation marks are made uniform, and some paragraphs are joined.
"""

from __future__ import annotations

import random
import re
from bisect import bisect_right

from sfumato.document import Edit, Release, Span
from sfumato.protection.text import WORD_LABEL

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
    starts = [edit.span.start for edit in release.edits]

    def is_free(start: int, end: int) -> bool:
        index = bisect_right(starts, start)
        is_after = index == 0 or release.edits[index - 1].span.end <= start
        return is_after and (index == len(starts) or end <= starts[index])

    new, last_end = list[Edit](), 0
    for (start, end), replacement in sorted(changes.items()):
        if start >= last_end and is_free(start, end):
            new.append(Edit(Span(start, end, WORD_LABEL, source="protect"), replacement, (FORM,)))
            last_end = end
    return Release(document, (*release.edits, *new), reasons=release.reasons)
