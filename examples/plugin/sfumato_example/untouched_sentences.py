"""How much of a text can be quoted as it was?"""

from __future__ import annotations

import re
from collections.abc import Sequence

from sfumato.document import Release
from sfumato.metrics.base import metric, require_edits
from sfumato.statistics import Estimate, share

_SENTENCE = re.compile(r"\S.*?(?:[.!?](?=\s)|$)", re.MULTILINE)


@metric("untouched-sentences", family="form", higher_is_better=True)
def untouched_sentences(releases: Sequence[Release], shortest: int = 3) -> Estimate:
    """Share of sentences that no edit touches.

    ``shortest``: words that a sentence has at least.
    """
    kept, all_of_them = dict[str, float](), dict[str, float]()
    for release in require_edits(releases):
        key, text = release.document.id, release.document.text
        found = [match.span() for match in _SENTENCE.finditer(text) if len(match[0].split()) >= shortest]
        whole = [any(start <= a and b <= end for start, end in release.kept) for a, b in found]
        kept[key], all_of_them[key] = sum(whole), len(found)
    return share(kept, all_of_them, {"sentences": "by full stop and line"})
