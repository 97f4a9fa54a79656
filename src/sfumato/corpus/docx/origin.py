"""When, where and in which sessions a Word file was written: taken out, and no part of the text."""

from __future__ import annotations

from typing import Any

from sfumato.corpus.docx.strings import local_name

TIMES = {"date", "dateUtc", "fullDate"}
"""Attributes."""
_ORIGIN = {"rsid", "rsidR", "rsidRPr", "rsidP", "rsidRDefault", "rsidSect", "rsidTr", "rsidDel"}
_TIME_ELEMENTS = {"created", "modified", "lastPrinted"}
_ORIGIN_ELEMENTS = {"rsids", "docId"}


def is_custom(part: str) -> bool:
    """Parts that Word only carries along: anything may stand anywhere in them."""
    return part.startswith("customXml/") and "itemProps" not in part


def is_time(part: str, element: Any) -> bool:
    """Whether an element of the properties holds one."""
    if not part.startswith("docProps/"):
        return False
    return local_name(element.tag) in _TIME_ELEMENTS or any(local_name(child.tag) == "filetime" for child in element)


def scrub(part: str, root: Any) -> None:
    """Take out when, and in which sessions, a document was written."""
    if is_custom(part):
        return
    for element in list(root.iter()):
        for name in list(element.attrib):
            if local_name(name) in TIMES or local_name(name) in _ORIGIN:
                del element.attrib[name]
        parent = element.getparent()
        if parent is not None and (is_time(part, element) or local_name(element.tag) in _ORIGIN_ELEMENTS):
            parent.remove(element)
