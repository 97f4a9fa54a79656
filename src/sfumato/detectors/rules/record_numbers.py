"""Numbers that institutions assign: cases, documents, vehicles, devices, bank accounts, and fields of records."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from sfumato.detectors.rules.national_ids import checker
from sfumato.detectors.rules.patterns import Pattern, alternatives, any_of, word_list
from sfumato.document import Span
from sfumato.lexicon.tables import load_toml


def has_digit(text: str) -> bool:
    return any(map(str.isdigit, text))


RECORD_PATTERNS = (
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
        context=word_list("records.case"),
        against=word_list("records.not_case"),
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
    # Four digits or more and a year: nothing else has this form.
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
        # German file references: senate or chamber, register sign, number/year.
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
        context=word_list("records.vehicle"),
        scope="codes",
    ),
    Pattern(
        "imei",
        "CODE",
        r"(?<![\w-])\d{2}[- ]?\d{6}[- ]?\d{6}[- ]?\d(?![\w-])",
        validate=checker("imei"),
        validated_score=0.4,
        context=word_list("records.device"),
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
        context=word_list("records.passport"),
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
        context=word_list("records.plate"),
        scope="near numbers",
    ),
    Pattern(
        "plate",
        "CODE",
        r"(?<!\w)[A-ZÄÖÜ]{1,3}[- ][A-Z]{1,2} ?\d{1,4}[EH]?(?!\w)",
        score=0.25,
        context=word_list("records.german_plate"),
        scope="near numbers",
    ),
    Pattern(
        "code",
        "CODE",
        r"(?<![\w/.-])[A-Z]{2,5}[-_]?\d{4,12}(?:-\d{1,6})?(?![\w/-])",
        score=0.5,
        against=word_list("records.not_code"),
        scope="near numbers",
    ),
)


# Bank accounts, payment cards and crypto addresses.

_CARD_PREFIXES = re.compile(r"(?:4|5[1-5]|2[2-7]|3[47]|3[068]|35|6(?:011|[245]|21)|50|5[6-9]|63|67)")
_CARD_WORDS = word_list("finance.card")
_ACCOUNT_WORDS = word_list("finance.account")
_BECH32 = "023456789acdefghjklmnpqrstuvwxyz"


def is_card_number(text: str) -> bool:
    digits = re.sub(r"\D", "", text)
    if not 13 <= len(digits) <= 19 or len(set(digits)) == 1 or not _CARD_PREFIXES.match(digits):
        return False
    return checker("luhn")(digits)


FINANCE_PATTERNS = (
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
        rf"(?i)\b{any_of(word_list('finance.card_security_code'))}(?: is|:|=| number)?[ :]{{0,2}}"
        r"(?P<value>\d{3,4})(?!\w)",
        score=0.9,
        needs=word_list("finance.card_security_code_hints"),
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


# Codes are extended over the groups of digits beside them, so that no part of a number stays.

_NOT_EXTENDED = frozenset({"email", "url", "username", "password", "secret", "ip", "mac", "crypto", "uuid"})
_SEPARATOR = r"[ \u00a0./-]"
# Two digits or more, perhaps with capitals; or one or two capitals that no sentence goes on from.
_GROUP = r"(?:[A-Z]{0,3}[0-9]{2,12}[A-Z]{0,2}|[A-Z]{1,2}(?![ \u00a0][a-z]))"
_AFTER = re.compile(rf"(?:{_SEPARATOR}{_GROUP}(?![\w'’]|-[a-z]))+")
_BEFORE = re.compile(rf"(?<![\w.,/-])(?:[0-9]{{1,12}}{_SEPARATOR})+$")
_LONGEST_EXTENSION = 40


def extend_codes(text: str, spans: Sequence[Span]) -> list[Span]:
    """The spans, with codes extended over adjoining groups of digits and capitals up to the next other span."""
    others = [span for span in spans if span.label != "CODE"]
    starts, ends = sorted(span.start for span in others), sorted(span.end for span in others)
    return [_extend(text, span, starts, ends) if _is_extendable(span) else span for span in spans]


def _is_extendable(span: Span) -> bool:
    return span.label == "CODE" and span.source.removeprefix("rules:") not in _NOT_EXTENDED


def _extend(text: str, span: Span, starts: Sequence[int], ends: Sequence[int]) -> Span:
    start, end = span.start, span.end
    if text[end - 1].isalnum() and (after := _AFTER.match(text, end, end + _LONGEST_EXTENSION)):
        stop = bisect_right(starts, end)
        end = min(after.end(), starts[stop] - 1) if stop < len(starts) else after.end()
    if text[start].isdigit() and (before := _BEFORE.search(text, max(0, start - _LONGEST_EXTENSION), start)):
        stop = bisect_left(ends, start)
        start = max(before.start(), ends[stop - 1] + 1) if stop else before.start()
    return span.moved(start, end)


# Codes after a label: "MRN: 00123456", "passport X1234567".

_FIELD_KINDS: tuple[str, ...] = tuple(load_toml("detection", "en")["fields"]["labels"])
_KIND_OF_LABEL = {label: kind for kind in _FIELD_KINDS for label in word_list(f"fields.labels.{kind}")}
_NUMBER_WORD = rf"(?:{alternatives(word_list('fields.number_words'))}|n[°ºo])\b\.?|№|#"
# Groups of digits one separator apart, with the capitals that open or close them: "QQ 12 34 56 C".
_GROUPS = r"(?-i:(?:[A-Z]{1,3}[ -])?\d{1,8}(?:[ -]\d{2,8}){2,6}(?:[ -]?[A-Z]{1,2})?(?!\w))"

# What often follows such a label without being its code: years, dates, times, amounts.
_NOT_A_CODE = re.compile(
    r"(?i)(?:19|20)\d\d|\d{1,2}[./-]\d{1,2}[./-]\d{2,4}|\d{4}-\d\d-\d\d|\d{1,2}:\d\d|\d+[a-z]{1,2}"
)


class KeyValueField(Pattern):
    """Codes after a label that tells their kind: "MRN: 00123456", "case no. 1:20-cv-01234", "passport X1234567"."""

    @property
    def kinds(self) -> frozenset[str]:
        return frozenset({self.name, *_FIELD_KINDS})

    def kind_of(self, match: re.Match[str]) -> str:
        return _KIND_OF_LABEL.get(" ".join(match["label"].casefold().split()), self.name)


def is_plausible_code(text: str) -> bool:
    """Whether it has three digits or more, or two among capitals like booking codes of airlines."""
    digits = sum(map(str.isdigit, text))
    is_booking_code = digits == 2 and len(text) >= 5 and text.isupper()
    return (digits >= 3 or is_booking_code) and not _NOT_A_CODE.fullmatch(text)


FIELD_PATTERNS = (
    KeyValueField(
        "code",
        "CODE",
        rf"(?i)(?<![^\W_])(?P<label>{alternatives(_KIND_OF_LABEL)})(?![^\W\d_])\.?[ \t]?"
        rf"(?:(?:{_NUMBER_WORD})[ \t]?|[:=#-][ \t]?|\(|is[ ]|ist[ ]|es[ ]|est[ ]|è[ ]|é[ ]|was[ ]|of[ ]){{0,4}}"
        rf"(?P<value>{_GROUPS}|(?-i:[A-Z]{{0,4}}[ -]?)?(?:[a-z0-9]{{1,20}}[-/.:_]){{0,6}}[a-z0-9]{{1,24}})"
        r"(?![\w]|[/-]\w)",
        validate=is_plausible_code,
        validated_score=0.75,
        scope="near numbers",
    ),
)
