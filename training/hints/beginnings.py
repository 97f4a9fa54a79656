"""Reads how the matches of a regular expression begin: with which words, letters, signs or numbers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from sfumato.lexicon.tokens import without_case
from training.hints.expressions import (
    NO,
    ONE_CHARACTER,
    REPEATS,
    Characters,
    characters_of_part,
    flags_within,
    op,
    outside_of,
)


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


def _behind(state: _State, characters: Characters) -> _State | None:
    """The state where one of these characters stands before it, or nothing; None where that cannot be."""
    if state.word:
        return state if characters.letters != NO else None
    return state._replace(
        no_letter_before=state.no_letter_before or characters.letters == NO,
        no_digit_before=state.no_digit_before or characters.digits == NO,
        at_line=state.at_line or characters == Characters(others=frozenset("\n")),
    )


class Beginnings:
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
            return NO, "", "", False, False, True
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
        if kind in ONE_CHARACTER:
            characters = characters_of_part(kind, value, flags)
            return {after for state in states for after in self._consume(state, characters)}
        if kind is op.AT:
            return self._at(value, states)
        if kind is op.ASSERT or kind is op.ASSERT_NOT:
            return self._look(kind is op.ASSERT, value[0], list(value[1]), flags, states)
        if kind is op.SUBPATTERN:
            return self._sequence(value[3], flags_within(flags, value[1], value[2]), states)
        if kind is op.ATOMIC_GROUP:
            return self._sequence(value, flags, states)
        if kind is op.BRANCH:
            return set().union(*(self._sequence(tree, flags, states) for tree in value[1]))
        if kind in REPEATS:
            least, most, repeated = value
            return self._repeat(least, most, repeated, flags, states)
        if kind is op.GROUPREF_EXISTS:
            _, yes, no = value
            return self._sequence(yes, flags, states) | (self._sequence(no, flags, states) if no else states)
        self._leave_open(states)
        return set()

    def _consume(self, state: _State, characters: Characters) -> Iterator[_State]:
        """The states behind one more character, which is one of these."""
        if state.at_line:
            self._lines = True
            return
        letters = characters.letters
        if letters is None or len(letters) > _FEW_LETTERS:
            letters = NO
            self._add_letters(state.first if state.word else characters.letters)
        if state.word:
            if characters.digits != NO or characters.others != NO:
                self._words.add(state.word)
        else:
            self._begin(state, characters)
        for form in {without_case(letter) for letter in letters}:
            first = state.first or frozenset(letter for letter in letters if without_case(letter) == form)
            yield _State(state.word + form, first)

    def _add_letters(self, letters: frozenset[str] | None) -> None:
        if letters is None:
            raise _Unknown
        self._letters |= letters

    def _begin(self, state: _State, characters: Characters) -> None:
        """A match begins with one of these characters, as far as they are no letters."""
        if characters.others is None or (characters.letters and not state.no_letter_before):
            raise _Unknown
        if characters.digits != NO:
            if not state.no_digit_before:
                raise _Unknown
            self._numbers = True
        self._signs |= characters.others

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
        """Only what one character ahead or behind says is read."""
        kind, value = tree[0 if way > 0 else -1] if tree else (None, None)
        if kind not in ONE_CHARACTER or (not is_positive and len(tree) > 1):
            return states
        characters = characters_of_part(kind, value, flags) if is_positive else outside_of(kind, value)
        if way > 0:
            return self._end_words(states) if characters.letters == NO else states
        return set(filter(None, (_behind(state, characters) for state in states)))

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
