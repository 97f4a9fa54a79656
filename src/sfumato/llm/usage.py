"""What asking a language model cost, and how often it failed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from fnmatch import fnmatchcase
from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict, Field

from sfumato.llm.chat import Chat, ChatWrapper, Reply, Request


@dataclass
class Usage:
    """Counts that grow as a method asks. Spents add up."""

    questions: int = 0
    """What a method wanted to know."""
    requests: int = 0
    """What was asked for it: more than questions, where an answer could not be read and was asked for again."""
    prompt_tokens: int = 0
    generated_tokens: int = 0
    seconds: float = 0.0
    """Of the model, summed over requests; several may have run at once."""
    cached: int = 0
    """Requests that a cache answered: their tokens and seconds are counted as if they had been asked now."""
    unreadable: int = 0
    """Answers that could not be read, or did not come."""
    failed: int = 0
    """Questions left without an answer in the end."""
    hallucinated: int = 0
    """Strings that an answer said to stand in a text, and do not."""
    folded: int = 0
    """Strings that stand there only when case and white space are not looked at."""
    ignored: int = 0
    """Strings of an answer that were not used: small words alone, whole passages, parts of words."""
    repaired: int = 0
    """Answers that broke off, of which the complete part was used."""
    reasons: dict[str, int] = field(default_factory=dict)
    """Why answers could not be read or did not come: as many as ``unreadable``, and never a word of a text."""
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
        """Count an answer that could not be read, or did not come."""
        self.unreadable += 1
        self.reasons[reason] = self.reasons.get(reason, 0) + 1

    def add(self, other: Usage) -> None:
        """Count what another has counted as well."""
        for name in (one.name for one in fields(self) if one.name not in ("reasons", "money")):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.reasons = dict(Counter(self.reasons) + Counter(other.reasons))
        self.money = _sum(self.money, other.money)

    def __add__(self, other: Usage) -> Usage:
        total = Usage()
        total.add(self)
        total.add(other)
        return total

    @property
    def tokens(self) -> int:
        """Read and written, as table 2 of Manzanares-Salor and Sánchez (2025) counts them."""
        return self.prompt_tokens + self.generated_tokens

    def to_json(self) -> dict[str, Any]:
        money = None if self.money is None else round(self.money, 6)
        often = sorted(self.reasons.items(), key=lambda one: (-one[1], one[0]))
        return {**asdict(self), "seconds": round(self.seconds, 3), "reasons": dict(often), "money": money}


def _sum(one: float | None, other: float | None) -> float | None:
    return other if one is None else one if other is None else one + other


@dataclass(frozen=True)
class Cost:
    """What a method cost on so many documents, in one run or several."""

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
        """In the order of ``COLUMNS``: per document and run what was spent, and in all what went wrong."""
        one, n = self.usage, self.runs * self.documents
        tokens = (one.prompt_tokens, one.generated_tokens, one.tokens)
        shown = [f"{one.requests / n:.1f}", *(f"{count / n:,.0f}" for count in tokens), f"{one.seconds / n:.1f}"]
        shown.append(f"{one.money / n:.4f}" if one.money is not None else "–")
        return [*shown, str(one.unreadable), str(one.failed), str(one.hallucinated)]

    def to_json(self) -> dict[str, Any]:
        n = self.runs * self.documents
        counted = {name: getattr(self.usage, name) for name in ("tokens", "requests", "seconds", "money")}
        per = {name: None if count is None else count / n for name, count in counted.items()}
        return {"model": self.chat, "runs": self.runs, "per_document": per, **self.usage.to_json()}


# -- What tokens cost, where the user says what a token costs.


_MILLION = 1_000_000


class Price(BaseModel):
    """For a million tokens."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    prompt: float = Field(ge=0, description="Price of a million tokens that are read.")
    generated: float = Field(ge=0, description="Price of a million tokens that are written.")


@dataclass(frozen=True, slots=True)
class Money:
    """An amount in a currency."""

    amount: float
    currency: str

    def __str__(self) -> str:
        return f"{self.amount:.4f} {self.currency}"


class Prices(BaseModel):
    """A price list: by the model's name, or by a pattern such as ``gpt-*``; the first that fits counts."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    currency: str = Field(default="USD", min_length=1, description="What amounts are called.")
    models: Mapping[str, Price] = Field(description="Prices by model or pattern.")

    def price(self, model: str) -> Price | None:
        """By the name of a Chat, with or without the host behind it."""
        bare = model.rpartition("@")[0] or model
        patterns = self.models.items()
        return next((price for key, price in patterns if fnmatchcase(model, key) or fnmatchcase(bare, key)), None)

    def money(self, model: str, usage: Usage) -> Money | None:
        """What that many tokens cost if each is paid for; None where the list does not have the model."""
        price = self.price(model)
        if price is None:
            return None
        amount = usage.prompt_tokens * price.prompt + usage.generated_tokens * price.generated
        return Money(amount / _MILLION, self.currency)


class PricedChat(ChatWrapper):
    """A Chat whose replies say what they cost."""

    def __init__(self, chat: Chat, prices: Prices) -> None:
        super().__init__(chat)
        self._prices = prices

    def ask_unordered(self, requests: Sequence[Request]) -> Iterator[tuple[int, Reply]]:
        for number, reply in super().ask_unordered(requests):
            tokens = Usage(prompt_tokens=reply.prompt_tokens, generated_tokens=reply.generated_tokens)
            cost = self._prices.money(self.name, tokens)
            yield number, reply if cost is None else replace(reply, money=cost.amount)
