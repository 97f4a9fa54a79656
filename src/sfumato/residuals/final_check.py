"""The final check of a rendered file: nothing that was replaced stands anywhere in it.

A format edits the text that it knows of. This check has no list of such places. It goes through everything a file is
made of (members of a package and their names; names, attributes, namespaces and text of XML and HTML; strings in
binary members) and hides what the release replaced, and what the detectors find in fields that are not part of the
document's text. What cannot be hidden there makes the check refuse the file, and name the place.
"""

from __future__ import annotations

import io
import re
import zipfile
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from html import escape
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any, Literal
from urllib.parse import quote, unquote

from lxml import etree

from sfumato.document import Document, Range, Release, Span, outside
from sfumato.errors import OutputError
from sfumato.files import TemporaryFolder, reports_full_disk
from sfumato.formats.base import FileFormat
from sfumato.formats.containers import TooLargeUnpacked, Unpacker, find_encoded
from sfumato.formats.docx.package import read_members, serialize, write_package
from sfumato.formats.html import tokens
from sfumato.formats.html.document import Html, clean_pictures, decode_page, without_media
from sfumato.formats.images import without_metadata
from sfumato.lexicon import wordnet
from sfumato.lexicon.grammar import merge_ranges
from sfumato.lexicon.name_lists import common_words, given_names, is_full_name
from sfumato.lexicon.tables import words
from sfumato.lexicon.tokens import lazy_pattern
from sfumato.residuals.values import Piece, ValueIndex, join_pieces, pieces, replaced_values

Detect = Callable[[Document], list[Span]]
FindRanges = Callable[[str], Sequence[Range]]
FieldKind = Literal["text", "code", "name"]
"""Text that the detectors have read; a comment, a style or a script; or what is for machines alone."""

# Fields that are not part of the document's text.

_MACHINE_VALUE = lazy_pattern(
    r"[-+]?[\d.,]{1,11}(?:%|[A-Za-z]{1,3})?|(?:0x|#)?[0-9A-Fa-f]{6,12}"
    r"|\{?[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}\}?|[A-Za-z]{1,40}"
)
"""Numbers, measures, colours, GUIDs and single words: what the attributes of a format itself hold."""
_STANDARD_URI = lazy_pattern(
    "(?:"
    + "|".join(re.escape(start) for start in words("standard_names", "uris", package="sfumato.formats"))
    + r")[\w./:#;=-]*"
)
_FONTS = frozenset(words("standard_names", "fonts", package="sfumato.formats"))
_STYLES = frozenset(words("standard_names", "styles", package="sfumato.formats"))
_FULL_NAME = 2
"""Words of a full name."""
_SHORTEST_WORD = 4
_SHORTEST_NAME = 9
"""Letters of a name that is written as an identifier, and of each of its words."""
_LONG_NUMBER = lazy_pattern(r"\d(?:[ ./()-]{0,2}\d){6,}")
_MAIL = lazy_pattern(r"\w@\w")


class FieldDetector:
    """Finds personal values in fields that nobody reads: attributes, names of parts, names of elements."""

    def __init__(self, detect: Detect) -> None:
        self._detect = detect

    def find(self, field: str) -> list[tuple[int, int]]:
        """Ranges of full names, mail addresses and long numbers; ordinary values of a format have none."""
        if field in _STYLES or _STANDARD_URI.fullmatch(field) or field.casefold() in _FONTS:
            return []
        if _MACHINE_VALUE.fullmatch(field):
            return self._names_in_words(field)
        # Only these can be found: most identifiers need no detector.
        may_have = _MAIL.search(field) or _LONG_NUMBER.search(field) or len(field.split()) >= _FULL_NAME
        spans = self._detect(Document("field", field)) if may_have else []
        ranges = [(span.start, span.end) for span in spans if _is_personal(field[span.start : span.end], span.label)]
        return merge_ranges([*ranges, *_full_names(field), *self._names_in_words(field)])

    def _names_in_words(self, field: str) -> list[tuple[int, int]]:
        """Names that the detectors find once ``annaQuorvex`` and ``ANNA_QUORVEX`` are written as Anna Quorvex."""
        cut = list(pieces(field))
        if len(cut) < _FULL_NAME or not any(map(_is_given_name, cut)):
            return []
        words = [piece.text.capitalize() for piece in cut]
        ends = list(accumulate(len(word) + 1 for word in words))
        ranges = []
        for span in self._detect(Document("field", " ".join(words))):
            first, last = bisect_right(ends, span.start), bisect_right(ends, span.end - 1)
            names = cut[first : last + 1]
            if span.label == "PERSON" and any(map(_is_given_name, names)) and _is_long_enough(names):
                ranges.append((names[0].start, names[-1].end))
        return ranges


