"""HTML pages, edited in place: what no edit touches stays the same byte for byte."""

from __future__ import annotations

import codecs
import re
from binascii import b2a_base64
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar, Literal, NamedTuple
from urllib.parse import unquote_to_bytes

from sfumato.document import Document, Release
from sfumato.errors import OutputError
from sfumato.formats.base import Unreadable
from sfumato.formats.containers import Kind, from_base64, kind_of
from sfumato.formats.html import tokens
from sfumato.formats.html.tokens import Token, tokenize
from sfumato.formats.identifiers import Place
from sfumato.formats.images import without_metadata
from sfumato.formats.layout import Change, Changes, apply_changes, changes_by_slot, group_starts, text_of
from sfumato.formats.text import BOM, read_bytes, refuse_utf16
from sfumato.lexicon.tables import word_set, words
from sfumato.lexicon.tokens import alternation, lazy_pattern


def _names(key: str) -> frozenset[str]:
    return word_set("html", key, package="sfumato.formats")


BLOCKS = _names("blocks")
"""Elements that a reader sees apart from their neighbours; text of all other elements runs on."""
ATTRIBUTES = _names("attributes")
"""Attribute names that say nothing about anyone. Any other attribute name is text."""
ADDRESSES = _names("addresses")
"""Attributes whose value is an address, with percent escapes."""
NAME_LISTS = _names("name_lists")
"""Attributes whose value is a list of names, separated by spaces."""
NAMES = NAME_LISTS | _names("names")
"""Attributes whose value is a name for the machine, or a list of them."""
MEASURES = _names("measures")
"""Attributes whose value is a number, possibly with a unit."""

_KNOWN_PATTERN = lazy_pattern(r"(?:aria-|on)[a-z]+\Z")

_MEASURE = lazy_pattern(r"[0-9.]{0,6}(?:px|em|rem|pt|%)?\Z")
_KEYWORDS = {
    "charset": lazy_pattern(
        r"(?:utf-?(?:8|16(?:le|be)?)|iso-\d{4}-(?:\d{1,2}|jp|kr)|windows-\d{3,4}|us-ascii|x-sjis|shift_?jis|euc-(?:jp|kr)|big5"
        r"|gb(?:k|2312|18030)|koi8-[ru])\Z",
        re.IGNORECASE,
    ),
    "type": lazy_pattern(rf"(?:{alternation(words('html', 'types', package='sfumato.formats'))})\Z", re.IGNORECASE),
    "rel": lazy_pattern(r"(?:stylesheet|icon|shortcut icon|canonical|alternate|noopener|noreferrer|nofollow| )+\Z"),
    "lang": lazy_pattern(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,4})*\Z"),
    "dir": lazy_pattern(r"(?:ltr|rtl|auto)\Z"),
    "method": lazy_pattern(r"(?:get|post|dialog)\Z", re.IGNORECASE),
    "http-equiv": lazy_pattern(r"(?:content-type|content-language|refresh|x-ua-compatible)\Z", re.IGNORECASE),
    "align": lazy_pattern(r"(?:left|right|center|justify|top|middle|bottom)\Z", re.IGNORECASE),
    "xmlns": lazy_pattern(r"http://www\.w3\.org/[\w/]+\Z"),
    # Changing a declared character set would garble the file for whoever reads it next.
    "content": lazy_pattern(r"text/html;\s*charset=[\w.:-]{1,20}\Z", re.IGNORECASE),
}
_ONLY_MEDIA = lazy_pattern(
    rf"\s*data:(?:image|font|audio|video|application)/[\w.+-]{{1,30}};\s*base64\s*,{tokens.ELIDED}\s*", re.IGNORECASE
)
_STANDARD_DOCTYPE = lazy_pattern(
    r'\s*html\s*(?:(?:PUBLIC\s+"-//W3C//DTD X?HTML [\w .]+//EN"(?:\s+"http://www\.w3\.org/[\w./-]+")?'
    r'|SYSTEM\s+"about:legacy-compat")\s*)?\Z',
    re.IGNORECASE,
)


