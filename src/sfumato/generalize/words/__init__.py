"""What an ordinary word may become and still be true."""

from __future__ import annotations

from functools import lru_cache

from sfumato.generalize.words.base import SUPPRESSED, Room, Wording
from sfumato.generalize.words.figures import figure_wordings, figures, quotations
from sfumato.generalize.words.modifiers import drop_wordings, modifier_wordings
from sfumato.generalize.words.nouns import noun_wordings
from sfumato.generalize.words.verbs import verb_wordings

# -- Wider wordings for the ordinary words of a text, those that no detector took: true, grammatical, and less telling.
#
# What is not known to be true is not offered: of many words only suppression is.


def wordings(text: str, start: int, end: int, language: str = "en", room: Room | None = None) -> list[Wording]:
    """What may stand in a word's place and is still true, the one that says most first; suppression is the last.

    ``text[start:end]`` is a word or a number; ``room`` the widest range that may be replaced, all of the text unless
    neighbouring edits leave less.
    """
    limits = (0, len(text)) if room is None else (min(room[0], start), max(room[1], end))
    found: list[Wording] = []
    if 0 <= start < end <= len(text):
        found = figure_wordings(text, start, end, language, limits)
        if not found and language == "en" and _tells_names(text):
            found = noun_wordings(text, start, end, limits) or verb_wordings(text, start, end)
            found = found or modifier_wordings(text, start, end)
            found += drop_wordings(text, start, end)
    found = [one for one in found if one.start <= start and end <= one.end and one.lies_in(limits)]
    return [*found, Wording("suppress", start, end, SUPPRESSED, "nothing wider is left")]


@lru_cache(maxsize=8)
def _tells_names(text: str) -> bool:
    """Whether the text has capitals: in one without, names cannot be told from words."""
    return not text.islower()


# -- What an ordinary word may become and still be true.


__all__ = ["SUPPRESSED", "Wording", "figures", "quotations", "wordings"]
