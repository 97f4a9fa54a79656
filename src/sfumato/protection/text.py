"""A release while the loop repairs it: its places, their alternative wordings, and the resulting text.

A place is an edit of the recipe, or an ordinary word that the recipe left as it is. Places of one entity, and words of
one stem, form a group: a repair applies to all of them. A place's level counts how many alternatives it has passed;
each alternative says less than the one before.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from sfumato.attacks.linking import cleaning
from sfumato.attacks.linking.cleaning import Ints, load_stemmer
from sfumato.document import Document, Edit, Release, Span, allowed_ranges, outside, resolve_overlaps
from sfumato.generalize.words import WordGeneralization, generalize_word, reword_phrase
from sfumato.generalize.words.base import SUPPRESSED
from sfumato.lexicon.grammar import ARTICLES_BY_SOUND, STOP_WORDS, TextRange
from sfumato.lexicon.grammar_en import indefinite_article
from sfumato.lexicon.language import document_language
from sfumato.replacers.base import entity_of

WORD_LABEL = "WORD"
"""The label of an edit of an ordinary word."""
_BETWEEN_SUPPRESSED = re.compile(r"[ \xa0-]*")
_ENDS_WITH_ARTICLE = re.compile(r"(?<!\w)([Aa]n?) \Z")
_PARAGRAPH_NUMBER = re.compile(r"[ \t(\[]{0,8}(?P<number>\d{1,4}(?:\.\d{1,3}){0,3})[.)\]]?(?=[ \t])")
_WORD = re.compile(r"\d[\d.,:/]*\d(?:(?:st|nd|rd|th|s)\b)?|\w\w+")


@dataclass(frozen=True, slots=True)
class Alternative:
    """An edit that may stand in a place, and what kind of repair that is."""

    kind: str
    edit: Edit


@dataclass(frozen=True, slots=True)
class Place:
    """``span`` is the place's range of the original, which no other place shares."""

    span: Span
    edit: Edit | None
    """The recipe's edit; None for an ordinary word."""
    group: int
    is_function_word: bool
    """It carries little information, but the sentence suffers without it."""


class Wordings:
    """What may stand for words of a text and for the phrases around them: looked up once, asked for in every round.

    It holds words of the original.
    """

    def __init__(self, text: str, language: str) -> None:
        self.text, self._language = text, language
        self._of_words: dict[tuple[TextRange, TextRange], Sequence[WordGeneralization]] = {}
        self._of_phrases: dict[TextRange, Sequence[WordGeneralization]] = {}

    def of_word(self, word: TextRange, limits: TextRange) -> Sequence[WordGeneralization]:
        """Wider words for a word, suppression last; ``limits``: the widest range that may be replaced."""
        if (word, limits) not in self._of_words:
            self._of_words[word, limits] = generalize_word(self.text, *word, self._language, limits)
        return self._of_words[word, limits]

    def of_phrase(self, word: TextRange) -> Sequence[WordGeneralization]:
        """The wording of the phrase around a word that reads best, by the masked language model; maybe none."""
        if word not in self._of_phrases:
            self._of_phrases[word] = reword_phrase(self.text, *word, self._language)
        return self._of_phrases[word]


