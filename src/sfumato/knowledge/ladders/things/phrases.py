"""A noun phrase taken apart, as far as it has to be to say what kind of thing it names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from sfumato.knowledge.grammar.word_classes import word_classes
from sfumato.knowledge.wider.hypernyms import NOT_THE_THING

LONGEST = 8
"""Words; a longer phrase is mostly a clause."""
_QUOTES = "\"'“”‘’«»„`"
_DETERMINERS = frozenset(
    "a an the this that these those his her its their our my your some any each every another such certain own".split()
)
_NUMBERS = frozenset(
    "two three four five six seven eight nine ten several many few various both multiple numerous".split()
)
_PRONOUNS = frozenset("he she it they we i you him them us me who which what".split())
_AUXILIARIES = frozenset(
    "is are was were be been being am has have had having do does did will would shall should can could may might must "
    "not never".split()
)
_AFTER_HEAD = frozenset(
    "of in on at with without for from to by about against between into under over near during after before who whom "
    "which that whose where when as than concerning regarding containing involving called named entitled".split()
)
_WORD = re.compile(r"[^\W_]+(?:[-'’./&+#][^\W_]+)*[+#]*")
_YEAR = re.compile(r"(?:1[0-9]|20)\d\d(?:[-–/]\d{2,4})?$")
_POSSESSOR = re.compile(r"^.*?(?:['’]s|s['’])\s+")


@dataclass(frozen=True, slots=True)
class Phrase:
    """What is left of a mention without quotes, determiners and counts."""

    said: str
    core: str
    """The words up to what follows the head: "left eye" of "the left eye of the boy"."""
    is_counted: bool
    """Whether a number stood before it, so that it is a plural."""
    is_quoted: bool
    is_determined: bool


@lru_cache(maxsize=2**12)
def read(said: str) -> Phrase | None:
    """None where it is no plain noun phrase: empty, too long, a number, a clause."""
    flat = " ".join(said.split()).strip(" .,;:!?()[]")
    is_quoted = len(flat) > 2 and flat[0] in _QUOTES and flat[-1] in _QUOTES
    bare = flat.strip(_QUOTES + " ,.;:")
    words = bare.split()
    if not bare or len(bare) > 120 or len(words) > LONGEST:
        return None
    determined = counted = False
    while words and (words[0].casefold() in _DETERMINERS or words[0].casefold() in _NUMBERS):
        counted = counted or words[0].casefold() in _NUMBERS
        determined = True
        words = words[1:]
    if len(words) > 1 and _YEAR.match(words[0]) and words[1][0].isupper():
        words = words[1:]
    elif len(words) > 1 and _YEAR.match(words[-1]) and words[0][0].isupper():
        words = words[:-1]
    if not words or words[0][0].isdigit() or _is_clause(words):
        return None
    end = next((at for at, word in enumerate(words) if at and word.casefold() in _AFTER_HEAD), len(words))
    core = " ".join(words[:end]).rstrip(",;")
    return Phrase(" ".join(words), core, counted, is_quoted, determined)


def _is_clause(words: list[str]) -> bool:
    """Whether a verb makes it a statement: "owned a garage", "responding well"."""
    folded = [word.casefold().strip(",;") for word in words]
    if not _PRONOUNS.isdisjoint(folded[:1]) or not _AUXILIARIES.isdisjoint(folded):
        return True
    kinds = word_classes()
    if kinds.get(folded[0]) == "past" and len(words) > 1:
        return True
    follows = folded[1] if len(folded) > 1 else ""
    is_verb = kinds.get(folded[0]) in ("participle", "gerund", "verb", "adverb")
    if is_verb and (follows in _DETERMINERS or follows in _PRONOUNS or follows in ("to", "by", "that")):
        return True
    if kinds.get(follows) == "adverb" and kinds.get(folded[0]) in ("gerund", "participle"):
        return True
    return any(kinds.get(word) == "past" for word in folded[1:])


def parts(core: str) -> Iterator[str]:
    """The phrase without its first words, one by one: what may name the thing, most telling first.

    Ends where a dropped word may have made the thing something else ("alleged rape").
    """
    words = core.split()
    for start in range(len(words)):
        if start and (words[start - 1].casefold() in NOT_THE_THING or words[start - 1].casefold().startswith("non-")):
            return
        yield " ".join(words[start:])


def is_doing(core: str) -> bool:
    """Whether it may say what someone does to a thing, not what thing it is: "supplying cocaine"."""
    first, *others = core.casefold().split() or [""]
    return bool(others) and word_classes().get(first) in ("gerund", "verb", "adverb", "past")


def unpossessed(said: str) -> str:
    """Without whose it is: "left eye" of "the applicant's left eye"."""
    return _POSSESSOR.sub("", said, count=1)


def conjuncts(said: str) -> list[str]:
    """The parts of an enumeration; one where it is none."""
    found = [part.strip() for part in re.split(r",\s*(?:and|or)\s+|,\s*|\s+(?:and|or|&)\s+", said) if part.strip()]
    return found or [said]


def is_name(said: str, before: str) -> bool:
    """Whether capitals make it a name: not where a sentence begins, and not letters that are all capitals."""
    first = _WORD.search(said)
    if not first or not first[0][0].isupper() or said.isupper():
        return False
    stem = before.rstrip(" \n\t“\"'(")
    return bool(stem) and stem[-1] not in ".!?:\n" and not before.endswith("\n\n")
