"""Codes: contact details, credentials, numbers that states, banks and other institutions assign, and encoded text.

Most patterns are in ``detectors/data/all/patterns.toml``, national identifiers in ``national_ids.toml`` beside it.
Codes after the label of a field are built here.
"""

from __future__ import annotations

import ipaddress
import math
import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any, Literal
from urllib.parse import unquote

from sfumato.detectors.rules.patterns import Pattern, alternatives, checker, load_patterns, word_list
from sfumato.document import Span
from sfumato.formats.containers import find_readable
from sfumato.lexicon.tables import languages_with_key, load_toml
from sfumato.lexicon.tokens import LETTERS, lazy_pattern

BARE_SCORE, DISTINCTIVE_SCORE = 0.35, 0.75
"""Scores of national identifiers with valid check digits. Almost any bare number passes the check of some country, so
it counts only near a context word; a form with letters or separators of its own counts without one."""

_MIN_ENTROPY = 3.2
_CARD_PREFIXES = re.compile(r"(?:4|5[1-5]|2[2-7]|3[47]|3[068]|35|6(?:011|[245]|21)|50|5[6-9]|63|67)")
_PHONE_REGIONS = ("US", "GB", "DE", "FR", "ES", "IT", "PT", "NL")
_DIGIT_WORDS = {
    **{
        word: digit
        for code in languages_with_key("detection", "phones.digits")
        for digit, word in enumerate(word_list("phones.digits", code))
    },
    **dict.fromkeys(word_list("phones.zeros"), 0),
}
_TIMES = {**dict.fromkeys(word_list("phones.twice"), 2), **dict.fromkeys(word_list("phones.thrice"), 3)}
_FEWEST_READ_OUT = 4
_BETWEEN_DIGIT_WORDS = re.compile(r"[\W_]{0,3}")
_NORTH_AMERICAN = re.compile(r"(?:\+?1[ .-]?)?\(?\d{3}\)?[ .-]{1,2}\d{3}[ .-]\d{4}")
# What often follows the label of a field without being its code: years, dates, times, amounts.
_NOT_A_CODE = re.compile(
    r"(?i)(?:19|20)\d\d|\d{1,2}[./-]\d{1,2}[./-]\d{2,4}|\d{4}-\d\d-\d\d|\d{1,2}:\d\d|\d+[a-z]{1,2}"
)

_FULL_DATE = re.compile(r"(?:[0-3]?\d([./-])[0-3]?\d\1(?:19|20)\d\d|(?:19|20)\d\d([./-])[01]?\d\2[0-3]?\d)")


