"""A chat model as the judge of claims: three answers, the majority counts (paper 003)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from statistics import median_low

from sfumato.attacks.asking import Asking
from sfumato.attacks.judges import SAME, UNSUPPORTED, Question
from sfumato.models.chat import Chat

VOTES = 3


class ChatJudge:
    """Rates by asking a chat model three times; an answer that does not rate every claim is no vote."""

    def __init__(self, chat: Chat) -> None:
        self._asking = Asking(chat, "judge-claims", {"type": "integer", "minimum": SAME, "maximum": UNSUPPORTED})
        self.name, self.spent = f"{self._asking.name},votes={VOTES}", self._asking.spent

    def rate(self, questions: Sequence[Question]) -> list[list[int | None]]:
        """The rating that most votes give each claim; None where no vote could be read."""
        asked = [
            {
                "claims": "\n".join(f"{number}. {claim}" for number, claim in enumerate(question.claims, 1)),
                "passage": question.passage,
                "count": str(len(question.claims)),
            }
            for question in questions
        ]
        draws = [self._asking.lists(asked, draw) for draw in range(VOTES)]
        rated = []
        for question, answers in zip(questions, zip(*draws, strict=True), strict=True):
            votes = [answer for answer in answers if _is_readable(answer, len(question.claims))]
            self.spent["unreadable"] += VOTES - len(votes)
            rated.append([majority([vote[place] for vote in votes]) for place in range(len(question.claims))])
        return rated


def majority(votes: Sequence[int]) -> int | None:
    """The most frequent vote; where there is none the middle one, and of two the one that says less private."""
    if not votes:
        return None
    (first, count), *others = Counter(votes).most_common()
    return first if not others or count > others[0][1] else median_low(votes)


def _is_readable(answer: list[object] | None, count: int) -> bool:
    if answer is None or len(answer) != count:
        return False
    return all(type(rating) is int and SAME <= rating <= UNSUPPORTED for rating in answer)