class WorkingText:
    """A release, its places and their levels."""

    def __init__(self, initial: Release, stems: str = "english", wordings: Wordings | None = None) -> None:
        """``wordings``: of the document, where they were looked up before."""
        self.document: Document = initial.document
        self.language = document_language(self.document.text) or "en"
        is_known = wordings is not None and wordings.text is self.document.text
        self.wordings = wordings if is_known and wordings else Wordings(self.document.text, self.language)
        self._allowed = allowed_ranges(self.document)
        edited = [(edit.span, edit) for edit in initial.edits if len(edit.span)]
        spans = sorted([*edited, *_word_spans(initial)], key=lambda pair: pair[0].start)
        function_words = STOP_WORDS.get(self.language, STOP_WORDS["en"])
        self.places, self.groups = _group_places(self.document, spans, stems, function_words)
        self.starts: Ints = np.array([place.span.start for place in self.places], np.int64)
        self.ends: Ints = np.array([place.span.end for place in self.places], np.int64)
        self.group_of: Ints = np.array([place.group for place in self.places], np.int64)
        self._alternatives: dict[int, tuple[Alternative, ...]] = {}
        self._place_at = np.full(len(self.document.text), len(self.places), np.int64)
        for number, place in enumerate(self.places):
            self._place_at[place.span.start : place.span.end] = number
        self.levels = [0] * len(self.places)
        self._is_reworded: set[int] = set()

    def alternatives(self, number: int) -> tuple[Alternative, ...]:
        """The alternatives of a place, the most informative first."""
        if number not in self._alternatives:
            edit = self.places[number].edit
            self._alternatives[number] = _edit_alternatives(edit) if edit else self._word_alternatives(number)
        return self._alternatives[number]

    def _word_alternatives(self, number: int) -> tuple[Alternative, ...]:
        place, text = self.places[number], self.document.text
        span = place.span
        if place.is_function_word or _is_paragraph_number(text, span):
            reason = "function word" if place.is_function_word else "number of a paragraph"
            return (Alternative("suppress", Edit(span, SUPPRESSED, (reason,))),)
        before = map(self.places.__getitem__, range(number - 1, -1, -1))
        after = map(self.places.__getitem__, range(number + 1, len(self.places)))
        first_allowed, end_allowed = self._between_allowed(span)
        limits = (
            max(first_allowed, next((other.span.end for other in before if not other.is_function_word), 0)),
            min(end_allowed, next((other.span.start for other in after if not other.is_function_word), len(text))),
        )
        return tuple(
            Alternative(wording.kind, Edit(span.moved(wording.start, wording.end), wording.text, (wording.reason,)))
            for wording in self.wordings.of_word((span.start, span.end), limits)
        )

    def _between_allowed(self, span: Span) -> TextRange:
        """The range around a span up to what is allowed on either side."""
        index = bisect_right(self._allowed, span.start, key=lambda item: item[1])
        start = self._allowed[index - 1][1] if index else 0
        return start, self._allowed[index][0] if index < len(self._allowed) else len(self.document.text)

    def reword(self, number: int) -> bool:
        """Look for a wording of the phrase around a word that is about to be suppressed; False where it was done.

        It takes the masked language model, so it is asked only for words that are likely to be repaired.
        """
        place = self.places[number]
        if number in self._is_reworded or place.edit is not None:
            return False
        self._is_reworded.add(number)
        *wider, last = self.alternatives(number)
        span = place.span
        wordings = self.wordings.of_phrase((span.start, span.end))
        rephrased = [
            Alternative(wording.kind, Edit(span.moved(wording.start, wording.end), wording.text, (wording.reason,)))
            for wording in wordings
            if not self.must_stay(wording.start, wording.end)
        ]
        self._alternatives[number] = (*wider, *rephrased, last)
        return True

    def must_stay(self, start: int, end: int) -> bool:
        """Whether a range cannot go as a whole: it holds something allowed, or an end of it lies inside a place."""
        if outside(self.document.text, self._allowed, start, end) != [(start, end)]:
            return True
        first, last = np.searchsorted(self.ends, start, "right"), np.searchsorted(self.starts, end)
        return any(
            not (start <= place.span.start and place.span.end <= end) for place in self.places[int(first) : int(last)]
        )

    def is_suppressed_next(self, number: int) -> bool:
        """Whether nothing but suppression is left for a place."""
        alternative = self.next_alternative(number)
        return alternative is not None and alternative.kind == "suppress"

    def is_unreadable_next(self, number: int) -> bool:
        """Whether it is known that a word can only be suppressed."""
        return number in self._is_reworded and self.is_suppressed_next(number)

    def next_alternative(self, number: int) -> Alternative | None:
        """None where the place is at its last alternative."""
        alternatives, level = self.alternatives(number), self.levels[number]
        return alternatives[level] if level < len(alternatives) else None

    def is_open(self, number: int) -> bool:
        """Whether a place can still say less. Every word can at least be suppressed, so words are not looked up."""
        is_known = self.places[number].edit or number in self._alternatives
        return self.levels[number] < (len(self.alternatives(number)) if is_known else 1)

    def widen(self, numbers: Sequence[int]) -> None:
        """Move places on to their next alternative."""
        for number in numbers:
            self.levels[number] = min(self.levels[number] + 1, len(self.alternatives(number)))

    def edit_at(self, number: int) -> Edit | None:
        """The current edit of a place; None where the original text stands."""
        level = self.levels[number]
        return self.alternatives(number)[level - 1].edit if level else self.places[number].edit

    def initial_text(self, number: int) -> str:
        """The text of a place before any repair."""
        edit, span = self.places[number].edit, self.places[number].span
        return edit.replacement if edit else self.document.text[span.start : span.end]

    def release(self) -> tuple[Release, Ints]:
        """The current release, and for each character of its text the number of its place (else their count)."""
        edits = self.current_edits()
        numbers = list(edits)
        anchored = [(edits[number], self._anchor(number, edits[number])) for number in numbers]
        release = Release(self.document, resolve_overlaps(anchored))
        place_of, index = [np.zeros(0, np.int64)], 0
        for segment in release.segments:
            if segment.edit is None:
                place_of.append(self._place_at[segment.start : segment.end])
            else:
                place_of.append(np.full(len(segment.edit.replacement), numbers[index], np.int64))
                index += 1
        return release, np.concatenate(place_of)

    def current_edits(self) -> dict[int, Edit]:
        """By place, in the order of the text. A wording of a phrase replaces the edits of the places inside it."""
        edits = {number: edit for number in range(len(self.places)) if (edit := self.edit_at(number)) is not None}
        phrases = [number for number, edit in edits.items() if self._covers_others(number, edit)]
        phrases.sort(key=lambda number: (-len(edits[number].span), number))
        taken: list[tuple[int, Span]] = []
        for number in phrases:
            span = edits[number].span
            if any(span.overlaps(other) for _, other in taken):
                # Two phrases that overlap cannot both be reworded; the shorter one's word is suppressed.
                edits[number] = self._suppression(number)
            else:
                taken.append((number, span))
        for number, span in taken:
            first, last = np.searchsorted(self.starts, [span.start, span.end])
            for inner in range(int(first), int(last)):
                if inner != number:
                    edits.pop(inner, None)
        return self._agree_articles(self._join_suppressed(edits))

    def _agree_articles(self, edits: dict[int, Edit]) -> dict[int, Edit]:
        """Before an edit that begins where another ends, "a" or "an" is as the new word asks: "a [] [artist]"."""
        end_before = 0
        for number, following in pairwise(list(edits)) if self.language in ARTICLES_BY_SOUND else ():
            edit, next_edit = edits[number], edits[following]
            if self.places[number].edit is None and edit.span.end == next_edit.span.start:
                edits[number] = self._with_agreeing_article(edit, next_edit.replacement, end_before)
            end_before = edits[number].span.end
        return edits

    def _with_agreeing_article(self, edit: Edit, word: str, limit: int) -> Edit:
        """The edit with the article that ends it, or stands before it where it is empty, as a word asks.

        ``limit``: where the edit before it ends.
        """
        start, article = edit.span.start, _ENDS_WITH_ARTICLE.search(edit.replacement)
        if not edit.replacement:
            article = _ENDS_WITH_ARTICLE.search(self.document.text, max(limit, start - len("an ")), start)
            start = article.start() if article else start
        wanted = indefinite_article(word)
        if article is None or not word[:1].isalpha() or article[1].lower() == wanted:
            return edit
        kept = edit.replacement[: article.start()]
        shown = wanted.capitalize() if article[1][0].isupper() else wanted
        return replace(edit, span=edit.span.moved(start, edit.span.end), replacement=f"{kept}{shown} ")

    def _join_suppressed(self, edits: dict[int, Edit]) -> dict[int, Edit]:
        """Words that are suppressed one after the other leave one mark of omission."""
        joined: dict[int, Edit] = {}
        last = -1
        for number, edit in edits.items():
            is_word = self.places[number].edit is None and edit.replacement == SUPPRESSED
            if is_word and last >= 0:
                before = joined[last]
                if _BETWEEN_SUPPRESSED.fullmatch(self.document.text, before.span.end, edit.span.start):
                    joined[last] = replace(before, span=before.span.moved(before.span.start, edit.span.end))
                    continue
            joined[number] = edit
            last = number if is_word else -1
        return joined

    def _suppression(self, number: int) -> Edit:
        return next(option.edit for option in self.alternatives(number) if option.kind == "suppress")

    def marks_of_omission(self) -> dict[int, Edit]:
        """The words that are suppressed now, by place."""
        return {
            number: edit
            for number, edit in self.current_edits().items()
            if self.levels[number] and self.places[number].edit is None and edit.replacement == SUPPRESSED
        }

    def leave_out_sentence(self, number: int, start: int, end: int) -> None:
        """Leave out the whole sentence of a word that is suppressed; one mark of omission stands in its place."""
        self._is_reworded.add(number)
        sentence = Edit(self.places[number].span.moved(start, end), SUPPRESSED, ("sentence left out",))
        self._alternatives[number] = (*self.alternatives(number), Alternative("drop", sentence))
        self.levels[number] = len(self._alternatives[number])

    def _covers_others(self, number: int, edit: Edit) -> bool:
        span, levels = self.places[number].span, self.levels
        if not levels[number] or (number not in self._is_reworded and edit.replacement != SUPPRESSED):
            return False
        return edit.span != span

    def _anchor(self, number: int, edit: Edit) -> Span:
        return edit.span if self._covers_others(number, edit) else self.places[number].span


