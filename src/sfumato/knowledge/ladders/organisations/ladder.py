"""The ladder of organisations: court, ministry, hospital, university, company, newspaper, party, office ...

By known names, by the head of the name ("Istanbul Assize Court"), by what the document says beside it ("the law firm
X"), by legal form; then its kind and wider kinds, with the country or part of the world that its name tells. English.
"""

from __future__ import annotations

import re
from dataclasses import replace

from sfumato.knowledge.ladders.base import Mention, Rung
from sfumato.knowledge.ladders.organisations.climb import rungs_of
from sfumato.knowledge.ladders.organisations.context import team, told
from sfumato.knowledge.ladders.organisations.heads import UNIT, Read, part_of
from sfumato.knowledge.ladders.organisations.reading import bare, is_state, read
from sfumato.knowledge.ladders.organisations.tables import is_a, is_initials, known
from sfumato.knowledge.ladders.organisations.where import where
from sfumato.knowledge.ladders.places.evidence import evidence

_LONGEST = 200
_CALLED = re.compile(r"\b(?:company|firm|business) (?:called|named|known as|by the name of)\s+(?:the\s+)?[\"“‘']?$")
_NUMBERED = re.compile(r"(?:Division|Section|Branch|Department) (?:\d+|[IVX]+|One|Two|Three|Four)", re.I)
_NAMED = r"(?P<whole>[A-ZÀ-ÞİŞ][\w'’.-]*(?: (?:of|for|and|the|in|[A-ZÀ-ÞİŞ][\w'’.-]*))*)"
_WHOLE_AFTER = re.compile(rf"\s*(?:\([^()]*\)\s*)?(?:,|of|at|in|within|attached to)\s+(?:the\s+)?{_NAMED}")
_WHOLE_BEFORE = re.compile(rf"{_NAMED}(?:['’]s?\s+|,\s+|\s+\()(?:the\s+)?[\"“]?$")


def rungs(mention: Mention) -> list[Rung]:
    """What is true of an organisation, most specific first."""
    if mention.language != "en" or len(mention.said) > _LONGEST or mention.is_cut:
        return []
    phrase = bare(mention.said)
    if not any(map(str.isalpha, phrase)) or is_state(phrase):
        return []
    if mention.label not in ("ORG", "LOC") and is_initials(phrase):
        return []  # WBA is an allowance as well as a boxing association
    found = _possessive_name(mention.said) or read(phrase)
    if found is not None and not _is_meant(found, phrase, mention.label):
        return []
    if found is not None and _CALLED.search(mention.before[-60:]) and not is_a(found.kind, "business"):
        found = Read("company", "", source="organisations by context")
    if found is not None and _is_foreign(found, phrase, mention.text):
        found = None
    if found is None or (not found.phrase and " " not in phrase):
        found = _agreed(found, told(phrase, mention)) or team(phrase, mention.text)
    if found is not None and found.kind == UNIT:
        found = replace(found, kind=_of_whole(mention))
        if found.kind == UNIT and _NUMBERED.fullmatch(phrase):
            return []  # a division of a league, or of anything
    return rungs_of(found, phrase, where(found, phrase, mention.text)) if found else []


def _is_foreign(found: Read, phrase: str, text: str) -> bool:
    """Whether initials are known as those of a country that the text does not speak of, though it does of others."""
    if not (found.code and is_initials(phrase)):
        return False
    seen = evidence(text)
    return bool(seen) and found.code[:2] not in seen


def _of_whole(mention: Mention) -> str:
    """What a department is by what stands beside it: "[...] of the Ministry", "the Regional Court, [...]"."""
    after, before = _WHOLE_AFTER.match(mention.after[:160]), _WHOLE_BEFORE.search(mention.before[-120:])
    for beside in (after, before):
        whole = read(bare(beside["whole"])) if beside else None
        if whole is not None and not whole.is_plural:
            return part_of(whole.kind)
    return UNIT


def _agreed(known_as: Read | None, said: Read | None) -> Read | None:
    """Of initials and other short names, which many share, what the document says counts where it differs."""
    if known_as is None or said is None:
        return known_as or said
    return known_as if is_a(known_as.kind, said.kind) or is_a(said.kind, known_as.kind) else said


def _possessive_name(said: str) -> Read | None:
    """What is known under a name that ends as a possessive does: "McDonald's"."""
    whole = " ".join(said.split()).strip('"“”(), ')
    return read(whole) if whole.endswith(("'s", "’s")) and known(whole) else None


def _is_meant(found: Read, phrase: str, label: str) -> bool:
    """Whether a name of one word, which may be many things, is said to be an organisation."""
    return label == "ORG" or bool(found.phrase) or " " in phrase or (phrase.isupper() and len(phrase) > 2)
