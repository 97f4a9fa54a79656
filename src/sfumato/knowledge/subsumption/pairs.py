"""A replacement beside what it replaced, and what its words say."""

from __future__ import annotations

import re
from typing import NamedTuple

from sfumato.knowledge.grammar.lemmas import LANGUAGES, content_lemmas
from sfumato.knowledge.lexicon import key

UNKNOWN = "UNKNOWN"
"""The label where nobody recorded one."""
_LEADS = re.compile(r"\s*(?:(?:a|an|the|some|in|on|at|from|of|to|un|una|el|la|los|las|en|de)\s+)+", re.IGNORECASE)
_BARE = {
    "PERSON": "person individual someone somebody man woman people",
    "CODE": "code number identifier reference",
    "ORG": "organisation organization institution entity body",
    "LOC": "place location area region somewhere",
    "DATETIME": "time date past period day moment future",
    "QUANTITY": "amount number quantity sum",
    "DEM": "person individual someone characteristic attribute",
    "MISC": "thing something matter item object",
}
_HOLLOW = frozenset("certain specific particular given some unspecified unknown".split())


class Pair(NamedTuple):
    """What stood there, what stands there now, and what stands around it."""

    original: str
    replacement: str
    label: str = UNKNOWN
    before: str = ""
    after: str = ""
    language: str = "en"


def says_no_more(replacement: str, label: str) -> bool:
    """Whether it says no more than the label does: "a place" for a LOC; where there is no label, than any would."""
    words = re.findall(r"\w+", bare(replacement))
    telling = [word for word in words if word not in _HOLLOW]
    known = _BARE.get(label, " ".join(_BARE.values())).split()
    return len(telling) <= 1 and (telling[0] if telling else "thing") in known


def bare(phrase: str) -> str:
    """A phrase without what leads it in (articles, prepositions) and without marks around it, casefolded."""
    folded = re.sub(r"\s+", " ", key(phrase)).strip(" .,;:!?\"'“”‘’()[]")
    return _LEADS.sub("", folded, count=1) if _LEADS.match(folded) else folded


def shared_lemmas(pair: Pair) -> tuple[set[str], set[str], set[str]]:
    """The lemmas of the original, of the replacement, and of both."""
    language = pair.language if pair.language in LANGUAGES else "en"
    first, second = (set(content_lemmas(text, language)) for text in (pair.original, pair.replacement))
    return first, second, first & second
