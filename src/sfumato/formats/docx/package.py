"""The package of a .docx: its zip file, read with limits against malicious files, and its XML parts and strings."""

from __future__ import annotations

import io
import posixpath
import re
import struct
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import count
from pathlib import Path
from typing import IO, Any, Literal
from urllib.parse import quote

from lxml import etree

from sfumato.formats.base import Unreadable
from sfumato.formats.containers import kind_of
from sfumato.formats.html import tokens as html_tokens
from sfumato.formats.images import image_kind
from sfumato.formats.text import EMPTY
from sfumato.lexicon.tables import word_set

MAX_TOTAL_BYTES = 256 * 1024 * 1024
MAX_MEMBERS = 10_000
MAX_XML_BYTES = 64 * 1024 * 1024
"""Of all XML parts together. A page of prose takes some 5 kB, so this is a document of 10,000 pages."""
MAX_MARKUP = 4_000_000
"""Tags and attributes of all parts together, which decide on time and memory: at most some 40 s for one reading. A page
of prose has some 200, a table of 10,000 cells 400,000."""
MAX_ATTRIBUTES = 500
"""Of one element. Time to parse them grows with the square of their number; Word writes some 40."""
MAX_RATIO = 300
"""Of unpacked to packed size of all XML parts, or of all others. Prose stays below 60, empty tables below 200; what
repeats one tag has up to 1,000. Small packages are not checked."""
XML_RATIO_FROM_BYTES = 1024 * 1024
RATIO_FROM_BYTES = 4 * 1024 * 1024

CONTENT_TYPES = "[Content_Types].xml"
_TOO_LARGE_UNPACKED = "unpacks to far more than a document holds and was not opened; check where it comes from"
_TOO_MUCH_MARKUP = (
    f"has more than {MAX_XML_BYTES // 1024**2} MB or {MAX_MARKUP:,} tags and attributes of XML and was not opened; "
    "split the document, or check where it comes from"
)
_ELEMENT_TOO_LARGE = re.compile(
    rb"<[^<>\"']*+(?:\"[^\"<]*+\"[^<>\"']*+|'[^'<]*+'[^<>\"']*+){%d}" % (MAX_ATTRIBUTES + 1)
)
_EPOCH = (1980, 1, 1, 0, 0, 0)
_CHUNK = 1 << 20

_DROPPED = re.compile(
    r"docProps/thumbnail\.|word/printerSettings/|_xmlsignatures/|docMetadata/|__MACOSX/|(?:.*/)?\.DS_Store\Z"
    r"|.*\.(?:odttf|ttf|otf|fntdata)\Z",
    re.IGNORECASE,
)
"""Parts that tell the origin of a document and that no reader of it needs. A font that was embedded tells more: it may
have only the letters of the original."""
_XML = (".xml", ".rels", ".svg")
_NEUTRAL_IMAGE = re.compile(r"image\d+\.\w+\Z")

Parts = dict[str, bytes]


def read_package(path: Path) -> Parts:
    """Every member of the file by name, in the file's order, without the dropped ones."""
    try:
        with path.open("rb") as handle:
            if path.stat().st_size > MAX_TOTAL_BYTES:
                raise Unreadable(path, f"is larger than {MAX_TOTAL_BYTES // 1024**2} MB; split the document")
            start = handle.read(4)
            if not start:
                raise Unreadable(path, EMPTY)
            if start == b"\xd0\xcf\x11\xe0":
                raise Unreadable(path, "has a password or is an old .doc; save it as .docx without a password")
            return read_members(path, handle)
    except OSError as error:
        raise Unreadable(path, f"cannot be read ({error.strerror}); check the permissions") from None


def read_members(path: Path, handle: IO[bytes]) -> Parts:
    """The same from an open file; ``path`` is for messages."""
    try:
        with zipfile.ZipFile(handle) as archive:
            return _members(path, archive)
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, EOFError, ValueError, struct.error):
        raise Unreadable(path, "is not a readable .docx; open it in Word and save it again") from None


def _members(path: Path, archive: zipfile.ZipFile) -> Parts:
    infos = [info for info in archive.infolist() if not info.is_dir()]
    if len(infos) > MAX_MEMBERS or sum(info.file_size for info in infos) > MAX_TOTAL_BYTES:
        raise Unreadable(path, _TOO_LARGE_UNPACKED)
    _check_ratio(path, archive, infos)
    parts: Parts = {}
    left = MAX_TOTAL_BYTES
    markup = 0
    for info in infos:
        _check(path, info, parts)
        if _DROPPED.match(info.filename):
            continue
        parts[info.filename] = data = _unpacked(path, archive, info, left)
        left -= len(data)
        markup += data.count(b"<") + data.count(b"=")
        if markup > MAX_MARKUP:
            raise Unreadable(path, _TOO_MUCH_MARKUP)
        if _ELEMENT_TOO_LARGE.search(data):
            raise Unreadable(
                path, f"has an element with more than {MAX_ATTRIBUTES} attributes; open it in Word and save it again"
            )
    return parts


