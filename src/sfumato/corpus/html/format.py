"""HTML, edited in place: what no edit touches stays the same byte for byte."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

from sfumato.corpus.base import Unreadable
from sfumato.corpus.html.slots import Page, Patch, Slot, read_page
from sfumato.corpus.identifiers import Place
from sfumato.corpus.layout import Changes, lay_out, starts_of, text_of
from sfumato.corpus.lines import BOM
from sfumato.corpus.text import read_bytes
from sfumato.document import Document, Release
from sfumato.errors import OutputError

_DECLARED = re.compile(rb"<meta\b[^>]*?\bcharset\s*=\s*[\"']?\s*([\w.:-]+)", re.IGNORECASE)
_HEAD = 4096
_EMBEDDED = re.compile(
    r"\bdata:\s*(?P<type>[\w.+-]+/[\w.+-]+)?(?:;[^,;]{0,100})*?(?P<base64>;\s*base64)?\s*,(?P<rest>[^\s\"'()]{4,})",
    re.IGNORECASE,
)
_MEDIA = re.compile(r"image/(?!svg)|font/|audio/|video/|application/(?:x-)?font", re.IGNORECASE)
_PERCENT = re.compile(r"%[0-9a-fA-F]{2}")
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
# What browsers read under these names: a superset, or, where the declaration itself was readable, UTF-8.
_READ_AS = {
    "iso8859-1": "cp1252",
    "ascii": "cp1252",
    "utf-16": "utf-8",
    "utf-16-le": "utf-8",
    "utf-16-be": "utf-8",
}


class Html:
    """A page: what a reader sees, then its attributes, comments and scripts, each on a line of its own."""

    name: ClassVar[str] = "html"

    def read(self, path: Path, document_id: str) -> Document:
        source, _, _ = _decode(path)
        page = read_page(source)
        meta = {
            "unchecked": _unchecked(path, page),
            "wordless": page.is_wordless,
            "identifiers": tuple(_identifiers(page)),
        }
        return Document(document_id, text_of(page.texts), meta=meta)

    def render(self, source: Path, release: Release) -> bytes:
        if release.rewrite is not None:
            raise OutputError(f"{source}: a rewritten text has lost its place in the page; write .jsonl instead")
        text, charset, mark = _decode(source)
        page = read_page(text)
        changes = lay_out(page.texts, release)
        for patches in (_few(page, changes), _safe(page, changes), _all(page, changes)):
            rendered = _patched(text, patches, charset)
            try:
                data = rendered.encode(charset)
            except UnicodeEncodeError:
                raise OutputError(
                    f"{source}: a replacement cannot be written in {charset}; save the page as UTF-8 first"
                ) from None
            if text_of(read_page(rendered).texts) == release.text:
                return mark + data
        raise OutputError(
            f"{source}: a replacement would end the comment or style it stands in; choose another replacer"
        )


def _decode(path: Path) -> tuple[str, str, bytes]:
    """The source, its character set and its byte order mark."""
    data = read_bytes(path)
    if data.startswith(_UTF16):
        raise Unreadable(path, "is in UTF-16; save it as UTF-8 and run again")
    mark = BOM if data.startswith(BOM) else b""
    declared = _DECLARED.search(data[:_HEAD])
    charset = "utf-8" if mark or declared is None else _charset(path, declared.group(1).decode("latin-1"))
    body = data.removeprefix(BOM)
    try:
        source = body.decode(charset)
        same = source.encode(charset) == body
    except UnicodeError:
        same = False
    if not same:
        raise Unreadable(path, f"is not valid {charset}; save it as UTF-8 and declare that")
    return source, charset, mark


def _charset(path: Path, declared: str) -> str:
    try:
        name = codecs.lookup(declared).name
        "".encode(name)  # some codecs are not for text
    except LookupError:
        raise Unreadable(path, "declares a character set that is not known; save it as UTF-8") from None
    return _READ_AS.get(name, name)


def _unchecked(path: Path, page: Page) -> dict[str, int]:
    """What is embedded in data: addresses and no detector reads, by kind. Raises where it may be text behind base64."""
    images, texts = page.images, 0
    for slot in (slot for group in page.groups for slot in group):
        for found in _EMBEDDED.finditer(slot.decoded.text):
            is_media = _MEDIA.match(found["type"] or "") is not None
            if found["base64"] and not is_media:
                raise Unreadable(path, "holds a text or a file inside a data: address; take it out, or save it apart")
            images += is_media
            # Attributes that are addresses are read with their percent escapes; styles and scripts are not.
            texts += not is_media and _PERCENT.search(found["rest"]) is not None
    return {what: count for what, count in (("embedded image", images), ("embedded text", texts)) if count}


def _identifiers(page: Page) -> Iterator[Place]:
    """Where ids, classes and file names stand, and the code that uses them."""
    texts = page.texts
    starts = starts_of(texts)
    for number, group in enumerate(page.groups):
        if number not in starts or group[0].holds == "text":
            continue
        start, text = starts[number], text_of([texts[number]])
        if group[0].holds == "names":
            yield from (Place(start + name.start(), start + name.end()) for name in re.finditer(r"\S+", text))
        else:
            yield Place(start, start + len(text), "code" if group[0].holds == "code" else "name")


Patches = Iterator[tuple[Slot, list[Patch]]]


def _few(page: Page, changes: Changes) -> Patches:
    for (group, slot), changed in changes.items():
        yield page.groups[group][slot], page.groups[group][slot].rewritten(changed)


def _safe(page: Page, changes: Changes) -> Patches:
    for (group, slot), changed in changes.items():
        yield page.groups[group][slot], page.groups[group][slot].rewritten_safely(changed)


def _all(page: Page, changes: Changes) -> Patches:
    for number, group in enumerate(page.groups):
        for index, slot in enumerate(group):
            yield slot, slot.rewritten_whole(changes.get((number, index), []))


def _patched(source: str, patches: Patches, charset: str) -> str:
    written = [
        Patch(start, end, _fitting(new, charset, slot.character)) for slot, some in patches for start, end, new in some
    ]
    parts = []
    at = 0
    for start, end, new in sorted(written, key=lambda patch: patch[:2]):
        parts += [source[at:start], new]
        at = end
    return "".join([*parts, source[at:]])


def _fitting(text: str, charset: str, reference: str) -> str:
    """Characters that the set lacks as references, where there are references."""
    if not reference or charset == "utf-8":
        return text
    return "".join(character if _fits(character, charset) else reference.format(ord(character)) for character in text)


def _fits(character: str, charset: str) -> bool:
    try:
        character.encode(charset)
    except UnicodeEncodeError:
        return False
    return True
