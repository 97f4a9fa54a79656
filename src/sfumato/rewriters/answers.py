"""The text in an answer: what stands around it taken off where there is one way to do so, else not read at all."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from sfumato.models.chat import Prompt
from sfumato.models.chat.prompt import filled
from sfumato.models.chat.reading.parse import MOST, rewritten
from sfumato.rewriters.acceptance import fault

_FENCE_LINE = re.compile(r"=== ?(?:[0-9a-f]{12}|EXAMPLE)\s*")
_CODE_FENCE = re.compile(r"```\w*\s*\n(.*)\n\s*```", re.DOTALL)
_HEADING = re.compile(
    r"[*_#\s]*(?=[^\n]*\b(?:texts?|version|rewrit\w+|paraphras\w+|anonymi[sz]\w+|redact\w+|saniti[sz]\w+|"
    r"de-?identif\w+|documents?|records?|notes?)\b)[^\n]{1,100}?:[*_ \t]*\n+",
    re.IGNORECASE,
)

Read = Callable[[str, Mapping[str, str]], str | None]


def whole_answer(prompt: Prompt) -> Read:
    """Reads an answer that is the new text and nothing else."""

    def read(answer: str, question: Mapping[str, str]) -> str | None:
        return _accepted(answer, question, prompt)

    return read


def after_mark(prompt: Prompt) -> Read:
    """Reads an answer of a few words on the changes, a line with a single #, and the new text."""

    def read(answer: str, question: Mapping[str, str]) -> str | None:
        if len(answer) > MOST:
            return None
        after = rewritten(_out_of_code(answer.strip()))
        return None if after is None else _accepted(after, question, prompt)

    return read


def _accepted(answer: str, question: Mapping[str, str], prompt: Prompt) -> str | None:
    if len(answer) > MOST:
        return None
    original = question["text"]
    text = bare(answer, original)
    # The mark of the fence is no word of any text: what holds it has copied the question.
    if filled("{fence}", question).removeprefix("=== ") in text:
        return None
    told = "\n".join([prompt.system, prompt.user, *(prompt.example or ())])
    return text if fault(original, text, instructions=told) is None else None


def bare(answer: str, original: str) -> str:
    """The answer without a code fence around it, fences of the prompt, or a heading that the original lacks."""
    text = _out_of_code(answer.strip()) if "```" not in original else answer.strip()
    lines = text.split("\n")
    while lines and (_FENCE_LINE.fullmatch(lines[0]) or not lines[0].strip()):
        lines.pop(0)
    while lines and (_FENCE_LINE.fullmatch(lines[-1]) or not lines[-1].strip()):
        lines.pop()
    text = "\n".join(lines).strip()
    heading = _HEADING.match(text)
    if heading and heading.end() < len(text) and heading[0].strip() not in original:
        text = text[heading.end() :].strip()
    return text


def _out_of_code(text: str) -> str:
    fenced = _CODE_FENCE.fullmatch(text)
    return fenced[1].strip() if fenced else text
