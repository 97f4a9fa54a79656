"""The question about a candidate, from a file, and what its answer says."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from sfumato.attacks.asking import FOLDER, filled
from sfumato.errors import RecipeError
from sfumato.models.chat import Message, Request, json_object

SHIPPED = FOLDER / "rag-link.toml"
SCHEMA = {
    "type": "object",
    "properties": {
        "score": {"type": "integer", "minimum": 0, "maximum": 100},
        "evidence": {"type": "array", "items": {"type": "string"}, "maxItems": 5},
    },
    "required": ["score", "evidence"],
    "additionalProperties": False,
}
_BLANK = re.compile(r"\{(person|known|released|fence)\}")
_WRITTEN = {"name": str, "version": int, "system": str, "user": str, "temperature": float, "max_tokens": int}


class Judgement(NamedTuple):
    """0 (someone else) to 100 (this person), and the phrases that it quotes."""

    score: int
    phrases: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Prompt:
    """A versioned prompt file."""

    name: str
    version: int
    system: str
    user: str
    temperature: float
    max_tokens: int

    @classmethod
    def load(cls, path: Path) -> Prompt:
        """A prompt from a TOML file with the keys of ours."""
        try:
            written: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise RecipeError(f"prompt {path} cannot be read ({type(error).__name__}): name a TOML file") from None
        for key, kind in _WRITTEN.items():
            if not isinstance(written.get(key), kind):
                raise RecipeError(f"prompt {path}: {key} must be there, of type {kind.__name__}")
        missing = {"person", "known", "released"} - set(_BLANK.findall(written["user"]))
        if missing:
            raise RecipeError(f"prompt {path}: user lacks the blank {{{min(missing)}}}")
        return cls(**{key: written[key] for key in _WRITTEN})

    def request(self, person: str, known: str, released: str) -> Request:
        """The question whether a released text is about a person."""
        user = filled(self.user, {"person": person, "known": known, "released": released})
        messages = (Message("system", self.system.strip()), Message("user", user))
        return Request(messages, self.temperature, self.max_tokens, schema=SCHEMA)


def judgement(answer: str) -> Judgement | None:
    """What an answer says; None where it is not just the object asked for."""
    found = json_object(answer)
    if found is None:
        return None
    score, phrases = found.get("score"), found.get("evidence", [])
    if not isinstance(score, int) or isinstance(score, bool) or not 0 <= score <= 100:
        return None
    if not isinstance(phrases, list) or not all(isinstance(phrase, str) for phrase in phrases):
        return None
    return Judgement(score, tuple(phrases))
