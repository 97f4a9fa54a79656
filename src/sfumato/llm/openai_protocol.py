"""Requests and replies as JSON in OpenAI's chat completions format, which most servers implement."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from sfumato.llm.chat import Message, Reply, Request

JsonMode = Literal["schema", "object", "none"]
JSON_MODES: tuple[JsonMode, ...] = ("schema", "object", "none")
"""How a server is asked for JSON, strictest first."""
TOO_LONG = "longer than the model's context"
NO_TEXT = "the server answered without a text"
_MAX_TOP_LOGPROBS = 20


def request_body(request: Request, mode: JsonMode = "schema") -> dict[str, Any]:
    """The body of a request, without the model's name."""
    body: dict[str, Any] = {
        "messages": message_dicts(request.messages),
        "temperature": request.temperature,
        "max_tokens": request.max_tokens,
    }
    if request.seed is not None:
        body["seed"] = request.seed
    if request.top_p is not None:
        body["top_p"] = request.top_p
    if request.logprobs:
        body |= {"logprobs": True, "top_logprobs": min(request.logprobs, _MAX_TOP_LOGPROBS)}
    if request.schema is not None and mode == "schema":
        schema = {"name": "answer", "schema": dict(request.schema), "strict": True}
        body["response_format"] = {"type": "json_schema", "json_schema": schema}
    elif request.schema is not None and mode == "object":
        body["response_format"] = {"type": "json_object"}
    return body


def message_dicts(messages: Sequence[Message]) -> list[dict[str, str]]:
    return [{"role": message.role, "content": _replace_surrogates(message.text)} for message in messages]


def _replace_surrogates(text: str) -> str:
    """Lone surrogates, which no file and no server takes, become question marks."""
    return text.encode("utf-8", "replace").decode("utf-8")


def parse_json(content: bytes | str) -> Any:
    """The JSON value, or None where it is not JSON."""
    try:
        return json.loads(content)
    except (ValueError, RecursionError):
        return None


def parse_reply(response: Any, seconds: float) -> Reply:
    """The reply in a response; a response of another shape is a failure."""
    usage = response.get("usage") if isinstance(response, Mapping) else None
    usage = usage if isinstance(usage, Mapping) else {}
    tokens = _count(usage.get("prompt_tokens")), _count(usage.get("completion_tokens"))
    try:
        choice = response["choices"][0]
        text = choice["message"]["content"]
    except (KeyError, IndexError, TypeError):
        return Reply("", *tokens, seconds, failure=NO_TEXT)
    cut = choice.get("finish_reason") == "length"
    if not isinstance(text, str) and not (text is None and cut):
        return Reply("", *tokens, seconds, failure=NO_TEXT, cut=cut)
    logprobs = _parse_logprobs(choice.get("logprobs"))
    return Reply(_replace_surrogates(text or ""), *tokens, seconds, logprobs=logprobs, cut=cut)


def error_text(response: Any) -> str:
    """A server's error message in lower case: to search in, never to show, as it may quote the conversation."""
    error = response.get("error", response) if isinstance(response, Mapping) else response
    return json.dumps(error, default=str)[:20_000].lower() if error is not None else ""


def is_context_overflow(response: Any) -> bool:
    """Whether a server's error says that the request is longer than the model's context."""
    error = error_text(response)
    return "context" in error and any(word in error for word in ("exceed", "length", "maximum", "too long", "larger"))


def _count(value: Any) -> int:
    return value if isinstance(value, int) and value >= 0 else 0


def _parse_logprobs(logprobs: Any) -> tuple[Mapping[str, float], ...] | None:
    """At each position the likeliest tokens; None where the server gave none or something else."""
    try:
        positions = [position.get("top_logprobs") or [position] for position in logprobs["content"]]
        # Backwards: of several tokens with the same text the likeliest, which comes first, stays.
        return tuple({str(row["token"]): float(row["logprob"]) for row in reversed(rows)} for rows in positions)
    except (KeyError, TypeError, ValueError, AttributeError):
        return None
