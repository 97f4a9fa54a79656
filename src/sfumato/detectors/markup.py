"""Tags, comments and declarations of XML and HTML in a text: their values, and what must stay."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sfumato.detectors.json_blocks import FORMAT_NAME
from sfumato.detectors.structured_lines import Piece, Region
from sfumato.lexicon.tables import word_set
from sfumato.lexicon.tokens import lazy_pattern

_ATTRIBUTE = r"""[A-Za-z_:][\w:.-]*+\s*+=\s*+(?:"[^"<]*+"|'[^'<]*+')"""
_TAG = lazy_pattern(
    rf"<(?P<close>/)?(?P<name>[A-Za-z][\w:.-]*+)(?P<attributes>(?:\s++{_ATTRIBUTE})*+)\s*+(?P<empty>/)?>"
    r"|(?P<comment><!--(?:[^-]|-(?!->))*+(?:-->)?)|(?P<declaration><\?xml[\w-]*[^?>]*+\?>|<!DOCTYPE[^>]{0,300}+>)"
    r"|<!\[CDATA\[(?P<data>(?:[^\]]|\](?!\]>))*+)(?:\]\]>)?"
)
_ONE_ATTRIBUTE = lazy_pattern(
    r"""(?P<name>[A-Za-z_:][\w:.-]*+)\s*+=\s*+(?:"(?P<double>[^"]*+)"|'(?P<single>[^']*+)')"""
)
_QUOTED = lazy_pattern(r"""(?P<quote>["'])(?P<value>(?:(?!(?P=quote)).)*+)(?P=quote)?""", re.DOTALL)
_OF_FORMAT = lazy_pattern(
    r"\d\.\d|(?i:utf-?\d{1,2}|us-ascii|iso-8859-\d{1,2}|windows-\d{4}|yes|no|text/xsl)"
    r"|-//(?:W3C|OASIS|IETF)//[\w :./-]*+|https?://www\.w3\.org/[\w./-]*+|about:legacy-compat"
)
"""What declarations quote that is of the format: versions, encodings, public names of document types."""
_LONE_TAGS = word_set("structure", "lone_tags")


def find_tags(text: str) -> Iterator[Region]:
    """Tags, comments and declarations of XML and HTML, and the text between them."""
    if "<" not in text:
        return
    tags = list(_TAG.finditer(text))
    opened = {tag["name"] for tag in tags if tag["name"] and not tag["close"]}
    closed = {tag["name"] for tag in tags if tag["close"]}
    depth, position = 0, 0
    for tag in tags:
        name = tag["name"]
        if name and not (name in opened & closed or tag["attributes"] or tag["empty"] or name.lower() in _LONE_TAGS):
            continue  # <anna> may be someone's name
        pieces = [Piece(position, tag.start(), "value", "", "markup")] if depth > 0 and position < tag.start() else []
        region_start = position if pieces else tag.start()
        if name and name in opened & closed and not tag["empty"]:
            depth = max(0, depth + (-1 if tag["close"] else 1))
        yield Region(region_start, tag.end(), [*pieces, *_tag_pieces(text, tag)])
        position = tag.end()


def _tag_pieces(text: str, tag: re.Match[str]) -> Iterator[Piece]:
    start, end = tag.span()
    if tag["comment"] is not None:
        yield Piece(start, start + len("<!--"), "fixed")
        if text.endswith("-->", start + len("<!--"), end):
            yield Piece(end - len("-->"), end, "fixed")
    elif tag["data"] is not None:
        yield from (Piece(start, tag.start("data"), "fixed"), Piece(tag.end("data"), end, "fixed"))
    elif tag["declaration"] is not None:
        for quoted in _QUOTED.finditer(text, start, end):
            if not _OF_FORMAT.fullmatch(quoted["value"]):
                yield Piece(start, quoted.start("value"), "fixed")
                yield Piece(*quoted.span("value"), "value", quoted["quote"], "markup")
                start = quoted.end("value")
        yield Piece(start, end, "fixed")
    else:
        for attribute in _ONE_ATTRIBUTE.finditer(text, tag.start("attributes"), tag.end("attributes")):
            group, quote = ("single", "'") if attribute["double"] is None else ("double", '"')
            yield Piece(start, attribute.start(group), "fixed")
            is_schema = attribute["name"].startswith("xmlns") and FORMAT_NAME.fullmatch(attribute[group])
            yield Piece(*attribute.span(group), "fixed" if is_schema else "value", quote, "markup")
            start = attribute.end(group)
        yield Piece(start, end, "fixed")
