"""Laws, provisions, treaties and cases, as texts cite them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from sfumato.knowledge.grammar.inflection import in_plural
from sfumato.knowledge.ladders.base import Rung
from sfumato.knowledge.ladders.things.cases import Told, case, paper, plot
from sfumato.knowledge.ladders.things.law_names import ABBREVIATED, FOREIGN, KNOWN, area

SOURCE = "law"
_NUMBER = r"(?:no\.?|nos\.?|nr\.?|n[°º]|num\.?)?\s*(?:\d[\w./:-]*|[IVXLC]+\b)"
_PARTS = (
    r"(?:articles?|arts?\.?|art|sections?|sec\.|ss?\.|§+|paragraphs?|para\.?|rules?|regulations?|schedules?|"
    r"clauses?|chapters?|sub-?sections?|points?|parts?|titles?|annex(?:es)?|protocols?|artículos?|artikel)"
)
_OPENING = re.compile(rf"(?:the )?(?P<part>{_PARTS})(?:\s*(?:no\.?\s*)?)(?=\d|[IVXLC]+\b)", re.IGNORECASE)
_WITHIN = re.compile(r"\s+(?:of|to|in|under)\s+(?:the\s+)?")
_LINKS = re.compile(r"\b(?:taken\s+)?(?:in conjunction|together) with\b", re.IGNORECASE)
_NUMERAL = re.compile(rf"\d[\w.():/-]*|\(\w{{1,4}}\)|[IVXLC]+|[a-z]|§+|[,;–-]|and|or|et|{_PARTS}", re.IGNORECASE)
_STATUTE = re.compile(
    r"(?P<name>.*?)\b(?P<head>Acts?|Laws?|Codes?|Statutes?|Constitution|Bills?|Ordinances?|Decrees?|Decree-Laws?|"
    r"Legislative Decrees?|Regulations?|Rules|Orders?|Edict|Law-Decree)\b"
    rf"(?P<rest>(?:\s*\(.*\))?(?:\s*(?:of|,)?\s*(?:\d{{1,2}} \w+ )?\d{{4}})?(?:\s*{_NUMBER})?"
    r"(?:\s+of\s+\d{1,2}\s+\w+\s+\d{4})?(?P<about>\s+(?:on|concerning|for|regarding|relating to|of|governing|"
    r"against)\s+.+)?)"
)
_LOWER_STATUTE = re.compile(
    r"(?:the )?(?P<name>(?:[\w-]+ ){0,4})(?P<head>act|law|code|decree|ordinance|statute)s?\s+(?:no\.?|nos\.?|nr\.?|"
    r"n[°º])\s*\d.*",
    re.IGNORECASE,
)
_UNION = re.compile(
    r"(?:Council |Commission |Framework |Implementing |Delegated )*(?:Directive|Regulation|Decision)\s+"
    r"(?:\((?:EC|EU|EEC)\)\s*)?(?:No\.?\s*)?\d{1,4}/\d{1,4}(?:/(?:EC|EEC|EU|JHA|CFSP))?",
)
_TREATY = re.compile(
    r"(?P<name>.*?)\b(?P<head>Convention|Treaty|Covenant|Protocol(?: No\. ?\d+)?|Pact|Charter|Accords?|Conventions|"
    r"Treaties)\b(?P<about>.*)"
)
_AGREEMENT = re.compile(
    r"(?:the )?(?:Schengen|Dayton(?: Peace)?|Good Friday|Belfast|Paris|Oslo|Lom\u00e9|Cotonou|Ankara|Association|"
    r"Readmission|"
    r"Stabilisation and Association|Bilateral|Extradition|Social Security) Agreements?(?: (?:of|between|with) .+)?"
)
_MEMBERS = {
    "piece of legislation": 60_000,
    "legal instrument": 90_000,
    "statute": 30_000,
    "statutory regulation": 25_000,
    "legal code": 1_500,
    "criminal code": 200,
    "constitution": 250,
    "international treaty": 5_000,
    "legal provision": 2_000_000,
    "court case": 5_000_000,
    "court decision": 6_000_000,
    "item of European Union legislation": 20_000,
}
_MASS = frozenset({"real estate", "constitutional law"})
_ABOVE = {
    "legal provision": ("part of a legal text",),
    "piece of legislation": ("legal text",),
    "piece of draft legislation": ("legal text",),
    "legal instrument": ("legal text",),
    "international treaty": ("international agreement", "legal text"),
    "item of European Union legislation": ("legal instrument", "legal text"),
    "court case": ("legal matter",),
    "court decision": ("official decision",),
    "piece of land": ("real estate",),
}
"""What is wider than the last thing said of each, and still says something."""


@lru_cache(maxsize=2**12)
def law_rungs(said: str) -> tuple[Rung, ...]:
    """What a law, a provision of one, a treaty or a case is; empty for anything else."""
    for read in (plot, case, paper, _union, _foreign, _provision, _treaty, _statute):
        texts, is_plural = read(said)
        if texts:
            return tuple(_rungs((*texts, *_ABOVE.get(texts[-1], ())), is_plural))
    return ()


def _rungs(texts: tuple[str, ...], is_plural: bool) -> Iterator[Rung]:
    last = 0
    for text in texts:
        last = max(_MEMBERS.get(text, 400), last * 5)
        yield (
            Rung(in_plural(text), last, "", plural=True, source=SOURCE)
            if is_plural and text not in _MASS
            else Rung(text, last, "" if text in _MASS else "a", source=SOURCE)
        )


def _union(said: str) -> Told:
    found = _UNION.match(said)
    if found and (found.end() == len(said) or said[found.end()] in " ,"):
        return ("item of European Union legislation", "legal instrument"), False
    return (), False


def _foreign(said: str) -> Told:
    return next((texts for name, texts in FOREIGN if name.fullmatch(said.removeprefix("the "))), ()), False


def _provision(said: str) -> Told:
    flat = _LINKS.sub("and", said.rstrip(". "))
    opening = _OPENING.match(flat)
    if not opening or opening["part"].lower().startswith("protocol"):
        return (), False
    numbers, law = (*_WITHIN.split(flat[opening.end() :], maxsplit=1), "")[:2]
    *others, last = numbers.split() or [""]
    if not law and others and last in ABBREVIATED:
        numbers, law = " ".join(others), ABBREVIATED[last]
    if not all(
        _NUMERAL.fullmatch(token) for token in re.split(r"\s+|(?<=\w)(?=[,;§])|(?<=[,;§])(?=\w)", numbers) if token
    ):
        return (), False
    if law and _OPENING.match(law) and not law.lower().startswith("protocol"):
        # "paragraph 2 of Article 10 of the Convention"
        return _provision(law)
    if law and not _is_law(law):
        return (), False
    part = opening["part"].lower()
    if not law and part.rstrip("s.") in ("point", "part", "title", "chapter", "annex", "annexe", "protocol"):
        return (), False
    many = bool(re.match(r"(?:articles|arts|sections|ss\.|§§|rules|regulations|paragraphs)", part))
    about = _place_of(law)
    return ((about, "legal provision") if about else ("legal provision",)), many


def _place_of(law: str) -> str:
    if not law:
        return ""
    if _TREATY.fullmatch(law):
        return "provision of a human rights treaty" if area(law) == "human rights" else "provision of a treaty"
    about = area(law)
    if about == "the constitution":
        return "provision of constitutional law"
    if about == "civil law":
        return "provision of civil law"
    if about == "criminal justice":
        return (
            "provision of criminal law"
            if re.search(r"\bcode\b|penal", law, re.IGNORECASE)
            else "provision on criminal justice"
        )
    return f"provision on {about}" if about else ""


def _is_law(name: str) -> bool:
    return bool(
        _STATUTE.fullmatch(name)
        or _TREATY.fullmatch(name)
        or _LOWER_STATUTE.fullmatch(name)
        or _foreign(name)[0]
        or re.fullmatch(
            r"(?:the )?(?:[\w-]+ ){0,3}(?:convention|constitution|code|act|law|statute)", name, re.IGNORECASE
        )
    )


def _treaty(said: str) -> Told:
    if _AGREEMENT.fullmatch(said):
        return ("international treaty",), False
    found = _TREATY.fullmatch(re.sub(r"^the ", "", said))
    is_part = _OPENING.match(said) and not said.startswith("Protocol")
    if not found or is_part or not re.search(r"\w", found["name"] + found["about"] + found["head"].partition(" ")[2]):
        return (), False
    about = found["about"].strip()
    if about and not re.match(r"(?:on|for|of|against|concerning|relating|to|between|\(|,|\d)", about):
        return (), False
    many = found["head"].endswith("s") and not found["head"].startswith("Accord")
    if area(said) == "human rights":
        return ("human rights treaty", "international treaty"), many
    if found["head"] == "Charter" and not re.search(r"European|United Nations|African|Social", said):
        return (), False
    return ("international treaty",), many


def _statute(said: str) -> Told:
    name = re.sub(r"^(?:the|a|an) ", "", said, flags=re.IGNORECASE)
    found = _STATUTE.fullmatch(name) or _LOWER_STATUTE.fullmatch(name)
    if not found or not (found["name"].strip() or re.search(r"\d|\bon\b|concerning", name)):
        return (), False
    if len(name.split()) > 16 or (not name[0].isupper() and not re.search(r"\d", name)):
        return (), False
    head = found["head"].casefold().rstrip("s")
    if head in ("order", "rule", "bill") and not re.search(r"\d{4}", name):
        # "Court Order" and "House Rules" are no legislation.
        return (), False
    if re.match(r"acts?\s+(?:\d{1,2}|[IVX]+)\b", name, re.IGNORECASE):
        # Of a play.
        return (), False
    if head == "law" and not area(name) and not re.search(r"\d|\bon\b|concerning", name):
        # "Murphy's Law" and "Mother in Law".
        return (), False
    about, many = area(name), found["head"].casefold().endswith("s") and head not in ("rule", "regulation")
    if head == "constitution":
        return ("constitutional law", "piece of legislation"), many
    if head == "code":
        specific = {"criminal justice": "code of criminal law", "civil law": "code of civil law"}
        kind = specific.get(about, f"legal code on {about}" if about else "")
        return ((kind, "legal code", "piece of legislation") if kind else ("legal code", "piece of legislation")), many
    if head == "bill":
        return ("piece of draft legislation",), many
    kind = "statute" if head in ("act", "law", "statute") else "legal instrument"
    last = ("piece of legislation",) if kind == "statute" else ()
    return ((f"{kind} on {about}", kind, *last) if about else (kind, *last)), many


def originals_of(phrase: str) -> Iterator[str]:
    """Well known laws, provisions and cases that a rung of this module may stand for."""
    single = phrase.casefold()
    for about, names in KNOWN.items():
        if about in single:
            yield from names
