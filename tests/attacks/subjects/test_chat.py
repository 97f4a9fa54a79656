import json

from sfumato.attacks.subjects.attack import ChatJudge, ChatProfiler
from sfumato.llm.chat import Request
from sfumato.llm.replay import ScriptedChat


def rows(*given: tuple[str, str, object]) -> str:
    return json.dumps({"attributes": [{"tag": tag, "value": value, "certainty": sure} for tag, value, sure in given]})


def test_people_are_listed_then_asked_about() -> None:
    chat = ScriptedChat(
        {
            "The person: Ida": rows(("AGE", "34", 5), ("SHOE", "42", 5)),
            "The person: her son": "no JSON",
            "List the people": '{"people": ["Ida", "her son"]}',
        }
    )
    profiler = ChatProfiler(chat)
    empty, (ida, son) = profiler.profile(["", "Ida and her son"])
    assert empty == []
    assert [(item.tag, item.value, item.certainty) for item in ida.attributes] == [("AGE", "34", 5)]
    assert (son.who, son.attributes) == ("her son", ())
    usage = profiler.usage
    assert (usage.questions, usage.requests, usage.unreadable, usage.failed) == (3, 1 + 1 + 3, 3, 1)


def test_an_answer_that_is_no_list_finds_nobody_and_is_counted() -> None:
    profiler = ChatProfiler(ScriptedChat({"": "I would rather not."}))
    assert profiler.profile(["Ida"]) == [[]]
    assert (profiler.usage.unreadable, profiler.usage.failed) == (3, 1)


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
    assert (judge.usage.questions, judge.usage.requests, judge.usage.failed) == (2, 1 + 3, 1)


def test_the_judge_is_asked_many_things_at_once() -> None:
    chat = ScriptedChat({"": '{"scores": [1]}'})
    judge = ChatJudge(chat)
    pairs = [("OCCUPATION", "Physician", "Doctor"), ("OCCUPATION", "Cook", "Chef"), ("OCCUPATION", "Cook", "Chef")]
    judge.prepare(pairs)
    assert len(chat.asked) == 2
    assert [judge.compare(*pair) for pair in pairs] == [1.0, 1.0, 1.0]
    assert len(chat.asked) == 2


def test_a_long_text_is_profiled_in_parts() -> None:
    def answer(request: Request) -> str:
        asked = request.messages[-1].text
        if "List the people" in asked:
            return json.dumps({"people": ["Ida"] if "Ida" in asked else []})
        return rows(("AGE", "34", 5)) if "thirty-four" in asked else rows(("SEX", "Female", 4))

    chat = ScriptedChat(answer, context=1800)
    text = "Ida is thirty-four. " + "It rained again. " * 800 + "Ida lost her hat."
    ((ida,),) = ChatProfiler(chat).profile([text])
    assert [(item.tag, item.value) for item in ida.attributes] == [("AGE", "34"), ("SEX", "Female")]
