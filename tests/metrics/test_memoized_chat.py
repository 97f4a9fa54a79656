"""The same question is asked once in a run; what failed is asked again."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sfumato.llm.chat import Chat, Message, Reply, Request
from sfumato.llm.replay import ScriptedChat
from sfumato.metrics.base import MemoizedChat


def request(text: str, sample_index: int = 0) -> Request:
    return Request((Message("user", text),), sample_index=sample_index)


def test_answers_are_remembered_and_failures_are_not() -> None:
    inner = ScriptedChat({"yes": "ja"}, name="tiny", context=99)
    chat = MemoizedChat(inner)
    assert isinstance(chat, Chat)
    assert (chat.name, chat.context) == ("tiny", 99)
    first = chat.ask([request("yes"), request("no"), request("yes"), request("no")])
    assert [(reply.text, reply.cached, reply.failure is None) for reply in first] == [
        ("ja", False, True),
        ("", False, False),
        ("ja", True, True),
        ("", True, False),
    ]
    assert len(inner.asked) == 2
    chat.ask([request("yes"), request("no"), request("yes", sample_index=1)])
    assert [question.messages[-1].text for question in inner.asked[2:]] == ["no", "yes"]
    assert chat.ask([]) == []


@given(st.lists(st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 1)), max_size=6), max_size=4))
def test_it_says_what_the_model_says(batches: list[list[tuple[str, int]]]) -> None:
    def answer(asked: Request) -> str | Reply:
        text = asked.messages[-1].text
        return Reply("", failure="down") if text == "c" else f"{text}{asked.sample_index}"

    chat, plain = MemoizedChat(ScriptedChat(answer)), ScriptedChat(answer)
    for batch in batches:
        requests = [request(*item) for item in batch]
        said, meant = chat.ask(requests), plain.ask(requests)
        assert [(entry.text, entry.failure) for entry in said] == [(one.text, one.failure) for one in meant]
