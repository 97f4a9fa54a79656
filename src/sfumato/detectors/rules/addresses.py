"""Street addresses, postcodes and coordinates."""

from __future__ import annotations

import re

from sfumato.detectors.rules.patterns import Pattern, Scope, alternatives
from sfumato.document import Span
from sfumato.knowledge import lexicon

_UP = r"[A-ZÀ-ÖØ-ÞĀ-Ž]"
# A full stop ends a word, and with it the address, unless it marks one of these abbreviations.
_SHORT = r"(?:(?=\.)(?:(?<=\b[A-Z])|(?<=\bSt|\bDr|\bMt)|(?<=\bSta|\bSte|\bSto)|(?<=\bProf|\bGral))\.)?"
_WORD = rf"{_UP}[\w'’-]{{0,30}}{_SHORT}"
_TOWN_WORD = rf"{_UP}[^\W\d_]{{0,30}}(?:['’-][^\W\d_]{{1,20}}){{0,3}}(?!\w)"
_UK_CODE = r"(?:[A-Z]{1,2}\d[A-Z\d]? ?\d[ABD-HJLNP-UW-Z]{2}|GIR ?0AA)(?!\w)"
_ENGLISH = (
    "Street St Road Rd Avenue Ave Lane Ln Drive Dr Boulevard Blvd Court Ct Place Pl Square Sq Terrace Way Close "
    "Crescent Gardens Grove Hill Row Mews Parkway Pkwy Highway Hwy Circle Cir Trail Walk Alley Quay Wharf Turnpike "
    "Loop Parade"
).split()
_ROMANCE = (
    "Calle C/ Cl Avenida Avda Av Plaza Pza Paseo Pº Ronda Camino Carretera Ctra Travesía Glorieta Rua R. Praça "
    "Travessa Alameda Largo Estrada Via V.le Viale Piazza P.za Corso Vicolo Largo Piazzale Strada Lungomare Carrer "
    "Rambla"
).split()
_ROMANCE += [word.lower() for word in _ROMANCE if len(word) > 2]
_FRENCH = (
    "rue avenue av boulevard bd place impasse allée allées chemin quai cours route passage square faubourg"
).split()
_GERMAN = r"(?:straße|strasse|str\.|weg|gasse|platz|allee|ring|damm|ufer|steig|chaussee|markt|hof)"
_DUTCH = r"(?:straat|laan|weg|plein|gracht|kade|dijk|singel|steeg|dreef)"
_STATES = (
    "AL AK AZ AR CA CO CT DE FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND OH OK OR "
    "PA RI SC SD TN TX UT VT VA WA WV WI WY DC PR"
).split()
_HOUSE = r"\d{1,5}(?:[ ]?[a-zA-Z](?!\w))?(?:[-–/]\d{1,4}[a-zA-Z]?)?"
_FLAT_EN = r"(?:,?[ ](?:Apt|Apartment|Suite|Ste|Unit|Flat|Room|Floor|#)\.?[ ]?#?[\w-]{1,6})?"
_TOWN_EN = (
    rf"(?:,[ ]{_TOWN_WORD}(?:[ ]{_TOWN_WORD}){{0,2}}){{0,2}}(?:,?[ ]{_UK_CODE})?"
    rf"(?:,?[ ](?:{alternatives(_STATES)})(?:[ ]\d{{5}}(?:-\d{{4}})?)?(?!\w))?"
)
_TOWN = rf"(?:,?[ ](?:[A-Z]{{1,2}}-)?\d{{4,5}}(?:[ ][A-Z]{{2}}(?!\w))?(?:[ ]{_WORD}){{1,3}})?"
_FLAT_ES = (
    r"(?:,?[ ](?:(?:nº|n°|núm\.?|número|n\.º|no\.)[ ]?)?\d{1,4}(?:[ ]?[a-zA-Z](?!\w))?)"
    r"(?:,?[ ]\d{1,2}[.]?[ºª°](?:[ -]?(?:[A-Z](?!\w)|izq\w*|dcha|dch|puerta[ ]\w+))?)?"
)
_PARTICLES = (
    r"(?:(?:de|del|di|da|do|dos|das|la|las|los|el|le|les|des|du|della|dei|delle|e|y|van|der|den|"
    r"het|of)[ ]|[dl]['’])"
)


_TOWN_BEFORE = re.compile(rf"(?<!\w){_TOWN_WORD}(?:[ ]{_TOWN_WORD}){{0,2}}(?=,?[ ]$)")
_FIVE = (
    rf"(?<![\w/.,$€£])(?<!\d-)\d{{5}}[ ]{_WORD}"
    rf"(?:[ ](?!Tel|Tlf|Fax|E-?[Mm]ail)(?:am|an der|de|del|la|sur|{_UP})\w*){{0,2}}(?!\w)"
)


class WithTown(Pattern):
    """A postcode with the town that stands before it: "Bristol BS1 4QA"."""

    def span_of(self, text: str, match: re.Match[str]) -> Span | None:
        span = super().span_of(text, match)
        before = _TOWN_BEFORE.search(text, max(0, match.start() - 40), match.start())
        if span is None or before is None:
            return span
        words = list(re.finditer(r"[^ ]+", before.group()))
        for word in words:
            town = before.group()[word.start() :]
            if _is_town(town) or (word is words[-1] and lexicon.key(town) not in lexicon.common_words()):
                return span.moved(before.start() + word.start(), span.end)
        return span


def _is_town(name: str) -> bool:
    place = lexicon.key(name)
    return place in lexicon.cities() and place not in lexicon.common_words()