def _check_ratio(path: Path, archive: zipfile.ZipFile, infos: list[zipfile.ZipInfo]) -> None:
    """Raise Unreadable where the members are far larger unpacked, or share their packed bytes."""
    xml = [info for info in infos if info.filename.lower().endswith(_XML)]
    others = [info for info in infos if not info.filename.lower().endswith(_XML)]
    if sum(info.file_size for info in xml) > MAX_XML_BYTES:
        raise Unreadable(path, _TOO_MUCH_MARKUP)
    for members, from_bytes in ((xml, XML_RATIO_FROM_BYTES), (others, RATIO_FROM_BYTES)):
        size, packed = sum(info.file_size for info in members), sum(info.compress_size for info in members)
        if size > from_bytes and size > MAX_RATIO * packed:
            raise Unreadable(path, _TOO_LARGE_UNPACKED)
    # The central directory comes after the members.
    if sum(info.compress_size for info in infos) > archive.start_dir:
        raise Unreadable(path, _TOO_LARGE_UNPACKED)


def _check(path: Path, info: zipfile.ZipInfo, parts: Parts) -> None:
    name = info.filename
    if info.flag_bits & 1:
        raise Unreadable(path, "is encrypted; save it without a password")
    if name.startswith("/") or "\\" in name or ":" in name or ".." in name.split("/"):
        raise Unreadable(path, "has a member that points out of the package and was not opened")
    if name in parts:
        raise Unreadable(path, "has two members of one name; open it in Word and save it again")


def _unpacked(path: Path, archive: zipfile.ZipFile, info: zipfile.ZipInfo, left: int) -> bytes:
    """A member's bytes. The declared size may be wrong, so the real one is checked."""
    limit = min(left, info.file_size)
    collected = bytearray()
    with archive.open(info) as member:
        while chunk := member.read(_CHUNK):
            collected += chunk
            if len(collected) > limit:
                raise Unreadable(path, _TOO_LARGE_UNPACKED)
    return bytes(collected)


def write_package(parts: Parts) -> bytes:
    """The zip file of these parts; the same parts give the same bytes."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        for name, data in parts.items():
            info = zipfile.ZipInfo(name, _EPOCH)
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = 0o600 << 16
            archive.writestr(info, data)
    return buffer.getvalue()


def refuse_unreadable_parts(path: Path, parts: Parts) -> None:
    """Raise Unreadable where the package holds a part that may contain text and cannot be read.

    What a picture is decides its content: its name may be anything.
    """
    for name, data in parts.items():
        folder = name.lower()
        if "/embeddings/" in folder:
            what = "an embedded file (a sheet or a chart's data); replace it by a picture or remove it"
        elif "/activex/" in folder or "/controls/" in folder:
            what = "a form control (ActiveX); remove it"
        elif "vbaproject" in folder or "vbadata" in folder:
            what = "macros; save it as .docx without macros"
        elif folder.endswith(_XML) or is_image(data) or not data:
            continue
        elif "/afchunk" in folder or folder.endswith((".html", ".htm", ".mht", ".rtf", ".txt")):
            what = "an imported document (altChunk); open it in Word and save it, which merges it in"
        elif "/media/" in folder:
            base = posixpath.basename(name)
            place = f" ({base})" if _NEUTRAL_IMAGE.match(base) else ""
            what = f"a sound, a film or another file{place} where pictures are; remove it"
        else:
            what = "a part of a kind that is not known; open it in Word and save it again"
        raise Unreadable(path, f"holds {what}")


def is_image(data: bytes) -> bool:
    return kind_of(data) == "image"


def unchecked_parts(parts: Parts) -> Counter[str]:
    """How many pictures there are of each kind, which no detector reads; drawings in XML (.svg) among them."""
    drawings = sum(name.lower().endswith(".svg") for name in parts)
    return Counter(image_kind(data) for data in parts.values() if is_image(data)) + Counter({"image": drawings})


def is_xml(name: str) -> bool:
    return name.lower().endswith(_XML) and name != CONTENT_TYPES


def parse(path: Path, data: bytes) -> Any:
    """The root element of an XML part; entities are refused, not expanded."""
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, huge_tree=False, load_dtd=False, remove_comments=True, remove_pis=True
    )
    if b"<!DOCTYPE" not in data and b"<!ENTITY" not in data:
        try:
            root = etree.fromstring(data, parser)
        except (etree.XMLSyntaxError, ValueError):
            raise Unreadable(path, "has a part that is not valid XML; open it in Word and save it again") from None
        if root.getroottree().docinfo.internalDTD is None:
            return root
    raise Unreadable(path, "declares XML entities, which no .docx needs, and was not opened")


def serialize(root: Any) -> bytes:
    data: bytes = etree.tostring(root, xml_declaration=True, encoding="UTF-8", standalone=True)
    return data


def main_part(path: Path, parts: Parts) -> str:
    """The name of the document's main part."""
    if CONTENT_TYPES in parts and "_rels/.rels" in parts:
        for relation in parse(path, parts["_rels/.rels"]):
            if str(relation.get("Type", "")).endswith("/officeDocument"):
                name = target_of("_rels/.rels", relation)
                if name in parts:
                    return name
    raise Unreadable(path, "has no document in it, so it is not a .docx; open it in Word and save it again")


