"""A withheld document has the reason why the last answer was not accepted."""

from __future__ import annotations

import pytest

from sfumato import registry
from sfumato.document import Document, Withheld
from sfumato.llm.chat import Reply
from sfumato.llm.replay import ScriptedChat


@pytest.mark.parametrize("name", ["adversarial", "clinical-rewrite", "deid-gpt", "sanitize-paraphrase"])
@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (Reply("", failure="the server failed (500)"), "(the server failed (500))"),
        (Reply("I'm sorry, but I can't help with that."), "(a refusal)"),
        (Reply("Somebody raced", cut=True), "(the answer was cut off at max_tokens)"),
    ],
)
def test_the_reason_is_told(name: str, reply: Reply, reason: str) -> None:
    rewriter = registry.create("rewriter", name, {}, chat=ScriptedChat(lambda request: reply))
    (outcome,) = rewriter.rewrite([Document("a", "Mara Quill raced pigeons in Graz. She kept forty of them.")])
    assert isinstance(outcome, Withheld)
    assert reason in outcome.reason
    assert sum(rewriter.usage.reasons.values()) == rewriter.usage.unreadable > 0
