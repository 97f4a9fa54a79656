"""Clinical notes with invented or neutral details in the place of identifiers, zero-shot (paper 001)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from sfumato.models.chat import Chat, Prompt, Spent
from sfumato.rewriters.base import PROMPTS, Draft, TextRewriter
from sfumato.rewriters.lengths import text_room
from sfumato.rewriters.one_pass import OnePass


class Clinical(TextRewriter):
    """Write a clinical note anew without whoever it is about; what is clinical in it stays."""

    paper: ClassVar[str | None] = "001"

    def __init__(self, *, chat: Chat, prompt: str | Path = PROMPTS / "clinical.toml") -> None:
        """``prompt``: a file with the keys of prompts/clinical.toml."""
        read = Prompt.load(prompt, ("text",), own=PROMPTS)
        super().__init__(text_room(chat.context, [read]))
        self._pass = OnePass(chat, read)

    @property
    def spent(self) -> Spent:
        return self._pass.spent

    def drafts(self, texts: Sequence[str]) -> list[Draft]:
        return self._pass.drafts(texts)