Encode = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class Slot:
    """A range of the source that holds text, and how text is written there."""

    start: int
    end: int
    decoded: tokens.Decoded
    encode: Encode = tokens.encode_text
    encode_strictly: Encode = tokens.encode_strictly
    character: str = "&#{};"
    """How a character is written that the file's character set lacks."""
    wrapper: str | None = None
    """What the whole range becomes around the new text, where text cannot be replaced in place."""
    holds: Literal["text", "name", "names", "code"] = "text"
    """Prose, one identifier, several separated by spaces, or code that refers to identifiers."""

    def patch(self, changes: list[Change], encode: Encode) -> list[Change]:
        """The changes in place, where that is possible."""
        ranges = [
            (self.decoded.source_offset(change.start), self.decoded.source_offset(change.end)) for change in changes
        ]
        if self.wrapper is not None or any(tokens.INSIDE in offsets for offsets in ranges):
            return self.patch_whole(changes, encode)
        return [
            Change(self.start + start, self.start + end, encode(change.replacement))
            for (start, end), change in zip(ranges, changes, strict=True)
        ]

    def patch_whole(self, changes: list[Change], encode: Encode) -> list[Change]:
        """The whole text written again, the unchanged parts included."""
        encoded = encode(apply_changes(self.decoded.text, changes))
        return [Change(self.start, self.end, encoded if self.wrapper is None else self.wrapper.format(encoded))]


@dataclass(slots=True)
class Page:
    """The slots of a page in groups: first what a reader sees, then attributes, comments and scripts."""

    groups: list[list[Slot]]
    media: Counter[str]
    """How many pictures, fonts, sounds and films there are in data: addresses; they are not part of the text."""
    is_wordless: bool
    """Whether there is no text but, perhaps, the title, as in a scan."""

    @property
    def texts(self) -> list[list[str]]:
        return [[slot.decoded.text for slot in group] for group in self.groups]


def read_page(source: str) -> Page:
    """All the slots of a source."""
    flow: list[list[Slot]] = [[]]
    hidden: list[list[Slot]] = []
    media: Counter[str] = Counter()
    has_words, element = False, ""
    for token in tokenize(source):
        content = source[token.start : token.end]
        if token.kind in ("start", "end"):
            element = token.name if token.kind == "start" else ""
            if token.name == "br":
                flow[-1].append(Slot(token.outer_start, token.outer_end, tokens.Decoded("\n"), wrapper="{}"))
            elif token.name in BLOCKS and flow[-1]:
                flow.append([])
        elif token.kind == "text":
            flow[-1].append(Slot(token.start, token.end, tokens.references(content)))
            has_words = has_words or (element != "title" and flow[-1][-1].decoded.text.strip() != "")
        elif token.kind == "raw":
            flow[-1].append(_verbatim(token, content))
            has_words = has_words or content.strip() != ""
        elif slot := _hidden(token, content, source):
            decoded, kinds = without_media(slot.decoded)
            media.update(kinds)
            if not (kinds and _ONLY_MEDIA.fullmatch(decoded.text)):
                hidden.append([replace(slot, decoded=decoded) if kinds else slot])
    return Page([group for group in flow if group] + hidden, media, not has_words)


def _verbatim(token: Token, content: str) -> Slot:
    return Slot(token.start, token.end, tokens.Decoded(content), str, str, character="")


def _hidden(token: Token, content: str, source: str) -> Slot | None:
    if token.kind == "script":
        encode, decoded = tokens.encode_script, tokens.script(content)
        return Slot(token.start, token.end, decoded, encode, encode, r"\u{{{:x}}}", holds="code")
    if token.kind == "bogus":
        return Slot(token.outer_start, token.outer_end, tokens.Decoded(content), str, str, "", "<!--{}-->")
    if token.kind == "name":
        return _name(token, content)
    if token.kind == "value":
        return _value(token, content, source)
    if token.kind == "doctype" and _STANDARD_DOCTYPE.match(content):
        return None
    return replace(_verbatim(token, content), holds="code" if token.kind == "style" else "text")


def _name(token: Token, content: str) -> Slot | None:
    """An attribute name that HTML does not define: in ``alt=Anna Berg`` without quotes, "Berg" is one."""
    if token.name in ATTRIBUTES or _KNOWN_PATTERN.match(token.name):
        return None
    wrapper = 'data-name="{}" data-value'
    return Slot(token.start, token.end, tokens.Decoded(content), tokens.encode_value, wrapper=wrapper)


def _value(token: Token, content: str, source: str) -> Slot | None:
    harmless = _KEYWORDS.get(token.name) or (_MEASURE if token.name in MEASURES else None)
    if harmless is not None and harmless.match(content):
        return None
    opening = source[token.outer_start]
    encode: Encode = tokens.encode_value_single if opening == "'" else tokens.encode_value
    encode_strictly: Encode = tokens.encode_strictly
    decode = tokens.attribute
    if token.name in ADDRESSES:
        decode, encode = tokens.address, _in_address(encode)
        encode_strictly = _in_address(encode_strictly)
    wrapper = None if opening in "\"'" else '"{}"'
    holds: Literal["text", "name", "names"] = "text"
    if token.name in NAMES or token.name in ADDRESSES or token.name.startswith("data-"):
        holds = "names" if token.name in NAME_LISTS else "name"
    return Slot(token.start, token.end, decode(content), encode, encode_strictly, wrapper=wrapper, holds=holds)


