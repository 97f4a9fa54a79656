"""What every replacer promises, and what each one adds."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato import registry
from sfumato.attacks.background import Background, as_background
from sfumato.attacks.base import Person
from sfumato.detectors.passes.links import link_mentions
from sfumato.document import LABELS, Document, Release, Span, merge_spans
from sfumato.errors import EncryptionKeyError, RecipeError
from sfumato.llm.chat import Request
from sfumato.llm.replay import ScriptedChat
from sfumato.replacers.base import Replacer
from sfumato.vault.key import Key
from sfumato.vault.ledger import Ledger
from tests.strategies import texts_with_spans

KEY = Key(b"0123456789abcdef0123456789abcdef")
KNOWN = [
    Person("d", ("Anna Quorvex is a lawyer. " * 50,)),
    *(
        Person(f"e{number}", (f"Tenant number {number}, a cook, has a garden and likes soup. " * 10,))
        for number in range(12)
    ),
]
BACKGROUND = Background(as_background(KNOWN).people, len(KNOWN), names={"d": ("Anna Quorvex",)})
"""What replacers that decide against a background are given: documents are about ``d``."""


def repeating(request: Request) -> str:
    """A model that gives back what it was shown: the worst that one can do."""
    text = request.messages[-1].text
    shown = re.findall(r"\[\[(.+?)\]\]", text, re.DOTALL) + text.split()
    names = re.findall(r"[A-Z]+_\d+", text)
    values = [{"name": name, "value": word} for name, word in zip(names, shown, strict=False)]
    return json.dumps({"values": values, "abstractions": shown[:3], "broader": shown[:5], "guesses": shown[:5]})


@cache
def learned(name: str) -> Replacer:
    """A replacer with its default options that has read the background, which takes a while, once."""
    replacer: Replacer = registry.create("replacer", name, {}, background=BACKGROUND)
    replacer.learn(lambda: [Document("d", "Anna Quorvex")])  # type: ignore[attr-defined]
    return replacer


def make(name: str, *, scope: str = "document", **options: Any) -> Replacer:
    if registry.reads_background("replacer", name) and not options:
        return learned(name)
    ledger = Ledger(scope=scope, key=KEY, secret=b"s" * 32)  # type: ignore[arg-type]
    chat = ScriptedChat(repeating)
    replacer = registry.create("replacer", name, options, ledger=ledger, chat=chat)
    assert isinstance(replacer, Replacer)
    return replacer


def spans_of(text: str, *found: tuple[str, str]) -> list[Span]:
    """``found``: (string, label), each the next occurrence."""
    spans, at = [], 0
    for string, label in found:
        start = text.index(string, at)
        at = start + len(string)
        spans.append(Span(start, at, label, source="test:x"))
    return link_mentions(text, spans)


def replaced(name: str, text: str, *found: tuple[str, str], document_id: str = "d", **options: Any) -> list[str]:
    document = Document(document_id, text)
    return [edit.replacement for edit in make(name, **options).replace(document, spans_of(text, *found))]


@pytest.mark.parametrize("name", registry.names("replacer"))
@given(texts_with_spans())
def test_every_replacer_edits_only_what_it_is_given_and_never_keeps_it_in_an_edit(
    name: str, case: tuple[str, list[Span]]
) -> None:
    text, spans = case
    document = Document("d", text)
    linked = link_mentions(text, merge_spans(spans))
    edits = make(name).replace(document, linked)
    assert {edit.span for edit in edits} <= set(linked)
    assert all(edit.reasons for edit in edits)
    Release(document, tuple(edits))
    again = make(name).replace(document, linked)
    assert [edit.replacement for edit in again] == [edit.replacement for edit in edits], "same secret, same bytes"


@pytest.mark.parametrize("name", sorted(set(registry.names("replacer")) - {"keep"}))
@pytest.mark.parametrize("label", LABELS)
def test_no_replacer_lets_the_original_through(name: str, label: str) -> None:
    for original in ("Anna Quorvex", "+44 20 7946 0018", "3 March 2019", "lawyer", "5", "Ω"):
        text = f"before {original} after"
        for replacement in replaced(name, text, (original, label)):
            assert replacement != original
            assert len(original) < 3 or original not in replacement


@pytest.mark.parametrize("name", registry.names("replacer"))
def test_every_replacer_has_a_purpose_and_refuses_unknown_options(name: str) -> None:
    assert registry.describe("replacer", name).purpose.endswith(".")
    with pytest.raises(RecipeError, match="no option 'colour'"):
        make(name, colour="red")


TEXT = "Anna Quorvex met Boris Belnik. Quorvex left with Anna."
PEOPLE = (("Anna Quorvex", "PERSON"), ("Boris Belnik", "PERSON"), ("Quorvex", "PERSON"), ("Anna", "PERSON"))


def test_labels_number_entities() -> None:
    assert replaced("label", TEXT, *PEOPLE) == ["PERSON_1", "PERSON_2", "PERSON_1", "PERSON_1"]


def test_labels_skip_numbers_that_the_text_uses_itself() -> None:
    assert replaced("label", "PERSON_1 is not Anna.", ("Anna", "PERSON")) == ["PERSON_2"]


def test_fixed_replacements() -> None:
    assert replaced("suppress", TEXT, PEOPLE[0]) == [""]
    assert replaced("tag", TEXT, PEOPLE[0], tag="[X]") == ["[X]"]
    assert replaced("mask", TEXT, PEOPLE[0]) == ["**** *******"]
    assert replaced("mask", "card 4111111111111111", ("4111111111111111", "CODE"), keep_last=4) == ["************1111"]
    assert replaced("mask", "id 77", ("77", "CODE"), keep_last=4) == ["*7"]
    assert replaced("keep", TEXT, *PEOPLE) == []


def test_keyed_hash_is_the_same_for_one_entity_and_only_within_its_scope() -> None:
    first, other, again, given = replaced("hash", TEXT, *PEOPLE)
    assert first == again == given != other
    assert first.startswith("PERSON_")
    assert replaced("hash", TEXT, *PEOPLE, document_id="e")[0] != first
    in_corpus = [replaced("hash", TEXT, *PEOPLE, document_id=name, scope="corpus")[0] for name in "de"]
    assert in_corpus[0] == in_corpus[1]


@pytest.mark.parametrize("name", ["hash", "encrypt"])
def test_keyed_replacers_need_a_key(name: str) -> None:
    with pytest.raises(EncryptionKeyError, match="--key-file"):
        registry.create("replacer", name, {}, ledger=Ledger())


@pytest.mark.parametrize(
    ("name", "options"),
    [("mask", {"character": "ab"}), ("mask", {"keep_last": -1}), ("tag", {"tag": ""}), ("hash", {"length": 3}),
     ("surrogate", {"locale": "xx_XX"}), ("date-shift", {"max_days": 0}), ("date-shift", {"order": "ymd"})],
)  # fmt: skip
def test_bad_options_are_refused_at_the_door(name: str, options: dict[str, Any]) -> None:
    with pytest.raises(RecipeError, match=name):
        make(name, **options)


def test_encryption_is_repeatable_and_belongs_to_the_key(tmp_path: Path) -> None:
    one, two = replaced("encrypt", "Anna and Anna", ("Anna", "PERSON"), ("Anna", "PERSON"))
    assert one == two
    other = registry.create("replacer", "encrypt", {}, ledger=Ledger(key=Key.create(tmp_path / "k")))
    assert other.replace(Document("d", "Anna"), [Span(0, 4, "PERSON")])[0].replacement != one


@given(st.text(min_size=1))
def test_mask_keeps_the_length(text: str) -> None:
    (edit,) = make("mask").replace(Document("d", text), [Span(0, len(text), "MISC")])
    assert len(edit.replacement) == len(text)
