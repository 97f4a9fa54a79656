"""Ratings by hand: 1 the same, 2 similar, 3 not supported."""

from __future__ import annotations

import json

import pytest

from sfumato import registry
from sfumato.llm.chat import Reply, Request
from sfumato.llm.replay import ScriptedChat
from sfumato_papers.attacks.claims import (
    ChatJudge,
    EmbeddingJudge,
    ExplainingJudge,
    Judge,
    LexicalJudge,
    Question,
    Rating,
    majority_vote,
)
from tests.metrics.invented import LetterEmbedder

RECORD = "PERSON_1 has asthma and two cats. She bakes rye bread on DATETIME_1."


@pytest.mark.parametrize(
    ("claim", "rating"),
    [
        ("Ana has asthma and cats", 2),  # asthma, cat of ana, asthma, cat
        ("She had two cats", 1),
        ("baked rye breads", 1),
        ("baked rye breads on Monday with seeds", 2),  # 3 of 5
        ("baked asthma rye cat", 2),  # 2 of 4 in either sentence
        ("Ana sings of two cats on Monday", 3),  # two, cat of ana, sing, two, cat, monday
        ("Ana flies", 3),
    ],
)
def test_lexical_ratings(claim: str, rating: int) -> None:
    assert LexicalJudge().rate([Question([claim], RECORD)]) == [[rating]]


def test_numbers_count() -> None:
    judge = LexicalJudge()
    assert judge.rate([Question(["pulse is 126", "pulse is 80"], "The pulse is 126.")]) == [[1, 2]]


@pytest.mark.parametrize("name", registry.names("judge"))
@pytest.mark.parametrize("passage", ["", " \n", "…"])
def test_an_empty_record_supports_nothing(name: str, passage: str) -> None:
    judge = registry.create("judge", name, {}, chat=ScriptedChat({}))
    assert isinstance(judge, Judge)
    assert judge.rate([Question(["Ana flies", "Bo bakes"], passage), Question([], passage)]) == [[3, 3], []]


@pytest.mark.parametrize("name", registry.names("judge"))
def test_a_record_supports_what_it_says(name: str) -> None:
    claims = ["has asthma and two cats", "She bakes rye bread on DATETIME_1", "Ana has asthma and two cats"]
    chat = ScriptedChat({"1. The pilot": '{"ratings": [3]}', "1. has": '{"ratings": [2, 1]}'})
    own, other = registry.create("judge", name, {}, chat=chat).rate(
        [Question(claims[:2], RECORD), Question(["The pilot flew to Oslo"], RECORD)]
    )
    assert own[1] == 1
    assert own[0] in (1, 2)
    assert other == [3]


def test_embedding_ratings() -> None:
    # Letters "ab" against "abc": cos = 2/√(2·3) = .816; "abc" the same; "xyz" nothing in common.
    judge = EmbeddingJudge(embedder=LetterEmbedder(), same=0.9, similar=0.8)
    assert judge.rate([Question(["ab", "bca", "xyz"], "Abc. Mn.")]) == [[2, 1, 3]]
    assert judge.name == "embedding:letters"


@pytest.mark.parametrize(
    ("votes", "expected"),
    [([1, 1, 3], 1), ([3, 2, 3], 3), ([1, 2, 3], 2), ([1, 3], 1), ([2], 2), ([], None)],
)
def test_the_majority_decides(votes: list[int], expected: int | None) -> None:
    assert majority_vote(votes) == expected


