"""Wider words for verbs: who was *evicted* was *removed*, who *murdered* someone *killed* them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sfumato.knowledge.grammar.function_words import PREPOSITIONS
from sfumato.knowledge.wider.verbs import Wider, inflected, readings, topic, wider
from sfumato.protection.wordings.base import Wording
from sfumato.protection.wordings.clause import is_verb_denied
from sfumato.protection.wordings.verb_use import FREE, Use, use_of

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


def verb_wordings(text: str, start: int, end: int) -> list[Wording]:
    """At most two wider verbs in the same form, the narrower first; none where the verb's use cannot be read."""
    word = text[start:end]
    if not word.islower() or (start and _JOINED.match(text, start - 1)) or _JOINED.match(text, end):
        return []
    for verb, forms in readings(word).items():
        use = use_of(text, start, end, verb, forms)
        if use is None or not use.follower:
            continue
        found = list(_offers(text, start, end, verb, use))
        if found:
            return [] if _is_untrue(text, start, end) else found
    return []


def _offers(text: str, start: int, end: int, verb: str, use: Use) -> Iterator[Wording]:
    seen = {verb}
    for _ in range(MOST):
        found = next(
            (
                (one, fits)
                for one in wider(verb)
                if one.verb not in seen and (fits := _fits(one, use, text, start, end))
            ),
            None,
        )
        if found is None:
            return
        one, preposition = found
        shown = {inflected(one.verb, form) for form in _forms(one, use)}
        if len(shown) > 1 or (shown == {"was"} and not use.one):
            # It stands for a past or a participle, or for "was" or "were", and we cannot tell which.
            return
        put, stop = shown.pop(), end
        if preposition != use.follower:
            put, stop = f"{put} {preposition}".rstrip(), use.after
        yield Wording("hypernym", start, stop, put, f"{one.source}: {one.verb}")
        if " " in one.verb or preposition != use.follower:
            return
        verb = one.verb
        seen.add(verb)


def _forms(one: Wider, use: Use) -> frozenset[str]:
    if use.voice != "either":
        return use.forms
    return use.forms & {"participle" if _voice(one, use) == "passive" else "past"}


def _voice(one: Wider, use: Use) -> str:
    """What a verb without an object is, where its form leaves it open: passive, if it would have one."""
    if use.voice != "either":
        return use.voice
    takes_object = any(frame in ("o", "p", "pro", "a") or frame.startswith("p:") for frame in one.frames)
    stands_alone = any(frame == "i" or (frame.isalpha() and len(frame) > 1 and frame != "pro") for frame in one.frames)
    if takes_object and stands_alone:
        return ""
    return "passive" if takes_object else "active"


def _fits(one: Wider, use: Use, text: str, start: int, end: int) -> str:
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
        if sign in "@=" and topic(name).isdisjoint(around if sign == "@" else thing):
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
    if _SINGLED_OUT.search(text[max(0, start - _LEFT) : start]):
        return True
    return is_verb_denied(text, start) or _UNTRUE_AFTER.match(text, end) is not None