def _is_given_name(piece: Piece) -> bool:
    return piece.text in given_names() and piece.text not in common_words()


def _is_long_enough(names: list[Piece]) -> bool:
    """Whether these can be a full name: "docGrid" and "mathFont" also have a word that some people are called by."""
    lengths = [len(piece.text) for piece in names]
    return len(lengths) >= _FULL_NAME and min(lengths) >= _SHORTEST_WORD and sum(lengths) >= _SHORTEST_NAME


def _is_personal(value: str, label: str) -> bool:
    if label == "PERSON":
        return len(value.split()) >= _FULL_NAME
    return label == "CODE" and bool(_MAIL.search(value) or _LONG_NUMBER.search(value))


def _full_names(field: str) -> Iterator[tuple[int, int]]:
    """A given name beside a family name, as in ``owner_anna_berg``."""
    common = common_words()
    for left, right in pairwise(pieces(field)):
        if left.text not in common and right.text not in common and is_full_name(left.text, right.text):
            yield left.start, right.end


class Hider:
    """Hides values in fields under neutral names, the same value under the same name everywhere in a file."""

    def __init__(
        self,
        values: ValueIndex,
        in_text: ValueIndex,
        detector: FieldDetector,
        released: str,
        allowed: FindRanges = lambda text: (),
    ) -> None:
        """``in_text``: those of the values that the released text does not hold itself."""
        self._values, self._in_text, self._allowed = values, in_text, allowed
        self._detector = detector
        self._lines = {line.strip() for line in released.splitlines()}
        self._names: dict[str, str] = {}
        self._hidden: dict[tuple[FieldKind, str], str] = {}

    @property
    def is_used(self) -> bool:
        return bool(self._names)

    def hide(self, field: str, kind: FieldKind) -> str:
        """The field with what the release replaced hidden, and in a name what the detectors find."""
        if (kind, field) not in self._hidden:
            is_text = kind == "text" or self._is_text(field)
            values = self._in_text if is_text else self._values
            detect = kind == "name" and not is_text
            hidden = self._replaced(field, values, detect=detect)
            if hidden == field and "%" in field and (plain := unquote(field)) != field:
                decoded = self._replaced(plain, values, detect=detect)
                hidden = field if decoded == plain else quote(decoded, safe=":/?#@!$&'()*+,;=~-._")
            self._hidden[kind, field] = hidden
        return self._hidden[kind, field]

    def _is_text(self, field: str) -> bool:
        """Whether a field is part of the document's text, in which an attribute is a line of its own."""
        plain = unquote(field).strip()
        return all(line.strip() in self._lines for line in plain.splitlines())

    def _replaced(self, field: str, values: ValueIndex, *, detect: bool) -> str:
        ranges = [(match.start, match.end) for match in values.find(field)]
        for encoded in find_encoded(field):
            # What may be encoded in the document's text the detectors have judged.
            if (detect and encoded.is_readable) or any(holds(data, values) for data in encoded.readings):
                ranges.append((encoded.start, encoded.end))
        ranges = merge_ranges([*ranges, *(self._detector.find(field) if detect else ())])
        if ranges and (allowed := self._allowed(field)):
            ranges = [part for start, end in ranges for part in outside(field, allowed, start, end)]
        parts, rest = [], len(field)
        for start, end in reversed(ranges):
            name = self._names.setdefault(join_pieces(field[start:end]), f"hidden{len(self._names) + 1}")
            parts += [field[end:rest], name]
            rest = start
        return "".join([field[:rest], *reversed(parts)])


