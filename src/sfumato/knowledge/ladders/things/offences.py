"""Offences by what was done with what: possession of a drug, attempted theft, conspiracy to commit a crime."""

from __future__ import annotations

import re

from sfumato.knowledge.ladders.base import Rung
from sfumato.knowledge.ladders.things.kinds import climb, find, rungs_of, tops

_HANDLING = re.compile(
    r"(?:(?:illegal|unlawful|illicit|unauthorised|unauthorized|aggravated) )?(?P<done>(?:possession|possessing|supply|"
    r"supplying|importation|importing|exportation|trafficking|sale|selling|dealing|cultivation|smuggling|distribution|"
    r"acquisition|purchase|carrying|transport)(?:,? (?:and|or) \w+)?) (?:of|in) (?P<what>.+)",
    re.IGNORECASE,
)
_LED_TO = re.compile(
    r"(?:attempted|attempt(?:ing)? to commit|conspiracy to commit|conspiracy to|incitement to|complicity in|"
    r"accessory to|"
    r"aiding and abetting|solicitation of|participation in|preparation of|organising|planning) (?P<offence>.+)",
    re.IGNORECASE,
)
_OFFENCE_WITH = {"drug": "drug offence", "weapon": "weapons offence"}
_CRIMES = frozenset({"breach of the law"})


def offence_rungs(said: str) -> list[Rung]:
    """The kinds of an offence that is described rather than named; empty for all else."""
    handling = _HANDLING.fullmatch(said)
    if handling:
        words = handling["what"].split()
        found = next((thing for at in range(len(words)) if (thing := find(" ".join(words[at:])))), None)
        kind = _OFFENCE_WITH.get(tops(found.kind) or found.thing) if found else None
        if found and kind == "drug offence" and _is_medicine(found.kind):
            return []
        return rungs_of(kind, is_plural=False) if kind else []
    led = _LED_TO.fullmatch(said)
    offence = find(led["offence"]) if led else None
    if offence and tops(offence.kind) in _CRIMES:
        return rungs_of("crime", is_plural=offence.is_plural)
    return []


def _is_medicine(kind: str) -> bool:
    """Whether it is a medicine, which people may hold."""
    return "medicine" in {above.name for above in climb(kind)}
