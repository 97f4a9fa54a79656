"""Requests and answers in the shape that OpenAI's servers and all that are like them speak."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from sfumato.llm.chat import Message, Reply, Request

JsonMode = Literal["schema", "object", "none"]
MODES: tuple[JsonMode, ...] = ("schema", "object", "none")
"""How a model is held to JSON, strictest first."""
TOO_LONG = "longer than the model's context"
NO_TEXT = "the server answered without a text"
_MOST_LOGPROBS = 20


def body(request: Request, mode: JsonMode = "schema") -> dict[str, Any]:
    """What is sent, but for the model's name."""
    sent: dict[str, Any] = {
        "messages": turns(request.messages),
        "temperature": request.temperature,
        "max_tokens": request.max_tokens,
    }
    if request.seed is not None:
        sent["seed"] = request.seed
    if request.logprobs:
        sent |= {"logprobs": True, "top_logprobs": min(request.logprobs, _MOST_LOGPROBS)}
    if request.schema is not None and mode == "schema":
        held = {"name": "answer", "schema": dict(request.schema), "strict": True}
        sent["response_format"] = {"type": "json_schema", "json_schema": held}
    elif request.schema is not None and mode == "object":
        sent["response_format"] = {"type": "json_object"}
    return sent


def turns(messages: Sequence[Message]) -> list[dict[str, str]]:
    """The conversation. Lone surrogates, which no file and no server takes, become question marks."""
    return [{"role": message.role, "content": writable(message.text)} for message in messages]


def writable(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")


def decoded(content: bytes) -> Any:
    """JSON, or None where it is none."""
    try:
        return json.loads(content)
    except (ValueError, RecursionError):
        return None


def reply(answer: Any, seconds: float) -> Reply:
    """What an answer says; one of another shape is a failure."""
    used = answer.get("usage") if isinstance(answer, Mapping) else None
    used = used if isinstance(used, Mapping) else {}
    read, written = _count(used.get("prompt_tokens")), _count(used.get("completion_tokens"))
    try:
        choice = answer["choices"][0]
        text = choice["message"]["content"]
    except (KeyError, IndexError, TypeError):
        return Reply("", read, written, seconds, failure=NO_TEXT)
    cut = choice.get("finish_reason") == "length"
    if not isinstance(text, str) and not (text is None and cut):
        return Reply("", read, written, seconds, failure=NO_TEXT, cut=cut)
    return Reply(writable(text or ""), read, written, seconds, logprobs=_logprobs(choice.get("logprobs")), cut=cut)


def refusal(answer: Any) -> str:
    """What a server says in an error, in lower case: for looking into, never for showing, as it may quote us."""
    said = answer.get("error", answer) if isinstance(answer, Mapping) else answer
    return json.dumps(said, default=str)[:20_000].lower() if said is not None else ""


def is_context_overflow(said: str) -> bool:
    return "context" in said and any(word in said for word in ("exceed", "length", "maximum", "too long", "larger"))


def _count(value: Any) -> int:
    return value if isinstance(value, int) and value >= 0 else 0


def _logprobs(found: Any) -> tuple[Mapping[str, float], ...] | None:
    """At each place the likeliest tokens; None where the server gave none or something else."""
    try:
        places = [place.get("top_logprobs") or [place] for place in found["content"]]
        # Backwards: of several tokens that read the same, the likeliest, which stands first, stays.
        return tuple({str(one["token"]): float(one["logprob"]) for one in reversed(place)} for place in places)
    except (KeyError, TypeError, ValueError, AttributeError):
        return None