def _in_address(encode: Encode) -> Encode:
    return lambda text: encode(tokens.encode_percent(text))


_DECLARED = lazy_pattern(rb"<meta\b[^>]*?\bcharset\s*=\s*[\"']?\s*([\w.:-]+)", re.IGNORECASE)
_HEAD = 4096
_DATA_ADDRESS = lazy_pattern(r"\bdata:\s*+(?P<type>[\w.+-]++/[\w.+-]++)?+\s*+(?=[;,])", re.IGNORECASE)
_BASE64 = lazy_pattern(r"46esab\s*+;", re.IGNORECASE)
"""The end of a header, read backwards."""
_EMBEDDED_DATA = lazy_pattern(r"[^\s\"'()]*")
_BASE64_DATA = lazy_pattern(r"[^\s\"'(),;]*+(?:\s++(?:[A-Za-z0-9+/_-]{20}|[A-Za-z0-9+/_-]++=)[^\s\"'(),;]*+)*+")
"""A space in it is a line break, but before a second candidate (srcset)."""
_SHORTEST_DATA = 4
_MEDIA = ("image", "font", "sound or film")
_PERCENT = lazy_pattern(r"%[0-9a-fA-F]{2}")
# What browsers read under these names: a superset, or UTF-8 where the declaration itself was readable.
_READ_AS = {"iso8859-1": "cp1252", "ascii": "cp1252", "utf-16": "utf-8", "utf-16-le": "utf-8", "utf-16-be": "utf-8"}


class Html:
    """A page: what a reader sees, then its attributes, comments and scripts, each on its own line."""

    name: ClassVar[str] = "html"
    holds: ClassVar[Literal["document"]] = "document"

    def read(self, path: Path, document_id: str) -> Document:
        source, _, _ = decode_page(path)
        page = read_page(source)
        meta = {
            "unchecked": _unchecked(path, page),
            "wordless": page.is_wordless,
            "identifiers": tuple(_identifiers(page)),
            "borders": tuple(group_starts(page.texts).values()),
        }
        return Document(document_id, text_of(page.texts), meta=meta)

    def render(self, source: Path, release: Release) -> bytes:
        if release.rewrite is not None:
            raise OutputError(f"{source}: a rewritten text has lost its place in the page; write .jsonl instead")
        text, charset, bom = decode_page(source)
        page = read_page(text)
        changes = changes_by_slot(page.texts, release)
        for patches in _ways_to_patch(page, changes):
            rendered = _apply_patches(text, patches, charset)
            try:
                data = rendered.encode(charset)
            except UnicodeEncodeError:
                raise OutputError(
                    f"{source}: a replacement cannot be written in {charset}; save the page as UTF-8 first"
                ) from None
            if text_of(read_page(rendered).texts) == release.text:
                return bom + data
        raise OutputError(
            f"{source}: a replacement would end the comment or style it stands in; choose another replacer"
        )


def decode_page(path: Path) -> tuple[str, str, bytes]:
    """The source, its character set and its byte order mark."""
    data = read_bytes(path)
    refuse_utf16(path, data)
    bom = BOM if data.startswith(BOM) else b""
    declared = _DECLARED.search(data[:_HEAD])
    charset = "utf-8" if bom or declared is None else _charset(path, declared.group(1).decode("latin-1"))
    body = data.removeprefix(BOM)
    try:
        source = body.decode(charset)
        is_reversible = source.encode(charset) == body
    except UnicodeError:
        is_reversible = False
    if not is_reversible:
        raise Unreadable(path, f"is not valid {charset}; save it as UTF-8 and declare that")
    return source, charset, bom


def _charset(path: Path, declared: str) -> str:
    try:
        name = codecs.lookup(declared).name
        "".encode(name)  # some codecs are not for text
    except LookupError:
        raise Unreadable(path, "declares a character set that is not known; save it as UTF-8") from None
    return _READ_AS.get(name, name)


class _Embedded(NamedTuple):
    """``text[start:end]`` is the data of a data: address; its kind by its content, None for text and the unknown."""

    start: int
    end: int
    kind: Kind | None
    is_base64: bool
    data: bytes


