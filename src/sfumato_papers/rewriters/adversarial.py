"""Adversarial anonymization: infer attributes from a text, rewrite it against them, and repeat (Staab et al., 2025).

``Adversarial`` rewrites against inferences of some certainty and stops when there are none; ``AdversarialStaab`` does
what the paper does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Literal

from sfumato.errors import RecipeError
from sfumato.llm.chat import Chat
from sfumato.llm.parse import parse_list
from sfumato.llm.prompt import Prompt, PromptRunner, Variables, list_schema, object_schema
from sfumato.llm.windows import estimate_tokens, text_budget
from sfumato.rewriters.base import Draft, TextRewriter, max_text_tokens, parse_after_mark, rewrite_runner
from sfumato_papers.rewriters import PROMPTS

ATTRIBUTES = ("age", "education", "income", "location", "occupation", "relationship", "sex", "place of birth")
"""What the paper's adversary infers."""
MAX_CERTAINTY = 5
MAX_GUESSES = 3
_MAX_CHARACTERS = 200
"""Of a reason or a guess that is passed on: a text may have told the model to write something else."""
_NONE = "- none"
"""What the rewriter is told where nothing was inferred."""
_SYNONYMS = {"gender": "sex", "birthplace": "place of birth", "birth place": "place of birth", "job": "occupation"}


class Adversarial(TextRewriter):
    """Infer personal attributes from a text, rewrite it against just these inferences, and repeat."""

    cite: ClassVar[str | None] = "staab2025"
    stops_early: ClassVar[bool] = True
    """Whether a text from which nothing more is inferred is finished, and an unchanged text is no rewrite."""

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
        """``certainty``: from 1 to 5, the least at which the text is rewritten against an inference."""
        if isinstance(attributes, str) or not attributes:
            raise RecipeError(f"attributes is a list of one or more names, got {attributes!r}")
        if rounds < 1:
            raise RecipeError(f"rounds is at least 1, got {rounds}")
        if not 1 <= certainty <= MAX_CERTAINTY:
            raise RecipeError(f"certainty lies between 1 and {MAX_CERTAINTY}, got {certainty}")
        self._inferences = InferenceParser(attributes)
        self._rounds, self._certainty = rounds, certainty
        infer = Prompt.load(infer_prompt, ("text", "attributes"), shipped=PROMPTS)
        rewrite = Prompt.load(rewrite_prompt, ("text", "inferences"), shipped=PROMPTS)
        # The same piece must fit the request for inferences, and the rewrite together with them.
        for_inference = text_budget(chat.context, estimate_tokens("x" * infer.size), infer.max_tokens)
        for_rewrite = max_text_tokens(chat.context, [rewrite], beside=infer.max_tokens)
        self._infer = PromptRunner(chat, infer, self._inferences.parse, schema=self._inferences.schema)
        self._rewrite = rewrite_runner(chat, rewrite, _parse_changed if self.stops_early else parse_after_mark)
        super().__init__(min(for_inference, for_rewrite), self._infer.usage, self._rewrite.usage)
        self._trail = (f"adversarial, chat:{chat.name}, prompts {infer.name} and {rewrite.name}",)

    def drafts(self, texts: Sequence[str]) -> list[Draft]:
        """All texts go through a round together; one that is finished leaves."""
        states = [_TextState(text) for text in texts]
        for number in range(self._rounds):
            self._run_round(number, [state for state in states if not state.is_finished])
        return [self._draft(state) for state in states]

    def _run_round(self, number: int, states: Sequence[_TextState]) -> None:
        attributes = ", ".join(self._inferences.attributes)
        questions = [{"text": state.text, "attributes": attributes} for state in states]
        to_rewrite = []
        for state, inferences in zip(states, self._infer.ask(questions, sample_index=number), strict=True):
            certain = self._certain(inferences)
            state.trail.append(f"round {number + 1}: {_summary(inferences, certain, self._certainty)}")
            state.is_finished = self.stops_early and not certain
            if not state.is_finished:
                state.was_attempted = True
                to_rewrite.append((state, "\n".join(map(str, certain)) or _NONE))
        questions = [{"text": state.text, "inferences": certain} for state, certain in to_rewrite]
        rewrites = self._rewrite.ask(questions, sample_index=number)
        for (state, _), text, failure in zip(to_rewrite, rewrites, self._rewrite.failures, strict=True):
            if text is None:
                state.trail[-1] += f"; no rewrite could be read ({failure}), the text stays as it was"
                state.failure = failure
            else:
                state.text, state.rewrites = text, state.rewrites + 1

    def _certain(self, inferences: Sequence[Inference] | None) -> list[Inference]:
        """What to rewrite against: an unreadable answer may have said anything, so then every attribute."""
        if inferences is None:
            reasoning, guesses = "It may be possible to infer this.", ("unknown",)
            return [Inference(name, reasoning, guesses, MAX_CERTAINTY) for name in self._inferences.attributes]
        return [inference for inference in inferences if inference.certainty >= self._certainty]

    def _draft(self, state: _TextState) -> Draft:
        if state.was_attempted and not state.rewrites:
            reason = "a rewrite was asked for in each round, and no rewrite of the model could be used"
            return Draft(None, reason=f"{reason} ({state.failure})")
        return Draft(state.text, (*self._trail, *state.trail))


