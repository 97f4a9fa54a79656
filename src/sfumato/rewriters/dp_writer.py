"""An answer drawn token by token with the exponential mechanism."""

from __future__ import annotations

import time

import numpy as np

from sfumato.errors import ChatProblem
from sfumato.models.chat import Prompt, Spent
from sfumato.models.chat.base import GivesLogits
from sfumato.rewriters.base import Draft
from sfumato.rewriters.exponential import Exponential
from sfumato.vault.ledger import Ledger

_BITS = 53


class PrivateWriter:
    """Writes paraphrases, each of at most ``tokens`` tokens, and says what epsilon they keep.

    Nothing but the drawing sees the text: an answer is not compared with it, nor asked for again, since which answers
    are turned down would tell something that no epsilon counts.
    """

    def __init__(
        self, name: str, model: GivesLogits, prompt: Prompt, mechanism: Exponential, tokens: int, ledger: Ledger
    ) -> None:
        """``ledger``: whose secret the chances are made from; who knows its seed knows them, too."""
        self._name, self._model, self._prompt = name, model, prompt
        self.mechanism, self._tokens, self._ledger = mechanism, tokens, ledger
        self.spent = Spent()

    @property
    def epsilon(self) -> float:
        """Of one paraphrase: what follows an end token is never seen, so its length is counted with the rest."""
        return self._tokens * self.mechanism.epsilon

    def draft(self, text: str) -> Draft:
        """One paraphrase; the trail states its epsilon, and that of the tokens which came out."""
        began = time.perf_counter()
        self.spent.questions += 1
        self.spent.requests += 1
        try:
            written, said = self._written(text)
        except ChatProblem:
            self.spent.failed += 1
            return Draft(None, reason="the language model gave no scores for it: is it longer than its context?")
        finally:
            self.spent.seconds += time.perf_counter() - began
        self.spent.generated_tokens += len(written)
        if not said.strip():
            self.spent.failed += 1
            return Draft(None, reason="the paraphrase drawn is empty")
        return Draft(said, self._trail(len(written)))

    def _written(self, text: str) -> tuple[list[int], str]:
        messages = self._prompt.request({"text": text}).messages
        written: list[int] = []
        size = 0
        while len(written) < self._tokens:
            ids, scores = self._model.next_logprobs(messages, written)
            size = size or len(ids)
            if len(ids) != size or np.isnan(scores).any():
                raise ChatProblem("the model did not show the scores of its whole vocabulary")
            # In the order of ids, so that a chance means the same token however a model sorts them.
            order = np.argsort(ids)
            written.append(int(ids[order][self.mechanism.draw(scores[order], self._chance(text, len(written)))]))
            if written[-1] in self._model.end_tokens:
                break
        ends = self._model.end_tokens
        return written, self._model.text_of([token for token in written if token not in ends])

    def _chance(self, text: str, at: int) -> float:
        drawn = self._ledger.corpus_bytes("dp-prompt", text, str(at))
        return (int.from_bytes(drawn[:8], "big") >> (64 - _BITS)) / float(1 << _BITS)

    def _trail(self, written: int) -> tuple[str, ...]:
        mechanism = self.mechanism
        return (
            f"chat:{self._name}, prompt {self._prompt.name}",
            f"temperature {mechanism.temperature:g}, ln p clipped to [{mechanism.low:g}, {mechanism.high:g}]: "
            f"epsilon {mechanism.epsilon:g} a token",
            f"epsilon {self.epsilon:g} for a paraphrase of at most {self._tokens} tokens; "
            f"{written} drawn, which tell {written * mechanism.epsilon:g} at most",
        )