def is_ip_address(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True


def is_ipv6_address(text: str) -> bool:
    return len(text) > 4 and is_ip_address(text)


def is_card_number(text: str) -> bool:
    digits = re.sub(r"\D", "", text)
    if not 13 <= len(digits) <= 19 or len(set(digits)) == 1 or not _CARD_PREFIXES.match(digits):
        return False
    return checker("luhn")(digits)


def has_digit(text: str) -> bool:
    return any(map(str.isdigit, text))


def has_digit_and_letter(text: str) -> bool:
    return has_digit(text) and not text.isdigit()


def looks_random(text: str) -> bool:
    """Whether it has digits, letters and a higher entropy per character than words and plain numbers."""
    if not has_digit(text) or not any(map(str.isalpha, text)):
        return False
    shares = (count / len(text) for count in Counter(text).values())
    return -sum(share * math.log2(share) for share in shares) >= _MIN_ENTROPY


def is_plausible_code(text: str) -> bool:
    """Whether it has three digits or more, or two among capitals like booking codes of airlines."""
    digits = sum(map(str.isdigit, text))
    is_booking_code = digits == 2 and len(text) >= 5 and text.isupper()
    return (digits >= 3 or is_booking_code) and not _NOT_A_CODE.fullmatch(text)


def is_international_number(text: str) -> bool:
    """Whether it is a number with country code. Possible is enough: invented and reserved numbers are personal too."""
    digits = re.sub(r"[^\d]", "", text)
    return _check_phone("+" + digits.removeprefix("00"), None) != "no"


_DECIMAL = re.compile(r"(?<!\d)\d++\.\d+")
_FEWEST_DIGITS_OF_A_PHONE = 7


def is_formatted_local_number(text: str) -> bool:
    """Whether it has the North American form, or is valid in a country of the seven languages."""
    if _NORTH_AMERICAN.fullmatch(text):
        return True
    return (
        not _FULL_DATE.fullmatch(text)
        and not _DECIMAL.fullmatch(text)
        and sum(map(str.isdigit, text)) >= _FEWEST_DIGITS_OF_A_PHONE
        and text.startswith(("0", "(0", "6", "7", "8", "9", "2"))
        and any(_check_phone(text, region) == "valid" for region in _PHONE_REGIONS)
    )


def has_length_of_a_phone_number(text: str) -> bool:
    """Whether it may be a telephone number by its length, and is no date with a year."""
    return 6 <= sum(map(str.isdigit, text)) <= 15 and not _FULL_DATE.fullmatch(text)


_COUNTING: tuple[set[int | None], ...] = ({1}, {-1}, {0})


def is_read_out(text: str) -> bool:
    """Whether words for digits are those of a number, not of counting: "one, two, three" and so on."""
    return bool(steps := _digit_steps(text)) and steps not in _COUNTING


def is_counting(text: str) -> bool:
    """Whether a text is words for digits that count up, count down or repeat."""
    return _digit_steps(text) in _COUNTING


def _digit_steps(text: str) -> set[int | None]:
    """The differences between words for digits and the next ones; None among them where a word is no digit."""
    digits = [_DIGIT_WORDS.get(word) for word in LETTERS.findall(text.casefold())]
    return {None if before is None or after is None else after - before for before, after in pairwise(digits)}


def find_digits_read_out(text: str) -> Iterator[tuple[int, int, str]]:
    """Words for digits in a row, each with its range and its digits: "double seven" is 77."""
    run: list[tuple[int, int, str]] = []
    start, times = None, 1
    for word in LETTERS.finditer(text):
        folded = word.group().casefold()
        if run and _BETWEEN_DIGIT_WORDS.fullmatch(text, run[-1][1], word.start() if start is None else start) is None:
            yield from run if len(run) >= _FEWEST_READ_OUT else ()
            run = []
        if folded in _TIMES:
            start, times = word.start(), _TIMES[folded]
        elif folded in _DIGIT_WORDS:
            run.append((word.start() if start is None else start, word.end(), str(_DIGIT_WORDS[folded]) * times))
            start, times = None, 1
        else:
            start, times = None, 1
    yield from run if len(run) >= _FEWEST_READ_OUT else ()


@lru_cache(maxsize=4096)
def _check_phone(number: str, region: str | None) -> Literal["valid", "possible", "no"]:
    """What ``phonenumbers`` says about a number."""
    import phonenumbers  # slow to import, and most texts do not need it

    try:
        parsed = phonenumbers.parse(number, region)
    except phonenumbers.NumberParseException:
        return "no"
    if phonenumbers.is_valid_number(parsed):
        return "valid"
    return "possible" if phonenumbers.is_possible_number(parsed) else "no"


def find_numbers_of(text: str, country: str) -> Iterator[Span]:
    """Valid phone numbers without a country code, of a country that the user states and is not tried for every text."""
    if country in _PHONE_REGIONS:
        return
    import phonenumbers

    for match in phonenumbers.PhoneNumberMatcher(text, country):
        yield Span(match.start, match.end, "CODE", "direct", DISTINCTIVE_SCORE, "rules:phone")


NATIONAL_IDS: Sequence[Mapping[str, Any]] = load_toml("national_ids", package="sfumato.detectors")["identifier"]


def national_id_patterns(entry: Mapping[str, Any]) -> Iterator[Pattern]:
    """One pattern for each written form of an entry of ``national_ids.toml``."""
    context = entry.get("context", ())
    if regex := entry.get("regex"):
        yield Pattern("national-id", "CODE", regex, score=entry["score"], context=context, scope="codes")
    for key, score in (("pattern", DISTINCTIVE_SCORE), ("bare", BARE_SCORE)):
        if form := entry.get(key):
            regex = rf"(?<![\w/.,-])(?:{form})(?![\w/-]|[.,]\d)"
            validate = checker(entry["checker"])
            yield Pattern("national-id", "CODE", regex, "direct", score, context, validate=validate, scope="codes")


NATIONAL_ID_PATTERNS = tuple(pattern for entry in NATIONAL_IDS for pattern in national_id_patterns(entry))


_FIELD_KINDS: tuple[str, ...] = tuple(load_toml("detection", "en")["fields"]["labels"])
_KIND_OF_LABEL = {label: kind for kind in _FIELD_KINDS for label in word_list(f"fields.labels.{kind}")}
_NUMBER_WORD = rf"(?:{alternatives(word_list('fields.number_words'))}|n[°ºo])\b\.?|№|#"
# Groups of digits one separator apart, with the capitals that open or close them: "QQ 12 34 56 C".
_GROUPS = r"(?-i:(?:[A-Z]{1,3}[ -])?\d{1,8}(?:[ -]\d{2,8}){2,6}(?:[ -]?[A-Z]{1,2})?(?!\w))"


class KeyValueField(Pattern):
    """Codes after a label that tells their kind: "MRN: 00123456", "case no. 1:20-cv-01234", "passport X1234567"."""

    @property
    def kinds(self) -> frozenset[str]:
        return frozenset({self.name, *_FIELD_KINDS})

    def kind_of(self, match: re.Match[str]) -> str:
        return _KIND_OF_LABEL.get(" ".join(match["label"].casefold().split()), self.name)


_CODE_FIELD = KeyValueField(
    "code",
    "CODE",
    rf"(?i)(?<![^\W_])(?P<label>{alternatives(_KIND_OF_LABEL)})(?![^\W\d_])\.?[ \t]?"
    rf"(?:(?:{_NUMBER_WORD})[ \t]?|[:=#-][ \t]?|\(|is[ ]|ist[ ]|es[ ]|est[ ]|è[ ]|é[ ]|was[ ]|of[ ]){{0,4}}"
    rf"(?P<value>{_GROUPS}|(?-i:[A-Z]{{0,4}}[ -]?)?(?:[a-z0-9]{{1,20}}[-/.:_]){{0,6}}[a-z0-9]{{1,24}})"
    r"(?![\w]|[/-]\w)",
    score=0.75,
    validate=is_plausible_code,
)
_READ_OUT = (*_DIGIT_WORDS, *_TIMES, *word_list("phones.other_digits"))
# In three cases: the search for a regex that ignores case takes twice as long.
_DIGIT_WORD = alternatives(form for word in _READ_OUT for form in (word, word.title(), word.upper()))
_VALIDATORS = (is_ip_address, is_ipv6_address, is_card_number, has_digit, has_digit_and_letter, looks_random)
_PHONE_VALIDATORS = (
    is_international_number,
    is_formatted_local_number,
    has_length_of_a_phone_number,
    is_read_out,
)
PATTERNS = (
    *NATIONAL_ID_PATTERNS,
    _CODE_FIELD,
    *load_patterns("patterns", *_VALIDATORS, *_PHONE_VALIDATORS, digit_word=_DIGIT_WORD),
)


_NOT_EXTENDED = frozenset({"email", "url", "username", "password", "secret", "ip", "mac", "crypto", "uuid"})
_SEPARATOR = r"[ \u00a0./-]"
# Two digits or more, perhaps with capitals; or one or two capitals that do not begin a sentence.
_GROUP = r"(?:[A-Z]{0,3}[0-9]{2,12}[A-Z]{0,2}|[A-Z]{1,2}(?![ \u00a0][a-z]))"
_AFTER = re.compile(rf"(?:{_SEPARATOR}{_GROUP}(?![\w'’]|-[a-z]))+")
_BEFORE = re.compile(rf"(?<![\w.,/-])(?:[0-9]{{1,12}}{_SEPARATOR})+$")
_MAX_EXTENSION = 40


def extend_codes(text: str, spans: Sequence[Span]) -> list[Span]:
    """The spans, with codes extended over adjoining groups of digits and capitals up to the next other span.

    Otherwise a part of a number would stay in the text.
    """
    others = [span for span in spans if span.label != "CODE"]
    starts, ends = sorted(span.start for span in others), sorted(span.end for span in others)
    return [_extend(text, span, starts, ends) if _is_extendable(span) else span for span in spans]


def _is_extendable(span: Span) -> bool:
    return span.label == "CODE" and span.source.removeprefix("rules:") not in _NOT_EXTENDED


def _extend(text: str, span: Span, starts: Sequence[int], ends: Sequence[int]) -> Span:
    start, end = span.start, span.end
    if text[end - 1].isalnum() and (after := _AFTER.match(text, end, end + _MAX_EXTENSION)):
        following = bisect_right(starts, end)
        end = min(after.end(), starts[following] - 1) if following < len(starts) else after.end()
    if text[start].isdigit() and (before := _BEFORE.search(text, max(0, start - _MAX_EXTENSION), start)):
        preceding = bisect_left(ends, start)
        start = max(before.start(), ends[preceding - 1] + 1) if preceding else before.start()
    return span.moved(start, end)


_DATA_ADDRESS = lazy_pattern(
    r"\bdata:[\w.+/-]{0,60}+(?:;[\w.=-]{1,60}+){0,4}+,(?P<data>[^\s\"'()<>\\`]++)", re.IGNORECASE
)
_PERCENT_ESCAPE = lazy_pattern(r"%[0-9A-Fa-f]{2}")
_TAG = lazy_pattern(r"<[^<>]*>")
_LETTER = lazy_pattern(r"[^\W\d_]")
_ENCODED_SCORE = 0.95


def find_encoded_text(text: str) -> Iterator[Span]:
    """A span for each line of encoded text. It is replaced as a whole: no detector reads what it holds."""
    for encoded in find_readable(text):
        for start, end in encoded.lines:
            yield Span(start, end, "CODE", "direct", _ENCODED_SCORE, "rules:encoded")
    for address in _DATA_ADDRESS.finditer(text):
        if _PERCENT_ESCAPE.search(address["data"]) and _LETTER.search(_TAG.sub("", unquote(address["data"]))):
            yield Span(*address.span("data"), "CODE", "direct", _ENCODED_SCORE, "rules:encoded")
