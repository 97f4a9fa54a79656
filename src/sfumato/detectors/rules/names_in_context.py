"""Names that the form of a text tells: spelled out, speakers of a chat, cells; and what introduces a name."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from sfumato.detectors.rules.name_parts import UPPER
from sfumato.detectors.rules.patterns import Pattern, alternatives, any_of, load_patterns, word_list
from sfumato.document import Span
from sfumato.lexicon import name_lists
from sfumato.lexicon.name_lists import NOT_IN_NAMES_OF_PEOPLE, PARTICLES, is_title
from sfumato.lexicon.tokens import NAME_WORD, find_at, lazy_pattern, letter_runs
from sfumato.lexicon.word_kinds import is_common

# Capitals with spaces between them are headings, and so are small letters behind one.
_SPELLED = lazy_pattern(
    r"(?<![\w'’-])(?:(?:(?:[Dd]ouble )?[^\W\d_](?:-|, |\. )){3,20}(?:[Dd]ouble )?[^\W\d_]"
    rf"|(?:(?:double )?[^\W\d_{UPPER}] ){{3,20}}(?:double )?[^\W\d_{UPPER}])(?![\w'’-])(?!\.[^\W\d_])"
)
_LETTER_BEFORE = lazy_pattern(rf"(?<!\w)[{UPPER}] $")
_FEWEST_LETTERS = 4


def find_spelled_names(text: str) -> Iterator[Span]:
    """Letters one by one, as names are spelled: F-I-T-Z, *f i t z s i double m o n s*; no alphabet, no list."""
    words = letter_runs(text)
    first = (word for word in words if len(word) == 1 or word.casefold() == "double")
    for match in find_at(_SPELLED, text, sorted(start for word in first for start in words[word])):
        if _LETTER_BEFORE.search(text, max(0, match.start() - 3), match.start()):
            continue
        letters = re.findall(r"(?<![^\W\d_])[^\W\d_](?![^\W\d_])", match.group().lower())
        steps = {ord(after) - ord(before) for before, after in pairwise(letters)}
        if len(letters) >= _FEWEST_LETTERS and len(set(letters)) > 2 and steps != {1}:
            yield Span(*match.span(), "PERSON", "direct", 0.7, "rules:person")


_SPEAKER = lazy_pattern(
    r"(?m)^[ \t]{0,8}[\[(]?(?:\d{1,4}[-/.]\d{1,2}(?:[-/.]\d{1,4})?,?[ T]{1,2})?"
    r"\d{1,2}[:.]\d\d(?::\d\d)?(?:[ ]?[AaPp][Mm])?[\])]?[ ]{0,2}(?:[-–][ ])?"
    r"(?P<speaker>[^\W\d_][\w.-]{1,23})(?=:[ \t]\S)"
)
"""Who writes a line of a chat, behind the time."""
_FEWEST_LINES = 3
_NOT_SPEAKERS = frozenset(name_lists.lookup_key(word) for word in word_list("introductions.speakers"))


def find_chat_speakers(text: str) -> Iterator[Span]:
    """Who writes the lines of a chat, in any case: where one has a given name, the others are people as well."""
    lines = [match for match in _SPEAKER.finditer(text) if name_lists.lookup_key(match["speaker"]) not in _NOT_SPEAKERS]
    speakers = {match["speaker"] for match in lines}
    has_name = any(name[0].isupper() and name_lists.lookup_key(name) in name_lists.given_names() for name in speakers)
    if len(lines) >= _FEWEST_LINES and len(speakers) > 1 and has_name:
        yield from (Span(*match.span("speaker"), "PERSON", "direct", 0.9, "rules:person") for match in lines)


_FAMILY_FIRST = lazy_pattern(
    rf"(?m)(?:(?P<mark>[\"\t|;])|^)[ ]*(?P<name>(?:[a-z]{{2,3}} ){{0,2}}[{UPPER}][\w'’-]+"
    rf"(?: [{UPPER}][\w'’-]+)?, (?P<given>[{UPPER}][\w'’-]+)(?: [{UPPER}][\w'’.-]*){{0,2}})"
    r"[ ]*(?(mark)(?=[\"\t|;\r]|$)|(?=[\t|;]))"
)


def find_names_in_cells(text: str) -> Iterator[Span]:
    """Cells that are a family name, known or not, and behind a comma a given name."""
    for match in _FAMILY_FIRST.finditer(text) if ", " in text else ():
        words = (word for word in match["name"].replace(",", "").split() if word[0].isupper())
        is_given = name_lists.lookup_key(match["given"]) in name_lists.given_names()
        if is_given and name_lists.common_words().isdisjoint(map(name_lists.lookup_key, words)):
            yield Span(*match.span("name"), "PERSON", "direct", 0.7, "rules:person")


def find_names_in_context(text: str) -> Iterator[Span]:
    """Names that the form of a text tells: spelled out, before the lines of a chat, or in a cell."""
    yield from find_spelled_names(text)
    yield from find_chat_speakers(text)
    yield from find_names_in_cells(text)


# What introduces a name: form fields, salutations, signatures, speakers, "my name is".

_NAME = rf"(?:[{UPPER}][\w'’.-]{{1,30}})"
_ANY_WORD = r"[^\W\d_][^\W\d_'’.-]{0,30}(?:['’.-][^\W\d_]{1,30}){0,3}"
_NOT_A_NAME = rf"(?:{alternatives(word_list('introductions.after_names'))})(?!\w)"


def _names_in(text: str) -> list[str]:
    return [name_lists.lookup_key(word) for word in NAME_WORD.findall(text) if not is_title(word)]


def starts_like_a_name(text: str) -> bool:
    """Whether its first word is a given name and not an everyday word."""
    words = _names_in(text)
    if not words or words[0] in NOT_IN_NAMES_OF_PEOPLE or words[0] in name_lists.common_words():
        return False
    return words[0] in name_lists.given_names()


def is_a_full_name(text: str) -> bool:
    """Whether it has two words or more, is no place, and has no everyday word or word of an organisation's name."""
    words = _names_in(text)
    if len(words) < 2 or " ".join(words) in name_lists.places():
        return False
    return may_be_a_name(text) and NOT_IN_NAMES_OF_PEOPLE.isdisjoint(words)


