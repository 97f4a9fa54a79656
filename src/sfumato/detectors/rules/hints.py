"""Where a regular expression can match, read from its parse tree: what each match contains, and how it begins.

Everything here errs on one side: a place that is ruled out has no match. What cannot be told rules nothing out.
``data/hints.json`` keeps what was read of the patterns of this package, as reading takes longer than a short text does.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from hashlib import blake2b
from importlib import resources
from math import prod
from re import _constants as op
from re import _parser as parser
from typing import Any, NamedTuple

from sfumato.lexicon.tokens import rarity, without_case

HINTS_FILE = "hints.json"
"""In the data folder of the detectors, written by ``training/parse_word_lists.py``."""


FAR = 1000
"""So many characters, or more."""


class Hints(NamedTuple):
    """Where the matches of a regular expression can be. A match begins in one of the ways that are given."""

    needs: frozenset[str] = frozenset()
    """Strings of which a text with a match contains one; none where nothing is known."""
    caseless: bool = False
    """Whether they are in the form without case, as the text must then be."""
    digit_within: int | None = None
    """At most this many characters behind where a match begins there is a digit, or FAR; None: there may be none."""
    words: frozenset[str] = frozenset()
    """Runs of letters, without case, that a match begins with."""
    letters: str = ""
    """Letters of which a match may begin with one, where no letter stands before."""
    signs: str = ""
    """Characters that are neither letters nor digits, of which a match may begin with one."""
    numbers: bool = False
    """Whether it may begin with a digit, where no digit stands before."""
    lines: bool = False
    """Whether it may begin where a line does."""
    anywhere: bool = False
    """Whether nothing is known of how a match begins."""


ANYWHERE = Hints(anywhere=True)


def packed(regexes: Iterable[str]) -> dict[str, list[Any]]:
    """The hints of regular expressions as JSON has them."""
    return {
        _key(regex): [sorted(field) if isinstance(field, frozenset) else field for field in read_hints(regex)]
        for regex in regexes
    }


@cache
def hints_of(regex: str) -> Hints:
    """The hints of a regular expression: those kept of it, else those read now."""
    kept = _kept_hints().get(_key(regex))
    if kept is None:
        return read_hints(regex)
    needs, caseless, digit_within, words, *begins = kept
    return Hints(frozenset(needs), caseless, digit_within, frozenset(words), *begins)


@cache
def _kept_hints() -> Mapping[str, list[Any]]:
    file = resources.files("sfumato.detectors").joinpath("data", HINTS_FILE)
    return json.loads(file.read_bytes()) if file.is_file() else {}  # type: ignore[no-any-return]


def _key(regex: str) -> str:
    return blake2b(regex.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def read_hints(regex: str) -> Hints:
    """The hints of a regular expression, from its parse tree. One that does not compile has none."""
    try:
        tree = parser.parse(regex)
    except (re.error, OverflowError):
        return ANYWHERE
    flags = tree.state.flags
    if flags & (re.ASCII | re.LOCALE) or tree.getwidth()[0] == 0:
        return ANYWHERE
    try:
        needs, caseless = _needed_strings(tree, flags)
        digit_within = _digit_within(tree)
    except _OtherAlphabet:
        return ANYWHERE
    begin = _Beginnings().read(tree, flags)
    hints = Hints(needs, caseless, digit_within, *begin)
    if hints.anywhere or hints.letters or hints.lines:
        most = _MOST_NEEDED
    else:
        most = _FEW_STRINGS if hints.numbers or hints.signs else 0
    return hints if len(needs) <= most else hints._replace(needs=_NO, caseless=False)


class _OtherAlphabet(Exception):
    """A part of the expression has another idea of letters and digits than Unicode."""


def _flags_within(flags: int, added: int, removed: int) -> int:
    if added & (re.ASCII | re.LOCALE):
        raise _OtherAlphabet
    return (flags | added) & ~removed


# Sets of characters. They may be too large, never too small.


class _Characters(NamedTuple):
    """Characters of which one is meant. Letters are here what ``[^\\W\\d_]`` stands for; None stands for any."""

    letters: frozenset[str] | None = frozenset()
    digits: frozenset[str] | None = frozenset()
    others: frozenset[str] | None = frozenset()

    def joined(self, more: _Characters) -> _Characters:
        """Those of both."""
        return _Characters(*(None if a is None or b is None else a | b for a, b in zip(self, more, strict=True)))


_NO: frozenset[str] = frozenset()
_ANY = _Characters(None, None, None)
_CATEGORIES = {
    op.CATEGORY_DIGIT: _Characters(digits=None),
    op.CATEGORY_NOT_DIGIT: _Characters(None, _NO, None),
    op.CATEGORY_SPACE: _Characters(others=frozenset(filter(str.isspace, map(chr, range(0x3001))))),
    op.CATEGORY_NOT_SPACE: _ANY,
    op.CATEGORY_WORD: _Characters(None, None, frozenset("_")),
    op.CATEGORY_NOT_WORD: _Characters(others=None),
}
_LARGEST_RANGE = 2000
_ONE_CHARACTER = (op.LITERAL, op.NOT_LITERAL, op.ANY, op.IN)


@cache
def _case_variants() -> Mapping[str, frozenset[str]]:
    """By its form without case, every character that has another form of it."""
    forms: dict[str, set[str]] = {}
    for character in map(chr, range(0x1F000)):
        if (form := without_case(character)) != character:
            forms.setdefault(form, {form} if len(form) == 1 else set()).add(character)
    return {form: frozenset(characters) for form, characters in forms.items()}


def _variants(character: str, flags: int) -> frozenset[str]:
    variants = _case_variants().get(without_case(character), frozenset()) if flags & re.IGNORECASE else frozenset()
    return variants | {character}


def _literals(characters: Iterable[str], flags: int) -> _Characters:
    every = {variant for character in characters for variant in _variants(character, flags)}
    digits = {character for character in every if character.isdecimal()}
    letters = {character for character in every - digits if character.isalnum()}
    return _Characters(frozenset(letters), frozenset(digits), frozenset(every - digits - letters))


def _characters(kind: Any, value: Any, flags: int) -> _Characters:
    """The characters that a part of a parse tree stands for, which is one of ``_ONE_CHARACTER``."""
    if kind is op.LITERAL:
        return _literals([chr(value)], flags)
    if kind is not op.IN:
        return _ANY
    is_negated = value[0][0] is op.NEGATE
    union = _Characters()
    for part, content in value[is_negated:]:
        if part is op.LITERAL:
            union = union.joined(_literals([chr(content)], flags))
        elif part is op.CATEGORY:
            union = union.joined(_CATEGORIES.get(content, _ANY))
        elif part is op.RANGE and content[1] - content[0] < _LARGEST_RANGE:
            union = union.joined(_literals(map(chr, range(content[0], content[1] + 1)), flags))
        else:
            union = _ANY
    return _outside(value[1:]) if is_negated else union


def _outside(parts: list[Any]) -> _Characters:
    """The characters outside of a set, which leaves out a whole kind only where it names it."""
    categories = {content for part, content in parts if part is op.CATEGORY}
    all_words = op.CATEGORY_WORD in categories
    is_other = op.CATEGORY_NOT_WORD in categories and (op.LITERAL, ord("_")) in parts
    return _Characters(
        _NO if all_words or op.CATEGORY_NOT_DIGIT in categories else None,
        _NO if all_words or op.CATEGORY_DIGIT in categories else None,
        _NO if is_other or op.CATEGORY_NOT_DIGIT in categories else None,
    )


def _covers(kind: Any, value: Any) -> tuple[bool, bool]:
    """Whether one of ``_ONE_CHARACTER`` stands for every letter, and for every digit."""
    if kind is op.ANY:
        return True, True
    if kind is not op.IN:
        return False, False
    if value[0][0] is op.NEGATE:
        outside = _characters(op.IN, value[1:], re.IGNORECASE)
        return outside.letters == _NO, outside.digits == _NO
    categories = {content for part, content in value if part is op.CATEGORY}
    words = not categories.isdisjoint((op.CATEGORY_WORD, op.CATEGORY_NOT_SPACE))
    return words or op.CATEGORY_NOT_DIGIT in categories, words or op.CATEGORY_DIGIT in categories


# What a match contains.

_MOST_STRINGS, _MOST_CROSSED = 2000, 64
_MOST_NEEDED, _FEW_STRINGS = 48, 8
"""To look for many strings takes longer than to try a pattern at the numbers or at some words of a text."""
_Strings = frozenset[str]


def _needed_strings(tree: Any, flags: int) -> tuple[_Strings, bool]:
    """Strings of which every match, or what stands beside it, has one; and whether they are without case."""
    as_written, without = _Needs(caseless=False).best(tree, flags), _Needs(caseless=True).best(tree, flags)
    if as_written and (without is None or _share(as_written) <= _WORTH * _share(without)):
        return as_written, False
    return without or _NO, bool(without)


_WORTH = 2
"""Strings as written may be so many times as frequent as those without case."""
_TOO_FREQUENT = 0.2


def _share(strings: _Strings) -> float:
    """A measure of how many texts have one of the strings, and of the work to look for them."""
    return sum(prod(1 / (rarity(character) + 3) for character in string) + _WORK for string in strings)


_WORK = 0.001


def _without_longer(strings: _Strings) -> _Strings:
    """The strings without those that hold another one."""
    if len(strings) > _LONG_LIST:
        return strings
    return frozenset(string for string in strings if not any(other in string for other in strings - {string}))


_LONG_LIST = 200


class _Needs:
    """Reads which strings a match contains: all that it can be, of short parts, and for the rest the rarest part."""

    def __init__(self, *, caseless: bool) -> None:
        self._caseless = caseless

    def best(self, tree: Any, flags: int) -> _Strings | None:
        """The strings of which a match contains one, None where they are too many or too frequent."""
        return self._rarest(*self._read(tree, flags))

    def _rarest(self, whole: _Strings | None, parts: Iterable[_Strings]) -> _Strings | None:
        useful = [_without_longer(strings) for strings in (*parts, whole) if strings and "" not in strings]
        best = min(useful, key=lambda strings: (_share(strings), min(strings)), default=None)
        return best if best is not None and _share(best) < _TOO_FREQUENT else None

    def _read(self, tree: Any, flags: int) -> tuple[_Strings | None, list[_Strings]]:
        """All strings that a tree stands for, None where they are too many, and sets that a match needs one of."""
        whole: _Strings | None = frozenset([""])
        run: _Strings = frozenset([""])
        needed: list[_Strings] = []
        for kind, value in tree:
            strings, within = self._part(kind, value, flags)
            needed += within
            if kind is op.ASSERT and value[0] > 0:
                needed += self._crossed(run, self._read(value[1], flags)[0])
            if longer := self._crossed(run, strings):
                run = longer[0]
            else:
                needed.append(run)
                whole, run = None, strings or frozenset([""])
        return (run, needed) if whole is not None else (None, [*needed, run])

    def _crossed(self, run: _Strings, strings: _Strings | None) -> list[_Strings]:
        """Each string of the one with each of the other behind it; nothing where these are too many."""
        if strings is None or (len(run) * len(strings) > _MOST_CROSSED and min(len(run), len(strings)) > 1):
            return []
        return [frozenset(first + second for first in run for second in strings)]

    def _part(self, kind: Any, value: Any, flags: int) -> tuple[_Strings | None, list[_Strings]]:
        nothing = frozenset([""])
        if kind in _ONE_CHARACTER:
            return self._one_of(_characters(kind, value, flags), flags), []
        if kind is op.AT or kind is op.ASSERT_NOT:
            return nothing, []
        if kind is op.ASSERT:
            best = self.best(value[1], flags)
            return nothing, [best] if best else []
        if kind is op.SUBPATTERN:
            return self._read(value[3], _flags_within(flags, value[1], value[2]))
        if kind is op.ATOMIC_GROUP:
            return self._read(value, flags)
        if kind is op.BRANCH:
            return self._alternatives(value[1], flags)
        if kind in _REPEATS:
            return self._repeat(*value, flags)
        return None, []

    def _one_of(self, characters: _Characters, flags: int) -> _Strings | None:
        if characters.digits is None or characters.letters is None or characters.others is None:
            return None
        every = characters.letters | characters.digits | characters.others
        if self._caseless:
            every = frozenset(map(without_case, every))
        elif flags & re.IGNORECASE and len(every) > 1:
            return None
        return every if len(every) <= _FEW_STRINGS else None

    def _alternatives(self, trees: Iterable[Any], flags: int) -> tuple[_Strings | None, list[_Strings]]:
        whole: _Strings | None = frozenset()
        needed: _Strings | None = frozenset()
        for tree in trees:
            strings, parts = self._read(tree, flags)
            best = self._rarest(strings, parts)
            whole = None if whole is None or strings is None else whole | strings
            needed = None if needed is None or best is None else needed | best
        if whole is not None and len(whole) > _MOST_STRINGS:
            whole = None
        return whole, [needed] if needed else []

    def _repeat(self, least: int, most: int, tree: Any, flags: int) -> tuple[_Strings | None, list[_Strings]]:
        strings, needed = self._read(tree, flags)
        if least == 0:
            return (strings | {""} if most == 1 and strings is not None else None), []
        if strings is None or len(strings) ** least > _MOST_STRINGS:
            return None, [*needed, strings or frozenset([""])]
        repeated = frozenset([""])
        for _ in range(least):
            repeated = frozenset(first + second for first in repeated for second in strings)
        return (repeated, needed) if least == most else (None, [*needed, repeated])


_REPEATS = (op.MAX_REPEAT, op.MIN_REPEAT, op.POSSESSIVE_REPEAT)


def _digit_within(tree: Any) -> int | None:
    """How many characters stand at most before the first digit of a match, None where it may have none."""
    before = 0
    for item in tree:
        place = _digit_of(*item)
        if place is not None:
            return min(before + place, FAR)
        before = min(before + int(parser.SubPattern(tree.state, [item]).getwidth()[1]), FAR)
    return None


def _digit_of(kind: Any, value: Any) -> int | None:
    if kind in _ONE_CHARACTER:
        characters = _characters(kind, value, 0)
        return 0 if characters.letters == characters.others == _NO else None
    if kind is op.SUBPATTERN:
        _flags_within(0, value[1], value[2])
        return _digit_within(value[3])
    if kind is op.ATOMIC_GROUP or (kind is op.ASSERT and value[0] > 0):
        return _digit_within(value if kind is op.ATOMIC_GROUP else value[1])
    if kind is op.BRANCH:
        places = [_digit_within(tree) for tree in value[1]]
        return None if None in places else max(place for place in places if place is not None)
    if kind in _REPEATS and value[0] > 0:
        return _digit_within(value[2])
    return None


# How a match begins.


class _State(NamedTuple):
    """What has been read of a match, up to some place in the expression: nothing, or a run of letters so far."""

    word: str = ""
    """The letters, without case."""
    first: frozenset[str] = frozenset()
    """What the first of them may be, as written."""
    no_letter_before: bool = False
    no_digit_before: bool = False
    at_line: bool = False


class _Unknown(Exception):
    """A match may begin anywhere."""


_MOST_STATES = 500
_FEW_LETTERS = 8
"""A class of more letters is no part of a list of words."""
_MOST_ROUNDS = 40


class _Beginnings:
    """Reads the first runs of letters of all matches, and how the others begin."""

    def __init__(self) -> None:
        self._words = set[str]()
        self._letters = set[str]()
        self._signs = set[str]()
        self._numbers = self._lines = False

    def read(self, tree: Any, flags: int) -> tuple[frozenset[str], str, str, bool, bool, bool]:
        """The last fields of ``Hints``."""
        try:
            self._leave_open(self._sequence(tree, flags, {_State()}))
        except _Unknown:
            return ANYWHERE[3:]
        letters, signs = "".join(sorted(self._letters)), "".join(sorted(self._signs))
        return frozenset(self._words), letters, signs, self._numbers, self._lines, False

    def _leave_open(self, states: Iterable[_State]) -> None:
        """Nothing is known of what follows the letters: only with which letter the match begins."""
        for state in states:
            if not state.word:
                raise _Unknown
            self._letters |= state.first

    def _end_words(self, states: Iterable[_State]) -> set[_State]:
        """No letter follows: the runs of letters are whole."""
        self._words.update(state.word for state in states if state.word)
        return {state for state in states if not state.word}

    def _sequence(self, tree: Any, flags: int, states: set[_State]) -> set[_State]:
        for kind, value in tree:
            if not states:
                break
            if len(states) > _MOST_STATES:
                self._leave_open(states)
                return set()
            states = self._part(kind, value, flags, states)
        return states

    def _part(self, kind: Any, value: Any, flags: int, states: set[_State]) -> set[_State]:
        if kind in _ONE_CHARACTER:
            characters = _characters(kind, value, flags)
            return {after for state in states for after in self._consume(state, characters)}
        if kind is op.AT:
            return self._at(value, states)
        if kind is op.ASSERT or kind is op.ASSERT_NOT:
            return self._look(kind is op.ASSERT, value[0], list(value[1]), flags, states)
        if kind is op.SUBPATTERN:
            return self._sequence(value[3], _flags_within(flags, value[1], value[2]), states)
        if kind is op.ATOMIC_GROUP:
            return self._sequence(value, flags, states)
        if kind is op.BRANCH:
            return set().union(*(self._sequence(tree, flags, states) for tree in value[1]))
        if kind in _REPEATS:
            return self._repeat(*value, flags, states)
        if kind is op.GROUPREF_EXISTS:
            _, yes, no = value
            return self._sequence(yes, flags, states) | (self._sequence(no, flags, states) if no else states)
        self._leave_open(states)
        return set()

    def _consume(self, state: _State, characters: _Characters) -> Iterator[_State]:
        few = characters.letters is not None and len(characters.letters) <= _FEW_LETTERS
        letters = characters.letters if characters.letters is not None and few else _NO
        if state.word:
            if characters[1:] != (_NO, _NO):
                self._words.add(state.word)
            if not few:
                self._letters |= state.first
            for form in {without_case(letter) for letter in letters}:
                yield _State(state.word + form, state.first)
            return
        if state.at_line:
            self._lines = True
            return
        if characters.letters is None or characters.others is None:
            raise _Unknown
        has_digits = characters.digits != _NO
        if (characters.letters and not state.no_letter_before) or (has_digits and not state.no_digit_before):
            raise _Unknown
        self._numbers |= has_digits
        self._signs |= characters.others
        if not few:
            self._letters |= characters.letters
        for form in {without_case(letter) for letter in letters}:
            yield _State(form, frozenset(letter for letter in letters if without_case(letter) == form))

    def _at(self, place: Any, states: set[_State]) -> set[_State]:
        if place is op.AT_BOUNDARY:  # what follows is a letter or a digit, or it begins otherwise
            states = self._end_words(states)
            return {state._replace(no_letter_before=True, no_digit_before=True) for state in states}
        if place in (op.AT_END, op.AT_END_STRING):
            return self._end_words(states)
        if place in (op.AT_BEGINNING, op.AT_BEGINNING_STRING):
            return {state if state.word else state._replace(at_line=True) for state in states}
        return states

    def _look(self, is_positive: bool, way: int, tree: list[Any], flags: int, states: set[_State]) -> set[_State]:
        if not tree or tree[0 if way > 0 else -1][0] not in _ONE_CHARACTER or (not is_positive and len(tree) > 1):
            return states
        kind, value = tree[0 if way > 0 else -1]
        if is_positive:
            characters = _characters(kind, value, flags)
            no_letter, no_digit = characters.letters == _NO, characters.digits == _NO
            at_line = no_letter and no_digit and characters.others == frozenset("\n")
        else:
            (no_letter, no_digit), at_line = _covers(kind, value), False
        if way > 0:
            return self._end_words(states) if no_letter else states
        before = {state for state in states if state.word}
        if is_positive and no_letter:
            before = set()  # they end with a letter
        return before | {
            state._replace(
                no_letter_before=state.no_letter_before or no_letter,
                no_digit_before=state.no_digit_before or no_digit,
                at_line=state.at_line or at_line,
            )
            for state in states
            if not state.word
        }

    def _repeat(self, least: int, most: int, tree: Any, flags: int, states: set[_State]) -> set[_State]:
        after = set(states) if least == 0 else set[_State]()
        for number in range(1, most + 1):
            if number > _MOST_ROUNDS:
                self._leave_open(states)
                break
            before, states = states, self._sequence(tree, flags, states)
            is_same = states == before
            if number >= least or is_same:
                after |= states
            if not states or is_same:
                break
        return after
