"""How far a name goes, once it has begun."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from typing import NamedTuple

from sfumato.document import Span
from sfumato.lexicon import name_lists
from sfumato.lexicon.name_lists import LEGAL_FORMS, NOT_IN_NAMES_OF_PEOPLE, is_title

# -- Capitalised words and the runs they form: what people, places and organisations are looked for in.


UPPER = "".join(chr(code) for code in range(0x41, 0x250) if chr(code).isupper()) + "ẞ"
"""Capital letters of the Latin script, for a character class."""
_IN_WORD = r"[\w\u0300-\u036f]"
_TOKEN = (
    rf"(?:[{UPPER}]\.(?:-?[{UPPER}]\.)*+|(?:(?:[Aa]l|[Ee]l|[Dd]|[Ll]|[Dd]ell|[Dd]all)['’-])?+"
    rf"[{UPPER}]{_IN_WORD}*+(?:['’‑-]{_IN_WORD}++)*+)"
)
_PARTICLE = (
    r"(?:de|del|della|dello|dei|degli|di|da|do|dos|das|du|des|la|las|los|le|van|von|vom|zu|zum|"
    r"zur|der|den|ter|ten|te|"
    r"bin|ibn|bint|ben|al|el|st|af|av|på)"
)
_GAP = r"\.?[ \u00a0]{1,2}"
_RUN = re.compile(rf"(?<![^\W_]){_TOKEN}(?:{_GAP}(?:{_PARTICLE}[ \u00a0]){{0,3}}+{_TOKEN})*+")
_WORD = re.compile(_TOKEN)
_ABBREVIATIONS = frozenset("st ste jr sr mt ft jun sen univ inc ltd co corp bros no nr".split())
_LEGAL = frozenset(form.casefold() for form in LEGAL_FORMS) & {
    *"ltd inc co corp ltda lda s.a. s.l. s.r.l. s.p.a. b.v. n.v. s.a.u. s.l.u. l.l.c. l.l.p. s.c.".split()
}
_PLAIN_WORD = re.compile(r"[^\W\d_]{3,}")


_LONGEST_RUN = 24  # longer than any name; bounds what is read again for each word of a run


_THING = re.compile(
    r"(?:['’]s)?[ -](?:disease|syndrome|scores?|risk|criteria|tests?|signs?|scale|index|palsy|lymphoma|sarcoma|"
    r"procedure|operation|maneuver|manoeuvre|classification|contracture|phenomenon|reflex|effect|theorem|law|esophagus|ulcer)\b"
)


def names_a_thing(text: str, end: int) -> bool:
    """Whether the name that ends here belongs to a thing: "Wilson's disease", "Framingham risk score"."""
    return _THING.match(text, end) is not None


class Word(NamedTuple):
    """A capitalised word (or initials) where it stands; ``key`` is its form in the lexicon."""

    start: int
    end: int
    text: str
    key: str

    @property
    def is_initial(self) -> bool:
        return self.text.endswith(".") or (len(self.text) == 1 and self.text not in "AIOEYÀÉ")

    @property
    def is_shouted(self) -> bool:
        return len(self.text) > 1 and self.text.isupper() and not self.is_initial


def runs(text: str) -> Iterator[list[Word]]:
    """Capitalised words that stand together, with the small particles of names allowed between them.

    A possessive ending is left off and ends its run, as does a full stop after anything but a title or initial.
    """
    for run in _RUN.finditer(text):
        words: list[Word] = []
        for match in _WORD.finditer(text, run.start(), run.end()):
            start = match.start()
            word = match.group()
            if words and "." in text[words[-1].end - 1 : start] and _ends_here(words[-1], word):
                yield words
                words = []
            bare = word[:-2] if word.endswith(("'s", "’s", "'S", "’S")) else word
            words.append(Word(start, start + len(bare), bare, name_lists.lookup_key(bare)))
            if bare is not word or len(words) == _LONGEST_RUN:
                yield words
                words = []
        if words:
            yield words


def _ends_here(last: Word, following: str) -> bool:
    """Whether the full stop of a word ends its run: "Crabtree Ltd. She", but neither "Mr. Smith" nor "J. Smith"."""
    if last.is_initial or last.key in _LEGAL:
        return last.key in _LEGAL and name_lists.lookup_key(following) in name_lists.common_words()
    return not _takes_stop(last.key)


def _takes_stop(key: str) -> bool:
    return (len(key) < 6 and is_title(key)) or key in _ABBREVIATIONS


def plain_words(text: str) -> Iterator[re.Match[str]]:
    """All words of three letters or more, whatever their case."""
    return _PLAIN_WORD.finditer(text)


# -- How far a name goes, once it has begun.


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
    demonyms = {name_lists.lookup_key(word) for word in name_lists.demonyms() if word[:1].isupper()}
    return frozenset(
        (NOT_IN_NAMES_OF_PEOPLE | demonyms | name_lists.regions())
        - name_lists.given_names().keys()
        - name_lists.family_names()
    )


def nothing(run: Sequence[Word], at: int) -> bool:
    return False


def anything(run: Sequence[Word], at: int) -> bool:
    return True


class Extent:
    """Names in one text."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._given, self._family, self._common = (
            name_lists.given_names(),
            name_lists.family_names(),
            name_lists.common_words(),
        )
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
        if more or word.key in NOT_IN_NAMES_OF_PEOPLE:
            return False
        # German gives every noun a capital.
        return run[at - 1].is_initial or not _GERMAN.search(self._text, max(0, word.start - 60), word.end + 60)

    def is_known(self, word: Word) -> bool:
        return word.key in self._given or word.key in self._family


