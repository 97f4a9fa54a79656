"""Where a .docx stores text: paragraphs, and every element and attribute that can name someone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from sfumato.formats.docx.package import (
    CHARACTERS,
    OFFICE,
    TIMES,
    WORD,
    XML,
    Marked,
    Slot,
    SlotGroup,
    attribute,
    is_custom,
    is_time,
    local_name,
    namespace,
    word_name,
)
from sfumato.lexicon.tables import load_toml, word_set

# -- What Word itself writes into a file: names of its styles, its own name, its usual template. They are not part of
# the document's text and stay as they are; to change them would only damage the file.


def docx_names(key: str) -> frozenset[str]:
    """Names of elements, attributes or styles from data/all/docx.toml."""
    return word_set("docx", key, package="sfumato.formats")


_STYLE_NAMES = docx_names("styles")
_TABLE_STYLE = re.compile(
    r"(?:(?:light|medium|dark|colorful) (?:shading|list|grid)(?: [1-3])?"
    r"|(?:grid|list) table [1-7](?: (?:light|dark|colorful))?)(?: accent [1-6])?\Z"
)
FOR_CHARACTERS = re.compile(r" ?(?:char|zchn|car|carattere|tegn|znak|знак)\Z", re.IGNORECASE)
"""The suffix of a paragraph style's twin for characters, in several languages."""

_PROGRAM = re.compile(
    r"Microsoft (?:Macintosh |Office )?Word(?: for the web)?"
    r"|LibreOffice(?:Dev)?/[\w.]+(?:\$\w+ LibreOffice_project/[\w$-]+)?"
    r"|OpenOffice(?:\.org)?|WPS Office(?:_[\d.]+)*|ONLYOFFICE(?:/[\d.]+)?|Google Docs"
)
_SWITCH = re.compile("true|false|0|1")
_PROPERTIES = {
    "Application": _PROGRAM,
    "Template": re.compile(r"Normal(?:\.dot[mx]?)?", re.IGNORECASE),
    **dict.fromkeys(("ScaleCrop", "LinksUpToDate", "SharedDoc", "HyperlinksChanged"), _SWITCH),
}
_HEADINGS = {"lpstr": re.compile("Titles?|Titel|Titre|Título|Titolo|Headings"), "i4": re.compile(r"\d{1,4}")}
_CITATIONS = re.compile(r"[\\/]?(?:APA|MLA|Chicago|Turabian|IEEE|ISO690)\w{0,30}(?:\.XSL)?", re.IGNORECASE)


def is_builtin_style(name: str) -> bool:
    """Whether this is the name of a built-in style of Word."""
    plain = FOR_CHARACTERS.sub("", " ".join(name.split()).casefold())
    return re.sub(r" [1-9]\Z", "", plain) in _STYLE_NAMES or _TABLE_STYLE.match(plain) is not None


def is_builtin_property(part: str, element: Any) -> bool:
    """Whether an element holds a value that Word itself writes; other templates and programs may name someone."""
    if part != "docProps/app.xml":
        return False
    local, value = local_name(element.tag), (element.text or "").strip()
    known = _PROPERTIES.get(local)
    if any(local_name(above.tag) == "HeadingPairs" for above in element.iterancestors()):
        known = _HEADINGS.get(local)
    return known is not None and known.fullmatch(value) is not None


def is_builtin_citation(element: Any, attribute: str, value: str) -> bool:
    """Whether an attribute names a built-in citation style of Word."""
    own = local_name(element.tag) == "Sources" and local_name(attribute) in ("SelectedStyle", "StyleName")
    return own and _CITATIONS.fullmatch(value) is not None


# -- Paragraphs, other elements and attributes with text.

_DRAWING = re.compile(OFFICE + r"drawingml/(?:2006/)?main\Z")
_MATH = re.compile(OFFICE + r"officeDocument/(?:2006/)?math\Z")
_XSI = "http://www.w3.org/2001/XMLSchema-instance"
_DELETED = {"del", "moveFrom"}
_NUMBER = re.compile(r"\s*-?[0-9][0-9.eE+-]*\s*\Z")

_PEOPLE_ATTRIBUTES = docx_names("people_attributes")
_PEOPLE_ELEMENTS = docx_names("people_elements")
_TEXT_ATTRIBUTES = docx_names("text_attributes")
_ELEMENT_ATTRIBUTES = {
    element: frozenset(names.split())
    for element, names in load_toml("docx", package="sfumato.formats")["element_attributes"].items()
}
_NAMED_PARENTS = {"docPartPr", "category", "fieldMapData"}
_ADDRESS = re.compile(r"\w@\w+[.\w]")
_NUMBER_ELEMENTS = docx_names("number_elements")
_VALUE_ELEMENTS = docx_names("value_elements")


