"""Passes: spans without everyday words and function words at their ends."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from sfumato.detectors.everyday import LISTED, EverydayWords, everyday_words, may_name
from sfumato.document import Range, Span
from sfumato.lexicon import name_lists
from sfumato.lexicon.name_lists import PARTICLES, is_title, lookup_key
from sfumato.lexicon.time import mentions_time
from sfumato.lexicon.tokens import lazy_pattern

_TOKEN = lazy_pattern(r"\S+")


_WITHIN_NAMES = PARTICLES | name_lists.SURNAME_CONJUNCTIONS


_AROUND_WORDS = ",;:.!?()\"'“”‘’"


def trim_everyday_words(text: str, spans: Iterable[Span]) -> Iterator[Span]:
    """People that the tagger or the rules found, without everyday words at their ends.

    "at bedside" is no name, and of "told Anna Quorvex LOVES" only the two words in the middle are. A span of the tagger
    without any other word is dropped, and one with everyday words in its middle is cut there.
    """
    everyday = everyday_words(text)
    common = name_lists.common_words()
    for span in spans:
        if span.label != "PERSON" or not span.source.startswith(("tagger:", "rules:")):
            yield span
            continue
        words = list(_TOKEN.finditer(text, span.start, span.end))
        string = text[span.start : span.end]
        is_telling = [not _is_loose_word(word[0].strip(_AROUND_WORDS), string, everyday) for word in words]
        if words and _BEFORE_SENTENCE.search(text, max(0, span.start - 9), span.start):
            is_telling[0] &= not _is_first_function_word(words[0][0].strip(_AROUND_WORDS), len(words), everyday)
        if everyday.has_capital_nouns:  # "Anna zu Bett"
            for index, (particle, noun) in enumerate(pairwise(word[0] for word in words)):
                if particle in PARTICLES and not may_name(noun) and everyday.includes(noun.strip(_AROUND_WORDS)):
                    is_telling[index : index + 2] = False, False
        if all(is_telling):
            yield span
            continue
        loose = [word[0] for word, telling in zip(words, is_telling, strict=True) if not telling]
        is_small = not any(map(str.isupper, loose))
        if string.islower() and any(is_telling):  # a name that is spelled out
            first, last = is_telling.index(True), len(words) - is_telling[::-1].index(True)
            is_telling[first:last] = [True] * (last - first)
        for first, last in _runs(is_telling):
            run = [word[0].strip(_AROUND_WORDS) for word in words[first : last + 1]]
            # Nor "Beste collega", where the first word has its capital from the sentence.
            is_common = is_small and all(lookup_key(word) in common for word in run)
            if span.source.startswith("rules:") or not is_common:
                start = span.start if first == 0 else words[first].start()
                yield span.moved(start, span.end if last == len(words) - 1 else words[last].end())


_THINGS = frozenset({"LOC", "ORG", "MISC"})


_SURE = 0.95
"""The least score at which everyday words in small letters are taken for a thing's name."""


def trim_function_words(text: str, spans: Iterable[Span]) -> Iterator[Span]:
    """Places, organisations and other things that the tagger found, without small function words at their ends.

    One of everyday words in small letters alone ("rodajas", "collier") is dropped unless the tagger is sure. Of dates,
    ages, amounts and codes, only the words behind the last number go: *3.1. da*, *9122 of*; of dates also what follows
    behind a function word and says no time: *marzo de ingeniero*.
    """
    everyday = everyday_words(text)
    for span in spans:
        if not span.source.startswith("tagger:") or span.label == "PERSON":
            yield span
            continue
        if span.label == "DATETIME":
            span = _trim_to_time(text, span, everyday)
        if span.label not in _THINGS:
            yield span.moved(span.start, span.start + _length_to_last_number(text[span.start : span.end], everyday))
            continue
        words = list(_TOKEN.finditer(text, span.start, span.end))
        kept = [index for index, word in enumerate(words) if not _is_small_function_word(word[0], everyday)]
        if not kept:
            continue
        rest = [words[index][0].strip(_AROUND_WORDS) for index in kept]
        is_everyday = all(word.islower() and everyday.includes(word, span.label) for word in rest)
        if is_everyday and span.score < _SURE:
            continue
        start = span.start if kept[0] == 0 else words[kept[0]].start()
        end = span.end if kept[-1] == len(words) - 1 else words[kept[-1]].end()
        yield span.moved(start, end)


def _trim_to_time(text: str, span: Span, everyday: EverydayWords) -> Span:
    """A date without what follows its last time behind a function word, where that says no time."""
    words = list(_TOKEN.finditer(text, span.start, span.end))
    is_small = [_is_small_function_word(word[0], everyday) for word in words]
    times = [index for index, word in enumerate(words) if mentions_time(word[0]) and not is_small[index]]
    if not times or times[-1] + 1 == len(words) or not is_small[times[-1] + 1]:
        return span
    return span.moved(span.start, words[times[-1]].end())


def _length_to_last_number(string: str, everyday: EverydayWords) -> int:
    """How long a string is without function words behind its last word with a digit; all of it without digits."""
    words = list(_TOKEN.finditer(string))
    last = next((index for index in range(len(words) - 1, -1, -1) if re.search(r"\d", words[index][0])), None)
    if last is None or not all(_is_small_function_word(word[0], everyday) for word in words[last + 1 :]):
        return len(string)
    return words[last].end()


def _is_small_function_word(word: str, everyday: EverydayWords) -> bool:
    bare = word.strip(_AROUND_WORDS)
    return bare.islower() and everyday.is_function_word(bare)


def _runs(flags: Sequence[bool]) -> Iterator[Range]:
    """First and last index of each run of true values."""
    start = None
    for index, flag in enumerate((*flags, False)):
        if flag and start is None:
            start = index
        elif not flag and start is not None:
            yield start, index - 1
            start = None


_BEFORE_SENTENCE = re.compile(r"(?:(?<![^\n])|(?<=[.!?…:])\s+|(?<=\n)\s+)[\"“”«'‘’¿¡(]*\Z")


def _is_first_function_word(word: str, count: int, everyday: EverydayWords) -> bool:
    """Whether a word with which a sentence begins is one of grammar, and no name: "Ninguna", but not "De Vries"."""
    if not word.istitle() or not everyday.is_function_word(word) or lookup_key(word) in name_lists.given_names():
        return False
    return count == 1 or not (word.lower() in PARTICLES or may_name(word))


def _is_loose_word(word: str, name: str, everyday: EverydayWords) -> bool:
    """Whether a word of what was taken for a name is an everyday word: in small letters, or in capitals by itself."""
    if len(word) < 2 or word in _WITHIN_NAMES or is_title(word):
        return False
    if word.isupper() and not name.isupper():
        return word.isalpha() and not may_name(word) and everyday.includes(word)
    if not word.isalpha() or not word.islower():
        return False
    if everyday.is_function_word(word):
        return lookup_key(word) not in name_lists.given_names()
    return not may_name(word) and everyday.includes(word, limit=None if name.islower() else LISTED)
