"""Rewriters that are a prompt or two: clinical notes, sanitize and paraphrase, self-disclosures."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar, Literal

from sfumato.detectors.passes.links import link_mentions
from sfumato.document import Document, Outcome, Release, Span, Withheld, merge_spans, resolve_overlaps
from sfumato.errors import RecipeError
from sfumato.llm.chat import Chat
from sfumato.llm.prompt import Prompt
from sfumato.llm.usage import Usage
from sfumato.replacers.base import PendingDocument
from sfumato.rewriters.base import (
    UNUSABLE,
    Draft,
    RewriteParser,
    TextRewriter,
    max_text_tokens,
    parse_after_mark,
    parse_whole_answer,
    rewrite_runner,
)
from sfumato.vault.ledger import Ledger
from sfumato.vault.restore import find_labels
from sfumato_papers.detectors.llm import ChatDetector, is_insignificant
from sfumato_papers.replacers import PROMPTS as REPLACERS
from sfumato_papers.replacers.llm import Abstract
from sfumato_papers.rewriters import PROMPTS

_INNER = re.compile(r"(?:['’]\w\b)?\W*(.*?)\W*", re.DOTALL)
"""The words between labels without a possessive and punctuation: a label must not run into an abstraction."""


class SinglePrompt:
    """One prompt for each text: the text in, the new text out."""

    def __init__(self, chat: Chat, prompt: Prompt, parse: RewriteParser = parse_whole_answer) -> None:
        """``parse``: how the new text is found in an answer."""
        self._runner = rewrite_runner(chat, prompt, parse)
        self.usage = self._runner.usage
        self.name = f"chat:{chat.name}, prompt {prompt.name}"

    def drafts(self, texts: Sequence[str], *, temperature: float | None = None) -> list[Draft]:
        """The new wording of each text, or why there is none."""
        answers = self._runner.ask([{"text": text} for text in texts], temperature=temperature)
        return [
            Draft(None, reason=UNUSABLE.format(failure)) if text is None else Draft(text, (self.name,))
            for text, failure in zip(answers, self._runner.failures, strict=True)
        ]


class Clinical(TextRewriter):
    """Rewrite a clinical note without the people in it; what is clinical stays."""

    cite: ClassVar[str | None] = "pissarra2024"

    def __init__(self, *, chat: Chat, prompt: str | Path = PROMPTS / "clinical.toml") -> None:
        """``prompt``: a file with the keys of prompts/clinical.toml."""
        loaded = Prompt.load(prompt, ("text",), shipped=PROMPTS)
        self._prompt = SinglePrompt(chat, loaded)
        super().__init__(max_text_tokens(chat.context, [loaded]), self._prompt.usage)

    def drafts(self, texts: Sequence[str]) -> list[Draft]:
        return self._prompt.drafts(texts)


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
        """``first``: "paraphrase" where detectors and replacers have sanitized the text well enough."""
        if first not in ("sanitize", "paraphrase"):
            raise RecipeError(f"first is sanitize or paraphrase, got {first!r}")
        sanitize = Prompt.load(sanitize_prompt, ("text",), shipped=PROMPTS)
        paraphrase = Prompt.load(paraphrase_prompt, ("text",), shipped=PROMPTS)
        self._sanitize = SinglePrompt(chat, sanitize, parse_after_mark) if first == "sanitize" else None
        self._paraphrase = SinglePrompt(chat, paraphrase)
        usages = [prompt.usage for prompt in (self._sanitize, self._paraphrase) if prompt]
        # A sanitized text may be a little longer; the tokens for other words in an answer cover that.
        super().__init__(max_text_tokens(chat.context, [sanitize, paraphrase]), *usages)

    def drafts(self, texts: Sequence[str]) -> list[Draft]:
        """A text that could not be sanitized is not paraphrased either."""
        sanitized = self._sanitize.drafts(texts) if self._sanitize else [Draft(text) for text in texts]
        paraphrased = iter(self._paraphrase.drafts([draft.text for draft in sanitized if draft.text is not None]))
        return [draft if draft.text is None else next(paraphrased).after(draft) for draft in sanitized]


class SelfDisclosure:
    """Find self-disclosing spans and replace each with one of three abstractions; the rest stays."""

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
        as_listed: bool = False,
    ) -> None:
        """``ledger``: its secret, or the recipe's seed, determines which abstraction is chosen.

        ``as_listed``: every disclosure is abstracted as the model lists it; else names and codes in one get labels.
        """
        self._detector = Disclosures(chat=chat, prompt=detect_prompt, as_listed=as_listed)
        self._ledger = ledger or Ledger()
        self._abstract = Abstract(ledger=self._ledger, chat=chat, prompt=abstract_prompt)

    @property
    def usage(self) -> Usage:
        return self._detector.usage + self._abstract.usage

    def rewrite(self, documents: Sequence[Document]) -> list[Outcome]:
        """Releases with edits. A document is withheld where the model's list of its disclosures cannot be read."""
        detected = self._detector.detect(documents)
        linked = [
            (document, link_mentions(document.text, merge_spans(spans)))
            for document, spans in zip(documents, detected, strict=True)
        ]
        failed = self._detector.failed
        to_abstract = [(document, spans) for document, spans in linked if spans and document.id not in failed]
        self._abstract.prepare([PendingDocument(document, spans, spans) for document, spans in to_abstract])
        trail = (f"self-disclosures by prompt {self._detector.prompt}, abstractions by {self._abstract.name}",)
        outcomes: list[Outcome] = []
        for document, spans in linked:
            if document.id in failed:
                outcomes.append(Withheld(document, failed[document.id]))
            else:
                edits = self._abstract.replace(document, spans) if spans else []
                disjoint = resolve_overlaps([(edit, edit.span) for edit in edits])
                outcomes.append(Release(document, disjoint, reasons=trail))
            self._ledger.finish(document)
        return outcomes


class Disclosures(ChatDetector):
    """A language model's list of what people disclose about themselves, without the numbered labels in it."""

    folder = PROMPTS
    file = "self-disclosure.toml"

    def detect(self, documents: Sequence[Document]) -> list[list[Span]]:
        return [
            [part for span in spans for part in _around_labels(document.text, span)]
            for document, spans in zip(documents, super().detect(documents), strict=True)
        ]


def _around_labels(text: str, span: Span) -> list[Span]:
    """The parts of a span outside of numbered labels: PERSON_1 discloses nothing, and is restored only whole."""
    labels = [label for label in find_labels(text) if label[0] <= span.end and span.start <= label[1]]
    if not labels:
        return [span]
    starts = [span.start, *(end for _, end in labels)]
    ends = [*(start for start, _ in labels), span.end]
    parts = [_INNER.fullmatch(text, start, end) for start, end in zip(starts, ends, strict=True) if start < end]
    # "and" between two labels is no disclosure.
    return [span.moved(*part.span(1)) for part in parts if part is not None and not is_insignificant(part.group(1))]
