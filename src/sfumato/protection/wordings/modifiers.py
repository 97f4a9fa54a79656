"""Words that may be left out: *a violent robbery* is a robbery, who was *severely* beaten was beaten."""

from __future__ import annotations

import re

from sfumato.knowledge.grammar.function_words import ADVERBS, AUXILIARIES, ENGLISH, PREPOSITIONS, PRONOUNS
from sfumato.knowledge.grammar.inflection import indefinite, is_plural
from sfumato.knowledge.grammar.lemmas import is_word
from sfumato.knowledge.ladders.fit.context import NOT_DESCRIBED, begins_sentence, kind, word_after, word_before
from sfumato.knowledge.numbers.read import read_number
from sfumato.knowledge.wider.hypernyms import NOT_THE_THING
from sfumato.protection.wordings.base import Wording
from sfumato.protection.wordings.clause import DEFINITE, Lead, is_denied, lead, may_widen
from sfumato.protection.wordings.modifier_words import (
    KEPT_ADJECTIVES,
    KEPT_ADVERBS,
    KEPT_NOUNS,
    KEPT_PARTICIPLES,
    NEED_A_MODIFIER,
)
from sfumato.protection.wordings.nouns import is_kind_of, is_listed, is_noun_here, may_be_verb

_LEADING = DEFINITE | frozenset("a an by with of from in on for two three several many some".split())
_BLANK = re.compile(r"[ \xa0](?=[^\W\d_])")
_BE_OR_HAVE = frozenset("am is are was were be been being has have had having".split())
_GRADED = frozenset("very too so as how quite rather more most less least particularly extremely highly".split())


def drop_wordings(text: str, start: int, end: int) -> list[Wording]:
    """The sentence without the word, where that is true and grammatical; else nothing."""
    word = text[start:end]
    if len(word) < 3 or not is_word(word) or not word.islower() or word in ENGLISH or not _BLANK.match(text, end):
        return []
    if start == 0 or text[start - 1] not in " \xa0\n(":
        return []
    if _is_adjective(word) and _may_lose_adjective(text, start, end, word):
        return [_dropped(text, start, end, "adjective left out")]
    if kind(word) == "participle" and _may_lose_participle(text, start, end, word):
        return [_dropped(text, start, end, "participle left out")]
    if kind(word) == "noun" and _may_lose_noun(text, start, end, word):
        return [_dropped(text, start, end, "noun before a noun left out")]
    if _is_adverb(word) and _may_lose_adverb(text, start, end):
        return [_dropped(text, start, end, "adverb left out")]
    return []


def _dropped(text: str, start: int, end: int, because: str) -> Wording:
    """The word and the blank behind it go; "a" and "an" before it agree with what follows."""
    article, begin = word_before(text, start)
    wanted = indefinite(text[end + 1 : end + 61])
    if article.lower() in ("a", "an") and article.lower() != wanted:
        put = wanted.capitalize() if article[0].isupper() else wanted
        return Wording("drop", begin, end + 1, put + text[begin + len(article) : start], because)
    return Wording("drop", start, end + 1, "", because)


def _is_kept(word: str) -> bool:
    """Whether the thing may be another without the word."""
    if word in KEPT_ADJECTIVES or word in NOT_THE_THING or word.startswith(("non", "pseudo", "quasi", "semi")):
        return True
    return word.endswith("th") and read_number(word) is not None


def _is_adjective(word: str) -> bool:
    return kind(word) == "adjective" and not word.endswith(("est", "er")) and not _is_kept(word)


def _may_lose_adjective(text: str, start: int, end: int, word: str) -> bool:
    """Whether it describes a noun that stands behind it, alone or before other adjectives, in a true sentence."""
    before = lead(text, start)
    noun, stop = _described(text, end)
    if not noun or noun in NEED_A_MODIFIER or not _opens(text, start, before):
        return False
    if not may_widen(text, start, stop, before):
        return False
    # A hot dog is no dog, high blood pressure no blood pressure.
    phrase = text[end + 1 : stop].split()
    return not any(
        is_listed(whole := " ".join((word, *phrase[:last]))) and not is_kind_of(whole, phrase[last - 1])
        for last in range(1, len(phrase) + 1)
    )


