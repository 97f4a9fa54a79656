"""Wider words for nouns: *robbery* -> *violent crime*, *crime*. From our lists of things and people, then WordNet."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache, lru_cache

from sfumato.knowledge.grammar.function_words import DETERMINERS, ENGLISH, PREPOSITIONS
from sfumato.knowledge.grammar.inflection import head as split_head
from sfumato.knowledge.grammar.inflection import in_singular, is_plural
from sfumato.knowledge.grammar.lemmas import is_word, lemma
from sfumato.knowledge.ladders import things
from sfumato.knowledge.ladders.base import Mention, Rung
from sfumato.knowledge.ladders.fit import fit, fits
from sfumato.knowledge.ladders.fit.context import kind, word_after, word_before
from sfumato.knowledge.ladders.things import kinds
from sfumato.knowledge.wider.concepts import Concept, above, listed_form, senses, weighed_senses
from sfumato.knowledge.wider.nouns import wider_nouns
from sfumato.protection.wordings.base import Room, Wording
from sfumato.protection.wordings.clause import Lead, lead, may_widen
from sfumato.protection.wordings.common_nouns import common_rungs, is_head, is_noun_by_place
from sfumato.protection.wordings.noun_words import EMPTY_KINDS, OPEN_NOUNS

MOST = 3
_SPOKEN_OF = 0.02
"""The share of a word's uses from which a sense may be what a compound with it is named after."""
_PART = ("part of", "parts of")
"""The left knee is no left part of the leg."""
_PART_OF_TERM = frozenset("vice high grand real junior senior".split())
_ORDINAL = re.compile(r"\d(?:st|nd|rd|th)\s\Z")
_BARE_AFTER = frozenset("in on at under by".split())
_OPENING = frozenset("a an another some several many two three four five six seven eight nine ten both".split())


def noun_wordings(text: str, start: int, end: int, room: Room) -> list[Wording]:
    """At most three kinds of the thing that a noun names, the narrowest first; none where its sense is open."""
    word = text[start:end]
    if not _may_stand(text, start, end, word):
        return []
    if _is_in_term(text, start, end, word):
        return []
    before, common = lead(text, start), bool(wider_nouns(word))
    is_open = lemma(word) in OPEN_NOUNS
    is_plain = not is_open and _is_noun(word, before) and not _is_in_compound(text, start, end, word)
    if not is_plain and not (common and _is_common_here(text, start, end, word, before)):
        return []
    if not may_widen(text, start, end, before):
        return []
    mention = Mention(text, start, end, "MISC")
    found = _put(things.rungs(mention), mention, before, room) if is_plain else []
    return found or (_put(common_rungs(mention, before), mention, before, room) if common else [])


def _put(rungs: list[Rung], mention: Mention, before: Lead, room: Room) -> list[Wording]:
    text, word, found = mention.text, mention.said, list[Wording]()
    bare = bool(before.modifiers) or before.is_definite or _is_listed_with(text, mention.start)
    if before.determiner and before.determiner not in ENGLISH - {"own"}:
        # "The disability claims [tribunal]" and "the surrender [ceremony]" have their article.
        outer, _ = word_before(text, before.start)
        is_noun = outer.lower() in DETERMINERS or kind(outer or "x") == "adjective"
        bare = bare or is_noun or before.determiner.endswith(("own", "s"))
    for rung in rungs:
        shown = _bare(rung) if bare else rung
        if not _says_less(rung, word, before) or _is_awkward(shown, text, mention.end):
            continue
        if shown.article == "a" and before.determiner in _BARE_AFTER and not is_plural(word) and not before.modifiers:
            # In compensation, under arrest: set phrases take no article.
            continue
        if fits(shown, mention, room):
            fitted = fit(shown, mention, room)
            found.append(Wording("hypernym", fitted.start, fitted.end, fitted.text, f"{rung.source}: {rung.text}"))
    return found[:MOST]


def _is_common_here(text: str, start: int, end: int, word: str, before: Lead) -> bool:
    """Whether one of the listed common nouns is a noun here and the head of its phrase: a heart attack is no attack."""
    plain = kind(word) == "noun" and not may_be_verb(word) and not word.endswith(("ing", "ed"))
    if not is_head(text, start, end):
        return False
    if not (plain or _is_noun(word, before) or is_noun_by_place(text, start, end)):
        return False
    following, _ = word_after(text, end)
    if following and is_listed(f"{word} {following}"):
        return False
    previous, _ = word_before(text, start)
    if (
        previous in _PART_OF_TERM
        or _ORDINAL.search(text[max(0, start - 8) : start])
        or (word in ("men", "women") and text[end : end + 1] in ("'", "’"))
    ):
        return False
    if not previous or kind(previous) in ("function", "number"):
        return True
    whole = f"{previous} {word}"
    if not previous.islower() and kind(previous) != "adjective":
        return False
    return is_kind_of(whole, word) if is_listed(whole) else True


