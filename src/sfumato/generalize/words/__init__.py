"""Generalizes ordinary words of a text that no detector found: true, grammatical and less telling.

Only what is known to be true is offered; for many words that is suppression alone.
"""

from __future__ import annotations

from sfumato.annotated_text import read_once
from sfumato.generalize.words.base import SUPPRESSED, WordGeneralization
from sfumato.generalize.words.figures import find_figures, find_quotations, generalize_figure
from sfumato.generalize.words.fluency import load_sentence_model
from sfumato.generalize.words.modifiers import generalize_modifier, omit_modifier
from sfumato.generalize.words.nouns import generalize_noun
from sfumato.generalize.words.phrases import reword
from sfumato.generalize.words.verbs import generalize_verb
from sfumato.lexicon.grammar import TextRange

__all__ = [
    "SUPPRESSED",
    "WordGeneralization",
    "find_figures",
    "find_quotations",
    "generalize_word",
    "reword_phrase",
]


def generalize_word(
    text: str, start: int, end: int, language: str = "en", limits: TextRange | None = None
) -> list[WordGeneralization]:
    """True replacements of a word or a number ``text[start:end]``, the one that says most first, suppression last.

    ``limits`` is the widest range that may be replaced: all of the text unless neighbouring edits leave less.
    """
    limits = (0, len(text)) if limits is None else (min(limits[0], start), max(limits[1], end))
    options: list[WordGeneralization] = []
    if 0 <= start < end <= len(text):
        options = generalize_figure(text, start, end, language, limits)
        if not options and language in _BY_LANGUAGE and _has_capitals(text):
            options = _BY_LANGUAGE[language](text, start, end, limits)
    options = [option for option in options if option.start <= start and end <= option.end and option.is_within(limits)]
    return [*options, WordGeneralization("suppress", start, end, SUPPRESSED, "nothing wider is left")]


def _generalize_english_word(text: str, start: int, end: int, limits: TextRange) -> list[WordGeneralization]:
    options = generalize_noun(text, start, end, limits) or generalize_verb(text, start, end)
    return [*(options or generalize_modifier(text, start, end)), *omit_modifier(text, start, end)]


def reword_phrase(text: str, start: int, end: int, language: str = "en") -> list[WordGeneralization]:
    """The wider wording of the phrase around a word that reads best; empty where none is true and reads well.

    It asks the masked language model, which takes a tenth of a second.
    """
    return _PHRASES_BY_LANGUAGE[language](text, start, end) if language in _PHRASES_BY_LANGUAGE else []


def _reword_english_phrase(text: str, start: int, end: int) -> list[WordGeneralization]:
    return reword(text, start, end, load_sentence_model())


_PHRASES_BY_LANGUAGE = {"en": _reword_english_phrase}
_BY_LANGUAGE = {"en": _generalize_english_word}
"""Languages whose words can be generalized; of the others only figures can."""


@read_once
def _has_capitals(text: str) -> bool:
    """In a text without capitals names cannot be told from words."""
    return not text.islower()
