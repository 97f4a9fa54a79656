"""Invented codes: of the original's kind and format, valid where validity can be checked, from ranges of no one's.

E-mail and web addresses stand under the domains reserved for examples, addresses of the internet in documentation
networks (a private one stays private), telephone numbers in the ranges that regulators keep free for fiction, cards in
test ranges with a valid check digit. Coordinates stay on the globe and times on the clock.
"""

from __future__ import annotations

import ipaddress
import random
import re
import string
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial
from typing import Any

from sfumato.detectors.rules.codes import PATTERNS
from sfumato.detectors.rules.patterns import AFTER, BEFORE, PatternSet, checker, minimum_score
from sfumato.document import Span
from sfumato.lexicon.tables import load_toml, to_ascii_letters

NameOf = Callable[[str], str | None]
"""The invented name for a word that is part of somebody's name in the document."""
_NUMBERS: Mapping[str, Any] = load_toml("fictional_numbers", package="sfumato.replacers")
_EXAMPLE_DOMAINS = ("example.com", "example.org", "example.net")
_DECIMAL = r"[-+−]?\d{1,3}[.,]\d+"
_DECIMAL_COORDINATES = re.compile(rf"{_DECIMAL}(?:\s*°)?\s*[NSEWO]?(?:[\s,;/]+{_DECIMAL}(?:\s*°)?\s*[NSEWO]?)?")
_DEGREES = re.compile(
    r"(?P<degrees>\d{1,3})(?=\s*°)|(?P<minutes>\d{1,2})(?=[\d.]*\s*['’′])|(?P<seconds>\d{1,2})(?=[\d.]*\s*[\"”″])"
)
_CLOCK = re.compile(
    r"(?P<hours>[01]?\d|2[0-3])(?P<rest>(?::[0-5]\d){1,2})(?P<end>(?:[.,]\d+)?\s*(?:Z|UTC|[+-]\d\d:?\d\d)?)"
)
_LETTER_RUN = re.compile(r"[^\W\d_]+")
_SSN = re.compile(r"\d{3}([ -]?)\d{2}\1\d{4}")
_UK_POSTCODE = re.compile(r"\b[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}\b")
_SHAPES: Mapping[str, re.Pattern[str]] = {
    "postcode": _UK_POSTCODE,
    "degrees": re.compile(r"\d{1,3}\s*°[\d\s.'’′\"”″]*[NSEWO]?(?:[\s,;/]+\d{1,3}\s*°[\d\s.'’′\"”″]*[NSEWO]?)?"),
    "clock": _CLOCK,
    "host": re.compile(r"(?=[^:]*[a-zA-Z])(?:[\w-]+\.)+[a-zA-Z]{2,12}(?P<port>:\d{1,5})?"),
}
_EMBEDDED: Mapping[str, re.Pattern[str]] = {
    "email": re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+"),
    "ip": re.compile(r"(?<![\d.])(?:\d{1,3}\.){3}\d{1,3}(?![\d.])"),
    "mac": re.compile(r"(?<![\w:-])[0-9A-Fa-f]{2}(?:[:-][0-9A-Fa-f]{2}){5}(?![\w:-])"),
}
"""Values inside of longer codes, such as a line of a log."""


_LEAST_SCORE = minimum_score("balanced")


def kind_of_coordinates(text: str) -> str | None:
    """How coordinates are written, as a kind of code; None for anything else."""
    if _DECIMAL_COORDINATES.fullmatch(text):
        return "coordinates"
    return "degrees" if _SHAPES["degrees"].fullmatch(text) else None


def kind_of_code(text: str, span: Span) -> str | None:
    """The kind of a code: as the rule that found it says, or else by its form and the words around it."""
    kind = span.source.partition(":")[2].partition("+")[0]
    if kind in KINDS:
        return kind
    code = text[span.start : span.end]
    if shape := next((name for name, pattern in _SHAPES.items() if pattern.fullmatch(code)), None):
        return shape
    first, last = max(0, span.start - BEFORE), span.end + AFTER
    matches = [
        match
        for match in _patterns().find(text[first:last])
        if match.score >= _LEAST_SCORE and match.start <= span.start - first and span.end - first <= match.end
    ]
    best = max(matches, key=lambda match: (match.score, match.source), default=None)
    return best.source.partition(":")[2] if best else None


@cache
def _patterns() -> PatternSet:
    return PatternSet(PATTERNS)


