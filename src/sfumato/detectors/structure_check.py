"""The last check of a release: what stood in it as JSON, YAML, a table, markup, code or settings is read again.

Where rows, cells, keys, tags or types differ, the edits are narrowed to the values; where that does not help, the
document is withheld. What must stay is the shape, a list of tokens: brackets, rows, tags, keys, types.
"""

from __future__ import annotations

import csv
import json
import re
import tomllib
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from html.parser import HTMLParser
from io import StringIO
from typing import Any

from sfumato.detectors.structure import Structure, document_structure
from sfumato.detectors.structured_lines import Region, code_tokens, setting_keys
from sfumato.detectors.yaml_blocks import Token, TokenKind, read_yaml
from sfumato.document import Edit, Outcome, Release, Withheld

_WITH_KEYS = ("JSON", "YAML")
"""Formats in which an edit from a value into a key may leave a shape like the one that was."""
_MARKS = re.compile(r"[^\w .-]+")
_IS_KEY = re.compile(r"(?:\\*[\"'])?\s*:")
_REASONS = ("kept within its value",)


def keep_structures(outcome: Outcome) -> Outcome:
    """The release, with its structures as they were; or why it is withheld. A rewritten text has no edits to narrow."""
    if isinstance(outcome, Withheld) or outcome.rewrite is not None or not outcome.edits:
        return outcome
    structure = document_structure(outcome.document)
    release = outcome
    damaged = _find_damaged(release, structure)
    for narrow in (_split, _simplify, _quote):
        if not damaged:
            return release
        release = _narrow(release, structure, damaged, narrow)
        damaged = _find_damaged(release, structure)
    if not damaged:
        return release
    name = damaged[0].format.split(" ")[0]
    return Withheld(outcome.document, f"its {name} would lose its form (rows, cells, keys, tags, types or quotes)")


def _find_damaged(release: Release, structure: Structure) -> list[Region]:
    """The regions that cannot be read as before."""
    text, starts = release.document.text, [edit.span.start for edit in release.edits]
    ends = [edit.span.end for edit in release.edits]
    damaged = []
    for region in structure.regions:
        edits = release.edits[bisect_right(ends, region.start) : bisect_left(starts, region.end)]
        if not edits:
            continue
        before = read_shape(region.format, text[region.start : region.end])
        if before is None:
            continue  # what is recognized only in part has no shape to keep
        after = read_shape(region.format, release.text[slice(*release.to_released(region.start, region.end))])
        crosses = region.format in _WITH_KEYS and not all(_is_in_value(edit, structure) for edit in edits)
        if crosses or after is None or not is_same_shape(before, after):
            damaged.append(region)
    return damaged


def _is_in_value(edit: Edit, structure: Structure) -> bool:
    parts = structure.values_in(edit.span)
    return len(parts) == 1 and (parts[0].start, parts[0].end) == (edit.span.start, edit.span.end)


def _narrow(
    release: Release,
    structure: Structure,
    damaged: Sequence[Region],
    narrow: Callable[[Edit, Structure], Iterable[Edit]],
) -> Release:
    edits: list[Edit] = []
    starts = [region.start for region in damaged]
    for edit in release.edits:
        index = bisect_left(starts, edit.span.end) - 1
        is_touched = index >= 0 and edit.span.start < damaged[index].end
        edits += narrow(edit, structure) if is_touched else [edit]
    return replace(release, edits=tuple(_with_distinct_keys(_disjoint(edits), structure)))


def _disjoint(edits: Iterable[Edit]) -> Iterator[Edit]:
    """The edits without what an earlier one covers: two edits in a number both cover all of it."""
    position = 0
    for edit in sorted(edits, key=lambda edit: edit.span.start):
        if position <= edit.span.start:
            yield edit
        elif position < edit.span.end:
            yield replace(edit, span=edit.span.moved(position, edit.span.end))
        position = max(position, edit.span.end)


def _split(edit: Edit, structure: Structure) -> Iterable[Edit]:
    """One edit for each value that an edit covers, with the same replacement."""
    if _is_in_value(edit, structure):
        return [edit]
    edit = replace(edit, reasons=(*edit.reasons, *_REASONS))
    return _within_values(edit, structure)


def _simplify(edit: Edit, structure: Structure) -> Iterable[Edit]:
    """The same, with nothing but words in the replacement."""
    edit = replace(edit, replacement=_MARKS.sub(" ", edit.replacement).strip(), reasons=(*edit.reasons, *_REASONS))
    return _within_values(edit, structure)


def _quote(edit: Edit, structure: Structure) -> Iterable[Edit]:
    """The same in quotes, where several words stand for a value without quotes behind an equals sign."""
    is_bare = structure.text[edit.span.start - 1 : edit.span.start] == "=" and " " in edit.replacement
    is_quoted = edit.replacement[:1] in ("'", '"')
    return [replace(edit, replacement=f'"{edit.replacement}"') if is_bare and not is_quoted else edit]


def _within_values(edit: Edit, structure: Structure) -> list[Edit]:
    """The edit at each value that it covers. What lies in none, a tag that names somebody, is hidden all the same."""
    parts = structure.values_in(edit.span)
    return [structure.write(replace(edit, span=part), part) for part in parts] or [edit]


