"""How a verb is used in its sentence: in which form, active or passive, and what follows it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from sfumato.knowledge.grammar.function_words import AUXILIARIES, DETERMINERS, ENGLISH, PREPOSITIONS, PRONOUNS
from sfumato.knowledge.grammar.inflection import is_plural
from sfumato.knowledge.ladders.fit.context import kind, word_after, word_before
from sfumato.knowledge.wider.concepts import listed_form
from sfumato.protection.wordings.clause import lead

FREE = frozenset(
    "in at on during after before since until till within under following throughout despite inside outside near "
    "when while because where although though whereas".split()
)
"""What says when and where, and belongs to no verb."""
_BE = frozenset("am is are was were be been being".split())
_HAVE = frozenset("has have had having".split())
_BEFORE_BASE = frozenset("to will would shall should can could may might must did do does".split())
_PLURAL_SUBJECTS = frozenset("i you we they".split())
_SUBJECTS = frozenset("i you he she it we they who which that".split())
_OBJECT_PRONOUNS = frozenset("me you him her us them it".split())
_PARTICLES = frozenset("up out off down away back over through along around about apart forward together".split())
_SKIPPED = frozenset("also then later already still again soon thereby therefore thus both even subsequently".split())
_FLOATING = frozenset("that which both all each".split())
_UNTRUE_BEFORE = frozenset("first last only just never nearly almost hardly barely half rarely seldom as".split())
"""What was first strolled along was perhaps walked along before."""
_COUNTED = frozenset("several many some another other further various numerous two three four five six".split())


@dataclass(frozen=True, slots=True)
class Use:
    """How a verb is used in a sentence."""

    forms: frozenset[str]
    voice: str
    """"active", "passive", or "either": "the man [evicted] in May" was, and "the man [moved] in May" did."""
    follower: str
    """"o" for an object, "pro" for a pronoun, "end", "that", "to", a preposition; "" for what cannot be read."""
    after: int
    """Where the following preposition ends."""
    one: bool = False
    """Whether its subject is surely one thing."""


def use_of(text: str, start: int, end: int, verb: str, forms: frozenset[str]) -> Use | None:
    """The use of ``text[start:end]`` as one of a verb's forms; None where it may be a noun or an adjective."""
    if start and text[start - 1] in "“\"‘'«([":
        return None
    before, begin = _before(text, start)
    if before in _UNTRUE_BEFORE or word_before(text, start)[0].lower() in _UNTRUE_BEFORE:
        return None
    follower, after = _follower(text, end)
    if "ing" in forms:
        used = _is_ing_of_verb(before, follower, _opens_object(text, end, follower))
        if used and kind(before or ".") == "noun" and before.islower() and not is_plural(before):
            # "A lawyer practising in", but not "began with chess playing at".
            used = lead(text, begin).determiner in DETERMINERS
        return Use(frozenset({"ing"}), "active", follower, after) if used else None
    if "base" in forms and before in _BEFORE_BASE | _PLURAL_SUBJECTS:
        # "to appeal" may be a noun; "to appeal the decision" is none.
        strict = before == "to" and bool(listed_form(verb))
        if strict and (follower not in ("o", "pro", "that", "to") or not _opens_object(text, end, follower)):
            return None
        return Use(frozenset({"base"}), "active", follower, after)
    if "third" in forms:
        named = before in ("he", "she", "it", "who", "which")
        return Use(frozenset({"third"}), "active", follower, after) if named else None
    past = forms & {"past", "participle"}
    return _use_of_past(before, past, follower, after) if past else None


def _is_ing_of_verb(before: str, follower: str, opens: bool) -> bool:
    """Not "the killing of", nor "trading partners"."""
    if before in DETERMINERS or follower == "of" or kind(before or "x") in ("adjective", "number"):
        return False
    if before in _BE or before in ("while", "when", "started", "by"):
        return True
    if before in ("of", "for", "after", "before", "in", "and", "without", ""):
        return opens or follower not in ("o", "end")
    return kind(before) == "noun" and (follower not in ("o", "end") or (follower == "o" and opens))


def _use_of_past(before: str, past: frozenset[str], follower: str, after: int) -> Use | None:
    """*Evicted* after "was" is a participle in the passive, after "has" in the active, after "he" a past."""
    if before in _BE or before in _HAVE:
        voice = "passive" if before in _BE else "active"
        return Use(frozenset({"participle"}), voice, follower, after) if "participle" in past else None
    if before in DETERMINERS - _FLOATING or before in PREPOSITIONS or before in AUXILIARIES:
        return None
    if before in _SUBJECTS:
        one = before in ("he", "she", "it")
        return Use(frozenset({"past"}), "active", follower, after, one) if "past" in past else None
    if kind(before or "and") in ("adjective", "number", "verb", "adverb"):
        return None
    is_second = before in ("and", "or", "but", "")
    one = not is_second and not is_plural(before)
    if past == {"past"}:
        return Use(past, "active", follower, after, one)
    if follower in ("o", "pro", "that") and "past" in past:
        # Of "arrested and evicted him" either.
        return Use(past if is_second else frozenset({"past"}), "active", follower, after, one)
    if follower == "by":
        return Use(frozenset({"participle"}), "passive", follower, after)
    return None if is_second else Use(past, "either", follower, after, one)


@lru_cache(maxsize=2**10)
def _is_adverb(word: str) -> bool:
    return word in _SKIPPED or (word.endswith("ly") and kind(word) == "adverb")


def _before(text: str, start: int) -> tuple[str, int]:
    """The word before, adverbs left out."""
    at = start
    for _ in range(3):
        word, at = word_before(text, at)
        if not _is_adverb(word.lower()):
            break
    return word if word[:1].isupper() and word.lower() not in ENGLISH else word.lower(), at


def _follower(text: str, end: int) -> tuple[str, int]:
    """What follows a verb, and where it ends."""
    word, stop = word_after(text, end)
    if _is_adverb(word.lower()):
        word, stop = word_after(text, stop)
        if not word or word.lower() in FREE:
            return "end", stop
    low = word.lower().replace("’", "'")
    if not word:
        follows = text[end : end + 2].strip()
        opens = follows[:1] in "“\"‘'«([€£$"
        return ("o" if follows[:1] in "€£$" else "") if follows and opens else "end", stop
    if low == "that":
        return "that", stop
    if low in _PARTICLES and low not in PREPOSITIONS:
        return "", stop
    if low in _OBJECT_PRONOUNS:
        return "pro", stop
    if low in PREPOSITIONS or low in FREE:
        return low, stop
    if low in ("and", "or", "but", "nor"):
        return "end", stop
    if low in DETERMINERS or low in _COUNTED or low in ("himself", "herself", "themselves", "itself", "one"):
        return "o", stop
    if low in ENGLISH or low in AUXILIARIES or low in PRONOUNS:
        return "", stop
    what = kind(word)
    return ("o" if what in ("noun", "adjective", "number", "participle") else "end" if what == "adverb" else ""), stop


def _opens_object(text: str, end: int, follower: str) -> bool:
    """Whether what follows can only be an object."""
    word, _ = word_after(text, end)
    return (
        follower not in ("o", "pro")
        or word.lower() in DETERMINERS | _COUNTED | _OBJECT_PRONOUNS
        or word[:1].isupper()
        or word[:1].isdigit()
    )
