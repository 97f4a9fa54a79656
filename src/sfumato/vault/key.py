"""Keys and their files; a key that is easily guessed (words, patterns, documents) is refused for anything new.

Keys are not stretched (no PBKDF2 or Argon2), so anyone with a vault can try keys at full speed. The estimate of a key's
strength cannot tell a random key from one that others know, such as a published one. It must not refuse random keys.
"""

from __future__ import annotations

import codecs
import math
import re
import secrets
import string
from itertools import pairwise
from pathlib import Path

from sfumato.errors import EncryptionKeyError
from sfumato.files import create_file

MIN_BYTES = 16
MIN_BITS = 64
"""Half of what a random key of 16 bytes has, so that one which looks like words by chance still passes."""
MAX_BYTES = 4096
"""Longer files are documents; keys of other programs (PEM, SSH) are below."""
HOW_TO_MAKE = (
    "make a new key by naming a file that does not exist, or with: "
    "python3 -c 'import secrets; print(secrets.token_hex(32))' > FILE"
)

_WORD = re.compile(r"[A-Z]?[a-z]{4,}|[A-Z]{5,}")
_ONE_CASE = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
_VOWEL = re.compile(r"[aeiouyAEIOUY]")
_CONSONANTS = re.compile(r"[^aeiouyAEIOUY]{5}")
_BITS_OF_A_LETTER = 1.0
"""Of a word in a sentence: Shannon's estimate is 0.6 to 1.3."""
_SEPARATORS = re.compile(r"[-_./:?&=+,;]+")
_MANY_WORDS = 12
_SHORTEST_REPEAT = 3
_ALPHABETS = [
    (re.compile(r"[0-9a-f-]+|[0-9A-F-]+"), 16),
    (re.compile(r"[A-Z2-7=]+|[a-z2-7=]+"), 32),
    (re.compile(r"[A-Za-z0-9+/_=-]+"), 64),
]
_DIGITS, _PRINTABLE, _ANY_BYTE = 8, 95, 256


class Key:
    """A secret from a key file. Each purpose gets a key of its own, derived by HKDF-SHA-256."""

    def __init__(self, material: bytes) -> None:
        if len(material) < MIN_BYTES:
            raise EncryptionKeyError(f"a key has at least {MIN_BYTES} bytes; {HOW_TO_MAKE}")
        self._material = material

    @classmethod
    def load(cls, path: str | Path) -> Key:
        """Read a key file: 16 to 4,096 unguessable bytes; a final line break does not count."""
        material = _read_key(path)
        if (weakness := find_weakness(material)) is not None:
            raise EncryptionKeyError(
                f"{path}: {weakness}; {HOW_TO_MAKE}. A vault that was made with this key can still be restored from"
            )
        return cls(material)

    @classmethod
    def load_existing(cls, path: str | Path) -> Key:
        """Read the key of a vault that exists: earlier versions took weak ones, too."""
        material = _read_key(path)
        try:
            return cls(material)
        except EncryptionKeyError as problem:
            raise EncryptionKeyError(f"{path}: {problem}") from None

    @classmethod
    def create(cls, path: str | Path) -> Key:
        """Write a new random key, readable by its owner only. Never overwrites."""
        material = secrets.token_hex(32).encode()
        try:
            create_file(Path(path), material + b"\n")
        except FileExistsError:
            raise EncryptionKeyError(f"{path}: exists already; a key is never overwritten") from None
        except OSError as error:
            raise EncryptionKeyError(f"{path}: the key file cannot be written ({error.strerror})") from None
        return cls(material)

    @classmethod
    def random(cls) -> Key:
        """A key for one run, stored nowhere."""
        return cls(secrets.token_bytes(32))

    def derive(self, purpose: str) -> bytes:
        """32 bytes for one purpose."""
        from cryptography.hazmat.primitives.hashes import SHA256
        from cryptography.hazmat.primitives.kdf.hkdf import HKDF

        return HKDF(SHA256(), 32, salt=None, info=f"sfumato/1/{purpose}".encode()).derive(self._material)


