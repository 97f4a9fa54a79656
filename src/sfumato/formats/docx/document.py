"""Word documents: where a package stores text, its names for machines, and the package with every edit."""

from __future__ import annotations

import io
import re
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, ClassVar, Literal

from lxml import etree

from sfumato.document import Document, Release, Span
from sfumato.errors import OutputError
from sfumato.formats.docx import package
from sfumato.formats.docx.package import (
    CHARACTERS,
    OFFICE,
    TIMES,
    XML,
    Marked,
    Slot,
    SlotGroup,
    attribute,
    is_custom,
    local_name,
    namespace,
    remove_origin,
    word_name,
)
from sfumato.formats.identifiers import Place, ReplacedWords, alphanumeric
from sfumato.formats.layout import apply_changes, changes_by_slot, group_starts, text_of
from sfumato.lexicon.tables import load_toml, word_set


def docx_names(key: str) -> frozenset[str]:
    """Names of elements, attributes or styles from data/all/docx.toml."""
    return word_set("docx", key, package="sfumato.formats")


# What Word itself writes into a file: names of its styles, its own name, its usual template. They are not part of the
# document's text and stay as they are; to change them would only damage the file.

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
    in_headings = any(local_name(above.tag) == "HeadingPairs" for above in element.iterancestors())
    pattern = (_HEADINGS if in_headings else _PROPERTIES).get(local)
    return pattern is not None and pattern.fullmatch(value) is not None


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
_NUMBER_ELEMENTS = docx_names("number_elements")
_VALUE_ELEMENTS = docx_names("value_elements")


def slot_groups(name: str, root: Any) -> list[SlotGroup]:
    """All text of a part: its paragraphs, then other elements and attributes."""
    paragraphs: dict[tuple[Any, str, int], SlotGroup] = {}
    others: list[SlotGroup] = []
    styles = StyleSheet(root)
    breaks = 0
    reader = _AttributeReader(name, styles)
    for element, paragraph, is_deleted in _walk(root):
        if _ends_line(element.tag):
            breaks += 1
        stream = _stream(element, is_deleted=is_deleted)
        if stream is not None and paragraph is not None:
            part = 0 if stream == "flow" and word_name(element.tag) else breaks
            group = paragraphs.setdefault((paragraph, stream, part), SlotGroup())
            in_run = word_name(element.tag) in ("t", "delText", *CHARACTERS)
            group.slots.append(Slot(element, "run" if in_run else "text"))
        elif element.text and element.text.strip() and not _is_builtin_value(name, element):
            others.append(SlotGroup([Slot(element)], _marked_element(element)))
        if element.tail and element.tail.strip():
            others.append(SlotGroup([Slot(element, "tail")]))
        if attributes := element.items():
            others += reader.texts(element, attributes)
    return [*paragraphs.values(), *others]


def _walk(root: Any) -> Iterator[tuple[Any, Any, bool]]:
    """Each element, the nearest paragraph of text or of a drawing that it is in, and whether it is in deleted text."""
    if next(root.iter("{*}p", *(f"{{*}}{name}" for name in _DELETED)), None) is None:
        # Style sheets, which are the largest parts of most files, need not be asked where their elements end.
        yield from ((element, None, False) for element in root.iter())
        return
    paragraphs: list[Any] = [None]
    deleted = 0
    for event, element in etree.iterwalk(root, events=("start", "end")):
        is_paragraph, change = _is_paragraph_or_deleted(element.tag)
        if event == "start":
            yield element, paragraphs[-1], deleted > 0
            deleted += change
            if is_paragraph:
                paragraphs.append(element)
        else:
            deleted -= change
            if is_paragraph:
                paragraphs.pop()


@lru_cache(maxsize=2**12)
def _is_paragraph_or_deleted(tag: str) -> tuple[bool, bool]:
    """Whether an element is a paragraph of text or of a drawing, and whether it holds deleted text."""
    is_paragraph = local_name(tag) == "p" and (word_name(tag) != "" or _is_drawing(tag))
    return is_paragraph, word_name(tag) in _DELETED


