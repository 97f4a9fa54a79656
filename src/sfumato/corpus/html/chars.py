"""The characters of an HTML source as a reader sees them, each with the stretch of source behind it."""

from __future__ import annotations

import html
import re
from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html.entities import html5
from urllib.parse import quote

Atom = tuple[int, int, str]
"""``source[start:end]`` stands for this text."""

INSIDE = -1
"""Marks, among bounds, a position inside an atom: the source cannot be cut there."""

_REFERENCE = re.compile(r"&(?:#[0-9]+;?|#[xX][0-9a-fA-F]+;?|[A-Za-z][A-Za-z0-9]*;?)")
_LONGEST = max(map(len, html5))
_ESCAPE = re.compile(
    r"\\\\|\\u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})"
    r"|\\u([0-9a-fA-F]{4})|\\u\{([0-9a-fA-F]{1,6})\}|\\x([0-9a-fA-F]{2})"
)
_PERCENT = re.compile(r"(?:%[0-9a-fA-F]{2})+")


@dataclass(frozen=True, slots=True)
class Decoded:
    """Text, and for every position in it the place in the raw string (None: they are the same)."""

    text: str
    bounds: Sequence[int] | None = None

    def place(self, position: int) -> int:
        return position if self.bounds is None else self.bounds[position]


def plain(raw: str) -> Decoded:
    return Decoded(raw)


def references(raw: str) -> Decoded:
    """Text between tags."""
    return _decode(Decoded(raw), _references(raw))


def attribute(raw: str) -> Decoded:
    """An attribute's value, where a reference without semicolon must not run on into letters or "="."""
    return _decode(Decoded(raw), [atom for atom in _references(raw) if not _runs_on(raw, atom)])


def address(raw: str) -> Decoded:
    """An attribute's value that is an address: percent escapes are read too, or they would hide an "@"."""
    return _percents(attribute(raw))


def percent(raw: str) -> Decoded:
    """An address outside of HTML."""
    return _percents(Decoded(raw))


def script(raw: str) -> Decoded:
    """A script, with the escapes that its strings, and those of JSON, write letters in."""
    return _decode(Decoded(raw), [atom for found in _ESCAPE.finditer(raw) if (atom := _escape(found))])


def _decode(within: Decoded, atoms: list[Atom]) -> Decoded:
    if not atoms:
        return within
    parts: list[str] = []
    bounds = array("q")
    at = 0
    for start, end, text in atoms:
        parts += [within.text[at:start], text]
        bounds.extend(within.place(position) for position in range(at, start))
        bounds.append(within.place(start))
        bounds.extend([INSIDE] * (len(text) - 1))
        at = end
    parts.append(within.text[at:])
    bounds.extend(within.place(position) for position in range(at, len(within.text) + 1))
    return Decoded("".join(parts), bounds)


def _references(raw: str) -> list[Atom]:
    return [atom for found in _REFERENCE.finditer(raw) if (atom := _reference(found))] if "&" in raw else []


def _runs_on(raw: str, atom: Atom) -> bool:
    start, end, _ = atom
    follower = raw[end : end + 1]
    return raw[start + 1] != "#" and raw[end - 1] != ";" and (follower == "=" or follower.isalnum())


def _reference(found: re.Match[str]) -> Atom | None:
    raw = found.group()
    if raw.startswith("&#"):
        text = _numbered(raw)
        return (found.start(), found.end(), text) if text else None
    name = raw[1 : _LONGEST + 1]
    for size in range(len(name), 1, -1):
        if text := html5.get(name[:size], ""):
            return found.start(), found.start() + 1 + size, text
    return None


def _numbered(raw: str) -> str:
    short = re.sub(r"([#xX])0+(?=[0-9a-fA-F])", r"\1", raw)
    return html.unescape(short) if len(short) < _LONGEST else "\ufffd"


def _escape(found: re.Match[str]) -> Atom | None:
    high, low, *single = found.groups()
    if high:
        code = 0x10000 + ((int(high, 16) - 0xD800) << 10) + (int(low, 16) - 0xDC00)
    elif digits := next((group for group in single if group), None):
        code = int(digits, 16)
    else:
        return None  # an escaped backslash: matched only so that what follows it is not taken for an escape
    if code > 0x10FFFF or 0xD800 <= code < 0xE000:
        return None
    return found.start(), found.end(), chr(code)


def _percents(value: Decoded) -> Decoded:
    atoms: list[Atom] = []
    for found in _PERCENT.finditer(value.text):
        try:
            text = bytes.fromhex(found.group().replace("%", "")).decode()
        except UnicodeDecodeError:
            continue
        at = found.start()
        for character in text:
            end = at + 3 * len(character.encode())
            atoms.append((at, end, character))
            at = end
    return _decode(value, atoms)


def encode_text(text: str) -> str:
    """Escapes only what a browser would read otherwise, so that putting a text back gives the same bytes."""
    return re.sub(r"<(?=[A-Za-z/!?]|\Z)", "&lt;", _ampersands(text, references))


def encode_value(text: str) -> str:
    """For a value in double quotes."""
    return _ampersands(text, attribute).replace('"', "&quot;")


def encode_value_single(text: str) -> str:
    """For a value in single quotes."""
    return _ampersands(text, attribute).replace("'", "&#39;")


def encode_percent(text: str) -> str:
    """For an address: no white space, and no percent sign that would be read as an escape."""
    if percent(text).text != text or re.search(r"%[0-9a-fA-F]?\Z", text):
        text = text.replace("%", "%25")
    return re.sub(r"[\s\x00-\x20]", lambda found: quote(found.group()), text)


def encode_strictly(text: str) -> str:
    """Escapes everything that might ever mean something else."""
    return html.escape(text, quote=True)


def encode_script(text: str) -> str:
    """What would end a string, or the script, becomes an escape."""
    return re.sub(r"[\\\"'`<\n\r\u2028\u2029]", lambda found: f"\\u{ord(found.group()):04x}", text)


def _ampersands(text: str, decode: Callable[[str], Decoded]) -> str:
    return text if decode(text).text == text else text.replace("&", "&amp;")
