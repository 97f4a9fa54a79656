"""One string of an XML part of a .docx, as it reads and as it is written."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, Literal
from urllib.parse import quote

from sfumato.corpus.html import chars as html_chars

OFFICE = r"http://(?:schemas\.openxmlformats\.org|purl\.oclc\.org/ooxml)/"
WORD = re.compile(OFFICE + r"wordprocessingml/(?:2006/)?main\Z")
XML = "http://www.w3.org/XML/1998/namespace"
_SPACE = f"{{{XML}}}space"
CHARACTERS = {"tab": "\t", "ptab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}
"""Elements of a run that stand for one."""
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
                self.element.set(_SPACE, "preserve")
        elif self._is_address:
            self.element.set(self.place, quote(html_chars.encode_percent(text), safe=_URL_SAFE))
        else:
            self.element.set(self.place, text)


@dataclass(slots=True)
class SlotGroup:
    """Slots that read as one; ``marked`` when the file itself says that they name someone."""

    slots: list[Slot] = field(default_factory=list)
    marked: Marked | None = None


def local_name(tag: str) -> str:
    """A tag or an attribute without its namespace."""
    return tag.rpartition("}")[2]


def attribute(element: Any, local: str) -> str:
    """Its value, whatever namespace it is in; empty where there is none."""
    return next((value for name, value in element.attrib.items() if local_name(name) == local), "")


def namespace(tag: str) -> str:
    """Of a tag or an attribute; empty where it has none."""
    return tag[1:].partition("}")[0] if tag.startswith("{") else ""


def word_name(tag: str) -> str:
    """The element's name if it is one of Word's own, else nothing."""
    return local_name(tag) if WORD.match(namespace(tag)) else ""


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
    element.tag = f"{{{namespace(element.tag)}}}{name}"
    element.text = piece if name == letters else None
    if name == letters and (piece != piece.strip() or "  " in piece):
        element.set(_SPACE, "preserve")
