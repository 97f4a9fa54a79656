"""Where the matches of a pattern can be: what each contains, and how it begins.

``training/hints`` reads it from the regular expressions of this package, and ``data/hints.json`` keeps it. A pattern
that is not there, one of a recipe or one that has changed since, is tried everywhere.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
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


@cache
def hints_of(regex: str) -> Hints:
    """The hints that are kept of a regular expression; any other is tried everywhere."""
    kept = _kept_hints().get(hint_key(regex))
    if kept is None:
        return ANYWHERE
    needs, caseless, digit_within, words, *begins = kept
    return Hints(frozenset(needs), caseless, digit_within, frozenset(words), *begins)


@cache
def _kept_hints() -> Mapping[str, list[Any]]:
    file = resources.files("sfumato.detectors").joinpath("data", HINTS_FILE)
    kept: Mapping[str, list[Any]] = json.loads(file.read_bytes()) if file.is_file() else {}
    return kept


def hint_key(regex: str) -> str:
    """What stands for a regular expression in the file."""
    return blake2b(regex.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
