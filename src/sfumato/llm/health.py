"""Whether a language model answers, how fast, and what it can be held to: found out by asking it."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any

from sfumato.llm.chat import Chat, Message, Reply, Request, logits_model
from sfumato.llm.http import HttpChat, is_loopback
from sfumato.llm.parse import failure_reason

_ONE_WORD = Request((Message("user", "Answer with one word: ready."),), max_tokens=8, logprobs=1)
_PLAIN = Request(_ONE_WORD.messages, max_tokens=8)
_THINKING = Request(_ONE_WORD.messages, max_tokens=512)
"""For models that think before their first word."""
_SCHEMA = {
    "type": "object",
    "properties": {"ready": {"type": "boolean"}},
    "required": ["ready"],
    "additionalProperties": False,
}
_JSON = Request(
    (Message("user", 'Are you ready? Answer with a JSON object like {"ready": true}, and nothing else.'),),
    max_tokens=32,
    schema=_SCHEMA,
)


@dataclass(frozen=True, slots=True)
class Health:
    """What a model was found to be able to do. ``failure``: why it is of no use."""

    name: str
    where: str
    """To whom text goes."""
    context: int | None
    offers: tuple[str, ...]
    """The models of a server."""
    json: str
    """How it was held to JSON (``schema``, ``object``, ``none``), and whether it kept to it."""
    logprobs: bool
    all_logprobs: bool
    """Whether the whole distribution of the next token can be seen, which DP-Prompt needs."""
    seconds: float
    prompt_tokens: int
    generated_tokens: int
    remark: str | None
    """What is odd, though it answers."""
    failure: str | None

    @property
    def tokens_per_second(self) -> float | None:
        """Read and written, of the one question; None where the server does not count."""
        tokens = self.prompt_tokens + self.generated_tokens
        return tokens / self.seconds if tokens and self.seconds > 0 else None

    def to_json(self) -> dict[str, Any]:
        return {**asdict(self), "tokens_per_second": self.tokens_per_second}


def check(chat: Chat) -> Health:
    """Ask for one word, for its probability, and for a JSON object. The cache is not asked, the model is."""
    model = _innermost(chat)
    first = _asked(model, _ONE_WORD)
    logprobs = first.failure is None and bool(first.logprobs)
    if first.failure is not None:  # it may be the log-probabilities that it refuses
        first = _asked(model, _PLAIN)
    if first.failure is None and first.cut and not first.text.strip():
        first = _asked(model, _THINKING)
    failure = first.failure or (None if first.text.strip() else failure_reason(first))
    held = _asked(model, _JSON) if failure is None else first
    offers = tuple(offer.model for offer in model.offers()) if isinstance(model, HttpChat) else ()
    return Health(
        name=model.name,
        where=_where(model),
        context=model.context,
        offers=offers,
        json=_kept(model, held),
        logprobs=logprobs,
        all_logprobs=logits_model(model) is not None,
        seconds=first.seconds,
        prompt_tokens=first.prompt_tokens,
        generated_tokens=first.generated_tokens,
        remark=_remark(model, offers),
        failure=failure,
    )


def _innermost(chat: Chat) -> Chat:
    """The model without cache and recording."""
    while (inner := getattr(chat, "inner", None)) is not None:
        chat = inner
    return chat


def _asked(model: Chat, request: Request) -> Reply:
    (reply,) = model.ask([request])
    return reply


def _kept(model: Chat, reply: Reply) -> str:
    mode = model.json_mode if isinstance(model, HttpChat) else "schema"
    try:
        kept = isinstance(json.loads(reply.text), dict)
    except ValueError:
        kept = False
    return mode if kept else f"{mode}, not kept"


def _remark(model: Chat, offers: tuple[str, ...]) -> str | None:
    if not isinstance(model, HttpChat) or not offers or model.model in offers:
        return None
    return f"{model.model} is not among the models that the server offers; another one may have answered"


def _where(model: Chat) -> str:
    if not isinstance(model, HttpChat):
        return "this process"
    host = model.address.host
    return "this machine" if is_loopback(model.address.machine) else host
