"""Pass: a span holds a number, a code or a name with its hyphens whole, and brackets that belong together."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence

from sfumato.annotated_text import read_once
from sfumato.detectors.everyday import COMMON, EverydayWords, everyday_words
from sfumato.detectors.passes.edges import balance
from sfumato.detectors.rules.name_parts import UPPER
from sfumato.detectors.rules.patterns import any_of, word_list
from sfumato.document import Range, Span
from sfumato.lexicon.name_lists import PARTICLES
from sfumato.lexicon.tokens import find_at, lazy_pattern

_JOINED = lazy_pattern(r"(?<![^\W_])[^\W_]++(?:(?:[.,:/'’‑–-]|_++)[^\W_]++)+")


_JOINING_SIGN = lazy_pattern(r"[.,:/'’‑–_-](?<=[^\W_].)(?=_*[^\W_])")


_PART = lazy_pattern(r"[^\W_]+")


_HYPHENS = "-‑–'’"


_LONGEST_SYLLABLE = 5


_HAS_DIGIT_OR_LINE = lazy_pattern(r"[\d_]")


_GLUED = lazy_pattern(r"[-‑](?:[^\W\d_A-Z]{1,4}[-‑]?)?")
"""What stands between the parts of one name without a space: "-en-" in Tremblay-en-France."""


_ADJOINING_NUMBER_BEFORE = lazy_pattern(r"[^\W_][.,:/’'–-]$")


_ADJOINING_NUMBER_AFTER = lazy_pattern(r"[.,:/’'–-][^\W_]|[ ]?%")


@read_once
def compounds(text: str, without_names: bool = False) -> Sequence[Range]:
    """Ranges of more than one word that are one number, code or name: 4.1, PHQ-9, some_user, O'Brien, Min-jun, K.P.

    ``without_names``: leave out names, which have no digit; to tell them the language must be known.
    Asked for again each time that the spans of a text are merged.
    """
    everyday, ranges = everyday_words(text), []
    for match in find_at(_JOINED, text, _starts_of_joined(text)):
        if without_names and not _HAS_DIGIT_OR_LINE.search(match[0]):
            continue
        parts = list(_PART.finditer(text, *match.span()))
        start = parts[0].start()
        for before, after in zip(parts, [*parts[1:], None], strict=True):
            if after is None or not _joins(before[0], text[before.end()], after[0], everyday):
                if start < before.start():
                    ranges.append((start, before.end()))
                start = after.start() if after else start
    return ranges


def _starts_of_joined(text: str) -> Iterator[int]:
    """Where the letters and digits begin that a sign joins to others."""
    for sign in _JOINING_SIGN.finditer(text):
        start = sign.start()
        while start and text[start - 1].isalnum():
            start -= 1
        yield start


def _joins(before: str, mark: str, after: str, everyday: EverydayWords) -> bool:
    if mark == "_":
        return True
    if before[-1].isdigit() and after[0].isdigit():
        return mark not in _HYPHENS[3:]
    if mark == "." and len(before) == len(after) == 1:
        return before.isalpha() and after.isalpha()
    if mark not in _HYPHENS:
        return False
    if any(map(str.isdigit, before + after)):
        words = [part for part in (before, after) if not any(map(str.isdigit, part))]
        return mark in "-‑" and all(word.isupper() for word in words)
    if mark in "'’":
        return before[0].isupper() and after[0].isupper()
    if before[0].isupper() and after[0].isupper():
        return not (everyday.includes(before) and everyday.includes(after))
    # Min-jun, Eun-ji; not UK-based
    is_name = before[0].isupper() and not before.isupper() and mark != "–"
    return is_name and after.islower() and len(after) <= _LONGEST_SYLLABLE and everyday.rank(after) > COMMON


def is_part_of_number(text: str, start: int, end: int) -> bool:
    """Whether a range begins or ends with a digit beside a sign that belongs to the same number: the 1 of "4.1"."""
    if text[start].isdigit() and _ADJOINING_NUMBER_BEFORE.search(text, max(0, start - 2), start):
        return True
    return text[end - 1].isdigit() and _ADJOINING_NUMBER_AFTER.match(text, end) is not None


def complete_spans(text: str, spans: Sequence[Span]) -> list[Span]:
    """Disjoint, sorted spans that neither begin nor end within a compound or between brackets that belong together.

    Spans that share a compound become one: a code where it has digits and one of them is one, else a person.
    """
    if not spans:
        return []
    all_ranges = compounds(text, without_names=all(span.label != "PERSON" for span in spans))
    numbers = [(start, end) for start, end in all_ranges if _HAS_DIGIT_OR_LINE.search(text, start, end)]

    def extend(start: int, end: int, ranges: Sequence[Range], starts: Sequence[int]) -> Range:
        first, last = bisect_right(starts, start) - 1, bisect_left(starts, end) - 1
        if first >= 0 and ranges[first][1] > start:
            start = ranges[first][0]
        if last >= 0 and ranges[last][1] > end:
            end = ranges[last][1]
        return start, end

    all_starts, number_starts = ([start for start, _ in ranges] for ranges in (all_ranges, numbers))
    completed: list[Span] = []
    for span in spans:
        # Of names only those of people: "Bayer-Aufkleber" is not "Bayer".
        places = (all_ranges, all_starts) if span.label == "PERSON" else (numbers, number_starts)
        whole = span.moved(*balance(text, *extend(span.start, span.end, *places)))
        if span.label == "PERSON" and (
            particles := _PARTICLES_BEFORE.search(text, max(0, whole.start - 24), whole.start)
        ):
            has_capitals = particles.lastgroup != "capitals" or text[whole.start : whole.start + 2].isupper()
            whole = whole.moved(particles.start(), whole.end) if has_capitals else whole
        may_have_state = (
            span.label == "LOC" and text[whole.start].isupper() and not text[whole.start : whole.end].isupper()
        )
        if may_have_state and (state := _STATE_AFTER.match(text, whole.end)):
            whole = whole.moved(whole.start, state.end())
        if completed and (whole.start < completed[-1].end or _GLUED.fullmatch(text, completed[-1].end, whole.start)):
            has_digits = any(map(str.isdigit, text[completed[-1].start : whole.end]))
            completed[-1] = unite(completed[-1], whole, "CODE" if has_digits else "PERSON")
        else:
            completed.append(whole)
    return completed


_PARTICLES_BEFORE = lazy_pattern(
    rf"(?<![\w.])(?:(?P<capitals>(?:(?:{any_of(word.upper() for word in PARTICLES)})[ \u00a0])++)"
    rf"|(?P<short>(?:[{UPPER}]\.[ \u00a0]?){{1,3}}(?:[vdz]\.?[ \u00a0]?){{1,3}}(?<=[ \u00a0.])))\Z"
)
"""Particles before a surname in capitals, and initials with shortened ones: VAN DEN, I. v."""


_STATE_AFTER = lazy_pattern(
    rf",[ \u00a0]{any_of(word_list('addresses.us_states'))}(?![\w'’-]|[ \u00a0]?[?!]|[ \u00a0][{UPPER}]{{2}})"
)
"""The state after a town: Salem, OR. Not what is asked or shouted: "Salem, OK?", "Roma, AL CENTRO"."""


def unite(first: Span, second: Span, label: str = "PERSON") -> Span:
    """One span over both: what has the label where one of them has it, else what the likelier of them says."""
    likelier = max(first, second, key=lambda span: (span.label == label, span.score, len(span)))
    return likelier.moved(first.start, max(first.end, second.end))
