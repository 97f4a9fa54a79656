"""What kind of organisation a phrase names: by its name, by the head of its words, by its legal form."""

from __future__ import annotations

import re
from functools import lru_cache

from sfumato.knowledge.geography import world
from sfumato.knowledge.ladders.organisations import tables as org_tables
from sfumato.knowledge.ladders.organisations.forms import legal_form, without_form
from sfumato.knowledge.ladders.organisations.heads import Read, by_head

_EDGES = " \t\r\n\"'“”‘’«»„()[]{},;:.!?–—-"
_ARTICLE = re.compile(r"(?:the|an?)\s+(?=\S)", re.I)
_POSSESSIVE = re.compile(r"(?:['’]s|(?<=s)['’])$")
_STATE = re.compile(
    r"(?P<lead>(?:(?!of )[\w-]+ )*)(?:republic|kingdom|state|commonwealth|federation|confederation|principality)"
    r"(?: of (?:the )?(?P<name>.+))?",
    re.I,
)


def bare(said: str) -> str:
    """A phrase without the signs at its edges, its article and its possessive ending."""
    said = " ".join(said.split())
    opens, closes = said.count("("), said.count(")")
    cut = said.strip(_EDGES) if opens != closes or said.startswith("(") else said.strip(_EDGES.replace(")", ""))
    cut = _POSSESSIVE.sub("", cut)
    return _ARTICLE.sub("", cut, count=1) if _ARTICLE.match(cut) else cut


@lru_cache(maxsize=4096)
def is_state(phrase: str) -> bool:
    """Whether it is a country and no organisation: "Republic of Turkey"."""
    if world.country(phrase):
        return True
    found = _STATE.fullmatch(phrase)
    if found is None:
        return False
    lead = found["lead"].strip()
    return world.country(found["name"] or "") is not None or world.country_of_adjective(lead) is not None


@lru_cache(maxsize=4096)
def read(phrase: str) -> Read | None:
    """What the phrase says by itself; None where nothing is certain."""
    return _by_name(phrase) or _by_form(phrase) or by_head(phrase)


def _by_name(phrase: str) -> Read | None:
    for name in dict.fromkeys((phrase, without_form(phrase), re.sub(r"\s*\([^()]*\)$", "", phrase))):
        found = org_tables.known(name)
        if not found or name.islower():
            continue
        kind: str | None = found[0].kind
        for other in found[1:]:
            kind = org_tables.common(kind, other.kind) if kind else None
        if kind is None:
            return None
        codes = {one.code for one in found}
        return Read(kind, "", code=codes.pop() if len(codes) == 1 else "", source="organisations by name")
    return None


def _by_form(phrase: str) -> Read | None:
    found = legal_form(phrase)
    if found is None:
        return None
    kind, form = found
    rest = without_form(phrase)
    inner = by_head(rest) if " " in rest else None
    if inner and not inner.is_plural and kind == "company" and not org_tables.is_a(inner.kind, "public body"):
        return inner
    return Read(kind, form, source="organisations by legal form")