def test_a_chat_judges_three_times() -> None:
    ana = ['{"ratings": [1, 3]}', '{"ratings": [2, 3]}', '{"ratings": [2, 1]}']
    bo = ['{"ratings": [1]}', "no idea", '{"ratings": [true, 4]}']
    # Each vote is a question of three tries: the second vote's first try is the fourth draw.
    chat = ScriptedChat(
        lambda request: (ana if "1. Ana" in request.messages[-1].text else bo)[request.sample_index // 3],
    )
    judge = ChatJudge(chat)
    rated = judge.rate([Question(["Ana flies", "Ana sings"], RECORD), Question(["Bo bakes", "Bo sits"], RECORD)])
    assert rated == [[2, 3], [None, None]]
    assert (judge.usage.questions, judge.usage.requests) == (6, 3 + 9)
    assert (judge.usage.unreadable, judge.usage.failed) == (9, 3)
    assert {request.sample_index for request in chat.asked} == set(range(9))
    assert "2. Ana sings" in chat.asked[0].messages[-1].text
    assert RECORD in chat.asked[0].messages[-1].text


def reasoned(*ratings: tuple[int, str]) -> str:
    return json.dumps({"ratings": [{"reason": reason, "rating": rating} for rating, reason in ratings]})


def test_each_rating_has_the_reason_of_a_vote_for_it() -> None:
    """Appendix C.4 of Xin et al. (2025) asks for "a brief explanation for your rating", of each claim by itself."""
    votes = [
        reasoned((1, "it is said"), (2, "a town is named")),
        reasoned((2, "flies often"), (3, "no town")),
        reasoned((2, "another reason"), (3, "nothing of it")),
    ]
    chat = ScriptedChat(lambda request: votes[request.sample_index // 3])
    judge = ChatJudge(chat)
    assert isinstance(judge, ExplainingJudge)
    question = Question(["Ana flies", "Ana lives in Lublin"], RECORD)
    assert judge.explain([question]) == [[Rating(2, "flies often"), Rating(3, "no town")]]
    assert judge.rate([question]) == [[2, 3]]
    asked = chat.asked[0]
    assert "reason" in asked.messages[0].text
    assert asked.schema is not None
    item = asked.schema["properties"]["ratings"]["items"]
    assert list(item["properties"]) == ["reason", "rating"], (
        "the reason comes first, so that the rating follows from it"
    )
    assert item["properties"]["rating"]["enum"] == [1, 2, 3]


@pytest.mark.parametrize(
    "answer",
    [
        '{"ratings": [{"reason": "x", "rating": 1}]}',  # of two claims
        '{"ratings": [{"reason": "x"}, {"reason": "y", "rating": 2}]}',
        '{"ratings": [{"reason": "x", "rating": 4}, {"reason": "y", "rating": 2}]}',
        '{"ratings": [{"reason": "x", "rating": true}, {"reason": "y", "rating": 2}]}',
    ],
)
def test_a_rating_that_is_missing_or_none_of_the_scale_is_no_vote(answer: str) -> None:
    judge = ChatJudge(ScriptedChat(lambda request: answer))
    assert judge.rate([Question(["Ana flies", "Ana sings"], RECORD)]) == [[None, None]]


def test_of_a_record_in_parts_the_reason_is_that_of_the_part_that_supports_the_claim() -> None:
    def answer(request: Request) -> str:
        is_here = "Ana flies." in request.messages[-1].text.partition("RECORD")[2]
        return reasoned((1, "she flies") if is_here else (3, "not here"))

    record = "She sat and waited. " * 500 + "Ana flies. " + "She sat and waited. " * 500
    judge = ChatJudge(ScriptedChat(answer, context=1500))
    assert judge.explain([Question(["She is a pilot"], record)]) == [[Rating(1, "she flies")]]


def test_a_long_record_is_judged_in_parts() -> None:
    def answer(request: Request) -> str:
        return (
            '{"ratings": [1, 3]}'
            if "Ana flies." in request.messages[-1].text.partition("RECORD")[2]
            else '{"ratings": [3, 3]}'
        )

    chat = ScriptedChat(answer, context=1500)
    record = "She sat and waited. " * 500 + "Ana flies. " + "She sat and waited. " * 500
    assert ChatJudge(chat).rate([Question(["She is a pilot", "She sings"], record)]) == [[1, 3]]
    assert len(chat.asked) > 3


def test_a_chat_that_fails_is_no_vote() -> None:
    def failing(request: Request) -> Reply:
        return Reply('{"ratings": [1]}', failure="timed out")

    assert ChatJudge(ScriptedChat(failing)).rate([Question(["Ana flies"], RECORD)]) == [[None]]
