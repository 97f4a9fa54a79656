"""Where a .docx keeps text: paragraphs, and every element and attribute that can name someone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal
from urllib.parse import quote

from sfumato.corpus.html import chars as html_chars
from sfumato.corpus.markup_names import WORD_NUMBERS, WORD_VALUES

_OFFICE = r"http://(?:schemas\.openxmlformats\.org|purl\.oclc\.org/ooxml)/"
_WORD = re.compile(_OFFICE + r"wordprocessingml/(?:2006/)?main\Z")
_DRAWING = re.compile(_OFFICE + r"drawingml/(?:2006/)?main\Z")
_MATH = re.compile(_OFFICE + r"officeDocument/(?:2006/)?math\Z")
_XSI = "http://www.w3.org/2001/XMLSchema-instance"
_XML = "http://www.w3.org/XML/1998/namespace"
SPACE = f"{{{_XML}}}space"

_CHARACTERS = {"tab": "\t", "ptab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}
_GONE = {"del", "moveFrom"}
_TIMES = {"date", "dateUtc", "fullDate"}
_ORIGIN = {"rsid", "rsidR", "rsidRPr", "rsidP", "rsidRDefault", "rsidSect", "rsidTr", "rsidDel"}
_TIME_ELEMENTS = {"created", "modified", "lastPrinted"}
_ORIGIN_ELEMENTS = {"rsids", "docId"}
_NUMBER = re.compile(r"\s*-?[0-9][0-9.eE+-]*\s*\Z")

_PEOPLE_ATTRIBUTES = {"author", "initials", "userId", "ed"}
_PEOPLE_ELEMENTS = {"creator", "lastModifiedBy", "Manager"}
_ANY_ELEMENT = {
    "descr",
    "title",
    "alt",
    "tooltip",
    "href",
    "string",
    "instr",
    "docLocation",
    "displayText",
}
_BY_ELEMENT = {
    "docPr": {"name"},
    "cNvPr": {"name"},
    "docVar": {"val"},
    "property": {"name"},
    "listItem": {"value"},
    "smartTag": {"element", "uri"},
    "customXml": {"element", "uri"},
    "attr": {"name", "val", "uri"},
}
_NAMED_PARENTS = {"docPartPr", "category", "fieldMapData"}
_ADDRESS = re.compile(r"\w@\w+[.\w]")
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
            return _CHARACTERS.get(local_name(element.tag)) or element.text or ""
        if self.place in ("text", "tail"):
            return getattr(element, self.place) or ""
        value: str = element.get(self.place)
        return html_chars.percent(value).text if self._is_address else value

    @property
    def _is_address(self) -> bool:
        return self.place == "Target"

    def write(self, text: str) -> None:
        if self.place == "run":
            _write_run(self.element, text)
        elif self.place in ("text", "tail"):
            setattr(self.element, self.place, text)
            if self.place == "text" and word_name(self.element.tag) in ("instrText", "delInstrText"):
                self.element.set(SPACE, "preserve")
        elif self._is_address:
            self.element.set(self.place, quote(html_chars.encode_percent(text), safe=_URL_SAFE))
        else:
            self.element.set(self.place, text)


@dataclass(slots=True)
class SlotGroup:
    """Slots that read as one; ``marked`` when the file itself says that they name someone."""

    slots: list[Slot] = field(default_factory=list)
    marked: Marked | None = None


def slot_groups(name: str, root: Any) -> list[SlotGroup]:
    """Everything a part says: its paragraphs, then other elements and attributes."""
    paragraphs: dict[tuple[Any, str, int], SlotGroup] = {}
    others: list[SlotGroup] = []
    breaks = 0
    for element in root.iter():
        if not isinstance(element.tag, str):
            continue
        if _ends_line(element):
            breaks += 1
        paragraph = _paragraph_of(element)
        stream = _stream(element)
        if stream is not None and paragraph is not None:
            part = 0 if stream == "flow" and word_name(element.tag) else breaks
            group = paragraphs.setdefault((paragraph, stream, part), SlotGroup())
            group.slots.append(Slot(element, "run" if _in_run(element) else "text"))
        elif element.text and element.text.strip() and not _is_silent(name, element):
            others.append(SlotGroup([Slot(element)], _marked_element(element)))
        if element.tail and element.tail.strip():
            others.append(SlotGroup([Slot(element, "tail")]))
        others += _attributes(name, element)
    return [*paragraphs.values(), *others]


def local_name(tag: str) -> str:
    return tag.rpartition("}")[2]


def _space(tag: str) -> str:
    return tag[1:].partition("}")[0] if tag.startswith("{") else ""


def word_name(tag: str) -> str:
    """The element's name if it is one of Word's own, else nothing."""
    return local_name(tag) if _WORD.match(_space(tag)) else ""


def _ends_line(element: Any) -> bool:
    """Whether what follows is another field, or another line of a drawing's paragraph."""
    if word_name(element.tag) == "fldChar":
        return True
    return local_name(element.tag) == "br" and _DRAWING.match(_space(element.tag)) is not None


def _is_paragraph(element: Any) -> bool:
    space = _space(element.tag)
    return local_name(element.tag) == "p" and bool(_WORD.match(space) or _DRAWING.match(space))


