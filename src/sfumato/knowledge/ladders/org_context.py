"""What the document says about a name that tells nothing by itself: "the law firm X", "X, an illegal organisation,"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from sfumato.knowledge.ladders import org_tables
from sfumato.knowledge.ladders.base import Mention
from sfumato.knowledge.ladders.org_reading import Read, bare, by_head, is_state, read

_SOURCE = "organisations by context"
_MOST = 12
"""Mentions of a name that are looked at."""
_CAPITALISED = re.compile(r"(?:[A-ZÀ-ÞİŞ][\w'’.-]*|of|the|and|for|de|la|des|du|in|on|&|['’])(?:\s+|$)")
_BESIDE = re.compile(r"\s*\((?P<inside>[^()]{3,90})\)")
_APPOSITION = re.compile(
    r"\s*(?:\([^()]{1,60}\)\s*)?(?:,\s*(?:which\s+(?:is|was)\s+)?|(?:\s+(?:is|was))\s+|\s+[–—-]\s+)(?:an?|the)\s+"
    r"(?P<phrase>[a-z][\w'’‑ -]{2,70})",
)
_INTRODUCED = re.compile(
    r"\b(?:an?|the|its|his|her|their|this)\s+(?P<phrase>(?:[\w'’-]+\s+){0,4}?[a-z][\w'’-]+)"
    r"(?P<link>,|\s+(?:called|named|known as|by the name of)|)\s*(?:the\s+)?[\"“‘'«(]?\s*$",
)
_LED = re.compile(r"\b(?:of|in|for|to|by|from|with|at|the|an?|his|her|its|their|this)\s")
_STOPS = re.compile(
    r"\s+(?:that|which|who|whose|where|based|located|situated|founded|established|specialising|operating|with)\s"
)
_SUBJECTS = {
    "bar": ("lawyers' association", r"\b(?:lawyer|advocate|barrister|attorney|counsel)s?\b"),
    "registry": ("court registry", r"\b(?:judges?|judgments?|Court)\b"),
    "agent": ("government lawyer", r"\bGovernment\b"),
}
"""A word -> what it means where the text speaks of this."""
_NEVER_BEFORE_NAMES = ("judicial body", "law enforcement agency", "public official", "government", "justice authority")
"""Kinds whose noun is mostly followed by somebody else's name: "told the court Acme had ..."."""


def told(phrase: str, mention: Mention) -> Read | None:
    """The kind that the document gives the name, by an expansion or an apposition; None where it gives none."""
    name = re.compile(rf"(?<!\w){re.escape(phrase)}(?!\w)")
    for count, found in enumerate(name.finditer(mention.text)):
        if count >= _MOST:
            break
        before = mention.text[max(0, found.start() - 160) : found.start()]
        after = mention.text[found.end() : found.end() + 160]
        for said in _readings(phrase, before, after):
            if said is not None:
                return replace(said, phrase="", is_plural=False, source=_SOURCE)
    return _by_subject(phrase, mention.text)


def _by_subject(phrase: str, text: str) -> Read | None:
    """What a word with several senses means in a text about courts."""
    kind, subject = _SUBJECTS.get(phrase.casefold().rpartition(" ")[2], ("", ""))
    return Read(kind, "", source=_SOURCE) if kind and re.search(subject, text) else None


def _readings(phrase: str, before: str, after: str) -> Iterator[Read | None]:
    if re.search(r"\(\s*(?:the\s+)?[\"“‘'«]?(?:the\s+)?$", before):
        yield _expansion(re.sub(r"\(\s*(?:the\s+)?[\"“‘'«]?(?:the\s+)?$", "", before))
    if inside := _BESIDE.match(after):
        yield _first(re.split(r"[;:,]|\s[–—-]\s", inside["inside"]))
    if found := _APPOSITION.match(after):
        yield _ending(_STOPS.split(found["phrase"])[0])
    if found := _INTRODUCED.search(before):
        said = _at_end(found["phrase"])
        is_linked = bool(found["link"])
        if said and (is_linked or not any(org_tables.is_a(said.kind, kind) for kind in _NEVER_BEFORE_NAMES)):
            yield said


def _expansion(before: str) -> Read | None:
    """The name that stands before the bracket in which initials stand."""
    words = re.split(r"(?<=\s)", before.rstrip() + " ")
    kept: list[str] = []
    for word in reversed([word for word in words if word]):
        if not _CAPITALISED.fullmatch(word) or len(kept) > 9:
            break
        kept.insert(0, word)
    if not kept:
        return _at_end(re.split(r"[.,;:()\n]", before.rstrip())[-1])
    said = bare("".join(kept))
    for start in range(len(said.split())):
        part = bare(" ".join(said.split()[start:]))
        if part and part[0].isupper() and not is_state(part) and (found := read(part)):
            return found
    return None


def _first(pieces: list[str]) -> Read | None:
    for piece in pieces:
        part = bare(piece)
        if part and not is_state(part) and (found := read(part)):
            return found
    return None


def _ending(phrase: str) -> Read | None:
    """The head of a description: "company registered in Poland" by what stands before its first verb."""
    words = phrase.split()
    for size in range(min(len(words), 6), 0, -1):
        found = _at_end(" ".join(words[:size]))
        if found and (size == len(words) or not _goes_on(words[size])):
            return found
    return None


def _goes_on(word: str) -> bool:
    """Whether the noun phrase may go on with this word: a "hospital worker" is no hospital."""
    return word not in (
        "in",
        "of",
        "for",
        "from",
        "and",
        "registered",
        "under",
        "run",
        "owned",
        "at",
        "near",
        "on",
        "to",
        "by",
    )


def _at_end(phrase: str) -> Read | None:
    """The longest head that ends the phrase."""
    inner = _LED.split(phrase)[-1]
    found = by_head(inner)
    if found is None or found.is_plural:
        return None
    return found if " ".join(org_tables.words_of(inner)).endswith(found.phrase) else None
