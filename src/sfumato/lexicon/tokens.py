"""Regular expressions that cut a text into words, one for each meaning of "word" that the package needs.

They differ in three things: whether digits count, whether an underscore counts (it does in ``\\w``, but not in names
of people), and which signs inside a word belong to it. All of them work on Unicode letters.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

WORD_CHARACTERS = re.compile(r"\w+")
"""Letters, digits and underscores. Whole-word search uses it because ``\\b`` draws the same limits."""
ALPHANUMERIC = re.compile(r"[^\W_]+")
"""Letters and digits: "B12" is a word, "file_name" is two. For comparing and counting what is written."""
LETTERS = re.compile(r"[^\W\d_]+")
"""Letters only, for looking words up in tables that have no numbers."""
LONG_WORD = re.compile(r"[^\W\d_]{3,}")
"""Three letters or more: shorter ones are often initials and abbreviations."""
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


def alternation(phrases: Iterable[str]) -> str:
    """The phrases as alternatives of a regular expression, tried in their order."""
    return "|".join(map(re.escape, phrases))
