"""Paraphrase whose epsilon bounds what the private spans of a text tell (DP-Fusion: Thareja et al., 2026)."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from decimal import ROUND_CEILING, Context
from math import inf
from pathlib import Path
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.document import Document, Edit, Outcome, Release, Withheld, merge_spans
from sfumato.errors import ChatError, InputError, RecipeError
from sfumato.lexicon.grammar import TextRange
from sfumato.llm.chat import Chat, LogitsModel, Message, logits_model
from sfumato.llm.prompt import Prompt, fill_template
from sfumato.llm.usage import Usage
from sfumato.llm.windows import MIN_TEXT_TOKENS, join_pieces, split_pieces
from sfumato.rewriters.base import GROWTH, max_text_tokens
from sfumato.vault.ledger import Ledger
from sfumato_papers.rewriters import PROMPTS
from sfumato_papers.rewriters.fusion import Floats, FusionBudget, find_share, probabilities

PLACEHOLDER = "_"
"""In the place of a private span, however long it is."""
_BITS = 53
_LEAST_MASS = 0.99
"""Of all probabilities that a model shows: with less, tokens are missing."""


class DpFusion:
    """Paraphrase a text so that an epsilon bounds what its spans tell; needs the scores of a whole vocabulary."""

    cite: ClassVar[str | None] = "thareja2026"
    uses: ClassVar[tuple[str, ...]] = ("chat", "ledger")
    needs_chat: ClassVar[bool] = True
    reads: ClassVar[str] = "original"

    def __init__(
        self,
        *,
        chat: Chat,
        ledger: Ledger | None = None,
        alpha: float = 2.0,
        bound: float | None = None,
        epsilon: float | None = None,
        delta: float | None = None,
        tokens: int = 256,
        groups: str = "label",
        temperature: float | None = None,
        prompt: str | Path = PROMPTS / "dp-fusion.toml",
    ) -> None:
        """``bound``: of the Rényi divergence of order ``alpha`` of a token, or ``epsilon`` for all spans of a piece of
        text at ``delta``. ``tokens``: sampled for a piece at most. ``groups``: spans of a label, or all as one."""
        if bound is not None and epsilon is not None:
            raise RecipeError("bound and epsilon follow from each other: give one of them")
        if groups not in ("label", "one"):
            raise RecipeError(f"groups is label or one, got {groups!r}")
        model = logits_model(chat)
        if model is None:
            raise RecipeError(
                f"no epsilon can be kept with {chat.name!r}: it does not show the scores of its whole vocabulary. "
                "Give a model file (--chat FILE.gguf)"
            )
        delta = delta if delta is not None else 0.0 if alpha == inf else 1e-3
        self.budget = (
            FusionBudget(alpha, 0.1 if bound is None else bound, tokens, delta)
            if epsilon is None
            else FusionBudget.with_epsilon(epsilon, alpha, tokens, delta)
        )
        loaded = Prompt.load(prompt, ("text",), shipped=PROMPTS)
        temperature = loaded.temperature if temperature is None else temperature
        if not (np.isfinite(temperature) and temperature > 0):
            raise RecipeError(f"the temperature must be above 0, got {temperature}")
        self.decoder = FusionDecoder(model, self.budget, temperature)
        self._chat, self._prompt, self._ledger = chat, loaded, ledger or Ledger()
        self._by_label = groups == "label"
        self._max_tokens = min(
            max_text_tokens(chat.context, [loaded]), max(MIN_TEXT_TOKENS, int(self.budget.tokens / GROWTH))
        )
        self._usage = Usage()

    @property
    def usage(self) -> Usage:
        """The usage of the language model so far."""
        return self._usage

    def rewrite(self, documents: Sequence[Document]) -> list[Outcome]:
        """Documents whose private spans are their annotations; without any it is unknown what is private."""
        outcomes: list[Outcome] = []
        for document in documents:
            if document.annotations is None and document.text.strip():
                reason = "which spans are private is not known: give detectors or --spans, and rewrite_reads = original"
                self._usage.failed += 1
                outcomes.append(Withheld(document, reason))
            else:
                outcomes.append(self._rewrite(_annotated(document)))
        return outcomes

    def single_piece(self, document: Document) -> Contexts:
        """What the model is asked about an annotated document that is rewritten as one piece."""
        text = PrivateText.of(_annotated(document), by_label=self._by_label)
        ranges = split_pieces(text.public, self._max_tokens)
        if len(ranges) != 1:
            raise InputError(f"document {document.id!r} is rewritten in {len(ranges)} pieces: give one of a few lines")
        return self.contexts(text, ranges[0])

    def rewrite_releases(self, releases: Sequence[Release]) -> list[Outcome]:
        """As ``rewrite``, of originals whose private spans are what was replaced."""
        return [self._rewrite(release) for release in releases]

    def _rewrite(self, release: Release) -> Outcome:
        text = PrivateText.of(release, by_label=self._by_label)
        ranges = split_pieces(text.public, self._max_tokens)
        if not ranges:
            return Release.rewritten(release.document, release.document.text, ("nothing to rewrite",))
        parts = []
        for number, piece in enumerate(ranges):
            paraphrase = self._paraphrase(text, piece, number)
            if isinstance(paraphrase, Withheld):
                return paraphrase
            parts.append(paraphrase)
        return Release.rewritten(
            release.document, join_pieces(text.public, ranges, parts), self._trail(text.groups, len(ranges))
        )

    def _paraphrase(self, text: PrivateText, piece: TextRange, number: int) -> str | Withheld:
        began = time.perf_counter()
        document = text.release.document
        self._usage.questions += 1
        self._usage.requests += 1
        try:
            tokens = self.decoder.sample(self.contexts(text, piece), self._chances(document, number))
        except ChatError:
            self._usage.failed += 1
            return Withheld(document, "the language model gave no scores for it: is it longer than its context?")
        finally:
            self._usage.seconds += time.perf_counter() - began
        self._usage.generated_tokens += len(tokens)
        model = self.decoder.model
        paraphrase = model.text_of([token for token in tokens if token not in model.end_tokens]).strip()
        if not paraphrase:
            self._usage.failed += 1
            return Withheld(document, "the paraphrase drawn is empty")
        return paraphrase

    def contexts(self, text: PrivateText, piece: TextRange) -> Contexts:
        """What the model is asked about a piece of the public text: without private spans, and with those of each
        group."""
        public = text.piece(piece, None)
        # The mark around the text is that of the public text in all of them.
        mark = fill_template("{fence}", {"text": public})
        prompt = replace(self._prompt, user=self._prompt.user.replace("{fence}", mark))

        def messages(filled: str) -> tuple[Message, ...]:
            return prompt.request({"text": filled}).messages

        return Contexts(messages(public), tuple(messages(text.piece(piece, group)) for group in text.groups))

    def _chances(self, document: Document, number: int) -> Callable[[int], float]:
        def chance(position: int) -> float:
            secret = self._ledger.corpus_bytes("dp-fusion", document.text, str(number), str(position))
            return (int.from_bytes(secret[:8], "big") >> (64 - _BITS)) / float(1 << _BITS)

        return chance

    def _trail(self, groups: Sequence[str], pieces: int) -> tuple[str, ...]:
        budget = self.budget
        model = f"chat:{self._chat.name}, prompt {self._prompt.name}"
        if not groups:
            return (
                model,
                "no private spans: all of the text is public, and there is nothing that an epsilon would bound",
            )
        delta = f" at delta {budget.delta:g}" if budget.delta else ""
        total = f"{pieces} x {budget.tokens} tokens" if pieces > 1 else f"{budget.tokens} tokens"
        together = _rounded_up(budget.epsilon(1, pieces))
        lines = [
            model,
            f"{len(groups)} group{'s' * (len(groups) > 1)} of private spans ({', '.join(groups)})",
            f"temperature {self.decoder.temperature:g}",
            f"Rényi divergence of order {budget.order:g} from the text without them at most {budget.bound:.4g} a token",
            f"epsilon {together}{delta} for any two values of all private spans, over {total}",
        ]
        if len(groups) > 1:
            lines.append(f"epsilon {_rounded_up(budget.epsilon(len(groups), pieces))}{delta} for those of one group")
        if budget.order < inf:
            lines.append(f"as the authors count, {budget.authors_epsilon(len(groups), pieces):.4g} for one group")
        lines.append("outside of it: which spans are private, where they stand, all other text, and later checks")
        return tuple(lines)


def _rounded_up(epsilon: float) -> str:
    """In four digits, and never less than it is."""
    return f"{float(Context(prec=4, rounding=ROUND_CEILING).create_decimal_from_float(epsilon)):g}"


def _annotated(document: Document) -> Release:
    return Release(document, tuple(Edit(span, "") for span in merge_spans(document.annotations or ())))


class Contexts(NamedTuple):
    """What a model is asked: about the text without private spans, and with those of each group."""

    public: tuple[Message, ...]
    private: tuple[tuple[Message, ...], ...]


@dataclass(frozen=True)
class PrivateText:
    """A text with its private spans in groups."""

    release: Release
    """The document with a placeholder in place of each private span."""
    groups: tuple[str, ...]
    by_label: bool

    @classmethod
    def of(cls, release: Release, *, by_label: bool) -> PrivateText:
        edits = tuple(Edit(edit.span, PLACEHOLDER) for edit in release.edits)
        labels = sorted({edit.span.label for edit in edits})
        groups = tuple(labels) if by_label or not labels else ("all",)
        return cls(Release(release.document, edits), groups, by_label)

    @property
    def public(self) -> str:
        """The text without its private spans."""
        return self.release.text

    def piece(self, part: TextRange, group: str | None) -> str:
        """A piece of the public text, with the private spans of one group (None: of none) in their places."""
        start, end = part
        original, parts = self.release.document.text, []
        for segment in self.release.segments:
            first, last = max(segment.released_start, start), min(segment.released_end, end)
            if first >= last:
                continue
            shown = (
                segment.edit is not None
                and group is not None
                and (not self.by_label or segment.edit.span.label == group)
            )
            parts.append(original[segment.start : segment.end] if shown else self.public[first:last])
        return "".join(parts)


@dataclass(frozen=True)
class FusionDecoder:
    """Samples tokens from the mean of the mixtures of all groups."""

    model: LogitsModel
    budget: FusionBudget
    temperature: float = 1.0

    def sample(self, contexts: Contexts, chance: Callable[[int], float]) -> list[int]:
        """The tokens of a paraphrase, at most as many as the budget has; ``chance``: a number in [0, 1) by position.

        Nothing but the mixtures sees the private spans: an answer is not compared with the text nor drawn again.
        """
        written: list[int] = []
        while len(written) < self.budget.tokens:
            ids, mixture = self.distribution(contexts, written)
            cumulated = np.cumsum(mixture)
            drawn = int(np.searchsorted(cumulated, chance(len(written)) * cumulated[-1], side="right"))
            written.append(int(ids[min(drawn, len(ids) - 1)]))
            if written[-1] in self.model.end_tokens:
                break
        return written

    def distribution(self, contexts: Contexts, written: Sequence[int]) -> tuple[NDArray[np.int64], Floats]:
        """All tokens in the order of their ids, and the probability of each to come next."""
        ids, public = self._scores(contexts.public, written)
        mixtures = []
        for messages in contexts.private:
            others, private = self._scores(messages, written)
            if not np.array_equal(ids, others):
                raise ChatError("the model did not show the scores of its whole vocabulary")
            share = find_share(private, public, self.budget.order, self.budget.bound)
            mixtures.append(share * private + (1 - share) * public)
        return ids, np.mean(mixtures, axis=0) if mixtures else public

    def _scores(self, messages: Sequence[Message], written: Sequence[int]) -> tuple[NDArray[np.int64], Floats]:
        ids, scores = self.model.next_logprobs(messages, written)
        if not len(ids) or np.isnan(scores).any() or not np.exp(scores).sum() > _LEAST_MASS:
            raise ChatError("the model did not show the scores of its whole vocabulary")
        order = np.argsort(ids)
        return ids[order], probabilities(scores[order], self.temperature)
