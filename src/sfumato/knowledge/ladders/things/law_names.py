"""Names of laws and what they are about; states that are sued; laws people know. Written for this project."""

from __future__ import annotations

import re

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
