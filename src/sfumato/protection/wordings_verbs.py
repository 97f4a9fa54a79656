"""Wider words for verbs: who was *evicted* was *removed*, who *murdered* someone *killed* them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from sfumato.knowledge.concepts import listed_form
from sfumato.knowledge.function_words import AUXILIARIES, DETERMINERS, ENGLISH, PREPOSITIONS, PRONOUNS
from sfumato.knowledge.ladders.fit.context import kind, word_after, word_before
from sfumato.knowledge.verbs import Wider, inflected, readings, topic, wider
from sfumato.protection.wordings_base import Wording
from sfumato.protection.wordings_clause import is_denied

MOST = 2
_BE = frozenset("am is are was were be been being".split())
_HAVE = frozenset("has have had having".split())
_BEFORE_BASE = frozenset("to will would shall should can could may might must did do does".split())
_PLURAL_SUBJECTS = frozenset("i you we they".split())
_SUBJECTS = frozenset("i you he she it we they who which that".split())
_OBJECT_PRONOUNS = frozenset("me you him her us them it".split())
_FREE = frozenset(
    "in at on during after before since until till within under following throughout despite inside outside near "
    "when while because where although though whereas".split()
)
"""What says when and where, and belongs to no verb."""
_PARTICLES = frozenset("up out off down away back over through along around about apart forward together".split())
_SKIPPED = frozenset("also then later already still again soon thereby therefore thus both even subsequently".split())
_UNTRUE_BEFORE = frozenset("first last only just never nearly almost hardly barely half rarely seldom as".split())
"""What was first strolled along was perhaps walked along before."""
_UNTRUE_AFTER = re.compile(
    r"[^.;:!?\n]{0,50}?\b(?:no|not|none|nobody|nothing|neither|nor|only|few|fewer|fewest|any|anyone|anything|most|least|"
    r"hardly|never|little|rather|instead|solely|merely|more|less|exactly|than)\b",
    re.IGNORECASE,
)
_CLAUSE = re.compile(r"[^.;:!?\n]{0,110}")
_LEFT = 110


@dataclass(frozen=True, slots=True)
class _Use:
    """How a verb is used in a sentence."""

    forms: frozenset[str]
    passive: bool
    follower: str
    """"o" for an object, "pro" for a pronoun, "end", "that", "to", a preposition; "" for what cannot be read."""
    after: int
    """Where the following preposition ends."""


def verb_wordings(text: str, start: int, end: int) -> list[Wording]:
    """At most two wider verbs in the same form, the narrower first; none where the verb's use cannot be read."""
    word = text[start:end]
    if not word.islower() or (text[start - 1 : start] if start else " ") in "-‑/’'_" or text[end : end + 1] in "-‑/’'_":
        return []
    for verb, forms in readings(word).items():
        use = _use(text, start, end, verb, forms)
        if use is None or not use.follower:
            continue
        found = list(_offers(text, start, end, verb, use))
        if found:
            return [] if _is_untrue(text, start, end) else found
    return []


def _offers(text: str, start: int, end: int, verb: str, use: _Use) -> Iterator[Wording]:
    seen = {verb}
    for _ in range(MOST):
        found = next(
            ((one, fits) for one in wider(verb) if one.verb not in seen and (fits := _fits(one, use, text, start, end))),
            None,
        )
        if found is None:
            return
        one, preposition = found
        shown = {inflected(one.verb, form) for form in use.forms}
        if len(shown) > 1:
            # It stands for a past or a participle, and we cannot tell which.
            return
        put, stop = shown.pop(), end
        if preposition != use.follower:
            put, stop = f"{put} {preposition}".rstrip(), use.after
        yield Wording("hypernym", start, stop, put, f"{one.source}: {one.verb}")
        if " " in one.verb or preposition != use.follower:
            return
        verb = one.verb
        seen.add(verb)


def _fits(one: Wider, use: _Use, text: str, start: int, end: int) -> str:
    """The follower as it stands behind the wider verb, a space where it goes; empty where they do not agree."""
    frames, follower = one.frames, use.follower
    found = ""
    if use.passive:
        if "o" in frames or "p" in frames:
            found = follower if follower in ("end", "by") or follower in _FREE else ""
        wanted = f"p:{'o' if follower == 'pro' else follower}"
    else:
        if follower == "pro" and not frames.isdisjoint(("o", "a", "pro")):
            found = follower
        elif follower == "o" and not frames.isdisjoint(("o", "a")):
            found = follower
        elif (follower == "end" or follower in _FREE) and "i" in frames:
            found = follower
        wanted = follower
    if wanted in frames:
        found = follower
    for frame in frames:
        if frame.startswith(f"{wanted}>"):
            found = frame.partition(">")[2] or " "
    return found if found and _is_in_its_field(frames, text, start, end) else ""


