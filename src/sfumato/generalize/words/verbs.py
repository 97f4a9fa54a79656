"""Wider words for verbs: who was *evicted* was *removed*, who *murdered* someone *killed* them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from sfumato.generalize.context import word_after, word_before, word_class
from sfumato.generalize.words.base import (
    WordGeneralization,
    english_pattern,
    english_words,
    is_joined,
    is_verb_negated,
    read_phrase_lead,
)
from sfumato.lexicon.grammar_en import AUXILIARIES, DETERMINERS, FUNCTION_WORDS, PREPOSITIONS, PRONOUNS, is_plural
from sfumato.lexicon.tokens import LETTERS
from sfumato.lexicon.wordnet import WiderVerb, inflect_verb, lookup_form, verb_readings, verb_topic, wider_verbs

_MOST_OPTIONS = 2
_NEGATION_AFTER = re.compile(rf"[^.;:!?\n]{{0,50}}?\b(?:{english_pattern('negations_after_verb')})\b", re.IGNORECASE)
_SINGLED_OUT = re.compile(
    rf"\b(?:{english_pattern('singling_out')}|\w{{3,}}est)\b[^.;:,!?\n]{{0,70}}\b(?:to|who|that|which)\b"
    r"[^.;:,!?\n]{0,12}\Z",
    re.IGNORECASE,
)
"""The first to have won a race was not the first to take part in one."""
_CLAUSE_AFTER = re.compile(r"[^.;:!?\n]{0,110}")
_CLAUSE_WINDOW = 110
_ENDS_OBJECT = PREPOSITIONS | {"and", "or", "but", "which", "who", "that", "when", "while", "where"}
_DATE_FOLLOWS = re.compile(r"\s+(?:\d|the same (?:day|date)|that (?:day|date)|[A-Z][a-z]+ \d)")
"""What is served on 22 March is not given to it."""


def generalize_verb(text: str, start: int, end: int) -> list[WordGeneralization]:
    """At most two wider verbs in the same form, the narrower first; empty where the verb's use cannot be read."""
    word = text[start:end]
    if not word.islower() or is_joined(text, start, end):
        return []
    for verb, forms in verb_readings(word).items():
        use = _read_use(text, start, end, verb, forms)
        if use is None or not use.follower:
            continue
        options = list(_options(text, start, end, verb, use))
        if options:
            return [] if _may_be_false(text, start, end) else options
    return []


# How a verb is used in its sentence: in which form, active or passive, and what follows it.

_ADVERBIAL_WORDS = english_words("adverbial_words")
"""Words that say when or where and belong to no verb."""
_BE = english_words("forms_of_be")
_HAVE = english_words("forms_of_have")
_BEFORE_BASE_FORM = english_words("words_before_base_form")
_PLURAL_SUBJECTS = english_words("plural_subjects")
_SUBJECTS = english_words("subjects")
_OBJECT_PRONOUNS = english_words("object_pronouns")
_PARTICLES = english_words("verb_particles")
_SKIPPED_ADVERBS = english_words("skipped_adverbs")
_FLOATING_DETERMINERS = english_words("floating_determiners")
_LIMITING_WORDS = english_words("limiting_words")
"""What was first strolled along was perhaps walked along before."""
_COUNTING_WORDS = english_words("counting_words")


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
    is_subject_singular: bool = False
    """Whether its subject is surely one thing."""


def _read_use(text: str, start: int, end: int, verb: str, forms: frozenset[str]) -> VerbUse | None:
    """The use of ``text[start:end]`` as one of a verb's forms; None where it may be a noun or an adjective."""
    if start and text[start - 1] in "“\"‘'«([":
        return None
    previous, previous_start = _word_before_adverbs(text, start)
    if previous in _LIMITING_WORDS or word_before(text, start)[0].lower() in _LIMITING_WORDS:
        return None
    follower, after = _read_follower(text, end)
    if "ing" in forms:
        is_verb = _is_gerund_of_verb(previous, follower, _can_only_be_object(text, end, follower))
        if is_verb and word_class(previous or ".") == "noun" and previous.islower() and not is_plural(previous):
            # "A lawyer practising in", but not "began with chess playing at".
            is_verb = read_phrase_lead(text, previous_start).determiner in DETERMINERS
        return VerbUse(frozenset({"ing"}), "active", follower, after) if is_verb else None
    if "base" in forms and previous in _BEFORE_BASE_FORM | _PLURAL_SUBJECTS:
        # "to appeal" may be a noun; "to appeal the decision" is none.
        may_be_noun = previous == "to" and bool(lookup_form(verb))
        has_object = follower in ("o", "pro", "that", "to") and _can_only_be_object(text, end, follower)
        if may_be_noun and not has_object:
            return None
        return VerbUse(frozenset({"base"}), "active", follower, after)
    if "third" in forms:
        has_subject = previous in ("he", "she", "it", "who", "which")
        return VerbUse(frozenset({"third"}), "active", follower, after) if has_subject else None
    past = forms & {"past", "participle"}
    return _read_use_of_past(previous, past, follower, after) if past else None


