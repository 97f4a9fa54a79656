"""Bank accounts, payment cards and crypto addresses."""

from __future__ import annotations

import re

from sfumato.detectors.rules.checksums import checker
from sfumato.detectors.rules.patterns import Pattern

_CARD_PREFIXES = re.compile(r"(?:4|5[1-5]|2[2-7]|3[47]|3[068]|35|6(?:011|[245]|21)|50|5[6-9]|63|67)")
_CARD_WORDS = (
    "card credit debit visa mastercard amex american express discover maestro cc tarjeta kreditkarte karte carte "
    "carta cartão kaart creditcard"
).split()
_BECH32 = "023456789acdefghjklmnpqrstuvwxyz"
_ACCOUNT_WORDS = (
    "account;acct;a/c;bank;sort code;routing;aba;konto;kontonummer;blz;bankleitzahl;cuenta;compte;rib;conto;conta;"
    "rekening"
).split(";")


def is_card_number(text: str) -> bool:
    digits = re.sub(r"\D", "", text)
    if not 13 <= len(digits) <= 19 or len(set(digits)) == 1 or not _CARD_PREFIXES.match(digits):
        return False
    return checker("luhn")(digits)


PATTERNS = (
    Pattern(
        "iban",
        "CODE",
        r"(?<!\w)[A-Za-z]{2}\d{2}(?:[ -]?[A-Za-z0-9]{4}){2,7}(?:[ -]?[A-Za-z0-9]{1,4})?(?!\w)",
        validate=checker("iban"),
        validated_score=0.95,
        scope="codes",
    ),
    Pattern(
        "iban",
        "CODE",
        r"(?<!\w)[A-Z]{2}\d{2}(?:[ -]?[A-Z0-9]{4}){3,7}(?:[ -]?[A-Z0-9]{1,4})?(?!\w)",
        score=0.4,
        context=("iban", *_ACCOUNT_WORDS),
        scope="codes",
    ),
    Pattern(
        "bic",
        "CODE",
        r"(?<!\w)[A-Z]{6}[A-Z0-9]{2}(?:[A-Z0-9]{3})?(?!\w)",
        validate=checker("bic"),
        validated_score=0.4,
        context=("bic", "swift", "iban"),
        needs=("BIC", "bic", "SWIFT", "Swift", "swift", "IBAN"),
    ),
    Pattern(
        "card",
        "CODE",
        r"(?<![\w.,-])\d(?:[ -]?\d){12,18}(?![\w-])",
        validate=is_card_number,
        validated_score=0.75,
        context=_CARD_WORDS,
        against=("imei", "isbn", "tracking", "serial"),
        scope="codes",
    ),
    Pattern(
        "card",
        "CODE",
        r"(?<![\w.,-])\d{4}(?:[ -]\d{4}){3}(?![\w-])",
        score=0.55,
        context=_CARD_WORDS,
        scope="at numbers",
    ),
    Pattern(
        "card",
        "CODE",
        r"(?<!\w)(?:[xX*•]{4}[ -]?){3}\d{4}(?!\w)",
        score=0.7,
        needs=("xxxx", "XXXX", "****", "••••"),
    ),
    Pattern(
        "card-security-code",
        "CODE",
        r"(?i)\b(?:cvv2?|cvc2?|security code|card code|prüfziffer|código de seguridad)(?: is|:|=| "
        r"number)?[ :]{0,2}"
        r"(?P<value>\d{3,4})(?!\w)",
        score=0.9,
        needs=("cv", "CV", "Cv", "ecurity", "ECURITY", "card code", "eguridad", "rüfziffer"),
    ),
    Pattern(
        "bank-account",
        "CODE",
        r"(?<![\w/.,-])\d{2}-\d{2}-\d{2}(?![\w/-])",
        score=0.2,
        context=("sort code", "sort-code"),
        scope="at numbers",
    ),
    Pattern(
        "bank-account",
        "CODE",
        r"(?<![\w/.,-])\d{6,18}(?![\w/-]|[.,]\d)",
        score=0.3,
        context=_ACCOUNT_WORDS,
        scope="codes",
    ),
    Pattern(
        "crypto",
        "CODE",
        r"(?<!\w)[13][1-9A-HJ-NP-Za-km-z]{25,34}(?!\w)",
        validate=checker("bitcoin"),
        validated_score=0.95,
        scope="near numbers",
    ),
    Pattern(
        "crypto",
        "CODE",
        rf"(?<!\w)(?:bc1|BC1)[{_BECH32}{_BECH32.upper()}]{{11,87}}(?!\w)",
        validate=checker("bitcoin"),
        validated_score=0.95,
        needs=("bc1", "BC1"),
    ),
    Pattern("crypto", "CODE", r"(?<!\w)0x[0-9a-fA-F]{40}(?!\w)", score=0.9, needs=("0x",)),
)
