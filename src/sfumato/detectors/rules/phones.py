"""Telephone numbers: with the country's code, as countries write their own, and any other that a word announces."""

from __future__ import annotations

import re
from functools import lru_cache

from sfumato.detectors.rules.patterns import Pattern

_WORDS_FOR = (
    "phone telephone tel mobile cell call called fax contact number whatsapp sms text dial hotline ring reach "
    "teléfono telefono móvil movil celular llamar llame tfno telefon handy mobil rufnummer anrufen téléphone "
    "portable appeler joindre cellulare chiamare telefone telemóvel ligar telefoon mobiel bellen gsm nummer numéro "
    "número numero erreichen erreichst erreichbar rufen ruf anruf angerufen rückruf rückfragen durchwahl kontakt "
    "appelez appelle appelé contacter contactez llámame llámeme llamó llamada contacto localizable chiami chiama "
    "contatto recapito ligue contato bel bereikbaar bereiken rang phoned texted"
).split()
_WORDS_AGAINST = (
    "iban account invoice order isbn issn doi card ssn passport policy tracking serial mrn case docket application "
    "konto rechnung cuenta compte conto conta rekening license licence nhs insurance reference id"
).split()
_REGIONS = ("US", "GB", "DE", "FR", "ES", "IT", "PT", "NL")
_NORTH_AMERICAN = re.compile(r"(?:\+?1[ .-]?)?\(?\d{3}\)?[ .-]{1,2}\d{3}[ .-]\d{4}")


@lru_cache(maxsize=4096)
def _possible(number: str, region: str | None) -> str:
    """What ``phonenumbers`` thinks of a number: "valid", "possible" or "no"."""
    import phonenumbers  # a slow import that most texts never need

    try:
        parsed = phonenumbers.parse(number, region)
    except phonenumbers.NumberParseException:
        return "no"
    if phonenumbers.is_valid_number(parsed):
        return "valid"
    return "possible" if phonenumbers.is_possible_number(parsed) else "no"


def is_international_number(text: str) -> bool:
    """A number with its country code. Possible is enough: invented and reserved numbers are no less personal."""
    digits = re.sub(r"[^\d]", "", text)
    return _possible("+" + digits.removeprefix("00"), None) != "no"


def is_formatted_local_number(text: str) -> bool:
    """A number of a North American shape, or one that is valid in a country of the seven languages."""
    if _NORTH_AMERICAN.fullmatch(text):
        return True
    return text.startswith(("0", "(0", "6", "7", "9", "2")) and any(
        _possible(text, region) == "valid" for region in _REGIONS
    )


PATTERNS = (
    Pattern(
        "phone",
        "CODE",
        r"(?<![\w+])(?:\+|00)[1-9][\d ().\u00a0/-]{5,20}\d(?!\d)",
        validate=is_international_number,
        validated_score=0.9,
        scope="codes",
    ),
    Pattern(
        "phone",
        "CODE",
        r"(?<![\w/.,-])\(?\d{2,5}\)?(?:[ .\u00a0/-]{1,2}\(?\d{1,8}\)?){1,5}(?:[ ]?(?:x|ext\.?)[ "
        r"]?\d{1,5})?(?![\w/-])",
        validate=is_formatted_local_number,
        validated_score=0.6,
        context=_WORDS_FOR,
        against=_WORDS_AGAINST,
        scope="codes",
    ),
    Pattern(
        "phone",
        "CODE",
        r"(?<![\w/.,-])\(?\d{2,5}\)?[ .\u00a0/-]?\d{2,4}(?:[ .\u00a0/-]{0,2}\d{2,4}){1,4}(?:[ "
        r"]?(?:x|ext\.?)[ ]?\d{1,5})?(?![\w/-])",
        validate=lambda text: 6 <= sum(map(str.isdigit, text)) <= 15,
        validated_score=0.2,
        context=_WORDS_FOR,
        against=_WORDS_AGAINST,
        scope="codes",
    ),
)
