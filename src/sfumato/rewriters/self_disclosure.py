"""Find what people tell of themselves, and say it with less detail (Dou et al., in paper 003)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from sfumato.detectors.chat import ChatDetector
from sfumato.detectors.chat.worth import is_small
from sfumato.detectors.entities import link
from sfumato.document import Document, Outcome, Release, Span, Withheld, merge_spans, settled
from sfumato.models.chat import Chat, Spent
from sfumato.replacers.abstract import Abstract
from sfumato.replacers.base import PROMPTS as REPLACERS
from sfumato.replacers.base import Ahead
from sfumato.rewriters.base import PROMPTS
from sfumato.vault.ledger import Ledger
from sfumato.vault.pairs import labels_in

_WORDS = re.compile(r"(?:['’]\w\b)?\W*(.*?)\W*", re.DOTALL)
"""Without a possessive before them and what stands around them: a label must not grow together with an abstraction."""


class Disclosures(ChatDetector):
    """A language model's list of what people tell of themselves; labels of the floor are no part of it."""

    folder = PROMPTS
    file = "self-disclosure.toml"

    def detect(self, documents: Sequence[Document]) -> list[list[Span]]:
        return [
            [part for span in found for part in _around_labels(document.text, span)]
            for document, found in zip(documents, super().detect(documents), strict=True)
        ]


def _around_labels(text: str, span: Span) -> list[Span]:
    """What a span holds beside numbered labels: PERSON_1 tells nothing, and half of it leads back to nobody."""
    inside = [label for label in labels_in(text) if label[0] <= span.end and span.start <= label[1]]
    if not inside:
        return [span]
    starts = [span.start, *(end for _, end in inside)]
    ends = [*(start for start, _ in inside), span.end]
    parts = [_WORDS.fullmatch(text, start, end) for start, end in zip(starts, ends, strict=True) if start < end]
    # "and" between two labels is no disclosure.
    return [span.moved(*part.span(1)) for part in parts if part is not None and not is_small(part.group(1))]


class SelfDisclosure:
    """Find self-disclosing spans and put one of three abstractions in the place of each; the rest stays."""

    paper: ClassVar[str | None] = "003"
    needs_chat: ClassVar[bool] = True

    def __init__(
        self,
        *,
        chat: Chat,
        ledger: Ledger | None = None,
        detect_prompt: str | Path = PROMPTS / "self-disclosure.toml",
        abstract_prompt: str | Path = REPLACERS / "abstract.toml",
    ) -> None:
        """``ledger``: says which abstraction is drawn, by the recipe's seed; else chance does."""
        self._detector = Disclosures(chat=chat, prompt=detect_prompt)
        self._ledger = ledger or Ledger()
        self._abstract = Abstract(ledger=self._ledger, chat=chat, prompt=abstract_prompt)

    @property
    def spent(self) -> Spent:
        return self._detector.spent + self._abstract.spent

    def rewrite(self, documents: Sequence[Document]) -> list[Outcome]:
        """Releases with edits. A document is withheld where the model's list of its disclosures cannot be read."""
        spans = [
            link(document.text, merge_spans(found))
            for document, found in zip(documents, self._detector.detect(documents), strict=True)
        ]
        failed = self._detector.failed
        self._abstract.prepare(
            [
                Ahead(document, found, found)
                for document, found in zip(documents, spans, strict=True)
                if document.id not in failed and found
            ]
        )
        trail = (f"self-disclosures by prompt {self._detector.prompt}, abstractions by {self._abstract.name}",)
        outcomes: list[Outcome] = []
        for document, found in zip(documents, spans, strict=True):
            if document.id in failed:
                outcomes.append(Withheld(document, failed[document.id]))
            else:
                edits = self._abstract.replace(document, found) if found else []
                disjoint = settled([(edit, edit.span) for edit in edits])
                outcomes.append(Release(document, disjoint, because=trail))
            self._ledger.finish(document)
        return outcomes
