"""What can be counted behind a number: no half phrase, no date, no address."""

from __future__ import annotations

import re

from sfumato.knowledge.dates.calendar import MONTHS, SHORT_MONTHS
from sfumato.knowledge.grammar.function_words import STOP_WORDS

NOUN = re.compile(r"(?:of\s+|de\s+)?[^\W\d_][^\W\d_'’.-]*(?:(?:[-'’ \n]+|,\s)[^\W\d_][^\W\d_.]*)*", re.DOTALL)
NOT_A_NOUN = frozenset("to and or x am pm o'clock st nd rd th vs v than minus plus y e o a".split())
_AT_THE_START = frozenset("of de other more further such own same few otros otras más".split())
_AT_THE_END = frozenset("other more others them us these those which whom ellos ellas más once".split())
MONTH_NAMES = frozenset(
    shown
    for names in (*MONTHS.values(), *SHORT_MONTHS.values())
    for name in names
    for shown in (name, name.capitalize())
)
YEAR = re.compile(r"1[5-9]\d\d|20\d\d")


def is_counted(noun: str, language: str) -> bool:
    """Whether these words can be what is counted: no half phrase, no date (*6 July*), no address (*10 Rose Street*)."""
    words = noun.split()
    if words[0] in MONTH_NAMES or words[-1].lower() in STOP_WORDS[language] - _AT_THE_END:
        return False
    if words[0].lower() in STOP_WORDS[language] - _AT_THE_START or len(words[0]) == 1:
        return False
    return not words[0][0].isupper() or words[-1].islower() or words[-1].endswith(("s", "S"))
