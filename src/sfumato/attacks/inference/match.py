"""Whether a guess says what stood there: the MATCH of INTACT (paper 002).

Looser than "the same string", so that a guess of *Turkish* for *Turkey* counts; stricter for dates, whose
generalizations repeat parts of them by design.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Set
from itertools import product

from sfumato.knowledge.accents import plain
from sfumato.knowledge.dates.read import PartialDate, read_dates
from sfumato.knowledge.grammar.function_words import STOP_WORDS
from sfumato.knowledge.grammar.lemmas import content_lemmas, is_word, lemma, words

UNREADABLE = ""
"""Stands for an answer that could not be read. It counts as guessed: a broken attacker proves no privacy."""
FREQUENT = 200
NAMED = frozenset({"PERSON", "ORG", "LOC"})
"""Labels of which every word is part of a name; under others a capital tells."""
_NGRAM = 4
_INSIDE = 4
"""Letters that a lemma must have, to count where it stands inside another."""
_ACRONYM = 3
_ARTICLES = frozenset({"A", "An", "The"})


def frequent_lemmas(texts: Iterable[str], most: int = FREQUENT) -> frozenset[str]:
    """The lemmas that a corpus uses most; sharing one of these tells nothing.

    Names are not allowed for being frequent: what is never written small (Turkish, but not Government) is not counted.
    """
    counts, small = Counter[str](), set[str]()
    for text in texts:
        said = words(text)
        counts.update(content_lemmas(" ".join(word for word in said if not word.isupper())))
        small.update(content_lemmas(" ".join(word for word in said if word.islower())))
    return frozenset(sorted(small, key=lambda base: (-counts[base], base))[:most])


def anywhere(word: str) -> set[str]:
    """All runs of four letters, as in the paper: *Constitutional* and *Administration* share one."""
    return {word[start : start + _NGRAM] for start in range(len(word) - _NGRAM + 1)}


def at_the_start(word: str) -> set[str]:
    """The first four letters: what *Turkey* and *Turkish* share."""
    return {word[:_NGRAM]} if len(word) >= _NGRAM else set()


def match(
    original: str,
    guess: str,
    label: str,
    frequent: Set[str] = frozenset(),
    language: str = "en",
    runs: Callable[[str], set[str]] = anywhere,
) -> bool:
    """Whether ``guess`` gives ``original`` away, accents and case aside; ``frequent``: see ``frequent_lemmas``.

    Any of: the same, case aside; a lemma in common that is neither a number, a stop word nor frequent (the acronym of
    title-cased words counts as one); a lemma of more than three letters inside one of the other; for names, four
    letters in a row in common (``runs``). A DATETIME matches only where all lemmas agree, or the dates they say.
    """
    original, guess = plain(original), plain(guess.strip())
    if guess == UNREADABLE or guess.lower() == original.strip().lower():
        return True
    if label == "DATETIME":
        return _same_dates(original, guess) or _date_lemmas(original, language) == _date_lemmas(guess, language) != []
    first, second = (_lemmas(text, frequent, language) for text in (original, guess))
    if first & second:
        return True
    if any(_is_inside(one, other) for one, other in product(first, second)):
        return True
    return bool(_runs(original, label, frequent, language, runs) & _runs(guess, label, frequent, language, runs))


def _lemmas(text: str, frequent: Set[str], language: str) -> set[str]:
    acronym = _acronym(text)
    return {base for base in content_lemmas(text, language) if base not in frequent} | ({acronym} if acronym else set())


def _acronym(text: str) -> str | None:
    """*who* for "World Health Organization"; None for fewer than three title-cased words."""
    letters = [word[0] for word in words(text) if word.istitle() and word not in _ARTICLES]
    return "".join(letters).lower() if len(letters) >= _ACRONYM else None


def _is_inside(one: str, other: str) -> bool:
    return min(len(one), len(other)) >= _INSIDE and (one in other or other in one)


def _runs(text: str, label: str, frequent: Set[str], language: str, runs: Callable[[str], set[str]]) -> set[str]:
    names = [word for word in words(text) if is_word(word) and (label in NAMED or word[0].isupper())]
    return {run for word in names if lemma(word, language) not in frequent for run in runs(word.lower())}


def _date_lemmas(text: str, language: str) -> list[str]:
    """All lemmas, numbers too ("3rd" as "3"), in any order."""
    stops = STOP_WORDS[language]
    return sorted(lemma(_cardinal(word), language) for word in words(text) if word.lower() not in stops)


def _cardinal(word: str) -> str:
    return word[:-2] if word[:-2].isdigit() and word[-2:].lower() in ("st", "nd", "rd", "th") else word


def _same_dates(original: str, guess: str) -> bool:
    """Whether they say the same dates in one of the ways in which numeric ones can be read."""
    return bool(_readings(original) & _readings(guess) - {()})


def _readings(text: str) -> set[tuple[PartialDate, ...]]:
    return {read_dates(text, "dmy"), read_dates(text, "mdy")}
