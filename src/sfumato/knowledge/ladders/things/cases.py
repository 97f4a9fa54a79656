"""Court cases, government papers and plots of land, as texts cite them."""

from __future__ import annotations

import re

from sfumato.knowledge.ladders.things.law_names import STATE_NAMES, STATES

Told = tuple[tuple[str, ...], bool]
"""What something cited is, the narrowest first, and whether there are several; nothing where it is something else."""
_CASE = re.compile(
    r"(?P<one>[^\n]{1,90}?)\s+(?:v\.?|vs\.?|versus|c\.)\s+(?P<two>(?:the )?[A-ZÀ-Ý][^\n]{0,100})", re.DOTALL
)
_CITATION = re.compile(
    r"\[\d{4}\].{2,30}|.*\b(?:EHRR|ECHR \d{4}|E\.H\.R\.R\.|AC \d+|QB \d+|WLR \d+|All ER \d+|U\.?S\.? \d+|F\.[23]d "
    r"\d+)\b.*|"
    r"Series A no\.? ?\d+.*|ECLI:[\w:.]+"
)
_CROWN = re.compile(r"(?:R|Regina|Rex|The (?:Queen|King|Crown)|HM Advocate)\.?$")


def plot(said: str) -> Told:
    """A piece of land by its number in the register."""
    found = re.fullmatch(
        r"(?:the )?(?:plot|parcel|lot)(s?) (?:of land )?(?:nos?\.|numbers?) ?\d[\w/.-]*(?:[ ,].{0,60})?", said
    )
    return (("piece of land",), bool(found[1])) if found else ((), False)


def case(said: str) -> Told:
    """A court case by its parties or its number, or a decision by where it is printed."""
    found = _CASE.fullmatch(said)
    if found and found["one"][0].isupper():
        if _CROWN.search(found["one"]):
            return ("case brought by the Crown", "court case"), False
        two = re.split(r"[\s,(]", found["two"].removeprefix("the ").strip(), maxsplit=1)[0].casefold().rstrip(".")
        if two in STATES or STATE_NAMES.match(found["two"]):
            return ("court case against a state", "court case"), False
        return ("court case",), False
    if re.fullmatch(r"v\.? (?:the )?[A-ZÀ-Ý][^\n]{1,80}", said):
        return ("court case",), False
    if re.fullmatch(r"(?:the )?(?:[A-ZÀ-Ý][\w’'-]+ )+Cases?", said):
        return ("court case",), said.endswith("s")
    if re.fullmatch(r"(?:the )?cases? (?:nos?\.?|numbers?) ?\d[\w/.() -]{0,30}", said, re.IGNORECASE):
        return ("court case",), said.casefold().removeprefix("the ").startswith("cases")
    if _CITATION.fullmatch(said):
        return ("court decision",), False
    return (), False


def paper(said: str) -> Told:
    """What governments put before parliaments."""
    found = re.fullmatch(
        r"(?:the )?(?:(?:Command|White|Green|Blue) Papers?|Cmnd\.?|Cmd\.?|Cm\.?)(?: (?:no\. ?)?\d[\d,]*)?", said
    )
    return (("government publication", "official document"), False) if found and len(said) > 4 else ((), False)
