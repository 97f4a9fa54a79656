"""Paraphrase at a temperature; with an epsilon where the model shows its scores (DP-Prompt: Utpala et al., 2023)."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.document import Document, Outcome, Withheld
from sfumato.errors import ChatError, RecipeError
from sfumato.llm.chat import Chat, LogitsModel, logits_model
from sfumato.llm.prompt import Prompt
from sfumato.llm.usage import Usage
from sfumato.llm.windows import MIN_TEXT_TOKENS, split_pieces
from sfumato.rewriters.base import GROWTH, Draft, TextRewriter, max_text_tokens
from sfumato.vault.ledger import Ledger
from sfumato_papers.rewriters import PROMPTS
from sfumato_papers.rewriters.prompted import SinglePrompt

_BITS = 53


class DpPrompt(TextRewriter):
    """Paraphrase a text at a temperature; with an epsilon where the model shows the scores of its whole vocabulary."""

    cite: ClassVar[str | None] = "utpala2023"
    uses: ClassVar[tuple[str, ...]] = ("chat", "ledger")

    def __init__(
        self,
        *,
        chat: Chat,
        ledger: Ledger | None = None,
        temperature: float | None = None,
        epsilon: float | None = None,
        low: float = -20.0,
        high: float = 0.0,
        tokens: int = 256,
        prompt: str | Path = PROMPTS / "dp-prompt.toml",
    ) -> None:
        """``epsilon``: per token; it determines the temperature, or the temperature determines it. ``low``, ``high``:
        bounds of ln p. ``tokens``: how many are sampled for a piece of text at most."""
        if temperature is not None and epsilon is not None:
            raise RecipeError("temperature and epsilon follow from each other: give one of them")
        if isinstance(tokens, bool) or not isinstance(tokens, int) or tokens < 1:
            raise RecipeError(f"tokens is a whole number from 1 on, got {tokens!r}")
        loaded = Prompt.load(prompt, ("text",), shipped=PROMPTS)
        mechanism = (
            ExponentialMechanism.with_epsilon(epsilon, low, high)
            if epsilon is not None
            else ExponentialMechanism(low, high, loaded.temperature if temperature is None else temperature)
        )
        self._plain, self._temperature = SinglePrompt(chat, loaded), mechanism.temperature
        self._paraphraser: PrivateParaphraser | None = None
        self.remarks: tuple[str, ...] = ()
        max_tokens, usage = max_text_tokens(chat.context, [loaded]), self._plain.usage
        model = logits_model(chat)
        if model is not None:
            self._paraphraser = PrivateParaphraser(chat.name, model, loaded, mechanism, tokens, ledger or Ledger())
            max_tokens = min(max_tokens, max(MIN_TEXT_TOKENS, int(tokens / GROWTH)))
            usage = self._paraphraser.usage
        elif epsilon is not None:
            raise RecipeError(
                f"no epsilon can be kept with {chat.name!r}: it does not show the scores of its whole vocabulary. "
                "Give a model file (--chat FILE.gguf), or temperature instead of epsilon"
            )
        else:
            self.remarks = (
                f"dp-prompt keeps no epsilon with {chat.name!r}: it does not show the scores of its whole vocabulary, "
                "so its texts are paraphrases and no more. Give a model file (--chat FILE.gguf) for an epsilon",
            )
        super().__init__(max_tokens, usage)

    @property
    def epsilon(self) -> float | None:
        """Of each token; None where the model does not show its scores."""
        return self._paraphraser.mechanism.epsilon if self._paraphraser is not None else None

    def rewrite(self, documents: Sequence[Document]) -> list[Outcome]:
        """As every text rewriter; with an epsilon, ``reasons`` end with that of the whole document."""
        outcomes = super().rewrite(documents)
        if self._paraphraser is None:
            return outcomes
        return [self._state_epsilon(self._paraphraser, outcome) for outcome in outcomes]

    def _state_epsilon(self, paraphraser: PrivateParaphraser, outcome: Outcome) -> Outcome:
        count = len(split_pieces(outcome.document.text, self._max_tokens))
        if isinstance(outcome, Withheld) or not count:
            return outcome
        epsilon = f"epsilon {count * paraphraser.epsilon:g} for the document: {count} x {paraphraser.epsilon:g}"
        outside = "outside of it: how many pieces the document has, the white space between them, and later checks"
        return replace(outcome, reasons=(*outcome.reasons, epsilon, outside))

    def drafts(self, texts: Sequence[str]) -> list[Draft]:
        if self._paraphraser is not None:
            return [self._paraphraser.draft(text) for text in texts]
        drafts = self._plain.drafts(texts, temperature=self._temperature)
        remark = (
            f"at temperature {self._temperature:g}, without an epsilon: the model shows no scores of its vocabulary"
        )
        return [draft if draft.text is None else replace(draft, trail=(*draft.trail, remark)) for draft in drafts]


@dataclass
class PrivateParaphraser:
    """Samples paraphrases of at most ``tokens`` tokens with the exponential mechanism, and states their epsilon.

    Nothing but the sampling sees the text: an answer is not compared with it, nor asked for again, since which answers
    are rejected would tell something that no epsilon counts.
    """

    name: str
    model: LogitsModel
    prompt: Prompt
    mechanism: ExponentialMechanism
    tokens: int
    ledger: Ledger
    """Random numbers come from its secret; who knows its seed knows them, too."""
    usage: Usage = field(default_factory=Usage)

    @property
    def epsilon(self) -> float:
        """Of one paraphrase: what follows an end token is never seen, so its length is covered as well."""
        return self.tokens * self.mechanism.epsilon

    def draft(self, text: str) -> Draft:
        """One paraphrase; the trail states its epsilon, and that of the tokens that were sampled."""
        began = time.perf_counter()
        self.usage.questions += 1
        self.usage.requests += 1
        try:
            tokens, paraphrase = self._sample(text)
        except ChatError:
            self.usage.failed += 1
            return Draft(None, reason="the language model gave no scores for it: is it longer than its context?")
        finally:
            self.usage.seconds += time.perf_counter() - began
        self.usage.generated_tokens += len(tokens)
        if not paraphrase.strip():
            self.usage.failed += 1
            return Draft(None, reason="the paraphrase drawn is empty")
        return Draft(paraphrase, self._trail(len(tokens)))

    def _sample(self, text: str) -> tuple[list[int], str]:
        messages = self.prompt.request({"text": text}).messages
        written: list[int] = []
        size = 0
        while len(written) < self.tokens:
            ids, scores = self.model.next_logprobs(messages, written)
            size = size or len(ids)
            if len(ids) != size or np.isnan(scores).any():
                raise ChatError("the model did not show the scores of its whole vocabulary")
            # In the order of ids, so that a random number means the same token however a model sorts them.
            order = np.argsort(ids)
            uniform = self._uniform(text, len(written))
            written.append(int(ids[order][self.mechanism.sample(scores[order], uniform)]))
            if written[-1] in self.model.end_tokens:
                break
        ends = self.model.end_tokens
        return written, self.model.text_of([token for token in written if token not in ends])

    def _uniform(self, text: str, position: int) -> float:
        secret = self.ledger.corpus_bytes("dp-prompt", text, str(position))
        return (int.from_bytes(secret[:8], "big") >> (64 - _BITS)) / float(1 << _BITS)

    def _trail(self, written: int) -> tuple[str, ...]:
        mechanism = self.mechanism
        return (
            f"chat:{self.name}, prompt {self.prompt.name}",
            f"temperature {mechanism.temperature:g}, ln p clipped to [{mechanism.low:g}, {mechanism.high:g}]: "
            f"epsilon {mechanism.epsilon:g} a token",
            f"epsilon {self.epsilon:g} for a paraphrase of at most {self.tokens} tokens; "
            f"{written} drawn, which tell {written * mechanism.epsilon:g} at most",
        )


@dataclass(frozen=True, slots=True)
class ExponentialMechanism:
    """The exponential mechanism over a vocabulary: how the next token is sampled, and its epsilon.

    A token v after a document x has the utility u(x, v) = the model's ln p(v | x), clipped to [low, high]. Two
    documents, however different, change the utility of a token by high - low at most: that is its sensitivity, whatever
    the model is and although the clipped scores no longer sum to one. Sampling v with probability proportional to
    exp(u(x, v) / temperature) is the exponential mechanism, which keeps

        epsilon = 2 (high - low) / temperature

    for each token (Utpala et al., 2023; the 2 pays for the normalization, which depends on x as well). It holds for
    sampling from the whole vocabulary only: a token left out because it is unlikely after x tells something about x.
    """

    low: float
    high: float
    temperature: float

    def __post_init__(self) -> None:
        if not (np.isfinite(self.low) and np.isfinite(self.high) and self.low < self.high):
            raise RecipeError(f"low must lie below high, and both be finite: got {self.low} and {self.high}")
        if not (np.isfinite(self.temperature) and self.temperature > 0):
            raise RecipeError(f"the temperature must be above 0, got {self.temperature}")

    @classmethod
    def with_epsilon(cls, epsilon: float, low: float, high: float) -> ExponentialMechanism:
        """The mechanism with an epsilon for each token."""
        if not (np.isfinite(epsilon) and epsilon > 0):
            raise RecipeError(f"epsilon must be above 0, got {epsilon}")
        return cls(low, high, 2 * (high - low) / epsilon)

    @property
    def epsilon(self) -> float:
        """Of one token."""
        return 2 * (self.high - self.low) / self.temperature

    def probabilities(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        """Of each token, by its clipped score; none is zero."""
        clipped = np.clip(scores, self.low, self.high)
        # Shifted by the largest, which cancels: else exp overflows at low temperatures.
        weights = np.exp((clipped - clipped.max()) / self.temperature)
        shares: NDArray[np.float64] = weights / weights.sum()
        return shares

    def sample(self, scores: NDArray[np.float64], uniform: float) -> int:
        """The index of the sampled token; ``uniform`` is a random number in [0, 1)."""
        cumulated = np.cumsum(self.probabilities(scores))
        return min(int(np.searchsorted(cumulated, uniform * cumulated[-1], side="right")), len(cumulated) - 1)
