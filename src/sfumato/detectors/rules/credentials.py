"""Secrets that open something: keys, tokens, passwords."""

from __future__ import annotations

import math
from collections import Counter

from sfumato.detectors.rules.patterns import Pattern

_ENTROPY_OF_A_KEY = 3.2


def looks_random(text: str) -> bool:
    """Digits, letters and enough bits per character: words and plain numbers have less."""
    if not any(map(str.isdigit, text)) or not any(map(str.isalpha, text)):
        return False
    shares = (count / len(text) for count in Counter(text).values())
    return -sum(share * math.log2(share) for share in shares) >= _ENTROPY_OF_A_KEY


def _token(regex: str, *needs: str) -> Pattern:
    return Pattern("secret", "CODE", rf"(?<![\w-])(?:{regex})(?!\w)", score=0.95, needs=needs)


PATTERNS = (
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
        r"(?i)\b(?:password|passwd|passwort|kennwort|passphrase|passcode|contraseña|mot de passe|wachtwoord|"
        r"palavra-passe|senha|pwd|pin)(?: is| es| ist| est|:|=)\s{0,2}[\"'“]?(?P<value>[^\s\"'“”,;"
        r"]{3,80})(?<![.!?])",
        score=0.85,
        needs="pass Pass PASS pwd PWD pin PIN ontrase senha Senha kennwort Kennwort achtwoord".split(),
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
