"""A text as its reader sees it: disguised and broken-up letters as ordinary ones, with their places in the original.

Detectors read folded text, so that a name in circled letters, with a filler in it, with a Cyrillic letter among Latin
ones or spaced out is the name that a reader sees. Ordinary text folds to itself.
"""

from __future__ import annotations

import html
import re
import sys
import unicodedata
import urllib.parse
from array import array
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, pairwise

from sfumato.lexicon.name_lists import common_words, family_names, given_names
from sfumato.lexicon.tables import load_toml
from sfumato.lexicon.tokens import lazy_pattern

_UNUSUAL = lazy_pattern("[^\x01-\xac\xae-\u017f\u2010-\u2027\u202f-\u205e\u20a0-\u20bf]")
"""Any character but Latin letters, usual marks and currencies: a search that costs nothing beside detection."""
Change = tuple[int, int, str]
"""``text[start:end]`` is replaced by a string."""


@dataclass(frozen=True)
class FoldedText:
    """A folded text; ``starts`` and ``ends`` are the range of the original text behind each character."""

    text: str
    starts: array[int]
    ends: array[int]

    def original(self, start: int, end: int) -> tuple[int, int]:
        """The range of the original text behind a range of the folded text that is not empty."""
        return self.starts[start], self.ends[end - 1]

    def folded(self, start: int, end: int) -> tuple[int, int] | None:
        """The range of the folded text in which ``original[start:end]`` is read; None where nothing is left of it."""
        first, last = bisect_right(self.ends, start), bisect_left(self.starts, end)
        return (first, last) if first < last else None


def fold(text: str, *, escapes: bool = False) -> FoldedText | None:
    """The text as a reader sees it; None where that is the text itself.

    ``escapes``: whether a reader sees characters that are written as in HTML, in a web address or in a program.
    """
    folded: FoldedText | None = None
    current = text
    for _ in range(_LEVELS_OF_ESCAPES if escapes else 0):
        if not _ESCAPE.search(current):
            break
        folded = apply_changes(folded or unfolded(text), _escape_changes(current))
        current = folded.text
    is_usual = (current.isascii() and "\0" not in current) or not _UNUSUAL.search(current)
    for find_changes in _STAGES_OF_USUAL_TEXT if is_usual else _STAGES:
        # Not a list: in a text that is all disguised, the changes take many times its memory.
        changes = (change for change in find_changes(current) if current[change[0] : change[1]] != change[2])
        if (first := next(changes, None)) is not None:
            folded = apply_changes(folded or unfolded(text), chain([first], changes))
            current = folded.text
    return folded


def folded_form(text: str) -> str:
    """The folded text alone."""
    folded = fold(text)
    return text if folded is None else folded.text


def unfolded(text: str) -> FoldedText:
    """A text that was not changed."""
    return FoldedText(text, array("I", range(len(text))), array("I", range(1, len(text) + 1)))


def apply_changes(before: FoldedText, changes: Iterable[Change]) -> FoldedText:
    """A text with further changes: sorted and disjoint, each of at least one character."""
    parts: list[str] = []
    starts, ends, offset = array("I"), array("I"), 0
    for start, end, replacement in chain(changes, [(len(before.text), len(before.text), "")]):
        parts += (before.text[offset:start], replacement)
        starts += before.starts[offset:start]
        ends += before.ends[offset:start]
        if replacement:
            starts.extend([before.starts[start]] * len(replacement))
            ends.extend([before.ends[end - 1]] * len(replacement))
        offset = end
    return FoldedText("".join(parts), starts, ends)


# Characters written by their number or name.

_ESCAPE = lazy_pattern(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,30});|(?:%[0-9a-fA-F]{2})+"
    r"|\\(?:u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|u\{[0-9a-fA-F]{1,6}\})"
)


_LEVELS_OF_ESCAPES = 3
"""A page within an attribute of a page escapes its characters twice."""
_REFERENCE = lazy_pattern(r"&(?:#[0-9]{2,6}|#[xX][0-9a-fA-F]{2,5}|[A-Za-z]{3,10});|(?<!\\)\\u[0-9a-fA-F]{4}")


def _reference_changes(text: str) -> Iterator[Change]:
    """Letters and digits that are written as in HTML or in JSON of ASCII, which many plain texts and records hold."""
    for match in _REFERENCE.finditer(text):
        written = match.group()
        plain = html.unescape(written) if written[0] == "&" else chr(int(written[2:], 16))
        if len(plain) == 1 and plain.isalnum():
            yield *match.span(), plain


