"""Reads which strings every match of a regular expression contains one of."""

from __future__ import annotations

import re
from collections.abc import Iterable
from math import prod
from typing import Any

from sfumato.lexicon.tokens import rarity, without_case
from training.hints.expressions import ONE_CHARACTER, REPEATS, Characters, characters_of_part, flags_within, op

NO: frozenset[str] = frozenset()
_MOST_STRINGS, _MOST_CROSSED = 2000, 64
MOST_NEEDED, FEW_STRINGS = 48, 8
"""To look for many strings takes longer than to try a pattern at the numbers or at some words of a text."""
Strings = frozenset[str]


def needed_strings(tree: Any, flags: int) -> tuple[Strings, bool]:
    """Strings of which every match, or what stands beside it, has one; and whether they are without case."""
    as_written, without = _Needs(caseless=False).best(tree, flags), _Needs(caseless=True).best(tree, flags)
    if as_written and (without is None or _share(as_written) <= _WORTH * _share(without)):
        return as_written, False
    return without or NO, bool(without)


_WORTH = 2
"""Strings as written may be so many times as frequent as those without case."""
_TOO_FREQUENT = 0.2


def _share(strings: Strings) -> float:
    """A measure of how many texts have one of the strings, and of the work to look for them."""
    return sum(prod(1 / (rarity(character) + 3) for character in string) + _WORK for string in strings)


_WORK = 0.001


def _without_longer(strings: Strings) -> Strings:
    """The strings without those that hold another one."""
    if len(strings) > _LONG_LIST:
        return strings
    return frozenset(string for string in strings if not any(other in string for other in strings - {string}))


_LONG_LIST = 200


class _Needs:
    """Reads which strings a match contains: all that it can be, of short parts, and for the rest the rarest part."""

    def __init__(self, *, caseless: bool) -> None:
        self._caseless = caseless

    def best(self, tree: Any, flags: int) -> Strings | None:
        """The strings of which a match contains one, None where they are too many or too frequent."""
        return self._rarest(*self._read(tree, flags))

    def _rarest(self, whole: Strings | None, parts: Iterable[Strings]) -> Strings | None:
        useful = [_without_longer(strings) for strings in (*parts, whole) if strings and "" not in strings]
        best = min(useful, key=lambda strings: (_share(strings), min(strings)), default=None)
        return best if best is not None and _share(best) < _TOO_FREQUENT else None

    def _read(self, tree: Any, flags: int) -> tuple[Strings | None, list[Strings]]:
        """All strings that a tree stands for, None where they are too many, and sets that a match needs one of."""
        whole: Strings | None = frozenset([""])
        run: Strings = frozenset([""])
        needed: list[Strings] = []
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

    def _crossed(self, run: Strings, strings: Strings | None) -> list[Strings]:
        """Each string of the one with each of the other behind it; nothing where these are too many."""
        if strings is None or (len(run) * len(strings) > _MOST_CROSSED and min(len(run), len(strings)) > 1):
            return []
        return [frozenset(first + second for first in run for second in strings)]

    def _part(self, kind: Any, value: Any, flags: int) -> tuple[Strings | None, list[Strings]]:
        nothing = frozenset([""])
        if kind in ONE_CHARACTER:
            return self._one_of(characters_of_part(kind, value, flags), flags), []
        if kind is op.AT or kind is op.ASSERT_NOT:
            return nothing, []
        if kind is op.ASSERT:
            best = self.best(value[1], flags)
            return nothing, [best] if best else []
        if kind is op.SUBPATTERN:
            return self._read(value[3], flags_within(flags, value[1], value[2]))
        if kind is op.ATOMIC_GROUP:
            return self._read(value, flags)
        if kind is op.BRANCH:
            return self._alternatives(value[1], flags)
        if kind in REPEATS:
            least, most, repeated = value
            return self._repeat(least, most, repeated, flags)
        return None, []

    def _one_of(self, characters: Characters, flags: int) -> Strings | None:
        if characters.digits is None or characters.letters is None or characters.others is None:
            return None
        every = characters.letters | characters.digits | characters.others
        if self._caseless:
            every = frozenset(map(without_case, every))
        elif flags & re.IGNORECASE and len(every) > 1:
            return None
        return every if len(every) <= FEW_STRINGS else None

    def _alternatives(self, trees: Iterable[Any], flags: int) -> tuple[Strings | None, list[Strings]]:
        whole: Strings | None = frozenset()
        needed: Strings | None = frozenset()
        for tree in trees:
            strings, parts = self._read(tree, flags)
            best = self._rarest(strings, parts)
            whole = None if whole is None or strings is None else whole | strings
            needed = None if needed is None or best is None else needed | best
        if whole is not None and len(whole) > _MOST_STRINGS:
            whole = None
        return whole, [needed] if needed else []

    def _repeat(self, least: int, most: int, tree: Any, flags: int) -> tuple[Strings | None, list[Strings]]:
        strings, needed = self._read(tree, flags)
        if least == 0:
            return (strings | {""} if most == 1 and strings is not None else None), []
        if strings is None or len(strings) ** least > _MOST_STRINGS:
            return None, [*needed, strings or frozenset([""])]
        repeated = frozenset([""])
        for _ in range(least):
            repeated = frozenset(first + second for first in repeated for second in strings)
        return (repeated, needed) if least == most else (None, [*needed, repeated])
