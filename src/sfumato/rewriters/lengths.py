"""How long a text a model can write anew at once, and how long its answer may become."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil

from sfumato.models.chat import Prompt
from sfumato.models.chat.windows import LEAST, estimated, room

GROWTH = 1.25
"""How much longer than the text its rewrite may become."""
TALK = 200
"""Tokens for what a model says beside it."""


def answer_room(question: Mapping[str, str]) -> int:
    """Tokens that the rewrite of a question's text may have."""
    return ceil(GROWTH * estimated(question["text"])) + TALK


def text_room(context: int | None, prompts: Sequence[Prompt], *, beside: int = 0) -> int:
    """Tokens of a text that leave every prompt room for its rewrite; ``beside``: tokens of what else is asked."""
    return max(LEAST, min(_room(context, prompt, beside) for prompt in prompts))


def _room(context: int | None, prompt: Prompt, beside: int) -> int:
    left = room(context, estimated("x" * prompt.size) + beside, TALK + LEAST)
    return int(min((left + LEAST) / (1 + GROWTH), (prompt.max_tokens - TALK) / GROWTH))
