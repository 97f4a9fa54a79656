"""Clinical notes with invented or neutral details in the place of identifiers, zero-shot (Pissarra et al., 2024)."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import ClassVar, Literal

from sfumato.detectors.entities import link
from sfumato.detectors.llm import ChatDetector, is_insignificant
from sfumato.document import Document, Outcome, Release, Span, Withheld, merge_spans, resolve_overlaps
from sfumato.errors import RecipeError
from sfumato.llm.chat import Chat
from sfumato.llm.prompt import Prompt, PromptRunner
from sfumato.llm.usage import Usage
from sfumato.replacers.base import PROMPTS as REPLACERS
from sfumato.replacers.base import Ahead
from sfumato.replacers.llm import Abstract
from sfumato.rewriters.base import (
    PROMPTS,
    UNUSABLE,
    Draft,
    Read,
    RejectTruncated,
    TextRewriter,
    after_mark,
    max_rewrite_tokens,
    max_text_tokens,
    whole_answer,
)
from sfumato.vault.ledger import Ledger
from sfumato.vault.restore import find_labels

# -- Find what people tell of themselves, and say it with less detail (Dou et al., 2024).


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
    inside = [label for label in find_labels(text) if label[0] <= span.end and span.start <= label[1]]
    if not inside:
        return [span]
    starts = [span.start, *(end for _, end in inside)]
    ends = [*(start for start, _ in inside), span.end]
    parts = [_WORDS.fullmatch(text, start, end) for start, end in zip(starts, ends, strict=True) if start < end]
    # "and" between two labels is no disclosure.
    return [span.moved(*part.span(1)) for part in parts if part is not None and not is_insignificant(part.group(1))]


class SelfDisclosure:
    """Find self-disclosing spans and put one of three abstractions in the place of each; the rest stays."""

    cite: ClassVar[str | None] = "dou2024"
    needs_chat: ClassVar[bool] = True
    uses: ClassVar[tuple[str, ...]] = ("chat", "ledger")

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
    def usage(self) -> Usage:
        return self._detector.usage + self._abstract.usage

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
                disjoint = resolve_overlaps([(edit, edit.span) for edit in edits])
                outcomes.append(Release(document, disjoint, reasons=trail))
            self._ledger.finish(document)
        return outcomes


# -- A text and a prompt in, the new text out: the step that several methods are made of.


class SinglePrompt:
    """Every text is asked about once, all of them together."""

    def __init__(self, chat: Chat, prompt: Prompt, form: Callable[[Prompt], Read] = whole_answer) -> None:
        """``form``: how the new text stands in an answer."""
        self._asking = PromptRunner(RejectTruncated(chat), prompt, form(prompt), max_tokens=max_rewrite_tokens)
        self.usage = self._asking.usage
        self.name = f"chat:{chat.name}, prompt {prompt.name}"

    def drafts(self, texts: Sequence[str], *, temperature: float | None = None) -> list[Draft]:
        """The new wording of each text, or why there is none."""
        answers = self._asking.ask([{"text": text} for text in texts], temperature=temperature)
        return [
            Draft(None, reason=UNUSABLE.format(why)) if text is None else Draft(text, (self.name,))
            for text, why in zip(answers, self._asking.failures, strict=True)
        ]


# -- Clinical notes with invented or neutral details in the place of identifiers, zero-shot (Pissarra et al., 2024).


class Clinical(TextRewriter):
    """Write a clinical note anew without whoever it is about; what is clinical in it stays."""

    cite: ClassVar[str | None] = "pissarra2024"

    def __init__(self, *, chat: Chat, prompt: str | Path = PROMPTS / "clinical.toml") -> None:
        """``prompt``: a file with the keys of prompts/clinical.toml."""
        read = Prompt.load(prompt, ("text",), shipped=PROMPTS)
        super().__init__(max_text_tokens(chat.context, [read]))
        self._pass = SinglePrompt(chat, read)

    @property
    def usage(self) -> Usage:
        return self._pass.usage

    def drafts(self, texts: Sequence[str]) -> list[Draft]:
        return self._pass.drafts(texts)


# -- Take out what is personal, then say the rest in other words (Xin et al., 2025).


class SanitizeParaphrase(TextRewriter):
    """Generalize or drop what is personal in a text, and paraphrase what is left."""

    cite: ClassVar[str | None] = "xin2025"

    def __init__(
        self,
        *,
        chat: Chat,
        first: Literal["sanitize", "paraphrase"] = "sanitize",
        sanitize_prompt: str | Path = PROMPTS / "sanitize.toml",
        paraphrase_prompt: str | Path = PROMPTS / "paraphrase.toml",
    ) -> None:
        """``first``: "paraphrase" where the text was sanitized by someone else, such as the floor, and that will do."""
        if first not in ("sanitize", "paraphrase"):
            raise RecipeError(f"first is sanitize or paraphrase, got {first!r}")
        sanitize = Prompt.load(sanitize_prompt, ("text",), shipped=PROMPTS)
        paraphrase = Prompt.load(paraphrase_prompt, ("text",), shipped=PROMPTS)
        # A sanitized text is a little longer or shorter; one prompt's worth of talk in the room takes that up.
        super().__init__(max_text_tokens(chat.context, [sanitize, paraphrase]))
        self._sanitize = SinglePrompt(chat, sanitize, after_mark) if first == "sanitize" else None
        self._paraphrase = SinglePrompt(chat, paraphrase)

    @property
    def usage(self) -> Usage:
        return (self._sanitize.usage if self._sanitize else Usage()) + self._paraphrase.usage

    def drafts(self, texts: Sequence[str]) -> list[Draft]:
        """A text that could not be sanitized is not paraphrased either."""
        clean = self._sanitize.drafts(texts) if self._sanitize else [Draft(text) for text in texts]
        said_anew = iter(self._paraphrase.drafts([draft.text for draft in clean if draft.text is not None]))
        return [draft if draft.text is None else _after(draft, next(said_anew)) for draft in clean]


def _after(first: Draft, second: Draft) -> Draft:
    return replace(second, trail=(*first.trail, *second.trail))