def is_code_of_a_town(text: str) -> bool:
    """Five digits before a known town; round numbers count things: "10000 Berlin households"."""
    code, _, town = text.partition(" ")
    words = town.split()
    return not code.endswith("000") and any(_is_town(" ".join(words[:n])) for n in range(len(words), 0, -1))


def _street(regex: str, scope: Scope = "near numbers") -> Pattern:
    return Pattern("address", "LOC", regex, "quasi", 0.75, scope=scope)


def _postcode(regex: str, score: float, scope: Scope, *context: str) -> Pattern:
    return Pattern("postcode", "LOC", regex, "quasi", score, context=context, scope=scope)


_CODE_WORDS = (
    "postcode;post code;postal code;zip;zip code;zipcode;cp;c.p.;código postal;plz;postleitzahl;code postal;cap;"
    "address;domicilio;adresse;anschrift;indirizzo;morada;endereço;adres"
).split(";")

PATTERNS = (
    _street(
        rf"(?<![\w/.,-])\d{{1,5}}[A-Za-z]?,?[ ](?:(?:N|S|E|W|NE|NW|SE|SW|North|South|East|"
        rf"West)\.?[ ])?(?:{_WORD}[ ]){{1,4}}(?:{alternatives(_ENGLISH)})(?!\w)\.?(?:[ ](?:N|S|E|"
        rf"W|NE|NW|SE|SW)(?!\w))?{_FLAT_EN}{_TOWN_EN}",
        "at numbers",
    ),
    _street(
        r"(?i)(?<!\w)(?:p\.?[ ]?o\.?[ ]box|apartado(?: de correos)?|postfach|boîte postale|"
        r"casella postale|caixa postal|postbus)[ ]\d{1,6}(?!\w)"
    ),
    _street(
        rf"(?<![\w-])(?:{alternatives(_ROMANCE)})(?:\.|(?<=/)|(?=[ ]))[ "
        rf"]?{_PARTICLES}{{0,3}}{_WORD}(?:[ ]{_PARTICLES}{{0,3}}{_WORD})"
        rf"{{0,4}}{_FLAT_ES}{_TOWN}(?!\w)"
    ),
    _street(
        rf"(?i:(?<![\w/.,-])\d{{1,4}}(?:[ ]?(?:bis|ter|[a-d]))?,?[ "
        rf"](?:{alternatives(_FRENCH)})\.?[ ])(?:(?i:{_PARTICLES}){{0,3}}){_WORD}(?:[ "
        rf"-](?:(?i:{_PARTICLES}){{0,3}}){_WORD}){{0,4}}{_TOWN}(?!\w)",
        "at numbers",
    ),
    _street(
        rf"(?<![\w-])(?:(?:{_WORD}[ -]){{0,3}}{_UP}[\w-]{{1,30}}?{_GERMAN}|(?:{_WORD}[ "
        rf"-]){{1,3}}(?:Straße|Strasse|Str\.|Weg|Gasse|Platz|Allee|Ring|Damm|Ufer))[ "
        rf"]?{_HOUSE}{_TOWN}(?!\w)"
    ),
    _street(
        rf"(?<![\w-])(?:{_WORD}[ ]){{0,3}}{_UP}[\w-]{{1,30}}?{_DUTCH}[ ]{_HOUSE}(?:,?[ ]\d{{4}}[ "
        rf"]?[A-Z]{{2}}(?:[ ]{_WORD}){{1,3}})?(?!\w)"
    ),
    WithTown("postcode", "LOC", rf"(?<!\w){_UK_CODE}", "quasi", 0.6, _CODE_WORDS, scope="near numbers"),
    _postcode(rf"(?<!\w)(?:{alternatives(_STATES)})[ ]{{1,2}}\d{{5}}(?:-\d{{4}})?(?!\w)", 0.75, "near numbers"),
    _postcode(r"(?<!\w)[ABCEGHJ-NPRSTVXY]\d[A-Z][ -]?\d[A-Z]\d(?!\w)", 0.6, "near numbers", *_CODE_WORDS),
    _postcode(r"(?<!\w)[1-9]\d{3}[ ]?(?!SA|SD|SS)[A-Z]{2}(?=[ ][A-Z]|,|\.|$)(?!\w)", 0.35, "at numbers", *_CODE_WORDS),
    _postcode(_FIVE, 0.35, "at numbers", *_CODE_WORDS),
    Pattern("postcode", "LOC", _FIVE, "quasi", validate=is_code_of_a_town, validated_score=0.65, scope="at numbers"),
    _postcode(r"(?<![\w/.,$€£-])\d{5}(?:-\d{4})?(?![\w/-]|[.,]\d)", 0.25, "at numbers", *_CODE_WORDS),
    Pattern(
        "coordinates",
        "LOC",
        r"(?<![\w.])(?:[1-8]?\d|90)\.\d{3,10}°?[ ]?[NS]?[,;][ ]?[+-]?(?:1[0-7]\d|[1-9]?\d|"
        r"180)\.\d{3,10}°?(?:[ ]?[EWO](?!\w))?(?!\w|\.\d)",
        "quasi",
        0.8,
        scope="at numbers",
    ),
    Pattern(
        "coordinates",
        "LOC",
        r"(?<!\w)\d{1,2}°[ ]?\d{1,2}['′’][ ]?(?:\d{1,2}(?:\.\d+)?[\"″”][ ]?)?[NS][,;]?[ "
        r"]?\d{1,3}°[ ]?\d{1,2}['′’][ ]?(?:\d{1,2}(?:\.\d+)?[\"″”][ ]?)?[EWO](?!\w)",
        "quasi",
        0.9,
        scope="at numbers",
        needs=("°",),
    ),
)
