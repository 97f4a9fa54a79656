"""Optional abilities of plug-ins: none is needed, and each is asked for by its protocol."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

import sfumato
from sfumato import Document, Span, registry
from sfumato.detectors import base as detectors
from sfumato.detectors.detection import Detection
from sfumato.llm import chat, usage
from sfumato.replacers import base as replacers
from sfumato.rewriters import base as rewriters

INTERFACES = (registry, detectors, replacers, rewriters, chat, usage)
PACKAGE = Path(sfumato.__file__).parent
ATTACKS = (PACKAGE / "attacks", PACKAGE / "protection")


class FirstWord:
    """Finds the first word of a text."""

    languages: ClassVar[frozenset[str] | None] = None

    def detect(self, documents: Sequence[Document]) -> list[list[Span]]:
        return [[Span(0, len(document.text.split()[0]), "PERSON", source="first:word")] for document in documents]


def test_a_detector_needs_no_optional_ability() -> None:
    result = Detection([FirstWord()]).detect([Document("1", "Quorvexia came home."), Document("2", "Pennywhistle.")])
    assert [[(span.start, span.end) for span in spans] for spans in result.spans if isinstance(spans, list)] == [
        [(0, 9)],
        [(0, 12)],
    ]
    assert result.failed == {}


def test_no_ability_is_asked_for_by_its_name_as_a_string() -> None:
    protocols = [
        value
        for module in INTERFACES
        for value in vars(module).values()
        if getattr(value, "_is_runtime_protocol", False)
    ]
    abilities = {name for protocol in protocols for name in (*vars(protocol), *protocol.__annotations__)}
    asked = {
        (path.relative_to(PACKAGE).as_posix(), call.args[1].value)
        for path in PACKAGE.rglob("*.py")
        if not any(map(path.is_relative_to, ATTACKS))
        for call in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(call, ast.Call)
        and isinstance(call.func, ast.Name)
        and call.func.id in ("getattr", "hasattr")
        and isinstance(call.args[1], ast.Constant)
    }
    assert {(path, name) for path, name in asked if name in abilities} == set()
