"""Zero-shot redaction: the text again, with a mark in place of all that is personal (DeID-GPT: Liu et al., 2023)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar

from rapidfuzz.distance import Indel

from sfumato.document import Document, Edit, Outcome, Release, Span, Withheld
from sfumato.lexicon.grammar import TextRange
from sfumato.llm.chat import Chat
from sfumato.llm.parse import MAX_LENGTH
from sfumato.llm.prompt import Prompt, PromptRunner
from sfumato.llm.usage import Usage
from sfumato.llm.windows import split_pieces
from sfumato.rewriters.base import (
    LONGEST,
    PROMPTS,
    SLACK,
    UNUSABLE,
    RejectTruncated,
    bare,
    max_rewrite_tokens,
    max_text_tokens,
)

# -- A model's redacted copy of a text, laid back onto the text.
#
# What is released is the original's own words, and of these only such as the copy shows, in its order. A word that the
# copy lacks is redacted, marked or not; a word that it adds is left out. So a model can hide too much, but it can
# neither change what a text says nor put anything into it.


MARK = "[redacted]"
CHANGED = 0.2
"""The most of a text's words that may be lost without a mark, or added: beyond that, a copy is not one."""
KEPT = 0.05
"""The least of a text's words that a copy shows, of texts with ``WORDS`` words or more."""
WORDS = 40

_TOKEN = re.compile(r"\w+|[^\w\s]")
_MARK = re.compile(r"[\[(<{]+\s*redacted\s*[\])>}]+", re.IGNORECASE)
_STAND_IN = "\0"
_SHOWN = re.compile(rf"{_STAND_IN}|\w+|[^\w\s]")


def redactions(text: str, copy: str) -> list[TextRange] | None:
    """Ranges of the text that its redacted copy does not show; None where it is no copy of this text."""
    if len(copy) > LONGEST * len(text) + SLACK:
        return None
    words = list(_TOKEN.finditer(text))
    own = [word[0] for word in words]
    shown = _SHOWN.findall(_MARK.sub(f" {_STAND_IN} ", copy))
    gaps = _faithful(own, shown)
    if gaps is None:
        gaps = _nearest(own, shown)
    if gaps is None or (len(own) >= WORDS and sum(end - start for start, end in gaps) > (1 - KEPT) * len(own)):
        return None
    return _merged(text, [(words[start].start(), words[end - 1].end()) for start, end in gaps])


def _faithful(own: Sequence[str], shown: Sequence[str]) -> list[TextRange] | None:
    """The words that marks stand for, where a copy has no other change; each mark stands for one word or more."""
    runs: list[list[str]] = [[]]
    for before, word in zip(["", *shown], shown, strict=False):
        if word != _STAND_IN:
            runs[-1].append(word)
        elif before != _STAND_IN:
            runs.append([])
    gaps, at = list[TextRange](), 0
    for number, run in enumerate(runs):
        first, last = number == 0, number == len(runs) - 1
        starts = range(at, at + 1) if first else range(at + 1, len(own) - len(run) + 1)
        if last and not first:
            starts = starts[-1:]
        found = next((place for place in starts if list(own[place : place + len(run)]) == run), None)
        if found is None:
            return None
        if not first:
            gaps.append((at, found))
        at = found + len(run)
    return gaps if at == len(own) else None


def _nearest(own: Sequence[str], shown: Sequence[str]) -> list[TextRange] | None:
    """The words outside of the longest common sequence; None where too many of them have no mark."""
    gaps = list[TextRange]()
    strange = at = shown_at = 0
    for block in Indel.opcodes(own, shown).as_matching_blocks():
        said = shown[shown_at : block.b]
        strange += sum(word != _STAND_IN for word in said)
        if at < block.a:
            gaps.append((at, block.a))
            strange += 0 if _STAND_IN in said else block.a - at
        at, shown_at = block.a + block.size, block.b + block.size
    return None if strange > CHANGED * len(own) else gaps


def _merged(text: str, ranges: list[TextRange]) -> list[TextRange]:
    """Neighbours with nothing but white space between them as one."""
    merged: list[TextRange] = []
    for start, end in ranges:
        if merged and not text[merged[-1][1] : start].strip():
            merged[-1] = (merged[-1][0], end)
        else:
            merged.append((start, end))
    return merged


# -- Zero-shot redaction: the text again, with a mark in place of all that is personal (DeID-GPT: Liu et al., 2023).


class DeidGpt:
    """Have a language model copy a text with all that is personal redacted, and redact the same in the original."""

    cite: ClassVar[str | None] = "liu2023"
    needs_chat: ClassVar[bool] = True
    uses: ClassVar[tuple[str, ...]] = ("chat",)

    def __init__(self, *, chat: Chat, prompt: str | Path = PROMPTS / "deid-gpt.toml") -> None:
        """``prompt``: a file with the keys of prompts/deid-gpt.toml."""
        read = Prompt.load(prompt, ("text",), shipped=PROMPTS)
        self._room = max_text_tokens(chat.context, [read])
        self._asking = PromptRunner(RejectTruncated(chat), read, _said, max_tokens=max_rewrite_tokens)
        self._source = f"{read.name}:chat"
        self._trail = (f"redacted by {self._asking.name}",)

    @property
    def usage(self) -> Usage:
        return self._asking.usage

    def rewrite(self, documents: Sequence[Document]) -> list[Outcome]:
        """Releases with edits; withheld where a copy has other changes than redactions beyond repair."""
        cut = [split_pieces(document.text, self._room) for document in documents]
        places = [(at, piece) for at, ranges in enumerate(cut) for piece in ranges]
        answers = self._asking.ask([{"text": documents[at].text[start:end]} for at, (start, end) in places])
        hidden: list[list[TextRange]] = [[] for _ in documents]
        failed: dict[int, str | None] = {}
        for (at, (offset, _)), answer, why in zip(places, answers, self._asking.failures, strict=True):
            if answer is None:
                failed[at] = why
            else:
                hidden[at] += [(offset + start, offset + end) for start, end in answer]
        return [
            Withheld(document, UNUSABLE.format(failed[at])) if at in failed else self._outcome(document, hidden[at])
            for at, document in enumerate(documents)
        ]

    def _outcome(self, document: Document, ranges: Sequence[TextRange]) -> Outcome:
        spans = [Span(start, end, "MISC", source=self._source, score=0.5) for start, end in ranges]
        return Release(document, tuple(Edit(span, MARK, self._trail) for span in spans), reasons=self._trail)


def _said(answer: str, question: Mapping[str, str]) -> list[TextRange] | None:
    return None if len(answer) > MAX_LENGTH else redactions(question["text"], bare(answer, question["text"]))