def has_an_uncommon_word(text: str) -> bool:
    return any(word not in name_lists.common_words() for word in _names_in(text))


def may_be_a_name(text: str) -> bool:
    """Whether no word is an everyday word, or all of several words are known names."""
    words = _names_in(text)
    names = [word for word in words if word in name_lists.given_names() or word in name_lists.family_names()]
    return bool(words) and (not any(w in name_lists.common_words() for w in words) or len(names) == len(words) > 1)


def are_initials(text: str) -> bool:
    """Whether letters may be somebody's initials: no word, no common abbreviation, not one letter several times."""
    key = text.lower()
    return len(set(key)) > 1 and key not in _NOT_LAST_INITIALS and not is_common(key)


def _introduced(phrases: Sequence[str], validate: Callable[[str], bool]) -> Pattern:
    """A phrase and the one to three words after it, in any case."""
    regex = (
        rf"(?i)(?<!\w)(?:{alternatives(phrases)})[ ]+(?P<value>{_ANY_WORD}"
        rf"(?:[ ](?:{any_of(PARTICLES)}[ ]){{0,2}}(?!{_NOT_A_NAME}){_ANY_WORD}){{0,2}})"
    )
    return Pattern("person", "PERSON", regex, "direct", 0.8, validate=validate)


_INITIALS = rf"(?:[{UPPER}]{{2,4}}|[{UPPER}]{{1,2}}(?:Mc|Mac|O['’])[{UPPER}]|[a-z]{{2,3}})(?![\w'’.-])"
_NOT_LAST_INITIALS = frozenset(word_list("names.not_last_initials"))
_VALIDATORS = (starts_like_a_name, is_a_full_name, has_an_uncommon_word, may_be_a_name, are_initials)
PATTERNS = (
    *load_patterns("introductions", *_VALIDATORS, name=_NAME, any_word=_ANY_WORD, initials=_INITIALS),
    _introduced(word_list("introductions.name_is"), may_be_a_name),
    _introduced(word_list("introductions.i_am"), starts_like_a_name),
)
