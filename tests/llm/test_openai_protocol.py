"""Whatever a server sends as JSON becomes a reply: a text, or a failure."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from sfumato.llm.chat import Message, Request
from sfumato.llm.openai_protocol import error_text, parse_json, parse_reply, request_body
from tests.llm.server import answer

LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)
KEYS = st.sampled_from(
    "choices message content usage prompt_tokens logprobs top_logprobs token finish_reason error".split()
)
ANYTHING = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=5), max_leaves=20
)


@given(ANYTHING)
def test_no_shape_is_too_strange(content: Any) -> None:
    reply = parse_reply(content, 0.5)
    assert (reply.failure is None) or reply.text == ""
    assert reply.prompt_tokens >= 0
    assert reply.generated_tokens >= 0
    assert isinstance(error_text(content), str)


@given(ANYTHING, ANYTHING)
def test_strange_things_beside_a_text_do_no_harm(logprobs: Any, usage: Any) -> None:
    reply = parse_reply({**answer("fine", logprobs=logprobs), "usage": usage}, 0.5)
    assert (reply.text, reply.failure) == ("fine", None)


@given(st.binary(max_size=40))
def test_bytes_are_json_or_nothing(content: bytes) -> None:
    parse_json(content)


@given(st.text(st.characters(exclude_categories=[]), max_size=10))
def test_every_text_can_be_sent_and_is_sent_as_it_is_but_for_lone_surrogates(text: str) -> None:
    sent = request_body(Request((Message("user", text),)))["messages"][0]["content"]
    json.dumps(sent, ensure_ascii=False).encode("utf-8")
    assert len(sent) == len(text)
    assert all(
        mine == theirs or (theirs == "?" and "\ud800" <= mine <= "\udfff")
        for mine, theirs in zip(text, sent, strict=True)
    )


def test_top_p_is_sent_where_a_prompt_has_one() -> None:
    question = Request((Message("user", "Who sailed the Quorvex?"),), temperature=1.0)
    assert "top_p" not in request_body(question)
    assert request_body(replace(question, top_p=1.0))["top_p"] == 1


def test_impossible_tokens_have_no_probability() -> None:
    content = parse_json(b'{"content": [{"token": "a", "logprob": -Infinity}]}')
    reply = parse_reply(answer("a", logprobs=content), 0)
    assert reply.logprobs is not None
    assert reply.logprobs[0]["a"] == -math.inf
