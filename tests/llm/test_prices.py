"""Tokens to money."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.llm.chat import Message, Request
from sfumato.llm.replay import ScriptedChat
from sfumato.llm.usage import Money, Price, PricedChat, Prices, Spent

LIST = Prices(
    currency="EUR", models={"gpt-4o": Price(prompt=2.5, generated=10), "qwen*": Price(prompt=0, generated=0.5)}
)


def test_a_worked_example() -> None:
    spent = Spent(prompt_tokens=1_200_000, generated_tokens=50_000)
    assert LIST.money("gpt-4o", spent) == Money(3.5, "EUR")
    assert LIST.money("gpt-4o@api.openai.com", spent) == Money(3.5, "EUR")
    assert LIST.money("qwen2.5-7b@127.0.0.1:8000", spent) == Money(0.025, "EUR")
    assert LIST.money("gpt-4o-mini", spent) is None
    assert str(Money(3.5, "EUR")) == "3.5000 EUR"


@given(*[st.integers(0, 10**9)] * 4)
def test_what_two_methods_cost_is_what_both_cost(a: int, b: int, c: int, d: int) -> None:
    one, other = Spent(prompt_tokens=a, generated_tokens=b), Spent(prompt_tokens=c, generated_tokens=d)
    both, first, second = (LIST.money("gpt-4o", spent) for spent in (one + other, one, other))
    assert both is not None
    assert first is not None
    assert second is not None
    assert both.amount == pytest.approx(first.amount + second.amount)


def test_replies_say_what_they_cost_and_methods_add_it_up() -> None:
    chat = PricedChat(ScriptedChat({"who": "Mara Quill"}, name="gpt-4o"), LIST)
    spent = Spent()
    for reply in chat.ask([Request((Message("user", "who is it"),)), Request((Message("user", "who"),))]):
        spent.note(reply)
    assert (spent.prompt_tokens, spent.generated_tokens) == (4, 4)
    assert spent.money == pytest.approx((4 * 2.5 + 4 * 10) / 10**6)
    assert (spent + spent).money == pytest.approx(2 * spent.money)
    assert PricedChat(ScriptedChat({"": "x"}), LIST).ask([Request(())])[0].money is None