class FinalCheck:
    """Checks rendered files with the detectors of a run."""

    def __init__(self, detect: Detect, *, allowed: FindRanges = lambda text: (), are_given: bool = False) -> None:
        """``allowed``: where a field holds what the user allows.

        ``are_given``: spans are those of a user, who may have left a further mention on purpose.
        """
        self._detector, self._allowed, self._are_given = FieldDetector(detect), allowed, are_given

    def clean(self, source: Path, form: FileFormat, content: bytes, release: Release) -> bytes:
        """The rendered file without anything that the release replaced. Raises OutputError where that is impossible."""
        try:
            return self._cleaned(source, form, content, release)
        except TooLargeUnpacked:
            raise OutputError(f"{source}: {_BOMB}; {_NEXT}") from None

    def _cleaned(self, source: Path, form: FileFormat, content: bytes, release: Release) -> bytes:
        values = ValueIndex(replaced_values(release))
        left = values.present(release.text)
        in_text = ValueIndex(values.values - left)
        # What stays in the text stays beside it only where the user wanted it to, or where it is an ordinary word.
        values = in_text if self._are_given else ValueIndex(values.values - set(filter(wordnet.is_common_noun, left)))
        hider = Hider(values, in_text, self._detector, release.text, self._allowed)
        if zipfile.is_zipfile(io.BytesIO(content)):
            cleaned = _clean_package(source, content, hider)
        elif isinstance(form, Html):
            cleaned = _clean_page(source, content, hider)
        else:
            return content  # text alone, and all of it is the document's text
        if hider.is_used and _reads(source, form, cleaned) != release.text:
            raise OutputError(f"{source}: {_LEFT}, and the file would not be whole without it; {_NEXT}")
        for place in remaining_places(source, cleaned, in_text):
            raise OutputError(f"{source}: {_LEFT}, in {place}; {_NEXT}")
        return cleaned


def _reads(source: Path, form: FileFormat, content: bytes) -> str:
    """The document's text in a rendered file."""
    with _written(source, content) as path:
        return form.read(path, "released").text


@contextmanager
def _written(source: Path, content: bytes) -> Iterator[Path]:
    with TemporaryFolder() as folder:
        path = folder.path / f"released{source.suffix}"
        with reports_full_disk(path):
            path.write_bytes(content)
        yield path


_LEFT = "a value that was replaced in the text stands elsewhere in the file"
_BOMB = "holds packed data that unpacks to far more than can be searched"
_NEXT = "remove it there, or write .jsonl instead"


# Packages of XML parts (.docx and every other zip file).


def _clean_package(source: Path, content: bytes, hider: Hider) -> bytes:
    parts = read_members(source, io.BytesIO(content))
    cleaned = {}
    for name, data in parts.items():
        root = _parsed(data)
        new = without_metadata(data) if root is None else _clean_part(root, data, hider)
        new_name = "/".join(hider.hide(part, "name") for part in name.split("/"))
        if new_name in cleaned:
            raise OutputError(f"{source}: {_LEFT}, in the names of two parts; {_NEXT}")
        cleaned[new_name] = new
    return content if cleaned == parts else write_package(cleaned)


def _parsed(data: bytes) -> Any:
    """The root element of an XML part; None for other members."""
    if not data.lstrip(b"\xef\xbb\xbf \t\r\n").startswith((b"<", b"\xff\xfe<", b"\xfe\xff")):
        return None
    parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=False, load_dtd=False)
    try:
        return etree.fromstring(data, parser)
    except (etree.XMLSyntaxError, ValueError):
        return None


def _clean_part(root: Any, data: bytes, hider: Hider) -> bytes:
    declared = {field for _, names in etree.iterwalk(root, events=("start-ns",)) for field in names if field}
    changed = False
    for element in root.iter():
        changed |= _clean_text(element, hider)
        if isinstance(element.tag, str):
            changed |= _clean_names(element, hider)
    renamed = {old: new for old in sorted(declared) if (new := hider.hide(old, "name")) != old}
    return _rename_in_markup(serialize(root), renamed) if changed or renamed else data


def _clean_text(element: Any, hider: Hider) -> bool:
    """Hide what stands in an element and behind it; whether anything did."""
    changed = False
    if (old := element.text) and (new := hider.hide(old, "text")) != old:
        element.text, changed = new, True
    if (old := element.tail) and (new := hider.hide(old, "text")) != old:
        element.tail, changed = new, True
    return changed


def _clean_names(element: Any, hider: Hider) -> bool:
    """The same for its name, and the names and values of its attributes."""
    changed = False
    if (new := _clean_qualified(element.tag, hider)) != element.tag:
        element.tag, changed = new, True
    for name, value in element.items():
        new_name, new_value = _clean_qualified(name, hider), hider.hide(value, "name")
        if new_name != name:
            del element.attrib[name]
            while new_name in element.attrib:  # two attributes whose names hold the same value
                new_name += "x"
        if (new_name, new_value) != (name, value):
            element.set(new_name, new_value)
            changed = True
    return changed


def _clean_qualified(name: str, hider: Hider) -> str:
    """A name behind its namespace, ``{namespace}name``, without what was replaced."""
    space, brace, local = name.rpartition("}")
    return space + brace + hider.hide(local, "name")


