"""Prices of tokens."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.llm.chat import Message, Request
from sfumato.llm.replay import ScriptedChat
from sfumato.llm.usage import Money, Price, PricedChat, Prices, Usage

LIST = Prices(
    currency="EUR", models={"gpt-4o": Price(prompt=2.5, generated=10), "qwen*": Price(prompt=0, generated=0.5)}
)


def test_a_worked_example() -> None:
    usage = Usage(prompt_tokens=1_200_000, generated_tokens=50_000)
    assert LIST.money("gpt-4o", usage) == Money(3.5, "EUR")
    assert LIST.money("gpt-4o@api.openai.com", usage) == Money(3.5, "EUR")
    assert LIST.money("qwen2.5-7b@127.0.0.1:8000", usage) == Money(0.025, "EUR")
    assert LIST.money("gpt-4o-mini", usage) is None
    assert str(Money(3.5, "EUR")) == "3.5000 EUR"


@given(*[st.integers(0, 10**9)] * 4)
def test_what_two_methods_cost_is_what_both_cost(a: int, b: int, c: int, d: int) -> None:
    one, other = Usage(prompt_tokens=a, generated_tokens=b), Usage(prompt_tokens=c, generated_tokens=d)
    both, first, second = (LIST.money("gpt-4o", usage) for usage in (one + other, one, other))
    assert both is not None
    assert first is not None
    assert second is not None
    assert both.amount == pytest.approx(first.amount + second.amount)


def test_replies_say_what_they_cost_and_methods_add_it_up() -> None:
    chat = PricedChat(ScriptedChat({"who": "Mara Quill"}, name="gpt-4o"), LIST)
    usage = Usage()
    for reply in chat.ask([Request((Message("user", "who is it"),)), Request((Message("user", "who"),))]):
        usage.note(reply)
    assert (usage.prompt_tokens, usage.generated_tokens) == (4, 4)
    assert usage.money == pytest.approx((4 * 2.5 + 4 * 10) / 10**6)
    assert usage.money is not None
    assert (usage + usage).money == pytest.approx(2 * usage.money)
    assert PricedChat(ScriptedChat({"": "x"}), LIST).ask([Request(())])[0].money is None
