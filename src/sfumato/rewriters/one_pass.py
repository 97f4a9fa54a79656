"""A text and a prompt in, the new text out: the step that several methods are made of."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sfumato.models.chat import Asking, Chat, Prompt
from sfumato.rewriters.answers import Read, whole_answer
from sfumato.rewriters.base import UNUSABLE, Draft
from sfumato.rewriters.lengths import answer_room
from sfumato.rewriters.uncut import Uncut


class OnePass:
    """Every text is asked about once, all of them together."""

    def __init__(self, chat: Chat, prompt: Prompt, form: Callable[[Prompt], Read] = whole_answer) -> None:
        """``form``: how the new text stands in an answer."""
        self._asking = Asking(Uncut(chat), prompt, form(prompt), room=answer_room)
        self.spent = self._asking.spent
        self.name = f"chat:{chat.name}, prompt {prompt.name}"

    def drafts(self, texts: Sequence[str], *, temperature: float | None = None) -> list[Draft]:
        """The new wording of each text, or why there is none."""
        answers = self._asking.ask([{"text": text} for text in texts], temperature=temperature)
        return [
            Draft(None, reason=UNUSABLE.format(why)) if text is None else Draft(text, (self.name,))
            for text, why in zip(answers, self._asking.failures, strict=True)
        ]
