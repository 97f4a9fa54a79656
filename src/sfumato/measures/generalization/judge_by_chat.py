"""A chat model as the judge of replacements: two questions a pair, one answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from sfumato.knowledge.grammar.sentences import sentences
from sfumato.knowledge.subsumption.pairs import Pair
from sfumato.measures.base import PROMPTS
from sfumato.measures.generalization.pairs import Verdict
from sfumato.models.chat import Asking, Chat, Prompt
from sfumato.models.chat.asking import one_list
from sfumato.models.chat.reading.parse import listed


class ChatPairJudge:
    """Judges by asking a chat model; a pair whose answer cannot be read stays unjudged and is counted."""

    def __init__(self, chat: Chat, prompt: str | Path = PROMPTS / "judge-generalizations.toml") -> None:
        """``prompt``: a file with the keys of prompts/judge-generalizations.toml."""
        read = Prompt.load(prompt, ("sentence", "original", "replacement"), own=PROMPTS)
        self._asking = Asking(chat, read, _said, schema=one_list("answers", {"type": "boolean"}))
        self.name, self.spent = self._asking.name, self._asking.spent

    def verdicts(self, pairs: Sequence[Pair]) -> list[Verdict]:
        """Yes or no to both questions; None to both where there is no readable answer."""
        asked = [
            {"sentence": sentence(pair), "original": pair.original, "replacement": pair.replacement} for pair in pairs
        ]
        return [
            Verdict("replaced", because="unreadable")
            if answer is None
            else Verdict("replaced", answer[0], answer[1], because="chat")
            for answer in self._asking.ask(asked)
        ]


def _said(answer: str, question: Mapping[str, str]) -> list[bool] | None:
    found = listed(answer, "answers")
    return found if found is not None and len(found) == 2 and all(isinstance(item, bool) for item in found) else None


def sentence(pair: Pair) -> str:
    """The original in double brackets, in its sentence as far as it is known."""
    marked = f"{pair.before}[[{pair.original}]]{pair.after}"
    start, end = len(pair.before), len(marked) - len(pair.after)
    parts = [(low, high) for low, high in sentences(marked) if low < end and start < high]
    return marked[parts[0][0] : parts[-1][1]].strip() if parts else marked
