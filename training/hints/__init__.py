"""Reads from the parse tree of a regular expression where it can match: what each match contains, and how it begins.

Everything here errs on one side: a place that is ruled out has no match. What cannot be told rules nothing out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from sfumato.detectors.rules.search import ANYWHERE, Hints, hint_key
from training.hints.beginnings import Beginnings
from training.hints.expressions import OtherAlphabet, digits_within, parse
from training.hints.needed_strings import FEW_STRINGS, MOST_NEEDED, needed_strings


def packed(regexes: Iterable[str]) -> dict[str, list[Any]]:
    """The hints of regular expressions as JSON has them."""
    return {
        hint_key(regex): [sorted(field) if isinstance(field, frozenset) else field for field in read_hints(regex)]
        for regex in regexes
    }


def read_hints(regex: str) -> Hints:
    """The hints of a regular expression, from its parse tree. One that does not compile has none."""
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
