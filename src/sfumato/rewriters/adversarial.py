"""Infer what a text gives away, rewrite it so that it no longer does, and begin again (Staab et al., 2025)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from sfumato.errors import RecipeError
from sfumato.llm.chat import Chat
from sfumato.llm.parse import parse_list
from sfumato.llm.prompt import Prompt, PromptRunner, list_schema
from sfumato.llm.usage import Usage
from sfumato.llm.windows import estimate_tokens, text_budget
from sfumato.rewriters.base import (
    PROMPTS,
    Draft,
    Read,
    RejectTruncated,
    TextRewriter,
    after_mark,
    max_rewrite_tokens,
    max_text_tokens,
)

# -- What a reader could infer from a text about a person, as a model says it.


SUREST = 5
GUESSES = 3
_LONGEST = 200
"""Characters of a reason, or a guess, that are passed on: a text may have told the model to write something else."""
_OTHER_WORDS = {"gender": "sex", "birthplace": "place of birth", "birth place": "place of birth", "job": "occupation"}


@dataclass(frozen=True, slots=True)
class Inference:
    """An attribute, how it is inferred, what it is taken for, and how certain that is, from 1 to 5."""

    attribute: str
    reasoning: str
    guesses: tuple[str, ...]
    certainty: int

    def __str__(self) -> str:
        return f"- {self.attribute} (certainty {self.certainty}): {'; '.join(self.guesses)}. {self.reasoning}"


class Inferences:
    """The attributes that are asked for, and how answers about them are read."""

    def __init__(self, attributes: Sequence[str]) -> None:
        self.attributes = tuple(" ".join(name.split()).casefold() for name in attributes)

    @property
    def schema(self) -> dict[str, Any]:
        """What a model is held to that can be."""
        parts = {
            "attribute": {"type": "string", "enum": list(self.attributes)},
            "reasoning": {"type": "string"},
            "guesses": {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": GUESSES},
            "certainty": {"type": "integer", "minimum": 1, "maximum": SUREST},
        }
        item = {"type": "object", "properties": parts, "required": list(parts), "additionalProperties": False}
        schema = list_schema("inferences", item)
        # A small model that is held to JSON does not find the end of a list by itself.
        schema["properties"]["inferences"]["maxItems"] = len(self.attributes)
        return schema

    def all_of_them(self) -> list[Inference]:
        """What may have been said in an answer that nobody can read."""
        return [Inference(name, "It may be possible to infer this.", ("unknown",), SUREST) for name in self.attributes]

    def read(self, answer: str, question: Mapping[str, str]) -> list[Inference] | None:
        """The inferences about attributes that were asked for; None where any cannot be read."""
        said = parse_list(answer, "inferences")
        if said is None:
            return None
        found = [self._one(item) for item in said]
        return None if None in found else [inference for inference in found if inference and inference.attribute]

    def _one(self, item: Any) -> Inference | None:
        """An inference, without a name where it is about something else; None for what is none."""
        if not isinstance(item, Mapping) or not isinstance(item.get("attribute"), str):
            return None
        guesses, certainty = item.get("guesses", []), _certainty(item.get("certainty"))
        if certainty is None or not isinstance(guesses, list):
            return None
        guessed = tuple(_short(guess) for guess in guesses[:GUESSES])
        return Inference(self._asked(item["attribute"]), _short(item.get("reasoning", "")), guessed, certainty)

    def _asked(self, said: str) -> str:
        """Which attribute is meant: the same words, or all of one's words in the other; "" for none of them."""
        words = said.replace("_", " ").casefold().split()
        meant = set(_OTHER_WORDS.get(" ".join(words), " ".join(words)).split())
        return next((name for name in self.attributes if meant and _is_within(meant, set(name.split()))), "")


def _is_within(one: set[str], other: set[str]) -> bool:
    return one <= other or other <= one


def _short(said: Any) -> str:
    return " ".join(str(said).split())[:_LONGEST]


def _certainty(said: Any) -> int | None:
    """From 1 to 5, written as a number or in quotes."""
    if isinstance(said, str) and said.strip().isdecimal():
        said = int(said)
    return said if isinstance(said, int) and not isinstance(said, bool) and 1 <= said <= SUREST else None


# -- Infer what a text gives away, rewrite it so that it no longer does, and begin again (Staab et al., 2025).


ATTRIBUTES = ("age", "education", "income", "location", "occupation", "relationship", "sex", "place of birth")
"""What the paper's adversary looks for."""


@dataclass
class _Text:
    """One text on its way through the rounds."""

    now: str
    rewrites: int = 0
    gave_away: bool = False
    resolve_overlaps: bool = False
    why: str | None = None
    """What was wrong with the last rewrite that could not be used."""
    trail: list[str] = field(default_factory=list)