def _paragraph_of(element: Any) -> Any:
    return next((ancestor for ancestor in element.iterancestors() if _is_paragraph(ancestor)), None)


def _in_run(element: Any) -> bool:
    return word_name(element.tag) in ("t", "delText", *_CHARACTERS)


def _stream(element: Any) -> str | None:
    """Which line of a paragraph the element's text runs in: what stays, what was deleted, or field codes."""
    word = word_name(element.tag)
    if word in ("instrText", "delInstrText"):
        return "code"
    if word == "delText":
        return "gone"
    if word == "t" or (word in _CHARACTERS and word_name(element.getparent().tag) == "r"):
        return "gone" if any(word_name(above.tag) in _GONE for above in element.iterancestors()) else "flow"
    if local_name(element.tag) == "t" and (_DRAWING.match(_space(element.tag)) or _MATH.match(_space(element.tag))):
        return "flow"
    return None


def _is_custom(part: str) -> bool:
    """Parts that Word only carries along: anything may stand anywhere in them."""
    return part.startswith("customXml/") and "itemProps" not in part


def _is_time(part: str, element: Any) -> bool:
    if not part.startswith("docProps/"):
        return False
    return local_name(element.tag) in _TIME_ELEMENTS or any(local_name(child.tag) == "filetime" for child in element)


def _is_silent(part: str, element: Any) -> bool:
    if _is_custom(part):
        return False
    if _is_time(part, element) or local_name(element.tag) == "filetime":
        return True
    return local_name(element.tag) in WORD_NUMBERS and _NUMBER.match(element.text) is not None


def _marked_element(element: Any) -> Marked | None:
    local = local_name(element.tag)
    return "PERSON" if local in _PEOPLE_ELEMENTS else "ORG" if local == "Company" else None


def _attributes(part: str, element: Any) -> Iterator[SlotGroup]:
    for name, value in element.attrib.items():
        if value.strip() and _is_told(part, element, name, value):
            yield SlotGroup([Slot(element, name)], "PERSON" if local_name(name) in _PEOPLE_ATTRIBUTES else None)


def _is_told(part: str, element: Any, name: str, value: str) -> bool:
    """Whether an attribute is written by or about people, and not by Word for itself."""
    owner, local = local_name(element.tag), local_name(name)
    if part.endswith(".rels"):
        return local == "Target" and element.get("TargetMode") == "External"
    if _space(name) in (_XSI, _XML):
        return False
    if _is_custom(part):
        return True
    if local in _TIMES or _is_time(part, element):
        return False
    if local in _PEOPLE_ATTRIBUTES or local in _ANY_ELEMENT or local in _BY_ELEMENT.get(owner, ()):
        return True
    if owner in WORD_VALUES and local == "val":
        return True
    if owner == "name" and local == "val":
        parent = element.getparent()
        custom = any(local_name(key) == "customStyle" for key in parent.attrib) and not has_words_name(element)
        return custom or local_name(parent.tag) in _NAMED_PARENTS
    if owner == "lvlText":
        return len(re.findall(r"[^\W\d_]", value)) > 2
    return _ADDRESS.search(value) is not None


def has_words_name(name: Any) -> bool:
    """Whether a style's ``name`` is one that Word gives, by the list of such names that the part itself holds."""
    value = next((value for key, value in name.attrib.items() if local_name(key) == "val"), "")
    wanted = value.casefold().removesuffix(" char")
    return any(
        value.casefold() == wanted
        for listed in name.getroottree().getroot().iter("{*}lsdException")
        for key, value in listed.attrib.items()
        if local_name(key) == "name"
    )


def _write_run(element: Any, text: str) -> None:
    """Text in a run, tabs and line breaks as the elements that Word has for them."""
    deleted = any(word_name(above.tag) == "del" for above in element.iterancestors())
    letters = "delText" if deleted else "t"
    first, *rest = [piece for piece in re.split(r"([\t\n])", text) if piece] or [""]
    _set_run(element, first, letters)
    for piece in rest:
        following = element.makeelement(element.tag)
        # The tail would move along with the element; it is white space between elements.
        tail, element.tail = element.tail, None
        element.addnext(following)
        element = following
        element.tail = tail
        _set_run(element, piece, letters)


def _set_run(element: Any, piece: str, letters: str) -> None:
    name = {"\t": "tab", "\n": "br"}.get(piece, letters)
    element.attrib.clear()
    element.tag = f"{{{_space(element.tag)}}}{name}"
    element.text = piece if name == letters else None
    if name == letters and (piece != piece.strip() or "  " in piece):
        element.set(SPACE, "preserve")


def scrub(part: str, root: Any) -> None:
    """Take out when, and in which sessions, a document was written."""
    if _is_custom(part):
        return
    for element in list(root.iter()):
        for name in list(element.attrib):
            if local_name(name) in _TIMES or local_name(name) in _ORIGIN:
                del element.attrib[name]
        parent = element.getparent()
        if parent is not None and (_is_time(part, element) or local_name(element.tag) in _ORIGIN_ELEMENTS):
            parent.remove(element)