def _is_gerund_of_verb(previous: str, follower: str, has_object: bool) -> bool:
    """Not "the killing of", nor "trading partners"."""
    if previous in DETERMINERS or follower == "of" or word_class(previous or "x") in ("adjective", "number"):
        return False
    if previous in _BE or previous in ("while", "when", "started", "by"):
        return True
    if previous in ("of", "for", "after", "before", "in", "and", "without", ""):
        return has_object or follower not in ("o", "end")
    return word_class(previous) == "noun" and (follower not in ("o", "end") or (follower == "o" and has_object))


def _read_use_of_past(previous: str, past: frozenset[str], follower: str, after: int) -> VerbUse | None:
    """*Evicted* after "was" is a participle in the passive, after "has" in the active, after "he" a past."""
    if previous in _BE or previous in _HAVE:
        voice = "passive" if previous in _BE else "active"
        return VerbUse(frozenset({"participle"}), voice, follower, after) if "participle" in past else None
    if previous in DETERMINERS - _FLOATING_DETERMINERS or previous in PREPOSITIONS or previous in AUXILIARIES:
        return None
    if previous in _SUBJECTS:
        is_singular = previous in ("he", "she", "it")
        return VerbUse(frozenset({"past"}), "active", follower, after, is_singular) if "past" in past else None
    if word_class(previous or "and") in ("adjective", "number", "verb", "adverb"):
        return None
    is_second_verb = previous in ("and", "or", "but", "")
    is_singular = not is_second_verb and not is_plural(previous)
    if past == {"past"}:
        return VerbUse(past, "active", follower, after, is_singular)
    if follower in ("o", "pro", "that") and "past" in past:
        # "arrested and evicted him" may be either.
        return VerbUse(past if is_second_verb else frozenset({"past"}), "active", follower, after, is_singular)
    if follower == "by":
        return VerbUse(frozenset({"participle"}), "passive", follower, after)
    return None if is_second_verb else VerbUse(past, "either", follower, after, is_singular)


def _is_adverb(word: str) -> bool:
    return word in _SKIPPED_ADVERBS or (word.endswith("ly") and word_class(word) == "adverb")


def _word_before_adverbs(text: str, start: int) -> tuple[str, int]:
    """The word before, adverbs skipped; lower-cased unless it is a name."""
    offset = start
    for _ in range(3):
        word, offset = word_before(text, offset)
        if not _is_adverb(word.lower()):
            break
    return word if word[:1].isupper() and word.lower() not in FUNCTION_WORDS else word.lower(), offset


def _read_follower(text: str, end: int) -> tuple[str, int]:
    """What follows a verb, as ``VerbUse.follower`` names it, and where it ends."""
    word, stop = word_after(text, end)
    if _is_adverb(word.lower()):
        word, stop = word_after(text, stop)
        if not word or word.lower() in _ADVERBIAL_WORDS:
            return "end", stop
    lowered = word.lower().replace("’", "'")
    if not word:
        sign = text[end : end + 2].strip()[:1]
        if sign and sign in "“\"‘'«([€£$":
            return ("o" if sign in "€£$" else ""), stop
        return "end", stop
    if lowered == "that":
        return "that", stop
    if lowered in _PARTICLES and lowered not in PREPOSITIONS:
        return "", stop
    if lowered in _OBJECT_PRONOUNS:
        return "pro", stop
    if lowered in PREPOSITIONS or lowered in _ADVERBIAL_WORDS:
        return lowered, stop
    if lowered in ("and", "or", "but", "nor"):
        return "end", stop
    is_reflexive = lowered in ("himself", "herself", "themselves", "itself", "one")
    if lowered in DETERMINERS or lowered in _COUNTING_WORDS or is_reflexive:
        return "o", stop
    if lowered in FUNCTION_WORDS or lowered in AUXILIARIES or lowered in PRONOUNS:
        return "", stop
    class_of_word = word_class(word)
    if class_of_word in ("noun", "adjective", "number", "participle"):
        return "o", stop
    return ("end" if class_of_word == "adverb" else ""), stop


