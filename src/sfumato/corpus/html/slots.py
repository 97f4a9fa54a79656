"""Where an HTML source keeps text: between tags, and in all markup that can name someone."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

from sfumato.corpus.html import chars
from sfumato.corpus.html.names import ADDRESSES, ATTRIBUTES, BLOCKS, MEASURES, NAME_LISTS, NAMES
from sfumato.corpus.html.tokens import Token, tokens
from sfumato.corpus.layout import Change, apply

_KNOWN_PATTERN = re.compile(r"(?:aria-|on)[a-z]+\Z")

_MEASURE = re.compile(r"[0-9.]{0,6}(?:px|em|rem|pt|%)?\Z")
_KEYWORDS = {
    "charset": re.compile(r"(?:utf|iso|windows|us|x-sjis|shift|euc|big5|gb|koi8)[\d_a-z-]*\Z", re.IGNORECASE),
    "type": re.compile(
        r"(?:text|application|image)/[a-z0-9.+-]{1,30}\Z|(?:text|button|submit|reset|checkbox|radio|hidden|file|module)\Z"
    ),
    "rel": re.compile(r"(?:stylesheet|icon|shortcut icon|canonical|alternate|noopener|noreferrer|nofollow| )+\Z"),
    "lang": re.compile(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,4})*\Z"),
    "dir": re.compile(r"(?:ltr|rtl|auto)\Z"),
    "method": re.compile(r"(?:get|post|dialog)\Z", re.IGNORECASE),
    "http-equiv": re.compile(r"(?:content-type|content-language|refresh|x-ua-compatible)\Z", re.IGNORECASE),
    "align": re.compile(r"(?:left|right|center|justify|top|middle|bottom)\Z", re.IGNORECASE),
    "xmlns": re.compile(r"http://www\.w3\.org/[\w/]+\Z"),
    # Changing a declared character set would garble the file for whoever reads it next.
    "content": re.compile(r"text/html;\s*charset=[\w.:-]{1,20}\Z", re.IGNORECASE),
}
_IMAGE_DATA = re.compile(r"data:(?:image/(?!svg)|font/|audio/|video/|application/(?:x-)?font)[^,]*,", re.IGNORECASE)
_STANDARD_DOCTYPE = re.compile(
    r'\s*html\s*(?:(?:PUBLIC\s+"-//W3C//DTD X?HTML [\w .]+//EN"(?:\s+"http://www\.w3\.org/[\w./-]+")?'
    r'|SYSTEM\s+"about:legacy-compat")\s*)?\Z',
    re.IGNORECASE,
)


Encode = Callable[[str], str]


class Patch(NamedTuple):
    """``source[start:end]`` becomes ``new``."""

    start: int
    end: int
    new: str


@dataclass(frozen=True, slots=True)
class Slot:
    """A stretch of the source with text in it, and how text is written there."""

    start: int
    end: int
    decoded: chars.Decoded
    encode: Encode
    strictly: Encode
    character: str = "&#{};"
    """How a character is written that the file's character set lacks."""
    wrapper: str | None = None
    """Where text cannot be put in place, what the whole stretch becomes around the new text."""
    holds: Literal["text", "name", "names", "code"] = "text"
    """Prose, one name that the page gives to a thing, several with spaces between, or code that speaks of them."""

    def rewritten(self, changes: list[Change]) -> list[Patch]:
        """The changes in place, with as little escaping as can be."""
        return self._in_place(changes, self.encode)

    def rewritten_safely(self, changes: list[Change]) -> list[Patch]:
        """The same with everything escaped, for text that means something else beside its new neighbours."""
        return self._in_place(changes, self.strictly)

    def rewritten_whole(self, changes: list[Change]) -> list[Patch]:
        """The same with the untouched text escaped too, where that is what means something else."""
        return [Patch(self.start, self.end, self._whole(apply(self.decoded.text, changes), self.strictly))]

    def _in_place(self, changes: list[Change], encode: Encode) -> list[Patch]:
        places = [(self.decoded.place(change.start), self.decoded.place(change.end)) for change in changes]
        if self.wrapper is not None or any(chars.INSIDE in place for place in places):
            return [Patch(self.start, self.end, self._whole(apply(self.decoded.text, changes), encode))]
        return [
            Patch(self.start + start, self.start + end, encode(change.replacement))
            for (start, end), change in zip(places, changes, strict=True)
        ]

    def _whole(self, text: str, encode: Encode) -> str:
        encoded = encode(text)
        return encoded if self.wrapper is None else self.wrapper.format(encoded)


