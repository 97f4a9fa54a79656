"""The attack by a language model: what it extracts, whom it finds and chooses, and that it may abstain."""

from __future__ import annotations

import json

import pytest

from sfumato import registry
from sfumato.attacks.base import LinkingAttack, Person
from sfumato.errors import InputError, NotMeasurable, RecipeError
from sfumato.llm.chat import Request
from sfumato.llm.replay import ScriptedChat
from sfumato_papers.attacks.chat_link import ChatLink, Choice, parse_choice

BACKGROUND = [
    Person("Ana Quorvex", ("She races pigeons in Lublin and plays the violin.",)),
    Person("Bo Pell", ("He plays the violin in an orchard near Ghent.",)),
    Person("Cy Marr", ("He measured one glacier.",)),
]
TEXT = "PERSON_1 races birds in a city in Poland and plays a string instrument, the violin."


def answers(request: Request, choice: dict[str, object]) -> str:
    last = request.messages[-1].text
    if "The people:" in last:
        return json.dumps(choice)
    return json.dumps({"facts": ["races birds", "the violin"]})


def attack_with(choice: dict[str, object]) -> tuple[ChatLink, ScriptedChat]:
    chat = ScriptedChat(lambda request: answers(request, choice))
    return ChatLink(chat=chat, retrieve="tfidf").fit(BACKGROUND), chat


def test_it_asks_for_facts_then_for_a_choice_among_those_found() -> None:
    attack, chat = attack_with({"person": 1, "certainty": 80, "evidence": ["the violin", "a pigeon"]})
    assert isinstance(attack, LinkingAttack)
    (attempt,) = attack.run({"d": TEXT})
    first, second = chat.asked
    assert TEXT in first.messages[-1].text
    shown = second.messages[-1].text
    assert "races birds\nthe violin" in shown
    assert "## person 1" in shown
    assert "She races pigeons in Lublin" in shown
    assert "glacier" not in shown  # the search does not find him
    chosen = attempt.guesses[0]
    assert chosen.score == 81
    assert {guess.answer for guess in attempt.guesses} == {"Ana Quorvex", "Bo Pell"}
    assert [(item.term, TEXT[item.start : item.end]) for item in attempt.evidence] == [("the violin", "the violin")]
    assert attack.usage.questions == 2


def test_the_choice_of_the_model_outranks_the_search() -> None:
    first, _ = attack_with({"person": 1, "certainty": 10, "evidence": []})
    second, _ = attack_with({"person": 2, "certainty": 10, "evidence": []})
    (one,), (two,) = first.run({"d": TEXT}), second.run({"d": TEXT})
    assert one.guesses[0].answer != two.guesses[0].answer


def test_it_may_abstain() -> None:
    attack, _ = attack_with({"person": 0, "certainty": 90, "evidence": []})
    (attempt,) = attack.run({"d": TEXT})
    assert attempt.guesses == ()


def test_without_a_usable_choice_the_search_decides() -> None:
    attack, _ = attack_with({"person": 7, "certainty": 90, "evidence": []})  # nobody has this number
    (attempt,) = attack.run({"d": TEXT})
    assert len(attempt.guesses) == 2
    assert attempt.guesses[0].score < 1


def test_a_model_without_any_usable_answer_is_an_error() -> None:
    attack = ChatLink(chat=ScriptedChat(lambda request: "I cannot help with that."), retrieve="tfidf").fit(BACKGROUND)
    with pytest.raises(NotMeasurable, match="none of"):
        attack.run({"d": TEXT})


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ('{"person": 2, "certainty": 5, "evidence": ["x"]}', Choice(2, 5, ("x",))),
        ('{"person": 0, "certainty": 0}', Choice(0, 0, ())),
        ('{"person": 3, "certainty": 5, "evidence": []}', None),
        ('{"person": true, "certainty": 5, "evidence": []}', None),
        ('{"person": 1, "certainty": 101, "evidence": []}', None),
        ('{"person": 1, "certainty": 5, "evidence": "x"}', None),
        ("person 1", None),
    ],
)
def test_answers_are_read_strictly(answer: str, expected: Choice | None) -> None:
    assert parse_choice(answer, {"people": "## person 1\na\n\n## person 2\nb", "facts": "f"}) == expected


def test_bad_order_and_options() -> None:
    with pytest.raises(RecipeError, match="needs a chat model"):
        ChatLink(chat=None)
    chat = ScriptedChat({})
    with pytest.raises(NotMeasurable, match="fit it on a background first"):
        ChatLink(chat=chat, retrieve="tfidf").run({"d": TEXT})
    with pytest.raises(InputError, match="empty background"):
        ChatLink(chat=chat, retrieve="tfidf").fit([])


def test_the_searching_attacks_have_the_embedder_that_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    created: list[tuple[str, object]] = []

    def create(kind: str, name: str, options: dict[str, object], **more: object) -> object:
        created.append((name, more.get("defaults")))
        return None

    monkeypatch.setattr("sfumato_papers.attacks.chat_link.load_embedder", lambda name: None)
    monkeypatch.setattr(registry, "create", create)
    ChatLink(chat=ScriptedChat({}), retrieve="dense + bm25", embedder="static")
    assert created == [("dense", {"embedder": "static"}), ("bm25", {"embedder": "static"})]