def _is_paragraph_number(text: str, span: Span) -> bool:
    """Whether a number opens a line: "more than 100. The claimant" is no sentence."""
    begins = text.rfind("\n", 0, span.start) + 1
    number = _PARAGRAPH_NUMBER.match(text, begins)
    return number is not None and number.start("number") <= span.start < number.end("number")


def _word_spans(initial: Release) -> Iterator[tuple[Span, None]]:
    text, allowed = initial.document.text, allowed_ranges(initial.document)
    for segment in initial.segments:
        if segment.edit is not None:
            continue
        for match in _WORD.finditer(text, segment.start, segment.end):
            follows_edit = match.start() == segment.start and match.start() and text[match.start() - 1].isalnum()
            if not follows_edit and outside(text, allowed, *match.span()) == [match.span()]:
                yield Span(*match.span(), WORD_LABEL, source="protect"), None


def _group_places(
    document: Document, spans: Sequence[tuple[Span, Edit | None]], stems: str, function_words: Container[str]
) -> tuple[list[Place], list[list[int]]]:
    stem = load_stemmer(stems)
    numbers: dict[tuple[str, str], int] = {}
    places: list[Place] = []
    groups: list[list[int]] = []
    for span, edit in spans:
        word = document.text[span.start : span.end].lower()
        key = (span.label, entity_of(document, span)) if edit else (WORD_LABEL, stem(word))
        group = numbers.setdefault(key, len(groups))
        if group == len(groups):
            groups.append([])
        groups[group].append(len(places))
        places.append(Place(span, edit, group, edit is None and word in function_words))
    return places, groups


def _edit_alternatives(edit: Edit) -> tuple[Alternative, ...]:
    """The higher levels of an edit, then suppression, unless the last level carries no words already.

    What stands for a person stays: a role says no more than the numbered label above it, and is the same everywhere.
    """
    if edit.span.label == "PERSON" and edit.alternatives:
        return ()
    levels = tuple(Alternative("generalize", higher) for higher in edit.alternatives)
    last = edit.alternatives[-1] if edit.alternatives else edit
    if not cleaning.clean(last.replacement).words:
        return levels
    return (*levels, Alternative("suppress", Edit(edit.span, SUPPRESSED, (*edit.reasons, "suppressed"))))
