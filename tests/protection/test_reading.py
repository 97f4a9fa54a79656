"""A language model that reads verifies a protected release: once, after all repairs, and it never steers the loop."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import ClassVar, Self

import pytest

from sfumato.attacks.base import AttackKind, LinkingAttack, Person
from sfumato.document import Attempt, Guess
from sfumato.llm.chat import Request
from sfumato.llm.replay import ScriptedChat
from sfumato.protection.attackers import VERIFYING
from sfumato.protection.protect import protect_releases
from sfumato.protection.records import Protection
from sfumato.protection.target import READER, Options, Target, verifying_attacks
from tests.protection.invented_corpus import background, starts

KNOWN = background()
OPTIONS = Options(attacks=("bm25",), holdout_documents=6, secret=b"one")


class Reader:
    """Knows everyone by heart."""

    kind: ClassVar[AttackKind] = "linking"
    name: ClassVar[str] = "reader"
    goal: ClassVar[str] = "Find everyone."
    needs_chat: ClassVar[bool] = True

    def __init__(self) -> None:
        self.texts = list[Mapping[str, str]]()

    def fit(self, background: Sequence[Person]) -> Self:
        return self

    def run(self, released: Mapping[str, str]) -> list[Attempt]:
        self.texts.append(released)
        return [Attempt(self.name, key, (Guess(key, 1.0),)) for key in released]


def protect(options: Options) -> Protection:
    return protect_releases(starts(6), KNOWN, Target(3), options)


@pytest.fixture(scope="module")
def unread() -> Protection:
    return protect(OPTIONS)


def answer(request: Request) -> str:
    if "The people:" in request.messages[-1].text:
        return json.dumps({"person": 0, "certainty": 0, "evidence": []})
    return json.dumps({"facts": ["a person", "a place"]})


def test_the_model_is_asked_twice_a_release_and_only_once_in_all(unread: Protection) -> None:
    chat = ScriptedChat(answer)
    read = protect(replace(OPTIONS, attacks=("bm25", READER), chat=chat))
    assert len(chat.asked) == 2 * len(unread.released)
    assert READER in read.after
    assert READER not in read.before
    assert [scenario.name for scenario in read.scenarios if READER in scenario.attacks] == [read.scenarios[0].name]
    assert f"{READER}: a language model read each release once" in read.scenarios[0].about
    assert [document.release.text for document in read.released] == [
        document.release.text for document in unread.released
    ]


def test_whom_it_finds_is_withheld_and_nothing_is_repaired_for_it(unread: Protection) -> None:
    reader = Reader()
    read = protect(replace(OPTIONS, attacks=("bm25", reader)))
    (texts,) = reader.texts
    assert texts == {document.id: document.release.text for document in unread.released}
    assert read.rounds == unread.rounds
    assert not read.released
    assert len(read.withheld) == 6
    assert not read.met


def test_readers_come_in_addition_to_the_default_attacks() -> None:
    reader = Reader()
    assert isinstance(reader, LinkingAttack)
    assert verifying_attacks(None) == VERIFYING
    assert verifying_attacks([READER]) == (*VERIFYING, READER)
    assert verifying_attacks([reader]) == (*VERIFYING, reader)
    assert verifying_attacks(["bm25", READER]) == ("bm25", READER)


def test_a_reader_compares_as_many_people_as_the_loop_hides_someone_among() -> None:
    options = Options(attacks=("bm25", READER))
    assert options.attack_settings(11)[READER] == {"retrieve": "joint", "candidates": 44}
    assert options.attack_settings(100)[READER]["candidates"] == 50
    chosen = {READER: {"candidates": 7}}
    assert replace(options, settings=chosen).attack_settings(11) == chosen
    assert Options().attack_settings(11) == {}
