"""Contact details and credentials: e-mail and web addresses, user names, telephone numbers, keys and passwords."""

from __future__ import annotations

import ipaddress
import math
import re
from collections import Counter
from functools import lru_cache
from typing import Literal

from sfumato.detectors.rules.patterns import Pattern, alternatives, any_of, word_list


def is_ip_address(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True


CONTACT_PATTERNS = (
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
            "www. WWW. Www. .com/ .org/ .net/ .edu/ .gov/ .io/ .eu/ .uk/ .de/ .fr/ .es/ .it/ .nl/ .pt/ .ch/ .at/ .info/"
        ).split(),
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
        rf"(?i)(?<!\w)(?:{alternatives(word_list('contact.login'))})(?: is| es| ist|:|=) ?[\"']?"
        r"(?P<value>[\w.@-]{3,40})(?<![.])",
        score=0.75,
        needs=word_list("contact.login_hints"),
    ),
)


# Telephone numbers: with a country code, in the national form, and any other near a context word.

_PHONE_CONTEXT = word_list("phones.context")
_PHONE_AGAINST = word_list("phones.against")
_REGIONS = ("US", "GB", "DE", "FR", "ES", "IT", "PT", "NL")
_NORTH_AMERICAN = re.compile(r"(?:\+?1[ .-]?)?\(?\d{3}\)?[ .-]{1,2}\d{3}[ .-]\d{4}")


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


def is_international_number(text: str) -> bool:
    """Whether it is a number with country code. Possible is enough: invented and reserved numbers are personal too."""
    digits = re.sub(r"[^\d]", "", text)
    return _check_phone("+" + digits.removeprefix("00"), None) != "no"


def is_formatted_local_number(text: str) -> bool:
    """Whether it has the North American form, or is valid in a country of the seven languages."""
    if _NORTH_AMERICAN.fullmatch(text):
        return True
    return text.startswith(("0", "(0", "6", "7", "9", "2")) and any(
        _check_phone(text, region) == "valid" for region in _REGIONS
    )


PHONE_PATTERNS = (
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
        context=_PHONE_CONTEXT,
        against=_PHONE_AGAINST,
        scope="codes",
    ),
    Pattern(
        "phone",
        "CODE",
        r"(?<![\w/.,-])\(?\d{2,5}\)?[ .\u00a0/-]?\d{2,4}(?:[ .\u00a0/-]{0,2}\d{2,4}){1,4}(?:[ "
        r"]?(?:x|ext\.?)[ ]?\d{1,5})?(?![\w/-])",
        validate=lambda text: 6 <= sum(map(str.isdigit, text)) <= 15,
        validated_score=0.2,
        context=_PHONE_CONTEXT,
        against=_PHONE_AGAINST,
        scope="codes",
    ),
)


# Credentials: keys, tokens, passwords.

_ENTROPY_OF_A_KEY = 3.2


def looks_random(text: str) -> bool:
    """Whether it has digits, letters and a higher entropy per character than words and plain numbers."""
    if not any(map(str.isdigit, text)) or not any(map(str.isalpha, text)):
        return False
    shares = (count / len(text) for count in Counter(text).values())
    return -sum(share * math.log2(share) for share in shares) >= _ENTROPY_OF_A_KEY


def _token(regex: str, *needs: str) -> Pattern:
    return Pattern("secret", "CODE", rf"(?<![\w-])(?:{regex})(?!\w)", score=0.95, needs=needs)


CREDENTIAL_PATTERNS = (
    _token(r"(?:AKIA|ASIA)[A-Z0-9]{16}", "AKIA", "ASIA"),
    _token(
        r"gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_\w{22,255}",
        "ghp_",
        "gho_",
        "ghu_",
        "ghs_",
        "ghr_",
        "github_pat_",
    ),
    _token(r"glpat-[\w-]{20,64}", "glpat-"),
    _token(r"xox[abposr]-[A-Za-z0-9-]{10,200}", "xox"),
    _token(
        r"(?:sk|pk|rk)_(?:live|test)_[A-Za-z0-9]{10,200}|whsec_[A-Za-z0-9]{10,200}",
        "_live_",
        "_test_",
        "whsec_",
    ),
    _token(r"sk-[A-Za-z0-9_-]{20,200}", "sk-"),
    _token(r"AIza[\w-]{35}", "AIza"),
    _token(r"SG\.[\w-]{16,32}\.[\w-]{16,64}", "SG."),
    _token(r"eyJ[\w-]{8,4000}\.eyJ[\w-]{4,8000}\.[\w-]{4,2000}", "eyJ"),
    Pattern(
        "secret",
        "CODE",
        r"-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----(?:[A-Za-z0-9+/=\s:,.]|-(?!-)){0,20000}+-----END [A-Z "
        r"]{0,40}PRIVATE KEY-----",
        score=1.0,
        needs=("PRIVATE KEY-----",),
    ),
    Pattern(
        "password",
        "CODE",
        rf"(?i)\b{any_of(word_list('contact.password'))}(?: is| es| ist| est|:|=)\s{{0,2}}[\"'“]?"
        r"(?P<value>[^\s\"'“”,;]{3,80})(?<![.!?])",
        score=0.85,
        needs=word_list("contact.password_hints"),
    ),
    Pattern(
        "secret",
        "CODE",
        r"(?i)(?<![A-Za-z])(?:api[_ -]?key|access[_ -]?key|secret(?:[_ -]?key)?|auth[_ -]?token|"
        r"token|client[_ -]?secret|"
        r"private[_ -]?key|key)[\"']?\s?[:=]\s?[\"']?(?P<value>[A-Za-z0-9+/=_.-]{12,400})",
        validate=looks_random,
        validated_score=0.85,
        needs=("key", "Key", "KEY", "ecret", "ECRET", "oken", "OKEN"),
    ),
    Pattern(
        "secret",
        "CODE",
        r"(?i)\bbearer (?P<value>[A-Za-z0-9+/=_.~-]{16,2000})",
        score=0.9,
        needs=("earer", "EARER"),
    ),
    Pattern("secret", "CODE", r"(?<=://)[^\s/@:]{1,64}:[^\s/@]{1,64}(?=@)", score=0.95, needs=("://",)),
)