def _may_stand(text: str, start: int, end: int, word: str) -> bool:
    """Whether it is a whole word in small letters that no hyphen joins to another."""
    if len(word) < 3 or not word.islower() or not is_word(word) or word in ENGLISH:
        return False
    around = text[max(0, start - 1) : start] + text[end : end + 1]
    return not any(sign.isalnum() or sign in "-‑_/" for sign in around)


def _is_in_term(text: str, start: int, end: int, word: str) -> bool:
    """Whether it is half of a term with "of", a bill of indictment or a court of appeal."""
    previous, begin = word_before(text, start)
    following, stop = word_after(text, end)
    if previous == "of":
        other, _ = word_before(text, begin)
        if other and is_listed(f"{other} of {word}"):
            return True
    if following == "of":
        other, _ = word_after(text, stop)
        return bool(other) and is_listed(f"{word} of {other}")
    return False


def is_noun_here(text: str, start: int, end: int) -> bool:
    """Whether the word is used as a noun here."""
    return _is_noun(text[start:end], lead(text, start))


def _is_noun(word: str, before: Lead) -> bool:
    what = kind(word)
    if what not in ("noun", "verb") or not listed_form(word):
        return False
    opens = before.is_definite or before.determiner in _OPENING
    if word.endswith(("ing", "ed")) and not opens:
        return False
    governed = before.determiner in PREPOSITIONS - {"to"}
    if may_be_verb(word) and not (opens or governed):
        return False
    return what == "noun" or opens


def _is_in_compound(text: str, start: int, end: int, word: str) -> bool:
    """Whether it is part of what is one thing together: a heart attack is no attack."""
    previous, _ = word_before(text, start)
    following, _ = word_after(text, end)
    if following and (kind(following) in ("noun", "gerund", "number") or is_listed(f"{word} {following}")):
        return True
    if not previous:
        return False
    if is_listed(f"{previous} {word}") and not is_kind_of(f"{previous} {word}", word):
        return True
    what = kind(previous)
    if what == "participle":
        # "requested authorisation" may be what someone did.
        return not lead(text, start).determiner
    return what not in ("function", "adjective", "number") and not previous.lower().endswith(("'s", "’s", "s'", "s’"))


def _is_listed_with(text: str, start: int) -> bool:
    """Whether it goes on a list, whose article stands before the first of it: "an actor, writer and [judge]"."""
    return re.search(r"(?:,|\b(?:and|or))\s\Z", text[max(0, start - 5) : start]) is not None


def _bare(rung: Rung) -> Rung:
    return replace(rung, article="") if rung.article == "a" else rung


def _is_awkward(rung: Rung, text: str, end: int) -> bool:
    """Whether the phrase would have to take a possessive ending behind what follows its head."""
    return text[end : end + 1] in ("'", "’") and bool(split_head(rung.text)[1])


@lru_cache(maxsize=2**12)
def is_listed(phrase: str) -> bool:
    """Whether WordNet or our lists have it as one thing."""
    return bool(listed_form(phrase)) or kinds.find(phrase) is not None


@lru_cache(maxsize=2**12)
def is_kind_of(whole: str, part: str) -> bool:
    """Whether what a listed phrase names is a kind of what its part names: a patrol car is a car, a hot dog no dog."""
    own = senses(whole)
    if not own:
        return True
    tops = {sense for sense, share in weighed_senses(part) if share >= _SPOKEN_OF}
    waiting, seen = [own[0]], set[Concept]()
    while waiting:
        concept = waiting.pop()
        if concept in tops:
            return True
        if concept not in seen:
            seen.add(concept)
            waiting += above(concept)
    return False


def _says_less(rung: Rung, word: str, before: Lead) -> bool:
    """Whether the rung says something, without the word's own stem and without what is said before it already."""
    if in_singular(rung.text) in EMPTY_KINDS:
        return False
    if (rung.plural and " or " in rung.text) or (before.modifiers and rung.text.startswith(_PART)):
        return False
    parts = [part for part in rung.text.lower().split() if len(part) > 3]
    if not set(parts).isdisjoint(before.modifiers):
        return False
    return not any(part.startswith(word[:5]) or word.startswith(part[:5]) for part in parts)


@cache
def _verbs() -> frozenset[str]:
    from sfumato.knowledge import word_tables as tables

    return frozenset(tables.read("hyponyms-verb"))


@lru_cache(maxsize=2**13)
def may_be_verb(word: str) -> bool:
    """Whether WordNet has the word, or the form without its ending, as a verb."""
    low = word.lower()
    forms = {low, lemma(low), low.removesuffix("s"), low.removesuffix("es")}
    return not _verbs().isdisjoint(forms)
