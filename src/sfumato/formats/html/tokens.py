"""HTML tokens with their offsets in the source, by the rules of browsers, and character references.

The standard library's parser does not give the offsets of attribute values, and how it reads broken markup depends on
the version of Python; both decide whether a name is found. WHATWG HTML, section 13.2.5.
"""

from __future__ import annotations

import html
import re
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from html.entities import html5
from typing import Literal
from urllib.parse import quote

from sfumato.lexicon.tokens import lazy_pattern

Kind = Literal["text", "raw", "script", "style", "comment", "doctype", "bogus", "start", "end", "name", "value"]
"""``raw`` is text without character references; ``bogus`` is markup that browsers drop as a whole."""

_TAG_NAME = lazy_pattern(r"[A-Za-z][^\t\n\f\r />]*")
_PLAIN_NAME = lazy_pattern(r"[A-Za-z][A-Za-z0-9:_-]*\Z")
_BETWEEN = lazy_pattern(r"[\t\n\f\r /]*")
_ATTRIBUTE = lazy_pattern(r"=?[^\t\n\f\r />=]*")
_EQUALS = lazy_pattern(r"[\t\n\f\r ]*=[\t\n\f\r ]*")
_VALUE = lazy_pattern(r'"[^"]*"|\'[^\']*\'|(?!["\'>])[^\t\n\f\r >]+')
_COMMENT_END = lazy_pattern(r"--!?>")
_SCRIPT_MARK = lazy_pattern(r"<!--|-->|<(/?)script(?=[\t\n\f\r />])", re.IGNORECASE)
_MARKUP = lazy_pattern(r"<(?=[A-Za-z/!?])")

_REFERENCES_ONLY = {"title", "textarea"}
_RAW = {"xmp", "iframe", "noembed", "noframes"}
_CONTENT: dict[str, Kind] = {
    "script": "script",
    "style": "style",
    **dict.fromkeys(_RAW, "raw"),
    **dict.fromkeys(_REFERENCES_ONLY, "text"),
}


@dataclass(frozen=True, slots=True)
class Token:
    """``source[start:end]`` is the content, ``source[outer_start:outer_end]`` the markup around it."""

    kind: Kind
    start: int
    end: int
    outer_start: int
    outer_end: int
    name: str = ""
    """The name of the tag, or of the attribute whose value this is, in lower case."""


def tokenize(source: str) -> Iterator[Token]:
    """All of the source, from left to right."""
    return _Tokenizer(source).run()