def _may_lose_participle(text: str, start: int, end: int, word: str) -> bool:
    """Behind a determiner it describes what follows: "the injured man"; elsewhere it may be what someone did."""
    previous, _ = word_before(text, start)
    led = previous.lower() in _LEADING or previous.lower().endswith(("'s", "’s"))
    if not led or word in KEPT_PARTICIPLES or _is_kept(word):
        return False
    return _may_lose_adjective(text, start, end, word)


def _may_lose_noun(text: str, start: int, end: int, word: str) -> bool:
    """Whether it tells of what kind the noun right behind it is: "the tennis court"."""
    noun, _ = word_after(text, end)
    before = lead(text, start)
    if _is_kept(word) or word in KEPT_NOUNS or is_plural(word) or not is_noun_here(text, start, end):
        return False
    governed = word_before(text, start)[0] in PREPOSITIONS - {"to", "as"}
    if not (before.is_definite or before.determiner in ("a", "an") or governed) or kind(noun) != "noun":
        return False
    whole = is_listed(f"{word} {noun}")
    if may_be_verb(noun) and not whole:
        # The court orders: what it does, or what it gave?
        return False
    outer, begin = word_before(text, before.start)
    if is_plural(noun) and not whole and outer[:1].isupper() and begins_sentence(text, begin):
        # "During the trial witnesses said"
        return False
    return _may_lose_adjective(text, start, end, word)


def _opens(text: str, start: int, before: Lead) -> bool:
    """Whether what stands before leaves the phrase whole without the word: no "very", no "and", no half list."""
    word, begin = word_before(text, start)
    low = word.lower()
    if not word:
        # A sentence's first word, or one behind a comma.
        return False
    if low in _GRADED or low in ("and", "or", "but", "both", "either", "neither", "nor", "not", "than"):
        return False
    if low in AUXILIARIES or low in PRONOUNS or kind(word) == "adverb" or low in ADVERBS - {"several", "many", "few"}:
        return False
    if kind(word) == "noun" and not low.endswith(("'s", "’s", "s'", "s’")):
        # "award winning books", and where the noun before is all that was said of them.
        return False
    return kind(word) != "number" and not (before.determiner == "" and begins_sentence(text, begin))


def _described(text: str, end: int) -> tuple[str, int]:
    """The noun that is described, the last of several, and where it ends; empty where there is none or it is a name."""
    at, noun = end, ""
    for _ in range(4):
        if not _BLANK.match(text, at):
            return noun, at
        word, stop = word_after(text, at)
        if not word.isalpha() or word in ENGLISH or word in NOT_DESCRIBED:
            return noun, at
        if not word.islower() or text[stop : stop + 1] in ("-", "‑", "/"):
            return "", at
        what = kind(word)
        if what == "noun" and is_noun_here(text, at + 1, stop):
            noun = word
        elif noun or what != "adjective":
            return noun, at
        at = stop
    return noun, at


def _is_adverb(word: str) -> bool:
    return word.endswith("ly") and word not in KEPT_ADVERBS and kind(word) == "adverb"


def _may_lose_adverb(text: str, start: int, end: int) -> bool:
    """Whether it stands before a verb or between it and its auxiliary, and nothing is denied."""
    if is_denied(text, start):
        return False
    previous, _ = word_before(text, start)
    following, stop = word_after(text, end)
    low = previous.lower()
    if not following.islower() or not low or low in _GRADED or low in ("and", "or", "not", "nor", "only", "but"):
        return False
    after, _ = word_after(text, stop)
    if after in ("and", "or") and kind(following) == "adverb":
        return False
    what = kind(following)
    if low in _BE_OR_HAVE:
        return what == "participle" or following == "been"
    if low in AUXILIARIES:
        return what == "verb"
    subject = low in PRONOUNS or (kind(previous) == "noun" and previous[-1:].isalpha())
    return subject and what in ("past", "participle") and not following.endswith("ing")
