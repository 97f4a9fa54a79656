"""A chat model as the judge of replacements: two questions a pair, one answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sfumato.attacks.asking import Asking
from sfumato.knowledge.subsumption.pairs import Pair
from sfumato.measures.generalization_pairs import Verdict
from sfumato.measures.sentences import sentences
from sfumato.models.chat import Chat


class ChatPairJudge:
    """Judges by asking a chat model; a pair whose answer cannot be read stays unjudged and is counted."""

    def __init__(self, chat: Chat) -> None:
        self._asking = Asking(chat, "judge-generalizations", {"type": "boolean"})
        self.name = self._asking.name
        self.spent: Mapping[str, int] = self._asking.spent

    def verdicts(self, pairs: Sequence[Pair]) -> list[Verdict]:
        """Yes or no to both questions; None to both where there is no readable answer."""
        asked = [
            {"sentence": sentence(pair), "original": pair.original, "replacement": pair.replacement} for pair in pairs
        ]
        found = []
        for answer in self._asking.lists(asked):
            if answer is None or len(answer) != 2 or not all(isinstance(item, bool) for item in answer):
                self._asking.spent["unreadable"] += 1
                found.append(Verdict("replaced", because="unreadable"))
            else:
                found.append(Verdict("replaced", answer[0], answer[1], because="chat"))
        return found


def sentence(pair: Pair) -> str:
    """The original in double brackets, in its sentence as far as it is known."""
    marked = f"{pair.before}[[{pair.original}]]{pair.after}"
    start, end = len(pair.before), len(marked) - len(pair.after)
    parts = [(low, high) for low, high in sentences(marked) if low < end and start < high]
    return marked[parts[0][0] : parts[-1][1]].strip() if parts else marked
