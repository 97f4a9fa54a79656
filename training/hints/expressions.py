"""Parts of the parse tree of a regular expression: the characters that they stand for, and where a digit must be."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from importlib import import_module
from typing import Any, NamedTuple

from sfumato.detectors.rules.search import FAR
from sfumato.lexicon.tokens import without_case

# Of the standard library, and without types.
op: Any = import_module("re._constants")
_parser: Any = import_module("re._parser")
REPEATS = (op.MAX_REPEAT, op.MIN_REPEAT, op.POSSESSIVE_REPEAT)


class OtherAlphabet(Exception):
    """Letters and digits are not those of Unicode in the expression, or it matches what is empty."""


def parse(regex: str) -> Any:
    """The parse tree of a regular expression."""
    tree = _parser.parse(regex)
    if tree.state.flags & (re.ASCII | re.LOCALE) or tree.getwidth()[0] == 0:
        raise OtherAlphabet
    return tree


def flags_within(flags: int, added: int, removed: int) -> int:
    if added & (re.ASCII | re.LOCALE):
        raise OtherAlphabet
    return (flags | added) & ~removed


class Characters(NamedTuple):
    """Characters of which one is meant; they may be too many, never too few. None stands for any.

    Letters are here what ``[^\\W\\d_]`` stands for.
    """

    letters: frozenset[str] | None = frozenset()
    digits: frozenset[str] | None = frozenset()
    others: frozenset[str] | None = frozenset()

    def joined(self, more: Characters) -> Characters:
        """Those of both."""
        return Characters(*(None if a is None or b is None else a | b for a, b in zip(self, more, strict=True)))


NO: frozenset[str] = frozenset()
ANY = Characters(None, None, None)
_CATEGORIES = {
    op.CATEGORY_DIGIT: Characters(digits=None),
    op.CATEGORY_NOT_DIGIT: Characters(None, NO, None),
    op.CATEGORY_SPACE: Characters(others=frozenset(filter(str.isspace, map(chr, range(0x3001))))),
    op.CATEGORY_NOT_SPACE: ANY,
    op.CATEGORY_WORD: Characters(None, None, frozenset("_")),
    op.CATEGORY_NOT_WORD: Characters(others=None),
}
_LARGEST_RANGE = 2000
ONE_CHARACTER = (op.LITERAL, op.NOT_LITERAL, op.ANY, op.IN)


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


def _literals(characters: Iterable[str], flags: int) -> Characters:
    every = {variant for character in characters for variant in _variants(character, flags)}
    digits = {character for character in every if character.isdecimal()}
    letters = {character for character in every - digits if character.isalnum()}
    return Characters(frozenset(letters), frozenset(digits), frozenset(every - digits - letters))


def characters_of_part(kind: Any, value: Any, flags: int) -> Characters:
    """The characters that a part of a parse tree stands for, which is one of ``ONE_CHARACTER``."""
    if kind is op.LITERAL:
        return _literals([chr(value)], flags)
    if kind is not op.IN:
        return ANY
    is_negated = value[0][0] is op.NEGATE
    union = Characters()
    for part, content in value[is_negated:]:
        if part is op.LITERAL:
            union = union.joined(_literals([chr(content)], flags))
        elif part is op.CATEGORY:
            union = union.joined(_CATEGORIES.get(content, ANY))
        elif part is op.RANGE and content[1] - content[0] < _LARGEST_RANGE:
            union = union.joined(_literals(map(chr, range(content[0], content[1] + 1)), flags))
        else:
            union = ANY
    return _outside(value[1:]) if is_negated else union


def _outside(parts: list[Any]) -> Characters:
    """The characters outside of a set, which leaves out a whole kind only where it names it."""
    categories = {content for part, content in parts if part is op.CATEGORY}
    all_words = op.CATEGORY_WORD in categories
    is_other = op.CATEGORY_NOT_WORD in categories and (op.LITERAL, ord("_")) in parts
    return Characters(
        NO if all_words or op.CATEGORY_NOT_DIGIT in categories else None,
        NO if all_words or op.CATEGORY_DIGIT in categories else None,
        NO if is_other or op.CATEGORY_NOT_DIGIT in categories else None,
    )


def outside_of(kind: Any, value: Any) -> Characters:
    """The characters that one of ``ONE_CHARACTER`` does not stand for, whether or not case counts."""
    if kind is op.ANY:
        return Characters(others=frozenset("\n"))
    if kind is not op.IN:
        return ANY
    return characters_of_part(op.IN, value[1:], re.IGNORECASE) if value[0][0] is op.NEGATE else _outside(value)


def digits_within(tree: Any) -> int | None:
    """How many characters stand at most before the first digit of a match, None where it may have none."""
    before = 0
    for item in tree:
        place = _digit_of(*item)
        if place is not None:
            return min(before + place, FAR)
        before = min(before + int(_parser.SubPattern(tree.state, [item]).getwidth()[1]), FAR)
    return None


def _digit_of(kind: Any, value: Any) -> int | None:
    if kind in ONE_CHARACTER:
        characters = characters_of_part(kind, value, 0)
        return 0 if characters.letters == characters.others == NO else None
    if kind is op.SUBPATTERN:
        flags_within(0, value[1], value[2])
        return digits_within(value[3])
    if kind is op.ATOMIC_GROUP or (kind is op.ASSERT and value[0] > 0):
        return digits_within(value if kind is op.ATOMIC_GROUP else value[1])
    if kind is op.BRANCH:
        places = [digits_within(tree) for tree in value[1]]
        return None if None in places else max(place for place in places if place is not None)
    if kind in REPEATS and value[0] > 0:
        return digits_within(value[2])
    return None
