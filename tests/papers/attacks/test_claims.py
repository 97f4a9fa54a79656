"""Claims, who knows which of them, and where they lead."""

from __future__ import annotations

import json
import re
from collections import Counter
from math import log

import pytest
from hypothesis import given

from sfumato.errors import InputError, RecipeError
from sfumato.llm.chat import Request
from sfumato.llm.replay import ScriptedChat
from sfumato_papers.attacks.claims import (
    K1,
    B,
    ChatSplitter,
    ClaimsAttack,
    ClauseSplitter,
    SummarySplitter,
    choose_known_claims,
)
from tests.strategies import texts


@pytest.mark.parametrize(
    ("text", "claims"),
    [
        ("She has asthma. He left.", ["She has asthma", "He left"]),
        (
            "Ana Tvesk lives in Lublin and is a nurse, but she wants to move.",
            ["Ana Tvesk lives in Lublin", "is a nurse", "she wants to move"],
        ),
        (
            "His temperature is 39.1 °C, pulse is 126/min, and pressure is 80/50.",
            ["His temperature is 39.1 °C", "pulse is 126/min", "pressure is 80/50"],
        ),
        # A list is no clause, nor is a piece without a verb.
        ("He has hypertension, asthma, and gout.", ["He has hypertension, asthma, and gout"]),
        ("In the spring, she was well.", ["In the spring, she was well"]),
        # A relative word stays with its clause.
        (
            "The baker, who was born in Oslo, has two sons.",
            ["The baker, who was born in Oslo", "has two sons"],
        ),
        (
            "She saw the baker who was born in Oslo because she was hungry.",
            ["She saw the baker", "who was born in Oslo", "because she was hungry"],
        ),
        # Lines are sentences; what says nothing is no claim.
        ("Platelets 14,200/mm3\nAnd so it was.\n\n- !", ["Platelets 14,200/mm3"]),
        ("", []),
    ],
)
def test_clauses(text: str, claims: list[str]) -> None:
    assert [claim.text for claim in ClauseSplitter().split([text])[0]] == claims


@given(texts)
def test_clauses_stand_where_they_say(text: str) -> None:
    end = 0
    for claim in ClauseSplitter().split([text])[0]:
        assert claim.range is not None
        assert text[slice(*claim.range)] == claim.text
        assert end <= claim.range[0] < claim.range[1]
        end = claim.range[1]


def test_claims_by_chat() -> None:
    chat = ScriptedChat(
        {
            "Ana": '{"claims": ["Ana is a nurse.", " Ana has asthma. "]}',
            "Bo": "- Bo bakes.\n- Bo sits.",
            "Cy": '{"claims": [3]}',
        }
    )
    splitter = ChatSplitter(chat)
    parts = splitter.split(["Ana, a nurse, has asthma.", "Bo bakes.", "Cy {text} sings.", " "])
    assert [[claim.text for claim in claims] for claims in parts] == [
        ["Ana is a nurse.", "Ana has asthma."],
        ["Bo bakes.", "Bo sits."],
        [],
        [],
    ]
    usage = splitter.usage
    assert (usage.questions, usage.requests, usage.unreadable, usage.failed) == (3, 5, 3, 1)
    assert "Cy {text} sings." in chat.asked[2].messages[-1].text


def test_a_long_text_is_split_in_parts() -> None:
    chat = ScriptedChat(
        lambda request: json.dumps({"claims": re.findall(r"Fact \d+\.", request.messages[-1].text)}), context=900
    )
    facts = [f"Fact {number}." for number in range(400)]
    (claims,) = ChatSplitter(chat).split([" ".join(facts)])
    assert [claim.text for claim in claims] == facts
    assert len(chat.asked) > 1
    assert {request.max_tokens for request in chat.asked} == {300}


CHATTED = "User: I bake in Velbrin and keep bees. Write to my insurer.\nChatbot: " + "Dear Sir or Madam, I write. " * 20


def test_a_conversation_is_summarized_before_it_is_split() -> None:
    summary = "The user bakes in Velbrin. The user keeps bees. The user asks for a letter."
    chat = ScriptedChat(
        {
            "Dear Sir or Madam": json.dumps({"summary": summary.replace(" The", "\n The")}),
            "The user bakes": '{"claims": ["The user bakes.", "The user lives in Velbrin.", "The user keeps bees."]}',
        }
    )
    splitter = SummarySplitter(chat)
    claims, blank = splitter.split([CHATTED, " "])
    assert [claim.text for claim in claims] == ["The user bakes.", "The user lives in Velbrin.", "The user keeps bees."]
    assert blank == []
    first, second = (request.messages[-1].text for request in chat.asked)
    assert CHATTED.strip() in first
    assert summary in second, "the claims are those of the summary, on one line"
    assert "Dear Sir" not in second, "what the chatbot wrote is not split"
    assert (splitter.usage.questions, splitter.usage.failed) == (2, 0)


