"""Did the texts grow or shrink?"""

from __future__ import annotations

from collections.abc import Sequence

from sfumato.document import Release
from sfumato.intervals import Estimate, mean
from sfumato.measures.base import metric
from sfumato.measures.overlap import words


@metric("length", family="form", higher_is_better=False)
def length_change(releases: Sequence[Release]) -> Estimate:
    """Change of length in words, |released / original - 1|; mean of documents. ``ratio`` tells the direction."""
    ratios = {release.document.id: _ratio(release) for release in releases}
    known = [ratio for ratio in ratios.values() if ratio is not None]
    return mean(
        {key: None if ratio is None else abs(ratio - 1) for key, ratio in ratios.items()},
        {"ratio": sum(known) / max(1, len(known))},
        why_none="every original is empty: there is no length to compare with",
    )


def _ratio(release: Release) -> float | None:
    before = len(words(release.document.text))
    return len(words(release.text)) / before if before else None
