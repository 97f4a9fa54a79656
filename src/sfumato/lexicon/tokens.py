"""Words and phrases of a text: what counts as a word, and an index that finds many phrases in a text at once.

The regular expressions differ in three things: whether digits count, whether an underscore counts (it does in ``\\w``,
but not in names of people), and which signs inside a word belong to it. All of them work on Unicode letters.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left, insort
from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, compress, islice, pairwise
from typing import Any, AnyStr, Generic, NamedTuple, TypeVar, cast

from sfumato.annotated_text import LONG, AnnotatedText, read_once

WORD_CHARACTERS = re.compile(r"\w+")
"""Letters, digits and underscores. Whole-word search uses it because ``\\b`` draws the same limits."""
ALPHANUMERIC = re.compile(r"[^\W_]+")
"""Letters and digits: "B12" is a word, "file_name" is two. For comparing and counting what is written."""
LETTERS = re.compile(r"[^\W\d_]+")
"""Letters only, for looking words up in tables that have no numbers."""
LETTERS_WITH_APOSTROPHE = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
""""don't" and "O'Brien" are one word each; numbers are none."""
WORD_WITH_APOSTROPHE = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
"""As the frequency tables were counted: "don't" and "B12" are one word each."""
WORD_WITH_HYPHEN = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
"""As WordNet lists words: "mother-in-law" is one word."""
WORD_OR_POSSESSIVE = re.compile(r"['’]s\b|[^\W_]+(?:['’](?!s\b)[^\W_]+)*", re.IGNORECASE)
"""A word, with a possessive ending as a match of its own: "Anna" and "'s"."""
WORD_OR_SIGN = re.compile(r"\w+|[^\w\s]")
"""A word or a single punctuation mark: the tokens that costs, BLEU and edit distances are counted in."""
NAME_WORD = re.compile(r"[^\W\d_][\w'’-]*")
"""A word of a name: begins with a letter and keeps its apostrophes and hyphens, "Jean-Luc", "O'Brien"."""
PHRASE_WORD = re.compile(r"[^\W_]+(?:[-'’.&][^\W_]+)*")
"""A word of a noun phrase: keeps the signs inside it, "state-owned", "R&D", "e.g"."""

_LETTERS_APART = re.compile(r"([^\W\d_]+)")
_WORDS_APART = re.compile(r"(\w+)")
NUMBER_START = re.compile(r"\d(?<!\w\d)")
"""As ``(?<!\\w)\\d``, but searched for by its first character."""
_SPACE = re.compile(r"\s+")
_PART = re.compile(rf"[\s\S]{{1,{LONG}}}\w*")
"""A part of a text that ends where a word does."""
_MOST_PARTS = 40
"""So many parts of a text are read before what they have in common is left out."""

T = TypeVar("T")


class LazyPattern:
    """Stands for a compiled regular expression, and compiles it when one of its methods is first asked for."""

    def __init__(self, regex: str | bytes, flags: int) -> None:
        self._regex, self._flags = regex, flags

    def compiled(self) -> re.Pattern[Any]:
        """The regular expression itself."""
        return re.compile(self._regex, self._flags)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        value = getattr(self.compiled(), name)
        setattr(self, name, value)  # so that this is asked for once
        return value


def lazy_pattern(regex: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """Like ``re.compile``, but the work is done on first use: most runs need few of the patterns of a module.

    For a pattern whose own methods are called: functions of ``re`` do not accept it, and a match's ``re`` is another.
    """
    return cast(re.Pattern[AnyStr], LazyPattern(regex, flags))


def words_by_part(pattern: re.Pattern[str], text: str) -> Iterator[list[str]]:
    """All words of a text, a part at a time: as one list they would take thirty times the memory of the text.

    ``pattern``: of words that are made of letters, digits and underscores.
    """
    return (pattern.findall(part[0]) for part in parts(text))


def parts(text: str) -> Iterator[re.Match[str]]:
    """Parts of a long text, each to the end of a word: what is made of all words at once takes much memory."""
    return _PART.finditer(text)


def fold_case(text: str, fold: Callable[[str], str] = str.casefold) -> str:
    """``casefold``, a part at a time: it takes twelve bytes for each character."""
    if len(text) <= LONG:
        return fold(text)
    starts = range(0, len(text), LONG)
    return "".join(fold(text[start : start + LONG]) for start in starts)


def without_case(text: str) -> str:
    """The text with letters that a regular expression takes for the same in any case written alike."""
    return fold_case(text, _without_case)


def _without_case(text: str) -> str:
    folded = text.casefold()
    return folded if folded.isascii() else text.replace("İ", "i").casefold().replace("ı", "i")


@read_once
def letter_runs(text: str) -> Mapping[str, Sequence[int]]:
    """The runs of letters in a text, and where each begins, from left to right."""
    starts: defaultdict[str, array[int]] = defaultdict(lambda: array("I"))
    for part in parts(text):
        pieces = _LETTERS_APART.split(part[0])
        ends = accumulate(map(len, pieces), initial=part.start())
        for number, (start, piece) in enumerate(zip(ends, pieces, strict=False)):
            if number % 2:
                starts[piece].append(start)
    return starts


@read_once
def word_starts(text: str) -> Mapping[str, Sequence[int]]:
    """The same by the form without case."""
    starts: dict[str, Sequence[int]] = {}
    for word, places in letter_runs(text).items():
        form = word.lower() if word.isascii() else without_case(word)
        starts[form] = array("I", sorted((*starts[form], *places))) if form in starts else places
    return starts


@read_once
def caseless_words(text: str) -> frozenset[str]:
    """The runs of letters in a text, without case: by them a search is spared that could find nothing."""
    return frozenset(word_starts(text))


def starts_of(words: frozenset[str], text: str) -> list[int]:
    """Where runs of letters that are one of these words, in any case, begin."""
    present = words & caseless_words(text)
    if not present:
        return []
    starts = word_starts(text)
    return sorted(start for word in present for start in starts[word])


@read_once
def number_starts(text: str) -> Sequence[int]:
    """Where the numbers of a text begin that no letter, digit or underscore stands before."""
    return array("I", (match.start() for match in NUMBER_START.finditer(text)))


def find_at(pattern: re.Pattern[str], text: str, starts: Iterable[int]) -> Iterator[re.Match[str]]:
    """What ``finditer`` finds, of a pattern whose matches are not empty and all begin at one of these places."""
    free_from = 0
    for start in starts:
        if start >= free_from and (match := pattern.match(text, start)):
            free_from = match.end()
            yield match


def first_words(phrases: Iterable[str]) -> frozenset[str]:
    """The first run of letters of each phrase, as ``caseless_words`` has it. Each phrase must have one."""
    return frozenset(LETTERS.findall(without_case(phrase))[0] for phrase in phrases)


def alternation(phrases: Iterable[str]) -> str:
    """The phrases as alternatives of a regular expression, tried in their order."""
    return "|".join(map(re.escape, phrases))


def fold_phrase(text: str) -> str:
    """The form in which phrases are compared when case does not matter: case and white space folded."""
    return collapse_spaces(text).casefold()


def collapse_spaces(text: str) -> str:
    """The form in which phrases are compared when case matters: only white space folded."""
    return text if not text or text.isalnum() else _SPACE.sub(" ", text)


def in_case_of(original: str, word: str) -> str:
    """The word with the capitals of the original: none, the first letter, or all."""
    if original.isupper() and len(original) > 1:
        return word.upper()
    return word[:1].upper() + word[1:] if original[:1].isupper() else word


def contains_phrase(phrase: str, text: str) -> bool:
    """Whether a text contains a phrase as whole words, as written."""
    start = text.find(phrase)
    while start >= 0:
        end = start + len(phrase)
        # A limit of a word, as \b has it, on either side.
        if _is_limit(text[max(0, start - 1) : start], phrase[:1]) and _is_limit(phrase[-1:], text[end : end + 1]):
            return True
        start = text.find(phrase, start + 1)
    return False


def find_all(string: str, text: str) -> Iterator[int]:
    """Where a text has a string; places may overlap."""
    start = text.find(string)
    while start >= 0:
        yield start
        start = text.find(string, start + 1)


def find_whole(phrase: str, text: str) -> Iterator[tuple[int, int]]:
    """Where a text has a phrase, as written, without a letter or digit beside it: as a pattern would, but fast."""
    first = LETTERS.search(phrase) if len(text) > LONG else None
    places = find_all(phrase, text) if first is None else _find_from_word(phrase, first, text)
    free_from = 0
    for start in places:
        end = start + len(phrase)
        if start < free_from or _is_word_character(text[max(0, start - 1) : start]):
            continue
        if not _is_word_character(text[end : end + 1]):
            yield start, end
            free_from = end


def _find_from_word(phrase: str, word: re.Match[str], text: str) -> Iterator[int]:
    """The same of whole words, by the places of one of them: a long text is not read anew for every phrase."""
    for place in letter_runs(text).get(word.group(), ()):
        start = place - word.start()
        if start >= 0 and text.startswith(phrase, start):
            yield start


def _is_word_character(character: str) -> bool:
    return character.isalnum() or character == "_"


def _is_limit(before: str, after: str) -> bool:
    return _is_word_character(before) != _is_word_character(after)


class NeededStrings:
    """Strings that many patterns need, and which of them a text has."""

    def __init__(self, strings: Iterable[str]) -> None:
        self._by_character: dict[str, list[tuple[str, frozenset[str]]]] = {}
        for string in set(strings):
            self._by_character.setdefault(max(string, key=rarity), []).append((string, frozenset(string)))

    def in_text(self, text: str) -> frozenset[str]:
        """Those that a text contains; for most it lacks a character."""
        characters = characters_of(text)
        possible = (self._by_character[rarest] for rarest in self._by_character.keys() & characters)
        return frozenset(
            string for strings in possible for string, needed in strings if needed <= characters and string in text
        )


_COMMON_FIRST = " etaoinsrhldcumfpgwybvkxjqz.,-\n0123456789:/()'\"TASCIMPEBRDLHNFWGOJUVKYQZX"
"""Characters by how common they are; those that are not among them are rare."""


def rarity(character: str) -> int:
    """How rare a character is in texts, as a rank."""
    place = _COMMON_FIRST.find(character)
    return place if place >= 0 else len(_COMMON_FIRST)


@read_once
def characters_of(text: str) -> frozenset[str]:
    """The characters of a text."""
    return frozenset(text)


class FoldedWords:
    """A text without regard to case, and the words in it: for asking after many phrases."""

    def __init__(self, text: str) -> None:
        self._text = fold_case(text)
        self._words = set[str]()
        for words in words_by_line(WORD_CHARACTERS, self._text):
            self._words.update(words)
        self._phrases: dict[str, bool] = {}

    @cached_property
    def _pairs(self) -> array[int]:
        """Hashes of pairs of words, sorted: as a set they would take many times the memory of the text."""
        import numpy as np  # takes long to load, and most commands need no words of this kind

        before: list[str] = []
        hashes = [np.zeros(0, np.int64)]
        for words in words_by_part(WORD_CHARACTERS, self._text):
            hashes.append(np.fromiter(map(hash, pairwise([*before, *words])), np.int64))
            before = words[-1:] or before
            if len(hashes) > _MOST_PARTS:
                hashes = [np.unique(np.concatenate(hashes))]
        return array("q", np.unique(np.concatenate(hashes)).tobytes())

    def contains(self, phrase: str) -> bool:
        """Whether the text contains a casefolded phrase as whole words."""
        if phrase in self._words:
            return True
        if phrase not in self._phrases:
            self._phrases[phrase] = self._may_contain(phrase) and contains_phrase(phrase, self._text)
        return self._phrases[phrase]

    def those_contained(self, phrases: PhraseList) -> list[str]:
        """The phrases of a list that ``contains`` is true of, in the order of the list."""
        begun = self._words & phrases.numbers_by_first_word.keys()
        numbers = [number for word in (*begun, "") for number in phrases.numbers_by_first_word.get(word, ())]
        return [phrases[number] for number in sorted(numbers) if self.contains(phrases.folded[number])]

    def _may_contain(self, phrase: str) -> bool:
        """Whether it is worth a search, which would take seconds for all phrases whose words are in a megabyte."""
        if len(self._text) <= LONG:
            return True
        words = WORD_CHARACTERS.findall(phrase)
        return self._words.issuperset(words) and all(map(self._has_pair, pairwise(words)))

    def _has_pair(self, pair: tuple[str, str]) -> bool:
        """Whether the text may have these two words beside each other."""
        wanted = hash(pair)
        index = bisect_left(self._pairs, wanted)
        return index < len(self._pairs) and self._pairs[index] == wanted


class PhraseList(tuple[str, ...]):
    """Phrases that are looked for in many texts: only those are whose first word a text has."""

    folded: tuple[str, ...]
    numbers_by_first_word: Mapping[str, Sequence[int]]
    """The places in the list of those that begin with a word; of those without words, under ""."""

    def __new__(cls, phrases: Iterable[str]) -> PhraseList:
        listed = super().__new__(cls, phrases)
        listed.folded = tuple(map(str.casefold, listed))
        numbers: dict[str, list[int]] = {}
        for number, phrase in enumerate(listed.folded):
            first = WORD_CHARACTERS.search(phrase)
            numbers.setdefault(first.group() if first else "", []).append(number)
        # Unlike lists, tuples of numbers do not count among the objects that are searched for garbage.
        listed.numbers_by_first_word = {word: tuple(places) for word, places in numbers.items()}
        return listed


_LINE = re.compile(r"[^\n]+")


def words_by_line(pattern: re.Pattern[str], text: str) -> Iterator[Sequence[str]]:
    """The words of each line that is not empty; those of the lines of a short text are kept.

    A release that is read again and again while its levels are chosen differs in a few lines. ``pattern``: of words
    that no line break is part of, and that do not depend on other lines.
    """
    if len(text) > LONG or not isinstance(text, AnnotatedText):
        for match in _LINE.finditer(text):
            yield pattern.findall(match[0])
        return
    for match in _LINE.finditer(text):
        yield _words_of_line(text.part(match[0]), pattern)


@read_once
def _words_of_line(line: str, pattern: re.Pattern[str]) -> tuple[str, ...]:
    return tuple(pattern.findall(line))


@read_once
def folded_words(text: str) -> FoldedWords:
    """Those of a text that is asked about again and again."""
    return FoldedWords(text)


@dataclass(frozen=True, slots=True)
class PhraseMatch(Generic[T]):
    """``text[start:end]`` is a phrase of the index; ``value`` was stored with it."""

    start: int
    end: int
    value: T


class _Entry(NamedTuple, Generic[T]):
    marks_before: str
    marks_after: str
    value: T


class _WordsInText:
    """The words of a text that several indexes are searched for in; a long text has few different ones.

    ``starts`` and ``ends`` are arrays: as tuples in a list, the places would take forty times the memory of the text.
    """

    def __init__(self, text: str) -> None:
        places, numbers = array("I"), defaultdict[str, int]()
        numbers.default_factory = numbers.__len__
        self._numbers = array("I")
        """For each word of the text, its number among those that differ."""
        for part in parts(text):
            pieces = _WORDS_APART.split(part[0])
            # What stands between words and the words themselves come by turns: all borders but the first and the last.
            places.extend(islice(accumulate(map(len, pieces), initial=part.start()), 1, len(pieces)))
            self._numbers.extend(map(numbers.__getitem__, pieces[1::2]))
        numbers.default_factory = None  # it refers to the dictionary, which would stay in memory for a while
        self.starts, self.ends = places[::2], places[1::2]
        self._different = list(numbers)
        self._folded: list[str] | None = None

    def form(self, index: int, *, match_case: bool) -> str:
        """The form of the word with this number in the text, or nothing behind the last."""
        if index >= len(self._numbers):
            return ""
        return (self._different if match_case else self._folded or [])[self._numbers[index]]

    def having(self, forms: Container[str], *, match_case: bool) -> Iterator[tuple[int, str]]:
        """The words with one of these forms, from left to right: the number of each in the text, and its form."""
        if not match_case and self._folded is None:
            self._folded = list(map(str.casefold, self._different))
        different = self._different if match_case else self._folded or []
        is_wanted = [form in forms for form in different]
        if any(is_wanted):
            for index in compress(range(len(self._numbers)), map(is_wanted.__getitem__, self._numbers)):
                yield index, different[self._numbers[index]]


_words_in_text = read_once(_WordsInText)


class PhraseIndex(Generic[T]):
    """Phrases with a value each. A phrase matches only where no letter or digit adjoins a letter or digit of it.

    At each position the longest phrase wins, and matches do not overlap. White space inside a phrase matches any white
    space. ``match_case`` chooses between ``collapse_spaces`` and ``fold_phrase`` for comparison.
    """

    def __init__(self, *, match_case: bool) -> None:
        self._normalize = collapse_spaces if match_case else fold_phrase
        self._match_case = match_case
        # Phrases are cut into [marks before][words][marks after]; the words are looked up, the marks compared.
        self._entries: dict[str, list[_Entry[T]]] = {}
        # By the first word of phrases: how many words they have, the most first, each with the possible second words.
        self._lengths: dict[str, list[tuple[int, set[str]]]] = {}

    def __len__(self) -> int:
        return sum(len(entries) for entries in self._entries.values())

    def add(self, phrase: str, value: T) -> None:
        """Store a phrase. Phrases without any letter or digit cannot be found as words and are ignored."""
        words = [phrase] if phrase.isalnum() else WORD_CHARACTERS.findall(phrase)
        if not words:
            return
        start, end = phrase.find(words[0]), phrase.rfind(words[-1]) + len(words[-1])
        core = self._normalize(phrase[start:end])
        entry = _Entry(self._normalize(phrase[:start]), self._normalize(phrase[end:]), value)
        if entries := self._entries.get(core):
            insort(entries, entry, key=lambda entry: -len(entry.marks_before) - len(entry.marks_after))
        else:
            self._entries[core] = [entry]
        first_word, *others = words[:2] if self._match_case else map(str.casefold, words[:2])
        lengths = self._lengths.setdefault(first_word, [])
        second_words = next((seconds for count, seconds in lengths if count == len(words)), None)
        if second_words is None:
            second_words = set()
            insort(lengths, (len(words), second_words), key=lambda length: -length[0])
        second_words.update(others)

    def find(
        self, text: str, accept: Callable[[PhraseMatch[T]], bool] = lambda match: True
    ) -> Iterator[PhraseMatch[T]]:
        """All matches from left to right; where ``accept`` rejects one, shorter ones are tried."""
        if not self._entries:
            return
        words, lengths, free_from = _words_in_text(text), self._lengths, 0
        for index, form in words.having(lengths, match_case=self._match_case):
            if words.starts[index] < free_from:
                continue
            second = words.form(index + 1, match_case=self._match_case)
            counts = [count for count, seconds in lengths[form] if count == 1 or second in seconds]
            if not counts:
                continue
            match = next(filter(accept, self._matches_at(text, words, index, free_from, counts)), None)
            if match is not None:
                yield match
                free_from = match.end

    def _matches_at(
        self, text: str, words: _WordsInText, index: int, free_from: int, counts: list[int]
    ) -> Iterator[PhraseMatch[T]]:
        """The phrases of so many words that begin with the word at this index, longest first."""
        first = words.starts[index]
        for count in counts:
            if index + count > len(words.ends):
                continue
            last = words.ends[index + count - 1]
            for entry in self._entries.get(self._normalize(text[first:last]), ()):
                start, end = first - len(entry.marks_before), last + len(entry.marks_after)
                if (
                    start >= free_from
                    and self._normalize(text[start:first]) == entry.marks_before
                    and self._normalize(text[last:end]) == entry.marks_after
                ):
                    yield PhraseMatch(start, end, entry.value)
