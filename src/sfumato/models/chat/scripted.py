"""A Chat whose answers are written down beforehand: for tests, and for trying prompts without a model."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from sfumato.models.chat.base import Reply, Request

Answer = str | Sequence[str]
"""An answer, or one for each time the same is asked; the last one then stays."""
Script = Mapping[str, Answer] | Callable[[Request], str | Reply]


class ScriptedChat:
    """Answers by the first key that stands in the last message, or by a function. The same question, the same answer.

    ``asked`` holds all that it was asked. Tokens are counted as words.
    """

    def __init__(self, script: Script, *, name: str = "scripted", context: int | None = None) -> None:
        self._script, self.name, self.context = script, name, context
        self.asked: list[Request] = []

    def ask(self, requests: Sequence[Request]) -> list[Reply]:
        """One reply each; a question the script does not know is a failure."""
        self.asked += requests
        return [self._reply(request) for request in requests]

    def _reply(self, request: Request) -> Reply:
        found = self._script(request) if callable(self._script) else _matching(self._script, request)
        if isinstance(found, Reply):
            return found
        read = sum(len(message.text.split()) for message in request.messages)
        if found is None:
            return Reply("", read, failure="the script has no answer to this")
        return Reply(found, read, len(found.split()))


def _matching(script: Mapping[str, Answer], request: Request) -> str | None:
    said = request.messages[-1].text if request.messages else ""
    for key, answer in script.items():
        if key in said:
            return answer if isinstance(answer, str) else answer[min(request.draw, len(answer) - 1)]
    return None
