"""A chat model behind one small interface: requests in, replies out.

Caches, retries after network failures, limits on requests in flight and prices are wrappers around a Chat; what asks
sees the same interface.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal, Protocol, runtime_checkable

Role = Literal["system", "user", "assistant"]


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a conversation."""

    role: Role
    text: str


@dataclass(frozen=True, slots=True)
class Request:
    """A question with all that its answer may depend on, but for the model."""

    messages: tuple[Message, ...]
    temperature: float = 0.0
    max_tokens: int = 512
    seed: int | None = None
    schema: Mapping[str, Any] | None = field(default=None, hash=False)
    """A JSON schema that the answer must keep, where the model can be held to one."""
    logprobs: int = 0
    """Log-probabilities of so many tokens at each place are wanted."""
    draw: int = 0
    """Which answer to the same question: 0 the first; asked again, a cache must not hand out the first once more."""

    @property
    def key(self) -> str:
        """What a cache finds the answer by, together with the model's name: SHA-256 of the content."""
        packed = json.dumps(asdict(self), sort_keys=True, separators=(",", ":"), ensure_ascii=True)
        return hashlib.sha256(packed.encode("ascii")).hexdigest()

    def again(self) -> Request:
        """The same question, asked once more."""
        return replace(self, draw=self.draw + 1)


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back, and what it cost. ``failure`` says why there is no text; it never quotes the conversation."""

    text: str
    prompt_tokens: int = 0
    generated_tokens: int = 0
    seconds: float = 0.0
    failure: str | None = None
    logprobs: tuple[Mapping[str, float], ...] | None = None
    """At each generated place, tokens and their ``ln p``."""


@runtime_checkable
class Chat(Protocol):
    """A model that answers."""

    name: str
    """The model with all that changes its answers."""

    def ask(self, requests: Sequence[Request]) -> list[Reply]:
        """One reply for each request, in order; they may be asked all at once. What fails is a reply that says so."""
        ...


_FENCE = re.compile(r"\s*```(?:json)?\s*\n(.*?)\n?\s*```\s*", re.DOTALL | re.IGNORECASE)


def json_object(text: str) -> dict[str, Any] | None:
    """The JSON object that an answer is, alone or in one code fence; None for anything else."""
    fenced = _FENCE.fullmatch(text)
    try:
        found = json.loads(fenced[1] if fenced else text)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None