def target_of(rels: str, relation: Any) -> str:
    """The part that an internal relationship points to."""
    owner_folder = posixpath.dirname(posixpath.dirname(rels))
    return posixpath.normpath(posixpath.join("/", owner_folder, relation.get("Target", "")))[1:]


def neutral_image_names(parts: Parts) -> dict[str, str]:
    """New names for pictures that have the name of the file they were made from."""
    taken = set(parts)
    renamed: dict[str, str] = {}
    numbers: dict[tuple[str, str], Iterator[int]] = {}
    for name, data in parts.items():
        folder, base = posixpath.split(name)
        if (is_image(data) or name.lower().endswith(".svg")) and not _NEUTRAL_IMAGE.match(base):
            suffix = posixpath.splitext(base)[1]
            candidates = numbers.setdefault((folder, suffix), count(1))
            names = (f"{folder}/image{number}{suffix}".lstrip("/") for number in candidates)
            renamed[name] = next(new for new in names if new not in taken)
            taken.add(renamed[name])
    return renamed


def update_relations(rels: str, root: Any, renamed: dict[str, str]) -> None:
    """Remove relations to dropped parts and update those to renamed ones."""
    for relation in list(root):
        if relation.get("TargetMode") == "External" or relation.get("Target", "").startswith("#"):
            continue
        name = target_of(rels, relation)
        if _DROPPED.match(name):
            root.remove(relation)
        elif name in renamed:
            old = relation.get("Target")
            relation.set("Target", posixpath.join(posixpath.dirname(old), posixpath.basename(renamed[name])))


def update_content_types(root: Any, renamed: dict[str, str]) -> None:
    for entry in list(root):
        name = (entry.get("PartName") or "").lstrip("/")
        if name and _DROPPED.match(name):
            root.remove(entry)
        elif name in renamed:
            entry.set("PartName", "/" + renamed[name])


