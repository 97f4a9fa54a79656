"""Baselines that papers compare with: the first or the last level of a hierarchy, and the bare label."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from sfumato.document import Document, Span
from sfumato.llm.chat import Chat
from sfumato.replacers.base import SpanReplacer
from sfumato.replacers.generalize import Generalize
from sfumato.replacers.select import DEFAULT_PROMPT
from sfumato.vault.ledger import Ledger


class EntityType(SpanReplacer):
    """Put the bare label, the same for all entities of a type: a baseline of Pilán et al. (2025)."""

    cite = "pilan2025"

    def replacement(self, document: Document, span: Span) -> str:
        return span.label


class _Unattacked(Generalize):
    _selection: ClassVar[str]

    def __init__(
        self,
        *,
        ledger: Ledger,
        chat: Chat | None = None,
        candidates: str = "hierarchies",
        prompt: str | Path = DEFAULT_PROMPT,
    ) -> None:
        super().__init__(ledger=ledger, choose=self._selection, chat=chat, candidates=candidates, prompt=prompt)


class MostSpecific(_Unattacked):
    """Put the first level of the hierarchy, attacked or not: a baseline of Pilán et al. (2025)."""

    _selection = "most-specific"


class LeastSpecific(_Unattacked):
    """Put the last level of the hierarchy, attacked or not: a baseline of Pilán et al. (2025)."""

    _selection = "least-specific"
