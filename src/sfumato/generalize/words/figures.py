"""Exact figures, and what may stand for them: bands that hold a number, wider times."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from sfumato.generalize.context import word_before
from sfumato.generalize.durations.reading import read_duration
from sfumato.generalize.hierarchy import Mention, generalize
from sfumato.generalize.quantities.reading import MONTH_NAMES, read_quantity
from sfumato.generalize.sentence import is_grammatical, render_level
from sfumato.generalize.words.base import DEFINITE, WordGeneralization, is_negated
from sfumato.lexicon.grammar import TextRange, split_words
from sfumato.lexicon.numbers import HUNDREDS, SCALES, SMALL, TENS, number_at

MOST = 4
_MONTH = "|".join(sorted((re.escape(name) for name in MONTH_NAMES if len(name) > 2), key=len, reverse=True))
_DATE = re.compile(
    rf"(?<!\w)(?:\d{{1,2}}(?:st|nd|rd|th|º)?\s(?:of\s|de\s)?(?:{_MONTH})\.?(?:,?\s(?:de\s)?\d{{4}})?"
    rf"|(?:{_MONTH})\.?\s\d{{1,2}}(?:st|nd|rd|th)?(?:,?\s\d{{4}})?|(?:{_MONTH})\.?,?\s(?:de\s)?\d{{4}}"
    r"|\d{4}-\d\d-\d\d|\d{1,2}([./-])\d{1,2}\1(?:\d{4}|\d\d))(?![\w/])"
)
_TIME = re.compile(
    r"(?<![\w.:])(?:[01]?\d|2[0-3])(?:[:.][0-5]\d(?:\s?[ap]\.?m\b\.?|\s?hours\b|\s?h\b)|:[0-5]\d|\s?[ap]\.?m\b\.?)(?![\w:])",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"(?<![\w.])\d+(?:[.,’'\u00a0\u202f]\d+)*|(?<![\w.,])\d{1,3}(?: \d{3})+(?!\d)")
_SIGN = r"[$€£¥₤₺₽₴zł]|US\$|[A-Z]{3}"
_BEFORE = re.compile(rf"(?<!\w)(?:{_SIGN})\s?\Z")
_SCALE = r"\s(?:thousand|million|billion|trillion|hundred|mil|millones)"
_FIGURE = re.compile(
    rf"(?:(?<!\w)(?:{_SIGN})\s?)?(?<![\w.,/])\d+(?:[.,:’'\u00a0]\d+)*(?:{_SCALE})?"
    r"(?:\s?%|\sper\s?cent\b|\s(?:euros?|dollars?|pounds?|francs?|marks|liras?|zlotys?|roubles?|rubles?|hryvnias?|"
    r"forints?|crowns?|korunas?|lei|levs?|drachmas?|km|kg|m|cm|metres?|meters?|miles?|kilometres?|kilometers?|"
    r"hectares?|acres?|tons?|tonnes?|grams?|kilograms?)\b)?"
)
_NUMBERS_A_TEXT = re.compile(
    r"(?:^|\n)\s*[(\[]?\Z|(?:§+|\b(?:articles?|arts?\.|sections?|rules?|paragraphs?|paras?\.?|chapters?|"
    r"protocols?(?: no\.)?|pages?|pp?\.|artículos?))\s?(?:[\d\s§().,/–-]|and|or|to|of|y)*\Z",
    re.IGNORECASE,
)
"""What stands before the number of a paragraph, an article or a page: these are names, and no figures."""
_WORDS_AFTER = re.compile(r"(?:[\s-][^\W\d_]+\.?|\s?%)")
_WIDTH = 40


def find_figures(text: str) -> list[tuple[int, int]]:
    """Exact figures in digits, from left to right: dates, times, amounts, shares, decimals, numbers from 10 on."""
    taken: list[tuple[int, int]] = []
    for pattern in (_DATE, _TIME, _FIGURE):
        for found in pattern.finditer(text):
            start, end = found.span()
            if pattern is _FIGURE and not _is_exact(text, start, end):
                continue
            if not any(start < other_end and other_start < end for other_start, other_end in taken):
                taken.append((start, end))
    return sorted(taken)


def _is_exact(text: str, start: int, end: int) -> bool:
    said = text[start:end]
    if text[end : end + 1].isalpha() or _NUMBERS_A_TEXT.search(text, max(0, start - 60), start):
        return False
    return sum(map(str.isdigit, said)) > 1 or not said.isdigit()


def generalize_figure(text: str, start: int, end: int, language: str, limits: TextRange) -> list[WordGeneralization]:
    """What is true of the figure that the word belongs to, the narrowest first; none where it is no figure."""
    word = text[start:end]
    if not any(map(str.isdecimal, word)) and word.lower() not in _number_words(language):
        return []
    if is_negated(text, start) or _NUMBERS_A_TEXT.search(text, max(0, start - 60), start):
        return []
    for begin, stop, label in _extents(text, start, end, language):
        if begin < limits[0] or stop > limits[1]:
            continue
        mention = Mention(text, begin, stop, label, language)
        found = []
        for level in generalize(mention):
            if is_grammatical(level, mention, limits):
                fitted = render_level(level, mention, limits)
                found.append(
                    WordGeneralization("figure", fitted.start, fitted.end, fitted.text, f"{level.source}: {level.text}")
                )
        if found:
            return found[:MOST]
    return []


@lru_cache(maxsize=16)
def _number_words(language: str) -> frozenset[str]:
    """Without *one*, which is more often a pronoun."""
    known = (word for table in (SMALL, TENS, HUNDREDS, SCALES) for word in table.get(language, ()))
    return frozenset(known) - {"zero", "one", "cero", "un", "uno", "una"}


def _extents(text: str, start: int, end: int, language: str) -> Iterator[tuple[int, int, str]]:
    """The ranges that the figure may be read in, the whole of it first, each with the label of its hierarchy."""
    near = max(0, start - _WIDTH)
    for pattern in (_DATE, _TIME):
        for found in pattern.finditer(text, near, min(len(text), end + _WIDTH)):
            if found.start() <= start and end <= found.end():
                yield (*found.span(), "DATETIME")
                return
    begin, stop = _number(text, start, end, language)
    if stop <= begin:
        return
    sign = _BEFORE.search(text, max(0, begin - 4), begin)
    first = sign.start() if sign else begin
    ends = [stop]
    for _ in range(3):
        more = _WORDS_AFTER.match(text, ends[-1])
        if more is None:
            break
        ends.append(more.end())
    for last in reversed(ends[1:]):
        said = text[first:last]
        quantity = read_quantity(said, language)
        if quantity is not None and quantity.kind in ("money", "measure", "percent"):
            yield first, last, "QUANTITY"
        elif quantity is None and read_duration(said, language) is not None:
            yield first, last, "DATETIME"
    if word_before(text, first)[0].lower() not in DEFINITE:  # "the two" are not "the one to five"
        yield first, stop, "QUANTITY"
    if re.fullmatch(r"1[5-9]\d\d|20\d\d", text[begin:stop]):
        yield begin, stop, "DATETIME"


def _number(text: str, start: int, end: int, language: str) -> tuple[int, int]:
    """The number that the word is a part of: *140* of 1,140, *two* of twenty-two; empty where it is of none."""
    if any(map(str.isdecimal, text[start:end])):
        for found in _NUMBER.finditer(text, max(0, start - _WIDTH), min(len(text), end + _WIDTH)):
            if found.start() <= start and end <= found.end():
                whole = number_at(text, found.start(), language)
                return found.start(), max(found.end(), whole.end if whole else 0)
        return start, start
    begins = [found.start() for found in re.finditer(r"(?<!\w)\w", text[max(0, start - _WIDTH) : start])]
    for begin in (*(max(0, start - _WIDTH) + at for at in begins[-4:]), start):
        whole = number_at(text, begin, language)
        if whole is not None and not whole.ordinal and begin <= start and end <= whole.end:
            return begin, whole.end
    return start, start


# -- Verbatim stretches: what stands between quotation marks can be searched for word by word.


FEWEST = 4
"""Words; a shorter quotation is a term or a title."""
_PAIRS = {'"': '"', "“": "”", "„": "“”", "«": "»", "‘": "’", "'": "'", "``": "''"}
_LONGEST = 4000
_OPENING = re.compile(r"``|[\"“„«]|(?<![\w])[‘'](?=\w)")


def find_quotations(text: str) -> list[tuple[int, int]]:
    """Ranges of quoted speech of four words or more, without their marks, from left to right; none inside another."""
    found = []
    at = 0
    while opening := _OPENING.search(text, at):
        inside = opening.end()
        end = _closing(text, inside, opening.group())
        if end is None:
            at = inside
            continue
        start, stop = _trimmed(text, inside, end)
        if len(split_words(text[start:stop])) >= FEWEST:
            found.append((start, stop))
        at = end + 1
    return found


def _closing(text: str, at: int, opening: str) -> int | None:
    """Where the mark stands that ends a quotation begun here: before an empty line, an apostrophe is none."""
    marks = "''" if opening == "``" else _PAIRS[opening]
    limit = text.find("\n\n", at, at + _LONGEST)
    limit = min(len(text), at + _LONGEST) if limit < 0 else limit
    if opening == "``":
        end = text.find(marks, at, limit)
        return None if end < 0 else end
    for place in range(at, limit):
        if text[place] in marks and not (text[place] in "'’" and _is_apostrophe(text, place)):
            return place
    return None


def _is_apostrophe(text: str, at: int) -> bool:
    """Inside a word, or behind an s where a word follows: "the courts’ view"."""
    after = text[at + 1 : at + 2]
    if after.isalnum():
        return True
    return text[at - 1 : at] in "sS" and re.match(r" [^\W\d_]", text[at + 1 : at + 3]) is not None


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    said = text[start:end]
    return start + len(said) - len(said.lstrip()), max(start, end - (len(said) - len(said.rstrip())))
