"""Chats for tests: one whose answers have the form asked for, and one whose answers cannot be parsed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from sfumato.llm.chat import Request
from sfumato.llm.replay import ScriptedChat


def minimal_chat() -> ScriptedChat:
    """Answers with the least that the schema allows; without a schema, with the last message itself."""
    return ScriptedChat(
        lambda request: json.dumps(_least(request.schema)) if request.schema else _last_message(request), name="minimal"
    )


def unreadable_chat() -> ScriptedChat:
    """Answers that cannot be parsed."""
    return ScriptedChat(lambda request: "Well, hm { [", name="unreadable")


def _last_message(request: Request) -> str:
    return request.messages[-1].text


def _least(schema: Mapping[str, Any]) -> Any:
    if "enum" in schema:
        return schema["enum"][0]
    kind = schema.get("type")
    if kind == "object":
        return {key: _least(value) for key, value in schema.get("properties", {}).items()}
    if kind == "array":
        return [_least(schema["items"])] * schema.get("minItems", 0)
    number = schema.get("minimum", 1)
    return {"string": "x", "integer": number, "number": number, "boolean": True}[schema["type"]]
