"""A Chat whose answers are whole."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sfumato.models.chat import Chat, Reply, Request
from sfumato.models.chat.reading.reasons import CUT


class Uncut:
    """The same Chat; an answer that ended at ``max_tokens`` is a failure, since half a text is not a rewrite of it."""

    def __init__(self, chat: Chat) -> None:
        self._chat, self.name, self.context = chat, chat.name, chat.context

    def ask(self, requests: Sequence[Request]) -> list[Reply]:
        """One reply for each request, in order."""
        return [
            replace(reply, failure=CUT) if reply.cut and not reply.failure else reply
            for reply in self._chat.ask(requests)
        ]