KINDS = frozenset(kind for pattern in PATTERNS for kind in pattern.kinds)
"""The kinds that rules know: what they find is an identifier."""


def codes_like(text: str, kind: str | None, seed: bytes, locale: str, name_of: NameOf) -> Iterator[str]:
    """Invented codes of the original's kind and format, without end."""
    rng = random.Random(seed)
    make = _MAKERS.get(kind or "", partial(_scramble_around, name_of=name_of))
    if make in (_email, _url, _handle):
        make = partial(make, name_of=name_of)
    if make is _phone:
        make = partial(make, locale=locale)
    while True:
        yield make(text, rng)


# Letters and digits.


def scramble(text: str, rng: random.Random) -> str:
    """Random digits for digits and letters for letters of the same case; leading zeros and all else stay."""
    letters = {letter.lower() for letter in text if letter.isalpha()}
    alphabet = "abcdef" if letters <= set("abcdefx") and any(map(str.isdecimal, text)) else string.ascii_lowercase
    scrambled: list[str] = []
    is_first = True
    for letter in text:
        if letter.isdecimal():
            is_leading_zero = letter == "0" and is_first
            letter = letter if is_leading_zero else rng.choice("123456789" if is_first else string.digits)
            is_first = is_leading_zero
        else:
            is_first = True
        if letter.isalpha():
            random_letter = rng.choice(alphabet) if letter not in "xX" else letter
            letter = random_letter.upper() if letter.isupper() else random_letter
        scrambled.append(letter)
    return "".join(scrambled)


def _scramble_around(text: str, rng: random.Random, *, name_of: NameOf) -> str:
    """The text scrambled, but for the addresses in it, which become other addresses."""
    matches = sorted((match.start(), kind, match) for kind, form in _EMBEDDED.items() for match in form.finditer(text))
    parts, offset = [], 0
    for start, kind, match in matches:
        if start >= offset:
            make = partial(_email, name_of=name_of) if kind == "email" else _MAKERS[kind]
            parts += [scramble(text[offset:start], rng), make(match.group(), rng)]
            offset = match.end()
    return "".join(parts) + scramble(text[offset:], rng)


def _host(text: str, rng: random.Random) -> str:
    """A host under a domain reserved for examples, with the same port."""
    _, colon, port = text.partition(":")
    return f"{rng.choice(_HANDLE_WORDS)}.{rng.choice(_EXAMPLE_DOMAINS)}{colon}{port}"


def put_digits(digits: str, text: str) -> str:
    """The text with its last digits replaced by these, everything else as it is."""
    remaining = list(digits)
    written = [remaining.pop() if letter.isdecimal() and remaining else letter for letter in reversed(text)]
    return "".join(reversed(written))


def _fill(template: str, rng: random.Random) -> str:
    return "".join(rng.choice(string.digits) if sign == "x" else sign for sign in template if sign != " ")


def _as_names(text: str, rng: random.Random, name_of: NameOf) -> str:
    """Names for words, letters for single letters, digits for digits: j.moreau88 -> a.keller31."""

    def replace(match: re.Match[str]) -> str:
        word = match.group()
        if len(word) < 3:
            return scramble(word, rng)
        name = to_ascii_letters(name_of(word) or rng.choice(_HANDLE_WORDS))
        return name.upper() if word.isupper() else name.capitalize() if word[0].isupper() else name.lower()

    return re.sub(r"\d", lambda _: rng.choice(string.digits), _LETTER_RUN.sub(replace, text))


_HANDLE_WORDS: tuple[str, ...] = tuple(_NUMBERS["handle_words"].split())


# Contact details.


def _email(text: str, rng: random.Random, *, name_of: NameOf) -> str:
    local = re.split(r"@|\s*[\[(]at[\])]\s*| at ", text, maxsplit=1)[0]
    return f"{_as_names(local, rng, name_of)}@{rng.choice(_EXAMPLE_DOMAINS)}"


def _handle(text: str, rng: random.Random, *, name_of: NameOf) -> str:
    return _as_names(text, rng, name_of)


def _url(text: str, rng: random.Random, *, name_of: NameOf) -> str:
    scheme, mark, rest = text.rpartition("://")
    host, slash, path = rest.partition("/")
    www = "www." if host.casefold().startswith("www.") else ""
    path = _as_names(path, rng, name_of) or str(rng.randrange(10**6))
    return f"{scheme}{mark}{www}{rng.choice(_EXAMPLE_DOMAINS)}{slash or '/'}{path}"


