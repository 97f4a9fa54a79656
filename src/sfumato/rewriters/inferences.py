"""What a reader could infer from a text about a person, as a model says it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sfumato.models.chat.asking import one_list
from sfumato.models.chat.reading.parse import listed

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
        schema = one_list("inferences", item)
        # A small model that is held to JSON does not find the end of a list by itself.
        schema["properties"]["inferences"]["maxItems"] = len(self.attributes)
        return schema

    def all_of_them(self) -> list[Inference]:
        """What may have been said in an answer that nobody can read."""
        return [Inference(name, "It may be possible to infer this.", ("unknown",), SUREST) for name in self.attributes]

    def read(self, answer: str, question: Mapping[str, str]) -> list[Inference] | None:
        """The inferences about attributes that were asked for; None where any cannot be read."""
        said = listed(answer, "inferences")
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
