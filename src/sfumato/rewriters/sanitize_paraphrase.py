"""Take out what is personal, then say the rest in other words (paper 003)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import ClassVar, Literal

from sfumato.errors import RecipeError
from sfumato.models.chat import Chat, Prompt, Spent
from sfumato.rewriters.answers import after_mark
from sfumato.rewriters.base import PROMPTS, Draft, TextRewriter
from sfumato.rewriters.lengths import text_room
from sfumato.rewriters.one_pass import OnePass


class SanitizeParaphrase(TextRewriter):
    """Generalize or drop what is personal in a text, and paraphrase what is left."""

    paper: ClassVar[str | None] = "003"

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
        sanitize = Prompt.load(sanitize_prompt, ("text",), own=PROMPTS)
        paraphrase = Prompt.load(paraphrase_prompt, ("text",), own=PROMPTS)
        # A sanitized text is a little longer or shorter; one prompt's worth of talk in the room takes that up.
        super().__init__(text_room(chat.context, [sanitize, paraphrase]))
        self._sanitize = OnePass(chat, sanitize, after_mark) if first == "sanitize" else None
        self._paraphrase = OnePass(chat, paraphrase)

    @property
    def spent(self) -> Spent:
        return (self._sanitize.spent if self._sanitize else Spent()) + self._paraphrase.spent

    def drafts(self, texts: Sequence[str]) -> list[Draft]:
        """A text that could not be sanitized is not paraphrased either."""
        clean = self._sanitize.drafts(texts) if self._sanitize else [Draft(text) for text in texts]
        said_anew = iter(self._paraphrase.drafts([draft.text for draft in clean if draft.text is not None]))
        return [draft if draft.text is None else _after(draft, next(said_anew)) for draft in clean]


def _after(first: Draft, second: Draft) -> Draft:
    return replace(second, trail=(*first.trail, *second.trail))
