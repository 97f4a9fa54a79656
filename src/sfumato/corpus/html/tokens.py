"""Cuts HTML into tokens that know their place in the source, by the rules browsers follow.

The standard library's parser does not give the place of attribute values, and how it reads broken markup
depends on the version of Python; for us both decide whether a name is found. WHATWG HTML, section 13.2.5.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

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


def tokens(source: str) -> Iterator[Token]:
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
