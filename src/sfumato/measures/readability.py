"""Are the releases as easy to read as the originals?

Flesch, A new readability yardstick, 1948. English only: the formula's constants are.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from statistics import fmean

from sfumato.document import Release
from sfumato.intervals import Estimate, mean
from sfumato.knowledge.grammar.sentences import sentences
from sfumato.measures.base import metric
from sfumato.measures.terms import language_of

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_VOWELS = re.compile(r"[aeiouyàáâäãåèéêëìíîïòóôöõøùúûü]+")
# The e of "make", "makes", "lodged"; not that of "table", "judges", "wanted".
_SILENT = re.compile(r"(?<=[^aeiouy])(?<![^aeiouy]l)(?:e|(?<![scgxzh])es|(?<![td])ed)$")


@metric("readability", family="form", higher_is_better=False)
def readability_change(releases: Sequence[Release]) -> Estimate:
    """Change of the Flesch reading ease in points, |released - original|; mean of documents; English only."""
    english = [release for release in releases if language_of(release.document.text) in ("en", None)]
    eases = {
        release.document.id: (reading_ease(release.document.text), reading_ease(release.text)) for release in english
    }
    known = {key: (old, new) for key, (old, new) in eases.items() if old is not None and new is not None}
    said: dict[str, float | int] = {}
    if known:
        said = {
            "originals": fmean(old for old, _ in known.values()),
            "releases": fmean(new for _, new in known.values()),
        }
    if len(english) < len(releases):
        said["unknown_language"] = len(releases) - len(english)
    values = {release.document.id: _difference(known.get(release.document.id)) for release in releases}
    return mean(
        values, said, why_none="no English document has words both before and after: the formula is for English"
    )


def _difference(pair: tuple[float, float] | None) -> float | None:
    return None if pair is None else abs(pair[1] - pair[0])


def reading_ease(text: str) -> float | None:
    """206.835 - 1.015 words per sentence - 84.6 syllables per word; None for a text without words."""
    count = spoken = 0
    for start, end in sentences(text):
        found = _WORD.findall(text, start, end)
        if found:
            spoken += 1
            count += len(found)
    if not count:
        return None
    said = sum(syllables(word) for word in _WORD.findall(text))
    return 206.835 - 1.015 * count / spoken - 84.6 * said / count


def syllables(word: str) -> int:
    """Groups of vowels, less a silent e; at least one."""
    lower = word.lower()
    groups = len(_VOWELS.findall(lower))
    return max(1, groups - (_SILENT.search(lower) is not None))
