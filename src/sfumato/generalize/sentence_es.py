"""A level in a Spanish sentence: only what is safe, since most levels do not tell their gender."""

from __future__ import annotations

import re
from dataclasses import replace

from sfumato.generalize.context import Substitution, TrimmedMention, word_before
from sfumato.generalize.hierarchy import Level, Mention

_GOVERNING = frozenset("hasta desde de a en para sobre entre hacia y e por ante tras según".split())
_OWN_PREPOSITION = re.compile(
    r"(?:en|entre|desde|durante|hacia|alrededor|antes|después|hasta|a|de|del|al|más|menos|cerca)\b", re.IGNORECASE
)
_OWN_ARTICLE = re.compile(r"(?:el|la|los|las|una?|unos|unas)\s+(?=\S)", re.IGNORECASE)
_PART = re.compile(
    r"\b(?:principios|finales|mediados|comienzos|inicios|fines|mitad|final|trimestre) (?:de|del)(?: año| mes)? \Z",
    re.IGNORECASE,
)
"""What cuts a part out of a time, which a wider time need not have."""
_DETERMINERS = frozenset(
    "el la los las un una unos unas al del su sus mi mis tu tus este esta estos estas ese esa esos esas aquel aquella "
    "cada otro otra ningún ninguna algún alguna dicho dicha".split()
)
_FEMALE_ENDING = re.compile(r"(?:[^m]a|ción|sión|dad|tad|tud|ez|región|mano|red|ley)\Z")
_MALE_ENDING = re.compile(r"(?:o|or|al|el|és|aje|ente|país|mes|lugar|tren|bar|ón)\Z")
_MALE = frozenset("día mapa clima idioma problema sistema programa tema planeta síntoma".split())


def render_spanish(level: Level, mention: Mention, edges: TrimmedMention, room: tuple[int, int]) -> Substitution:
    """The level in a Spanish sentence: "el [3 de mayo de 2003]" becomes "en mayo de 2003"."""
    text = mention.text
    draft = Substitution(edges.start, edges.end, level.text)
    word, begin = word_before(text, edges.start)
    low = word.lower()
    free = edges.start == mention.start and begin >= room[0] and text[begin : edges.start].isprintable()
    own = _OWN_ARTICLE.match(text[edges.start : edges.end])
    lead: str | None = None
    if mention.label == "DATETIME":
        outer, outer_at = word_before(text, begin)
        lead = _lead_of_time(level, low, outer.lower())
        if _PART.search(text, max(0, edges.start - 30), edges.start):
            return replace(draft, sound=False)
        if low == "el" and outer.lower() == "en" and lead is not None and outer_at >= room[0]:
            begin, lead = outer_at, level.preposition or ""
    elif low in ("al", "del") and level.article == "" and level.text[:1].isupper():
        lead = {"al": "a", "del": "de"}[low]
    elif level.article == "a" and not level.plural and (own is not None or low not in _DETERMINERS):
        return replace(draft, text=_joined(_indefinite(level.text), level.text))
    if lead is None and low in ("a", "de") and level.text.startswith("el "):
        lead = low
    if lead is not None and free:
        return replace(draft, start=begin, text=_joined(lead, level.text))
    # "a los [8 meses]" leaves no place for "menos de un año".
    return replace(draft, sound=low not in ("los", "las") or _OWN_PREPOSITION.match(level.text) is None)


def _lead_of_time(level: Level, word: str, before: str) -> str | None:
    """What stands for the word before a time, None where it may stay."""
    own = _OWN_PREPOSITION.match(level.text)
    if word in ("en", "a") and own is not None:
        return ""
    if word == "en" and level.preposition not in (None, "en"):
        return level.preposition
    if level.article != "":
        return None
    if word in ("el", "los"):
        # A month takes "en" and no article; "hasta el 3 de mayo" has its preposition.
        return "" if before in _GOVERNING or own is not None else level.preposition or ""
    if word in ("del", "al"):
        return {"del": "de", "al": "a"}[word]
    return None


def _indefinite(phrase: str) -> str:
    """The article of the phrase's first noun where its ending tells the gender, else none."""
    noun = next((word for word in phrase.lower().split() if word not in ("gran", "antiguo", "antigua")), "")
    if noun in _MALE or _MALE_ENDING.search(noun):
        return "un" if not _FEMALE_ENDING.search(noun) or noun in _MALE else "una"
    return "una" if _FEMALE_ENDING.search(noun) else ""


def _joined(lead: str, phrase: str) -> str:
    if lead in ("a", "de") and phrase.startswith("el "):
        return f"{lead}l {phrase.removeprefix('el ')}"
    return f"{lead} {phrase}" if lead else phrase
