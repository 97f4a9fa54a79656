"""Laws, provisions, treaties, court cases and offences, as English texts cite them; words in ``data/en/law.toml``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from sfumato.generalize.hierarchy import Level
from sfumato.generalize.things.kinds import ancestors, find, levels_of, top_kind
from sfumato.lexicon.caches import remember_in_run
from sfumato.lexicon.grammar_en import pluralize_phrase
from sfumato.lexicon.tables import load_toml
from sfumato.lexicon.tokens import lazy_pattern

SOURCE = "law"
_LISTS = load_toml("law", "en", "sfumato.generalize")
_OFFENCES = _LISTS["offences"]
Citation = tuple[tuple[str, ...], bool]
"""What something cited is, narrowest first, and whether it is a plural; no kinds where it is something else."""
_NOTHING: Citation = ((), False)


def _any_of(words: Iterable[str]) -> str:
    return f"(?:{'|'.join(words)})"


_AREAS = tuple((lazy_pattern(rf"\b{_any_of(words)}", re.IGNORECASE), area) for area, words in _LISTS["areas"].items())
_FOREIGN: tuple[tuple[re.Pattern[str], tuple[str, ...]], ...] = (
    *((lazy_pattern(_any_of(law["names"]), re.IGNORECASE), law["kinds"]) for law in _LISTS["foreign_names"]),
    *(
        (lazy_pattern(rf"[A-ZÄÖÜÅ][\wäöüåéß-]{{3,}}{_any_of(law['endings'])}"), law["kinds"])
        for law in _LISTS["foreign_endings"]
    ),
    (
        lazy_pattern(
            rf"{_any_of(_LISTS['foreign_heads']['codes'])} (?:de |del |della |di |du |des )?[\wÀ-ÿ' -]{{3,40}}"
        ),
        ("legal code", "piece of legislation"),
    ),
    (
        lazy_pattern(rf"{_any_of(_LISTS['foreign_heads']['statutes'])} (?:n[°ºo.]+ ?)?[\wÀ-ÿ' ./-]{{3,60}}"),
        ("statute", "piece of legislation"),
    ),
)
_STATES = frozenset(_LISTS["states"].split())
_STATE_NAMES = lazy_pattern(rf"(?:the )?{_any_of(_LISTS['state_names'])}\b", re.IGNORECASE)
_ABBREVIATIONS = _LISTS["abbreviations"]


def area(name: str) -> str:
    """What a law is about, by its name; empty where it does not tell."""
    return next((area for words, area in _AREAS if words.search(name)), "")


# Offences that are described: possession of a drug, attempted theft, conspiracy to commit a crime.

_HANDLING = lazy_pattern(
    rf"(?:{_any_of(_OFFENCES['unlawful'])} )?(?P<done>{_any_of(_OFFENCES['handling'])}(?:,? (?:and|or) \w+)?)"
    r" (?:of|in) (?P<what>.+)",
    re.IGNORECASE,
)
_INCHOATE = lazy_pattern(rf"{_any_of(_OFFENCES['inchoate'])} (?P<offence>.+)", re.IGNORECASE)
_OFFENCE_WITH = _LISTS["offence_with"]
_CRIME = "breach of the law"


def offence_levels(phrase: str) -> list[Level]:
    """The kinds of an offence that is described rather than named; empty for all else."""
    if handling := _HANDLING.fullmatch(phrase):
        words = handling["what"].split()
        thing = next((thing for start in range(len(words)) if (thing := find(" ".join(words[start:])))), None)
        kind = _OFFENCE_WITH.get(top_kind(thing.kind) or thing.name) if thing else None
        if thing and kind == "drug offence" and any(above.name == "medicine" for above in ancestors(thing.kind)):
            return []  # which people may possess
        return levels_of(kind, is_plural=False) if kind else []
    inchoate = _INCHOATE.fullmatch(phrase)
    offence = find(inchoate["offence"]) if inchoate else None
    if offence and top_kind(offence.kind) == _CRIME:
        return levels_of("crime", is_plural=offence.is_plural)
    return []


# Court cases, government papers and plots of land.

_CASE = lazy_pattern(
    r"(?P<one>[^\n]{1,90}?)\s+(?:v\.?|vs\.?|versus|c\.)\s+(?P<two>(?:the )?[A-ZÀ-Ý][^\n]{0,100})", re.DOTALL
)
_CITATION = lazy_pattern(
    r"\[\d{4}\].{2,30}|.*\b(?:EHRR|ECHR \d{4}|E\.H\.R\.R\.|AC \d+|QB \d+|WLR \d+|All ER \d+|U\.?S\.? \d+|F\.[23]d "
    r"\d+)\b.*|"
    r"Series A no\.? ?\d+.*|ECLI:[\w:.]+"
)
_NAMED_CASE = lazy_pattern(
    r"v\.? (?:the )?[A-ZÀ-Ý][^\n]{1,80}|(?:the )?(?:[A-ZÀ-Ý][\w’'-]+ )+Case(?P<many>s?)"
    r"|(?i:(?:the )?case(?P<more>s?) (?:nos?\.?|numbers?) ?\d[\w/.() -]{0,30})"
)
_CROWN = lazy_pattern(r"(?:R|Regina|Rex|The (?:Queen|King|Crown)|HM Advocate)\.?$")


def _plot(phrase: str) -> Citation:
    """A piece of land by its number in the register."""
    match = re.fullmatch(
        r"(?:the )?(?:plot|parcel|lot)(s?) (?:of land )?(?:nos?\.|numbers?) ?\d[\w/.-]*(?:[ ,].{0,60})?", phrase
    )
    return (("piece of land",), bool(match[1])) if match else _NOTHING


def _case(phrase: str) -> Citation:
    """A court case by its parties or its number, or a decision by where it is printed."""
    parties = _CASE.fullmatch(phrase)
    if parties and parties["one"][0].isupper():
        if _CROWN.search(parties["one"]):
            return ("case brought by the Crown", "court case"), False
        second = re.split(r"[\s,(]", parties["two"].removeprefix("the ").strip(), maxsplit=1)[0].casefold().rstrip(".")
        if second in _STATES or _STATE_NAMES.match(parties["two"]):
            return ("court case against a state", "court case"), False
        return ("court case",), False
    if case := _NAMED_CASE.fullmatch(phrase):
        return ("court case",), bool(case["many"] or case["more"])
    return (("court decision",), False) if _CITATION.fullmatch(phrase) else _NOTHING


def _government_paper(phrase: str) -> Citation:
    match = re.fullmatch(
        r"(?:the )?(?:(?:Command|White|Green|Blue) Papers?|Cmnd\.?|Cmd\.?|Cm\.?)(?: (?:no\. ?)?\d[\d,]*)?", phrase
    )
    return (("government publication", "official document"), False) if match and len(phrase) > 4 else _NOTHING


# Laws, provisions and treaties.

_NUMBER = r"(?:no\.?|nos\.?|nr\.?|n[°º]|num\.?)?\s*(?:\d[\w./:-]*|[IVXLC]+\b)"
_PARTS = (
    r"(?:articles?|arts?\.?|art|sections?|sec\.|ss?\.|§+|paragraphs?|para\.?|rules?|regulations?|schedules?|"
    r"clauses?|chapters?|sub-?sections?|points?|parts?|titles?|annex(?:es)?|protocols?|artículos?|artikel)"
)
_OPENING = lazy_pattern(rf"(?:the )?(?P<part>{_PARTS})(?:\s*(?:no\.?\s*)?)(?=\d|[IVXLC]+\b)", re.IGNORECASE)
_WITHIN = lazy_pattern(r"\s+(?:of|to|in|under)\s+(?:the\s+)?")
_LINKS = lazy_pattern(r"\b(?:taken\s+)?(?:in conjunction|together) with\b", re.IGNORECASE)
_NUMERAL = lazy_pattern(rf"\d[\w.():/-]*|\(\w{{1,4}}\)|[IVXLC]+|[a-z]|§+|[,;–-]|and|or|et|{_PARTS}", re.IGNORECASE)
_STATUTE = lazy_pattern(
    r"(?P<name>.*?)\b(?P<head>Acts?|Laws?|Codes?|Statutes?|Constitution|Bills?|Ordinances?|Decrees?|Decree-Laws?|"
    r"Legislative Decrees?|Regulations?|Rules|Orders?|Edict|Law-Decree)\b"
    rf"(?P<rest>(?:\s*\(.*\))?(?:\s*(?:of|,)?\s*(?:\d{{1,2}} \w+ )?\d{{4}})?(?:\s*{_NUMBER})?"
    r"(?:\s+of\s+\d{1,2}\s+\w+\s+\d{4})?(?P<about>\s+(?:on|concerning|for|regarding|relating to|of|governing|"
    r"against)\s+.+)?)"
)
_LOWER_STATUTE = lazy_pattern(
    r"(?:the )?(?P<name>(?:[\w-]+ ){0,4})(?P<head>act|law|code|decree|ordinance|statute)s?\s+(?:no\.?|nos\.?|nr\.?|"
    r"n[°º])\s*\d.*",
    re.IGNORECASE,
)
_LAW = lazy_pattern(r"(?:the )?(?:[\w-]+ ){0,3}(?:convention|constitution|code|act|law|statute)", re.IGNORECASE)
_UNION = lazy_pattern(
    r"(?:Council |Commission |Framework |Implementing |Delegated )*(?:Directive|Regulation|Decision)\s+"
    r"(?:\((?:EC|EU|EEC)\)\s*)?(?:No\.?\s*)?\d{1,4}/\d{1,4}(?:/(?:EC|EEC|EU|JHA|CFSP))?",
)
_TREATY = lazy_pattern(
    r"(?P<name>.*?)\b(?P<head>Convention|Treaty|Covenant|Protocol(?: No\. ?\d+)?|Pact|Charter|Accords?|Conventions|"
    r"Treaties)\b(?P<about>.*)"
)
_AGREEMENT = lazy_pattern(rf"(?:the )?{_any_of(_LISTS['agreements'])} Agreements?(?: (?:of|between|with) .+)?")
_MEMBERS = _LISTS["members"]
_MASS = frozenset(_LISTS["mass"])
_ABOVE = _LISTS["above"]


@remember_in_run(2**12)
def law_levels(phrase: str) -> tuple[Level, ...]:
    """What a law, a provision of one, a treaty or a case is; empty for anything else."""
    for read in (_plot, _case, _government_paper, _union, _foreign, _provision, _treaty, _statute):
        texts, is_plural = read(phrase)
        if texts:
            return tuple(_levels((*texts, *_ABOVE.get(texts[-1], ())), is_plural))
    return ()


def _levels(texts: tuple[str, ...], is_plural: bool) -> Iterator[Level]:
    last = 0
    for text in texts:
        last = max(_MEMBERS.get(text, 400), last * 5)
        if is_plural and text not in _MASS:
            yield Level(pluralize_phrase(text), last, "", plural=True, source=SOURCE)
        else:
            yield Level(text, last, "" if text in _MASS else "a", source=SOURCE)


def _union(phrase: str) -> Citation:
    match = _UNION.match(phrase)
    if match and (match.end() == len(phrase) or phrase[match.end()] in " ,"):
        return ("item of European Union legislation", "legal instrument"), False
    return _NOTHING


def _foreign(phrase: str) -> Citation:
    return next((texts for name, texts in _FOREIGN if name.fullmatch(phrase.removeprefix("the "))), ()), False


def _provision(phrase: str) -> Citation:
    flat = _LINKS.sub("and", phrase.rstrip(". "))
    opening = _OPENING.match(flat)
    if not opening or opening["part"].lower().startswith("protocol"):
        return _NOTHING
    numbers, law = (*_WITHIN.split(flat[opening.end() :], maxsplit=1), "")[:2]
    *others, last = numbers.split() or [""]
    if not law and others and last in _ABBREVIATIONS:
        numbers, law = " ".join(others), _ABBREVIATIONS[last]
    if not all(
        _NUMERAL.fullmatch(token) for token in re.split(r"\s+|(?<=\w)(?=[,;§])|(?<=[,;§])(?=\w)", numbers) if token
    ):
        return _NOTHING
    if law and _OPENING.match(law) and not law.lower().startswith("protocol"):
        # "paragraph 2 of Article 10 of the Convention"
        return _provision(law)
    if law and not _is_law(law):
        return _NOTHING
    part = opening["part"].lower()
    if not law and part.rstrip("s.") in ("point", "part", "title", "chapter", "annex", "annexe", "protocol"):
        return _NOTHING
    many = bool(re.match(r"(?:articles|arts|sections|ss\.|§§|rules|regulations|paragraphs)", part))
    about = _provision_kind(law)
    return ((about, "legal provision") if about else ("legal provision",)), many


def _provision_kind(law: str) -> str:
    about = area(law)
    if _TREATY.fullmatch(law):
        return "provision of a human rights treaty" if about == "human rights" else "provision of a treaty"
    if about == "criminal justice" and re.search(r"\bcode\b|penal", law, re.IGNORECASE):
        return "provision of criminal law"
    branches = {"the constitution": "constitutional law", "civil law": "civil law"}
    return f"provision of {branches[about]}" if about in branches else f"provision on {about}" if about else ""


def _is_law(name: str) -> bool:
    shapes = (_STATUTE, _TREATY, _LOWER_STATUTE, _LAW)
    return any(shape.fullmatch(name) for shape in shapes) or bool(_foreign(name)[0])


def _treaty(phrase: str) -> Citation:
    if _AGREEMENT.fullmatch(phrase):
        return ("international treaty",), False
    match = _TREATY.fullmatch(re.sub(r"^the ", "", phrase))
    is_part = _OPENING.match(phrase) and not phrase.startswith("Protocol")
    if not match or is_part or not re.search(r"\w", match["name"] + match["about"] + match["head"].partition(" ")[2]):
        return _NOTHING
    about = match["about"].strip()
    if about and not re.match(r"(?:on|for|of|against|concerning|relating|to|between|\(|,|\d)", about):
        return _NOTHING
    many = match["head"].endswith("s") and not match["head"].startswith("Accord")
    if area(phrase) == "human rights":
        return ("human rights treaty", "international treaty"), many
    if match["head"] == "Charter" and not re.search(r"European|United Nations|African|Social", phrase):
        return _NOTHING
    return ("international treaty",), many


def _statute(phrase: str) -> Citation:
    name = re.sub(r"^(?:the|a|an) ", "", phrase, flags=re.IGNORECASE)
    match = _STATUTE.fullmatch(name) or _LOWER_STATUTE.fullmatch(name)
    if not match or not (match["name"].strip() or re.search(r"\d|\bon\b|concerning", name)):
        return _NOTHING
    if len(name.split()) > 16 or (not name[0].isupper() and not re.search(r"\d", name)):
        return _NOTHING
    head, about = match["head"].casefold().rstrip("s"), area(name)
    if head in ("order", "rule", "bill") and not re.search(r"\d{4}", name):
        return _NOTHING  # "Court Order" and "House Rules" are no legislation
    if re.match(r"acts?\s+(?:\d{1,2}|[IVX]+)\b", name, re.IGNORECASE):
        return _NOTHING  # of a play
    if head == "law" and not about and not re.search(r"\d|\bon\b|concerning", name):
        return _NOTHING  # "Murphy's Law" and "Mother in Law"
    many = match["head"].casefold().endswith("s") and head not in ("rule", "regulation")
    if head == "constitution":
        return ("constitutional law", "piece of legislation"), many
    if head == "bill":
        return ("piece of draft legislation",), many
    kind = "legal code" if head == "code" else "statute" if head in ("act", "law", "statute") else "legal instrument"
    codes = {"criminal justice": "code of criminal law", "civil law": "code of civil law"}
    narrow = codes[about] if head == "code" and about in codes else f"{kind} on {about}"
    wide = (kind,) if kind == "legal instrument" else (kind, "piece of legislation")
    return ((narrow, *wide) if about else wide), many


def laws_of(phrase: str) -> Iterator[str]:
    """Well-known laws, provisions and cases that a level of this module may stand for."""
    folded = phrase.casefold()
    for words, names in _LISTS["well_known"].items():
        if words in folded:
            yield from names
