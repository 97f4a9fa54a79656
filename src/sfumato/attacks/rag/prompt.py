"""The question about a candidate, from a file, and what its answer says."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from sfumato.attacks.base import PROMPTS
from sfumato.models.chat.reading.parse import json_object

SHIPPED = PROMPTS / "rag-link.toml"
BLANKS = ("person", "known", "released")
SCHEMA = {
    "type": "object",
    "properties": {
        "score": {"type": "integer", "minimum": 0, "maximum": 100},
        "evidence": {"type": "array", "items": {"type": "string"}, "maxItems": 5},
    },
    "required": ["score", "evidence"],
    "additionalProperties": False,
}


class Judgement(NamedTuple):
    """0 (someone else) to 100 (this person), and the phrases that it quotes."""

    score: int
    phrases: tuple[str, ...]


def judgement(answer: str, question: Mapping[str, str]) -> Judgement | None:
    """What an answer says; None where it is not just the object asked for."""
    found = json_object(answer)
    if found is None:
        return None
    score, phrases = found.get("score"), found.get("evidence", [])
    if not isinstance(score, int) or isinstance(score, bool) or not 0 <= score <= 100:
        return None
    if not isinstance(phrases, list) or not all(isinstance(phrase, str) for phrase in phrases):
        return None
    return Judgement(score, tuple(phrases))