class _Tokenizer:
    def __init__(self, source: str) -> None:
        self.source = source
        self.offset = 0
        self.foreign = 0

    def run(self) -> Iterator[Token]:
        while self.offset < len(self.source):
            start = self.offset
            match = _MARKUP.search(self.source, start)
            end = match.start() if match else len(self.source)
            if start < end:
                self.offset = end
                yield Token("text", start, end, start, end)
            if match:
                yield from self._markup(end)

    def _markup(self, start: int) -> Iterator[Token]:
        source = self.source
        if source.startswith("<!--", start):
            yield self._comment(start)
        elif source[start : start + 9].lower() == "<!doctype":
            yield self._until_bracket("doctype", start, 9)
        elif source.startswith(("<!", "<?"), start) or (
            source.startswith("</", start) and not _TAG_NAME.match(source, start + 2)
        ):
            yield self._until_bracket("bogus", start, 2)
        else:
            yield from self._tag(start)

    def _comment(self, start: int) -> Token:
        inner = start + 4
        for empty in (">", "->"):
            if self.source.startswith(empty, inner):
                self.offset = inner + len(empty)
                return Token("comment", inner, inner, start, self.offset)
        match = _COMMENT_END.search(self.source, inner)
        end, self.offset = match.span() if match else (len(self.source), len(self.source))
        return Token("comment", inner, end, start, self.offset)

    def _until_bracket(self, kind: Kind, start: int, skip: int) -> Token:
        end = self.source.find(">", start + skip)
        self.offset = end + 1 if end >= 0 else len(self.source)
        return Token(kind, start + skip, end if end >= 0 else len(self.source), start, self.offset)

    def _tag(self, start: int) -> Iterator[Token]:
        closing = self.source.startswith("</", start)
        matched = _TAG_NAME.match(self.source, start + 1 + closing)
        assert matched is not None
        name = matched.group().lower()
        attributes = self._attributes(matched.end())
        if attributes is None or not _PLAIN_NAME.match(name):
            # A tag that never ends, or a name no element has ("<someone@example.org>"): not shown, but in the file.
            self.offset = len(self.source) if attributes is None else self.offset
            end = self.offset if attributes is None else self.offset - 1
            yield Token("bogus", start + 1, end, start, self.offset)
            return
        yield Token("end" if closing else "start", matched.start(), matched.end(), start, self.offset, name)
        yield from attributes
        if name in ("svg", "math"):
            self.foreign += -1 if closing else 1
        # Foreign elements may close themselves; in HTML elements the slash means nothing.
        empty = self.foreign > 0 and self.source[self.offset - 2 : self.offset] == "/>"
        if not closing and not empty:
            yield from self._content(name)

    def _attributes(self, offset: int) -> list[Token] | None:
        """The names and values up to the tag's end, where ``self.offset`` is left; None if there is no end."""
        tokens: list[Token] = []
        source = self.source
        while True:
            offset = self._end_of(_BETWEEN, offset)
            if offset >= len(source):
                return None
            if source[offset] == ">":
                self.offset = offset + 1
                return tokens
            start, offset = offset, self._end_of(_ATTRIBUTE, offset)
            name = source[start:offset].lower()
            tokens.append(Token("name", start, offset, start, offset, name))
            equals = _EQUALS.match(source, offset)
            if equals is None:
                continue
            offset = equals.end()
            value = _VALUE.match(source, offset)
            if value is not None:
                quoted = source[offset] in "\"'"
                tokens.append(Token("value", offset + quoted, value.end() - quoted, offset, value.end(), name))
                offset = value.end()
            elif source[offset : offset + 1] != ">":
                return None

    def _end_of(self, pattern: re.Pattern[str], offset: int) -> int:
        matched = pattern.match(self.source, offset)
        assert matched is not None  # both patterns match the empty string
        return matched.end()

    def _content(self, name: str) -> Iterator[Token]:
        """The content of elements that hold no markup."""
        start = self.offset
        if name == "plaintext":
            self.offset = len(self.source)
            yield Token("raw", start, self.offset, start, self.offset)
        elif name in _CONTENT:
            self.offset = self._script_end(start) if name == "script" else self._content_end(name, start)
            yield Token(_CONTENT[name], start, self.offset, start, self.offset, name)

    def _content_end(self, name: str, start: int) -> int:
        match = lazy_pattern(rf"</{name}(?=[\t\n\f\r />])", re.IGNORECASE).search(self.source, start)
        return match.start() if match else len(self.source)

    def _script_end(self, start: int) -> int:
        """The end of a script; an end tag that pairs with a start tag inside "<!-- -->" does not count."""
        escaped = nested = False
        offset = start
        while match := _SCRIPT_MARK.search(self.source, offset):
            mark = match.group()
            offset = match.end()
            if mark == "<!--":
                escaped = True
                offset -= 2  # "<!-->" opens and closes at once
            elif mark == "-->":
                escaped = nested = False
            elif not match.group(1):
                nested = nested or escaped
            elif nested:
                nested = False
            else:
                return match.start()
        return len(self.source)


Replacement = tuple[int, int, str]
"""Start, end and the text that ``source[start:end]`` stands for."""

ELIDED = "\u2026"
INSIDE = -1
"""Marks an offset inside an escape: the source cannot be cut there."""

_REFERENCE = lazy_pattern(r"&(?:#[0-9]+;?|#[xX][0-9a-fA-F]+;?|[A-Za-z][A-Za-z0-9]*;?)")
_LONGEST = max(map(len, html5))
_ESCAPE = lazy_pattern(
    r"\\\\|\\u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})"
    r"|\\u([0-9a-fA-F]{4})|\\u\{([0-9a-fA-F]{1,6})\}|\\x([0-9a-fA-F]{2})"
)
_PERCENT = lazy_pattern(r"(?:%[0-9a-fA-F]{2})+")


@dataclass(frozen=True, slots=True)
class Decoded:
    """Decoded text, and for every offset in it the offset in the raw string (None: they are the same)."""

    text: str
    offsets: Sequence[int] | None = None

    def source_offset(self, position: int) -> int:
        return position if self.offsets is None else self.offsets[position]


def references(raw: str) -> Decoded:
    """Text between tags, with character references."""
    return _decode(Decoded(raw), _references(raw))


def attribute(raw: str) -> Decoded:
    """An attribute's value, where a reference without semicolon must not run on into letters or "="."""
    return _decode(Decoded(raw), (reference for reference in _references(raw) if not _runs_on(raw, reference)))


def address(raw: str) -> Decoded:
    """An attribute's value that is an address: percent escapes are read too, or they would hide an "@"."""
    return _percents(attribute(raw))