def _embedded(text: str) -> Iterator[_Embedded]:
    """The data: addresses of a text, each part of which is read once: a header ends at its first comma."""
    position = 0
    while first := _DATA_ADDRESS.search(text, position):
        comma = text.find(",", first.end())
        if comma < 0:
            return
        is_base64 = _BASE64.match(text[first.end() : comma].rstrip()[::-1]) is not None
        after = comma + 1
        content = _BASE64_DATA.match(text, after) if is_base64 else _EMBEDDED_DATA.match(text, after)
        assert content is not None  # both match the empty string
        position = content.end()
        if len(content.group()) >= _SHORTEST_DATA:
            data = from_base64(content.group()) if is_base64 else unquote_to_bytes(content.group())
            yield _Embedded(*content.span(), kind_of(data), is_base64, data)


def without_media(decoded: tokens.Decoded) -> tuple[tokens.Decoded, list[str]]:
    """The text of an attribute, a style or a script without what its data: addresses hold, and the kinds of that."""
    media = [embedded for embedded in _embedded(decoded.text) if embedded.is_base64 and embedded.kind in _MEDIA]
    ranges = [(embedded.start, embedded.end) for embedded in media]
    return (tokens.elide(decoded, ranges) if media else decoded), [str(embedded.kind) for embedded in media]


def clean_pictures(source: str) -> str:
    """The source of an attribute, a style or a script, with pictures in data: addresses without their metadata."""
    parts, end = [], 0
    for embedded in _embedded(source):
        if embedded.is_base64 and (cleaned := without_metadata(embedded.data)) != embedded.data:
            parts += [source[end : embedded.start], b2a_base64(cleaned, newline=False).decode()]
            end = embedded.end
    return "".join([*parts, source[end:]])


def _unchecked(path: Path, page: Page) -> dict[str, int]:
    """What is embedded in data: addresses, which no detector reads, by kind. Raises where it is a text or a file."""
    parts = Counter({f"embedded {kind}": count for kind, count in page.media.items()})
    for slot in (slot for group in page.groups for slot in group):
        for embedded in _embedded(slot.decoded.text):
            if embedded.kind in _MEDIA:
                parts[f"embedded {embedded.kind}"] += 1
            elif embedded.is_base64:
                raise Unreadable(path, "holds a text or a file inside a data: address; take it out, or save it apart")
            # Percent escapes are decoded in attributes that are addresses, but not in styles and scripts.
            elif _PERCENT.search(slot.decoded.text, embedded.start, embedded.end):
                parts["embedded text"] += 1
    return dict(parts)


def _identifiers(page: Page) -> Iterator[Place]:
    """The ranges of ids, classes and file names, and of the code that uses them."""
    texts = page.texts
    starts = group_starts(texts)
    for number, group in enumerate(page.groups):
        if number not in starts or group[0].holds == "text":
            continue
        start, text = starts[number], text_of([texts[number]])
        if group[0].holds == "names":
            yield from (Place(start + name.start(), start + name.end()) for name in re.finditer(r"\S+", text))
        else:
            yield Place(start, start + len(text), "code" if group[0].holds == "code" else "name")


Patches = Iterator[tuple[Slot, list[Change]]]


def _ways_to_patch(page: Page, changes: Changes) -> Iterator[Patches]:
    """With as little escaping as possible; with replacements escaped; with unchanged text escaped, too.

    The later ones are for text that would mean something else next to its new neighbours.
    """
    slots = {(group, index): slot for group, slots in enumerate(page.groups) for index, slot in enumerate(slots)}
    yield ((slots[key], slots[key].patch(edits, slots[key].encode)) for key, edits in changes.items())
    yield ((slots[key], slots[key].patch(edits, slots[key].encode_strictly)) for key, edits in changes.items())
    yield ((slot, slot.patch_whole(changes.get(key, []), slot.encode_strictly)) for key, slot in slots.items())


def _apply_patches(source: str, patches: Patches, charset: str) -> str:
    written = [
        Change(start, end, _with_references(new, charset, slot.character))
        for slot, slot_patches in patches
        for start, end, new in slot_patches
    ]
    return apply_changes(source, sorted(written, key=lambda change: change[:2]))


def _with_references(text: str, charset: str, reference: str) -> str:
    """The text with characters that the character set lacks as references, where the slot allows references."""
    if not reference or charset == "utf-8":
        return text
    return "".join(
        character if character.encode(charset, "ignore") else reference.format(ord(character)) for character in text
    )