# -- Names that a text has told in full, found again where it says a part of them.


_KNOWN_NAME_WORD = re.compile(r"[^\W\d_][\w'’-]+")


class Established:
    """The words of the names that one text has established."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._common = name_lists.common_words()
        self._keys: set[str] = set()

    def add(self, words: Iterable[Word]) -> None:
        """A name, word by word."""
        self._keys.update(word.key for word in words if not word.is_initial and len(word.text) > 2)

    def add_spans(self, names: Iterable[Span]) -> None:
        """Names that something else found: a form field, a signature."""
        for span in names:
            words = _KNOWN_NAME_WORD.findall(self._text[span.start : span.end])
            self._keys.update(name_lists.lookup_key(word) for word in words if not is_title(word) and len(word) > 2)

    def is_name(self, word: str) -> bool:
        """Whether a word in small letters is one of these names."""
        if word not in self._keys or word in self._common:
            return False
        return word in name_lists.given_names() or word in name_lists.family_names()

    def again(self, found: Iterable[Span], runs: Iterable[Sequence[Word]]) -> Iterator[Span]:
        """What was found, and beside it each further mention of a name."""
        taken: set[int] = set()
        for span in map(self._known, found):
            taken.update((span.start, span.end))
            yield span
        for word in (word for run in runs for word in run if word.start not in taken and word.end not in taken):
            if word.key in self._keys:
                score = 0.45 if word.key in self._common else 0.7
                yield Span(word.start, word.end, "PERSON", "direct", score, "rules:person")
            elif self._is_genitive(word.key):
                yield Span(word.start, word.end - 1, "PERSON", "direct", 0.6, "rules:person")

    def _known(self, span: Span) -> Span:
        """A lone given name that is part of an established name stands for the whole person."""
        if span.identifier == "quasi" and name_lists.lookup_key(self._text[span.start : span.end]) in self._keys:
            return replace(span, identifier="direct", score=max(span.score, 0.7))
        return span

    def _is_genitive(self, key: str) -> bool:
        """The German genitive of an established name; as with "Anna's", the ending is left to the text."""
        return len(key) > 4 and key[-1] == "s" and key[:-1] in self._keys and key not in self._common
