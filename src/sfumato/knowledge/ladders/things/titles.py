"""What a title or a name is the name of, by the word that stands beside it: the film "…", … magazine."""

from __future__ import annotations

import re

from sfumato.knowledge.ladders.base import Rung
from sfumato.knowledge.ladders.things.kinds import find, kinds, rungs_of

_BEFORE = re.compile(
    r"\b(?P<kind>film|movie|documentary|novel|book|memoir|autobiography|play|song|single|album|opera|ballet|"
    r"symphony|musical|"
    r"series|sitcom|soap opera|soap|TV series|television series|TV show|show|programme|newspaper|daily|weekly|magazine|"
    r"journal|periodical|article|poem|short story|essay|painting|sculpture|video game|game|website|blog|podcast|"
    r"radio play|"
    r"book series|comic|comic book|thesis|dissertation|pamphlet|ship|ferry|yacht|vessel|trawler|aircraft|"
    r"daily newspaper|weekly newspaper|weekly magazine|tanker|horse|dog|cat|app|software|medicine|drug)"
    r"(?:,)?\s*(?:called|entitled|titled|named)?\s*[\"'“‘«„]?\s*(?:the )?$",
    re.IGNORECASE,
)
_AFTER = re.compile(
    r"^[\"'”’»]?\s*,?\s*(?:\((?:the )?(?:\d{4} )?)?(?:an? (?:\w+ ){0,2})?(?P<kind>film|movie|documentary|novel|"
    r"album|song|newspaper|"
    r"magazine|sitcom|soap opera|TV series|television series|video game|website|tablets?|capsules?|pills?|"
    r"injections?)\b",
    re.IGNORECASE,
)
_KINDS = {
    "movie": "film",
    "play": "stage work",
    "series": "television programme",
    "soap": "television programme",
    "tv series": "television programme",
    "television series": "television programme",
    "tv show": "television programme",
    "programme": "television programme",
    "sitcom": "television programme",
    "soap opera": "television programme",
    "musical": "stage work",
    "opera": "piece of music",
    "single": "piece of music",
    "newspaper": "newspaper or magazine",
    "daily": "newspaper or magazine",
    "weekly": "newspaper or magazine",
    "journal": "newspaper or magazine",
    "periodical": "newspaper or magazine",
    "article": "press item",
    "game": "game",
    "app": "software",
    "vessel": "vessel",
    "horse": "animal",
    "tablet": "medicine",
    "capsule": "medicine",
    "pill": "medicine",
    "injection": "medicine",
    "show": "",
    "drug": "drug",
    "comic": "book",
    "comic book": "book",
    "book series": "book",
    "dog": "pet",
    "cat": "pet",
    "medicine": "medicine",
}


_WITH_TITLE = re.compile(r"(?:(?:the|an?|his|her|their)\s+)?(?P<kind>[\w -]{3,25}?)\s*[“\"«„].+[”\"»“]$", re.IGNORECASE)


def title_rungs(said: str, before: str, after: str) -> list[Rung]:
    """The kinds that the words beside a title, or before it within the mention, give it."""
    whole = _WITH_TITLE.fullmatch(said)
    if whole:
        return rungs_of(_kind_of(whole["kind"]), is_plural=False)
    found = _BEFORE.search(before[-60:])
    kind = _kind_of(found["kind"]) if found else ""
    if found and kind:
        rungs = rungs_of(kind, is_plural=False)
        # "the film (a film)" says it twice: the word before stays there to be read.
        return rungs[1:] if kind == found["kind"].casefold() and len(rungs) > 1 else rungs
    found = _AFTER.match(after[:60])
    return rungs_of(_kind_of(found["kind"]), is_plural=False) if found else []


def _kind_of(said: str) -> str:
    """The kind that a word names or belongs to; empty where the lists do not have it."""
    word = " ".join(said.casefold().split())
    for form in (word, word.removesuffix("s")):
        if form in _KINDS:
            return _KINDS[form]
        if form in kinds():
            return form
    thing = find(word)
    return thing.kind if thing else ""