def _escape_changes(text: str) -> Iterator[Change]:
    for match in _ESCAPE.finditer(text):
        written = match.group()
        if written[0] == "&":
            plain = html.unescape(written)
        elif written[0] == "%":
            plain = urllib.parse.unquote(written, errors="replace")
            if "\ufffd" in plain:
                plain = urllib.parse.unquote(written, "latin-1")
        elif written.count("u") > 1:  # a pair of surrogates
            plain = bytes.fromhex(written.replace("\\u", "")).decode("utf-16-be")
        else:
            number = int(written[2:].strip("{}"), 16)
            plain = chr(number) if number <= sys.maxunicode else written
        if plain != written:
            yield *match.span(), plain


# Characters that cannot be seen, and characters that look like a blank.

_JOINS_EMOJI = "\u200d\ufe00-\ufe0f"
_INVISIBLE = (
    "\0\u00ad\u034f\u061c\u17b4\u17b5\u180b-\u180f\u200b\u200c\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff0-\ufff8"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
"""Default-ignorable code points of Unicode, without those that join emoji; and NUL, which UTF-16 read as UTF-8 has."""
_BLANK = "\u115f\u1160\u2800\u3164\uffa0"
"""Hangul fillers, which count as letters, and the Braille pattern without dots."""
_ZERO_WIDTH_SPACE = "\u200b"
_UNSEEN_RUN = lazy_pattern(f"[{_INVISIBLE}{_BLANK}{_JOINS_EMOJI}]+")
_ONLY_JOINS_EMOJI = lazy_pattern(f"[{_JOINS_EMOJI}]+")
_BLANK_CHARACTER = lazy_pattern(f"[{_BLANK}]")
_BRAILLE = lazy_pattern("[\u2801-\u28ff]")
_LONGEST_PART = 30
_LETTERS_BEFORE = lazy_pattern(rf"(?:(?![{_BLANK}])[^\W\d_]){{0,{_LONGEST_PART}}}\Z")
_LETTERS_AFTER = lazy_pattern(rf"(?:(?![{_BLANK}])[^\W\d_])*")


def _unseen_changes(text: str) -> Iterator[Change]:
    for match in _UNSEEN_RUN.finditer(text):
        start, end = match.span()
        if _ONLY_JOINS_EMOJI.fullmatch(match.group()) and not text[start - 1 : start].isalnum():
            continue
        is_blank = _BLANK_CHARACTER.search(match.group()) is not None
        if is_blank and _BRAILLE.search(text, max(0, start - 1), end + 1):
            continue
        separates = is_blank or _ZERO_WIDTH_SPACE in match.group()
        yield start, end, " " if separates and _divides_words(text, start, end, is_blank=is_blank) else ""


def _divides_words(text: str, start: int, end: int, *, is_blank: bool) -> bool:
    """Whether two words stand on both sides of a blank, not two parts of one."""
    before = _LETTERS_BEFORE.search(text, max(0, start - _LONGEST_PART), start)
    after = _LETTERS_AFTER.match(text, end, end + _LONGEST_PART)
    left, right = before.group() if before else "", after.group() if after else ""
    if not left or not right:
        return is_blank and _divides_marks(text, start, end)
    if right[0].isupper() and not left[-1].isupper():
        return True
    if not is_blank or len(left) == 1 or len(right) == 1:
        return False
    return not _is_name(left + right) and _is_word(left) and _is_word(right)


def _divides_marks(text: str, start: int, end: int) -> bool:
    """Whether words end at a blank beside a digit or a mark; the characters of a mail address may all be set apart."""
    before, after = text[start - 1 : start], text[end : end + 1]
    if not before.strip() or not after.strip():
        return False
    if before.isalnum():
        return after.isalnum() and not (before.isdigit() and after.isdigit())
    is_alone = start < 2 or text[start - 2].isspace() or _BLANK_CHARACTER.match(text[start - 2]) is not None
    return after.isalnum() and not is_alone


def _is_name(word: str) -> bool:
    return word.casefold() in given_names() or word.casefold() in family_names()


def _is_word(word: str) -> bool:
    return word.casefold() in common_words() or _is_name(word)


# Letters and digits in another shape: full-width, mathematical, circled, raised.

_WIDE = "\ufb00-\ufb06\uff01-\uff5e\U0001d400-\U0001d7ff"
_LETTERLIKE = "\u2102\u210a-\u2113\u2115\u2119-\u211d\u2124\u2128\u212a\u212c-\u2131\u2133\u2134\u2139\u2145-\u2149"
_ENCLOSED = "\u2460-\u249b\u249c-\u24ff\u2776-\u2793\U0001f100-\U0001f10a\U0001f110-\U0001f149\U0001f150-\U0001f189"
_REGIONAL = "\U0001f1e6-\U0001f1ff"
_RAISED = (
    "\u00b2\u00b3\u00b9\u02b0-\u02b8\u02e0-\u02e3\u1d2c-\u1d6a\u1d78\u1d9b-\u1dbf\u2070\u2071\u2074-\u2079\u207f"
    "\u2080-\u2089\u2090-\u209c\u2c7c\u2c7d"
)
_ZEROS: str = load_toml("look_alikes")["zeros"]
_OTHER_DIGITS = "".join(f"{zero}-{chr(ord(zero) + 9)}" for zero in _ZEROS)
_FEWEST_RAISED = 4
"""A shorter run of raised characters is a footnote, an exponent or the end of an ordinal."""
_SHAPED_RUN = lazy_pattern(
    f"[{_WIDE}{_OTHER_DIGITS}]|[{_LETTERLIKE}]+|[{_ENCLOSED}](?:[ .-]?[{_ENCLOSED}])*+"
    f"|[{_RAISED}](?:[ .-]?[{_RAISED}])*+|[{_REGIONAL}]+"
)
_LETTERLIKE_RUN, _ENCLOSED_RUN, _RAISED_RUN, _REGIONAL_RUN = (
    lazy_pattern(f"[{kind}]") for kind in (_LETTERLIKE, _ENCLOSED, _RAISED, _REGIONAL)
)
_SEPARATORS = " .-"
_WITHOUT_DECOMPOSITION = (
    (0x1F150, 26, "A"),
    (0x1F170, 26, "A"),
    (0x1F1E6, 26, "A"),
    (0x2776, 9, "1"),
    (0x2780, 9, "1"),
    (0x278A, 9, "1"),
    (0x24F5, 9, "1"),
)
"""Code points in a row for the letters or digits from one on, which Unicode does not decompose."""


def _shape_changes(text: str) -> Iterator[Change]:
    for match in _SHAPED_RUN.finditer(text):
        run = match.group()
        first, count = run[0], sum(character not in _SEPARATORS for character in run)
        if _RAISED_RUN.match(first):
            is_disguise = count >= _FEWEST_RAISED
        elif _REGIONAL_RUN.match(first):
            is_disguise = not _are_flags(run)
        elif _ENCLOSED_RUN.match(first) or _LETTERLIKE_RUN.match(first):
            # A circled number alone counts a list, and a letter alone is a unit or a symbol.
            is_disguise = count > 1 or _adjoins_letter(text, *match.span())
        else:
            is_disguise = True
        if is_disguise:
            for offset, character in enumerate(run, match.start()):
                if character not in _SEPARATORS:
                    yield offset, offset + 1, _plain_shape(character)


def _are_flags(run: str) -> bool:
    """Whether regional indicators are pairs that each stand for a country, or one pair."""
    from sfumato.lexicon.world import countries  # slow to import, and most texts do not need it

    letters = "".join(map(_plain_shape, run))
    pairs = [letters[start : start + 2] for start in range(0, len(letters), 2)]
    return len(letters) <= 2 or all(pair in countries() for pair in pairs)


def _adjoins_letter(text: str, start: int, end: int) -> bool:
    return text[start - 1 : start].isalnum() or text[end : end + 1].isalnum()


@lru_cache(maxsize=4096)
def _plain_shape(character: str) -> str:
    for code, count, first in _WITHOUT_DECOMPOSITION:
        if code <= ord(character) < code + count:
            return chr(ord(first) + ord(character) - code)
    if (digit := unicodedata.digit(character, None)) is not None:
        return str(digit)
    plain = unicodedata.normalize("NFKC", character)
    return plain.strip("()") if len(plain) > 1 else plain


# Marks over, through and around letters.

_MARKS = "\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f"
_MARKED = lazy_pattern(rf"([A-Za-z0-9\u00c0-\u024f\u1e00-\u1eff])([{_MARKS}]+)")
_LETTER_WITHOUT_MARK = rf"[^\W_{_MARKS}]"
_MARKED_WORD = lazy_pattern(
    rf"(?<![^\W_])(?<![{_MARKS}])[^\W_]{_LETTER_WITHOUT_MARK}*+(?:[{_MARKS}]++{_LETTER_WITHOUT_MARK}*+)++"
)
_MARK = lazy_pattern(f"[{_MARKS}]")
_SHORTEST_MARKED_WORD = 3


def _mark_changes(text: str) -> Iterator[Change]:
    if not _MARK.search(text):
        return
    for word in _MARKED_WORD.finditer(text):
        marked = sum(1 for _ in _MARKED.finditer(text, *word.span()))
        letters = len(_MARK.sub("", word.group()))
        is_noise = letters >= _SHORTEST_MARKED_WORD and 2 * marked > letters
        for match in _MARKED.finditer(text, *word.span()):
            base, marks = match.groups()
            yield *match.span(), base if is_noise else _compose(base, marks)


def _compose(base: str, marks: str) -> str:
    """A letter with those marks that make another letter of it; a mark that does not is noise."""
    for mark in marks:
        together = unicodedata.normalize("NFC", base + mark)
        base = together if len(together) == 1 else base
    return base


# Letters of other scripts in a Latin word.

_LATIN = "A-Za-z\u00c0-\u024f\u1e00-\u1eff"
_LOOK_ALIKES: dict[str, str] = {
    character: latin
    for table in load_toml("look_alikes")["letters"].values()
    for latin, characters in table.items()
    for character in characters
}
_SMALL_CAPITALS: dict[str, str] = {
    character: latin
    for latin, characters in load_toml("look_alikes")["small_capitals"].items()
    for character in characters
}
_SYMBOLS = frozenset(load_toml("look_alikes")["symbols"])
_FOREIGN = "".join(sorted(_LOOK_ALIKES))
_SMALL = "".join(sorted(_SMALL_CAPITALS))
_MIXED = lazy_pattern(
    f"[{_LATIN}][{_FOREIGN}]|[{_FOREIGN}][{_LATIN}]|[{_SMALL}][{_LATIN}{_SMALL}]|[{_LATIN}][{_SMALL}]"
)
_MIXED_WORD = lazy_pattern(rf"(?<![^\W\d_])[^\W\d_{_FOREIGN}{_SMALL}]*+[{_FOREIGN}{_SMALL}][^\W\d_]*+")
_FEWEST_SMALL_CAPITALS = 2
_LONGEST_UNIT = 3
_INFLECTED_ABBREVIATION = lazy_pattern("[A-Z]{2,}[\u0430-\u044f]+")
_LATIN_LETTER = lazy_pattern(f"[{_LATIN}]")


def _look_alike_changes(text: str) -> Iterator[Change]:
    if not _MIXED.search(text):
        return
    before: re.Match[str] | None = None
    for match, after in pairwise(chain(_MIXED_WORD.finditer(text), [None])):
        if match is None:
            break
        near = [word for word in (before, after) if word is not None and _is_part_of_phrase(match, word)]
        if _is_disguised(match.group()) or any(_is_disguised(word.group()) for word in near):
            yield from _plain_letters(match)
        before = match


def _is_part_of_phrase(word: re.Match[str], disguised: re.Match[str]) -> bool:
    """Whether a word next to a disguised one may be Latin as well: all its letters look so."""
    first, second = sorted((word, disguised), key=lambda match: match.start())
    return second.start() - first.end() == 1 and all(letter in _LOOK_ALIKES for letter in word.group())


def _plain_letters(match: re.Match[str]) -> Iterator[Change]:
    for offset, letter in enumerate(match.group(), match.start()):
        if letter in _SMALL_CAPITALS:
            plain = _SMALL_CAPITALS[letter]
            yield offset, offset + 1, plain.upper() if offset == match.start() else plain
        elif letter in _LOOK_ALIKES:
            yield offset, offset + 1, _LOOK_ALIKES[letter]


def _is_disguised(word: str) -> bool:
    """Whether a word of several scripts reads as a Latin one: PDFы and SMSка are Russian."""
    latin = [letter for letter in word if _LATIN_LETTER.match(letter) and letter not in _SMALL_CAPITALS]
    foreign = [letter for letter in word if letter in _LOOK_ALIKES]
    small = [letter for letter in word if letter in _SMALL_CAPITALS]
    if len(latin) + len(foreign) + len(small) < len(word) or _INFLECTED_ABBREVIATION.fullmatch(word):
        return False
    if len(foreign) == 1 and foreign[0] in _SYMBOLS:
        is_unit = word[0] in _SYMBOLS or (word[-1] in _SYMBOLS and len(word) <= _LONGEST_UNIT)
        if is_unit or "".join(latin).isupper():
            return False
    return bool(foreign and (latin or small)) or len(small) >= _FEWEST_SMALL_CAPITALS


# Letters and digits with blanks or marks between them.

_GAP = " \u00a0\u2000-\u200a\u202f\u205f\u3000._*/\u00b7\u2022|~\u2013\u2014-"
_LONGEST_RUN = 1000
_SPACED_HINT = lazy_pattern(rf"[{_GAP}]\w[{_GAP}]\w[{_GAP}]")
_SPACED_RUN = lazy_pattern(rf"(?<![^\W_])[^\W_](?:[{_GAP}]{{1,4}}[^\W_](?![^\W_])){{1,{_LONGEST_RUN}}}")
_SPACED_PART = lazy_pattern(r"[^\W\d_](?:[\W_]+[^\W\d_])*|\d(?:[\W_]+\d)*")
_SPACED_MAIL = lazy_pattern(r"(?<!\S)\S(?: {1,2}\S(?!\S)){7,120}")
_FEWEST_LETTERS = 4
_FEWEST_DIGITS = 7
_SHORTEST_GROUP = 3
_MOST_GAPS = 2
_SHORTEST_NAME = 3
_SHORTEST_GLUED, _LONGEST_GLUED = 6, 40


def _spacing_changes(text: str) -> Iterator[Change]:
    if not _SPACED_HINT.search(text):
        return
    end = 0
    for match in _SPACED_RUN.finditer(text):
        if match.start() < end:
            continue
        mail = _spaced_mail(text, match)
        if mail is not None:
            end = mail.end()
            yield from ((offset, offset + 1, "") for offset in range(*mail.span()) if text[offset].isspace())
            continue
        for part in _SPACED_PART.finditer(text, *match.span()):
            yield from _join_digits(part) if part.group()[0].isdigit() else _join_letters(part)


def _spaced_mail(text: str, run: re.Match[str]) -> re.Match[str] | None:
    """An e-mail address whose characters are set apart, from its first letter on."""
    if "@" not in text[run.end() : run.end() + 3]:
        return None
    mail = _SPACED_MAIL.match(text, run.start())
    return mail if mail and mail.group().count("@") == 1 else None


def _letters_and_gaps(part: re.Match[str]) -> tuple[list[int], list[tuple[int, int]]]:
    offsets = [part.start() + index for index, character in enumerate(part.group()) if character.isalnum()]
    return offsets, [(left + 1, right) for left, right in pairwise(offsets)]


def _usual_gap(text: str, gaps: list[tuple[int, int]]) -> str:
    counts = Counter(text[start:end] for start, end in gaps)
    return min(counts, key=lambda gap: (-counts[gap], len(gap), gap))


def _join_digits(part: re.Match[str]) -> Iterator[Change]:
    text = part.string
    offsets, gaps = _letters_and_gaps(part)
    digits = [unicodedata.digit(text[offset], 0) for offset in offsets]
    if len(digits) < _FEWEST_DIGITS or {after - before for before, after in pairwise(digits)} in ({1}, {-1}, {0}):
        return
    usual = _usual_gap(text, gaps)
    group = longest_group = 1
    for start, end in gaps:
        group = group + 1 if text[start:end] == usual else 1
        longest_group = max(group, longest_group)
    # Pairs are the scores of a match, and many kinds of gaps or bars those of a table.
    if longest_group < _SHORTEST_GROUP or "|" in usual or len({text[start:end] for start, end in gaps}) > _MOST_GAPS:
        return
    before = part.start() - len(usual)
    if text[before - 1 : part.start()] == f"+{usual}":
        yield before, part.start(), ""
    for start, end in gaps:
        if text[start:end] == usual:
            yield start, end, ""
        elif text[start:end].isspace():
            yield start, end, " "


def _join_letters(part: re.Match[str]) -> Iterator[Change]:
    text = part.string
    offsets, gaps = _letters_and_gaps(part)
    if len(offsets) < _FEWEST_LETTERS:
        return
    usual = _usual_gap(text, gaps)
    letters = [text[offset] for offset in offsets]
    divides = [
        text[start:end] != usual or _begins_word(letters, index) for index, (start, end) in enumerate(gaps, start=1)
    ]
    words = [letters[0]]
    for letter, is_new in zip(letters[1:], divides, strict=True):
        if is_new:
            words.append(letter)
        else:
            words[-1] += letter
    for index, word in enumerate(words):
        if at := _surname_within(word):
            before = sum(map(len, words[:index]))
            divides[before + at - 1] = True
    # Capitals with full stops between them are an abbreviation.
    is_abbreviation = "." in usual and "".join(letters).isupper()
    if (_has_spaced_name(words) and not is_abbreviation) or any(map(_surname_within, words)):
        for (start, end), is_new in zip(gaps, divides, strict=True):
            yield start, end, " " if is_new else ""


def _begins_word(letters: list[str], index: int) -> bool:
    if not letters[index].isupper():
        return False
    return letters[index - 1].islower() or "".join(letters[index + 1 : index + 2]).islower()


def _has_spaced_name(words: list[str]) -> bool:
    """Whether spaced-out words hold a name: "S U M M A R Y" does not."""
    rare = [word for word in words if len(word) >= _SHORTEST_NAME and word.casefold() not in common_words()]
    return any(word.istitle() or _is_name(word) for word in rare)


def _surname_within(word: str) -> int:
    """Where a surname begins that follows a given name without a sign of it, as in ANNASMITH; 0 where none does."""
    folded = word.casefold()
    if (
        not _SHORTEST_GLUED <= len(word) <= _LONGEST_GLUED
        or word.istitle()
        or folded in common_words()
        or _is_name(folded)
    ):
        return 0
    cuts = range(_SHORTEST_NAME, len(word) - _SHORTEST_NAME + 1)
    return next((cut for cut in cuts if folded[:cut] in given_names() and folded[cut:] in family_names()), 0)


# A number behind something that looks like a label.

_LABELLED_NUMBER = lazy_pattern(r"_(?=\d{3,4}(?:[ \u00a0./-]\d{2,6}){2})")


def _label_changes(text: str) -> Iterator[Change]:
    for match in _LABELLED_NUMBER.finditer(text):
        if text[match.start() - 1 : match.start()].isupper():
            yield *match.span(), " "


_STAGES_OF_USUAL_TEXT: tuple[Callable[[str], Iterator[Change]], ...] = (
    _reference_changes,
    _spacing_changes,
    _label_changes,
)
_STAGES = (_unseen_changes, _shape_changes, _mark_changes, _look_alike_changes, *_STAGES_OF_USUAL_TEXT)


# The form in which two strings are compared.


def compared_form(word: str) -> str:
    """A word without case, unseen characters and look-alikes: words that look the same have the same form.

    A word of another script keeps its letters, unless all of them look like Latin ones in either case.
    """
    if word.isascii():
        return word.casefold()
    plain = "".join(map(_visible_shape, unicodedata.normalize("NFKC", word)))
    foreign = [letter for letter in plain if letter in _LOOK_ALIKES]
    if foreign and (_LATIN_LETTER.search(plain) or all(map(_is_alike_in_any_case, plain))):
        plain = "".join(_LOOK_ALIKES.get(letter, letter) for letter in plain)
    return plain.casefold()


@lru_cache(maxsize=8192)
def _visible_shape(character: str) -> str:
    if _UNSEEN_RUN.fullmatch(character) or _MARK.fullmatch(character):
        return ""
    return _SMALL_CAPITALS.get(character) or _plain_shape(character)


def _is_alike_in_any_case(letter: str) -> bool:
    if not letter.isalpha():
        return True
    alike = {_LOOK_ALIKES.get(form, form).casefold() for form in (letter.upper(), letter.lower())}
    return len(alike) == 1 and alike.pop().isascii()


def look_alike(letter: str) -> str:
    """The Latin letter that a letter of another script looks like, else the letter itself."""
    return _SMALL_CAPITALS.get(letter) or _LOOK_ALIKES.get(letter, letter)


# Parts of one character.

_JOINER = "\u200d"
_CONTINUES = lazy_pattern("[\ufe00-\ufe0f\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f]")


def _cuts_character(text: str, offset: int) -> bool:
    """Whether an offset lies between a character and its mark, joiner, variation selector, modifier or tag."""
    if not 0 < offset < len(text):
        return False
    before, character = text[offset - 1], text[offset]
    return (
        _JOINER in (before, character)
        or before + character == "\r\n"
        or _CONTINUES.match(character) is not None
        or unicodedata.category(character) in ("Mn", "Mc", "Me")
    )


def snap(text: str, start: int, end: int) -> tuple[int, int]:
    """The smallest range around ``[start, end)`` that cuts no character, CRLF included."""
    while _cuts_character(text, start):
        start -= 1
    while _cuts_character(text, end):
        end += 1
    return start, end