def percent(raw: str) -> Decoded:
    """An address outside of HTML."""
    return _percents(Decoded(raw))


def script(raw: str) -> Decoded:
    """A script, with the escapes that its strings, and those of JSON, write letters in."""
    return _decode(Decoded(raw), (reference for match in _ESCAPE.finditer(raw) if (reference := _escape(match))))


def elide(within: Decoded, ranges: Iterable[tuple[int, int]]) -> Decoded:
    """The decoded text with a sign in place of each range, which an edit of the sign takes out."""
    return _decode(within, ((start, end, ELIDED) for start, end in ranges))


def _decode(within: Decoded, replacements: Iterable[Replacement]) -> Decoded:
    parts: list[str] = []
    offsets = array("q")
    done = 0
    for start, end, text in replacements:
        parts += [within.text[done:start], text]
        offsets.extend(within.source_offset(position) for position in range(done, start))
        offsets.append(within.source_offset(start))
        offsets.extend([INSIDE] * (len(text) - 1))
        done = end
    if not parts:
        return within
    parts.append(within.text[done:])
    offsets.extend(within.source_offset(position) for position in range(done, len(within.text) + 1))
    return Decoded("".join(parts), offsets)


def _references(raw: str) -> Iterator[Replacement]:
    return (reference for match in _REFERENCE.finditer(raw) if (reference := _reference(match)))


def _runs_on(raw: str, replacement: Replacement) -> bool:
    start, end, _ = replacement
    follower = raw[end : end + 1]
    return raw[start + 1] != "#" and raw[end - 1] != ";" and (follower == "=" or follower.isalnum())


def _reference(match: re.Match[str]) -> Replacement | None:
    raw = match.group()
    if raw.startswith("&#"):
        text = _numbered(raw)
        return (match.start(), match.end(), text) if text else None
    name = raw[1 : _LONGEST + 1]
    for size in range(len(name), 1, -1):
        if text := html5.get(name[:size], ""):
            return match.start(), match.start() + 1 + size, text
    return None


def _numbered(raw: str) -> str:
    short = re.sub(r"([#xX])0+(?=[0-9a-fA-F])", r"\1", raw)
    return html.unescape(short) if len(short) < _LONGEST else "\ufffd"


def _escape(match: re.Match[str]) -> Replacement | None:
    high, low, *single = match.groups()
    if high:
        code = 0x10000 + ((int(high, 16) - 0xD800) << 10) + (int(low, 16) - 0xDC00)
    elif digits := next((group for group in single if group), None):
        code = int(digits, 16)
    else:
        return None  # an escaped backslash, matched so that what follows it is not taken for an escape
    if code > 0x10FFFF or 0xD800 <= code < 0xE000:
        return None
    return match.start(), match.end(), chr(code)


def _percents(value: Decoded) -> Decoded:
    return _decode(value, _percent_escapes(value.text))


def _percent_escapes(text: str) -> Iterator[Replacement]:
    for match in _PERCENT.finditer(text):
        try:
            decoded = bytes.fromhex(match.group().replace("%", "")).decode()
        except UnicodeDecodeError:
            continue
        start = match.start()
        for character in decoded:
            end = start + 3 * len(character.encode())
            yield start, end, character
            start = end


def encode_text(text: str) -> str:
    """Escapes only what a browser would read differently, so that unchanged text gives the same bytes."""
    return re.sub(r"<(?=[A-Za-z/!?]|\Z)", "&lt;", _ampersands(text, references))


def encode_value(text: str) -> str:
    """For a value in double quotes."""
    return _ampersands(text, attribute).replace('"', "&quot;")


def encode_value_single(text: str) -> str:
    """For a value in single quotes."""
    return _ampersands(text, attribute).replace("'", "&#39;")


def encode_percent(text: str) -> str:
    """For an address: escapes white space, and percent signs that would be read as an escape."""
    if percent(text).text != text or re.search(r"%[0-9a-fA-F]?\Z", text):
        text = text.replace("%", "%25")
    return re.sub(r"[\s\x00-\x20]", lambda match: quote(match.group()), text)


def encode_strictly(text: str) -> str:
    """Escapes everything that could mean something else in any context."""
    return html.escape(text, quote=True)


def encode_script(text: str) -> str:
    """Escapes what would end a string or the script."""
    return re.sub(r"[\\\"'`<\n\r\u2028\u2029]", lambda match: f"\\u{ord(match.group()):04x}", text)


def _ampersands(text: str, decode: Callable[[str], Decoded]) -> str:
    return text if decode(text).text == text else text.replace("&", "&amp;")
