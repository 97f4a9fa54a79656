"""What generalizing a word yields, and whether saying less is still true where the word is used.

"He owned a shotgun" says that he owned a weapon; "he owned no shotgun" does not say that he owned none. So where a
clause negates, compares or counts out, only what is known by "the" or "his" may be generalized.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from sfumato.generalize.clauses import operators_after, read_lead
from sfumato.generalize.context import word_before, word_class
from sfumato.lexicon.grammar import TextRange
from sfumato.lexicon.grammar_en import FUNCTION_WORDS, is_plural
from sfumato.lexicon.tables import word_set, words

SUPPRESSED = "[…]"


@dataclass(frozen=True, slots=True)
class WordGeneralization:
    """``text`` in place of ``original[start:end]``: as true as the original, and it says less."""

    kind: str
    """"figure", "hypernym", "rephrase", "drop" or "suppress"."""
    start: int
    end: int
    text: str
    reason: str
    """The table or the rule that says so."""

    def is_within(self, limits: TextRange) -> bool:
        return limits[0] <= self.start and self.end <= limits[1]


def english_words(key: str) -> frozenset[str]:
    """A word list of ``data/en/word_generalization.toml``."""
    return word_set("word_generalization", key, "en")


def english_pattern(key: str) -> str:
    """A list of regular expressions of the same file as alternatives."""
    return "|".join(words("word_generalization", key, "en"))


_JOINED_SIGN = re.compile(r"[\w/’'‑-]")


def is_joined(text: str, start: int, end: int) -> bool:
    """Whether a letter, a hyphen or the like joins it to the word before or after."""
    return any(_JOINED_SIGN.fullmatch(sign) for sign in (text[max(0, start - 1) : start], text[end : end + 1]))


DEFINITE_DETERMINERS = english_words("definite_determiners")
_NEGATIVE_DETERMINERS = english_words("negative_determiners")
RANKING_MODIFIERS = english_words("ranking_modifiers")
"""The first robbery need not be the first crime, a former minister may be a politician still."""
_SAID_OF_ALL = re.compile(r"\s+(?:are|have|do)\b")
_OF_THINGS = frozenset({"concerns", "universals", "rankings", "frequencies"})
"""Kinds of operators that are said of the thing named after them, and of no verb that follows."""
_CONTINUES_TO_VERB = re.compile(r"\b(?:that|who|which|whose|whom|to|from|of|for|by)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class PhraseLead:
    """The words before a word in its noun phrase."""

    modifiers: tuple[str, ...]
    determiner: str
    """The word that opens the phrase, or precedes it; "'s" for a possessor; "" for none."""
    start: int
    """Where the determiner begins, or the first modifier where there is none."""

    @property
    def is_definite(self) -> bool:
        return self.determiner in DEFINITE_DETERMINERS or self.determiner == "'s"


def read_phrase_lead(text: str, start: int) -> PhraseLead:
    """The words before in the noun phrase, at most five of them."""
    modifiers: list[str] = []
    offset = start
    for _ in range(5):
        word, word_start = word_before(text, offset)
        lowered = word.lower().replace("’", "'")
        if not word:
            break
        if lowered == "that" and word_class(word_before(text, word_start)[0] or "x") != "function":
            # "required that prisoners work": no determiner.
            return PhraseLead(tuple(modifiers), "", word_start)
        if lowered in FUNCTION_WORDS and not word.isupper():
            return PhraseLead(tuple(modifiers), lowered, word_start)
        if lowered.endswith(("'s", "s'")):
            return PhraseLead(tuple(modifiers), "'s", word_start)
        if word_class(word) in ("verb", "past"):
            return PhraseLead(tuple(modifiers), lowered, word_start)
        modifiers.insert(0, lowered)
        offset = word_start
    return PhraseLead(tuple(modifiers), "", offset)


def may_generalize(text: str, start: int, end: int, lead: PhraseLead) -> bool:
    """Whether what is true of a thing stays true under a wider name, or with less said of it.

    ``text[start:end]`` ends with the noun.
    """
    if lead.determiner in _NEGATIVE_DETERMINERS:
        return False
    if any(word in RANKING_MODIFIERS or _is_superlative(word) for word in lead.modifiers):
        return False
    if lead.is_definite:
        operators = read_lead(text, lead.start, "en").operators
        if any(text[operator.end : lead.start].strip() in ("", "of") for operator in operators):
            return False  # "all of the shotguns"
        if not is_plural(text[start:end].split()[-1]):
            return True
        # "The shotguns were found" speaks of the same things as "the weapons were found"; negated, of more. "His
        # portraits are good" says it of all of them, and not of all his works.
        if _SAID_OF_ALL.match(text, end):
            return False
        return not is_strongly_negated(text, start) and not operators_after(text, end, "en")
    return not is_negated(text, start) and not operators_after(text, end, "en")


def _is_superlative(word: str) -> bool:
    if not word.endswith("est") or len(word) < 6:
        return False
    return any(word_class(base) == "adjective" for base in (word[:-3], word[:-2], word[:-4], word[:-4] + "y"))


def is_negated(text: str, start: int) -> bool:
    """Whether something before it in the clause negates, doubts, compares or counts out."""
    return any(operator.kind != "frequencies" for operator in read_lead(text, start, "en").operators)


def is_strongly_negated(text: str, start: int) -> bool:
    """Whether the clause negates before it even what is known: "the shotguns were not found"."""
    operators = read_lead(text, start, "en").operators
    return any(operator.kind in ("denials", "counts", "comparisons", "conditions") for operator in operators)


def is_verb_negated(text: str, start: int) -> bool:
    """The same for a verb: what negates only a thing ("rejected the claim and [evicted] him") does not reach it."""
    return any(
        operator.kind not in _OF_THINGS or _CONTINUES_TO_VERB.search(text, operator.end, start)
        for operator in read_lead(text, start, "en").operators
    )