@dataclass(slots=True)
class Page:
    """The slots of a page, in groups: what a reader sees first, then attributes, comments and scripts."""

    groups: list[list[Slot]]
    images: int
    is_wordless: bool
    """Whether there is nothing to read but, perhaps, the title: a scan, for one."""

    @property
    def texts(self) -> list[list[str]]:
        return [[slot.decoded.text for slot in group] for group in self.groups]


def read_page(source: str) -> Page:
    """All the slots of a source."""
    flow: list[list[Slot]] = [[]]
    hidden: list[list[Slot]] = []
    images, words, within = 0, False, ""
    for token in tokens(source):
        content = source[token.start : token.end]
        if token.kind in ("start", "end"):
            within = token.name if token.kind == "start" else ""
            if token.name == "br":
                flow[-1].append(_line_break(token))
            elif token.name in BLOCKS:
                flow.append([])
        elif token.kind == "text":
            flow[-1].append(_text(token, content))
            words = words or (within != "title" and flow[-1][-1].decoded.text.strip() != "")
        elif token.kind == "raw":
            flow[-1].append(_verbatim(token, content))
            words = words or content.strip() != ""
        elif token.kind == "value" and _IMAGE_DATA.match(content):
            images += 1
        elif slot := _hidden(token, content, source):
            hidden.append([slot])
    return Page([group for group in flow if group] + hidden, images, not words)


def _text(token: Token, content: str) -> Slot:
    return Slot(token.start, token.end, chars.references(content), chars.encode_text, chars.encode_strictly)


def _line_break(token: Token) -> Slot:
    return Slot(
        token.outer_start,
        token.outer_end,
        chars.plain("\n"),
        chars.encode_text,
        chars.encode_strictly,
        wrapper="{}",
    )


def _verbatim(token: Token, content: str) -> Slot:
    return Slot(token.start, token.end, chars.plain(content), str, str, character="")


def _hidden(token: Token, content: str, source: str) -> Slot | None:
    if token.kind == "script":
        return Slot(
            token.start,
            token.end,
            chars.script(content),
            chars.encode_script,
            chars.encode_script,
            r"\u{{{:x}}}",
            holds="code",
        )
    if token.kind == "bogus":
        return Slot(token.outer_start, token.outer_end, chars.plain(content), str, str, "", "<!--{}-->")
    if token.kind == "name":
        return _name(token, content)
    if token.kind == "value":
        return _value(token, content, source)
    if token.kind == "doctype" and _STANDARD_DOCTYPE.match(content):
        return None
    return replace(_verbatim(token, content), holds="code" if token.kind == "style" else "text")


def _name(token: Token, content: str) -> Slot | None:
    """An attribute's name that HTML does not know: in ``alt=Anna Berg`` without quotes, "Berg" is one."""
    if token.name in ATTRIBUTES or _KNOWN_PATTERN.match(token.name):
        return None
    wrapper = 'data-name="{}" data-value'
    return Slot(
        token.start,
        token.end,
        chars.plain(content),
        chars.encode_value,
        chars.encode_strictly,
        wrapper=wrapper,
    )


def _value(token: Token, content: str, source: str) -> Slot | None:
    harmless = _KEYWORDS.get(token.name) or (_MEASURE if token.name in MEASURES else None)
    if harmless is not None and harmless.match(content):
        return None
    opening = source[token.outer_start]
    encode: Encode = chars.encode_value_single if opening == "'" else chars.encode_value
    strictly: Encode = chars.encode_strictly
    decode = chars.attribute
    if token.name in ADDRESSES:
        decode, encode, strictly = chars.address, _in_address(encode), _in_address(strictly)
    wrapper = None if opening in "\"'" else '"{}"'
    holds: Literal["text", "name", "names"] = "text"
    if token.name in NAMES or token.name in ADDRESSES or token.name.startswith("data-"):
        holds = "names" if token.name in NAME_LISTS else "name"
    return Slot(token.start, token.end, decode(content), encode, strictly, wrapper=wrapper, holds=holds)


def _in_address(encode: Encode) -> Encode:
    return lambda text: encode(chars.encode_percent(text))