def slot_groups(name: str, root: Any) -> list[SlotGroup]:
    """All text of a part: its paragraphs, then other elements and attributes."""
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
        elif element.text and element.text.strip() and not _is_builtin_value(name, element):
            others.append(SlotGroup([Slot(element)], _marked_element(element)))
        if element.tail and element.tail.strip():
            others.append(SlotGroup([Slot(element, "tail")]))
        others += _attributes(name, element)
    return [*paragraphs.values(), *others]


def _ends_line(element: Any) -> bool:
    """Whether another field, or another line of a drawing's paragraph, follows."""
    if word_name(element.tag) == "fldChar":
        return True
    return local_name(element.tag) == "br" and _DRAWING.match(namespace(element.tag)) is not None


def _is_paragraph(element: Any) -> bool:
    space = namespace(element.tag)
    return local_name(element.tag) == "p" and bool(WORD.match(space) or _DRAWING.match(space))


def _paragraph_of(element: Any) -> Any:
    return next((ancestor for ancestor in element.iterancestors() if _is_paragraph(ancestor)), None)


def _in_run(element: Any) -> bool:
    return word_name(element.tag) in ("t", "delText", *CHARACTERS)


def _stream(element: Any) -> str | None:
    """The text of a paragraph that the element belongs to: current text, deleted text or field codes."""
    word = word_name(element.tag)
    if word in ("instrText", "delInstrText"):
        return "code"
    if word == "delText":
        return "gone"
    if word == "t" or (word in CHARACTERS and word_name(element.getparent().tag) == "r"):
        return "gone" if any(word_name(above.tag) in _DELETED for above in element.iterancestors()) else "flow"
    within = namespace(element.tag)
    is_text = local_name(element.tag) == "t" and (_DRAWING.match(within) or _MATH.match(within))
    return "flow" if is_text else None


def _is_builtin_value(part: str, element: Any) -> bool:
    if is_custom(part):
        return False
    if is_time(part, element) or local_name(element.tag) == "filetime" or is_builtin_property(part, element):
        return True
    return local_name(element.tag) in _NUMBER_ELEMENTS and _NUMBER.match(element.text) is not None


def _marked_element(element: Any) -> Marked | None:
    local = local_name(element.tag)
    return "PERSON" if local in _PEOPLE_ELEMENTS else "ORG" if local == "Company" else None


def _attributes(part: str, element: Any) -> Iterator[SlotGroup]:
    for name, value in element.attrib.items():
        if value.strip() and _is_text_attribute(part, element, name, value):
            yield SlotGroup([Slot(element, name)], "PERSON" if local_name(name) in _PEOPLE_ATTRIBUTES else None)


def _is_text_attribute(part: str, element: Any, name: str, value: str) -> bool:
    """Whether an attribute is text of users, and not a value for Word."""
    owner, local = local_name(element.tag), local_name(name)
    if part.endswith(".rels"):
        return local == "Target" and element.get("TargetMode") == "External"
    if namespace(name) in (_XSI, XML):
        return False
    if is_custom(part):
        return not is_builtin_citation(element, name, value)
    if local in TIMES or is_time(part, element):
        return False
    if local in _PEOPLE_ATTRIBUTES or local in _TEXT_ATTRIBUTES or local in _ELEMENT_ATTRIBUTES.get(owner, ()):
        return True
    if owner in _VALUE_ELEMENTS and local == "val":
        return True
    if owner == "name" and local == "val":
        parent = element.getparent()
        custom = any(local_name(key) == "customStyle" for key in parent.attrib)
        own = custom and not has_builtin_name(element) and not is_builtin_twin(parent)
        return own or local_name(parent.tag) in _NAMED_PARENTS
    if owner == "lvlText":
        return len(re.findall(r"[^\W\d_]", value)) > 2
    return _ADDRESS.search(value) is not None


def has_builtin_name(name: Any) -> bool:
    """Whether a style's ``name`` is built-in, by our list or by that of the part."""
    value = attribute(name, "val")
    wanted = value.casefold().removesuffix(" char")
    return is_builtin_style(value) or any(
        attribute(listed, "name").casefold() == wanted
        for listed in name.getroottree().getroot().iter("{*}lsdException")
    )


def is_builtin_twin(style: Any) -> bool:
    """Whether a style is the twin for characters of a built-in style.

    Its name is that of the other with a suffix, both in the language of Word.
    """
    names = [attribute(child, "val") for child in style if word_name(child.tag) == "name"]
    own = attribute(style, "styleId")
    for link in (child for child in style if word_name(child.tag) == "link"):
        for twin in style.getroottree().getroot().iter("{*}style"):
            key = attribute(twin, "styleId")
            if key and key == attribute(link, "val") and not attribute(twin, "customStyle"):
                known = any(has_builtin_name(child) for child in twin if word_name(child.tag) == "name")
                is_twin = own.startswith(key) and FOR_CHARACTERS.fullmatch(own.removeprefix(key)) is not None
                return known and is_twin and all(_in_ascii(name) == _in_ascii(own) for name in names)
    return False


def _in_ascii(name: str) -> str:
    """The id that Word makes of a style's name."""
    return re.sub(r"[^A-Za-z0-9]", "", name)
