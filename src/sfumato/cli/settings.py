"""``--set NAME.SETTING=VALUE``, as several commands take it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from sfumato.errors import RecipeError


def parsed(given: Iterable[str], example: str) -> dict[str, dict[str, Any]]:
    """The settings by plug-in; ``example`` is shown to whoever wrote them another way."""
    found: dict[str, dict[str, Any]] = {}
    for text in given:
        key, equals, value = text.partition("=")
        plugin, dot, name = key.partition(".")
        if not (equals and dot and plugin and name):
            raise RecipeError(f"--set {text}: write {example}")
        found.setdefault(plugin, {})[name] = _value(value)
    return found


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text