@lru_cache(maxsize=2**12)
def _ends_line(tag: str) -> bool:
    """Whether another field, or another line of a drawing's paragraph, follows an element."""
    return word_name(tag) == "fldChar" or (local_name(tag) == "br" and _is_drawing(tag))


@lru_cache(maxsize=2**12)
def _is_drawing(tag: str) -> bool:
    return _DRAWING.match(namespace(tag)) is not None


def _stream(element: Any, *, is_deleted: bool) -> str | None:
    """The text of a paragraph that the element belongs to: current text, deleted text or field codes."""
    kind = _kind_of_text(element.tag)
    if kind == "text" or (kind == "character" and word_name(element.getparent().tag) == "r"):
        return "gone" if is_deleted else "flow"
    return kind if kind != "character" else None


@lru_cache(maxsize=2**12)
def _kind_of_text(tag: str) -> str | None:
    """The stream of an element by its tag alone, or what must be known of its place; None where it has no text."""
    word = word_name(tag)
    if word in ("instrText", "delInstrText"):
        return "code"
    if word == "delText":
        return "gone"
    if word == "t" or word in CHARACTERS:
        return "text" if word == "t" else "character"
    is_text = local_name(tag) == "t" and (_is_drawing(tag) or _MATH.match(namespace(tag)))
    return "flow" if is_text else None


def _is_builtin_value(part: str, element: Any) -> bool:
    if is_custom(part):
        return False
    if is_builtin_property(part, element):
        return True
    return local_name(element.tag) in _NUMBER_ELEMENTS and _NUMBER.match(element.text) is not None


def _marked_element(element: Any) -> Marked | None:
    local = local_name(element.tag)
    return "PERSON" if local in _PEOPLE_ELEMENTS else "ORG" if local == "Company" else None


class _AttributeReader:
    """Which attributes of the elements of a part are text."""

    def __init__(self, part: str, styles: StyleSheet) -> None:
        self._part, self._styles = part, styles
        self._is_linking = part.endswith(".rels")
        self._depends_on_names = not self._is_linking and not is_custom(part)

    def texts(self, element: Any, attributes: list[tuple[str, str]]) -> Iterator[SlotGroup]:
        """Those of an element with these attributes."""
        if self._depends_on_names:
            owner = local_name(element.tag)
            attributes = [(name, value) for name, value in attributes if _is_always_text(owner, name) is not False]
        if not attributes:
            return
        for name, value in attributes:
            if value.strip() and _is_text_attribute(self._part, element, name, value, self._styles):
                yield SlotGroup([Slot(element, name)], "PERSON" if local_name(name) in _PEOPLE_ATTRIBUTES else None)


def _is_text_attribute(part: str, element: Any, name: str, value: str, styles: StyleSheet) -> bool:
    """Whether an attribute is text of users, and not a value for Word."""
    if part.endswith(".rels"):
        return local_name(name) == "Target" and element.get("TargetMode") == "External"
    owner, local = local_name(element.tag), local_name(name)
    if is_custom(part):
        names_style = owner == "Sources" and local in ("SelectedStyle", "StyleName")
        return namespace(name) not in (_XSI, XML) and not (names_style and _CITATIONS.fullmatch(value))
    if (is_text := _is_always_text(owner, name)) is not None:
        return is_text
    if owner == "name":
        parent = element.getparent()
        return styles.is_chosen_name(element, parent) or local_name(parent.tag) in _NAMED_PARENTS
    return len(re.findall(r"[^\W\d_]", value)) > 2


@lru_cache(maxsize=2**12)
def _is_always_text(owner: str, name: str) -> bool | None:
    """Whether an attribute of an element is text of users, by their names alone; None where more must be read."""
    local = local_name(name)
    if namespace(name) in (_XSI, XML) or local in TIMES:
        return False
    if local in _PEOPLE_ATTRIBUTES or local in _TEXT_ATTRIBUTES or local in _ELEMENT_ATTRIBUTES.get(owner, ()):
        return True
    if owner in _VALUE_ELEMENTS and local == "val":
        return True
    return None if owner == "lvlText" or (owner == "name" and local == "val") else False


