"""What an ordinary word may become and still be true."""

from __future__ import annotations

from functools import lru_cache

from sfumato.generalize.words.base import SUPPRESSED, WordGeneralization
from sfumato.generalize.words.figures import find_figures, find_quotations, generalize_figure
from sfumato.generalize.words.modifiers import generalize_modifier, omit_modifier
from sfumato.generalize.words.nouns import generalize_noun
from sfumato.generalize.words.verbs import generalize_verb
from sfumato.lexicon.grammar import TextRange

# -- Wider wordings for the ordinary words of a text, those that no detector took: true, grammatical, and less telling.
#
# What is not known to be true is not offered: of many words only suppression is.


def generalize_word(
    text: str, start: int, end: int, language: str = "en", limits: TextRange | None = None
) -> list[WordGeneralization]:
    """What may stand in a word's place and is still true, the one that says most first; suppression is the last.

    ``text[start:end]`` is a word or a number; ``limits`` the widest range that may be replaced, all of the text unless
    neighbouring edits leave less.
    """
    limits = (0, len(text)) if limits is None else (min(limits[0], start), max(limits[1], end))
    found: list[WordGeneralization] = []
    if 0 <= start < end <= len(text):
        found = generalize_figure(text, start, end, language, limits)
        if not found and language == "en" and _tells_names(text):
            found = generalize_noun(text, start, end, limits) or generalize_verb(text, start, end)
            found = found or generalize_modifier(text, start, end)
            found += omit_modifier(text, start, end)
    found = [one for one in found if one.start <= start and end <= one.end and one.is_within(limits)]
    return [*found, WordGeneralization("suppress", start, end, SUPPRESSED, "nothing wider is left")]


@lru_cache(maxsize=8)
def _tells_names(text: str) -> bool:
    """Whether the text has capitals: in one without, names cannot be told from words."""
    return not text.islower()


# -- What an ordinary word may become and still be true.


__all__ = ["SUPPRESSED", "WordGeneralization", "find_figures", "find_quotations", "generalize_word"]
