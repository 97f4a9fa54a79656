"""Numbers that institutions give and that are known by their form: cases, documents, vehicles, devices."""

from __future__ import annotations

from sfumato.detectors.rules.checksums import checker
from sfumato.detectors.rules.patterns import Pattern


def has_digit(text: str) -> bool:
    return any(map(str.isdigit, text))


PATTERNS = (
    Pattern(
        "case-number",
        "CODE",
        r"(?i)(?:\bnos?|\bnr|\bn[°º]|№|\bnúm|\bnumbers?)\.?[ \u00a0]{0,2}(?P<value>\d{1,6}/\d{2,4}(?!\d|/))",
        score=0.85,
        scope="near numbers",
        needs=("/",),
    ),
    Pattern(
        "case-number",
        "CODE",
        r"(?<![\w/.,-])\d{2,6}/\d{2}(?:\d{2})?(?![\w/]|[.,]\d)",
        score=0.3,
        context="application applications no nos case cases v joined decision judgment appeal file autos rollo".split(),
        against=("mmhg", "bp", "blood pressure", "ratio"),
        scope="at numbers",
        needs=("/",),
    ),
    Pattern(
        "case-number",
        "CODE",
        r"(?i)(?<!\w)\d:\d{2}-(?:cv|cr|mc|bk|md|mj|po)-\d{3,6}(?:-[A-Z]{2,4})*(?!\w)",
        score=0.95,
        scope="at numbers",
        needs=("-",),
    ),
    # Five digits and a year: nothing else is written so.
    Pattern(
        "case-number",
        "CODE",
        r"(?<![\w/.,-])\d{4,6}/\d{2}(?![\w/]|[.,]\d)",
        score=0.6,
        scope="at numbers",
        needs=("/",),
    ),
    Pattern(
        "case-number",
        "CODE",
        # German file marks: senate or chamber, register sign, number/year.
        r"(?<!\w)(?:[IVX]{1,4}|\d{1,3}) (?:StR|ZR|ZB|BvR|BvL|BvF|AZR|ABR|KLs|Ks|Ds|Ls|Cs|O|C|F|K|"
        r"U|L|S|Sa|Ca|Js|Ws|Ss|AR|KR|RG|B)"
        r"(?: \([A-Za-z]{1,6}\))? \d{1,5}/\d{2}(?!\d)",
        score=0.85,
        scope="near numbers",
        needs=("/",),
    ),
    Pattern(
        "case-number",
        "CODE",
        r"(?<!\w)(?:[CTF]-\d{1,4}/\d{2}(?: P)?|ECLI:[A-Z]{2}:[A-Z0-9]{1,7}:\d{4}:[A-Z0-9.]{1,25}|"
        r"[A-Z]{1,4}[-/ ]?\d{1,6}[-/](?:19|20)\d{2}|(?:19|20)\d{2}[-/][A-Z]{1,4}[-/]\d{1,8})(?![\w/])",
        score=0.7,
        scope="near numbers",
    ),
    Pattern(
        "vin",
        "CODE",
        r"(?<!\w)[A-HJ-NPR-Z0-9]{17}(?!\w)",
        score=0.45,
        validate=lambda text: has_digit(text) and not text.isdigit(),
        context=("vin", "vehicle", "chassis", "fahrgestellnummer", "bastidor", "telaio"),
        scope="codes",
    ),
    Pattern(
        "imei",
        "CODE",
        r"(?<![\w-])\d{2}[- ]?\d{6}[- ]?\d{6}[- ]?\d(?![\w-])",
        validate=checker("imei"),
        validated_score=0.4,
        context=("imei", "phone", "device", "handset"),
        scope="codes",
    ),
    Pattern(
        "uuid",
        "CODE",
        r"(?<![\w-])[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}(?![\w-])",
        score=0.85,
        scope="near numbers",
    ),
    Pattern(
        "passport",
        "CODE",
        r"(?<!\w)[A-Z]{1,3}\d{6,8}(?!\w)|(?<!\w)\d{9}(?!\w)|(?<!\w)C[0-9CFGHJKLMNPRTVWXYZ]{8}(?!\w)",
        score=0.3,
        validate=has_digit,
        context=("passport", "pasaporte", "reisepass", "passeport", "passaporto", "passaporte", "paspoort"),
        scope="codes",
    ),
    Pattern(
        "licence",
        "CODE",
        r"(?<!\w)[A-Z9]{5}\d[0156]\d[0-3]\d[0-9][A-Z9]{2}[0-9A-Z][A-Z]{2}(?!\w)",
        score=0.8,
        scope="codes",
    ),
    Pattern(
        "plate",
        "CODE",
        r"(?<!\w)(?:[A-Z]{2}\d{2} ?[A-Z]{3}|[A-Z]{2}-\d{3}-[A-Z]{2}|\d{4}[ "
        r"-]?[BCDFGHJKLMNPRSTVWXYZ]{3})(?!\w)",
        score=0.35,
        context=(
            "plate car vehicle registration matrícula immatriculé immatriculation coche vehículo voiture véhicule "
            "targa auto kenteken driving drove"
        ).split(),
        scope="near numbers",
    ),
    Pattern(
        "plate",
        "CODE",
        r"(?<!\w)[A-ZÄÖÜ]{1,3}[- ][A-Z]{1,2} ?\d{1,4}[EH]?(?!\w)",
        score=0.25,
        context=("kennzeichen", "kfz", "auto", "pkw", "wagen", "fahrzeug", "lkw", "plate"),
        scope="near numbers",
    ),
    Pattern(
        "code",
        "CODE",
        r"(?<![\w/.-])[A-Z]{2,5}[-_]?\d{4,12}(?:-\d{1,6})?(?![\w/-])",
        score=0.5,
        against=("article", "section", "iso", "din", "rfc", "page"),
        scope="near numbers",
    ),
)