class AdversarialStaab(Adversarial):
    """Infer personal attributes from the original text and rewrite it against all of them, in three rounds."""

    stops_early: ClassVar[bool] = False
    reads: ClassVar[Literal["release", "original"]] = "original"

    def __init__(
        self,
        *,
        chat: Chat,
        attributes: Sequence[str] = ATTRIBUTES,
        rounds: int = 3,
        infer_prompt: str | Path = PROMPTS / "adversarial-infer.toml",
        rewrite_prompt: str | Path = PROMPTS / "adversarial-rewrite.toml",
    ) -> None:
        """Every inference counts, however uncertain, and every round rewrites, even where nothing is inferred."""
        super().__init__(
            chat=chat,
            attributes=attributes,
            rounds=rounds,
            certainty=1,
            infer_prompt=infer_prompt,
            rewrite_prompt=rewrite_prompt,
        )


@dataclass
class _TextState:
    """One text between the rounds."""

    text: str
    rewrites: int = 0
    was_attempted: bool = False
    """Whether a rewrite was asked for."""
    is_finished: bool = False
    failure: str | None = None
    """What was wrong with the last rewrite that could not be used."""
    trail: list[str] = field(default_factory=list)


def _parse_changed(answer: str, question: Variables, prompt: Prompt) -> str | None:
    """The text after the mark; an unchanged text is no rewrite: it prevents no inference."""
    text = parse_after_mark(answer, question, prompt)
    return None if text is None or text.split() == question["text"].split() else text


def _summary(inferences: Sequence[Inference] | None, certain: Sequence[Inference], certainty: int) -> str:
    if inferences is None:
        return "the inferences could not be read: every attribute counts as inferred"
    if not certain:
        return f"nothing inferred at certainty {certainty} or more"
    return "inferred " + ", ".join(f"{inference.attribute} ({inference.certainty})" for inference in certain)


@dataclass(frozen=True, slots=True)
class Inference:
    """An attribute, why it can be inferred, guesses of its value, and how certain they are, from 1 to 5."""

    attribute: str
    reasoning: str
    guesses: tuple[str, ...]
    certainty: int

    def __str__(self) -> str:
        return f"- {self.attribute} (certainty {self.certainty}): {'; '.join(self.guesses)}. {self.reasoning}"


class InferenceParser:
    """The attributes that are asked for, and how answers about them are parsed."""

    def __init__(self, attributes: Sequence[str]) -> None:
        self.attributes = tuple(" ".join(name.split()).casefold() for name in attributes)

    @property
    def schema(self) -> dict[str, Any]:
        """The JSON schema of an answer."""
        item: dict[str, dict[str, Any]] = {
            "attribute": {"type": "string", "enum": list(self.attributes)},
            "reasoning": {"type": "string"},
            "guesses": {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": MAX_GUESSES},
            "certainty": {"type": "integer", "minimum": 1, "maximum": MAX_CERTAINTY},
        }
        schema = list_schema("inferences", object_schema(item))
        # A small model that must write JSON does not find the end of a list by itself.
        schema["properties"]["inferences"]["maxItems"] = len(self.attributes)
        return schema

    def parse(self, answer: str, question: Variables) -> list[Inference] | None:
        """The inferences about the attributes that were asked for; None where any cannot be parsed."""
        rows = parse_list(answer, "inferences")
        if rows is None:
            return None
        inferences = [self._parse_row(row) for row in rows]
        return None if None in inferences else [item for item in inferences if item and item.attribute]

    def _parse_row(self, row: Any) -> Inference | None:
        """An inference, with an empty attribute where it is about another one; None where it is none."""
        if not isinstance(row, Mapping) or not isinstance(row.get("attribute"), str):
            return None
        guesses, certainty = row.get("guesses", []), _parse_certainty(row.get("certainty"))
        if certainty is None or not isinstance(guesses, list):
            return None
        guessed = tuple(_shorten(guess) for guess in guesses[:MAX_GUESSES])
        return Inference(self._attribute(row["attribute"]), _shorten(row.get("reasoning", "")), guessed, certainty)

    def _attribute(self, name: str) -> str:
        """The attribute that is meant: the same words, or all of one's words in the other; "" for none of them."""
        words = " ".join(name.replace("_", " ").casefold().split())
        meant = set(_SYNONYMS.get(words, words).split())
        for attribute in self.attributes if meant else ():
            asked = set(attribute.split())
            if meant <= asked or asked <= meant:
                return attribute
        return ""


def _shorten(value: Any) -> str:
    return " ".join(str(value).split())[:_MAX_CHARACTERS]


def _parse_certainty(value: Any) -> int | None:
    """From 1 to 5, as a number or a string."""
    if isinstance(value, str) and value.strip().isdecimal():
        value = int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= MAX_CERTAINTY else None
