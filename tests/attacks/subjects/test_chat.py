import json

from sfumato.attacks.subjects.chat import ChatJudge, ChatProfiler
from sfumato.models.scripted_chat import ScriptedChat


def rows(*given: tuple[str, str, object]) -> str:
    return json.dumps({"attributes": [{"tag": tag, "value": value, "certainty": sure} for tag, value, sure in given]})


def test_people_are_listed_then_asked_about() -> None:
    chat = ScriptedChat(
        {
            "The person: Ida": rows(("AGE", "34", 5), ("SHOE", "42", 5)),
            "The person: her son": "no JSON",
            "List the people": '{"people": ["Ida", "her son", 3]}',
        }
    )
    profiler = ChatProfiler(chat)
    empty, (ida, son) = profiler.profile(["", "Ida and her son"])
    assert empty == []
    assert [(item.tag, item.value, item.certainty) for item in ida.attributes] == [("AGE", "34", 5)]
    assert (son.who, son.attributes) == ("her son", ())
    assert (profiler.spent["requests"], profiler.spent["unreadable"]) == (3, 3)


def test_an_answer_that_is_no_list_finds_nobody_and_is_counted() -> None:
    profiler = ChatProfiler(ScriptedChat({"": "I would rather not."}))
    assert profiler.profile(["Ida"]) == [[]]
    assert profiler.spent["unreadable"] == 1


def test_at_most_two_answers_for_a_tag_the_surest() -> None:
    given = rows(("AGE", "1", 1), ("AGE", "2", 2), ("AGE", "3", 3), ("AGE", "4", True), ("AGE", "5", 9))
    profiler = ChatProfiler(ScriptedChat({"The person": given, "List the people": '{"people": ["Ida"]}'}))
    ((ida,),) = profiler.profile(["Ida"])
    assert [item.value for item in ida.attributes] == ["3", "2"]


def test_the_judge_answers_once_and_strictly() -> None:
    chat = ScriptedChat({"truth: Physician": '{"scores": [0.5]}', "truth: Cook": '{"scores": [0.7]}'})
    judge = ChatJudge(chat)
    assert [judge.compare("OCCUPATION", "Physician", "Doctor") for _ in range(2)] == [0.5, 0.5]
    assert judge.compare("OCCUPATION", "Cook", "Chef") is None
    assert (judge.spent["requests"], judge.spent["unreadable"]) == (2, 1)
