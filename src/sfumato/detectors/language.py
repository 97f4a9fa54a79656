"""Documents in a language that no detector covers, and passages in such a language within other documents."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from itertools import compress, groupby
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sfumato.annotated_text import read_once
from sfumato.detectors.citations import find_citations, is_case_name
from sfumato.detectors.structure import find_structure
from sfumato.document import Span
from sfumato.lexicon.language import (
    NO_LANGUAGE,
    SAMPLE,
    SCRIPT_LANGUAGES,
    Evidence,
    LeadBound,
    class_codes,
    count_frequent_words,
    document_evidence,
    document_language,
    prior_scores,
    script_counts,
    word_counts,
    words_with_starts,
)
from sfumato.lexicon.word_kinds import is_known, may_name

LETTERS_OF_A_SIGN = {"Han": 4, "Hangul": 4, "Japanese": 4}
"""Scripts in which a sign stands for about so many letters."""
_SENTENCE_END = re.compile(r"(?<=[.!?…])[\"”»')]?\s+(?=[\"“„«'(¿¡]?[^\W\d_a-z])")

LEAST_ODDS = 2.5
"""By how much (log odds) the words of a document must favour uncovered languages for it to be withheld."""
MESSAGE_WORDS = 8
"""A text of so many words or fewer is a message: its letters tell little, but whether its words are known does."""
LEAST_ODDS_OF_MESSAGE, LEAST_ODDS_OF_ONE_WORD = 1.25, 2.0
SHORTEST_WORD = 3
"""Letters that one of the words of a message has at least."""
MOST_SYMBOLS = 0.15
"""The share of characters of a message that are written in code, formulas and data, but hardly in sentences."""
_SYMBOL = re.compile(r"[{}\[\]()<>=;$#@\\^*+/|&%~_]")
KNOWN_WORDS = 2
"""So many words or fewer, all of which are in lists of our languages, are never taken for another language."""
FREQUENT_WORD, MOST_FREQUENT_WORDS = 5.0, 2
"""What a frequent word of an uncovered language, unknown in the covered ones, adds to the odds of a message."""
PASSAGE_ODDS, PASSAGE_WORDS = 8.0, 3
"""The same for a passage of a covered document: a reader would lose a whole sentence, so it must be certain."""
PASSAGE_LETTERS = 8
"""Letters of a passage in another script: a sign of mathematics is none."""
DOUBTFUL_ODDS = -3.0
"""What stands in a foreign paragraph is foreign, unless its words favour a covered language by more than this."""


class _Segment(NamedTuple):
    """A line or a sentence; ``paragraph`` numbers the block of lines that it is in."""

    paragraph: int
    start: int
    end: int


class _Judgement(NamedTuple):
    """The likeliest uncovered language, and how much likelier (log odds) uncovered languages are than covered ones."""

    code: str
    odds: float
    plain_words: int
    """Words by which it was judged that are not capitalised."""


_COVERED = _Judgement(NO_LANGUAGE, -np.inf, 0)


@read_once
def find_uncovered_language(text: str, languages: frozenset[str]) -> str | None:
    """The language or script that a document is mainly in, where ``languages`` do not cover it; None where they do.

    All of the document counts: names, a few foreign words and foreign passages (``find_foreign_passages``) do not
    decide. Names, tables and codes alone belong to no language.
    """
    code = _find_uncovered(text, languages)
    if code is None:
        return None
    # What is code, markup or a key is in no language; most texts are judged without looking for it.
    prose = _prose_of(text)
    if sum(word_counts(prose).values()) <= MESSAGE_WORDS and not script_counts(prose) and _is_formula(prose):
        return None
    return code if prose == text else _find_uncovered(prose, languages)


def _find_uncovered(text: str, languages: frozenset[str]) -> str | None:
    if script := _main_script(text, languages):
        return script
    language = document_language(text)
    if language in languages and len(text) <= SAMPLE and _is_clearly_covered(text, language, languages):
        return None
    evidence = document_evidence(text)
    if sum(word_counts(text).values()) <= MESSAGE_WORDS:
        return _language_of_message(text, evidence, languages)
    judgement = _judge(evidence, languages)
    return judgement.code if evidence.plain_words > 1 and judgement.odds >= LEAST_ODDS else None


def _language_of_message(text: str, evidence: Evidence, languages: frozenset[str]) -> str | None:
    """The same for a few words, with what word lists know of them."""
    with_lists = Evidence.of(text, may_name)
    judgement = _judge(with_lists, languages)
    if not with_lists.plain_words or judgement.odds < DOUBTFUL_ODDS:
        return None
    frequent = min(count_frequent_words(with_lists.words, _covered(languages)), MOST_FREQUENT_WORDS)
    if not evidence.plain_words and (not frequent or with_lists.capitalised_weight):
        return None  # names, as likely as not
    if with_lists.plain_words <= KNOWN_WORDS and all(map(is_known, with_lists.words)):
        return None
    if max(map(len, with_lists.words)) < SHORTEST_WORD:
        return None  # variables, abbreviations
    needed = LEAST_ODDS_OF_ONE_WORD if with_lists.plain_words == 1 else LEAST_ODDS_OF_MESSAGE
    return judgement.code if judgement.odds + frequent * FREQUENT_WORD >= needed else None


def _is_formula(text: str) -> bool:
    return len(_SYMBOL.findall(text)) > MOST_SYMBOLS * len(text) or text.rstrip().endswith((";", "{", "}"))


def _prose_of(text: str) -> str:
    """A text without citations, names of cases, code, markup, keys and numbers, and without values of a single word."""
    for citation in reversed(find_citations(text)):
        text = text[: citation.start] + " " + text[citation.end :]
    text = "\n".join("" if is_case_name(line) else line for line in text.split("\n"))
    parts, position = [], 0
    for piece in find_structure(text).pieces:
        inner = text[piece.start : piece.end]
        is_prose = piece.kind == "value" and len(inner.split()) > 1
        parts += [text[position : piece.start], inner if is_prose else "\n" if "\n" in inner else " "]
        position = piece.end
    return "".join((*parts, text[position:]))


def find_foreign_passages(text: str, languages: frozenset[str]) -> list[Span]:
    """The lines and sentences of a covered document that are in a language that ``languages`` do not cover.

    Of a paragraph that is mostly foreign all is, but names alone and what is clearly in a covered language.
    """
    passages = []
    is_latin = not script_counts(text)
    language = document_language(text) if is_latin else None
    for _, group in groupby(_segments(text), key=lambda segment: segment.paragraph):
        segments = list(group)
        if language in languages:
            # Unless a part of a paragraph is certainly foreign, what is doubtful is covered, too.
            doubtful = [segment for segment in segments if _may_be_foreign(text, segment, language, languages)]
            passages_in_doubt = (text[segment.start : segment.end] for segment in doubtful)
            if not any(_judge_passage(passage, languages).odds >= PASSAGE_ODDS for passage in passages_in_doubt):
                continue
        judgements = [
            _COVERED
            if language in languages and _is_clearly_covered(text[segment.start : segment.end], language, languages)
            else _judge_passage(text[segment.start : segment.end], languages)
            for segment in segments
        ]
        sizes = [segment.end - segment.start for segment in segments]
        foreign = [judgement.odds >= PASSAGE_ODDS for judgement in judgements]
        is_mostly_foreign = 2 * sum(compress(sizes, foreign)) > sum(sizes)
        for segment, judgement in zip(segments, judgements, strict=True):
            may_be_foreign = is_mostly_foreign and judgement.plain_words > 0
            if judgement.odds >= (DOUBTFUL_ODDS if may_be_foreign else PASSAGE_ODDS):
                source = f"language:{judgement.code}"
                passages.append(Span(segment.start, segment.end, "MISC", "direct", 1.0, source))
    return passages


def _judge_passage(passage: str, languages: frozenset[str]) -> _Judgement:
    evidence = Evidence.of(passage)
    if (script := _main_script(passage, languages)) and sum(map(str.isalpha, passage)) >= PASSAGE_LETTERS:
        return _Judgement(script, np.inf, evidence.plain_words)
    judgement = _judge(evidence, languages)
    words = passage.split()
    is_spaced_out = 2 * sum(len(word) == 1 for word in words) > len(words)
    # A line in capitals is often a name.
    is_uncertain = evidence.plain_words < PASSAGE_WORDS or passage.isupper() or is_spaced_out
    return judgement._replace(odds=min(judgement.odds, 0.0)) if is_uncertain else judgement


def _is_clearly_covered(passage: str, language: str, languages: frozenset[str]) -> bool:
    """Whether no weighing of the words of a passage in Latin script could make it foreign.

    An upper bound of ``_judge``'s odds, against one covered language, in which only words that certainly count in full
    speak for that language: it spares nearly all passages the exact judgement.
    """
    if passage.isupper():
        return False
    return _most_odds(language, languages).of(word_counts(passage).items()) < DOUBTFUL_ODDS


def _may_be_foreign(text: str, segment: _Segment, language: str, languages: frozenset[str]) -> bool:
    """Whether a part of a text in Latin script may be foreign by ``_judge_passage``, by the same bound.

    Names alone are not, nor are lines in capitals.
    """
    all_words, starts = words_with_starts(text)
    words = all_words[bisect_left(starts, segment.start) : bisect_left(starts, segment.end)]
    # The pronoun "I" is a word in full despite its capital; an apostrophe makes one word several.
    small = [word for word in words if not word[0].isupper() or word[0] == "I"]
    if len(small) < PASSAGE_WORDS and all(map(str.isalpha, small)):
        return False
    if _most_odds(language, languages).of(Counter(words).items()) < PASSAGE_ODDS - _ROUNDING:
        return False
    return not text[segment.start : segment.end].isupper()


_ROUNDING = 1.0
"""More than rounding could change odds."""


@lru_cache(maxsize=16)
def _most_odds(language: str, languages: frozenset[str]) -> LeadBound:
    """That of the uncovered languages over a covered one, as ``_is_clearly_covered`` describes it.

    The sum over the uncovered languages is at most their number times the best.
    """
    uncovered = np.flatnonzero(~_covered(languages))
    margin = float(np.log(max(1, uncovered.size)))
    return LeadBound("most", uncovered, np.array([class_codes().index(language)]), margin)


def _main_script(text: str, languages: frozenset[str]) -> str | None:
    """The script of most letters, where no covered language is written in it."""
    counts = script_counts(text)
    if not counts:
        return None
    weights = {script: count * LETTERS_OF_A_SIGN.get(script, 1) for script, count in counts.items()}
    total = sum(map(str.isalpha, text)) + sum(weights.values()) - sum(counts.values())
    foreign = {script: weight for script, weight in weights.items() if languages.isdisjoint(SCRIPT_LANGUAGES[script])}
    return max(foreign, key=lambda script: foreign[script]) if 2 * sum(foreign.values()) > total else None


def _judge(evidence: Evidence, languages: frozenset[str]) -> _Judgement:
    is_covered = _covered(languages)
    if is_covered.all():
        return _Judgement(NO_LANGUAGE, -np.inf, evidence.plain_words)
    scores = prior_scores() + evidence.scores
    uncovered = np.flatnonzero(~is_covered)
    best = uncovered[scores[uncovered].argmax()]
    odds = np.logaddexp.reduce(scores[uncovered]) - np.logaddexp.reduce(scores[is_covered])
    return _Judgement(class_codes()[best], float(odds), evidence.plain_words)


@lru_cache(maxsize=16)
def _covered(languages: frozenset[str]) -> npt.NDArray[np.bool_]:
    """Which classes are covered; names, which belong to no language, are."""
    return np.array([code in languages or code == NO_LANGUAGE for code in class_codes()])


def _segments(text: str) -> Iterator[_Segment]:
    """The lines and sentences of a text; a line break ends a sentence, an empty line a paragraph."""
    paragraph = offset = 0
    for line in text.splitlines(keepends=True):
        start, end = offset, offset + len(line.rstrip())
        offset += len(line)
        if start == end:
            paragraph += 1
        while start < end:
            sentence_end = _SENTENCE_END.search(text, start, end)
            stop = sentence_end.start() if sentence_end else end
            yield _Segment(paragraph, start, stop)
            start = sentence_end.end() if sentence_end else end
