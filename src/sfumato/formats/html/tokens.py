"""Cuts HTML into tokens that know their place in the source, by the rules browsers follow.

The standard library's parser does not give the place of attribute values, and how it reads broken markup
depends on the version of Python; for us both decide whether a name is found. WHATWG HTML, section 13.2.5.
"""

from __future__ import annotations

import html
import re
from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from html.entities import html5
from typing import Literal
from urllib.parse import quote

Kind = Literal["text", "raw", "script", "style", "comment", "doctype", "bogus", "start", "end", "name", "value"]
"""``raw`` is text without character references; ``bogus`` is markup that browsers drop, as a whole."""

_TAG_NAME = re.compile(r"[A-Za-z][^\t\n\f\r />]*")
_PLAIN_NAME = re.compile(r"[A-Za-z][A-Za-z0-9:_-]*\Z")
_BETWEEN = re.compile(r"[\t\n\f\r /]*")
_ATTRIBUTE = re.compile(r"=?[^\t\n\f\r />=]*")
_EQUALS = re.compile(r"[\t\n\f\r ]*=[\t\n\f\r ]*")
_VALUE = re.compile(r'"[^"]*"|\'[^\']*\'|(?!["\'>])[^\t\n\f\r >]+')
_COMMENT_END = re.compile(r"--!?>")
_SCRIPT_MARK = re.compile(r"<!--|-->|<(/?)script(?=[\t\n\f\r />])", re.IGNORECASE)
_MARKUP = re.compile(r"<(?=[A-Za-z/!?])")

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
    """``source[start:end]`` is the content; ``outer_start:outer_end`` the markup that it stands in."""

    kind: Kind
    start: int
    end: int
    outer_start: int
    outer_end: int
    name: str = ""
    """Of a tag, or of the attribute whose value this is, in lower case."""


def tokenize(source: str) -> Iterator[Token]:
    """All of the source, from left to right."""
    return _Tokenizer(source).run()


class _Tokenizer:
    def __init__(self, source: str) -> None:
        self.source = source
        self.at = 0
        self.foreign = 0

    def run(self) -> Iterator[Token]:
        while self.at < len(self.source):
            start = self.at
            found = _MARKUP.search(self.source, start)
            end = found.start() if found else len(self.source)
            if start < end:
                self.at = end
                yield Token("text", start, end, start, end)
            if found:
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
                self.at = inner + len(empty)
                return Token("comment", inner, inner, start, self.at)
        found = _COMMENT_END.search(self.source, inner)
        end, self.at = found.span() if found else (len(self.source), len(self.source))
        return Token("comment", inner, end, start, self.at)

    def _until_bracket(self, kind: Kind, start: int, skip: int) -> Token:
        end = self.source.find(">", start + skip)
        self.at = end + 1 if end >= 0 else len(self.source)
        return Token(kind, start + skip, end if end >= 0 else len(self.source), start, self.at)

    def _tag(self, start: int) -> Iterator[Token]:
        closing = self.source.startswith("</", start)
        matched = _TAG_NAME.match(self.source, start + 1 + closing)
        assert matched is not None
        name = matched.group().lower()
        attributes = self._attributes(matched.end())
        if attributes is None or not _PLAIN_NAME.match(name):
            # A tag that never ends, or a name no element has ("<someone@example.org>"): not shown, but there.
            self.at = len(self.source) if attributes is None else self.at
            end = self.at if attributes is None else self.at - 1
            yield Token("bogus", start + 1, end, start, self.at)
            return
        yield Token("end" if closing else "start", matched.start(), matched.end(), start, self.at, name)
        yield from attributes
        if name in ("svg", "math"):
            self.foreign += -1 if closing else 1
        # Foreign elements may close themselves; for those of HTML the slash means nothing.
        empty = self.foreign > 0 and self.source[self.at - 2 : self.at] == "/>"
        if not closing and not empty:
            yield from self._content(name)

    def _attributes(self, at: int) -> list[Token] | None:
        """The names and values up to the tag's end, where ``self.at`` is left; None if there is no end."""
        found: list[Token] = []
        source = self.source
        while True:
            at = self._end_of(_BETWEEN, at)
            if at >= len(source):
                return None
            if source[at] == ">":
                self.at = at + 1
                return found
            start, at = at, self._end_of(_ATTRIBUTE, at)
            name = source[start:at].lower()
            found.append(Token("name", start, at, start, at, name))
            equals = _EQUALS.match(source, at)
            if equals is None:
                continue
            at = equals.end()
            value = _VALUE.match(source, at)
            if value is not None:
                quoted = source[at] in "\"'"
                found.append(Token("value", at + quoted, value.end() - quoted, at, value.end(), name))
                at = value.end()
            elif source[at : at + 1] != ">":
                return None

    def _end_of(self, pattern: re.Pattern[str], at: int) -> int:
        matched = pattern.match(self.source, at)
        assert matched is not None  # both patterns match the empty string
        return matched.end()

    def _content(self, name: str) -> Iterator[Token]:
        """What stands in elements whose content is no markup."""
        start = self.at
        if name == "plaintext":
            self.at = len(self.source)
            yield Token("raw", start, self.at, start, self.at)
        elif name in _CONTENT:
            self.at = self._script_end(start) if name == "script" else self._content_end(name, start)
            yield Token(_CONTENT[name], start, self.at, start, self.at, name)

    def _content_end(self, name: str, start: int) -> int:
        found = re.compile(rf"</{name}(?=[\t\n\f\r />])", re.IGNORECASE).search(self.source, start)
        return found.start() if found else len(self.source)

    def _script_end(self, start: int) -> int:
        """Where a script ends: not at an end tag that pairs with a start tag inside "<!-- -->"."""
        escaped = nested = False
        at = start
        while found := _SCRIPT_MARK.search(self.source, at):
            mark = found.group()
            at = found.end()
            if mark == "<!--":
                escaped = True
                at -= 2  # "<!-->" opens and closes at once
            elif mark == "-->":
                escaped = nested = False
            elif not found.group(1):
                nested = nested or escaped
            elif nested:
                nested = False
            else:
                return found.start()
        return len(self.source)