UNREADABLE = [
    '{"summary": ""}',
    '{"summary": 3}',
    "The user bakes.",
    '{"summary": "The user',
    json.dumps({"summary": "a longer summary than the text " * 30}),
]


@pytest.mark.parametrize("answer", UNREADABLE)
def test_a_text_without_a_readable_summary_has_no_claims_and_is_counted(answer: str) -> None:
    splitter = SummarySplitter(ScriptedChat(lambda request: answer))
    assert splitter.split(["User: I bake."]) == [[]]
    assert (splitter.usage.questions, splitter.usage.failed) == (1, 1)


def test_a_long_record_is_summarized_in_parts() -> None:
    def answer(request: Request) -> str:
        key = "summary" if "Summarize" in request.messages[-1].text else "claims"
        matches = re.findall(r"Ana saw bird \d+0 in the reeds\.", request.messages[-1].text)
        return json.dumps({key: " ".join(matches) if key == "summary" else matches})

    chat = ScriptedChat(answer, context=1200)
    (claims,) = SummarySplitter(chat).split([" ".join(f"Ana saw bird {n} in the reeds." for n in range(10, 200))])
    assert [claim.text for claim in claims] == [f"Ana saw bird {n} in the reeds." for n in range(10, 200, 10)]
    assert sum("Summarize" in request.messages[-1].text for request in chat.asked) > 1


def test_which_claims_are_known() -> None:
    assert choose_known_claims(7, "first", 0, "a") == (0, 1, 2)
    assert choose_known_claims(7, "last", 0, "a") == (4, 5, 6)
    drawn = choose_known_claims(7, "random", 0, "a")
    assert drawn == choose_known_claims(7, "random", 0, "a")
    assert sorted(set(drawn)) == list(drawn)
    assert len({choose_known_claims(7, "random", seed, "a") for seed in range(20)}) > 5
    assert len({choose_known_claims(7, "random", 0, str(record)) for record in range(20)}) > 5
    with pytest.raises(RecipeError, match=r"no way 'lats' .* did you mean 'last'"):
        choose_known_claims(7, "lats", 0, "a")
    with pytest.raises(ValueError, match="2 claims are too few"):
        choose_known_claims(2, "first", 0, "a")


RECORDS = {"x": "A nurse has asthma.", "y": "The nurse and the nurse bake.", "z": "Pilots fly 747 planes."}


def test_records_are_ranked_by_bm25() -> None:
    (attempt,) = ClaimsAttack().fit(RECORDS).run({"p": ["a nurse", "has asthma"]})
    # Terms: x nurse, asthma; y nurse, nurse, bake; z pilot, fly, plane, 747. Mean length 3.
    idf = {"nurse": log(1 + (3 - 2 + 0.5) / 2.5), "asthma": log(1 + (3 - 1 + 0.5) / 1.5)}

    def part(term: str, count: int, length: int) -> float:
        return idf[term] * count * (K1 + 1) / (count + K1 * (1 - B + B * length / 3))

    best, second = part("nurse", 1, 2) + part("asthma", 1, 2), part("nurse", 2, 3)
    assert [guess.answer for guess in attempt.guesses] == ["x", "y"]
    assert [guess.score for guess in attempt.guesses] == pytest.approx([best, second], rel=1e-6)
    assert attempt.score == pytest.approx(1 - second / best, rel=1e-6)
    assert attempt.rank is None
    assert [(item.term, RECORDS["x"][item.start : item.end]) for item in attempt.evidence] == [
        ("asthma", "asthma"),
        ("nurse", "nurse"),
    ]
    assert attempt.evidence[0].weight == pytest.approx(part("asthma", 1, 2), rel=1e-6)


def test_a_word_said_twice_counts_twice() -> None:
    once, twice = ClaimsAttack().fit(RECORDS).run({"p": ["747"], "q": ["747", "747"]})
    assert once.guesses[0].answer == twice.guesses[0].answer == "z"
    assert twice.guesses[0].score == pytest.approx(2 * once.guesses[0].score)


@pytest.mark.parametrize("record", ["", "Nobody."])
def test_without_a_shared_word_the_guess_is_blind(record: str) -> None:
    attack = ClaimsAttack().fit({str(number): record for number in range(10)})
    attempts = attack.run({str(number): ["a nurse has asthma"] for number in range(500)})
    assert all(len(attempt.guesses) == 1 and attempt.guesses[0].score == 0 for attempt in attempts)
    assert all(attempt.evidence == () and attempt.score == 0 for attempt in attempts)
    counts = Counter(attempt.guesses[0].answer for attempt in attempts)
    assert len(counts) == 10
    assert max(counts.values()) < 100


def test_nothing_to_look_in_is_refused() -> None:
    with pytest.raises(InputError, match="no sanitized record"):
        ClaimsAttack().fit({})