class StyleSheet:
    """The styles of a part: which of them Word named. It is looked up once, so it holds until a style is renamed."""

    def __init__(self, root: Any) -> None:
        self._root = root
        self._chosen: dict[Any, bool] = {}

    @cached_property
    def _listed_names(self) -> frozenset[str]:
        """Built-in names that the part lists, casefolded."""
        return frozenset(attribute(listed, "name").casefold() for listed in self._root.iter("{*}lsdException"))

    @cached_property
    def _builtin_by_id(self) -> dict[str, bool]:
        """For each id of a style that is not custom: whether one of its names is built-in."""
        by_id: dict[str, bool] = {}
        for style in self._root.iter("{*}style"):
            key = attribute(style, "styleId")
            if key and key not in by_id and not attribute(style, "customStyle"):
                by_id[key] = any(map(self.has_builtin_name, _names(style)))
        return by_id

    def has_builtin_name(self, name: Any) -> bool:
        """Whether a style's ``name`` is built-in, by our list or by that of the part."""
        value = attribute(name, "val")
        return is_builtin_style(value) or value.casefold().removesuffix(" char") in self._listed_names

    def is_builtin_twin(self, style: Any) -> bool:
        """Whether a style is the twin for characters of a built-in style.

        Its name is that of the other with a suffix, both in the language of Word.
        """
        links = (attribute(child, "val") for child in style if word_name(child.tag) == "link")
        key = next((link for link in links if link in self._builtin_by_id), None)
        if key is None or not self._builtin_by_id[key]:
            return False
        style_id = attribute(style, "styleId")
        is_twin = style_id.startswith(key) and FOR_CHARACTERS.fullmatch(style_id.removeprefix(key)) is not None
        return is_twin and all(_in_ascii(attribute(name, "val")) == _in_ascii(style_id) for name in _names(style))

    def is_chosen_name(self, name: Any, style: Any) -> bool:
        """Whether a user chose the name of a style."""
        if style not in self._chosen:
            is_custom_style = any(local_name(key) == "customStyle" for key in style.attrib)
            self._chosen[style] = is_custom_style and not self.is_builtin_twin(style)
        return self._chosen[style] and not self.has_builtin_name(name)

    def is_custom(self, style: Any) -> bool:
        """Whether a user made the style, so that its name is part of the text."""
        custom = attribute(style, "customStyle") not in ("", "0", "false", "off")
        return custom and not self.is_builtin(style) and not self.is_builtin_twin(style)

    def is_builtin(self, style: Any) -> bool:
        """Whether Word named the style: a built-in name, and the id that Word makes of it."""
        style_id = alphanumeric(attribute(style, "styleId"))
        return any(
            self.has_builtin_name(name) and alphanumeric(attribute(name, "val")) == style_id for name in _names(style)
        )


def _in_ascii(name: str) -> str:
    """The id that Word makes of a style's name."""
    return re.sub(r"[^A-Za-z0-9]", "", name)


# Bookmarks, document variables and styles are names by which the parts of a Word file refer to each other. A reader
# does not see them, but an author chose them. They are numbered, in the order of first use, before anything is read, so
# they are not part of the text, and a released file read again has the same numbers.

_BUILTIN_BOOKMARK = re.compile(r"_(?:toc|ref|hlk|hlt|goback|top)\d*\Z", re.IGNORECASE)
_STYLE_REFERENCES = docx_names("style_references")
_BOOKMARK_FIELDS = docx_names("bookmark_fields")
_FIELD = re.compile(r"\s*(=|[^\s\"\\]+)")
_FIRST_WORD = re.compile(r"\w+|\W")
_WORD_CHARACTER = re.compile(r"\w")

Names = Mapping[str, str]
"""New names by casefolded old ones: Word ignores case here."""


def neutralize_names(roots: Mapping[str, Any]) -> None:
    """Give bookmarks, document variables and custom styles neutral names, and update all references."""
    bookmarks = _numbered("bookmark", (value for *_, value in _bookmark_places(roots)))
    variables = _numbered("variable", (value for *_, value in _variable_places(roots)))
    for places, names in ((_bookmark_places(roots), bookmarks), (_variable_places(roots), variables)):
        for element, key, value in list(places):
            start = "#" if key == "Target" else ""
            element.set(key, start + names.get(value.casefold(), value))
    if bookmarks or variables:
        _rename_in_fields(roots, bookmarks, variables)
    custom: list[str] = []
    taken: set[str] = set()
    for style, sheet in _styles(roots):
        style_id = attribute(style, "styleId")
        if sheet.is_custom(style):
            custom.append(style_id)
        else:
            taken.add(style_id.casefold())
    _rename_styles(roots, _numbered("style", custom, taken))