_TAG = lazy_pattern(rb"<[^<>]*>")
_NAME_IN_TAG = lazy_pattern(rb"(?P<quoted>\"[^\"]*\"|'[^']*')|[^\s=:/<>\"']+")
_WORD_IN_VALUE = lazy_pattern(rb"[^\s\"']+")


def _rename_in_markup(data: bytes, renamed: dict[str, str]) -> bytes:
    """Rename namespaces and their prefixes, which the parser's tree does not let change, in the tags of a part."""
    names = {escape(old).encode(): new.encode() for old, new in renamed.items()}

    def rename(match: re.Match[bytes]) -> bytes:
        if match.lastgroup == "quoted":
            return _WORD_IN_VALUE.sub(lambda word: names.get(word.group(), word.group()), match.group())
        return names.get(match.group(), match.group())

    return _TAG.sub(lambda tag: _NAME_IN_TAG.sub(rename, tag.group()), data) if names else data


# Web pages.


def _clean_page(path: Path, content: bytes, hider: Hider) -> bytes:
    with _written(path, content) as rendered:
        source, charset, mark = decode_page(rendered)
    parts, end = [], 0
    for token in tokens.tokenize(source):
        start, stop, new = token.start, token.end, None
        if token.kind in ("start", "end", "name"):
            old = source[start:stop]
            new = hider.hide(old, "name")
        elif token.kind == "value":
            old = clean_pictures(source[start:stop])
            plain = without_media(tokens.attribute(old))[0].text
            hidden = hider.hide(plain, "name")
            new = old if hidden == plain else tokens.encode_strictly(hidden)
        elif token.kind in ("comment", "doctype", "style", "script"):
            new = hider.hide(clean_pictures(source[start:stop]), "code")
        if new is not None and new != source[start:stop]:
            parts += [source[end:start], new]
            end = stop
    return mark + "".join([*parts, source[end:]]).encode(charset, "xmlcharrefreplace") if parts else content


# What is left.

_STRINGS = (
    (lazy_pattern(rb"(?:[ -~]|[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}){6,}"), "utf-8"),
    (lazy_pattern(rb"[ -~\xc0-\xff]{6,}"), "latin-1"),
    (lazy_pattern(rb"(?:[ -~\xa0-\xff]\x00|[^\x00-\x08][\x01-\x06]){6,}"), "utf-16-le"),
    (lazy_pattern(rb"(?:\x00[ -~\xa0-\xff]|[\x01-\x06][^\x00-\x08]){6,}"), "utf-16-be"),
)
"""Strings of letters in a binary file, in the encodings that such files use."""
_MAX_DEPTH = 8
"""Levels of what is packed in what is packed."""


def remaining_places(source: Path, content: bytes, values: ValueIndex) -> Iterator[str]:
    """Where a value of the index stands in a file's bytes, whatever its format."""
    if zipfile.is_zipfile(io.BytesIO(content)):
        for name, data in read_members(source, io.BytesIO(content)).items():
            if _stands_in(name, values):
                yield "the name of a part"
            if holds(data, values):
                yield name if not _stands_in(name, values) else "a part"
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            if holds(archive.comment, values):
                yield "the comment of the package"
        return
    for text in _texts(content):
        yield from (f"line {text.count(chr(10), 0, match.start) + 1}" for match in values.find(text))
    if holds(content, values):
        yield "something encoded"


def _stands_in(text: str, values: ValueIndex) -> bool:
    return next(values.find(text), None) is not None


def holds(data: bytes, values: ValueIndex) -> bool:
    """Whether a value stands in bytes, or in what is encoded or packed in them. Raises TooLargeUnpacked."""
    return bool(values.values) and any(_stands_in(text, values) for text in _all_texts(data, Unpacker(), _MAX_DEPTH))


def _all_texts(data: bytes, unpacker: Unpacker, depth: int) -> Iterator[str]:
    for text in _texts(data):
        yield text
        for encoded in find_encoded(text) if depth else ():
            for reading in encoded.readings:
                yield from _all_texts(unpacker.count(reading), unpacker, depth - 1)
    for name, content in unpacker.unpack(data) if depth else ():
        yield name
        yield from _all_texts(content, unpacker, depth - 1)


def _texts(data: bytes) -> Iterator[str]:
    """The texts that bytes may hold: the text of a text file, the strings of a binary one."""
    if b"\0" not in data:
        try:
            yield data.decode("utf-8-sig")
        except UnicodeDecodeError:
            yield data.decode("latin-1")
        return
    for strings, encoding in _STRINGS:
        yield "\n".join(match.group().decode(encoding, "replace") for match in strings.finditer(data))
