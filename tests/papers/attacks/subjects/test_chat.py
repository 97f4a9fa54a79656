import json
import re

import pytest

from sfumato.llm.chat import Request
from sfumato.llm.replay import ScriptedChat
from sfumato_papers.attacks.subjects.alignment import People
from sfumato_papers.attacks.subjects.attack import ChatAligner, ChatJudge, ChatProfiler
from sfumato_papers.attacks.subjects.matching import NON_CODES, Profile, Subject

GUESSES = {
    "NAME": ("Ida Quorvex", 2),
    "SEX": ("Female", 4),
    "AGE": ("34", 5),
    "LOCATION": ("Leeds / United Kingdom", 3),
    "NATIONALITY": ("United Kingdom", 2),
    "EDUCATION": ("College Degree", 1),
    "RELATIONSHIP": ("Married", 1),
    "OCCUPATION": ("Nurse", 5),
    "AFFILIATION": ("Brimdale Clinic", 1),
    "POSITION": ("Ward sister", 1),
}


def codes(*given: tuple[str, str, object]) -> str:
    return json.dumps({"attributes": [{"tag": tag, "value": value, "certainty": sure} for tag, value, sure in given]})


def filled(**changes: tuple[str, int] | None) -> str:
    """All ten tags, with some answered otherwise or left out."""
    answers = {tag: guess for tag, guess in {**GUESSES, **changes}.items() if guess}
    return json.dumps({tag: {"value": value, "certainty": sure} for tag, (value, sure) in answers.items()})


def script(non_codes: str | list[str], own_codes: str = codes(), people: str = '{"people": ["Ida"]}') -> ScriptedChat:
    return ScriptedChat(
        {"Fill in the ten tags": non_codes, "numbers and addresses": own_codes, "List the people": people}
    )


def test_people_are_listed_then_asked_for_codes_and_for_everything_else() -> None:
    chat = script(filled(), codes(("PHONE_NUMBER", "081 555 0199", 5), ("SHOE", "42", 5), ("AGE", "3", 5)))
    empty, (ida,) = ChatProfiler(chat).profile(["", "Ida, 081 555 0199"])
    assert empty == []
    read = {item.tag: (item.value, item.certainty) for item in ida.attributes}
    assert read == {**GUESSES, "PHONE_NUMBER": ("081 555 0199", 5)}
    assert set(NON_CODES) == set(GUESSES)


@pytest.mark.parametrize(
    "missing",
    [
        None,
        ("unknown", 1),
        ("Not specified in the text", 2),
        ("", 3),
        ("[redacted]", 1),
        ("Country unknown", 1),
        ("[LOC_1]", 2),
        ("LOC_1", 2),
    ],
)
def test_every_tag_that_is_no_code_is_filled_in_or_asked_for_again(missing: tuple[str, int] | None) -> None:
    profiler = ChatProfiler(script([filled(NATIONALITY=missing), filled()]))
    ((ida,),) = profiler.profile(["Ida"])
    assert {item.tag for item in ida.attributes} == set(NON_CODES)
    assert (profiler.usage.questions, profiler.usage.requests, profiler.usage.unreadable) == (3, 4, 1)


def test_levels_that_begin_with_no_are_answers() -> None:
    profiler = ChatProfiler(script(filled(EDUCATION=("No High School Diploma", 3), RELATIONSHIP=("No relation", 3))))
    ((ida,),) = profiler.profile(["Ida"])
    assert {"No High School Diploma", "No relation"} <= {item.value for item in ida.attributes}


def test_of_answers_that_stay_incomplete_the_fullest_counts() -> None:
    profiler = ChatProfiler(script([filled(NAME=None, AGE=None), filled(NAME=None), "no JSON"]))
    ((ida,),) = profiler.profile(["Ida"])
    assert {item.tag for item in ida.attributes} == set(NON_CODES) - {"NAME"}
    assert (profiler.usage.unreadable, profiler.usage.failed) == (3, 1)


def test_the_form_asked_for_has_all_ten_tags_and_the_levels_of_spia() -> None:
    chat = script(filled())
    ChatProfiler(chat).profile(["Ida"])
    (request,) = [question for question in chat.asked if "Fill in the ten tags" in question.messages[-1].text]
    assert request.schema is not None
    assert set(request.schema["required"]) == set(NON_CODES)
    levels = request.schema["properties"]["EDUCATION"]["properties"]["value"]["enum"]
    assert all(level in request.messages[0].text for level in levels)
    assert "No High School Diploma" in levels
    assert "1 September 2025" in request.messages[0].text