def hide_styles(roots: Mapping[str, Any], has_replaced_word: Callable[[str], bool]) -> None:
    """Rename styles that look built-in, and so are not part of the text, where id or name hold a replaced word."""

    def is_matching(style: Any, sheet: StyleSheet) -> bool:
        names = [attribute(style, "styleId"), *(attribute(name, "val") for name in _names(style))]
        return not sheet.is_custom(style) and not sheet.is_builtin(style) and any(map(has_replaced_word, names))

    styles = list(_styles(roots))
    taken = {attribute(style, "styleId").casefold() for style, _ in styles}
    # All are checked before the first is renamed: whether a style is built-in may depend on the name of another.
    matching = [style for style, sheet in styles if is_matching(style, sheet)]
    ids = [attribute(style, "styleId") for style in matching]
    for number, style in enumerate(matching, 1):
        for name in _names(style):
            name.set(_key(name, "val"), f"Hidden {number}")
        style.attrib.pop(_key(style, "customStyle"), None)  # else the name would be custom, and so text
    _rename_styles(roots, _numbered("hidden", ids, taken))


def _bookmark_places(roots: Mapping[str, Any]) -> Iterator[tuple[Any, str, str]]:
    """Element, attribute and name, wherever a bookmark is set or referred to."""
    for part, root in roots.items():
        is_linking = part.endswith(".rels")
        for element in root.iter() if is_linking else root.iter("{*}bookmarkStart", "{*}hyperlink", "{*}name"):
            if is_linking:
                target = element.get("Target") or ""
                if target.startswith("#"):
                    yield element, "Target", target[1:]
                continue
            word = word_name(element.tag)
            if word == "bookmarkStart":
                yield from _place(element, "name")
            elif word == "hyperlink":
                yield from _place(element, "anchor")
            elif word == "name" and word_name(element.getparent().tag) == "ffData":
                yield from _place(element, "val")


def _variable_places(roots: Mapping[str, Any]) -> Iterator[tuple[Any, str, str]]:
    for root in roots.values():
        for element in root.iter("{*}docVar"):
            if word_name(element.tag):
                yield from _place(element, "name")


def _place(element: Any, local: str) -> Iterator[tuple[Any, str, str]]:
    if value := attribute(element, local):
        yield element, _key(element, local), value


def _key(element: Any, local: str) -> str:
    return next((name for name in element.attrib if local_name(name) == local), local)


def _numbered(kind: str, values: Iterator[str] | list[str], taken: set[str] | None = None) -> Names:
    names: dict[str, str] = {}
    number = 0
    for value in values:
        if value.casefold() in names or not value or _BUILTIN_BOOKMARK.match(value):
            continue
        number += 1
        while f"{kind}{number}" in (taken or ()):
            number += 1
        names[value.casefold()] = f"{kind}{number}"
    return names


def _styles(roots: Mapping[str, Any]) -> Iterator[tuple[Any, StyleSheet]]:
    for root in roots.values():
        if word_name(root.tag) == "styles":
            sheet = StyleSheet(root)
            for style in root:
                if word_name(style.tag) == "style" and attribute(style, "styleId"):
                    yield style, sheet


def _names(style: Any) -> list[Any]:
    return [child for child in style if word_name(child.tag) == "name"]


def _rename_styles(roots: Mapping[str, Any], names: Names) -> None:
    if not names:
        return
    for root in roots.values():
        for element in root.iter():
            word = word_name(element.tag)
            local = "val" if word in _STYLE_REFERENCES else ""
            if word == "style" and attribute(element, "styleId"):
                local = "styleId"
            if local and (new := names.get(attribute(element, local).casefold())):
                element.set(_key(element, local), new)


