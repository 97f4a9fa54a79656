"""Word documents: the text of the whole package, and the package with every edit in it."""

from __future__ import annotations

import io
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from sfumato.corpus.docx import package
from sfumato.corpus.docx.names import hide_styles, is_field_code, neutralize
from sfumato.corpus.docx.origin import scrub
from sfumato.corpus.docx.slots import slot_groups
from sfumato.corpus.docx.strings import SlotGroup, local_name
from sfumato.corpus.identifiers import Place, Telling
from sfumato.corpus.layout import apply, lay_out, starts_of, text_of
from sfumato.document import Document, Release, Span
from sfumato.errors import OutputError

_READING_ORDER = ("header", "footer", "footnotes", "endnotes", "comments")
_NOT_NAMES = ("run", "text", "tail")
_PROSE = {"descr", "title", "alt", "tooltip", "string", "displayText"}
_FORBIDDEN = re.compile(r"[^\t\n\r\x20-\uD7FF\uE000-\uFFFD\U00010000-\U0010FFFF]")
"""What XML cannot hold, not even escaped."""


@dataclass(slots=True)
class _Opened:
    """A package taken apart."""

    parts: package.Parts
    roots: dict[str, Any]
    groups: list[SlotGroup]
    main: str

    @property
    def texts(self) -> list[list[str]]:
        return [[slot.text for slot in group.slots] for group in self.groups]

    @property
    def is_wordless(self) -> bool:
        """Whether the body has no text of its own: a scan, for one, whatever its properties say."""
        body = self.roots.get(self.main)
        return body is None or not any((one.text or "").strip() for one in body.iter("{*}t", "{*}delText"))


class Docx:
    """A Word file: body first, then headers, footers, notes and comments, then everything else."""

    name: ClassVar[str] = "docx"

    def read(self, path: Path, document_id: str) -> Document:
        opened = _open(path)
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
        opened = _open(source)
        texts = opened.texts
        for (group, slot), changes in lay_out(texts, release).items():
            opened.groups[group].slots[slot].write(apply(texts[group][slot], changes))
        hide_styles(opened.roots, Telling(release).holds)
        data = package.write_package(_closed(source, opened))
        if text_of(_taken_apart(source, package.read_members(source, io.BytesIO(data))).texts) != release.text:
            raise OutputError(f"{source}: the edits could not be put into the document; write .jsonl instead")
        return data


def _open(path: Path) -> _Opened:
    return _taken_apart(path, package.read_package(path))


def _taken_apart(path: Path, parts: package.Parts) -> _Opened:
    package.refuse_untreatable(path, parts)
    main = package.main_part(path, parts)
    roots = {name: package.parse(path, parts[name]) for name in _in_reading_order(main, parts)}
    neutralize(roots)
    groups = [group for name, root in roots.items() for group in slot_groups(name, root)]
    return _Opened(parts, roots, groups, main)


def _in_reading_order(main: str, parts: package.Parts) -> list[str]:
    """What a reader meets first comes first; the rest as the file has it."""

    def rank(name: str) -> int:
        if name == main:
            return -1
        base = name.rpartition("/")[2]
        found = (
            index for index, start in enumerate(_READING_ORDER) if name.startswith("word/") and base.startswith(start)
        )
        return next(found, len(_READING_ORDER))

    return sorted((name for name in parts if package.is_xml(name)), key=rank)


def _marked(groups: list[SlotGroup], texts: list[list[str]]) -> tuple[Span, ...]:
    """What the file itself says is the name of someone, as spans that need no detector."""
    starts = starts_of(texts)
    return tuple(
        Span(
            starts[number],
            starts[number] + len(text_of([texts[number]])),
            group.marked,
            "direct",
            source="docx:author",
        )
        for number, group in enumerate(groups)
        if group.marked and number in starts and text_of([texts[number]])
    )


def _identifiers(groups: list[SlotGroup], texts: list[list[str]]) -> tuple[Place, ...]:
    """Where file names and names of things stand, which detectors do not take apart."""
    starts = starts_of(texts)
    return tuple(
        Place(starts[number], starts[number] + len(text_of([texts[number]])))
        for number, group in enumerate(groups)
        if number in starts and not group.marked and _is_identifier(group)
    )


def _is_identifier(group: SlotGroup) -> bool:
    first = group.slots[0]
    return is_field_code(first) or (first.place not in _NOT_NAMES and local_name(first.place) not in _PROSE)


def _closed(path: Path, opened: _Opened) -> package.Parts:
    renamed = package.usual_names(opened.parts)
    closed: package.Parts = {}
    for name, data in opened.parts.items():
        root = opened.roots.get(name)
        if name == package.CONTENT_TYPES:
            root = package.parse(path, data)
            package.mend_content_types(root, renamed)
        elif root is not None:
            scrub(name, root)
            if name.endswith(".rels"):
                package.mend_relations(name, root, renamed)
        closed[renamed.get(name, name)] = data if root is None else package.serialize(root)
    return closed
