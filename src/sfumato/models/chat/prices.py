"""What tokens cost, where the user says what a token costs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase

from pydantic import BaseModel, ConfigDict, Field

from sfumato.models.chat.base import Chat, Reply, Request
from sfumato.models.chat.spent import Spent
from sfumato.models.chat.wrapped import Wrapped

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

    def money(self, model: str, spent: Spent) -> Money | None:
        """What that many tokens cost if each is paid for; None where the list does not have the model."""
        price = self.price(model)
        if price is None:
            return None
        amount = spent.prompt_tokens * price.prompt + spent.generated_tokens * price.generated
        return Money(amount / _MILLION, self.currency)


class PricedChat(Wrapped):
    """A Chat whose replies say what they cost."""

    def __init__(self, chat: Chat, prices: Prices) -> None:
        super().__init__(chat)
        self._prices = prices

    def ask_each(self, requests: Sequence[Request]) -> Iterator[tuple[int, Reply]]:
        for number, reply in super().ask_each(requests):
            tokens = Spent(prompt_tokens=reply.prompt_tokens, generated_tokens=reply.generated_tokens)
            cost = self._prices.money(self.name, tokens)
            yield number, reply if cost is None else replace(reply, money=cost.amount)
