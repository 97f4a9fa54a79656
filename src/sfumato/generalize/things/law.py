"""Laws, provisions, treaties and cases, as texts cite them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from sfumato.generalize.hierarchy import Level
from sfumato.generalize.things.kinds import ancestors, find, levels_of, tops
from sfumato.lexicon.grammar_en import pluralize_phrase

# -- Names of laws and what they are about; states that are sued; laws people know. Written for this project.


_AREAS = tuple(
    (re.compile(rf"\b(?:{words})", re.IGNORECASE), area)
    for words, area in (
        (r"criminal procedure|penal procedure|procédure pénale|strafprozess|procedura penale", "criminal procedure"),
        (r"civil procedure|zivilprozess|procédure civile|procedura civile", "civil procedure"),
        (r"administrative (?:court )?proce\w+|verwaltungs", "administrative procedure"),
        (r"human rights|torture|genocide|refugee|rights of the child|racial discrimination", "human rights"),
        (r"terror", "terrorism"),
        (r"misuse of drugs|narcotic|controlled substances|drug traffick|dangerous drugs", "drugs"),
        (r"firearm|weapon|explosive", "weapons"),
        (r"extradition", "extradition"),
        (
            r"police|criminal|penal|crime|theft|fraud|offen[cs]|sentenc|prosecution|bail\b|strafgesetz|pénal|penale|"
            r"brottsbalken",
            "criminal justice",
        ),
        (r"prison|execution of sentences|detention|custod", "detention"),
        (
            r"road traffic|motor vehicle|kraftfahrzeug|straßenverkehr|highway|transport|railway|aviation|shipping",
            "transport",
        ),
        (
            r"immigration|alien|asylum|nationality|citizenship|foreigner|ausländer|passport",
            "immigration and nationality",
        ),
        (r"child|adoption|youth|minors|juvenile", "children"),
        (r"marriage|matrimonial|family|divorce|domestic relations|parent", "family matters"),
        (r"mental health|health|medic|hospital|abortion|embryo|pharmac|human tissue", "health"),
        (r"social security|pension|social insurance|welfare|benefit|sozial", "social security"),
        (r"income tax|tax|excise|customs|finance act|revenue|fiscal|steuer|vat\b", "taxation"),
        (
            r"labou?r|employ|trade union|equal pay|working time|civil serv|public serv|industrial relations",
            "employment",
        ),
        (
            r"company|companies|commercial|trade|competition|consumer|banking|bank|insurance|insolvency|bankruptcy|"
            r"enterprise",
            "business",
        ),
        (r"copyright|patent|trade ?mark|intellectual property|designs", "intellectual property"),
        (
            r"data protection|privacy|freedom of information|official secrets|secrecy|personal data|archives",
            "information",
        ),
        (r"press|broadcast|media\b|television|radio\b|defamation|publication", "the media"),
        (r"town and country planning|planning|building|housing|rent\b|tenan|landlord|lease", "housing and building"),
        (
            r"land|property|real estate|inheritance|succession|expropriation|compulsory purchase|cadastr|restitution",
            "property",
        ),
        (
            r"environment|nature\b|wildlife|forest|water|hunting|fish|mining|waste|reindeer|animal|grazing|husbandry",
            "natural resources",
        ),
        (r"education|school|universit|higher education", "education"),
        (r"elect(?:ion|oral)|referendum|political part|representation of the people", "elections"),
        (r"military|armed forces|army|defen[cs]e|conscription|war\b|martial", "military matters"),
        (r"equality|discriminat|sex disqualification|disabilit|race relations", "equal treatment"),
        (r"church|religio|denomination", "religion"),
        (
            r"judicature|judiciary|courts?\b|legal aid|evidence|limitation|arbitration|notar|advocates|legal "
            r"profession",
            "the justice system",
        ),
        (
            r"constitution|grundgesetz|instrument of government|regeringsformen|bill of rights",
            "the constitution",
        ),
        (r"code civil|civil code|civil|obligations|contract|tort|codice civile|bürgerlich", "civil law"),
        (r"municipal|local government|local administration|regional", "local government"),
    )
)
"""Words in the name of a law, and what it is about: the telling ones first."""
FOREIGN = (
    (
        re.compile(
            r"(?:brottsbalken|strafgesetzbuch|code pénal|codice penale|código penal|rikoslaki|straffeloven|"
            r"wetboek van strafrecht|kodeks karny|türk ceza kanunu|trestní zákon(?:ík)?)",
            re.IGNORECASE,
        ),
        ("criminal code", "legal code", "piece of legislation"),
    ),
    (
        re.compile(
            r"(?:bürgerliches gesetzbuch|code civil|codice civile|código civil|burgerlijk wetboek|kodeks cywilny|"
            r"zivilgesetzbuch|"
            r"föräldrabalken|ärvdabalken|jordabalken|allgemeines bürgerliches gesetzbuch)",
            re.IGNORECASE,
        ),
        ("code of civil law", "legal code", "piece of legislation"),
    ),
    (
        re.compile(
            r"(?:strafprozessordnung|zivilprozessordnung|rättegångsbalken|code de procédure \w+|codice di procedura "
            r"\w+|"
            r"[\w]+prozessordnung)",
            re.IGNORECASE,
        ),
        ("code of court procedure", "legal code", "piece of legislation"),
    ),
    (
        re.compile(
            r"(?:grundgesetz|regeringsformen|instrument of government|grundloven|bundes-verfassungsgesetz)",
            re.IGNORECASE,
        ),
        ("constitutional law", "piece of legislation"),
    ),
    (re.compile(r"[A-ZÄÖÜÅ][\wäöüåéß-]{3,}(?:gesetzbuch|balken)"), ("legal code", "piece of legislation")),
    (re.compile(r"[A-ZÄÖÜÅ][\wäöüåéß-]{3,}(?:gesetz|gesetzes|lagen|loven|laki)"), ("statute", "piece of legislation")),
    (
        re.compile(r"[A-ZÄÖÜÅ][\wäöüåéß-]{3,}(?:verordnung|förordningen|asetus)"),
        ("statutory regulation", "piece of legislation"),
    ),
    (
        re.compile(r"(?:Code|Código|Codice|Kodeks) (?:de |del |della |di |du |des )?[\wÀ-ÿ' -]{3,40}"),
        ("legal code", "piece of legislation"),
    ),
    (
        re.compile(r"(?:Loi|Ley|Legge|Ustawa|Zakon|Wet|Lei|Lov) (?:n[°ºo.]+ ?)?[\wÀ-ÿ' ./-]{3,60}"),
        ("statute", "piece of legislation"),
    ),
)
STATES = frozenset(
    "albania andorra armenia austria azerbaijan belgium bosnia bulgaria croatia cyprus czechia denmark estonia "
    "finland france "
    "georgia germany greece hungary iceland ireland italy latvia liechtenstein lithuania luxembourg macedonia malta "
    "moldova "
    "monaco montenegro netherlands norway poland portugal romania russia serbia slovakia slovenia spain sweden "
    "switzerland "
    "turkey türkiye ukraine canada australia nicaragua".split()
)
STATE_NAMES = re.compile(
    r"(?:the )?(?:united kingdom|uk|czech republic|russian federation|united states|netherlands|former yugoslav "
    r"republic of "
    r"macedonia|bosnia and herzegovina|san marino|north macedonia|slovak republic|republic of moldova)\b",
    re.IGNORECASE,
)
ABBREVIATED = {
    "StGB": "Criminal Code",
    "BGB": "Civil Code",
    "GG": "Constitution",
    "StPO": "Code of Criminal Procedure",
    "ZPO": "Code of Civil Procedure",
    "CPP": "Code of Criminal Procedure",
    "CCP": "Code of Civil Procedure",
    "ECHR": "European Convention on Human Rights",
}
"""Laws that are cited by their letters."""
KNOWN = {
    "provision of criminal law": tuple(
        f"Article {number} of the Criminal Code" for number in (125, 168, 146, 159, 169, 188, 200, 111)
    ),
    "provision of civil law": tuple(
        f"Article {number} of the Civil Code" for number in (1382, 823, 41, 153, 844, 6, 9, 8)
    ),
    "human rights treaty": (
        "European Convention on Human Rights",
        "Convention against Torture",
        "Geneva Convention",
        "Article 6 of the Convention",
    ),
    "criminal justice": (
        "Criminal Justice Act",
        "Police and Criminal Evidence Act 1984",
        "Criminal Law Act",
        "Offences Against the Person Act 1861",
        "Sexual Offences Act",
        "Theft Act 1968",
    ),
    "immigration": ("Immigration Act 1971", "Aliens Act", "British Nationality Act 1981", "Asylum Act"),
    "on terrorism": ("Prevention of Terrorism Act", "Terrorism Act 2000", "Anti-Terrorism Act", "Law no. 3713"),
    "on children": ("Children Act 1989", "Adoption Act", "Child Care Act"),
    "on health": ("Mental Health Act 1983", "Health Act", "National Health Service Act"),
    "on drugs": ("Misuse of Drugs Act 1971", "Narcotics Act"),
    "criminal code": ("Criminal Code", "Penal Code", "Strafgesetzbuch", "Brottsbalken", "Code pénal"),
    "constitutional law": ("Constitution", "Article 2 of the Constitution", "Grundgesetz", "Basic Law"),
    "international treaty": (
        "Treaty of Rome",
        "Geneva Convention",
        "Hague Convention",
        "Vienna Convention",
        "Maastricht Treaty",
    ),
    "part of a legal text": tuple(
        f"Article {number} of the {law}" for law in ("Criminal Code", "Constitution") for number in (2, 6, 10)
    ),
    "international agreement": ("Schengen Agreement", "Geneva Convention", "Treaty of Rome", "Dayton Agreement"),
    "piece of legislation": ("Criminal Code", "Civil Code", "Constitution", "Code of Criminal Procedure", "Aliens Act"),
    "legal code": (
        "Criminal Code",
        "Civil Code",
        "Code of Criminal Procedure",
        "Code of Civil Procedure",
        "Labour Code",
    ),
    "legal provision": tuple(f"{part} {number}" for number in (6, 8, 10, 3, 5, 2) for part in ("Article", "section")),
    "legal text": (
        "Criminal Code",
        "Civil Code",
        "Constitution",
        "Criminal Justice Act",
        "European Convention on Human Rights",
    ),
}


def area(name: str) -> str:
    """What a law is about, by its name; empty where it does not tell."""
    found = [(match.start(), about) for words, about in _AREAS if (match := words.search(name))]
    return found[0][1] if found else ""


# -- Offences by what was done with what: possession of a drug, attempted theft, conspiracy to commit a crime.


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


def offence_levels(said: str) -> list[Level]:
    """The kinds of an offence that is described rather than named; empty for all else."""
    handling = _HANDLING.fullmatch(said)
    if handling:
        words = handling["what"].split()
        found = next((thing for at in range(len(words)) if (thing := find(" ".join(words[at:])))), None)
        kind = _OFFENCE_WITH.get(tops(found.kind) or found.thing) if found else None
        if found and kind == "drug offence" and _is_medicine(found.kind):
            return []
        return levels_of(kind, is_plural=False) if kind else []
    led = _LED_TO.fullmatch(said)
    offence = find(led["offence"]) if led else None
    if offence and tops(offence.kind) in _CRIMES:
        return levels_of("crime", is_plural=offence.is_plural)
    return []


def _is_medicine(kind: str) -> bool:
    """Whether it is a medicine, which people may hold."""
    return "medicine" in {above.name for above in ancestors(kind)}


# -- Court cases, government papers and plots of land, as texts cite them.


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


# -- Laws, provisions, treaties and cases, as texts cite them.


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
def law_levels(said: str) -> tuple[Level, ...]:
    """What a law, a provision of one, a treaty or a case is; empty for anything else."""
    for read in (plot, case, paper, _union, _foreign, _provision, _treaty, _statute):
        texts, is_plural = read(said)
        if texts:
            return tuple(_levels((*texts, *_ABOVE.get(texts[-1], ())), is_plural))
    return ()


def _levels(texts: tuple[str, ...], is_plural: bool) -> Iterator[Level]:
    last = 0
    for text in texts:
        last = max(_MEMBERS.get(text, 400), last * 5)
        yield (
            Level(pluralize_phrase(text), last, "", plural=True, source=SOURCE)
            if is_plural and text not in _MASS
            else Level(text, last, "" if text in _MASS else "a", source=SOURCE)
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
    """Well known laws, provisions and cases that a level of this module may stand for."""
    single = phrase.casefold()
    for about, names in KNOWN.items():
        if about in single:
            yield from names