def _rename_in_fields(roots: Mapping[str, Any], bookmarks: Names, variables: Names) -> None:
    rename_bookmarks, rename_variables = NameReplacer(bookmarks), NameReplacer(variables)
    for part, root in roots.items():
        for group in slot_groups(part, root):
            if not is_field_code(group.slots[0]):
                continue
            old = "".join(slot.text for slot in group.slots)
            new = _rename_in_field(old, rename_bookmarks, rename_variables)
            if new != old:
                group.slots[0].write(new)
                for slot in group.slots[1:]:
                    slot.write("")


def is_field_code(slot: Slot) -> bool:
    """Whether the slot is (part of) a field code such as ``REF bookmark1``."""
    return word_name(slot.element.tag) in ("instrText", "delInstrText") or local_name(slot.place) == "instr"


def _rename_in_field(code: str, bookmarks: NameReplacer, variables: NameReplacer) -> str:
    match = _FIELD.match(code)
    if match is None:
        return code
    kind, rest = match.group(1), code[match.end() :]
    if kind.casefold() in bookmarks.names:  # a field may be just the bookmark's name
        return code[: match.start(1)] + bookmarks.names[kind.casefold()] + rest
    if kind.upper() == "HYPERLINK":
        rest = re.sub(r'(?<=\\l)\s+(?:"[^"]*"|[^\s"\\]+)', lambda inner: bookmarks.replace(inner.group()), rest)
    elif kind.upper() == "DOCVARIABLE":
        rest = variables.replace(rest)
    elif kind.upper() in _BOOKMARK_FIELDS:
        rest = bookmarks.replace(rest)
    return code[: match.end()] + rest


class NameReplacer:
    """Replaces names in field codes, the longest of those that begin at one place."""

    def __init__(self, names: Names) -> None:
        self.names = names
        self._lengths: dict[str, list[int]] = {}
        """The lengths of the names that begin with a word, longest first."""
        for name in sorted(names, key=len, reverse=True):
            lengths = self._lengths.setdefault(_FIRST_WORD.findall(name)[0], [])
            if not lengths or lengths[-1] != len(name):
                lengths.append(len(name))

    def replace(self, text: str) -> str:
        parts, end = [], 0
        for word in _FIRST_WORD.finditer(text):
            if word.start() >= end and (match := self._name_at(text, word)):
                parts += [text[end : word.start()], self.names[match.casefold()]]
                end = word.start() + len(match)
        return "".join([*parts, text[end:]])

    def _name_at(self, text: str, word: re.Match[str]) -> str | None:
        start = word.start()
        if start and _WORD_CHARACTER.match(text, start - 1):
            return None
        for length in self._lengths.get(word.group().casefold(), ()):
            name, follower = text[start : start + length], text[start + length : start + length + 1]
            if name.casefold() in self.names and not _WORD_CHARACTER.match(follower):
                return name
        return None


_READING_ORDER = ("header", "footer", "footnotes", "endnotes", "comments")
_NOT_NAMES = ("run", "text", "tail")
_PROSE_ATTRIBUTES = docx_names("prose_attributes")
_FORBIDDEN = re.compile(r"[^\t\n\r\x20-\uD7FF\uE000-\uFFFD\U00010000-\U0010FFFF]")
"""Characters that XML cannot hold, even escaped."""


@dataclass(slots=True)
class _OpenPackage:
    """The parts of a package, parsed."""

    parts: package.Parts
    roots: dict[str, Any]
    groups: list[SlotGroup]
    main: str

    @property
    def texts(self) -> list[list[str]]:
        return [[slot.text for slot in group.slots] for group in self.groups]

    @property
    def is_wordless(self) -> bool:
        """Whether the body has no text, as in a scan."""
        body = self.roots.get(self.main)
        return body is None or not any((run.text or "").strip() for run in body.iter("{*}t", "{*}delText"))


_LAST_READ: deque[_OpenPackage] = deque(maxlen=1)
"""The last file that was read: a file is read once more before it is rendered, and need not be parsed again."""


