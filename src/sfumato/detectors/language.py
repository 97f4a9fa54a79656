"""Whether a part of a text is in a language that no detector covers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from sfumato.detectors.rules.patterns import word_list
from sfumato.lexicon import name_lists
from sfumato.lexicon.language import SCRIPT_LANGUAGES, SCRIPT_LETTERS, identify_language, language_probabilities
from sfumato.lexicon.tokens import LONG_WORD

_CHUNK = 90
"""Texts are judged by chunks of this many characters, two neighbours at a time."""
_WHOLE_WORD = re.compile(r"(?<![\w.])[^\W\d_]+(?!\w)")
_SENTENCE_END = re.compile(r"[.!?…][\"”»')]?\s*$")
_NOT_PROSE = re.compile(r"[_=<>{}\[\]|\\/@#]|://|\w\.\w|\d\D+\d|(?:,[^,]*){4}")
# Letters of the Latin script that none of the seven languages uses in its own words.
_FOREIGN_LETTERS = re.compile("[ışğłąęźżśćńőűřěůčšžďťňľĺŕđðþāēģīķļņūįųėșțşţăơưåøĸħżċġ\u1ea0-\u1ef9]")
_FOREIGN_WORDS = frozenset(word_list("languages.foreign_words"))
_WITHOUT_SPEAKERS = frozenset({"la", "zxx", "eo", "ia", "vo"})
_LETTERS = {script: re.compile(f"[{letters}]") for script, letters in SCRIPT_LETTERS.items()}
_NOT_LATIN = re.compile(f"[{''.join(SCRIPT_LETTERS.values())}]")
_IN_OTHER_SCRIPTS = frozenset(code for codes in SCRIPT_LANGUAGES.values() for code in codes)
# Scripts in which one sign stands for three or four letters.
_DENSE_SCRIPTS = frozenset({"Han", "Hangul", "Japanese"})


class _Chunk(NamedTuple):
    """A piece of a text and counts over its words."""

    start: int
    end: int
    words: int
    letters: int
    everyday: int
    capitalised: int


def find_uncovered_language(text: str, languages: frozenset[str]) -> str | None:
    """The language or script of a part of the text that none of ``languages`` covers; None where all is covered.

    A script that none of them uses is enough by itself when it makes up most of the text or has a hundred letters. A
    language in a shared script needs a stretch of prose, or a sentence without an everyday word of the seven
    languages: names, tables and codes belong to no language.
    """
    if script := _foreign_script(text, languages):
        return script
    chunks = list(_chunks(text))
    return _foreign_prose(text, chunks, languages) or _foreign_sentence(text, chunks, languages)


def _foreign_script(text: str, languages: frozenset[str]) -> str | None:
    if text.isascii() or not _NOT_LATIN.search(text):
        return None
    total = sum(map(str.isalpha, text))
    for script, letters in _LETTERS.items():
        if not languages.isdisjoint(SCRIPT_LANGUAGES[script]):
            continue
        count = len(letters.findall(text))
        weight = 4 if script in _DENSE_SCRIPTS else 1
        if 2 * count * weight > total + count * (weight - 1) or count * weight >= 100:
            return script
    return None


def _foreign_prose(text: str, chunks: Sequence[_Chunk], languages: frozenset[str]) -> str | None:
    for index in range(max(1, len(chunks) - 1)):
        both = chunks[index : index + 2]
        words = sum(chunk.words for chunk in both)
        letters = sum(chunk.letters for chunk in both)
        if words < 10 or letters < 60 or sum(chunk.capitalised for chunk in both) > 0.5 * words:
            continue
        everyday = sum(chunk.everyday for chunk in both) / words
        if everyday > 0.2 and languages >= name_lists.COMMON_WORD_LANGUAGES:
            continue
        language = identify_language(text[both[0].start : both[-1].end], 0.9 if letters >= 120 else 0.97).code
        # A few words in another script do not make a text foreign; more of them were found above.
        if language is not None and language not in languages and language not in _IN_OTHER_SCRIPTS:
            return language
    return None


def _foreign_sentence(text: str, chunks: Sequence[_Chunk], languages: frozenset[str]) -> str | None:
    """The language of a sentence with foreign letters or small words, in a text with few everyday words of ours."""
    is_everyday = sum(chunk.everyday for chunk in chunks) > 0.3 * sum(chunk.words for chunk in chunks)
    if is_everyday or not languages >= name_lists.COMMON_WORD_LANGUAGES:
        return None
    for chunk in chunks:
        sentence = text[chunk.start : chunk.end]
        words = _WHOLE_WORD.findall(sentence)
        small = sum(word[0].islower() for word in words)
        if len(words) < 5 or small < 3 or 3 * chunk.everyday > chunk.words or _NOT_PROSE.search(sentence):
            continue
        foreign = sum(map(_is_foreign, words))
        if foreign == 0 and (chunk.everyday or not _SENTENCE_END.search(sentence)):
            continue
        code, covered_probability = _likeliest_uncovered(sentence, languages)
        if code is not None and covered_probability <= (0.4 if foreign > 1 else 0.2 if foreign else 0.05):
            return code
    return None


def _is_foreign(word: str) -> bool:
    return word.casefold() in _FOREIGN_WORDS or (word[0].islower() and _FOREIGN_LETTERS.search(word) is not None)


def _likeliest_uncovered(text: str, languages: frozenset[str]) -> tuple[str | None, float]:
    """The likeliest uncovered language in Latin script, and the probability that the text is in a covered one.

    The covered probability is compared, not that of the likeliest language: Swedish, Danish and Norwegian share theirs.
    """
    ranked = language_probabilities(text)
    covered = sum(chance for code, chance in ranked if code in languages or code in _IN_OTHER_SCRIPTS)
    others = (code for code, _ in ranked if code not in languages | _IN_OTHER_SCRIPTS | _WITHOUT_SPEAKERS)
    return next(others, None), covered


def _chunks(text: str) -> Iterator[_Chunk]:
    """The text in chunks of about equal length, cut at the ends of lines, else at spaces."""
    everyday = name_lists.common_words()
    start, size = 0, len(text)
    while start < size:
        end = min(size, start + _CHUNK)
        if (line_end := text.find("\n", start + _CHUNK // 4, end)) > 0:
            end = line_end
        elif end < size and (space := text.rfind(" ", start + _CHUNK // 2, end)) > 0:
            end = space
        words = LONG_WORD.findall(text, start, end)
        yield _Chunk(
            start,
            end,
            len(words),
            sum(map(len, words)),
            sum(word in everyday for word in map(str.casefold, words)),
            sum(word[0].isupper() for word in words),
        )
        start = end
