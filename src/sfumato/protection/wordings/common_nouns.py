"""Wider words for common nouns of several senses, where the words around them tell which is meant."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from sfumato.knowledge.grammar.function_words import AUXILIARIES, DETERMINERS, PREPOSITIONS
from sfumato.knowledge.grammar.inflection import in_plural, is_plural
from sfumato.knowledge.ladders.base import Mention, Rung
from sfumato.knowledge.ladders.fit.context import kind, word_after, word_before
from sfumato.knowledge.wider.nouns import WiderNoun, topic, wider_nouns
from sfumato.protection.wordings.clause import Lead

SOURCE = "nouns"
_AROUND = 250
_CHUNK = 400
_ENDS = re.compile(r"[.;!?]\s|\n")
_WORDS = re.compile(r"[^\W\d_]+")
_NOT_BEHIND_NOUNS = frozenset({"person", "young person", "well-known person", "place", "item"})
"""A tennis player is no tennis person."""


def common_rungs(mention: Mention, before: Lead) -> list[Rung]:
    """What is true of a common noun here, narrowest first."""
    found: list[Rung] = []
    word = mention.said
    follower, _ = word_after(mention.text, mention.end)
    near = _sentence(mention.text, mention.start, mention.end) - {word}
    far = _passage(mention.text, mention.start) - {word}
    previous, _ = word_before(mention.text, mention.start)
    behind_noun = (
        bool(previous) and kind(previous) == "noun" and not previous.lower().endswith(("'s", "’s", "s'", "s’"))
    )
    waiting = [(one, 2) for one in wider_nouns(word)]
    seen = set()
    while waiting:
        one, members = waiting.pop(0)
        may_change = "%" in one.conditions
        if one.name in seen or not _holds(one, near, far, follower.lower()):
            continue
        if (behind_noun and one.name in _NOT_BEHIND_NOUNS) or (may_change and not _is_free(mention, before, follower)):
            continue
        seen.add(one.name)
        found += _rung(one, members, one.is_plural if may_change else is_plural(word), before)
        if not may_change:
            waiting = [*((other, members + 2) for other in wider_nouns(one.name)), *waiting]
    return found


def is_head(text: str, start: int, end: int) -> bool:
    """Whether the noun ends its phrase, so that a modifier before it stays one of the wider noun: "lower [courts]"."""
    following, stop = word_after(text, end)
    if not following:
        return True
    what = kind(following)
    if what == "verb" and not is_plural(text[start:end]) and not following.endswith("s"):
        # One applicant requests; an applicant request is another thing.
        return False
    if what == "gerund":
        # "a lawyer practising in", but not "the court building"
        after, _ = word_after(text, stop)
        return after.lower() in PREPOSITIONS or after.lower() in DETERMINERS
    return what not in ("noun", "number", "adjective") or following.lower() in ("alone", "born", "able", "aged")


def is_noun_by_place(text: str, start: int, end: int) -> bool:
    """Whether what stands before it can only be followed by a noun: an adjective, or a noun and "and"."""
    previous, begin = word_before(text, start)
    if previous in ("and", "or"):
        first, _ = word_before(text, begin)
        following, _ = word_after(text, end)
        return bool(first) and kind(first) == "noun" and following.lower() not in DETERMINERS
    return bool(previous) and kind(previous) in ("adjective", "number", "participle", "past")


def _is_free(mention: Mention, before: Lead, follower: str) -> bool:
    """Whether no verb agrees with the noun: it hangs on a preposition, and none follows."""
    governor = before.determiner if not before.is_definite else word_before(mention.text, before.start)[0].lower()
    agrees = follower.lower() in AUXILIARIES | {"who", "which", "that"} or kind(follower or ".") in ("verb", "past")
    return governor in PREPOSITIONS and not agrees


def _holds(one: WiderNoun, near: frozenset[str], far: frozenset[str], follower: str) -> bool:
    """Whether the passage is about what the noun then means, and the sentence about nothing else."""
    for condition in one.conditions:
        sign, name = condition[0], condition[1:]
        if sign == "@" and topic(name).isdisjoint(far):
            return False
        if sign == "!" and not topic(name).isdisjoint(near):
            return False
        if sign == "-" and name == follower:
            return False
        if sign not in "@!-%" and condition != follower:
            return False
    return True


def _rung(one: WiderNoun, members: int, many: bool, before: Lead) -> Iterator[Rung]:
    if one.is_mass:
        # Two plots are not two property, and "a small plot" keeps its article.
        if not many and (before.is_definite or not before.modifiers):
            yield Rung(one.name, members, article="", source=SOURCE)
    elif one.is_plural:
        if many:
            yield Rung(one.name, members, article="", plural=True, source=SOURCE)
    elif many:
        yield Rung(in_plural(one.name), members, article="", plural=True, source=SOURCE)
    else:
        yield Rung(one.name, members, source=SOURCE)


def _sentence(text: str, start: int, end: int) -> frozenset[str]:
    left = text[max(0, start - _AROUND) : start]
    begins = max((found.end() for found in _ENDS.finditer(left)), default=0)
    right = text[end : end + _AROUND]
    stops = _ENDS.search(right)
    return _words(left[begins:] + text[start:end] + (right[: stops.start()] if stops else right))


def _passage(text: str, start: int) -> frozenset[str]:
    """On a grid, so that neighbours share it."""
    at = start // _CHUNK * _CHUNK
    return _words(text[max(0, at - _CHUNK) : at + 2 * _CHUNK])


@lru_cache(maxsize=64)
def _words(sentence: str) -> frozenset[str]:
    return frozenset(_WORDS.findall(sentence.lower()))
