"""Checks a chat model by asking it: whether it answers, how fast, and which features it supports."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from sfumato.llm.chat import Chat, ChatWrapper, Message, Reply, Request, logits_model
from sfumato.llm.http import HttpChat, is_loopback
from sfumato.llm.openai_protocol import parse_json
from sfumato.llm.parse import failure_reason
from sfumato.llm.prompt import object_schema

_ONE_WORD = Request((Message("user", "Answer with one word: ready."),), max_tokens=8, logprobs=1)
_PLAIN = Request(_ONE_WORD.messages, max_tokens=8)
_THINKING = Request(_ONE_WORD.messages, max_tokens=512)
"""For models that reason before their first word."""
_JSON = Request(
    (Message("user", 'Are you ready? Answer with a JSON object like {"ready": true}, and nothing else.'),),
    max_tokens=32,
    schema=object_schema({"ready": {"type": "boolean"}}),
)


@dataclass(frozen=True, slots=True)
class Health:
    """What a model can do. ``failure``: why it cannot be used."""

    name: str
    where: str
    """Where text goes: this process, this machine, or a host."""
    context: int | None
    models: tuple[str, ...]
    """The models that a server lists."""
    json: str
    """How it is asked for JSON (``schema``, ``object``, ``none``), and whether it answered with JSON."""
    logprobs: bool
    all_logprobs: bool
    """Whether it shows the whole distribution of the next token, which DP-Prompt needs."""
    seconds: float
    prompt_tokens: int
    generated_tokens: int
    remark: str | None
    """A warning, though it answers."""
    failure: str | None

    @property
    def tokens_per_second(self) -> float | None:
        """Of prompt and answer of one request; None where the server does not count."""
        tokens = self.prompt_tokens + self.generated_tokens
        return tokens / self.seconds if tokens and self.seconds > 0 else None

    def to_json(self) -> dict[str, Any]:
        return {**asdict(self), "tokens_per_second": self.tokens_per_second}


def check(chat: Chat) -> Health:
    """Ask the model, past any cache, for one word, for its probability, and for a JSON object."""
    model = _innermost(chat)
    first = model.ask([_ONE_WORD])[0]
    logprobs = first.failure is None and bool(first.logprobs)
    if first.failure is not None:  # it may be the log-probabilities that it refuses
        first = model.ask([_PLAIN])[0]
    if first.failure is None and first.cut and not first.text.strip():
        first = model.ask([_THINKING])[0]
    failure = first.failure or (None if first.text.strip() else failure_reason(first))
    answer = model.ask([_JSON])[0] if failure is None else first
    models = tuple(info.model for info in model.list_models()) if isinstance(model, HttpChat) else ()
    return Health(
        name=model.name,
        where=_where(model),
        context=model.context,
        models=models,
        json=_json_support(model, answer),
        logprobs=logprobs,
        all_logprobs=logits_model(model) is not None,
        seconds=first.seconds,
        prompt_tokens=first.prompt_tokens,
        generated_tokens=first.generated_tokens,
        remark=_remark(model, models),
        failure=failure,
    )


def _innermost(chat: Chat) -> Chat:
    """The model without cache and recording."""
    while isinstance(chat, ChatWrapper):
        chat = chat.inner
    return chat


def _json_support(model: Chat, reply: Reply) -> str:
    mode = model.json_mode if isinstance(model, HttpChat) else "schema"
    return mode if isinstance(parse_json(reply.text), dict) else f"{mode}, not kept"


def _remark(model: Chat, models: tuple[str, ...]) -> str | None:
    if not isinstance(model, HttpChat) or not models or model.model in models:
        return None
    return f"{model.model} is not among the models that the server lists; another one may have answered"


def _where(model: Chat) -> str:
    if not isinstance(model, HttpChat):
        return "this process"
    return "this machine" if is_loopback(model.address.hostname) else model.address.host
