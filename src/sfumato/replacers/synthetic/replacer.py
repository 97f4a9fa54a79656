"""Invented values of the same type, by a model that sees the types alone: Presidio's way."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from sfumato.document import Document, Edit, Span
from sfumato.models.chat import Asking, Chat, Prompt
from sfumato.models.chat.asking import one_list
from sfumato.models.chat.parts import Parts
from sfumato.models.chat.reading.parse import json_object
from sfumato.phrases import folded
from sfumato.replacers.base import PROMPTS, Ahead, Known, assign_absent, entity_of, found_by, known_by, occurs
from sfumato.replacers.synthetic.mask import Masked
from sfumato.vault.ledger import Ledger

ROUNDS = 2
"""How often values are asked for: those that cannot be used are asked for again."""
_LONGEST = 120
"""Characters of a value; what is longer is a sentence and not a value."""
_NAME = re.compile(r"[A-Z]+_\d+")
_SIGNS = frozenset("<>[]{}|\n")

_PAIR = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "value": {"type": "string"}},
    "required": ["name", "value"],
    "additionalProperties": False,
}


class Synthetic:
    """Put an invented value of the same type, from a language model that sees the text without its originals."""

    paper: ClassVar[str | None] = "002"
    needs_chat: ClassVar[bool] = True

    def __init__(self, *, ledger: Ledger, chat: Chat, prompt: str | Path = PROMPTS / "synthetic.toml") -> None:
        """``prompt``: a file with the keys of prompts/synthetic.toml."""
        read = Prompt.load(prompt, ("text", "names"), own=PROMPTS)
        self._parts = Parts(chat, read)
        self._asking = Asking(chat, read, _said, schema=one_list("values", _PAIR), room=self._parts.answer)
        self._ledger = ledger
        self._values: dict[tuple[str, str], dict[Known, str]] = {}
        self.name, self.spent = self._asking.name, self._asking.spent

    def prepare(self, batch: Sequence[Ahead]) -> None:
        """Ask for the values of several documents at once; ``replace`` then asks nobody."""
        masked = [Masked.of(document, spans, every) for document, spans, every in batch]
        found: list[dict[str, str]] = [{} for _ in batch]
        for draw in range(ROUNDS):
            asked = [
                (at, part, names)
                for at, one in enumerate(masked)
                for part, names in one.questions(self._parts, set(one.names.values()) - found[at].keys())
            ]
            answers = self._asking.ask([{"text": text, "names": ", ".join(names)} for _, text, names in asked], draw)
            for (at, _, names), answer in zip(asked, answers, strict=True):
                for name in names:
                    value = (answer or {}).get(name, "")
                    if _is_usable(value, batch[at].document, found[at].values()):
                        found[at][name] = value
        self._values = {
            _key(document): {entity: values.get(name, "") for entity, name in one.names.items()}
            for (document, _, _), one, values in zip(batch, masked, found, strict=True)
        }

    def replace(self, document: Document, spans: Sequence[Span]) -> list[Edit]:
        wanted = {known_by(document, span) for span in spans}
        if wanted - self._values.get(_key(document), {}).keys():
            self.prepare([Ahead(document, spans, spans)])
        values = self._values[_key(document)] if spans else {}
        return [self._edit(document, span, values[known_by(document, span)]) for span in spans]

    def _edit(self, document: Document, span: Span, value: str) -> Edit:
        kind, entity = f"synthetic/{span.label}", entity_of(document, span)
        put = assign_absent(self._ledger, document, kind, entity, span.label, lambda: iter([value]))
        chosen = self.name if put == value or not put.startswith(f"{span.label}_") else "label: no value can be used"
        return Edit(span, put, (found_by(span), type(self).__name__, chosen))


def _key(document: Document) -> tuple[str, str]:
    return document.id, document.text


def _said(answer: str, question: Mapping[str, str]) -> dict[str, str] | None:
    """Values by placeholder; nothing where not one of those asked for is among them."""
    found = (json_object(answer) or {}).get("values")
    if isinstance(found, list):
        pairs = [_pair(row) for row in found]
    elif isinstance(found, Mapping):
        pairs = list(found.items())
    else:
        return None
    asked = set(question["names"].split(", "))
    read: dict[str, str] = {}
    for pair in pairs:
        if pair is not None and isinstance(pair[0], str) and isinstance(pair[1], str):
            name = pair[0].strip().strip("<>")
            if name in asked:
                read.setdefault(name, " ".join(pair[1].split()))
    return read or None


def _pair(row: Any) -> tuple[Any, Any] | None:
    return (row["name"], row["value"]) if isinstance(row, Mapping) and {"name", "value"} <= set(row) else None


def _is_usable(value: str, document: Document, given: Collection[str]) -> bool:
    """Whether a value may stand there: it says something, and neither the text nor another placeholder has it."""
    if not 0 < len(value) <= _LONGEST or _SIGNS & set(value) or _NAME.fullmatch(value):
        return False
    return not occurs(value, document) and folded(value) not in map(folded, given)
