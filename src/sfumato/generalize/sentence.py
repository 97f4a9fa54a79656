"""Renders a level in the sentence where its mention was, with article, preposition, number, capital and possessive.

``render_level`` returns which range of the original text is replaced and by what. The range covers the mention; it is
wider where an article or a preposition before it, or a possessive ending or a doubled noun after it, no longer fits.
``is_grammatical`` tells whether the sentence stays grammatical: where it does not, the next level may.
The grammar is in ``sentence_<language>``; in a language without that module nothing around the mention changes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from sfumato.generalize.context import Substitution, TrimmedMention, begins_sentence, is_line_in_capitals, trim_mention
from sfumato.generalize.hierarchy import Level, Mention, language_module
from sfumato.lexicon.grammar import TextRange
from sfumato.lexicon.grammar_en import word_classes

_POSSESSIVE = re.compile(r"(?<=s)['’]\Z|['’]s\Z")


@dataclass(frozen=True, slots=True)
class RenderedText:
    """``text`` replaces ``original[start:end]``."""

    start: int
    end: int
    text: str


def render_level(level: Level, mention: Mention, limits: TextRange | None = None) -> RenderedText:
    """The level as it reads in the mention's place. ``limits`` is the widest range that may be replaced."""
    return render_or_refuse(level, mention, limits)[0]


def render_or_refuse(level: Level, mention: Mention, limits: TextRange | None = None) -> tuple[RenderedText, bool]:
    """Both ``render_level`` and ``is_grammatical``, which need the same reading of the sentence."""
    trimmed = trim_mention(mention)
    substitution = _substitution(level, mention, trimmed, _limits(mention, limits))
    is_grammatical = substitution.is_grammatical
    if is_line_in_capitals(mention.text, substitution.start, substitution.end):
        text, possessive = substitution.text.upper(), substitution.possessive.upper()
        substitution = replace(substitution, text=text, possessive=possessive)
    elif _needs_capital(substitution.start, mention, trimmed):
        substitution = replace(substitution, text=substitution.text[:1].upper() + substitution.text[1:])
    return _with_edges(substitution, mention, _limits(mention, limits)), is_grammatical


def is_grammatical(level: Level, mention: Mention, limits: TextRange | None = None) -> bool:
    """Whether ``render_level`` finds a grammatical form: not "the large city in England office", not "Mr the judge"."""
    return _substitution(level, mention, trim_mention(mention), _limits(mention, limits)).is_grammatical


def render_label(label: str, mention: Mention, limits: TextRange | None = None) -> RenderedText:
    """A numbered label in the mention's place; a possessive ending stays, "a" and "an" before it agree."""
    trimmed = trim_mention(mention)
    ending = trimmed.possessive and (trimmed.possessive if len(trimmed.possessive) > 1 else trimmed.possessive + "s")
    substitution = Substitution(trimmed.start, trimmed.end, label, ending)
    if agree := getattr(language_module("sentence", mention.language), "with_agreeing_article", None):
        substitution = agree(substitution, mention, _limits(mention, limits))
    return _with_edges(substitution, mention, _limits(mention, limits))


def _substitution(level: Level, mention: Mention, trimmed: TrimmedMention, limits: TextRange) -> Substitution:
    # Some levels repeat the ending and the punctuation of their original, which are restored later anyway.
    bare = level.text.removeprefix(trimmed.before.strip()).removesuffix(trimmed.after.strip())
    bare = _POSSESSIVE.sub("", bare) or level.text
    if bare != level.text:
        level = replace(level, text=bare)
    substitution = Substitution(trimmed.start, trimmed.end, level.text, trimmed.possessive)
    if module := language_module("sentence", mention.language):
        substitution = module.render(level, mention, trimmed, limits)
    return substitution


def _limits(mention: Mention, limits: TextRange | None) -> TextRange:
    if limits is None:
        return 0, len(mention.text)
    return min(limits[0], mention.start), max(limits[1], mention.end)


def _needs_capital(start: int, mention: Mention, trimmed: TrimmedMention) -> bool:
    """Whether the new text begins with a capital: as the old word did for its position, not as a name."""
    text = mention.text
    first = text[start : start + 1]
    if start < trimmed.start or first.islower():
        return first.isupper()
    if mention.label == "DEM" and first.isupper() and text[max(0, start - 3) : start].rstrip().endswith(":"):
        return text[start : trimmed.end].partition(" ")[0].lower() in word_classes()
    return begins_sentence(text, start)


_NEAR_BRACKET = 12
"""So many characters further a closing bracket is looked for: "[09.11.1948 (75] yrs)"."""
_BRACKETS = (("(", ")"), ("[", "]"), ("{", "}"), ("“", "”"), ("«", "»"))


def _balanced(text: str, start: int, end: int, limits: TextRange) -> TextRange:
    """The range with the bracket beside it whose partner it has, so that none is left alone: "(270[) 555-0143]"."""
    for opening, closing in _BRACKETS:
        surplus = text.count(opening, start, end) - text.count(closing, start, end)
        if surplus > 0:
            close = text.find(closing, end, min(limits[1], end + _NEAR_BRACKET))
            is_near = close >= 0 and opening not in text[end:close] and "\n" not in text[end:close]
            end = close + 1 if is_near else end
        elif surplus < 0 and text[max(0, start - 1) : start] == opening and start > limits[0]:
            start -= 1
    return start, end


def _with_edges(substitution: Substitution, mention: Mention, limits: TextRange) -> RenderedText:
    """Adds the possessive ending, the punctuation at the mention's edges, and a space where a word was cut."""
    text = mention.text
    body = substitution.text + substitution.possessive
    start, end = _balanced(text, substitution.start, substitution.end, limits)
    if start >= mention.start:
        body = text[mention.start : start] + body
        start = mention.start
    if end <= mention.end:
        body += text[end : mention.end]
        end = mention.end
    if start and text[start - 1].isalnum() and body[:1].isalnum():
        body = " " + body
    if text[end : end + 1].isalnum() and body[-1:].isalnum():
        body += " "
    return RenderedText(start, end, body)
