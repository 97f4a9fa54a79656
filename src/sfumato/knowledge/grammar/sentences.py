"""Where sentences begin and end, by a rule that keeps offsets and reads the text once.

Good enough to say which stretch of text a name stands in; no model, any length, any language with Western stops.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from sfumato.knowledge.honorifics import is_title

Range = tuple[int, int]

_END = re.compile(r"[.!?…]+[\"'”’»)\]]*(?=\s)|[\r\n]+|[。！？]")
_LAST_WORD = re.compile(r"[^\W_]+$")
_SHORT = frozenset("no nos nr art arts par para vol pp p v vs st etc e.g i.e cf al inc ltd co approx tel ext".split())
_LONGEST_WORD = 24


def sentences(text: str) -> list[Range]:
    """Ranges without the blanks around them, sorted and disjoint. A line break always ends a sentence."""
    found = []
    start = 0
    for match in _END.finditer(text):
        if match[0] == "." and _is_abbreviated(text, match.start(), match.end()):
            continue
        found.append((start, match.end()))
        start = match.end()
    found.append((start, len(text)))
    return [trimmed for begin, end in found if (trimmed := _trimmed(text, begin, end))[0] < trimmed[1]]


def around(ranges: Sequence[Range], start: int, end: int) -> Range:
    """The sentence that holds ``[start, end)``, or, where it runs over several, all of these."""
    first = bisect_right(ranges, start, key=lambda sentence: sentence[1])
    last = bisect_left(ranges, end, key=lambda sentence: sentence[0]) - 1
    begin = ranges[first][0] if first < len(ranges) else start
    finish = ranges[last][1] if last >= 0 else end
    return min(begin, start), max(finish, end)


def _trimmed(text: str, start: int, end: int) -> Range:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end


def _is_abbreviated(text: str, stop: int, end: int) -> bool:
    """Whether a full stop belongs to the word before it: a title, an initial, "no." and the like."""
    after = end
    while after < len(text) and text[after] in " \t":
        after += 1
    if after < len(text) and text[after].islower():
        return True
    word = _LAST_WORD.search(text, max(0, stop - _LONGEST_WORD), stop)
    if word is None:
        return False
    is_initial = len(word[0]) == 1 and word[0].isupper()
    return is_initial or word[0].lower() in _SHORT or is_title(word[0])
