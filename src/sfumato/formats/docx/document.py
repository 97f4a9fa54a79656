"""Word documents: the text of the whole package, and the package with every edit."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from sfumato.document import Document, Release, Span
from sfumato.errors import OutputError
from sfumato.formats.docx import package
from sfumato.formats.docx.package import Slot, SlotGroup, attribute, local_name, remove_origin, word_name
from sfumato.formats.docx.slots import docx_names, has_builtin_name, is_builtin_twin, slot_groups
from sfumato.formats.identifiers import Place, ReplacedWords, alphanumeric
from sfumato.formats.layout import apply_changes, changes_by_slot, group_starts, text_of

# -- Names by which the parts of a Word file refer to each other: bookmarks, document variables, styles.
#
# A reader does not see them, but an author chose them. They are numbered, in the order of first use, before anything is
# read, so they are not part of the text, and a released file read again has the same numbers.

_BUILTIN_BOOKMARK = re.compile(r"_(?:toc|ref|hlk|hlt|goback|top)\d*\Z", re.IGNORECASE)
_STYLE_REFERENCES = docx_names("style_references")
_BOOKMARK_FIELDS = docx_names("bookmark_fields")
_FIELD = re.compile(r"\s*(=|[^\s\"\\]+)")

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
    styles = list(_styles(roots))
    custom = [style for style in styles if _is_custom(style)]
    taken = {attribute(style, "styleId").casefold() for style in styles if style not in custom}
    _rename_styles(roots, _numbered("style", [attribute(style, "styleId") for style in custom], taken))


def hide_styles(roots: Mapping[str, Any], has_replaced_word: Callable[[str], bool]) -> None:
    """Rename styles that look built-in, and so are not part of the text, where id or name hold a replaced word."""
    styles = list(_styles(roots))
    taken = {attribute(style, "styleId").casefold() for style in styles}
    # All are checked before the first is renamed: whether a style is built-in may depend on the name of another.
    matching = [
        style
        for style in styles
        if not _is_custom(style) and not _is_builtin(style) and _any_name(style, has_replaced_word)
    ]
    ids = [attribute(style, "styleId") for style in matching]
    for number, style in enumerate(matching, 1):
        for name in _names(style):
            name.set(_key(name, "val"), f"Hidden {number}")
        style.attrib.pop(_key(style, "customStyle"), None)  # else the name would be custom, and so text
    _rename_styles(roots, _numbered("hidden", ids, taken))


def _any_name(style: Any, has_replaced_word: Callable[[str], bool]) -> bool:
    return any(
        map(has_replaced_word, [attribute(style, "styleId"), *(attribute(name, "val") for name in _names(style))])
    )


def _bookmark_places(roots: Mapping[str, Any]) -> Iterator[tuple[Any, str, str]]:
    """Element, attribute and name, wherever a bookmark is set or referred to."""
    for part, root in roots.items():
        for element in root.iter():
            if part.endswith(".rels"):
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
        for element in root.iter():
            if word_name(element.tag) == "docVar":
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


def _styles(roots: Mapping[str, Any]) -> Iterator[Any]:
    for root in roots.values():
        if word_name(root.tag) == "styles":
            yield from (style for style in root if word_name(style.tag) == "style" and attribute(style, "styleId"))


def _is_custom(style: Any) -> bool:
    """Whether a user made the style, so that its name is part of the text."""
    custom = attribute(style, "customStyle") not in ("", "0", "false", "off")
    return custom and not _is_builtin(style) and not is_builtin_twin(style)


def _names(style: Any) -> list[Any]:
    return [child for child in style if word_name(child.tag) == "name"]


def _is_builtin(style: Any) -> bool:
    """Whether Word named the style: a built-in name, and the id that Word makes of it."""
    return any(
        has_builtin_name(name) and alphanumeric(attribute(name, "val")) == alphanumeric(attribute(style, "styleId"))
        for name in _names(style)
    )


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
    for part, root in roots.items():
        for group in slot_groups(part, root):
            if not is_field_code(group.slots[0]):
                continue
            old = "".join(slot.text for slot in group.slots)
            new = _rename_in_field(old, bookmarks, variables)
            if new != old:
                group.slots[0].write(new)
                for slot in group.slots[1:]:
                    slot.write("")


def is_field_code(slot: Slot) -> bool:
    """Whether the slot is (part of) a field code such as ``REF bookmark1``."""
    return word_name(slot.element.tag) in ("instrText", "delInstrText") or local_name(slot.place) == "instr"


def _rename_in_field(code: str, bookmarks: Names, variables: Names) -> str:
    match = _FIELD.match(code)
    if match is None:
        return code
    kind, rest = match.group(1), code[match.end() :]
    if kind.casefold() in bookmarks:  # a field may be just the bookmark's name
        return code[: match.start(1)] + bookmarks[kind.casefold()] + rest
    if kind.upper() == "HYPERLINK":
        rest = re.sub(r'(?<=\\l)\s+(?:"[^"]*"|[^\s"\\]+)', lambda inner: _rename(inner.group(), bookmarks), rest)
    elif kind.upper() == "DOCVARIABLE":
        rest = _rename(rest, variables)
    elif kind.upper() in _BOOKMARK_FIELDS:
        rest = _rename(rest, bookmarks)
    return code[: match.end()] + rest


def _rename(text: str, names: Names) -> str:
    if not names:
        return text
    longest_first = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
    pattern = re.compile(rf"(?<!\w)(?:{longest_first})(?!\w)", re.IGNORECASE)
    return pattern.sub(lambda match: names.get(match.group().casefold(), match.group()), text)


# -- Reading and rendering a Word document.

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


class Docx:
    """A Word file: body first, then headers, footers, notes and comments, then everything else."""

    name: ClassVar[str] = "docx"

    def read(self, path: Path, document_id: str) -> Document:
        opened = _open_parts(path, package.read_package(path))
        images = sum(package.is_image(name) for name in opened.parts)
        texts = opened.texts
        return Document(
            document_id,
            text_of(texts),
            meta={
                "marked": _marked(opened.groups, texts),
                "unchecked": {"image": images} if images else {},
                "wordless": opened.is_wordless,
                "identifiers": _identifiers(opened.groups, texts),
            },
        )

    def render(self, source: Path, release: Release) -> bytes:
        if release.rewrite is not None:
            raise OutputError(f"{source}: a rewritten text has lost its place in the document; write .jsonl instead")
        if any(_FORBIDDEN.search(edit.replacement) for edit in release.edits):
            raise OutputError(
                f"{source}: a replacement holds a character that Word files cannot; choose another replacer"
            )
        opened = _open_parts(source, package.read_package(source))
        texts = opened.texts
        for (group, slot), changes in changes_by_slot(texts, release).items():
            opened.groups[group].slots[slot].write(apply_changes(texts[group][slot], changes))
        hide_styles(opened.roots, ReplacedWords(release).occur_in)
        data = package.write_package(_output_parts(source, opened))
        if text_of(_open_parts(source, package.read_members(source, io.BytesIO(data))).texts) != release.text:
            raise OutputError(f"{source}: the edits could not be put into the document; write .jsonl instead")
        return data


def _open_parts(path: Path, parts: package.Parts) -> _OpenPackage:
    package.refuse_unreadable_parts(path, parts)
    main = package.main_part(path, parts)
    roots = {name: package.parse(path, parts[name]) for name in _in_reading_order(main, parts)}
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


def _marked(groups: list[SlotGroup], texts: list[list[str]]) -> tuple[Span, ...]:
    """Names that the file itself marks as someone's, as spans that need no detector."""
    return tuple(
        Span(start, end, group.marked, "direct", source="docx:author")
        for group, start, end in _group_ranges(groups, texts)
        if group.marked and start < end
    )


def _identifiers(groups: list[SlotGroup], texts: list[list[str]]) -> tuple[Place, ...]:
    """The ranges of identifiers, which detectors do not split into words."""
    return tuple(
        Place(start, end)
        for group, start, end in _group_ranges(groups, texts)
        if not group.marked and _is_identifier(group)
    )


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
        elif root is not None:
            remove_origin(name, root)
            if name.endswith(".rels"):
                package.update_relations(name, root, renamed)
        closed[renamed.get(name, name)] = data if root is None else package.serialize(root)
    return closed