def test_an_answer_that_is_no_list_finds_nobody_and_is_counted() -> None:
    profiler = ChatProfiler(ScriptedChat({"": "I would rather not."}))
    assert profiler.profile(["Ida"]) == [[]]
    assert (profiler.usage.unreadable, profiler.usage.failed) == (3, 1)


def test_at_most_two_answers_for_a_tag_the_surest() -> None:
    phones = [("PHONE_NUMBER", f"081 555 010{sure}", sure) for sure in (1, 2, 3)]
    given = codes(*phones, ("PHONE_NUMBER", "4", True), ("PHONE_NUMBER", "5", 9))
    ((ida,),) = ChatProfiler(script(filled(), given)).profile(["Ida"])
    assert [item.certainty for item in ida.attributes if item.tag == "PHONE_NUMBER"] == [3, 2]


def test_a_long_text_is_profiled_in_parts() -> None:
    def answer(request: Request) -> str:
        asked = request.messages[-1].text
        if "List the people" in asked:
            return json.dumps({"people": ["Ida"] if "Ida" in asked else []})
        if "numbers and addresses" in asked:
            return codes()
        return filled() if "thirty-four" in asked else filled(AGE=("60", 1))

    chat = ScriptedChat(answer, context=3000)
    text = "Ida is thirty-four. " + "It rained again. " * 800 + "Ida lost her hat."
    ((ida,),) = ChatProfiler(chat).profile([text])
    assert [item.value for item in ida.attributes if item.tag == "AGE"] == ["34", "60"]


# -- Who is who


def people(subjects: int, profiles: int, text: str = "Ida and Bo") -> People:
    truth = [Subject(str(number), {}, False, f"true {number}") for number in range(subjects)]
    return People(truth, [Profile(f"found {number}", ()) for number in range(profiles)], text, "PERSON_1 and PERSON_2")


def paired(pairs: list[tuple[Subject, Profile | None]]) -> list[str | None]:
    return [found.who if found else None for _, found in pairs]


def test_the_aligner_shows_both_texts_and_both_lists_and_no_values() -> None:
    chat = ScriptedChat({"": '{"pairs": [{"a": 1, "b": 0}]}'})
    nobody, (first, second) = ChatAligner(chat).align([people(0, 2), people(2, 1)])
    assert nobody == []
    assert paired([first, second]) == [None, "found 0"]
    (request,) = chat.asked
    asked = request.messages[-1].text
    for part in ("Ida and Bo", "PERSON_1 and PERSON_2", "0: true 0\n1: true 1", "0: found 0"):
        assert part in asked


def test_pairs_are_one_to_one_and_of_the_lists() -> None:
    pairs = [
        {"a": 0, "b": 1},
        {"a": 0, "b": 0},
        {"a": 1, "b": 1},
        {"a": 1, "b": 7},
        {"a": -1, "b": 0},
        {"a": 2, "b": 0},
    ]
    (aligned,) = ChatAligner(ScriptedChat({"": json.dumps({"pairs": pairs})})).align([people(3, 2)])
    assert paired(aligned) == ["found 1", None, "found 0"]


@pytest.mark.parametrize("answer", ["They are the same.", '{"pairs": [[0, 1]]}', '{"pairs": [{"a": "0", "b": 1}]}'])
def test_an_alignment_that_cannot_be_read_aligns_nobody_and_is_counted(answer: str) -> None:
    aligner = ChatAligner(ScriptedChat({"": answer}))
    (aligned,) = aligner.align([people(2, 2)])
    assert paired(aligned) == [None, None]
    assert (aligner.usage.unreadable, aligner.usage.failed) == (3, 1)


def test_long_texts_are_aligned_in_parts() -> None:
    def answer(request: Request) -> str:
        place = re.search(r"Text:\n(.*?)\n\nAnonymized", request.messages[-1].text, re.DOTALL)
        assert place is not None
        return json.dumps({"pairs": [{"a": 0, "b": 1}] if "Ida" in place[1] else []})

    chat = ScriptedChat(answer, context=2500)
    (aligned,) = ChatAligner(chat).align([people(1, 2, "It rained again. " * 600 + "Ida lost her hat.")])
    assert paired(aligned) == ["found 1"]
    assert len(chat.asked) > 1


# -- Whether values are the same


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
