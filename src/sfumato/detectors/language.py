"""Which language is a text in, and is any of it in one that no detector covers?"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any, NamedTuple

from sfumato.lexicon import name_lists

_SAMPLE = 600
_PIECE = 90
"""Texts are judged by pieces of this many characters, two neighbours at a time."""
_LEXICON_LANGUAGES = frozenset({"en", "es", "de", "fr", "it", "pt", "nl"})
_WORD = re.compile(r"[^\W\d_]{3,}")
_ANY_WORD = re.compile(r"[^\W\d_]+")
# Letters by script, for the scripts in which living languages are written. Latin is what is left.
SCRIPTS = {
    "Greek": "\u0370-\u03ff\u1f00-\u1fff",
    "Cyrillic": "\u0400-\u052f",
    "Armenian": "\u0531-\u0587",
    "Hebrew": "\u05d0-\u05ea",
    "Arabic": "\u0620-\u064a\u066e-\u06d3\u0750-\u077f",
    "Devanagari": "\u0900-\u097f",
    "Bengali": "\u0980-\u09ff",
    "Gurmukhi": "\u0a00-\u0a7f",
    "Gujarati": "\u0a80-\u0aff",
    "Tamil": "\u0b80-\u0bff",
    "Telugu": "\u0c00-\u0c7f",
    "Kannada": "\u0c80-\u0cff",
    "Malayalam": "\u0d00-\u0d7f",
    "Thai": "\u0e00-\u0e4f",
    "Georgian": "\u10a0-\u10ff",
    "Ethiopic": "\u1200-\u137f",
    "Khmer": "\u1780-\u17d3",
    "Hangul": "\u1100-\u11ff\uac00-\ud7af",
    "Japanese": "\u3040-\u30ff",
    "Han": "\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U0002ffff",
}
_LANGUAGES_OF_SCRIPT = {
    "Greek": "el",
    "Cyrillic": "ru uk bg sr mk be kk ky mn tg",
    "Armenian": "hy",
    "Hebrew": "he yi",
    "Arabic": "ar fa ur ps ug",
    "Devanagari": "hi mr ne",
    "Bengali": "bn as",
    "Gurmukhi": "pa",
    "Gujarati": "gu",
    "Tamil": "ta",
    "Telugu": "te",
    "Kannada": "kn",
    "Malayalam": "ml",
    "Thai": "th",
    "Georgian": "ka",
    "Ethiopic": "am",
    "Khmer": "km",
    "Hangul": "ko",
    "Japanese": "ja",
    "Han": "zh ja",
}
# Letters of the Latin script that none of the seven languages writes its own words with.
_FOREIGN_LETTERS = re.compile("[ışğłąęźżśćńőűřěůčšžďťňľĺŕđðþāēģīķļņūįųėșțşţăơưåøĸħżċġ\u1ea0-\u1ef9]")
# Small words that are common in languages of Europe other than the seven, and words of none of those.
_FOREIGN_WORDS = frozenset(
    "og jeg ikke på och jag inte är att heter navn jsem bydlím jmenuji nie jest się mam sam živim hogy nem vagyok "
    "és nevem lakom sunt și numesc minä olen nimeni asun että hän ei mutta bir ve ben benim için değil adım nimi elan "
    "vardas gyvenu yra esu vārds dzīvoju saya nama dan tinggal volám bývam som žijem sú jestem mieszkam".split()
)
_WHOLE_WORD = re.compile(r"(?<![\w.])[^\W\d_]+(?!\w)")
_ENDS = re.compile(r"[.!?…][\"”»')]?\s*$")
_NOT_PROSE = re.compile(r"[_=<>{}\[\]|\\/@#]|://|\w\.\w|\d\D+\d|(?:,[^,]*){4}")
_NO_NATION = frozenset({"la", "zxx", "eo", "ia", "vo"})
_LETTERS = {script: re.compile(f"[{ranges}]") for script, ranges in SCRIPTS.items()}
_OF_OTHER_SCRIPTS = frozenset(" ".join(_LANGUAGES_OF_SCRIPT.values()).split())
_NOT_LATIN = re.compile(f"[{''.join(SCRIPTS.values())}]")


class Language(NamedTuple):
    """An ISO 639-1 code, or None where there is nothing to tell it by, and how sure that is (0 to 1)."""

    code: str | None
    confidence: float


class _Piece(NamedTuple):
    """Counts over a piece of text."""

    start: int
    end: int
    words: int
    letters: int
    everyday: int
    capitalised: int


@cache
def _identifier() -> Any:
    from py3langid.langid import (
        MODEL_FILE,
        LanguageIdentifier,
    )  # takes a second to load, and most texts never need it

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)


def identify(text: str) -> Language:
    """The language of a text, judged by its beginning, middle and end."""
    if len(text) > 3 * _SAMPLE:
        middle = (len(text) - _SAMPLE) // 2
        text = "\n".join((text[:_SAMPLE], text[middle : middle + _SAMPLE], text[-_SAMPLE:]))
    if not _ANY_WORD.search(text):
        return Language(None, 0.0)
    code, confidence = _identifier().classify(text)
    return Language(None if code == "zxx" else code, float(confidence))


def uncovered(text: str, languages: frozenset[str]) -> str | None:
    """The language or script of a part of the text that none of ``languages`` covers; None where all is covered.

    A script that none of them uses is enough by itself when it makes up most of a text or a hundred letters of it. A
    language in a shared script needs a stretch of prose, or a sentence without one everyday word of the seven
    languages: names, tables and codes are in no language.
    """
    if script := _foreign_script(text, languages):
        return script
    pieces = list(_pieces(text))
    return _foreign_prose(text, pieces, languages) or _foreign_sentence(text, pieces, languages)


def _foreign_script(text: str, languages: frozenset[str]) -> str | None:
    if text.isascii() or not _NOT_LATIN.search(text):
        return None
    total = sum(map(str.isalpha, text))
    for script, letters in _LETTERS.items():
        if not languages.isdisjoint(_LANGUAGES_OF_SCRIPT[script].split()):
            continue
        count = len(letters.findall(text))
        # Han and Hangul say in one sign what takes three or four letters elsewhere.
        weight = 4 if script in ("Han", "Hangul", "Japanese") else 1
        if 2 * count * weight > total + count * (weight - 1) or count * weight >= 100:
            return script
    return None


def _foreign_prose(text: str, pieces: Sequence[_Piece], languages: frozenset[str]) -> str | None:
    for index, first in enumerate(pieces):
        second = pieces[index + 1] if index + 1 < len(pieces) else None
        if second is None and index:
            break
        both = [first] if second is None else [first, second]
        words = sum(piece.words for piece in both)
        letters = sum(piece.letters for piece in both)
        if words < 10 or letters < 60 or sum(piece.capitalised for piece in both) > 0.5 * words:
            continue
        everyday = sum(piece.everyday for piece in both) / words
        if everyday > 0.2 and languages >= _LEXICON_LANGUAGES:
            continue
        found = identify(text[both[0].start : both[-1].end])
        sure = 0.9 if letters >= 120 else 0.97
        # Another script would have been seen above: a few of its words in a text do not make it foreign.
        if found.code in languages or found.code in _OF_OTHER_SCRIPTS:
            continue
        if found.code is not None and found.confidence >= sure:
            return found.code
    return None


def _foreign_sentence(text: str, pieces: Sequence[_Piece], languages: frozenset[str]) -> str | None:
    """A sentence of a text that has hardly an everyday word of ours is foreign by its letters and small words."""
    everyday = sum(piece.everyday for piece in pieces) > 0.3 * sum(piece.words for piece in pieces)
    if everyday or not languages >= _LEXICON_LANGUAGES:
        return None
    for piece in pieces:
        sentence = text[piece.start : piece.end]
        words = _WHOLE_WORD.findall(sentence)
        small = sum(word[0].islower() for word in words)
        if len(words) < 5 or small < 3 or 3 * piece.everyday > piece.words or _NOT_PROSE.search(sentence):
            continue
        telling = sum(_is_telling(word) for word in words)
        if telling == 0 and (piece.everyday or not _ENDS.search(sentence)):
            continue
        code, doubt = _most_likely(sentence, languages)
        if code is not None and doubt <= (0.4 if telling > 1 else 0.2 if telling else 0.05):
            return code
    return None


def _is_telling(word: str) -> bool:
    return word.casefold() in _FOREIGN_WORDS or (word[0].islower() and _FOREIGN_LETTERS.search(word) is not None)


def _most_likely(text: str, languages: frozenset[str]) -> tuple[str | None, float]:
    """The likeliest language of other lands in a script of ours, and the chance that it is one of ours after all.

    Swedish, Danish and Norwegian share what chance a sentence leaves them: only together do they outweigh the rest.
    """
    ranked = _identifier().rank(text)
    ours = sum(float(chance) for code, chance in ranked if code in languages or code in _OF_OTHER_SCRIPTS)
    others = [code for code, _ in ranked if code not in languages and code not in _OF_OTHER_SCRIPTS | _NO_NATION]
    return (others[0] if others else None), ours


def _pieces(text: str) -> Iterator[_Piece]:
    """The text in pieces of about equal length, cut at the ends of lines, else at spaces."""
    everyday = name_lists.common_words()
    start, size = 0, len(text)
    while start < size:
        end = min(size, start + _PIECE)
        if (line_end := text.find("\n", start + _PIECE // 4, end)) > 0:
            end = line_end
        elif end < size and (space := text.rfind(" ", start + _PIECE // 2, end)) > 0:
            end = space
        words = _WORD.findall(text, start, end)
        yield _Piece(
            start,
            end,
            len(words),
            sum(map(len, words)),
            sum(word in everyday for word in map(str.casefold, words)),
            sum(word[0].isupper() for word in words),
        )
        start = end