class Docx:
    """A Word file: body first, then headers, footers, notes and comments, then everything else."""

    name: ClassVar[str] = "docx"
    holds: ClassVar[Literal["document"]] = "document"

    def read(self, path: Path, document_id: str) -> Document:
        opened = _open_parts(path, package.read_package(path))
        _LAST_READ.append(opened)
        texts = opened.texts
        ranges = list(_group_ranges(opened.groups, texts))
        meta = {
            # Names that the file itself marks as someone's need no detector.
            "marked": tuple(
                Span(start, end, group.marked, "direct", source="docx:author")
                for group, start, end in ranges
                if group.marked and start < end
            ),
            "unchecked": dict(package.unchecked_parts(opened.parts)),
            "wordless": opened.is_wordless,
            # Detectors do not split identifiers into words.
            "identifiers": tuple(
                Place(start, end) for group, start, end in ranges if not group.marked and _is_identifier(group)
            ),
            "borders": tuple(start for _, start, _ in ranges),
        }
        return Document(document_id, text_of(texts), meta=meta)

    def render(self, source: Path, release: Release) -> bytes:
        if release.rewrite is not None:
            raise OutputError(f"{source}: a rewritten text has lost its place in the document; write .jsonl instead")
        if any(_FORBIDDEN.search(edit.replacement) for edit in release.edits):
            raise OutputError(
                f"{source}: a replacement holds a character that Word files cannot; choose another replacer"
            )
        parts = package.read_package(source)
        try:
            opened = _LAST_READ.pop()  # what is opened is changed below
        except IndexError:
            opened = _open_parts(source, parts)
        if opened.parts != parts:
            opened = _open_parts(source, parts)
        texts = opened.texts
        for (group, slot), changes in changes_by_slot(texts, release).items():
            opened.groups[group].slots[slot].write(apply_changes(texts[group][slot], changes))
        hide_styles(opened.roots, ReplacedWords(release).occur_in)
        data = package.write_package(_output_parts(source, opened))
        if text_of(_open_parts(source, package.read_members(source, io.BytesIO(data))).texts) != release.text:
            raise OutputError(f"{source}: the edits could not be put into the document; write .jsonl instead")
        return data


def _open_parts(path: Path, parts: package.Parts) -> _OpenPackage:
    main = package.main_part(path, parts)
    package.refuse_unreadable_parts(path, parts)
    roots = {name: package.parse(path, parts[name]) for name in _in_reading_order(main, parts)}
    remove_origin(roots)
    neutralize_names(roots)
    groups = [group for name, root in roots.items() for group in slot_groups(name, root)]
    return _OpenPackage(parts, roots, groups, main)


def _in_reading_order(main: str, parts: package.Parts) -> list[str]:
    """What a reader sees first comes first; the rest in the order of the file."""

    def rank(name: str) -> int:
        if name == main:
            return -1
        base = name.rpartition("/")[2]
        ranks = (
            index for index, start in enumerate(_READING_ORDER) if name.startswith("word/") and base.startswith(start)
        )
        return next(ranks, len(_READING_ORDER))

    return sorted((name for name in parts if package.is_xml(name)), key=rank)


def _group_ranges(groups: list[SlotGroup], texts: list[list[str]]) -> Iterator[tuple[SlotGroup, int, int]]:
    """Each group that is part of the document's text, with its range."""
    starts = group_starts(texts)
    for number, group in enumerate(groups):
        if number in starts:
            yield group, starts[number], starts[number] + len(text_of([texts[number]]))


def _is_identifier(group: SlotGroup) -> bool:
    first = group.slots[0]
    return is_field_code(first) or (first.place not in _NOT_NAMES and local_name(first.place) not in _PROSE_ATTRIBUTES)


def _output_parts(path: Path, opened: _OpenPackage) -> package.Parts:
    renamed = package.neutral_image_names(opened.parts)
    closed: package.Parts = {}
    for name, data in opened.parts.items():
        root = opened.roots.get(name)
        if name == package.CONTENT_TYPES:
            root = package.parse(path, data)
            package.update_content_types(root, renamed)
        elif root is not None and name.endswith(".rels"):
            package.update_relations(name, root, renamed)
        closed[renamed.get(name, name)] = data if root is None else package.serialize(root)
    return closed