# -- The characters of an HTML source as a reader sees them, each with the stretch of source behind it.


DecodedReference = tuple[int, int, str]
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
    return _decode(Decoded(raw), [reference for reference in _references(raw) if not _runs_on(raw, reference)])


def address(raw: str) -> Decoded:
    """An attribute's value that is an address: percent escapes are read too, or they would hide an "@"."""
    return _percents(attribute(raw))


def percent(raw: str) -> Decoded:
    """An address outside of HTML."""
    return _percents(Decoded(raw))


def script(raw: str) -> Decoded:
    """A script, with the escapes that its strings, and those of JSON, write letters in."""
    return _decode(Decoded(raw), [reference for found in _ESCAPE.finditer(raw) if (reference := _escape(found))])


def _decode(within: Decoded, references_found: list[DecodedReference]) -> Decoded:
    if not references_found:
        return within
    parts: list[str] = []
    bounds = array("q")
    at = 0
    for start, end, text in references_found:
        parts += [within.text[at:start], text]
        bounds.extend(within.place(position) for position in range(at, start))
        bounds.append(within.place(start))
        bounds.extend([INSIDE] * (len(text) - 1))
        at = end
    parts.append(within.text[at:])
    bounds.extend(within.place(position) for position in range(at, len(within.text) + 1))
    return Decoded("".join(parts), bounds)


def _references(raw: str) -> list[DecodedReference]:
    return [reference for found in _REFERENCE.finditer(raw) if (reference := _reference(found))] if "&" in raw else []


def _runs_on(raw: str, reference: DecodedReference) -> bool:
    start, end, _ = reference
    follower = raw[end : end + 1]
    return raw[start + 1] != "#" and raw[end - 1] != ";" and (follower == "=" or follower.isalnum())


def _reference(found: re.Match[str]) -> DecodedReference | None:
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


def _escape(found: re.Match[str]) -> DecodedReference | None:
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
    references_found: list[DecodedReference] = []
    for found in _PERCENT.finditer(value.text):
        try:
            text = bytes.fromhex(found.group().replace("%", "")).decode()
        except UnicodeDecodeError:
            continue
        at = found.start()
        for character in text:
            end = at + 3 * len(character.encode())
            references_found.append((at, end, character))
            at = end
    return _decode(value, references_found)


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
