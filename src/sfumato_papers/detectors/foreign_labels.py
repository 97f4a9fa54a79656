"""The labels of other taggers and services as ours."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from sfumato.document import LABELS, Identifier
from sfumato.errors import RecipeError, suggest
from sfumato.lexicon.tables import load_toml
from sfumato_papers.detectors import PACKAGE

_WORD_BORDER = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|[^A-Za-z0-9]+")


@cache
def _known_kinds() -> Mapping[str, str]:
    table = load_toml("foreign_labels", package=PACKAGE)
    return {kind: label for label in LABELS for kind in table[label].split()}


def our_label(kind: str, own: Mapping[str, str] | None = None) -> str | None:
    """Our label of what another tagger calls ``kind``: as ``own`` says, else by the table; None where neither knows.

    ``PhoneNumber``, ``PHONE-NUMBER`` and ``phone_number`` are one name. The whole name counts before its words.
    """
    if own and kind in own:
        return own[kind]
    words = [word.upper() for word in _WORD_BORDER.split(kind) if word]
    known = _known_kinds()
    return next((known[name] for name in ("_".join(words), "".join(words), *words) if name in known), None)


def identifier_of(label: str) -> Identifier:
    """Names and codes identify somebody by themselves."""
    return "direct" if label in ("PERSON", "CODE") else "quasi"


def checked_labels(labels: Mapping[str, str] | None, where: str) -> dict[str, str]:
    """A user's table from their kinds to our labels. Raises RecipeError for a label that we do not have."""
    if labels is not None and not isinstance(labels, Mapping):
        raise RecipeError(f"{where}: labels is a table from their names to ours, such as {{ PATIENT = 'PERSON' }}")
    for label in (labels or {}).values():
        if label not in LABELS:
            raise RecipeError(f"{where}: no label {label!r}: {suggest(str(label).upper(), LABELS)}")
    return dict(labels or {})
