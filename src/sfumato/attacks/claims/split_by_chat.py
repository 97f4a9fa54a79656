"""Claims by a chat model: atomic sentences that can be understood alone (paper 003)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from sfumato.attacks.base import PROMPTS
from sfumato.attacks.claims.split import Claim
from sfumato.models.chat import Asking, Chat, Prompt
from sfumato.models.chat.asking import one_list
from sfumato.models.chat.parts import Parts
from sfumato.models.chat.reading.parse import strings


class ChatSplitter:
    """Asks a chat model for the claims of a text; a text without a readable answer has none, and is counted."""

    def __init__(self, chat: Chat, prompt: str | Path = PROMPTS / "split-claims.toml") -> None:
        """``prompt``: a file with the keys of prompts/split-claims.toml."""
        read = Prompt.load(prompt, ("text",), own=PROMPTS)
        self._parts = Parts(chat, read)
        self._asking = Asking(chat, read, _said, schema=one_list("claims", {"type": "string"}), room=self._parts.answer)
        self.name, self.spent = self._asking.name, self._asking.spent

    def split(self, texts: Sequence[str]) -> list[list[Claim]]:
        """Claims in the order of the text, without places: they are the model's words. A blank text has none."""
        asked = [
            (number, part)
            for number, text in enumerate(texts)
            if text.strip()
            for part in self._parts.of(text, {"text": ""})
        ]
        found: list[list[Claim]] = [[] for _ in texts]
        for (number, _), answer in zip(asked, self._asking.ask([{"text": part} for _, part in asked]), strict=True):
            found[number] += [Claim(item) for item in answer or ()]
        return found


def _said(answer: str, question: Mapping[str, str]) -> list[str] | None:
    return [claim for claim in strings(answer, "claims") or () if any(map(str.isalpha, claim))] or None