OFFICE = r"http://(?:schemas\.openxmlformats\.org|purl\.oclc\.org/ooxml)/"
WORD = re.compile(OFFICE + r"wordprocessingml/(?:2006/)?main\Z")
XML = "http://www.w3.org/XML/1998/namespace"
_SPACE = f"{{{XML}}}space"
CHARACTERS = {"tab": "\t", "ptab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}
"""Elements of a run that stand for one character."""
_URL_SAFE = ":/?#@!$&'()*+,;=~-._%"

Marked = Literal["PERSON", "ORG"]


@dataclass(slots=True)
class Slot:
    """One string of an XML part: an element's text, its tail, an attribute, or a tab or break in a run."""

    element: Any
    place: str = "text"
    """``text``, ``tail``, ``run`` (text or a character in a run of a paragraph), or an attribute's name."""

    @property
    def text(self) -> str:
        element = self.element
        if self.place == "run":
            return CHARACTERS.get(local_name(element.tag)) or element.text or ""
        if self.place in ("text", "tail"):
            return getattr(element, self.place) or ""
        value: str = element.get(self.place)
        return html_tokens.percent(value).text if self._is_address else value

    @property
    def _is_address(self) -> bool:
        return self.place == "Target"

    def write(self, text: str) -> None:
        if self.place == "run":
            _write_run(self.element, text)
        elif self.place in ("text", "tail"):
            setattr(self.element, self.place, text)
            if self.place == "text" and word_name(self.element.tag) in ("instrText", "delInstrText"):
                self.element.set(_SPACE, "preserve")
        elif self._is_address:
            self.element.set(self.place, quote(html_tokens.encode_percent(text), safe=_URL_SAFE))
        else:
            self.element.set(self.place, text)


@dataclass(slots=True)
class SlotGroup:
    """Slots that read as one text; ``marked`` where the file itself says that they name someone."""

    slots: list[Slot] = field(default_factory=list)
    marked: Marked | None = None


@lru_cache(maxsize=2**12)
def local_name(tag: str) -> str:
    """The name of a tag or attribute without its namespace."""
    return tag.rpartition("}")[2]


def attribute(element: Any, local: str) -> str:
    """The value of an attribute in any namespace; empty where there is none."""
    for name, value in element.items():
        if local_name(name) == local:
            return str(value)
    return ""


@lru_cache(maxsize=2**12)
def namespace(tag: str) -> str:
    """The namespace of a tag or attribute; empty where it has none."""
    return tag[1:].partition("}")[0] if tag.startswith("{") else ""


@lru_cache(maxsize=2**12)
def word_name(tag: str) -> str:
    """The name of an element of WordprocessingML; empty for other elements."""
    return local_name(tag) if WORD.match(namespace(tag)) else ""


def _write_run(element: Any, text: str) -> None:
    """Write text into a run, with elements for tabs and line breaks."""
    deleted = any(word_name(above.tag) == "del" for above in element.iterancestors())
    letters = "delText" if deleted else "t"
    first, *rest = [piece for piece in re.split(r"([\t\n])", text) if piece] or [""]
    _set_run(element, first, letters)
    for piece in rest:
        following = element.makeelement(element.tag)
        # The tail, white space between elements, must stay behind the last element.
        tail, element.tail = element.tail, None
        element.addnext(following)
        element = following
        element.tail = tail
        _set_run(element, piece, letters)


def _set_run(element: Any, piece: str, letters: str) -> None:
    name = {"\t": "tab", "\n": "br"}.get(piece, letters)
    element.attrib.clear()
    element.tag = f"{{{namespace(element.tag)}}}{name}"
    element.text = piece if name == letters else None
    if name == letters and (piece != piece.strip() or "  " in piece):
        element.set(_SPACE, "preserve")


TIMES = {"date", "dateUtc", "fullDate"}
"""Attributes with a time."""


def is_custom(part: str) -> bool:
    """Whether a part is custom XML, which Word carries along and which may have text anywhere."""
    return part.startswith("customXml/") and "itemProps" not in part


# What a Word file tells of its history (when, for how long and in which sessions it was written, how many words the
# original had, ids by which two versions are known), and what it keeps packed: checksums, passwords, data in Base64.

_REMOVED_ATTRIBUTES = TIMES | word_set("docx", "removed_attributes", package="sfumato.formats")
_REMOVED_ELEMENTS = word_set("docx", "removed_elements", package="sfumato.formats")
_REMOVED_PROPERTIES = word_set("docx", "removed_properties", package="sfumato.formats")
_NUMBERED_ATTRIBUTES = word_set("docx", "numbered_attributes", package="sfumato.formats")
_GUID = re.compile(r"\{[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}\}")


def remove_origin(roots: Mapping[str, Any]) -> None:
    """Remove the history of a file from its parts. Ids are numbered anew, the same everywhere, so that links hold."""
    numbers: dict[str, int] = {}
    for part, root in roots.items():
        if is_custom(part):
            continue
        for element in list(root.iter()):
            local = local_name(element.tag)
            if _is_removed(part, element, local):
                parent = element.getparent()
                if parent is not None:
                    parent.remove(element)
                continue
            for name, value in element.items():
                attribute = local_name(name)
                if attribute in _REMOVED_ATTRIBUTES:
                    del element.attrib[name]
                elif attribute in _NUMBERED_ATTRIBUTES:
                    element.set(name, f"{numbers.setdefault(value.upper(), len(numbers) + 1):08X}")
                elif local == "uniqueTag":  # of a recipient of letters; the element must be there
                    element.set(name, "")
                elif local == "creationId" and _GUID.fullmatch(value):
                    number = numbers.setdefault(value.upper(), len(numbers) + 1)
                    element.set(name, f"{{00000000-0000-0000-0000-{number:012X}}}")


def _is_removed(part: str, element: Any, local: str) -> bool:
    if local in _REMOVED_ELEMENTS or not part.startswith("docProps/"):
        return local in _REMOVED_ELEMENTS
    return local in _REMOVED_PROPERTIES or any(local_name(child.tag) == "filetime" for child in element)
