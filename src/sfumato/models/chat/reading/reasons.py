"""Why an answer is of no use, in words that never quote it."""

from __future__ import annotations

from sfumato.models.chat.base import Reply
from sfumato.models.chat.reading.refusals import is_refusal

CUT = "the answer was cut off at max_tokens"
EMPTY = "an empty answer"
REFUSAL = "a refusal"
FORM = "not in the form asked for"


def reason(reply: Reply) -> str:
    """Of a reply that could not be read, or is none."""
    if reply.failure is not None:
        return reply.failure
    if is_refusal(reply.text):
        return REFUSAL
    if reply.cut:
        return CUT
    return FORM if reply.text.strip() else EMPTY
