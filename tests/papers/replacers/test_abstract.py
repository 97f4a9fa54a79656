"""Abstractions: what is asked, which are rejected, and which one is used."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sfumato.document import Document, Release
from sfumato.errors import RecipeError
from sfumato.llm.chat import Reply, Request
from sfumato.llm.replay import ScriptedChat
from sfumato.replacers.base import PendingDocument
from sfumato.vault.ledger import Ledger
from sfumato_papers.replacers import PROMPTS
from sfumato_papers.replacers.llm import Abstract
from tests.papers.replacers.test_synthetic import spans_of

TEXT = "Maro Petk lived in Lublin. He was a beekeeper from 3 May 2003. Lublin paid him 1,340 crowns."
SPANS = spans_of(
    TEXT, PERSON="Maro Petk", LOC="Lublin", DEM="beekeeper", DATETIME="3 May 2003", QUANTITY="1,340 crowns"
)


def offers(*given: str) -> str:
    return json.dumps({"abstractions": list(given)})


GOOD = {
    "[[Lublin]]": offers("a town in the east", "a town", "a place"),
    "[[beekeeper]]": offers("farmer", "a rural worker", "an animal keeper"),
    "[[3 May 2003]]": offers("a spring day", "some years ago", "a day long past"),
    "[[1,340 crowns]]": offers("some money", "a modest sum", "a payment"),
}


def abstract(chat: ScriptedChat, secret: bytes = b"s" * 32, **options: object) -> Abstract:
    return Abstract(ledger=Ledger(secret=secret), chat=chat, **options)  # type: ignore[arg-type]


def put(chat: ScriptedChat, secret: bytes = b"s" * 32) -> tuple[str, dict[str, str]]:
    document = Document("d", TEXT)
    release = Release(document, tuple(abstract(chat, secret).replace(document, SPANS)))
    return release.text, {TEXT[edit.span.start : edit.span.end]: edit.replacement for edit in release.edits}


def test_one_of_three_stands_everywhere_and_people_are_labels() -> None:
    chat = ScriptedChat(GOOD)
    text, by_original = put(chat)
    assert by_original["Maro Petk"] == "PERSON_1"
    assert text.count(by_original["Lublin"]) + text.count(by_original["Lublin"].capitalize()) >= 2
    assert not any(word in text for word in ("Lublin", "beekeeper", "2003", "1,340"))
    asked = [request.messages[-1].text for request in chat.asked]
    assert len(asked) == 4
    assert not any("[[Maro" in item for item in asked)
    assert any("He was a [[beekeeper]] from 3 May 2003.\n" in question for question in asked)


def test_the_seed_draws() -> None:
    texts = {put(ScriptedChat(GOOD), bytes([number]) * 32)[0] for number in range(12)}
    assert len(texts) > 3
    assert put(ScriptedChat(GOOD)) == put(ScriptedChat(GOOD))
    places = {put(ScriptedChat(GOOD), bytes([number]) * 32)[1]["Lublin"].lower() for number in range(40)}
    assert places == {"a town in the east", "a town", "a place"}


@pytest.mark.parametrize(
    ("span", "bad"),
    [
        ("[[Lublin]]", ("Lublin", "a town near Lublin", "the Lublin area")),
        ("[[Lublin]]", ("lublin", "", "...")),
        ("[[beekeeper]]", ("a beekeeper", "a beekeeping man", "keeper of bees, beekeeper")),
        ("[[3 May 2003]]", ("3 May 2003", "a day in 2003", "May 3")),
        ("[[1,340 crowns]]", ("about 1,340 coins", "crowns", "1,340")),
        ("[[Lublin]]", ("the town of Maro Petk", "Petk's town", "Maro's home")),
        ("[[Lublin]]", ("home of a beekeeper", "where the beekeeper lived", "a place " * 50)),
        ("[[3 May 2003]]", ("when Petk came", "the day of Maro", "a day in Lublin")),
    ],
)
def test_what_repeats_the_original_is_refused_asked_for_again_and_labelled(span: str, bad: tuple[str, ...]) -> None:
    chat = ScriptedChat({**GOOD, span: offers(*bad)})
    _, by_original = put(chat)
    original = span.strip("[]")
    label = next(item.label for item in SPANS if TEXT[item.start : item.end] == original)
    replacement = next(value for key, value in by_original.items() if key.endswith(original) or original in key)
    assert replacement.endswith(f"{label}_1")
    assert sum(span in request.messages[-1].text for request in chat.asked) == 2
    mixed = ScriptedChat({**GOOD, span: offers(*bad[:2], "a thing")})
    assert "thing" in put(mixed)[0]


@pytest.mark.parametrize("answer", ["", "Sure!", '{"abstractions": []}', '{"abstractions": [1, 2, 3]}', "null"])
def test_what_cannot_be_read_leaves_labels(answer: str) -> None:
    text, _ = put(ScriptedChat(lambda request: answer))
    assert text == "PERSON_1 lived in LOC_1. He was a DEM_1 from DATETIME_1. LOC_1 paid him QUANTITY_1."


def test_a_batch_is_asked_about_at_once() -> None:
    calls = []

    class Counting(ScriptedChat):
        def ask(self, requests: list[Request]) -> list[Reply]:  # type: ignore[override]
            calls.append(len(requests))
            return super().ask(requests)

    replacer = abstract(Counting(GOOD))
    documents = [Document(str(number), TEXT) for number in range(3)]
    replacer.prepare([PendingDocument(document, SPANS, SPANS) for document in documents])
    for document in documents:
        replacer.replace(document, SPANS)
    assert sum(calls) == calls[0] == 12
    assert replacer.usage.questions == 12


def test_the_prompt_is_named_and_checked(tmp_path: Path) -> None:
    replacer = abstract(ScriptedChat(GOOD))
    assert any("prompt=abstract@1" in edit.reasons[-1] for edit in replacer.replace(Document("d", TEXT), SPANS))
    own = tmp_path / "mine.toml"
    own.write_text((PROMPTS / "abstract.toml").read_text("utf-8").replace("{sentence}", ""), encoding="utf-8")
    with pytest.raises(RecipeError, match=r"lacks the variable \{sentence\}"):
        abstract(ScriptedChat({}), prompt=own)
