"""Each sensitive mention beside the released text it may still stand in, and how like it that is."""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple, get_args

from sfumato.document import Release, Span
from sfumato.errors import RecipeError
from sfumato.knowledge.grammar.sentences import around, sentences
from sfumato.measures.levenshtein.windows import best_window
from sfumato.measures.mentions import must_go

Within = Literal["sentence", "note"]

DIRECT_LABELS = frozenset("PERSON NAME CODE ID EMAIL CONTACT_NUMBER PHONE".split())
"""Where a mention does not say itself what it is: name, contact number, id and e-mail (in TAB's types: CODE)."""


class Compared(NamedTuple):
    """A mention, and the stretch of the release to look for it in."""

    mention: str
    text: str
    is_direct: bool

    @property
    def is_readable(self) -> bool:
        """Whether the mention stands there character by character."""
        return self.mention in self.text

    @property
    def lsi(self) -> float:
        """The Levenshtein Similarity Index: 1 - LD / length of the most similar window (0 to 1)."""
        return best_window(self.mention, self.text).similarity


class Similarity(NamedTuple):
    """A mention's index."""

    lsi: float
    is_direct: bool


def compared(release: Release, spans: Iterable[Span], within: Within) -> tuple[Compared, ...]:
    """One per mention to mask; a stretch marked by several annotators counts once, as direct if one says so.

    ``within="sentence"``: the window of the release that is most like the sentence of the mention.
    """
    if within not in get_args(Within):
        raise RecipeError(f"'within' is {' or '.join(map(repr, get_args(Within)))}, not {within!r}")
    original, released = release.document.text, release.text
    direct: dict[tuple[int, int], bool] = {}
    for span in must_go(spans):
        place = span.start, span.end
        direct[place] = direct.get(place, False) or is_direct(span)
    found = []
    ranges = sentences(original) if within == "sentence" else []
    nearest: dict[tuple[int, int], str] = {}
    for (start, end), one_is_direct in direct.items():
        text = released
        if within == "sentence":
            sentence = around(ranges, start, end)
            if sentence not in nearest:
                window = best_window(original[slice(*sentence)], released)
                nearest[sentence] = released[window.start : window.end]
            text = nearest[sentence]
        found.append(Compared(original[start:end], text, one_is_direct))
    return tuple(found)


def similarities(release: Release, spans: Sequence[Span], within: Within) -> tuple[Similarity, ...]:
    """The index of each mention, kept while the release lives, since the family's metrics share it."""
    kept = _kept.get(id(release))
    if kept is None:
        kept = _kept[id(release)] = {}
        weakref.finalize(release, _kept.pop, id(release), None)
    key = (within, tuple(spans))
    if key not in kept:
        kept[key] = tuple(Similarity(one.lsi, one.is_direct) for one in compared(release, spans, within))
    return kept[key]


# By id, because a release cannot be hashed.
_kept: dict[int, dict[object, tuple[Similarity, ...]]] = {}


def is_direct(span: Span) -> bool:
    """What the mention says itself, else what its label tells."""
    if span.identifier is not None:
        return span.identifier == "direct"
    return span.label.upper() in DIRECT_LABELS
