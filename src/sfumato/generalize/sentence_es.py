"""Renders a level in a Spanish sentence: only what is safe, since most levels do not tell their gender."""

from __future__ import annotations

import re
from dataclasses import replace

from sfumato.generalize.context import Substitution, TrimmedMention, word_before
from sfumato.generalize.hierarchy import Level, Mention
from sfumato.lexicon.grammar import TextRange
from sfumato.lexicon.tables import word_set, words
from sfumato.lexicon.tokens import alternation

_GOVERNING_WORDS = word_set("sentence", "governing_words", "es")
_PHRASE_PREPOSITION = re.compile(rf"(?:{alternation(words('sentence', 'phrase_prepositions', 'es'))})\b", re.IGNORECASE)
_ARTICLE = re.compile(r"(?:el|la|los|las|una?|unos|unas)\s+(?=\S)", re.IGNORECASE)
_PART_OF_TIME = re.compile(
    rf"\b(?:{alternation(words('sentence', 'parts_of_times', 'es'))}) (?:de|del)(?: año| mes)? \Z", re.IGNORECASE
)
"""What cuts a part out of a time, which a wider time need not have."""
_DETERMINERS = word_set("sentence", "determiners", "es")
_FEMININE_ENDING = re.compile(r"(?:[^m]a|ción|sión|dad|tad|tud|ez|región|mano|red|ley)\Z")
_MASCULINE_ENDING = re.compile(r"(?:o|or|al|el|és|aje|ente|país|mes|lugar|tren|bar|ón)\Z")
_MASCULINE_NOUNS = word_set("sentence", "masculine_nouns", "es")
_PRECEDING_ADJECTIVES = word_set("sentence", "preceding_adjectives", "es")
_WITHOUT_ARTICLE = {"al": "a", "del": "de"}


def render(level: Level, mention: Mention, trimmed: TrimmedMention, limits: TextRange) -> Substitution:
    """The level in a Spanish sentence: "el [3 de mayo de 2003]" becomes "en mayo de 2003"."""
    text = mention.text
    substitution = Substitution(trimmed.start, trimmed.end, level.text)
    word, word_start = word_before(text, trimmed.start)
    previous = word.lower()
    is_on_same_line = text[word_start : trimmed.start].isprintable()
    may_replace = trimmed.start == mention.start and word_start >= limits[0] and is_on_same_line
    has_article = _ARTICLE.match(text[trimmed.start : trimmed.end]) is not None
    lead: str | None = None
    if mention.label == "DATETIME":
        outer, outer_start = word_before(text, word_start)
        lead = _lead_of_time(level, previous, outer.lower())
        if _PART_OF_TIME.search(text, max(0, trimmed.start - 30), trimmed.start):
            return replace(substitution, is_grammatical=False)
        if previous == "el" and outer.lower() == "en" and lead is not None and outer_start >= limits[0]:
            word_start, lead = outer_start, level.preposition or ""
    elif previous in _WITHOUT_ARTICLE and level.article == "" and level.text[:1].isupper():
        lead = _WITHOUT_ARTICLE[previous]
    elif level.article == "a" and not level.plural and (has_article or previous not in _DETERMINERS):
        return replace(substitution, text=_join(_indefinite_article(level.text), level.text))
    if lead is None and previous in ("a", "de") and level.text.startswith("el "):
        lead = previous
    if lead is not None and may_replace:
        return replace(substitution, start=word_start, text=_join(lead, level.text))
    # "a los [8 meses]" leaves no place for "menos de un año".
    is_grammatical = previous not in ("los", "las") or _PHRASE_PREPOSITION.match(level.text) is None
    return replace(substitution, is_grammatical=is_grammatical)


def _lead_of_time(level: Level, word: str, before: str) -> str | None:
    """What replaces the word before a time; None where it may stay."""
    has_preposition = _PHRASE_PREPOSITION.match(level.text) is not None
    if word in ("en", "a") and has_preposition:
        return ""
    if word == "en" and level.preposition not in (None, "en"):
        return level.preposition
    if level.article != "":
        return None
    if word in ("el", "los"):
        # A month takes "en" and no article; "hasta el 3 de mayo" has its preposition.
        return "" if before in _GOVERNING_WORDS or has_preposition else level.preposition or ""
    return _WITHOUT_ARTICLE.get(word)


def _indefinite_article(phrase: str) -> str:
    """The article of the phrase's first noun where its ending tells the gender, else none."""
    noun = next((word for word in phrase.lower().split() if word not in _PRECEDING_ADJECTIVES), "")
    if noun in _MASCULINE_NOUNS or _MASCULINE_ENDING.search(noun):
        return "un" if not _FEMININE_ENDING.search(noun) or noun in _MASCULINE_NOUNS else "una"
    return "una" if _FEMININE_ENDING.search(noun) else ""


def _join(lead: str, phrase: str) -> str:
    if lead in ("a", "de") and phrase.startswith("el "):
        return f"{lead}l {phrase.removeprefix('el ')}"
    return f"{lead} {phrase}" if lead else phrase