class Adversarial(TextRewriter):
    """Infer personal attributes from a text, rewrite it against just these inferences, and repeat."""

    cite: ClassVar[str | None] = "staab2025"

    def __init__(
        self,
        *,
        chat: Chat,
        attributes: Sequence[str] = ATTRIBUTES,
        rounds: int = 3,
        certainty: int = 3,
        infer_prompt: str | Path = PROMPTS / "adversarial-infer.toml",
        rewrite_prompt: str | Path = PROMPTS / "adversarial-rewrite.toml",
    ) -> None:
        """``certainty``: from 1 to 5, the least at which an inference is written against."""
        if isinstance(attributes, str) or not attributes:
            raise RecipeError(f"attributes is a list of one or more names, got {attributes!r}")
        if rounds < 1:
            raise RecipeError(f"rounds is at least 1, got {rounds}")
        if not 1 <= certainty <= SUREST:
            raise RecipeError(f"certainty lies between 1 and {SUREST}, got {certainty}")
        self._inferences = Inferences(attributes)
        self._rounds, self._certainty = rounds, certainty
        infer = Prompt.load(infer_prompt, ("text", "attributes"), shipped=PROMPTS)
        rewrite = Prompt.load(rewrite_prompt, ("text", "inferences"), shipped=PROMPTS)
        super().__init__(_room(chat, infer, rewrite))
        self._infer = PromptRunner(chat, infer, self._inferences.read, schema=self._inferences.schema)
        self._rewrite = PromptRunner(
            RejectTruncated(chat), rewrite, _changed(after_mark(rewrite)), max_tokens=max_rewrite_tokens
        )
        self._named = (f"adversarial, chat:{chat.name}, prompts {infer.name} and {rewrite.name}",)

    @property
    def usage(self) -> Usage:
        return self._infer.usage + self._rewrite.usage

    def drafts(self, texts: Sequence[str]) -> list[Draft]:
        """All texts go through a round together; one that gives nothing away any more is left alone."""
        states = [_Text(text) for text in texts]
        for turn in range(self._rounds):
            self._round(turn, [state for state in states if not state.resolve_overlaps])
        return [self._draft(state) for state in states]

    def _round(self, turn: int, states: Sequence[_Text]) -> None:
        attributes = ", ".join(self._inferences.attributes)
        found = self._infer.ask([{"text": state.now, "attributes": attributes} for state in states], sample_index=turn)
        standing = []
        for state, inferences in zip(states, found, strict=True):
            against = self._against(inferences)
            state.resolve_overlaps, state.gave_away = not against, state.gave_away or bool(against)
            state.trail.append(f"round {turn + 1}: {_summary(inferences, against, self._certainty)}")
            if against:
                standing.append((state, "\n".join(map(str, against))))
        questions = [{"text": state.now, "inferences": against} for state, against in standing]
        rewritten = self._rewrite.ask(questions, sample_index=turn)
        for (state, _), text, why in zip(standing, rewritten, self._rewrite.failures, strict=True):
            if text is None:
                state.trail[-1] += f"; no rewrite could be read ({why}), the text stays as it was"
                state.why = why
            else:
                state.now, state.rewrites = text, state.rewrites + 1

    def _against(self, found: Sequence[Inference] | None) -> list[Inference]:
        """What has to be written against. An answer that cannot be read may have said anything: then it is all."""
        if found is None:
            return self._inferences.all_of_them()
        return [inference for inference in found if inference.certainty >= self._certainty]

    def _draft(self, state: _Text) -> Draft:
        if state.gave_away and not state.rewrites:
            said = "attributes can be inferred from it, and no rewrite of the model could be used"
            return Draft(None, reason=f"{said} ({state.why})")
        return Draft(state.now, (*self._named, *state.trail))


def _room(chat: Chat, infer: Prompt, rewrite: Prompt) -> int:
    """The same piece is first read for inferences, and then rewritten beside them."""
    read = text_budget(chat.context, estimate_tokens("x" * infer.size), infer.max_tokens)
    return min(read, max_text_tokens(chat.context, [rewrite], beside=infer.max_tokens))


def _changed(read: Read) -> Read:
    """Reads as ``read`` does; a text that came back as it was prevents nothing, and is no rewrite."""

    def changed(answer: str, question: Mapping[str, str]) -> str | None:
        text = read(answer, question)
        return None if text is None or text.split() == question["text"].split() else text

    return changed


def _summary(inferences: Sequence[Inference] | None, against: Sequence[Inference], least: int) -> str:
    if inferences is None:
        return "the inferences could not be read: every attribute counts as inferred"
    if not against:
        return f"nothing inferred at certainty {least} or more"
    return "inferred " + ", ".join(f"{inference.attribute} ({inference.certainty})" for inference in against)
