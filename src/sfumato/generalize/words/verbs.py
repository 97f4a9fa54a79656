"""Wider words for verbs: who was *evicted* was *removed*, who *murdered* someone *killed* them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from sfumato.generalize.context import word_after, word_before, word_class
from sfumato.generalize.words.base import WordGeneralization, is_verb_negated, read_phrase_lead
from sfumato.lexicon.grammar_en import AUXILIARIES, DETERMINERS, FUNCTION_WORDS, PREPOSITIONS, PRONOUNS, is_plural
from sfumato.lexicon.wordnet import WiderVerb, inflect_verb, lookup_form, verb_readings, verb_topic, wider_verbs

# -- How a verb is used in its sentence: in which form, active or passive, and what follows it.


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
class VerbUse:
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


def use_of(text: str, start: int, end: int, verb: str, forms: frozenset[str]) -> VerbUse | None:
    """The use of ``text[start:end]`` as one of a verb's forms; None where it may be a noun or an adjective."""
    if start and text[start - 1] in "“\"‘'«([":
        return None
    before, begin = _before(text, start)
    if before in _UNTRUE_BEFORE or word_before(text, start)[0].lower() in _UNTRUE_BEFORE:
        return None
    follower, after = _follower(text, end)
    if "ing" in forms:
        used = _is_ing_of_verb(before, follower, _opens_object(text, end, follower))
        if used and word_class(before or ".") == "noun" and before.islower() and not is_plural(before):
            # "A lawyer practising in", but not "began with chess playing at".
            used = read_phrase_lead(text, begin).determiner in DETERMINERS
        return VerbUse(frozenset({"ing"}), "active", follower, after) if used else None
    if "base" in forms and before in _BEFORE_BASE | _PLURAL_SUBJECTS:
        # "to appeal" may be a noun; "to appeal the decision" is none.
        strict = before == "to" and bool(lookup_form(verb))
        if strict and (follower not in ("o", "pro", "that", "to") or not _opens_object(text, end, follower)):
            return None
        return VerbUse(frozenset({"base"}), "active", follower, after)
    if "third" in forms:
        named = before in ("he", "she", "it", "who", "which")
        return VerbUse(frozenset({"third"}), "active", follower, after) if named else None
    past = forms & {"past", "participle"}
    return _use_of_past(before, past, follower, after) if past else None


def _is_ing_of_verb(before: str, follower: str, opens: bool) -> bool:
    """Not "the killing of", nor "trading partners"."""
    if before in DETERMINERS or follower == "of" or word_class(before or "x") in ("adjective", "number"):
        return False
    if before in _BE or before in ("while", "when", "started", "by"):
        return True
    if before in ("of", "for", "after", "before", "in", "and", "without", ""):
        return opens or follower not in ("o", "end")
    return word_class(before) == "noun" and (follower not in ("o", "end") or (follower == "o" and opens))


def _use_of_past(before: str, past: frozenset[str], follower: str, after: int) -> VerbUse | None:
    """*Evicted* after "was" is a participle in the passive, after "has" in the active, after "he" a past."""
    if before in _BE or before in _HAVE:
        voice = "passive" if before in _BE else "active"
        return VerbUse(frozenset({"participle"}), voice, follower, after) if "participle" in past else None
    if before in DETERMINERS - _FLOATING or before in PREPOSITIONS or before in AUXILIARIES:
        return None
    if before in _SUBJECTS:
        one = before in ("he", "she", "it")
        return VerbUse(frozenset({"past"}), "active", follower, after, one) if "past" in past else None
    if word_class(before or "and") in ("adjective", "number", "verb", "adverb"):
        return None
    is_second = before in ("and", "or", "but", "")
    one = not is_second and not is_plural(before)
    if past == {"past"}:
        return VerbUse(past, "active", follower, after, one)
    if follower in ("o", "pro", "that") and "past" in past:
        # Of "arrested and evicted him" either.
        return VerbUse(past if is_second else frozenset({"past"}), "active", follower, after, one)
    if follower == "by":
        return VerbUse(frozenset({"participle"}), "passive", follower, after)
    return None if is_second else VerbUse(past, "either", follower, after, one)


@lru_cache(maxsize=2**10)
def _is_adverb(word: str) -> bool:
    return word in _SKIPPED or (word.endswith("ly") and word_class(word) == "adverb")


def _before(text: str, start: int) -> tuple[str, int]:
    """The word before, adverbs left out."""
    at = start
    for _ in range(3):
        word, at = word_before(text, at)
        if not _is_adverb(word.lower()):
            break
    return word if word[:1].isupper() and word.lower() not in FUNCTION_WORDS else word.lower(), at


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
    if low in FUNCTION_WORDS or low in AUXILIARIES or low in PRONOUNS:
        return "", stop
    what = word_class(word)
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


# -- Wider words for verbs: who was *evicted* was *removed*, who *murdered* someone *killed* them.


