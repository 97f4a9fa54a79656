"""Releases for tests: of what a pattern finds, and of anything at all."""

from __future__ import annotations

import re

from hypothesis import strategies as st

from sfumato.document import Document, Edit, Release, Span


def edited(document: Document, pattern: str, replacement: str) -> Release:
    matches = re.finditer(pattern, document.text, re.IGNORECASE)
    return Release(document, tuple(Edit(Span(m.start(), m.end(), "PERSON"), replacement) for m in matches))


@st.composite
def releases(draw: st.DrawFn, text: str, alphabet: str) -> Release:
    """Any edits: inside slots, over slots, over lines, of no width, to nothing."""
    count = draw(st.integers(0, 4))
    cuts = sorted(draw(st.lists(st.integers(0, len(text)), min_size=2 * count, max_size=2 * count)))
    replacements = st.text(st.sampled_from(alphabet), max_size=6)
    pairs = zip(cuts[::2], cuts[1::2], strict=True)
    return Release(
        Document("d", text), tuple(Edit(Span(start, end, "MISC"), draw(replacements)) for start, end in pairs)
    )
