"""Parts of names: runs of capitalised words, where a name ends, further mentions of it by one of its words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from typing import NamedTuple

from sfumato.detectors.rules.patterns import any_of, word_list
from sfumato.document import Span
from sfumato.lexicon import name_lists
from sfumato.lexicon.name_lists import NOT_IN_NAMES_OF_PEOPLE, PARTICLES, is_title
from sfumato.lexicon.tokens import NAME_WORD, lazy_pattern

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


NOT_INITIALS = frozenset(word_list("names.not_initials"))
NOT_SURNAMES = frozenset((*word_list("names.sentence_starters"), *word_list("names.not_surnames")))
"""Capitalised words that may follow a name without being part of it: "Thanks Anna Will do", "Peter Are you there"."""
SMALL_WORDS_IN_NAMES = PARTICLES | name_lists.SURNAME_PREFIXES
_SENTENCE_STARTERS = frozenset(word_list("names.sentence_starters"))
_CAPITALISED_NOUNS = lazy_pattern(rf"(?<!\w){any_of(word_list('names.nouns_are_capitalised'))}(?!\w)")
_LONGEST_NAME = 6


@cache
def name_stop_words() -> frozenset[str]:
    """Words that end a name: head nouns of organisations and places, nationalities, countries."""
    demonyms = {name_lists.lookup_key(word) for word in name_lists.demonyms() if word[:1].isupper()}
    return frozenset(
        (NOT_IN_NAMES_OF_PEOPLE | demonyms | name_lists.regions())
        - name_lists.given_names().keys()
        - name_lists.family_names()
    )


Accepts = Callable[[Sequence[Word], int], bool]
"""Whether a word of a run, by its index, can be the first of a name although it is an everyday word or a place."""


def accept_none(run: Sequence[Word], index: int) -> bool:
    return False


def accept_any(run: Sequence[Word], index: int) -> bool:
    return True


class NameBoundary:
    """Finds where a name that has begun ends, in one text."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._given = name_lists.given_names()
        self._family = name_lists.family_names()
        self._common = name_lists.common_words()
        self._stop = name_stop_words()

    def find_end(self, run: Sequence[Word], first: int, accepts: Accepts) -> int:
        """The index after the last word, from ``first`` on, that can be part of one name."""
        end = first
        while end < len(run) and end - first < _LONGEST_NAME:
            word = run[end]
            if word.key in _SENTENCE_STARTERS or "º" in word.key:
                break
            is_first = end == first or (run[end - 1].is_initial and end == first + 1)
            if self._may_end(run, first, end) and not (is_first and accepts(run, end)):
                break
            end += 1
        while end > first and run[end - 1].key in SMALL_WORDS_IN_NAMES:
            end -= 1
        return end

    def _may_end(self, run: Sequence[Word], first: int, index: int) -> bool:
        """Whether a word is none of the name that begins at ``first``: a stop word, an everyday word, a heading's."""
        word = run[index]
        if word.key in self._stop or word.key in NOT_INITIALS or is_title(word.key):
            return True
        is_particle = word.key in SMALL_WORDS_IN_NAMES and index + 1 < len(run)
        if word.key in self._common and not (index > first and word.key in self._family) and not is_particle:
            return True
        return word.is_all_caps and index > 0 and run[index - 1].is_all_caps and not self.is_known(word)

    def is_surname(self, run: Sequence[Word], index: int) -> bool:
        """Whether an everyday word or place that stands after a given name is a surname: "Susan Bright"."""
        word = run[index]
        if word.key in NOT_SURNAMES or word.is_all_caps or word.is_initial or is_title(word.key):
            return False
        has_next = index + 1 < len(run)
        if word.key in self._family:
            return not (has_next and run[index + 1].key in self._stop)  # "Martial Law Courts"
        if has_next or word.key in NOT_IN_NAMES_OF_PEOPLE:
            return False
        # German capitalises every noun.
        around = (max(0, word.start - 60), word.end + 60)
        return run[index - 1].is_initial or not _CAPITALISED_NOUNS.search(self._text, *around)

    def is_known(self, word: Word) -> bool:
        return word.key in self._given or word.key in self._family


class KnownNames:
    """Words of the full names that a text has given, to recognise further mentions by a part of them."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._common = name_lists.common_words()
        self._keys: set[str] = set()

    def add(self, words: Iterable[Word]) -> None:
        self._keys.update(word.key for word in words if not word.is_initial and len(word.text) > 2)

    def add_spans(self, names: Iterable[Span]) -> None:
        """Add names found by other means: a form field, a signature."""
        for span in names:
            words = NAME_WORD.findall(self._text[span.start : span.end])
            self._keys.update(name_lists.lookup_key(word) for word in words if not is_title(word) and len(word) > 2)

    def is_name(self, word: str) -> bool:
        """Whether a word in small letters is part of a known name."""
        if word not in self._keys or word in self._common:
            return False
        return word in name_lists.given_names() or word in name_lists.family_names()

    def with_repeats(self, spans: Iterable[Span], runs: Iterable[Sequence[Word]]) -> Iterator[Span]:
        """The spans, and each further mention of a known name."""
        covered: set[int] = set()
        for span in map(self._upgrade, spans):
            covered.update((span.start, span.end))
            yield span
        for word in (word for run in runs for word in run if word.start not in covered and word.end not in covered):
            if word.key in self._keys:
                score = 0.45 if word.key in self._common else 0.7
                yield Span(word.start, word.end, "PERSON", "direct", score, "rules:person")
            elif self._has_added_s(word.key):
                around = (max(0, word.start - 60), word.end + 60)
                ending = 1 if _CAPITALISED_NOUNS.search(self._text, *around) else 0
                yield Span(word.start, word.end - ending, "PERSON", "direct", 0.6, "rules:person")

    def _upgrade(self, span: Span) -> Span:
        """A lone given name that is part of a known name identifies the person directly."""
        if span.identifier == "quasi" and name_lists.lookup_key(self._text[span.start : span.end]) in self._keys:
            return replace(span, identifier="direct", score=max(span.score, 0.7))
        return span

    def _has_added_s(self, key: str) -> bool:
        """Whether it is a known name with an s: in German a genitive, whose ending stays in the text, else a plural."""
        return len(key) > 4 and key[-1] == "s" and key[:-1] in self._keys and key not in self._common
