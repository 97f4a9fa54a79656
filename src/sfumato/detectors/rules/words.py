"""Capitalised words and the runs they form: what people, places and organisations are looked for in."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from sfumato.knowledge import lexicon
from sfumato.knowledge.heads import LEGAL_FORMS
from sfumato.knowledge.honorifics import is_title

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
            words.append(Word(start, start + len(bare), bare, lexicon.key(bare)))
            if bare is not word or len(words) == _LONGEST_RUN:
                yield words
                words = []
        if words:
            yield words


def _ends_here(last: Word, following: str) -> bool:
    """Whether the full stop of a word ends its run: "Crabtree Ltd. She", but neither "Mr. Smith" nor "J. Smith"."""
    if last.is_initial or last.key in _LEGAL:
        return last.key in _LEGAL and lexicon.key(following) in lexicon.common_words()
    return not _takes_stop(last.key)


def _takes_stop(key: str) -> bool:
    return (len(key) < 6 and is_title(key)) or key in _ABBREVIATIONS


def plain_words(text: str) -> Iterator[re.Match[str]]:
    """All words of three letters or more, whatever their case."""
    return _PLAIN_WORD.finditer(text)
