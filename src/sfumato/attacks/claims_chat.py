"""Claims by a chat model: atomic sentences that can be understood alone (paper 003)."""

from __future__ import annotations

from collections.abc import Sequence

from sfumato.attacks.asking import Asking
from sfumato.attacks.claims_split import Claim
from sfumato.models.chat import Chat


class ChatSplitter:
    """Asks a chat model for the claims of a text; a text without a readable answer has none, and is counted."""

    def __init__(self, chat: Chat) -> None:
        self._asking = Asking(chat, "split-claims", {"type": "string"})
        self.name, self.spent = self._asking.name, self._asking.spent

    def split(self, texts: Sequence[str]) -> list[list[Claim]]:
        """Claims in the order of the text, without places: they are the model's words."""
        return [self._read(answer) for answer in self._asking.lists([{"text": text} for text in texts])]

    def _read(self, answer: list[object] | None) -> list[Claim]:
        said = [item.strip() for item in answer or () if isinstance(item, str) and item.strip()]
        if not said or len(said) < len(answer or ()):
            self.spent["unreadable"] += 1
            return []
        return [Claim(item) for item in said]
