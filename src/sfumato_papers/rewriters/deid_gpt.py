"""DeID-GPT: zero-shot redaction by a model's redacted copy of the text (Liu et al., 2023).

The copy is aligned with the original. What is released is the original's own words, and of these only those that the
copy shows, in its order. A word that the copy lacks is redacted, marked or not; a word that it adds is left out. So a
model can redact too much, but it can neither change what a text says nor add to it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from rapidfuzz.distance import Indel

from sfumato.document import Document, Edit, Outcome, Release, Span, Withheld
from sfumato.lexicon.grammar import TextRange
from sfumato.lexicon.tokens import WORD_OR_SIGN
from sfumato.llm.chat import Chat
from sfumato.llm.prompt import Prompt, PromptRunner, Variables
from sfumato.llm.usage import Usage
from sfumato.llm.windows import split_pieces
from sfumato.rewriters.base import (
    LENGTH_SLACK,
    MAX_LENGTH_RATIO,
    UNUSABLE,
    Draft,
    RejectTruncated,
    TextRewriter,
    max_rewrite_tokens,
    max_text_tokens,
    strip_wrapping,
)
from sfumato_papers.rewriters import PROMPTS
from sfumato_papers.rewriters.prompted import SinglePrompt

MARK = "[redacted]"
MAX_CHANGED = 0.2
"""The largest share of a text's words that may be lost without a mark, or added: otherwise it is no copy."""
MIN_KEPT = 0.05
"""The least share of a text's words that a copy shows, for texts of ``MIN_WORDS`` words or more."""
MIN_WORDS = 40

_MARK = re.compile(r"(?<![\[(<{])[\[(<{]++\s*+redacted\s*+[\])>}]+", re.IGNORECASE)
_PLACEHOLDER = "\0"
_COPY_TOKEN = re.compile(rf"{_PLACEHOLDER}|\w+|[^\w\s]")


class DeidGpt:
    """Have a language model copy a text with all that is personal redacted, and redact the same in the original."""

    cite: ClassVar[str | None] = "liu2023"
    needs_chat: ClassVar[bool] = True
    uses: ClassVar[tuple[str, ...]] = ("chat",)

    def __init__(self, *, chat: Chat, prompt: str | Path = PROMPTS / "deid-gpt.toml", aligned: bool = True) -> None:
        """``prompt``: a file with the keys of prompts/deid-gpt.toml. Not ``aligned``: the copy itself is released."""
        loaded = Prompt.load(prompt, ("text",), shipped=PROMPTS)
        self._max_tokens = max_text_tokens(chat.context, [loaded])
        self._runner = PromptRunner(RejectTruncated(chat), loaded, _parse, max_tokens=max_rewrite_tokens)
        self._source = f"{loaded.name}:chat"
        self._trail = (f"redacted by {self._runner.name}",)
        self._copies = None if aligned else _Copies(chat, loaded)

    @property
    def usage(self) -> Usage:
        return self._runner.usage if self._copies is None else self._copies.usage

    def rewrite(self, documents: Sequence[Document]) -> list[Outcome]:
        """Releases with edits; withheld where a copy has too many changes other than redactions."""
        if self._copies is not None:
            return self._copies.rewrite(documents)
        pieces = [
            (index, piece)
            for index, document in enumerate(documents)
            for piece in split_pieces(document.text, self._max_tokens)
        ]
        answers = self._runner.ask([{"text": documents[index].text[start:end]} for index, (start, end) in pieces])
        redacted: list[list[TextRange]] = [[] for _ in documents]
        failures: dict[int, str | None] = {}
        for (index, (offset, _)), ranges, failure in zip(pieces, answers, self._runner.failures, strict=True):
            if ranges is None:
                failures[index] = failure
            else:
                redacted[index] += [(offset + start, offset + end) for start, end in ranges]
        return [
            Withheld(document, UNUSABLE.format(failures[index]))
            if index in failures
            else self._release(document, redacted[index])
            for index, document in enumerate(documents)
        ]

    def _release(self, document: Document, ranges: Sequence[TextRange]) -> Outcome:
        spans = [Span(start, end, "MISC", source=self._source, score=0.5) for start, end in ranges]
        return Release(document, tuple(Edit(span, MARK, self._trail) for span in spans), reasons=self._trail)


class _Copies(TextRewriter):
    """Releases the model's redacted copies as they are, as published."""

    def __init__(self, chat: Chat, prompt: Prompt) -> None:
        self._prompt = SinglePrompt(chat, prompt)
        super().__init__(max_text_tokens(chat.context, [prompt]), self._prompt.usage)

    def drafts(self, texts: Sequence[str]) -> list[Draft]:
        return self._prompt.drafts(texts)


def _parse(answer: str, question: Variables) -> list[TextRange] | None:
    return find_redactions(question["text"], strip_wrapping(answer, question["text"]))


def find_redactions(text: str, copy: str) -> list[TextRange] | None:
    """Ranges of the text that its redacted copy does not show; None where it is no copy of this text."""
    if len(copy) > MAX_LENGTH_RATIO * len(text) + LENGTH_SLACK:
        return None
    matches = list(WORD_OR_SIGN.finditer(text))
    words = [match[0] for match in matches]
    copied = _COPY_TOKEN.findall(_MARK.sub(f" {_PLACEHOLDER} ", copy))
    gaps = _align_exactly(words, copied)
    if gaps is None:
        gaps = _align_nearest(words, copied)
    if gaps is None or (
        len(words) >= MIN_WORDS and sum(end - start for start, end in gaps) > (1 - MIN_KEPT) * len(words)
    ):
        return None
    return _merge(text, [(matches[start].start(), matches[end - 1].end()) for start, end in gaps])


def _align_exactly(words: Sequence[str], copied: Sequence[str]) -> list[TextRange] | None:
    """The words that marks stand for, where a copy has no other change; each mark stands for one word or more."""
    runs: list[list[str]] = [[]]
    for before, word in zip(["", *copied], copied, strict=False):
        if word != _PLACEHOLDER:
            runs[-1].append(word)
        elif before != _PLACEHOLDER:
            runs.append([])
    gaps, position = list[TextRange](), 0
    for number, run in enumerate(runs):
        is_first, is_last = number == 0, number == len(runs) - 1
        starts = range(position, position + 1) if is_first else range(position + 1, len(words) - len(run) + 1)
        if is_last and not is_first:
            starts = starts[-1:]
        start = next((start for start in starts if list(words[start : start + len(run)]) == run), None)
        if start is None:
            return None
        if not is_first:
            gaps.append((position, start))
        position = start + len(run)
    return gaps if position == len(words) else None


def _align_nearest(words: Sequence[str], copied: Sequence[str]) -> list[TextRange] | None:
    """The words outside of the longest common subsequence; None where too many changes have no mark."""
    gaps = list[TextRange]()
    changed = position = copy_position = 0
    for block in Indel.opcodes(words, copied).as_matching_blocks():
        between = copied[copy_position : block.b]
        changed += sum(word != _PLACEHOLDER for word in between)
        if position < block.a:
            gaps.append((position, block.a))
            changed += 0 if _PLACEHOLDER in between else block.a - position
        position, copy_position = block.a + block.size, block.b + block.size
    return None if changed > MAX_CHANGED * len(words) else gaps


def _merge(text: str, ranges: list[TextRange]) -> list[TextRange]:
    """Neighbours with nothing but white space between them as one."""
    merged: list[TextRange] = []
    for start, end in ranges:
        if merged and not text[merged[-1][1] : start].strip():
            merged[-1] = (merged[-1][0], end)
        else:
            merged.append((start, end))
    return merged
