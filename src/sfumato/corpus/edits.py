"""Edits as the audit and the journal write them."""

from __future__ import annotations

from typing import Any

from sfumato.document import Edit, Span


def edit_to_json(edit: Edit) -> dict[str, Any]:
    """An edit as the audit shows it."""
    return {
        "start": edit.span.start,
        "end": edit.span.end,
        "label": edit.span.label,
        "replacement": edit.replacement,
        "because": list(edit.because),
    }


def edit_from_json(data: dict[str, Any]) -> Edit:
    """The edit that was written; what it could have been, and whose it is, is not."""
    return Edit(Span(data["start"], data["end"], data["label"]), data["replacement"], tuple(data["because"]))
