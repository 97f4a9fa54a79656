"""Where a regular expression can match, read from its parse tree: what each match contains, and how it begins.

Everything here errs on one side: a place that is ruled out has no match. What cannot be told rules nothing out.
``data/hints.json`` keeps what was read of the patterns of this package, as reading takes longer than a short text does.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from functools import cache
from hashlib import blake2b
from importlib import resources
from typing import Any, NamedTuple

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
    kept: Mapping[str, list[Any]] = json.loads(file.read_bytes()) if file.is_file() else {}
    return kept


def _key(regex: str) -> str:
    return blake2b(regex.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def read_hints(regex: str) -> Hints:
    """The hints of a regular expression, from its parse tree. One that does not compile has none."""
    # Not loaded where the hints of all patterns are kept.
    from sfumato.detectors.rules.beginnings import Beginnings
    from sfumato.detectors.rules.expressions import OtherAlphabet, digits_within, parse
    from sfumato.detectors.rules.needed_strings import FEW_STRINGS, MOST_NEEDED, needed_strings

    try:
        tree = parse(regex)
        flags = tree.state.flags
        needs, caseless = needed_strings(tree, flags)
        hints = Hints(needs, caseless, digits_within(tree), *Beginnings().read(tree, flags))
    except (re.error, OverflowError, OtherAlphabet):
        return ANYWHERE
    if hints.anywhere or hints.letters or hints.lines:
        most = MOST_NEEDED
    else:
        most = FEW_STRINGS if hints.numbers or hints.signs else 0
    return hints if len(needs) <= most else hints._replace(needs=frozenset(), caseless=False)
