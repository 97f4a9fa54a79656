"""Runs of capitalised words, of which names are made."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from sfumato.detectors.rules.patterns import any_of, word_list
from sfumato.lexicon import name_lists
from sfumato.lexicon.name_lists import PARTICLES, is_title
from sfumato.lexicon.tokens import lazy_pattern

UPPER = "".join(chr(code) for code in range(0x41, 0x250) if chr(code).isupper()) + "ẞ"
"""Capital letters of the Latin script, for a character class."""
_IN_WORD = r"[\w\u0300-\u036f]"
_TOKEN = (
    rf"(?:[{UPPER}]\.(?:-?[{UPPER}]\.)*+|(?:(?:[Aa]l|[Ee]l|[Dd]|[Ll]|[Dd]ell|[Dd]all)['’-])?+"
    rf"[{UPPER}]{_IN_WORD}*+(?:['’‑-]{_IN_WORD}++)*+)"
)
_RUN = lazy_pattern(rf"(?<![^\W_]){_TOKEN}(?:\.?[ \u00a0]{{1,2}}(?:{any_of(PARTICLES)}[ \u00a0]){{0,3}}+{_TOKEN})*+")
_WORD = lazy_pattern(_TOKEN)
_SPACES_IN_RUNS = frozenset(" \u00a0")
_ABBREVIATIONS = frozenset(word_list("names.abbreviations"))
_LEGAL_FORMS = frozenset(word_list("names.legal_forms"))
_THING = lazy_pattern(rf"(?:['’]s)?[ -]{any_of(word_list('names.things'))}\b")
_LONGEST_RUN = 24  # longer than any name; bounds what is read again for each word of a run


class Word(NamedTuple):
    """A capitalised word (or initials) with its offsets; ``key`` is its form in the lexicon."""

    start: int
    end: int
    text: str
    key: str

    @property
    def is_initial(self) -> bool:
        return self.text.endswith(".") or (len(self.text) == 1 and self.text not in "AIOEYÀÉ")

    @property
    def is_all_caps(self) -> bool:
        return len(self.text) > 1 and self.text.isupper() and not self.is_initial


def capitalised_runs(text: str) -> Iterator[list[Word]]:
    """Capitalised words that stand together, with particles of names allowed between them.

    A possessive ending is left off and ends its run, as does a full stop after anything but a title or initial.
    """
    forms: dict[str, tuple[str, str]] = {}
    """Words as written, without their endings and as the lexicon has them: most are written more than once."""
    for run in _RUN.finditer(text):
        words: list[Word] = []
        has_spaces = not _SPACES_IN_RUNS.isdisjoint(run.group())
        for match in _WORD.finditer(text, run.start(), run.end()) if has_spaces else (run,):
            start = match.start()
            word = match.group()
            if words and "." in text[words[-1].end - 1 : start] and _ends_run(words[-1], word):
                yield words
                words = []
            if word not in forms:
                bare = word[:-2] if word.endswith(("'s", "’s", "'S", "’S")) else word
                forms[word] = bare, name_lists.lookup_key(bare)
            bare, key = forms[word]
            words.append(Word(start, start + len(bare), bare, key))
            if len(bare) < len(word) or len(words) == _LONGEST_RUN:
                yield words
                words = []
        if words:
            yield words


def _ends_run(last: Word, following: str) -> bool:
    """Whether the full stop of a word ends its run: "Crabtree Ltd. She", but neither "Mr. Smith" nor "J. Smith"."""
    if last.is_initial or last.key in _LEGAL_FORMS:
        return last.key in _LEGAL_FORMS and name_lists.lookup_key(following) in name_lists.common_words()
    is_abbreviation = last.key in _ABBREVIATIONS or (len(last.key) < 6 and is_title(last.key))
    return not is_abbreviation


def names_a_thing(text: str, end: int) -> bool:
    """Whether the name that ends here belongs to a thing: "Wilson's disease", "Framingham risk score"."""
    return _THING.match(text, end) is not None
