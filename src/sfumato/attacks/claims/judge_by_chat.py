"""A chat model as the judge of claims: three answers, the majority counts (paper 003)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median_low
from typing import ClassVar

from sfumato.attacks.base import PROMPTS
from sfumato.attacks.claims.judges import SAME, UNSUPPORTED, Question
from sfumato.models.chat import Asking, Chat, Prompt
from sfumato.models.chat.asking import one_list
from sfumato.models.chat.parts import Parts
from sfumato.models.chat.reading.parse import listed

VOTES = 3
_RATING = {"type": "integer", "minimum": SAME, "maximum": UNSUPPORTED}


class ChatJudge:
    """Rates by asking a chat model three times; an answer that does not rate every claim is no vote."""

    paper: ClassVar[str | None] = "003"
    extra: ClassVar[str | None] = None
    needs_chat: ClassVar[bool] = True

    def __init__(self, chat: Chat, prompt: str | Path = PROMPTS / "judge-claims.toml") -> None:
        """``prompt``: a file with the keys of prompts/judge-claims.toml."""
        read = Prompt.load(prompt, ("claims", "passage", "count"), own=PROMPTS)
        self._parts = Parts(chat, read)
        self._asking = Asking(chat, read, _said, schema=one_list("ratings", _RATING), room=self._parts.answer)
        self.name, self.spent = f"{self._asking.name},votes={VOTES}", self._asking.spent

    def rate(self, questions: Sequence[Question]) -> list[list[int | None]]:
        """The rating that most votes give each claim; None where no vote could be read.

        A record too long to be read at once is read in parts: a claim is supported where one of them supports it. One
        without a word supports nothing, whoever judges.
        """
        asked = [
            (number, blanks)
            for number, question in enumerate(questions)
            if question.claims and any(map(str.isalnum, question.passage))
            for blanks in self._blanks(question)
        ]
        draws = [self._asking.ask([blanks for _, blanks in asked], draw) for draw in range(VOTES)]
        ratings: list[list[list[int]]] = [[[] for _ in question.claims] for question in questions]
        for (number, _), *answers in zip(asked, *draws, strict=True):
            votes = [answer for answer in answers if answer is not None]
            for place, own in enumerate(ratings[number]):
                if (rating := majority([vote[place] for vote in votes])) is not None:
                    own.append(rating)
        read = {number for number, _ in asked}
        return [
            [min(own, default=None) for own in each] if number in read else [UNSUPPORTED] * len(each)
            for number, each in enumerate(ratings)
        ]

    def _blanks(self, question: Question) -> list[dict[str, str]]:
        claims = "\n".join(f"{number}. {claim}" for number, claim in enumerate(question.claims, 1))
        own = {"claims": claims, "passage": "", "count": str(len(question.claims))}
        return [{**own, "passage": part} for part in self._parts.of(question.passage, own)]


def majority(votes: Sequence[int]) -> int | None:
    """The most frequent vote; where there is none the middle one, and of two the one that says less private."""
    if not votes:
        return None
    (first, count), *others = Counter(votes).most_common()
    return first if not others or count > others[0][1] else median_low(votes)


def _said(answer: str, question: Mapping[str, str]) -> list[int] | None:
    """A rating for every claim, or nothing."""
    found = listed(answer, "ratings")
    if found is None or len(found) != int(question["count"]):
        return None
    return found if all(type(rating) is int and SAME <= rating <= UNSUPPORTED for rating in found) else None
