"""One thing that may stand in a word's place."""

from __future__ import annotations

import re
from dataclasses import dataclass

from sfumato.generalize.context import word_before, word_class
from sfumato.lexicon.grammar import TextRange
from sfumato.lexicon.grammar_en import FUNCTION_WORDS, is_plural

SUPPRESSED = "[…]"


@dataclass(frozen=True, slots=True)
class WordGeneralization:
    """``text`` in place of ``original[start:end]``: as true as the original, and it says less."""

    kind: str
    """"figure", "hypernym", "drop" or "suppress"."""
    start: int
    end: int
    text: str
    reason: str
    """The table or the rule that says so."""

    def is_within(self, limits: TextRange) -> bool:
        return limits[0] <= self.start and self.end <= limits[1]


# -- What the words around a word allow: whether saying less there is still true.
#
# "He owned a shotgun" says that he owned a weapon; "he owned no shotgun" does not say that he owned none. So where a
# clause denies, compares or counts out, only what is told apart by "the" or "his" may be said more widely.


DEFINITE = frozenset("the this that these those his her its their our my your whose".split())
_COUNTS_OUT = frozenset(
    "no any every each all few neither either whichever what which only most least less fewer more such nor not "
    "hardly enough much how".split()
)
_ORDERED = frozenset(
    "first second third fourth fifth sixth seventh eighth ninth tenth last final next previous only sole same latter "
    "former main chief principal next-door primary other own youngest eldest oldest best worst most least favourite "
    "favorite future ex late would-be".split()
)
"""The first robbery need not be the first crime, a former minister may be a politician still."""
_CLAUSE = 200
_DENIES = re.compile(
    r"\b(?:not|cannot|no(?!\.)|never|nor|neither|nobody|none|nothing|no-one|without|if|whether|unless|any|anyone|anything|"
    r"every|everyone|each|all|few|little|hardly|barely|scarcely|rarely|seldom|lack\w*|absence|fail\w*|refus\w+|den(?:y|"
    r"ied|ies|ying|ial)|prevent\w*|prohibit\w*|forb[ia]d\w*|reject\w*|dismiss\w*|than|only|except|avoid\w*|instead|"
    r"rather|unable|impossible|unlikely|too|ban|banned|exclu\w+|rul(?:ed|ing) out|doubt\w*|unnecessary|free from|"
    r"exempt\w*|depriv\w+|breach\w*|violat\w+|infring\w+|contrast|unlike)\b|n['’]t\b",
    re.IGNORECASE,
)
_DENIES_AFTER = re.compile(
    r"[^.;:!?\n,]{0,60}?\b(?:not|never|cannot|neither|no(?!\.)|unnecessary|impossible)\b|[^.;:!?\n,]{0,60}n['’]t\b"
)
_COUNTS_OUT_BEFORE = re.compile(
    r"\b(?:all|none|any|few|most|each|only|every one|neither|either|not|some)(?: of)?\s+\Z", re.IGNORECASE
)
_DENIES_FIRMLY = re.compile(
    r"\b(?:not|cannot|no(?!\.)|never|nor|neither|without|none|if|unless)\b|n['’]t\b", re.IGNORECASE
)
_DENIES_A_THING = re.compile(
    r"\b(?:dismiss|reject|breach|violat|infring|exclu|exempt|depriv|lack|absence|ban|contrast|unlike|all|each|every)",
    re.IGNORECASE,
)
_LEADS_ON = re.compile(r"\b(?:that|who|which|whose|whom|to|from|of|for|by)\b", re.IGNORECASE)
_ENDS_CLAUSE = re.compile(r"[.;:!?\n]\s|, (?:and|but|which|who|while|whereas|where|when)\b|\b(?:but|however)\b")


@dataclass(frozen=True, slots=True)
class PhraseLead:
    """What stands before a word in its noun phrase."""

    modifiers: tuple[str, ...]
    determiner: str
    """The word that opens the phrase, or stands right before it; "'s" for a possessor; "" for none."""
    start: int
    """Where the determiner begins, or the first modifier where there is none."""

    @property
    def is_definite(self) -> bool:
        return self.determiner in DEFINITE or self.determiner == "'s"


def read_phrase_lead(text: str, start: int) -> PhraseLead:
    """The words before in the noun phrase, at most five of them."""
    modifiers: list[str] = []
    at = start
    for _ in range(5):
        word, begin = word_before(text, at)
        low = word.lower().replace("’", "'")
        if not word:
            break
        if low == "that" and word_class(word_before(text, begin)[0] or "x") != "function":
            # "required that prisoners work": no determiner.
            return PhraseLead(tuple(modifiers), "", begin)
        if low in FUNCTION_WORDS and not word.isupper():
            return PhraseLead(tuple(modifiers), low, begin)
        if low.endswith(("'s", "s'")):
            return PhraseLead(tuple(modifiers), "'s", begin)
        if word_class(word) in ("verb", "past"):
            return PhraseLead(tuple(modifiers), low, begin)
        modifiers.insert(0, low)
        at = begin
    return PhraseLead(tuple(modifiers), "", at)


def may_generalize(text: str, start: int, end: int, before: PhraseLead) -> bool:
    """Whether what is true of the thing under a wider name, or with less said of it, is true here.

    ``text[start:end]`` ends with the noun.
    """
    if before.determiner in _COUNTS_OUT:
        return False
    if any(word in _ORDERED or _is_superlative(word) for word in before.modifiers):
        return False
    if before.is_definite:
        if _COUNTS_OUT_BEFORE.search(text, max(0, before.start - 20), before.start):
            return False
        if not is_plural(text[start:end].split()[-1]):
            return True
        # "The shotguns were found" speaks of the same things as "the weapons were found"; denied, of more.
        return not _is_denied_by(_DENIES_FIRMLY, text, start) and _DENIES_AFTER.match(text, end) is None
    return not is_negated(text, start) and _DENIES_AFTER.match(text, end) is None


def _is_superlative(word: str) -> bool:
    if not word.endswith("est") or len(word) < 6:
        return False
    return any(word_class(base) == "adjective" for base in (word[:-3], word[:-2], word[:-4], word[:-4] + "y"))


def is_negated(text: str, start: int) -> bool:
    """Whether something before it in the clause denies, doubts, compares or counts out."""
    return _is_denied_by(_DENIES, text, start)


def is_verb_negated(text: str, start: int) -> bool:
    """The same for a verb: what denies a thing only ("rejected the claim and [evicted] him") does not reach it."""
    clause = _clause(text, start)
    return any(
        not _DENIES_A_THING.match(found.group()) or _LEADS_ON.search(clause, found.end())
        for found in _DENIES.finditer(clause)
    )


def _is_denied_by(pattern: re.Pattern[str], text: str, start: int) -> bool:
    return pattern.search(_clause(text, start)) is not None


def _clause(text: str, start: int) -> str:
    before = text[max(0, start - _CLAUSE) : start]
    return before[max((found.end() for found in _ENDS_CLAUSE.finditer(before)), default=0) :]