def _ip(text: str, rng: random.Random) -> str:
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return scramble(text, rng)
    if isinstance(address, ipaddress.IPv6Address):
        prefix = "fe80::" if address.is_link_local else "fd00::" if address.is_private else "2001:db8::"
        return f"{prefix}{rng.randrange(1, 2**16):x}:{rng.randrange(2**16):x}"
    networks = map(
        ipaddress.IPv4Network, ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "127.0.0.0/8", "169.254.0.0/16")
    )
    network = next((network for network in networks if address in network), None)
    if network is None:
        return f"{rng.choice(('192.0.2', '198.51.100', '203.0.113'))}.{rng.randrange(1, 255)}"
    return str(network.network_address + rng.randrange(1, network.num_addresses - 1))


def _mac(text: str, rng: random.Random) -> str:
    """A locally administered address: no maker's."""
    digits = "".join(rng.choice("0123456789abcdef") for _ in range(10))
    pairs = ["02", *(digits[index : index + 2] for index in range(0, 10, 2))]
    address = ("-" if "-" in text else ":").join(pairs)
    return address.upper() if text.isupper() else address


def _phone(text: str, rng: random.Random, *, locale: str) -> str:
    """A number of the country's fictional range and of the same length; else area code and format stay."""
    import phonenumbers  # slow to import, and most texts do not need it

    digits, language, region = re.sub(r"\D", "", text), *locale.split("_")
    for home in dict.fromkeys((region, *_NUMBERS["countries"].get(language, "").split())):
        try:
            parsed = phonenumbers.parse(text, home)
        except phonenumbers.NumberParseException:
            continue
        country = phonenumbers.region_code_for_country_code(parsed.country_code or 0)
        is_number = phonenumbers.is_possible_number if home == region else phonenumbers.is_valid_number
        if country in _NUMBERS["phones"] and is_number(parsed):
            national = str(parsed.national_number)
            ranges = _ranges_like(national, country, _type_of_number(parsed))
            fitting = [template for template in ranges if len(template.replace(" ", "")) == len(national)]
            if fitting and digits.endswith(national):
                groups = [group.lstrip("0") for group in re.findall(r"\d+", text)]
                area = next((group for group in groups if group and national.startswith(group)), "")
                same_form = [template for template in fitting if len(template.split()[0]) == len(area)]
                return put_digits(_fill(rng.choice(same_form or fitting), rng), text)
            break
        if text.lstrip().startswith(("+", "00")) or is_number(parsed):
            break
    changed = len(digits) if len(digits) <= _LOCAL_NUMBER else 6
    return put_digits("".join(rng.choice(string.digits) for _ in range(changed)), text)


def _ranges_like(national: str, country: str, kind: str) -> Sequence[str]:
    """The country's fictional ranges of a kind of number; a number of such a range stays of its kind."""
    by_kind = _NUMBERS["phones"][country]
    for ranges in by_kind.values():
        if any(national.startswith(template.replace(" ", "").rstrip("x")) for template in ranges):
            return tuple(ranges)
    return tuple(by_kind[kind])


_LOCAL_NUMBER = 7
"""Digits of a number without an area code at most."""


def _type_of_number(parsed: Any) -> str:
    import phonenumbers

    kind = phonenumbers.PhoneNumberType
    return {
        kind.MOBILE: "mobile",
        kind.FIXED_LINE: "fixed",
        kind.FIXED_LINE_OR_MOBILE: "fixed",
        kind.UNKNOWN: "fixed",
    }.get(phonenumbers.number_type(parsed), "other")


# Numbers with check digits.


def _with_luhn(digits: str) -> str:
    is_valid = checker("luhn")
    return next(digits[:-1] + last for last in string.digits if is_valid(digits[:-1] + last))


def _card(text: str, rng: random.Random) -> str:
    digits = re.sub(r"\D", "", text)
    template = _NUMBERS["cards"].get(digits[:1], _NUMBERS["cards"]["4"]).replace(" ", "")
    filled = _fill((template + "xxx")[: len(digits)], rng)
    return put_digits(_with_luhn(filled), text)


def _imei(text: str, rng: random.Random) -> str:
    digits = "00" + "".join(rng.choice(string.digits) for _ in range(max(0, len(re.sub(r"\D", "", text)) - 2)))
    return put_digits(_with_luhn(digits), text)


