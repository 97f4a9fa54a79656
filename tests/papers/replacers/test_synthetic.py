"""Synthetic values: what the model is shown, which values are used, and labels otherwise."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.detectors.passes.links import link_mentions
from sfumato.document import LABELS, Document, Release, Span, merge_spans
from sfumato.errors import RecipeError
from sfumato.llm.chat import Reply, Request
from sfumato.llm.replay import ScriptedChat
from sfumato.replacers.base import PendingDocument
from sfumato.vault.ledger import Ledger
from sfumato_papers.replacers import PROMPTS
from sfumato_papers.replacers.llm import Synthetic

TEXT = "Maro Petk of Lublin met Ilse Trond on 3 May 2003. Mr Petk kept bees."


def spans_of(text: str, **found: str) -> list[Span]:
    """By label, strings joined by |; every occurrence is a span."""
    spans = [
        Span(match.start(), match.end(), label)
        for label, strings in found.items()
        for string in strings.split("|")
        for match in re.finditer(re.escape(string), text)
    ]
    return link_mentions(text, merge_spans(spans))


SPANS = spans_of(TEXT, PERSON="Maro Petk|Ilse Trond|Petk", LOC="Lublin", DATETIME="3 May 2003")
ALL = {"PERSON_1": "Ana Quell", "PERSON_2": "Odo Varnel", "LOC_1": "Brest", "DATETIME_1": "7 June 1999"}


def values(**given: str) -> str:
    return json.dumps({"values": [{"name": name, "value": value} for name, value in given.items()]})


def synthetic(chat: ScriptedChat, **options: object) -> Synthetic:
    return Synthetic(ledger=Ledger(secret=b"s" * 32), chat=chat, **options)  # type: ignore[arg-type]


def released(chat: ScriptedChat, text: str = TEXT, spans: list[Span] = SPANS) -> str:
    document = Document("d", text)
    return Release(document, tuple(synthetic(chat).replace(document, spans))).text


def test_one_entity_has_one_value_and_the_model_sees_no_original() -> None:
    chat = ScriptedChat({"Values for": values(**ALL)})
    assert released(chat) == "Ana Quell of Brest met Odo Varnel on 7 June 1999. Mr Ana Quell kept bees."
    (request,) = chat.asked
    asked = "\n".join(message.text for message in request.messages)
    assert "<PERSON_1> of <LOC_1> met <PERSON_2> on <DATETIME_1>. Mr <PERSON_1> kept bees." in asked
    assert "Values for: PERSON_1, LOC_1, PERSON_2, DATETIME_1" in asked
    for secret in ("Maro", "Petk", "Lublin", "Ilse", "Trond", "2003"):
        assert secret not in asked


@pytest.mark.parametrize(
    "bad",
    ["Lublin", "lublin", "bees", "", "  ", "<LOC_1>", "LOC_1", "a town]", "x" * 500, "Ana Quell", "ana  quell"],
)
def test_a_value_that_cannot_stand_there_is_asked_for_again_then_labelled(bad: str) -> None:
    better = ScriptedChat(lambda request: values(**{**ALL, "LOC_1": bad if request.sample_index < 3 else "Brest"}))
    assert "of Brest met" in released(better)
    first, second = better.asked
    assert second.messages[-1].text.endswith("Values for: LOC_1")
    assert second.sample_index > first.sample_index
    worse = ScriptedChat({"Values for": values(**{**ALL, "LOC_1": bad})})
    assert "Ana Quell of LOC_1 met Odo Varnel" in released(worse)
    assert len(worse.asked) == 2


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "I cannot help with that.",
        '{"values": 3}',
        '{"values": []}',
        '{"values": [{"name": "PERSON_9", "value": "Ana"}]}',
        '{"values": [{"name": "PERSON_1", "value": 7}]}',
        '{"values": ["Ana Quell"]}',
        "\x00" * 5000,
    ],
)
def test_what_cannot_be_read_leaves_labels(answer: str) -> None:
    chat = ScriptedChat(lambda request: answer)
    replacer = synthetic(chat)
    document = Document("d", TEXT)
    edits = replacer.replace(document, SPANS)
    assert [edit.replacement for edit in edits] == ["PERSON_1", "LOC_1", "PERSON_2", "DATETIME_1", "PERSON_1"]
    assert all(edit.reasons[-1] == "label: no value can be used" for edit in edits)
    assert replacer.usage.failed == replacer.usage.questions


def test_a_chat_that_does_not_answer_leaves_labels() -> None:
    assert released(ScriptedChat(lambda request: Reply("", failure="timed out"))).startswith("PERSON_1 of LOC_1")


def test_values_by_name_are_read_too() -> None:
    assert released(ScriptedChat({"Values": json.dumps({"values": ALL})})).startswith("Ana Quell of Brest")


def test_a_batch_is_asked_about_at_once() -> None:
    calls = []

    class Counting(ScriptedChat):
        def ask(self, requests: list[Request]) -> list[Reply]:  # type: ignore[override]
            calls.append(len(requests))
            return super().ask(requests)

    replacer = synthetic(Counting({"Values for": values(**ALL)}))
    documents = [Document(str(number), TEXT) for number in range(5)]
    replacer.prepare([PendingDocument(document, SPANS, SPANS) for document in documents])
    assert calls == [5]
    texts = {Release(document, tuple(replacer.replace(document, SPANS))).text for document in documents}
    assert len(texts) == 1
    assert calls[0] == sum(calls)


def test_what_other_replacers_hide_the_model_does_not_see_either() -> None:
    chat = ScriptedChat({"Values for": values(**ALL)})
    replacer = synthetic(chat)
    own, others = spans_of(TEXT, PERSON="Maro Petk|Ilse Trond|Mr Petk"), spans_of(TEXT, LOC="Lublin")
    document = Document("d", TEXT)
    replacer.prepare([PendingDocument(document, own, [*own, *others])])
    edits = replacer.replace(document, own)
    assert all(edit.span.label == "PERSON" for edit in edits)
    asked = " ".join(message.text for request in chat.asked for message in request.messages)
    assert "Lublin" not in asked
    assert "<LOC_1>" in asked
    assert all("LOC" not in request.messages[-1].text.rpartition("Values for")[2] for request in chat.asked)
    assert len(chat.asked) == 1, "and no value is asked for in its place"


def test_a_document_that_holds_placeholders_keeps_them_apart() -> None:
    text = "PERSON_1 and <PERSON_2> wrote to Maro Petk."
    chat = ScriptedChat({"Values for: PERSON_3": values(PERSON_3="Ana Quell")})
    assert released(chat, text, spans_of(text, PERSON="Maro Petk")) == "PERSON_1 and <PERSON_2> wrote to Ana Quell."


def test_a_long_document_is_shown_in_parts_and_each_placeholder_asked_for_once() -> None:
    people = [f"Quor{chr(97 + number // 26)}{chr(97 + number % 26)}vex" for number in range(60)]
    text = " ".join(f"{person} came and sat down by the door of the house." for person in people * 2)
    spans = spans_of(text, PERSON="|".join(people))

    def answer(request: Request) -> str:
        names = request.messages[-1].text.rpartition("Values for: ")[2].split(", ")
        return values(**{name: f"Ana {'xyz'[int(name[7:]) % 3] * (int(name[7:]) + 1)}" for name in names})

    chat = ScriptedChat(answer, context=2400)
    out = released(chat, text, spans)
    assert not any(person in out for person in people)
    assert "PERSON_" not in out
    asked = [request.messages[-1].text.rpartition("Values for: ")[2].split(", ") for request in chat.asked]
    assert len(asked) >= 2
    flat = [name for names in asked for name in names]
    assert len(flat) == len(set(flat)) == 60


def test_a_prompt_of_ones_own_is_named(tmp_path: Path) -> None:
    own = tmp_path / "mine.toml"
    own.write_text((PROMPTS / "synthetic.toml").read_text("utf-8").replace("{names}", "?"), encoding="utf-8")
    with pytest.raises(RecipeError, match=r"lacks the variable \{names\}"):
        synthetic(ScriptedChat({}), prompt=own)
    own.write_text((PROMPTS / "synthetic.toml").read_text("utf-8").replace("You invent", "Invent"), encoding="utf-8")
    replacer = synthetic(ScriptedChat({"Values": values(**ALL)}, name="tiny"), prompt=own)
    edit = replacer.replace(Document("d", TEXT), SPANS)[0]
    assert re.fullmatch(r"chat:tiny,prompt=synthetic@1#[0-9a-f]{8}", edit.reasons[-1])


@given(
    st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=60),
    st.lists(st.tuples(st.integers(0, 59), st.integers(1, 20), st.sampled_from(LABELS)), max_size=6),
    st.text(max_size=80),
)
def test_no_answer_breaks_it_and_no_original_comes_back(
    text: str, places: list[tuple[int, int, str]], answer: str
) -> None:
    cut = [Span(start, min(start + size, len(text)), label) for start, size, label in places if start < len(text)]
    spans = link_mentions(text, merge_spans(cut))
    line = json.dumps({"values": {f"{label}_1": answer for label in LABELS}})
    document = Document("d", text)
    edits = synthetic(ScriptedChat(lambda request: line)).replace(document, spans)
    assert len(edits) == len(spans)
    for edit in edits:
        assert edit.replacement.casefold() not in text.casefold()
    Release(document, tuple(edits))
