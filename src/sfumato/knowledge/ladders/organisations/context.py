"""What the document says about a name that tells nothing by itself: "the law firm X", "X, an illegal organisation,"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from sfumato.knowledge.geography import settlements
from sfumato.knowledge.ladders.base import Mention
from sfumato.knowledge.ladders.organisations import tables as org_tables
from sfumato.knowledge.ladders.organisations.heads import Read, by_head
from sfumato.knowledge.ladders.organisations.reading import bare, is_state, read

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
_SHARED = re.compile(r"\s+and\s+(?:the\s+)?(?P<heads>(?:[A-ZÀ-ÞİŞ][\w'’-]*\s+){1,4}[A-Za-z]{3,}s)\b")
"""What two names share: the "[Bursa] and Varto Criminal Courts"."""
_LED = re.compile(r"\b(?:of|in|for|to|by|from|with|at|the|an?|his|her|its|their|this)\s")
_STOPS = re.compile(
    r"\s+(?:that|which|who|whose|where|based|located|situated|founded|established|specialising|operating|with)\s"
)
_ENDING = frozenset("in of for from and registered under run owned at near on to by".split())
"""Words with which what follows a noun phrase begins."""
_SUBJECTS = {
    "bar": ("lawyers' association", r"\b(?:lawyer|advocate|barrister|attorney|counsel)s?\b"),
    "registry": ("court registry", r"\b(?:judges?|judgments?|Court)\b"),
    "agent": ("government lawyer", r"\bGovernment\b"),
}
"""A word -> what it means where the text speaks of this."""
_BINDING = frozenset("of for in on at to by and de du des der &".split())
_CLUBS = frozenset(
    "United City Town Rovers Athletic Albion Wanderers County Celtic Victoria Rangers Hotspur Wednesday Argyle Orient "
    "Alexandra Villa Athletics Harriers Thistle Academical Sport Whitecaps Galaxy Fire Heat Magic Jazz".split()
)
_NO_TEAMS = frozenset("news press series masters championships games awards arts studies works books records".split())
_SPORT = re.compile(
    r"\b(season|league|coach(?:ed)?|goals?|scored|midfielder|striker|defender|pitcher|quarterback|roster|playoffs?|"
    r"draft(?:ed)?|tournament|footballer|basketball|baseball|hockey|lacrosse|soccer|football|cricket|rugby)\b",
    re.I,
)
_SPORTING = 3
"""So many different words of sport make a text one about it."""
_NEVER_BEFORE_NAMES = ("judicial body", "law enforcement agency", "public official", "government", "justice authority")
"""Kinds whose noun is mostly followed by somebody else's name: "told the court Acme had ..."."""


def team(phrase: str, text: str) -> Read | None:
    """A sports team, by a town's name with a nickname ("Rochester Royals", "Torquay United") in a text about sport."""
    words = phrase.split()
    if not 2 <= len(words) <= 4 or not all(word[:1].isupper() for word in words):
        return None
    is_nickname = words[-1] in _CLUBS or (words[-1].endswith("s") and words[-1].casefold() not in _NO_TEAMS)
    is_placed = any(
        settlements.settlements(" ".join(words[:size])) or settlements.provinces(" ".join(words[:size]))
        for size in range(1, len(words))
    )
    if not (is_nickname and is_placed) or len(set(_SPORT.findall(text))) < _SPORTING:
        return None
    return Read("sports team", "", source=_SOURCE)


def told(phrase: str, mention: Mention) -> Read | None:
    """The kind that the document gives the name, by an expansion or an apposition; None where it gives none."""
    name = re.compile(rf"(?<!\w){re.escape(phrase)}(?!\w)")
    for count, found in enumerate(name.finditer(mention.text)):
        if count >= _MOST:
            break
        before = mention.text[max(0, found.start() - 160) : found.start()]
        after = mention.text[found.end() : found.end() + 160]
        for said in _readings(before, after):
            if said is not None:
                return replace(said, phrase="", is_plural=False, source=_SOURCE)
    return _by_subject(phrase, mention.text)


def _by_subject(phrase: str, text: str) -> Read | None:
    """What a word with several senses means in a text about courts."""
    kind, subject = _SUBJECTS.get(phrase.casefold().rpartition(" ")[2], ("", ""))
    return Read(kind, "", source=_SOURCE) if kind and re.search(subject, text) else None


def _readings(before: str, after: str) -> Iterator[Read | None]:
    if re.search(r"\(\s*(?:the\s+)?[\"“‘'«]?(?:the\s+)?$", before):
        yield _expansion(re.sub(r"\(\s*(?:the\s+)?[\"“‘'«]?(?:the\s+)?$", "", before))
    if inside := _BESIDE.match(after):
        yield _first(re.split(r"[;:,]|\s[–—-]\s", inside["inside"]))
    if found := _APPOSITION.match(after):
        yield _ending(_STOPS.split(found["phrase"])[0])
    if (found := _SHARED.match(after)) and (said := read(bare(found["heads"]))) and said.is_plural:
        yield said
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
    spoken = said.split()
    for start in range(len(spoken)):
        if any(word in _BINDING for word in spoken[1:start]):
            break  # the Regulations for the Royal Navy are no navy
        part = bare(" ".join(spoken[start:]))
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
    return word not in _ENDING


def _at_end(phrase: str) -> Read | None:
    """The longest head that ends the phrase."""
    inner = _LED.split(phrase)[-1]
    found = by_head(inner)
    if found is None or found.is_plural:
        return None
    return found if " ".join(org_tables.words_of(inner)).endswith(found.phrase) else None