MOST = 2
_UNTRUE_AFTER = re.compile(
    r"[^.;:!?\n]{0,50}?\b(?:no(?!\.)|not|none|nobody|nothing|neither|nor|only|few|fewer|fewest|any|anyone|anything|most|"
    r"least|hardly|never|little|rather|instead|solely|merely|more|less|exactly|than)\b",
    re.IGNORECASE,
)
_SINGLED_OUT = re.compile(
    r"\b(?:first|second|third|last|only|next|best|worst|most|\w{3,}est)\b[^.;:,!?\n]{0,70}\b(?:to|who|that|which)\b"
    r"[^.;:,!?\n]{0,12}\Z",
    re.IGNORECASE,
)
"""The first to have won a race was not the first to take part in one."""
_CLAUSE = re.compile(r"[^.;:!?\n]{0,110}")
_LEFT = 110
_WORDS = re.compile(r"[^\W\d_]+")
_ENDS_OBJECT = PREPOSITIONS | {"and", "or", "but", "which", "who", "that", "when", "while", "where"}
_DATED = re.compile(r"\s+(?:\d|the same (?:day|date)|that (?:day|date)|[A-Z][a-z]+ \d)")
"""What is served on 22 March is not given to it."""
_JOINED = re.compile(r"[\w/’'‑-]")


def generalize_verb(text: str, start: int, end: int) -> list[WordGeneralization]:
    """At most two wider verbs in the same form, the narrower first; none where the verb's use cannot be read."""
    word = text[start:end]
    if not word.islower() or (start and _JOINED.match(text, start - 1)) or _JOINED.match(text, end):
        return []
    for verb, forms in verb_readings(word).items():
        use = use_of(text, start, end, verb, forms)
        if use is None or not use.follower:
            continue
        found = list(_offers(text, start, end, verb, use))
        if found:
            return [] if _is_untrue(text, start, end) else found
    return []


def _offers(text: str, start: int, end: int, verb: str, use: VerbUse) -> Iterator[WordGeneralization]:
    seen = {verb}
    for _ in range(MOST):
        found = next(
            (
                (one, fits)
                for one in wider_verbs(verb)
                if one.verb not in seen and (fits := _fits(one, use, text, start, end))
            ),
            None,
        )
        if found is None:
            return
        one, preposition = found
        shown = {inflect_verb(one.verb, form) for form in _forms(one, use)}
        if len(shown) > 1 or (shown == {"was"} and not use.one):
            # It stands for a past or a participle, or for "was" or "were", and we cannot tell which.
            return
        put, stop = shown.pop(), end
        if preposition != use.follower:
            put, stop = f"{put} {preposition}".rstrip(), use.after
        yield WordGeneralization("hypernym", start, stop, put, f"{one.source}: {one.verb}")
        if " " in one.verb or preposition != use.follower:
            return
        verb = one.verb
        seen.add(verb)


def _forms(one: WiderVerb, use: VerbUse) -> frozenset[str]:
    if use.voice != "either":
        return use.forms
    return use.forms & {"participle" if _voice(one, use) == "passive" else "past"}


def _voice(one: WiderVerb, use: VerbUse) -> str:
    """What a verb without an object is, where its form leaves it open: passive, if it would have one."""
    if use.voice != "either":
        return use.voice
    takes_object = any(frame in ("o", "p", "pro", "a") or frame.startswith("p:") for frame in one.frames)
    stands_alone = any(frame == "i" or (frame.isalpha() and len(frame) > 1 and frame != "pro") for frame in one.frames)
    if takes_object and stands_alone:
        return ""
    return "passive" if takes_object else "active"


def _fits(one: WiderVerb, use: VerbUse, text: str, start: int, end: int) -> str:
    """The follower as it stands behind the wider verb, a space where it goes; empty where they do not agree."""
    frames, follower, voice = one.frames, use.follower, _voice(one, use)
    found = ""
    if voice == "passive":
        if "o" in frames or "p" in frames:
            found = follower if follower in ("end", "by") or follower in FREE else ""
        wanted = f"p:{'o' if follower == 'pro' else follower}"
    elif voice == "active":
        if (
            (follower == "pro" and "pro" in frames)
            or (follower in ("o", "pro") and not frames.isdisjoint(("o", "a")))
            or ((follower == "end" or follower in FREE) and "i" in frames)
        ):
            found = follower
        wanted = follower
    else:
        return ""
    if wanted in frames:
        found = follower
    for frame in frames:
        if frame.startswith(f"{wanted}>") and not _DATED.match(text, use.after):
            found = frame.partition(">")[2] or " "
    return found if found and _is_in_its_field(frames, text, start, end) else ""


def _is_in_its_field(frames: frozenset[str], text: str, start: int, end: int) -> bool:
    """Whether the words around it are such that the verb has this sense, and none asks for another construction."""
    if all(frame[0] not in "+-@!=" for frame in frames):
        return True
    behind = _WORDS.findall(_clause_after(text, end).lower())
    after = frozenset(behind)
    around = after | frozenset(_WORDS.findall(_clause_before(text, start).lower()))
    thing = frozenset(behind[: next((at for at, word in enumerate(behind) if at and word in _ENDS_OBJECT), 6)])
    for frame in frames:
        sign, name = frame[0], frame[1:]
        if sign in "+-" and (name in after) == (sign == "-"):
            return False
        if sign in "@=" and verb_topic(name).isdisjoint(around if sign == "@" else thing):
            return False
        if sign == "!" and not verb_topic(name).isdisjoint(around):
            return False
    return True


def _clause_after(text: str, end: int) -> str:
    found = _CLAUSE.match(text, end)
    return found.group() if found else ""


def _clause_before(text: str, start: int) -> str:
    return re.split(r"[.;:!?\n]", text[max(0, start - _LEFT) : start])[-1]


def _is_untrue(text: str, start: int, end: int) -> bool:
    """Whether the sentence denies, compares or counts out: who evicted nobody may have removed someone."""
    if _SINGLED_OUT.search(text[max(0, start - _LEFT) : start]):
        return True
    return is_verb_negated(text, start) or _UNTRUE_AFTER.match(text, end) is not None