def _can_only_be_object(text: str, end: int, follower: str) -> bool:
    """Whether what follows, where it is a noun or a pronoun, can only be an object."""
    word, _ = word_after(text, end)
    opens_object = word.lower() in DETERMINERS | _COUNTING_WORDS | _OBJECT_PRONOUNS
    return follower not in ("o", "pro") or opens_object or word[:1].isupper() or word[:1].isdigit()


# Which wider verbs can be used in the same way.


def _options(text: str, start: int, end: int, verb: str, use: VerbUse) -> Iterator[WordGeneralization]:
    seen = {verb}
    for _ in range(_MOST_OPTIONS):
        candidates = (wider for wider in wider_verbs(verb) if wider.verb not in seen)
        usable = ((wider, follower) for wider in candidates if (follower := _follower_of(wider, use, text, start, end)))
        wider, follower = next(usable, (None, ""))
        if wider is None:
            return
        forms = use.forms
        if use.voice == "either":
            forms &= {"participle" if _voice(wider, use) == "passive" else "past"}
        inflected = {inflect_verb(wider.verb, form) for form in forms}
        if len(inflected) > 1 or (inflected == {"was"} and not use.is_subject_singular):
            # It is a past or a participle, or "was" or "were", and we cannot tell which.
            return
        replacement, stop = inflected.pop(), end
        if follower != use.follower:
            replacement, stop = f"{replacement} {follower}".rstrip(), use.after
        yield WordGeneralization("hypernym", start, stop, replacement, f"{wider.source}: {wider.verb}")
        if " " in wider.verb or follower != use.follower:
            return
        verb = wider.verb
        seen.add(verb)


def _voice(wider: WiderVerb, use: VerbUse) -> str:
    """The voice of a verb without an object, where its form leaves it open: passive, if it would have one."""
    if use.voice != "either":
        return use.voice
    takes_object = any(frame in ("o", "p", "pro", "a") or frame.startswith("p:") for frame in wider.frames)
    takes_none = any(frame == "i" or (frame.isalpha() and len(frame) > 1 and frame != "pro") for frame in wider.frames)
    if takes_object and takes_none:
        return ""
    return "passive" if takes_object else "active"


def _follower_of(wider: WiderVerb, use: VerbUse, text: str, start: int, end: int) -> str:
    """The follower as the wider verb takes it, a space where it is omitted; empty where they do not agree."""
    frames, follower, voice = wider.frames, use.follower, _voice(wider, use)
    is_end = follower == "end" or follower in _ADVERBIAL_WORDS
    if voice == "passive":
        agrees = not frames.isdisjoint(("o", "p")) and (is_end or follower == "by")
        frame_of_follower = f"p:{'o' if follower == 'pro' else follower}"
    elif voice == "active":
        # A pronoun as such ("pro" in frames) agrees below, as the frame of the follower.
        agrees = (follower in ("o", "pro") and not frames.isdisjoint(("o", "a"))) or (is_end and "i" in frames)
        frame_of_follower = follower
    else:
        return ""
    agreeing = follower if agrees or frame_of_follower in frames else ""
    for frame in frames:
        if frame.startswith(f"{frame_of_follower}>") and not _DATE_FOLLOWS.match(text, use.after):
            agreeing = frame.partition(">")[2] or " "
    return agreeing if agreeing and _has_meant_sense(frames, text, start, end) else ""


def _has_meant_sense(frames: frozenset[str], text: str, start: int, end: int) -> bool:
    """Whether the words around show that the verb has this sense, and none asks for another construction."""
    if all(frame[0] not in "+-@!=" for frame in frames):
        return True
    clause = _CLAUSE_AFTER.match(text, end)
    following = LETTERS.findall(clause.group().lower() if clause else "")
    after = frozenset(following)
    before = re.split(r"[.;:!?\n]", text[max(0, start - _CLAUSE_WINDOW) : start])[-1]
    around = after | frozenset(LETTERS.findall(before.lower()))
    object_end = next((index for index, word in enumerate(following) if index and word in _ENDS_OBJECT), 6)
    in_object = frozenset(following[:object_end])
    for frame in frames:
        sign, name = frame[0], frame[1:]
        if sign in "+-" and (name in after) == (sign == "-"):
            return False
        if sign in "@=" and verb_topic(name).isdisjoint(around if sign == "@" else in_object):
            return False
        if sign == "!" and not verb_topic(name).isdisjoint(around):
            return False
    return True


def _may_be_false(text: str, start: int, end: int) -> bool:
    """Whether the sentence negates, compares or counts out: who evicted nobody may have removed someone."""
    is_singled_out = _SINGLED_OUT.search(text[max(0, start - _CLAUSE_WINDOW) : start]) is not None
    return is_singled_out or is_verb_negated(text, start) or _NEGATION_AFTER.match(text, end) is not None
