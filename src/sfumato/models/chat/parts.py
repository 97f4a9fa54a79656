"""What a model can read of a text at once, beside a prompt and the answer."""

from __future__ import annotations

from sfumato.knowledge.grammar.sentences import Range
from sfumato.models.chat.asking import Blanks
from sfumato.models.chat.base import Chat
from sfumato.models.chat.prompt import Prompt
from sfumato.models.chat.windows import estimated, pieces, room, windows


class Parts:
    """Cuts texts for one prompt before one Chat. The model is asked how much it reads when there is a text to cut."""

    def __init__(self, chat: Chat, prompt: Prompt) -> None:
        self._chat, self._prompt = chat, prompt

    def answer(self, question: Blanks) -> int:
        """Tokens that an answer may have: at most a third of what the model reads and writes."""
        context = self._chat.context
        return self._prompt.max_tokens if context is None else min(self._prompt.max_tokens, context // 3)

    def room(self, blanks: Blanks) -> int:
        """Tokens that are left for a text beside these other blanks."""
        used = sum(estimated(message.text) for message in self._prompt.request(blanks).messages)
        return room(self._chat.context, used, self.answer(blanks))

    def of(self, text: str, blanks: Blanks) -> list[str]:
        """The text; or, where it is too long, all of it in parts that end with a sentence."""
        most = self.room(blanks)
        if estimated(text) <= most:
            return [text]
        return [text[start:end] for start, end in pieces(text, most)] or [text]

    def around(self, text: str, place: Range, blanks: Blanks) -> Range:
        """As much of the text around a place as can be read at once, from one sentence's start to another's end."""
        most = self.room(blanks)
        if estimated(text) <= most:
            return 0, len(text)
        middle = sum(place) / 2
        holding = [one for one in windows(text, most, most // 2) if one[0] <= place[0] and place[1] <= one[1]]
        return min(holding, key=lambda one: abs(sum(one) / 2 - middle), default=(place[0], place[1]))