def _is_in_its_field(frames: frozenset[str], text: str, start: int, end: int) -> bool:
    """Whether the words around it are such that the verb has this sense, and none asks for another construction."""
    if all(frame[0] not in "-@!" for frame in frames):
        return True
    after = frozenset(re.findall(r"[^\W\d_]+", _clause_after(text, end).lower()))
    around = after | frozenset(re.findall(r"[^\W\d_]+", _clause_before(text, start).lower()))
    for frame in frames:
        sign, name = frame[0], frame[1:]
        if sign == "-" and name in after:
            return False
        if sign == "@" and topic(name).isdisjoint(around):
            return False
        if sign == "!" and not topic(name).isdisjoint(around):
            return False
    return True


def _clause_after(text: str, end: int) -> str:
    found = _CLAUSE.match(text, end)
    return found.group() if found else ""


def _clause_before(text: str, start: int) -> str:
    return re.split(r"[.;:!?\n]", text[max(0, start - _LEFT) : start])[-1]


def _is_untrue(text: str, start: int, end: int) -> bool:
    """Whether the sentence denies, compares or counts out: who evicted nobody may have removed someone."""
    return is_denied(text, start) or _UNTRUE_AFTER.match(text, end) is not None


def _use(text: str, start: int, end: int, verb: str, forms: frozenset[str]) -> _Use | None:
    before, begin = _before(text, start)
    if before in _UNTRUE_BEFORE or word_before(text, start)[0].lower() in _UNTRUE_BEFORE:
        return None
    follower, after = _follower(text, end)
    if "ing" in forms:
        return _use_of_ing(before, follower, after)
    if "base" in forms and before in _BEFORE_BASE | _PLURAL_SUBJECTS:
        # "to appeal" may be a noun; "to appeal the decision" is none.
        strict = before == "to" and bool(listed_form(verb))
        if strict and follower not in ("o", "pro", "that", "to") or (strict and not _opens_object(text, end, follower)):
            return None
        return _Use(frozenset({"base"}), False, follower, after)
    if "third" in forms:
        named = before in ("he", "she", "it", "who", "which")
        return _Use(frozenset({"third"}), False, follower, after) if named else None
    past = forms & {"past", "participle"}
    return _use_of_past(text, begin, before, past, follower, after) if past else None


def _use_of_ing(before: str, follower: str, after: int) -> _Use | None:
    """Not "the killing of", nor "trading partners"."""
    if before in DETERMINERS or follower == "of" or kind(before or "x") in ("adjective", "number"):
        return None
    if before in _BE or before in ("by", "of", "for", "after", "before", "while", "in", "when", "and", "started", ""):
        return _Use(frozenset({"ing"}), False, follower, after)
    is_noun = kind(before) == "noun"
    return _Use(frozenset({"ing"}), False, follower, after) if is_noun and follower not in ("o", "end") else None


def _use_of_past(text: str, begin: int, before: str, past: frozenset[str], follower: str, after: int) -> _Use | None:
    """*Evicted* after "was" is a participle in the passive, after "has" in the active, after "he" a past."""
    if before in _BE:
        return _Use(frozenset({"participle"}), True, follower, after) if "participle" in past else None
    if before in _HAVE:
        return _Use(frozenset({"participle"}), False, follower, after) if "participle" in past else None
    if before in DETERMINERS - {"that", "which", "both", "all"} or before in PREPOSITIONS or before in AUXILIARIES:
        return None
    if before in _SUBJECTS:
        return _Use(frozenset({"past"}), False, follower, after) if "past" in past else None
    if kind(before or "and") in ("adjective", "number", "verb", "adverb"):
        return None
    if past == {"past"}:
        return _Use(past, False, follower, after)
    if follower in ("o", "pro", "that") and "past" in past:
        # Of "arrested and evicted him" either.
        is_second = before in ("and", "or", "but", "")
        return _Use(past if is_second else frozenset({"past"}), False, follower, after)
    if follower == "by":
        return _Use(frozenset({"participle"}), True, follower, after)
    if before in ("and", "or", "but", ""):
        return None
    return _Use(past, False, follower, after)


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
        if not word or word.lower() in _FREE:
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
    if low in PREPOSITIONS or low in _FREE:
        return low, stop
    if low in ("and", "or", "but", "nor"):
        return "end", stop
    if low in DETERMINERS or low in ("himself", "herself", "themselves", "itself", "one"):
        return "o", stop
    if low in ENGLISH or low in AUXILIARIES or low in PRONOUNS:
        return "", stop
    what = kind(word)
    return ("o" if what in ("noun", "adjective", "number", "participle") else "end" if what == "adverb" else ""), stop


def _opens_object(text: str, end: int, follower: str) -> bool:
    """Whether what follows can only be an object."""
    word, _ = word_after(text, end)
    return follower != "o" or word.lower() in DETERMINERS or word[:1].isupper() or word[:1].isdigit()