def _read_key(path: str | Path) -> bytes:
    try:
        return Path(path).read_bytes().rstrip(b"\r\n")
    except FileNotFoundError:
        raise EncryptionKeyError(f"{path}: no such key file; give the one the vault was made with") from None
    except OSError as error:
        raise EncryptionKeyError(f"{path}: the key file cannot be read ({error.strerror})") from None


def find_weakness(material: bytes) -> str | None:
    """Why these bytes are too easily guessed to be a key; None where they are not."""
    if len(material) < MIN_BYTES:
        return f"a key has at least {MIN_BYTES} bytes"
    if len(material) > MAX_BYTES:
        return f"a key has at most {MAX_BYTES:,} bytes; this is a document, and others may have it"
    if estimate_bits(material) < MIN_BITS:
        return "this key is easily guessed: words, a pattern, or too few different characters"
    return None


def estimate_bits(material: bytes) -> float:
    """How many bits of chance the bytes seem to hold. Of a text with spaces, its least guessable word counts."""
    if material.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        material = material[2:]
    material = material.replace(b"\0", b"")  # of text in UTF-16
    try:
        text = material.decode()
    except UnicodeDecodeError:
        return _bits_without_repeats(material.decode("latin-1"), _ANY_BYTE)
    if not all(character.isprintable() or character.isspace() for character in text):
        return _bits_without_repeats(material.decode("latin-1"), _ANY_BYTE)
    tokens = text.split()
    words = sum(token.strip(string.punctuation).isalpha() for token in tokens)
    if words > max(_MANY_WORDS, len(tokens) // 2):
        return 0.0  # a document, even where it has a long number or address in it
    return max((_bits_of_token(token) for token in re.findall(r"[!-~]+", text)), default=0.0)


def _bits_of_token(token: str) -> float:
    alphabet = next((size for pattern, size in _ALPHABETS if pattern.fullmatch(token)), _PRINTABLE)
    pieces = [piece for piece in _SEPARATORS.split(token) if piece]
    # Repeats count over the whole token, runs such as "abcd" and words in each of its pieces.
    return min(_bits_compressed(token, alphabet), sum(_bits_of_piece(piece, alphabet) for piece in pieces))


def _bits_of_piece(piece: str, alphabet: int) -> float:
    if piece.isdigit():
        alphabet = min(alphabet, _DIGITS)
    words = [piece] if _ONE_CASE.fullmatch(piece) else filter(_is_pronounceable, _WORD.findall(piece))
    in_words = sum(map(len, words))
    return min(
        in_words * _BITS_OF_A_LETTER + (len(piece) - in_words) * math.log2(alphabet),
        _bits_without_repeats(piece, alphabet),
    )


def _is_pronounceable(word: str) -> bool:
    """Whether a run of letters may be a word: chance has fewer vowels."""
    return len(_VOWEL.findall(word)) * 4 >= len(word) and not _CONSONANTS.search(word)


def _bits_without_repeats(text: str, alphabet: int) -> float:
    """What is left when repeats, and runs such as "abcd" or "8642", are written shortly."""
    steps = "".join(chr((ord(after) - ord(before)) % 256) for before, after in pairwise(text))
    return min(_bits_compressed(text, alphabet), math.log2(alphabet) + _bits_compressed(steps, alphabet))


def _bits_compressed(text: str, alphabet: int) -> float:
    """With every repeat of what came before written as its place and its length."""
    bits, start, literal = 0.0, 0, math.log2(alphabet)
    pointer = 2 * math.log2(max(2, len(text)))
    while start < len(text):
        length = 0
        while start + length < len(text) and text.find(text[start : start + length + 1], 0, start + length) >= 0:
            length += 1
        is_repeat = length >= _SHORTEST_REPEAT and pointer < length * literal
        bits += pointer if is_repeat else literal
        start += length if is_repeat else 1
    return bits
