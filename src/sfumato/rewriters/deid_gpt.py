"""Zero-shot redaction: the text again, with a mark in the place of all that is personal (DeID-GPT, in paper 004)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar

from sfumato.document import Document, Edit, Outcome, Release, Span, Withheld
from sfumato.knowledge.grammar.sentences import Range
from sfumato.models.chat import Asking, Chat, Prompt, Spent
from sfumato.models.chat.reading.parse import MOST
from sfumato.models.chat.windows import pieces
from sfumato.rewriters.answers import bare
from sfumato.rewriters.base import PROMPTS, UNUSABLE
from sfumato.rewriters.lengths import answer_room, text_room
from sfumato.rewriters.redactions import MARK, redactions
from sfumato.rewriters.uncut import Uncut


class DeidGpt:
    """Have a language model copy a text with all that is personal redacted, and redact the same in the original."""

    paper: ClassVar[str | None] = "004"
    needs_chat: ClassVar[bool] = True

    def __init__(self, *, chat: Chat, prompt: str | Path = PROMPTS / "deid-gpt.toml") -> None:
        """``prompt``: a file with the keys of prompts/deid-gpt.toml."""
        read = Prompt.load(prompt, ("text",), own=PROMPTS)
        self._room = text_room(chat.context, [read])
        self._asking = Asking(Uncut(chat), read, _said, room=answer_room)
        self._source = f"{read.name}:chat"
        self._trail = (f"redacted by {self._asking.name}",)

    @property
    def spent(self) -> Spent:
        return self._asking.spent

    def rewrite(self, documents: Sequence[Document]) -> list[Outcome]:
        """Releases with edits; withheld where a copy has other changes than redactions beyond repair."""
        cut = [pieces(document.text, self._room) for document in documents]
        places = [(at, piece) for at, ranges in enumerate(cut) for piece in ranges]
        answers = self._asking.ask([{"text": documents[at].text[start:end]} for at, (start, end) in places])
        hidden: list[list[Range]] = [[] for _ in documents]
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

    def _outcome(self, document: Document, ranges: Sequence[Range]) -> Outcome:
        spans = [Span(start, end, "MISC", source=self._source, score=0.5) for start, end in ranges]
        return Release(document, tuple(Edit(span, MARK, self._trail) for span in spans), because=self._trail)


def _said(answer: str, question: Mapping[str, str]) -> list[Range] | None:
    return None if len(answer) > MOST else redactions(question["text"], bare(answer, question["text"]))
