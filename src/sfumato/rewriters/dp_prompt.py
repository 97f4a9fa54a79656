"""Paraphrase at a temperature; where the model shows its scores, with a stated epsilon (DP-Prompt, in paper 004)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

from sfumato.document import Document, Outcome, Withheld
from sfumato.errors import RecipeError
from sfumato.models.chat import Chat, Prompt, Spent
from sfumato.models.chat.base import logits_of
from sfumato.models.chat.windows import LEAST, pieces
from sfumato.rewriters.base import PROMPTS, Draft, TextRewriter
from sfumato.rewriters.dp_writer import PrivateWriter
from sfumato.rewriters.exponential import Exponential
from sfumato.rewriters.lengths import GROWTH, text_room
from sfumato.rewriters.one_pass import OnePass
from sfumato.vault.ledger import Ledger


class DpPrompt(TextRewriter):
    """Paraphrase a text at a temperature; with an epsilon where the model shows the scores of its whole vocabulary."""

    paper: ClassVar[str | None] = "004"

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
        """``epsilon``: per token; it gives the temperature, or the temperature gives it. ``low``, ``high``: bounds of
        ln p. ``tokens``: how many are drawn for a piece of text at most, whatever it says."""
        if temperature is not None and epsilon is not None:
            raise RecipeError("temperature and epsilon follow from each other: give one of them")
        if isinstance(tokens, bool) or not isinstance(tokens, int) or tokens < 1:
            raise RecipeError(f"tokens is a whole number from 1 on, got {tokens!r}")
        read = Prompt.load(prompt, ("text",), own=PROMPTS)
        mechanism = (
            Exponential.keeping(epsilon, low, high)
            if epsilon is not None
            else Exponential(low, high, read.temperature if temperature is None else temperature)
        )
        model = logits_of(chat)
        self._writer: PrivateWriter | None = None
        if model is not None:
            self._writer = PrivateWriter(chat.name, model, read, mechanism, tokens, ledger or Ledger())
        elif epsilon is not None:
            raise RecipeError(
                f"no epsilon can be kept with {chat.name!r}: it does not show the scores of its whole vocabulary. "
                "Give a model file (--chat FILE.gguf), or temperature instead of epsilon"
            )
        self.remarks: tuple[str, ...] = (
            ()
            if model is not None
            else (
                f"dp-prompt keeps no epsilon with {chat.name!r}: it does not show the scores of its whole vocabulary, "
                "so its texts are paraphrases and no more. Give a model file (--chat FILE.gguf) for an epsilon",
            )
        )
        self._plain = OnePass(chat, read)
        self._temperature = mechanism.temperature
        room = text_room(chat.context, [read])
        super().__init__(min(room, max(LEAST, int(tokens / GROWTH))) if model is not None else room)

    @property
    def epsilon(self) -> float | None:
        """What each token keeps; None where nothing is known about that."""
        return self._writer.mechanism.epsilon if self._writer is not None else None

    @property
    def spent(self) -> Spent:
        return self._plain.spent if self._writer is None else self._writer.spent

    def rewrite(self, documents: Sequence[Document]) -> list[Outcome]:
        """As every text rewriter; with an epsilon, ``because`` ends with that of the whole document."""
        outcomes = super().rewrite(documents)
        return outcomes if self._writer is None else [self._stated(self._writer, outcome) for outcome in outcomes]

    def _stated(self, writer: PrivateWriter, outcome: Outcome) -> Outcome:
        count = len(pieces(outcome.document.text, self._room))
        if isinstance(outcome, Withheld) or not count:
            return outcome
        said = f"epsilon {count * writer.epsilon:g} for the document: {count} x {writer.epsilon:g}"
        outside = "outside of it: how many pieces the document has, the white space between them, and later checks"
        return replace(outcome, because=(*outcome.because, said, outside))

    def drafts(self, texts: Sequence[str]) -> list[Draft]:
        if self._writer is not None:
            return [self._writer.draft(text) for text in texts]
        said = f"at temperature {self._temperature:g}, without an epsilon: the model shows no scores of its vocabulary"
        return [
            draft if draft.text is None else Draft(draft.text, (*draft.trail, said))
            for draft in self._plain.drafts(texts, temperature=self._temperature)
        ]
