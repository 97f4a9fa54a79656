"""A replacement beside what it replaced: what kind it is, and what a judge says of it.

A replacement is *truthful* if it is still true when read in the original's place, and *abstract* if it says less than
the original (paper 002, section 5.7).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple, Protocol, runtime_checkable

from sfumato.document import LABELS
from sfumato.knowledge.lexicon import key

Kind = Literal["replaced", "label", "suppressed"]
UNKNOWN = "UNKNOWN"
_TYPES = (
    *LABELS,
    *"NAME LOCATION GPE FACILITY FAC NORP NRP ORGANIZATION ORGANISATION DATE TIME AGE PHONE EMAIL URL ADDRESS".split(),
    *"EVENT PRODUCT LAW LANGUAGE MONEY CARDINAL ORDINAL PERCENT PROFESSION NATIONALITY NUMBER ENTITY TERM ID".split(),
)
_LABEL = re.compile(
    rf"\W*(?:{'|'.join(_TYPES)})S?(?:[_ -]?\d+)?\W*"
    r"|\W*[A-Z]{2,}(?:_[A-Z]+)+(?:_?\d+)?\W*"
    r"|[<\[{]+[A-Z][A-Z _-]+\d*[>\]}]+"
)
"""Types by their names, and what is written like one: US_DRIVER_LICENSE, <NUMBER PLATE 2>."""
_HIDDEN = re.compile(
    r"\W*(?:(?:redacted|sensitive|masked|hidden|removed|deleted|anonymi[sz]ed|[x#█▇_*]+)\W*)?", re.IGNORECASE
)
_DUMMY = re.compile(r"(?<!\w)(?:ABC|DEF|GHI|JKL|LMN|MNO|OPQ|PQR|STU|UVW|VWX|XYZ)(?!\w)")
"""A name that says it is none: XYZ Corp. Of an organisation it says that it is one, of anything else nothing."""
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


class Verdict(NamedTuple):
    """None: the judge does not know. ``p_*``: its probability, where it has one; ``because``: what decided."""

    kind: Kind
    truthful: bool | None = None
    abstract: bool | None = None
    p_truthful: float | None = None
    p_abstract: float | None = None
    because: str = ""


@runtime_checkable
class PairJudge(Protocol):
    """Says of replacements whether they are truthful and abstract. It is asked of those that say something only."""

    name: str
    spent: Mapping[str, int]
    """Requests, tokens and unreadable answers; empty where it asks nobody."""

    def verdicts(self, pairs: Sequence[Pair]) -> list[Verdict]:
        """One verdict for each pair, in order."""
        ...


def kind_of(replacement: str, label: str = UNKNOWN) -> Kind:
    """Whether it is a bare type (PERSON_1, [LOC]), says nothing at all ("", ***, [REDACTED]), or says something."""
    if _HIDDEN.fullmatch(replacement):
        return "suppressed"
    if _LABEL.fullmatch(replacement):
        return "label"
    if _DUMMY.search(replacement):
        return "label" if label == "ORG" else "suppressed"
    return "replaced"


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
