"""A replacement beside what it replaced: what kind it is, and what a judge says of it.

A replacement is *truthful* if it is still true when read in the original's place, and *abstract* if it says less than
the original (paper 002, section 5.7).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal, NamedTuple, Protocol, runtime_checkable

from sfumato.document import LABELS
from sfumato.knowledge.subsumption.pairs import UNKNOWN, Pair

Kind = Literal["replaced", "label", "suppressed"]
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
    """Says of replacements whether they are truthful and abstract. It is asked of those that say something only.

    One that asks a language model has ``spent``, a ``Spent``.
    """

    name: str

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
