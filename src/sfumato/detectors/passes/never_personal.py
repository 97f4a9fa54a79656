"""Pass: guesses within passages that name nobody are dropped.

Only spans of detectors that judge by context, and of rules that guess, are dropped: a checked number, a field or a
user's term is stronger.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence, Set

from sfumato.annotated_text import read_once
from sfumato.detectors.passages import ALL, CUE_LENGTH, WHOLE, Passage, find_constant_passages, find_passages
from sfumato.detectors.rules.patterns import alternatives, word_list
from sfumato.document import Span
from sfumato.lexicon.name_lists import is_title
from sfumato.lexicon.tables import words_of_all_languages
from sfumato.lexicon.tokens import ALPHANUMERIC, lazy_pattern

_TOPIC = "never_personal"

GUESSING_RULES = frozenset(
    "age case-number date duration measure money month nationality occupation organisation percentage person place "
    "postcode residence time year".split()
)
"""Rules that judge by words nearby or by lists, without a check; what they find in such a passage is dropped too."""

_GUESSING_WITHOUT_CONTEXT = frozenset({"code", "phone"})
_WITHOUT_CONTEXT = 0.6
"""The score of rules for numbers that have only a likely form, where no word nearby says what they are."""

_SMALL_WORDS = frozenset(word_list("spans.small_words"))
_SEPARATORS = lazy_pattern(r"[,;:|\n\t(]|[ ]{2}")
_NAME_CUE = lazy_pattern(
    rf"(?i)(?<!\w)(?:{alternatives((*word_list('introductions.fields'), *word_list('introductions.name_is')))})"
    r"[ \t]*[:=]?[ \t]*$"
)
_LOOSE = " \t\u00a0,;:("
_BETWEEN = lazy_pattern(rf"[{_LOOSE}]*")


class _SortedPassages:
    """Passages of a text, searched by bisection."""

    def __init__(self, passages: Sequence[Passage]) -> None:
        self._passages = passages
        self._longest = max((passage.end - passage.start for passage in passages), default=0)

    def overlapping(self, span: Span) -> list[Passage]:
        """Those that share a character with a span, and count for its label."""
        first = bisect_left(self._passages, (span.start - self._longest,))
        last = bisect_left(self._passages, (span.end,))
        return [p for p in self._passages[first:last] if p.end > span.start and span.label in p.labels]


def drop_never_personal(text: str, spans: Iterable[Span]) -> list[Span]:
    """The spans without those in such passages, and without the passages at the ends of the others."""
    spans = list(spans)
    if all(map(is_guess, spans)) and is_history(text):
        return []
    starts, ends = {(span.start, span.label) for span in spans}, {(span.end, span.label) for span in spans}
    cuts = _Cuts(text, starts, ends)
    return [kept for span in spans if (kept := cuts.cut(span)) is not None]


_sorted_passages = read_once(lambda text: _SortedPassages(find_passages(text)))
_sorted_constants = read_once(lambda text: _SortedPassages(find_constant_passages(text)))
"""Those that are the same everywhere: the only ones that count against what a rule has checked."""


class _Cuts:
    """Drops and cuts the spans of one text, each beside the others."""

    def __init__(self, text: str, starts: Set[tuple[int, str]], ends: Set[tuple[int, str]]) -> None:
        self._text, self._starts, self._ends = text, starts, ends

    def cut(self, span: Span) -> Span | None:
        """What is left of a span; None where it is dropped."""
        if not is_guess(span):
            constants = _sorted_constants(self._text).overlapping(span)
            return None if any(p.start <= span.start and span.end <= p.end for p in constants) else span
        if len(span) == 1 and self._text[span.start].islower():
            return None  # a letter names nobody: "k"
        passages = _sorted_passages(self._text).overlapping(span)
        if span.label in WHOLE and self._adjoins(span):
            passages = [passage for passage in passages if span.label in passage.cut]
        if not passages:
            return span
        return self._without(span, passages)

    def _without(self, span: Span, passages: Sequence[Passage]) -> Span | None:
        """The span without passages that count for it."""
        words = [match.span() for match in ALPHANUMERIC.finditer(self._text, span.start, span.end)]
        covered = [any(p.start <= start and end <= p.end for p in passages) for start, end in words]
        if _is_introduced(self._text, span):
            # "Frau Kollegin" is no name; of "Dr Foley" only "Foley" is covered.
            if all(covered) and is_title(self._text[slice(*words[0])]):
                return None
            return span.moved(span.start, self._cut_end(span, span.start, passages))
        if all(is_covered or self._is_small(word) for word, is_covered in zip(words, covered, strict=True)):
            return None if any(covered) else span
        start = self._cut_start(span, passages)
        return span.moved(start, self._cut_end(span, start, passages))

    def _cut_start(self, span: Span, passages: Sequence[Passage]) -> int:
        start = span.start
        for passage in passages:
            first = _BETWEEN.match(self._text, start).end()  # type: ignore[union-attr]
            if passage.start <= first < passage.end < span.end and (
                passage.cut == ALL or (span.label != "PERSON" and self._may_cut(passage, span, passage.end))
            ):
                start = passage.end
        return start

    def _cut_end(self, span: Span, start: int, passages: Sequence[Passage]) -> int:
        end = span.end
        for passage in sorted(passages, key=lambda passage: -passage.end):
            last = start + len(self._text[start:end].rstrip(_LOOSE))
            if start < passage.start < last <= passage.end and self._may_cut(passage, span, passage.start):
                end = passage.start
        return end

    def _adjoins(self, span: Span) -> bool:
        """Whether at most a space is between the span and one of its label: they may be one name, "CPE Les Castors"."""
        text = self._text
        string = text[span.start : span.end]
        start = span.start + len(string) - len(string.lstrip())
        end = span.start + len(string.rstrip())
        places = (
            (end, end + 1 if text[end : end + 1] == " " else end),
            (start, start - 1 if text.endswith(" ", 0, start) else start),
        )
        return any((place, span.label) in self._starts for place in places[0]) or any(
            (place, span.label) in self._ends for place in places[1]
        )

    def _is_small(self, word: tuple[int, int]) -> bool:
        return self._text[slice(*word)].lower() in _SMALL_WORDS

    def _may_cut(self, passage: Passage, span: Span, place: int) -> bool:
        """Whether a passage at the end of a span is not part of the name that the rest of the span may be."""
        if span.label in passage.cut:
            return True
        between = self._text[max(span.start, place - 2) : min(span.end, place + 2)]
        return _SEPARATORS.search(between) is not None


@read_once
def is_history(text: str) -> bool:
    """Whether a text tells of people who died long ago: dated before 1900, and nobody speaks or is spoken to."""
    if len(_OLD_YEAR.findall(text)) < _HISTORY_YEARS:
        return False  # fewer than 70 % of any three years can be old ones
    years = [int(match["year"]) for match in _DATED_YEAR.finditer(text)]
    is_old = len(years) >= _HISTORY_YEARS and sum(year < _HISTORY_ENDS for year in years) >= 0.7 * len(years)
    return is_old and _SPEAKER.search(text) is None


_HISTORY_YEARS, _HISTORY_ENDS = 3, 1900
_OLD_YEAR = lazy_pattern(r"[ ]1[0-8]\d\d")
_DATED_YEAR = lazy_pattern(
    rf"(?i)(?<!\w)(?:{alternatives(words_of_all_languages(_TOPIC, 'history.before_years'))}|"
    rf"{alternatives(words_of_all_languages('calendar', 'months'))})[ ](?P<year>1[0-9]\d\d|20[0-4]\d)(?![\w/:-]|[.,]\d)"
)
_SPEAKER = lazy_pattern(rf"(?<!\w)(?:{alternatives(words_of_all_languages(_TOPIC, 'history.speakers'))})(?!\w)")


def is_guess(span: Span) -> bool:
    """Whether a span was found by a detector that judges by context, or by a rule without a check."""
    detector, _, kind = span.source.partition(":")
    if detector == "rules":
        kind = kind.split("+")[0]
        return kind in GUESSING_RULES or (kind in _GUESSING_WITHOUT_CONTEXT and span.score <= _WITHOUT_CONTEXT)
    return detector in _READS_CONTEXT


_READS_CONTEXT = frozenset({"tagger", "spacy", "presidio", "gliner"})


def _is_introduced(text: str, span: Span) -> bool:
    """Whether a title or the label of a field says that a name follows: "Mr Parkinson", "Name: Foley"."""
    if span.label != "PERSON":
        return False
    words = text[span.start : span.end].split(maxsplit=1)
    before = text[max(0, span.start - CUE_LENGTH) : span.start]
    last = before.split()[-1:] if not before.endswith("\n") else []
    return any(is_title(word) for word in (*words[:1], *last)) or _NAME_CUE.search(before) is not None
