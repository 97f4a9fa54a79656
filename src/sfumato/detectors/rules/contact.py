"""How someone is reached: e-mail, phone, web and network addresses, handles."""

from __future__ import annotations

import ipaddress
import re
from functools import cache

from sfumato.detectors.rules.patterns import Pattern, alternatives

PHONE_WORDS = (
    "phone telephone tel mobile cell call called fax contact number whatsapp sms text dial hotline ring reach "
    "teléfono telefono móvil movil celular llamar llame tfno telefon handy mobil rufnummer anrufen téléphone "
    "portable appeler joindre cellulare chiamare telefone telemóvel ligar telefoon mobiel bellen gsm nummer numéro "
    "número numero erreichen erreichst erreichbar rufen ruf anruf angerufen rückruf rückfragen durchwahl kontakt "
    "appelez appelle appelé contacter contactez llámame llámeme llamó llamada contacto localizable chiami chiama "
    "contatto recapito ligue contato bel bereikbaar bereiken rang phoned texted"
).split()
NOT_PHONE_WORDS = (
    "iban account invoice order isbn issn doi card ssn passport policy tracking serial mrn case docket application "
    "konto rechnung cuenta compte conto conta rekening license licence nhs insurance reference id"
).split()
_REGIONS = ("US", "GB", "DE", "FR", "ES", "IT", "PT", "NL")
_NORTH_AMERICAN = re.compile(r"(?:\+?1[ .-]?)?\(?\d{3}\)?[ .-]{1,2}\d{3}[ .-]\d{4}")


@cache
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


def is_ip_address(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True


_LOGIN_WORDS = alternatives(
    [
        "username",
        "user name",
        "userid",
        "user id",
        "login",
        "screen name",
        "handle",
        "nick",
        "nickname",
        "usuario",
        "benutzer",
        "benutzername",
        "nom d'utilisateur",
        "identifiant",
        "nome utente",
        "utilizador",
        "gebruikersnaam",
    ]
)

PATTERNS = (
    Pattern(
        "email",
        "CODE",
        # The local part is tried from its start only, so that a long token costs one pass.
        r"(?<![\w.!#$%&'*+/=?^`{|}~@-])[\w.!#$%&'*+/=?^`{|"
        r"}~-]{1,64}@(?:[^\W_](?:[\w-]{0,62})\.){1,8}[^\W\d_]{2,24}(?![\w-])",
        score=0.95,
        needs=("@",),
    ),
    Pattern(
        "email",
        "CODE",
        r"(?i)(?<![\w.])[\w.+-]{1,64} ?(?:\[at\]|\(at\)| at ) ?[\w-]{1,63}(?: ?(?:\[dot\]|\(dot\)|"
        r" dot |\.) ?[a-z]{2,12}){1,3}(?!\w)",
        score=0.7,
        needs=("[at]", "(at)", " dot "),
    ),
    Pattern(
        "url",
        "CODE",
        r"(?i)(?<![\w@])(?:https?|ftps?|sftp)://[^\s<>\"'’”)\]]{1,2000}(?<![.,;:!?])",
        score=0.9,
        needs=("://",),
    ),
    Pattern(
        "url",
        "CODE",
        r"(?i)(?<![\w@./-])(?:www\.[\w-]{1,63}(?:\.[\w-]{1,63}){1,6}|(?:[a-z0-9][a-z0-9-]{0,62}\.){1,4}"
        r"(?:com|org|net|edu|gov|info|io|eu|co\.uk|de|fr|es|it|nl|pt|ch|"
        r"at)(?=/))(?:/[^\s<>\"'’”)\]]{0,2000})?(?<![.,;:!?])",
        score=0.85,
        needs=(
            "www.",
            "WWW.",
            "Www.",
            ".com/",
            ".org/",
            ".net/",
            ".edu/",
            ".gov/",
            ".io/",
            ".eu/",
            ".uk/",
            ".de/",
            ".fr/",
            ".es/",
            ".it/",
            ".nl/",
            ".pt/",
            ".ch/",
            ".at/",
            ".info/",
        ),
    ),
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
        context=PHONE_WORDS,
        against=NOT_PHONE_WORDS,
        scope="codes",
    ),
    Pattern(
        "phone",
        "CODE",
        r"(?<![\w/.,-])\(?\d{2,5}\)?[ .\u00a0/-]?\d{2,4}(?:[ .\u00a0/-]{0,2}\d{2,4}){1,4}(?:[ "
        r"]?(?:x|ext\.?)[ ]?\d{1,5})?(?![\w/-])",
        validate=lambda text: 6 <= sum(map(str.isdigit, text)) <= 15,
        validated_score=0.2,
        context=PHONE_WORDS,
        against=NOT_PHONE_WORDS,
        scope="codes",
    ),
    Pattern(
        "ip",
        "CODE",
        r"(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?!\w|\.\d)",
        validate=is_ip_address,
        validated_score=0.8,
        against=("version", "release", "v"),
        scope="at numbers",
    ),
    Pattern(
        "ip",
        "CODE",
        r"(?<![\w:.])(?:[0-9A-Fa-f]{0,4}:){2,7}[0-9A-Fa-f]{0,4}(?:\.\d{1,3}){0,3}(?![\w:])",
        validate=lambda text: len(text) > 4 and is_ip_address(text),
        validated_score=0.85,
        scope="near numbers",
        needs=(":",),
    ),
    Pattern(
        "mac",
        "CODE",
        r"(?<![\w:-])[0-9A-Fa-f]{2}([:-])(?:[0-9A-Fa-f]{2}\1){4}[0-9A-Fa-f]{2}(?![\w:-])",
        score=0.85,
        scope="near numbers",
        needs=(":", "-"),
    ),
    Pattern("username", "CODE", r"(?<![\w.@/])@[A-Za-z_]\w{1,30}(?![\w@]|\.\w)", score=0.7, needs=("@",)),
    Pattern(
        "username",
        "CODE",
        rf"(?i)(?<!\w)(?:{_LOGIN_WORDS})(?: is| es| ist|:|=) ?[\"']?"
        r"(?P<value>[\w.@-]{3,40})(?<![.])",
        score=0.75,
        needs=(
            "user User USER ogin: ogin= ogin is handle Handle nick Nick suario enutzer tilisateur "
            "dentifiant utente tilizador "
            "ebruikersnaam screen"
        ).split(),
    ),
)