def _with_distinct_keys(edits: Iterable[Edit], structure: Structure) -> Iterator[Edit]:
    """The edits, with a number where two keys would become one; a key gets the same replacement everywhere."""
    text = structure.text
    keys: dict[str, dict[str, str]] = {}
    for edit in edits:
        start, end = edit.span.start, edit.span.end
        if not _IS_KEY.match(text, end):
            yield edit
            continue
        written = keys.setdefault(edit.replacement, {})
        original = text[start:end]
        if original not in written:
            written[original] = f"{edit.replacement} {len(written) + 1}" if written else edit.replacement
        yield edit if written[original] == edit.replacement else replace(edit, replacement=written[original])


# Shapes.

Shape = list[Token]
_PARSED_KEYS = ("JSON", "YAML", "settings")
_AS_NUMBER = frozenset({"number", "string", "key"})


def read_shape(format_name: str, string: str) -> Shape | None:
    """The shape of a text in a format; None where it is not one that can be read."""
    name, _, separator = format_name.partition(" ")
    try:
        shape = _read_table(string, separator) if name == "table" else _READERS[name](string)
    except (ValueError, RecursionError, csv.Error):
        return None
    return None if shape is None or (name in _PARSED_KEYS and _has_key_twice(shape)) else shape


def is_same_shape(before: Shape, after: Shape) -> bool:
    """Whether a text that was replaced in has the shape that it had."""
    return len(before) == len(after) and all(map(_may_become, before, after))


def _may_become(before: Token, after: Token) -> bool:
    if before.kind == "number":
        return after.kind in _AS_NUMBER or (after.kind == "constant" and after.text == "null")
    if before.kind in ("string", "key"):
        return before.kind == after.kind
    return before.kind == after.kind and before.text == after.text


def _has_key_twice(shape: Shape) -> bool:
    """Whether an object has a key twice: of two people with one label, a reader would lose one."""
    keys: list[set[str]] = []
    for token in shape:
        if token.kind == "mark" and token.text in ("{", "["):
            keys.append(set())
        elif token.kind == "mark" and token.text == "}":
            keys.pop()
        elif token.kind == "key" and keys:
            if token.text in keys[-1]:
                return True
            keys[-1].add(token.text)
    return False


def _read_json(string: str) -> Shape:
    return list(_flatten(json.loads(string, object_pairs_hook=_Pairs)))


class _Pairs(list[tuple[str, Any]]):
    """The pairs of an object, with keys that stand there twice."""


def _flatten(value: Any) -> Iterator[Token]:
    if isinstance(value, _Pairs):
        yield Token("mark", "{")
        for key, inner in value:
            yield Token("key", key)
            yield from _flatten(inner)
        yield Token("mark", "}")
    elif isinstance(value, list):
        yield Token("mark", "[")
        for inner in value:
            yield from _flatten(inner)
        yield Token("mark", "}")
    elif isinstance(value, str) and (inner := _inner_json(value)) is not None:
        yield Token("mark", "JSON in a string")
        yield from _flatten(inner)
    else:
        kind: TokenKind = "string" if isinstance(value, str) else "number"
        is_constant = value is None or isinstance(value, bool)
        yield Token("constant" if is_constant else kind, json.dumps(value) if is_constant else "")


def _inner_json(string: str) -> Any:
    """What a string holds that is JSON itself; None where it does not."""
    if string[:1] not in ("{", "["):
        return None
    try:
        return json.loads(string, object_pairs_hook=_Pairs)
    except ValueError:
        return None


def _read_toml_or_keys(string: str) -> Shape:
    try:
        value = tomllib.loads(string)
    except tomllib.TOMLDecodeError:
        return [Token("mark", key) for key in setting_keys(string)]
    return list(_flatten(json.loads(json.dumps(value, default=lambda date: 0), object_pairs_hook=_Pairs)))


def _read_table(string: str, separator: str) -> Shape:
    try:
        rows = list(csv.reader(StringIO(string, newline=""), delimiter=separator, strict=True))
        form = "quotes are closed"
    except csv.Error:
        rows = list(csv.reader(StringIO(string, newline=""), delimiter=separator))
        form = "quotes are not closed"
    return [Token("mark", form), *(Token("mark", str(len(row))) for row in rows)]


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=False)
        self.tokens: list[Token] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tokens += [Token("mark", "<"), Token("key", tag), *(Token("key", name) for name, _ in attrs)]

    def handle_endtag(self, tag: str) -> None:
        self.tokens += [Token("mark", "</"), Token("key", tag)]


def _read_markup(string: str) -> Shape:
    from lxml import etree  # few texts hold markup

    reader = _Tags()
    reader.feed(string)
    reader.close()
    try:
        parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=False)
        etree.fromstring(string.strip().encode("utf-8", "replace"), parser)
    except (etree.XMLSyntaxError, ValueError):
        return reader.tokens
    return [Token("mark", "well-formed"), *reader.tokens]


def _read_code(string: str, *, is_sql: bool = False) -> Shape:
    shape: list[Token] = []
    for kind, token in code_tokens(string, is_sql=is_sql):
        if kind in ("string", "long"):
            shape.append(Token("string", ""))
        elif kind in ("number", "value"):
            shape.append(Token("number", ""))
        elif kind == "name":
            shape.append(Token("key", ""))
        else:
            shape.append(Token("mark", kind if kind == "comment" else token))
    return shape


_READERS: dict[str, Callable[[str], Shape | None]] = {
    "JSON": _read_json,
    "YAML": read_yaml,
    "markup": _read_markup,
    "code": _read_code,
    "SQL": partial(_read_code, is_sql=True),
    "settings": _read_toml_or_keys,
}