def _iban(text: str, rng: random.Random) -> str:
    """Of the same country, with valid check digits."""
    from stdnum import iban

    compact = re.sub(r"\s", "", text).upper()
    for _ in range(20):
        rest = scramble(compact[4:], rng)
        number = compact[:2] + str(iban.calc_check_digits(f"{compact[:2]}00{rest}")) + rest
        if iban.is_valid(number):
            break
    letters = iter(number)
    return "".join(letter if letter.isspace() else next(letters, letter) for letter in text)


def _national_id(text: str, rng: random.Random) -> str:
    """Of the same form; from ranges that are never given out where a country has one."""
    digits = re.sub(r"\D", "", text)
    if _SSN.fullmatch(text):
        return put_digits("666" + "".join(rng.choice("123456789") for _ in range(6)), text)
    if len(digits) == 10 and checker("gb.nhs")(digits):
        start = "999" + "".join(rng.choice(string.digits) for _ in range(6))
        valid = [start + last for last in string.digits if checker("gb.nhs")(start + last)]
        return put_digits(valid[0], text) if valid else _national_id(text, rng)
    return scramble(text, rng)


def _vin(text: str, rng: random.Random) -> str:
    signs = "ABCDEFGHJKLMNPRSTUVWXYZ"
    return "".join(
        rng.choice(string.digits) if sign.isdecimal() else rng.choice(signs) if sign.isalpha() else sign
        for sign in text
    )


# Places in numbers, and times.


def _coordinates(text: str, rng: random.Random) -> str:
    """Other coordinates some degrees away, with as many decimals."""
    limits = iter((90, 180))
    numbers = list(re.finditer(r"(?P<sign>[-+−]?)(?P<whole>\d{1,3})(?P<point>[.,])(?P<decimals>\d+)", text))
    is_alone = len(numbers) == 1

    def replace(match: re.Match[str]) -> str:
        whole = int(match["whole"])
        limit = (180 if whole > 90 else 90) if is_alone else next(limits, 180)
        degrees = _near(whole, limit, rng)
        decimals = "".join(rng.choice(string.digits) for _ in match["decimals"])
        return f"{match['sign']}{degrees}{match['point']}{decimals}"

    return re.sub(r"(?P<sign>[-+−]?)(?P<whole>\d{1,3})(?P<point>[.,])(?P<decimals>\d+)", replace, text)


def _degrees(text: str, rng: random.Random) -> str:
    def replace(match: re.Match[str]) -> str:
        value = match.group()
        other = _near(int(value), 180 if int(value) > 90 else 90, rng) if match["degrees"] else rng.randrange(60)
        return f"{other:0{len(value)}}"

    return _DEGREES.sub(replace, text)


def _near(degrees: int, limit: int, rng: random.Random) -> int:
    options = [other for other in range(degrees - 8, degrees + 9) if abs(other - degrees) > 1 and 0 <= other < limit]
    return rng.choice(options or [limit // 2])


def _clock(text: str, rng: random.Random) -> str:
    match = _CLOCK.fullmatch(text)
    assert match is not None
    hours = f"{rng.randrange(24):0{len(match['hours'])}}"
    return hours + re.sub(r"\d\d", lambda _: f"{rng.randrange(60):02}", match["rest"]) + match["end"]


_UK_AREAS: tuple[str, ...] = tuple(_NUMBERS["uk_areas"].split())


def postcode_like(text: str, rng: random.Random) -> str:
    """A British postcode of the same form."""
    space = " " if " " in text else ""
    area = rng.choice([name for name in _UK_AREAS if len(name) == len(re.match(r"[A-Z]+", text)[0])])  # type: ignore[index]
    outward = f"{area}{rng.randrange(1, 10)}" + (
        str(rng.randrange(10)) if len(text.replace(" ", "")) - len(area) == 5 else ""
    )
    return f"{outward}{space}{rng.randrange(1, 10)}{''.join(rng.choice('ABDEFGHJLNPQRSTUWXYZ') for _ in range(2))}"


_MAKERS: dict[str, Callable[..., str]] = {
    "email": _email,
    "url": _url,
    "host": _host,
    "username": _handle,
    "ip": _ip,
    "mac": _mac,
    "phone": _phone,
    "card": _card,
    "imei": _imei,
    "iban": _iban,
    "national-id": _national_id,
    "vin": _vin,
    "coordinates": _coordinates,
    "degrees": _degrees,
    "clock": _clock,
    "postcode": postcode_like,
}
