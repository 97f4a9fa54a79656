"""How far a name goes, once it has begun."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache

from sfumato.detectors.rules.words import Word
from sfumato.knowledge import lexicon
from sfumato.knowledge.heads import NOT_IN_NAMES
from sfumato.knowledge.honorifics import is_title

MayBegin = Callable[[Sequence[Word], int], bool]

_LONGEST_NAME = 6
NOT_INITIALS = frozenset(
    (
        "u.s. u.k. u.n. e.u. d.c. a.m. p.m. e.g. i.e. u.s.a. u.s.s.r. n.v. b.v. s.a. s.l. b.c. a.d. j.d. ph.d. m.d. "
        "p.s. n.b. s.p.a. s.r.l. t.v. l.a. r.i.p. v.s. q.c. k.c. m.p. v.p."
    ).split()
)
PARTICLES = frozenset(
    "le la de du des del della di da dos das van von der den ter ten zu al el bin ibn ben st mac mc".split()
)
"""Small words that stand within a name."""
_SENTENCE_STARTERS = frozenset(
    "he she it they we you i this that these those the there his her their its our my your who what when where why "
    "how if as and but or so for from with without however moreover then in on at by after before since while "
    "although no not also él ella ellos ellas se lo los las un una y o pero en con por para como er sie es wir ihr "
    "ich und oder aber mit nach il elle ils elles on nous vous je ce cette et ou mais dans pour par avec lui lei "
    "loro noi io che non ele eles eu ja hij zij wij ik een het".split()
)
# What follows a name with a capital and goes on with the text: "Thanks Anna Will do", "Peter Are you there".
NOT_SURNAMES = _SENTENCE_STARTERS | frozenset(
    "is are was were am be do does did can could will would shall should must have has had please thanks yes said "
    "says monday tuesday wednesday thursday friday saturday sunday januar freitag montag domingo januari".split()
)
_GERMAN = re.compile(r"(?<!\w)(?:und|der|die|das|den|dem|ist|nicht|ein|eine|mit|von|auf|hat)(?!\w)")


@cache
def never_in_a_name() -> frozenset[str]:
    """Words that end a name: head nouns of organisations and places, nationalities, countries."""
    demonyms = {lexicon.key(word) for word in lexicon.demonyms() if word[:1].isupper()}
    return frozenset(
        (NOT_IN_NAMES | demonyms | lexicon.regions()) - lexicon.given_names().keys() - lexicon.family_names()
    )


def nothing(run: Sequence[Word], at: int) -> bool:
    return False


def anything(run: Sequence[Word], at: int) -> bool:
    return True


class Extent:
    """Names in one text."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._given, self._family, self._common = lexicon.given_names(), lexicon.family_names(), lexicon.common_words()
        self._stop = never_in_a_name()

    def end(self, run: Sequence[Word], at: int, may_begin: MayBegin) -> int:
        """The end of the words from ``at`` on that can be parts of one name.

        ``may_begin`` says of an everyday word or a place whether it can be the first of them all the same.
        """
        end = at
        while end < len(run) and end - at < _LONGEST_NAME:
            word = run[end]
            if word.key in _SENTENCE_STARTERS or "º" in word.key:
                break
            stops = word.key in self._stop or word.key in NOT_INITIALS or is_title(word.key)
            everyday = (
                word.key in self._common
                and not (end > at and word.key in self._family)
                and not (word.key in PARTICLES and end + 1 < len(run))
            )
            shouted = word.is_shouted and end and run[end - 1].is_shouted and not self.is_known(word)
            follows = end == at or (run[end - 1].is_initial and end == at + 1)
            if (stops or everyday or shouted) and not (follows and may_begin(run, end)):
                break
            end += 1
        while end > at and run[end - 1].key in PARTICLES:
            end -= 1
        return end

    def surname(self, run: Sequence[Word], at: int) -> bool:
        """Whether an everyday word or place that stands after a given name is a surname: "Susan Bright"."""
        word = run[at]
        if word.key in NOT_SURNAMES or word.is_shouted or word.is_initial or is_title(word.key):
            return False
        more = at + 1 < len(run)
        if word.key in self._family:
            return not (more and run[at + 1].key in self._stop)  # "Martial Law Courts"
        if more or word.key in NOT_IN_NAMES:
            return False
        # German gives every noun a capital.
        return run[at - 1].is_initial or not _GERMAN.search(self._text, max(0, word.start - 60), word.end + 60)

    def is_known(self, word: Word) -> bool:
        return word.key in self._given or word.key in self._family
