"""Token usage, time, price and failures of language model requests."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from fnmatch import fnmatchcase
from typing import Any, ClassVar, Protocol, runtime_checkable

from pydantic import BaseModel, ConfigDict, Field

from sfumato.llm.chat import Chat, ChatWrapper, Reply, Request


@runtime_checkable
class CountsUsage(Protocol):
    """What asks a language model, and says what that has cost so far; None where it asks none after all."""

    @property
    def usage(self) -> Usage | None: ...


@dataclass
class Usage:
    """Counts of one method's requests; usages can be added."""

    questions: int = 0
    requests: int = 0
    """More than questions where an answer could not be parsed and was asked for again."""
    prompt_tokens: int = 0
    generated_tokens: int = 0
    seconds: float = 0.0
    """Of the model, summed over requests; several may have run concurrently."""
    cached: int = 0
    """Requests answered from a cache; their tokens and seconds are counted as those of the first time."""
    unreadable: int = 0
    """Answers that could not be parsed, or did not arrive."""
    failed: int = 0
    """Questions without an answer after all retries."""
    hallucinated: int = 0
    """Strings that an answer quotes from a text and that are not in it."""
    folded: int = 0
    """Strings that are in the text only if case and white space are ignored."""
    ignored: int = 0
    """Strings of an answer that were not used: function words, whole passages, parts of words."""
    repaired: int = 0
    """Truncated answers of which the complete part was used."""
    reasons: dict[str, int] = field(default_factory=dict)
    """Why answers could not be used, as often as ``unreadable`` says; never quotes a text."""
    money: float | None = None
    """In the currency of the price list; None without one."""

    def note(self, reply: Reply) -> None:
        """Count one request and its reply."""
        self.requests += 1
        self.prompt_tokens += reply.prompt_tokens
        self.generated_tokens += reply.generated_tokens
        self.seconds += reply.seconds
        self.cached += reply.cached
        self.money = _sum(self.money, reply.money)

    def miss(self, reason: str) -> None:
        """Count an answer that could not be parsed, or did not arrive."""
        self.unreadable += 1
        self.reasons[reason] = self.reasons.get(reason, 0) + 1

    def __add__(self, other: Usage) -> Usage:
        names = [count.name for count in fields(self) if count.name not in ("reasons", "money")]
        sums = {name: getattr(self, name) + getattr(other, name) for name in names}
        reasons = dict(Counter(self.reasons) + Counter(other.reasons))
        return Usage(**sums, reasons=reasons, money=_sum(self.money, other.money))

    @property
    def tokens(self) -> int:
        """Read and written, as table 2 of Manzanares-Salor and Sánchez (2025) counts them."""
        return self.prompt_tokens + self.generated_tokens

    def to_json(self) -> dict[str, Any]:
        money = None if self.money is None else round(self.money, 6)
        reasons = sorted(self.reasons.items(), key=lambda item: (-item[1], item[0]))
        return {**asdict(self), "seconds": round(self.seconds, 3), "reasons": dict(reasons), "money": money}


def _sum(first: float | None, second: float | None) -> float | None:
    return second if first is None else first if second is None else first + second


@dataclass(frozen=True)
class Cost:
    """A method's usage on a number of documents, in one run or several."""

    COLUMNS: ClassVar[tuple[str, ...]] = (
        *("requests", "prompt", "generated", "tokens", "seconds", "money"),
        *("unread", "failed", "not there"),
    )

    chat: str
    """The model's name."""
    runs: int
    documents: int
    """Documents of one run."""
    usage: Usage

    def figures(self) -> list[str]:
        """In the order of ``COLUMNS``: usage per document and run, and failures in all."""
        usage, n = self.usage, self.runs * self.documents
        tokens = (usage.prompt_tokens, usage.generated_tokens, usage.tokens)
        cells = [f"{usage.requests / n:.1f}", *(f"{count / n:,.0f}" for count in tokens), f"{usage.seconds / n:.1f}"]
        cells.append(f"{usage.money / n:.4f}" if usage.money is not None else "–")
        return [*cells, str(usage.unreadable), str(usage.failed), str(usage.hallucinated)]

    def to_json(self) -> dict[str, Any]:
        n = self.runs * self.documents
        counts = {name: getattr(self.usage, name) for name in ("tokens", "requests", "seconds", "money")}
        per_document = {name: None if count is None else count / n for name, count in counts.items()}
        return {"model": self.chat, "runs": self.runs, "per_document": per_document, **self.usage.to_json()}


class Price(BaseModel):
    """The price of a million tokens."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    prompt: float = Field(ge=0, description="Price of a million prompt tokens.")
    generated: float = Field(ge=0, description="Price of a million generated tokens.")


@dataclass(frozen=True, slots=True)
class Money:
    """An amount in a currency."""

    amount: float
    currency: str

    def __str__(self) -> str:
        return f"{self.amount:.4f} {self.currency}"


class Prices(BaseModel):
    """Prices by model name or by a pattern such as ``gpt-*``; the first match counts."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    currency: str = Field(default="USD", min_length=1, description="What amounts are called.")
    models: Mapping[str, Price] = Field(description="Prices by model or pattern.")

    def price(self, model: str) -> Price | None:
        """The price for a Chat's name, with or without its host."""
        bare = model.rpartition("@")[0] or model
        patterns = self.models.items()
        return next((price for key, price in patterns if fnmatchcase(model, key) or fnmatchcase(bare, key)), None)

    def money(self, model: str, usage: Usage) -> Money | None:
        """What the tokens cost if each is paid for; None where the list does not have the model."""
        price = self.price(model)
        if price is None:
            return None
        amount = usage.prompt_tokens * price.prompt + usage.generated_tokens * price.generated
        return Money(amount / 1_000_000, self.currency)


class PricedChat(ChatWrapper):
    """A Chat whose replies have their price."""

    def __init__(self, chat: Chat, prices: Prices) -> None:
        super().__init__(chat)
        self._prices = prices

    def ask_unordered(self, requests: Sequence[Request]) -> Iterator[tuple[int, Reply]]:
        for number, reply in super().ask_unordered(requests):
            tokens = Usage(prompt_tokens=reply.prompt_tokens, generated_tokens=reply.generated_tokens)
            cost = self._prices.money(self.name, tokens)
            yield number, reply if cost is None else replace(reply, money=cost.amount)
