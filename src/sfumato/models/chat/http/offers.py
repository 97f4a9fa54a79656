"""What a server says of its models."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

_CONTEXTS = ("max_model_len", "context_length", "context_window", "max_context_length", "n_ctx")
"""What servers call the context: vLLM, OpenRouter, Groq, LM Studio, llama.cpp."""


@dataclass(frozen=True, slots=True)
class Offer:
    """A model that a server has."""

    model: str
    context: int | None


def read_offers(found: Any) -> list[Offer]:
    """From the page ``/models``; empty where it is none."""
    listed = found.get("data") if isinstance(found, Mapping) else None
    rows = [row for row in listed if isinstance(row, Mapping)] if isinstance(listed, list) else []
    return [Offer(row["id"], _context(row)) for row in rows if isinstance(row.get("id"), str)]


def _context(row: Mapping[str, Any]) -> int | None:
    meta = row.get("meta")
    places = [row, meta] if isinstance(meta, Mapping) else [row]
    return next((size for place in places for key in _CONTEXTS if (size := positive(place.get(key)))), None)


def positive(value: Any) -> int | None:
    """A size that is one."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None
