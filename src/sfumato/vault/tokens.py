"""Values that carry their own original, readable with the key alone: ``ENC_`` and base32 of AES-SIV.

AES-SIV is authenticated and deterministic: equal values give equal tokens in every run, and a changed token is
noticed. The letters of base32 survive a change of case.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESSIV

from sfumato.document import Edit, Span
from sfumato.vault.key import Key

_TOKEN = re.compile(r"(?<!\w)ENC_([A-Z2-7]{26,})(?!\w)", re.IGNORECASE)


class Tokens:
    """Turns values into tokens and back."""

    def __init__(self, key: Key) -> None:
        self._cipher = AESSIV(key.derive("encrypt/mac") + key.derive("encrypt/cipher"))

    def encrypt(self, value: str, label: str) -> str:
        plain = f"{label}\0{value}".encode("utf-8", "surrogatepass")
        return "ENC_" + base64.b32encode(self._cipher.encrypt(plain, None)).decode().rstrip("=")

    def decrypt(self, text: str) -> Iterator[Edit]:
        """An edit for every token of ours in the text; tokens of another key, or changed ones, are left alone."""
        for match in _TOKEN.finditer(text):
            coded = match.group(1).upper()
            try:
                sealed = base64.b32decode(coded + "=" * (-len(coded) % 8))
                plain = self._cipher.decrypt(sealed, None).decode("utf-8", "surrogatepass")
            except (ValueError, InvalidTag):
                continue
            label, _, value = plain.partition("\0")
            yield Edit(Span(match.start(), match.end(), label), value, ("key",))


def decrypt_tokens(text: str, key: Key) -> tuple[Edit, ...]:
    return tuple(Tokens(key).decrypt(text)) if "enc_" in text.casefold() else ()
