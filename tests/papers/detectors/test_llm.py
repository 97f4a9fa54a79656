"""Detection prompts: what is asked, which answers count, and where their strings are masked."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato import registry
from sfumato.detectors.passes.overlaps import cut_around_direct
from sfumato.document import Document, Span
from sfumato.errors import RecipeError
from sfumato.llm.chat import Reply, Request
from sfumato.llm.replay import ScriptedChat
from sfumato_papers.detectors import PROMPTS
from sfumato_papers.detectors.llm import AllAttributes, ChatDetector

NAMES = [name for name in registry.names("detector") if getattr(registry.get("detector", name), "needs_chat", False)]
TEXT = "Ida Quorvex repaired clocks in Pellworth. In 1988 Quorvex, the clockmaker, won a medal. IDA\n QUORVEX died."


def answering(*strings: str) -> ScriptedChat:
    return ScriptedChat(lambda request: json.dumps({"spans": strings}))


def masked(text: str, *strings: str) -> list[str]:
    detector = AllAttributes(chat=answering(*strings))
    (spans,) = detector.detect([Document("d", text)])
    return [text[span.start : span.end] for span in spans]


def test_the_seven_prompts_of_the_paper_are_there() -> None:
    assert {
        "all-attributes",
        "all-attributes-no-example",
        "all-attributes-entities-only",
        "all-attributes-first-only",
        "man-vs-machine",
        "sparks",
        "student",
    } <= set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_every_prompt_asks_for_a_list_and_marks_off_the_text(name: str) -> None:
    chat = answering("Pellworth")
    detector = registry.create("detector", name, {}, chat=chat)
    (spans,) = detector.detect([Document("d", TEXT)])
    (request,) = chat.asked
    assert TEXT in request.messages[-1].text
    fence = request.messages[-1].text.split(TEXT)[0].splitlines()[-1]
    assert fence.startswith("=== ")
    assert request.messages[-1].text.split(TEXT)[1].split("\n")[1] == fence
    assert request.schema is not None
    assert [TEXT[span.start : span.end] for span in spans] == ["Pellworth"]
    assert spans[0].source == f"{name}@1:chat"
    assert detector.failed == {}


def test_the_ablations_leave_out_just_what_they_say() -> None:
    def parts(name: str) -> dict[str, object]:
        return tomllib.loads((PROMPTS / f"{name}.toml").read_text(encoding="utf-8"))

    def sentences(name: str) -> set[str]:
        return set(str(parts(name)["system"]).strip().splitlines())

    whole = parts("all-attributes")
    for name in ("entities-only", "first-only"):
        part = parts(f"all-attributes-{name}")
        assert len(sentences("all-attributes") - sentences(f"all-attributes-{name}")) == 1
        assert sentences(f"all-attributes-{name}") < sentences("all-attributes")
        assert [part[key] for key in ("user", "example_user", "example_answer")] == [
            whole[key] for key in ("user", "example_user", "example_answer")
        ]
    zero = parts("all-attributes-no-example")
    assert (zero["system"], zero["user"]) == (whole["system"], whole["user"])
    assert "example_user" not in zero


def test_an_example_answer_stands_word_for_word_in_its_example() -> None:
    written = tomllib.loads((PROMPTS / "all-attributes.toml").read_text(encoding="utf-8"))
    for string in json.loads(written["example_answer"])["spans"]:
        assert string in written["example_user"]


def test_every_occurrence_is_masked_but_not_inside_a_longer_word() -> None:
    assert masked("Ann met Anna. Ann's car, Ann-Marie, annual, (Ann) and Ann2.", "Ann") == ["Ann"] * 4


@pytest.mark.parametrize(
    ("text", "string", "expected"),
    [
        ("It cost US$40 and $40.50, or $400.", "$40", ["$40", "$40"]),
        ("He wrote C++ and C, and C++ again.", "C++", ["C++", "C++"]),
        ("Quorvex. Then Quorvex, then Quorvex", "Quorvex.", ["Quorvex.", "Quorvex", "Quorvex"]),
        ("Acme Ltd. and Acme Ltd", "Acme Ltd.", ["Acme Ltd.", "Acme Ltd"]),
        ("(the Duke) and the Duke", "(the Duke)", ["(the Duke)", "the Duke"]),
        ("No. 7 and no. 71", "No. 7", ["No. 7"]),
        ("ida_quorvex wrote", "ida", ["ida"]),
        ("我住在北京市朝阳区", "北京", ["北京"]),
        ("김민수는 서울에 산다", "김민수", ["김민수"]),
        ("A.Q. met A.Q. at A.", "A.Q.", ["A.Q.", "A.Q."]),
    ],
)
def test_marks_at_the_ends_of_a_string_neither_hide_nor_widen_it(text: str, string: str, expected: list[str]) -> None:
    assert masked(text, string) == expected


def test_strings_may_overlap_and_all_are_masked() -> None:
    assert masked("She repaired clocks by the sea.", "repaired clocks", "clocks by the sea") == [
        "repaired clocks",
        "clocks by the sea",
    ]


def test_what_differs_in_case_white_space_and_quotes_is_found_and_counted() -> None:
    text = "IDA\n QUORVEX’s clock stood here. Mid‑1988."
    detector = AllAttributes(chat=answering("Ida Quorvex's", "mid-1988", "clock", "Marsport"))
    (spans,) = detector.detect([Document("d", text)])
    assert [text[span.start : span.end] for span in spans] == ["IDA\n QUORVEX’s", "clock", "Mid‑1988"]
    assert (detector.usage.folded, detector.usage.hallucinated) == (2, 1)


def test_small_words_passages_and_parts_of_words_are_ignored_and_counted() -> None:
    detector = AllAttributes(chat=answering("the", "in", "a", "clock", "he", TEXT, "Pellworth", "—"))
    (spans,) = detector.detect([Document("d", TEXT)])
    assert [TEXT[span.start : span.end] for span in spans] == ["Pellworth"]
    assert detector.usage.ignored == 7
    assert detector.usage.hallucinated == 0


@given(st.lists(st.text("ab .,'\n1é漢", max_size=6), max_size=6), st.text("ab .,'\n1é漢", min_size=1, max_size=60))
def test_spans_lie_in_the_text_and_hold_a_string_of_the_answer(strings: list[str], text: str) -> None:
    detector = AllAttributes(chat=answering(*strings))
    (spans,) = detector.detect([Document("d", text)])

    def bare(phrase: str) -> str:
        return "".join(phrase.split()).casefold().strip(".,'’")

    for span in spans:
        assert 0 <= span.start < span.end <= len(text)
        assert bare(text[span.start : span.end]) in {bare(string) for string in strings}
        for offset in (span.start, span.end):
            if 0 < offset < len(text) and "漢" not in text[offset - 1 : offset + 1]:
                assert not (text[offset - 1].isalnum() and text[offset].isalnum())


@given(st.lists(st.text("ab", min_size=3, max_size=4), min_size=1, max_size=30))
def test_every_whole_word_of_the_answer_is_masked(words: list[str]) -> None:
    text = " ".join(words)
    assert masked(text, words[0]) == [words[0]] * words.count(words[0])


def test_kinds_come_from_the_rules_and_the_rest_is_misc() -> None:
    text = "Write to ida@quorvex.example before 3 May 1988 or 4 June 1990. She repaired clocks in Berlin."
    detector = AllAttributes(
        chat=answering("ida@quorvex.example", "3 May 1988 or 4 June 1990", "repaired clocks", "Berlin")
    )
    (spans,) = detector.detect([Document("d", text)])
    assert [(span.label, span.identifier) for span in spans] == [
        ("CODE", "direct"),
        ("DATETIME", "quasi"),
        ("MISC", "quasi"),
        ("LOC", "quasi"),
    ]


def test_a_name_in_a_longer_string_stays_a_name() -> None:
    text = "Mr John Quorvex (born 3 May 1950) keeps bees. Quorvex is old."
    detector = AllAttributes(chat=answering("Mr John Quorvex (born 3 May 1950)"))
    (spans,) = detector.detect([Document("d", text)])
    assert [(text[span.start : span.end], span.label, span.identifier) for span in spans] == [
        ("Mr John Quorvex", "PERSON", "direct"),
        ("(born 3 May 1950)", "DATETIME", "quasi"),
    ]


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "I'm sorry, but I can't assist with that.",
        "Ida Quorvex and Pellworth",
        json.dumps({"spans": ["Marsport", "Zaphod"]}),
        json.dumps({"spans": [TEXT]}),
        "x" * 10_000_000,
        Reply("", failure="the server is gone"),
    ],
    ids=["empty", "refusal", "prose", "another text", "the text itself", "10 MB", "no reply"],
)
def test_an_unusable_answer_is_asked_for_again_and_then_a_failure(answer: str | Reply) -> None:
    chat = ScriptedChat(lambda request: answer if "Pellworth" in request.messages[-1].text else "[]")
    detector = AllAttributes(chat=chat)
    assert detector.detect([Document("bad", TEXT), Document("good", "It rains.")]) == [[], []]
    assert set(detector.failed) == {"bad"}
    assert "Quorvex" not in detector.failed["bad"]
    assert detector.usage.failed == 1
    assert detector.detect([Document("good", "It rains.")]) == [[]]
    assert detector.failed == {}


def test_an_empty_list_is_an_answer_and_an_empty_text_no_question() -> None:
    chat = answering()
    detector = AllAttributes(chat=chat)
    assert detector.detect([Document("a", "It rains."), Document("b", ""), Document("c", " \n ")]) == [[], [], []]
    assert len(chat.asked) == 1
    assert detector.failed == {}


STORY = " ".join(f"On day {number} Ida{number} Quorvex{number} mended a clock." for number in range(200))


def in_window(request: Request) -> str:
    return request.messages[-1].text


def listing(request: Request) -> str:
    words = [word for word in in_window(request).replace(".", " ").split() if word.startswith(("Ida", "Quorvex"))]
    return json.dumps({"spans": words})


def test_a_long_text_is_asked_about_in_windows_all_at_once_and_nothing_is_dropped() -> None:
    batches: list[int] = []

    class Counting(ScriptedChat):
        def ask(self, requests):  # type: ignore[no-untyped-def]
            batches.append(len(requests))
            return super().ask(requests)

    chat = Counting(listing)
    detector = AllAttributes(chat=chat, window=200)
    spans, others = detector.detect([Document("long", STORY), Document("short", TEXT)])
    assert batches == [len(chat.asked)]
    assert len(chat.asked) > 10
    strings = {STORY[span.start : span.end] for span in spans}
    assert strings == {f"{word}{number}" for word in ("Ida", "Quorvex") for number in range(200)}
    assert others


def test_what_one_window_says_holds_in_the_whole_text() -> None:
    text = "Ida was here. " + "It rained all day in the valley. " * 200 + "Then Ida left."
    chat = ScriptedChat(lambda request: '["Ida"]' if "was here" in in_window(request) else "[]")
    (spans,) = AllAttributes(chat=chat, window=100).detect([Document("d", text)])
    assert [span.start for span in spans] == [0, text.rindex("Ida")]


def test_one_window_without_an_answer_fails_the_document() -> None:
    chat = ScriptedChat(lambda request: "no" if "Ida150 " in in_window(request) else listing(request))
    detector = AllAttributes(chat=chat, window=200)
    (spans,) = detector.detect([Document("long", STORY)])
    assert set(detector.failed) == {"long"}
    assert len(spans) > 300


def cutting(most: int) -> Callable[[Request], Reply]:
    def answer(request: Request) -> Reply:
        reply = listing(request)
        return Reply(reply[:most], cut=len(reply) > most)

    return answer


def test_a_list_that_was_cut_off_is_asked_for_in_halves() -> None:
    detector = AllAttributes(chat=ScriptedChat(cutting(300)), window=300)
    (spans,) = detector.detect([Document("long", STORY)])
    assert len(spans) == 400
    assert detector.failed == {}
    assert detector.usage.repaired > 0


def test_a_list_that_never_ends_is_a_failure_and_what_it_said_is_kept() -> None:
    detector = AllAttributes(chat=ScriptedChat(cutting(40)), window=300)
    (spans,) = detector.detect([Document("long", STORY)])
    assert set(detector.failed) == {"long"}
    assert spans


def test_a_list_that_repeats_itself_is_complete() -> None:
    answer = '{"spans": ["Ida Quorvex", ' + '"clockmaker", "1988", ' * 20 + '"clockm'
    chat = ScriptedChat(lambda request: answer)
    detector = AllAttributes(chat=chat)
    (spans,) = detector.detect([Document("d", TEXT)])
    assert [TEXT[span.start : span.end] for span in spans] == ["Ida Quorvex", "1988", "clockmaker"]
    assert detector.failed == {}
    assert len(chat.asked) == detector.usage.repaired == 1


def test_the_answer_budget_grows_with_the_text_up_to_a_limit() -> None:
    chat = answering()
    AllAttributes(chat=chat).detect([Document("a", "It rains."), Document("b", TEXT * 3), Document("c", STORY)])
    rooms = [request.max_tokens for request in chat.asked]
    assert rooms[0] < rooms[1] < max(rooms) == 1024


def test_the_context_bounds_the_windows() -> None:
    for context in (800, 2048):
        chat = ScriptedChat(listing, context=context)
        detector = AllAttributes(chat=chat)
        (spans,) = detector.detect([Document("long", STORY)])
        read = [sum(len(message.text) for message in request.messages) / 3 for request in chat.asked]
        assert max(tokens + request.max_tokens for tokens, request in zip(read, chat.asked, strict=True)) < context
        assert len(spans) == 400
    with pytest.raises(RecipeError, match="context has 400 tokens"):
        AllAttributes(chat=ScriptedChat(listing, context=400)).detect([Document("long", STORY)])
    with pytest.raises(RecipeError, match="window is at most 1024 tokens"):
        AllAttributes(chat=ScriptedChat(listing), window=5000).detect([Document("long", STORY)])
    for window in (0, True, "many"):
        with pytest.raises(RecipeError, match="window is a number of tokens"):
            AllAttributes(chat=chat, window=window)  # type: ignore[arg-type]


def test_how_much_a_model_reads_is_not_asked_before_there_is_a_text() -> None:
    class Shy(ScriptedChat):
        @property
        def context(self) -> int | None:
            raise AssertionError("asked")

        @context.setter
        def context(self, value: int | None) -> None:
            pass

    detector = AllAttributes(chat=Shy(listing))
    assert detector.detect([]) == []
    with pytest.raises(AssertionError, match="asked"):
        detector.detect([Document("d", TEXT)])


def test_a_prompt_of_ones_own_is_named_by_its_content(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text('name = "mine"\nversion = 3\ntemperature = 0.2\nmax_tokens = 200\nuser = "List: {text}"\n')
    chat = answering("Pellworth")
    detector = AllAttributes(chat=chat, prompt=file)
    (spans,) = detector.detect([Document("d", TEXT)])
    assert detector.prompt.startswith("mine@3#")
    assert spans[0].source == f"{detector.prompt}:chat"
    assert chat.asked[0].messages[-1].text == f"List: {TEXT}"
    file.write_text('name = "mine"\nversion = 3\ntemperature = 0.2\nmax_tokens = 200\nuser = "List all."\n')
    with pytest.raises(RecipeError, match="lacks the variable"):
        AllAttributes(chat=chat, prompt=file)


def test_sample_index_and_temperature_reach_the_model() -> None:
    chat = answering("Pellworth")
    for sample_index in (0, 1):
        AllAttributes(chat=chat, temperature=1.0, sample_index=sample_index).detect([Document("d", TEXT)])
    assert [request.temperature for request in chat.asked] == [1.0, 1.0]
    assert chat.asked[0].key != chat.asked[1].key
    for wrong in ({"sample_index": -1}, {"temperature": 9.0}):
        with pytest.raises(RecipeError, match="is a number"):
            AllAttributes(chat=chat, **wrong)


def test_a_model_s_span_is_cut_around_names_that_others_found() -> None:
    name = Span(10, 14, "PERSON", "direct", 0.9, "tagger:PERSON")
    place = Span(30, 36, "LOC", "quasi", 0.9, "tagger:LOC")
    long = Span(0, 40, "MISC", "quasi", 0.5, "sparks@1:chat")
    assert cut_around_direct([long, name, place]) == [long.moved(0, 10), long.moved(14, 40), name, place]
    assert cut_around_direct([long, place]) == [long, place]
    inside = long.moved(11, 13)
    assert cut_around_direct([name, inside]) == [name]


@given(
    st.lists(st.tuples(st.integers(0, 30), st.integers(1, 8), st.booleans(), st.booleans()), max_size=8),
)
def test_cutting_uncovers_nothing(drawn: list[tuple[int, int, bool, bool]]) -> None:
    spans = [
        Span(start, start + size, "MISC", "direct" if direct else "quasi", 0.5, "x:chat" if chat else "x:y")
        for start, size, direct, chat in drawn
    ]
    result = cut_around_direct(spans)

    def covered(of: list[Span]) -> set[int]:
        return {offset for span in of for offset in range(span.start, span.end)}

    assert covered(result) == covered(spans)
    assert [span for span in result if span.source == "x:y"] == [span for span in spans if span.source == "x:y"]


def test_the_class_needs_a_chat() -> None:
    assert ChatDetector.needs_chat
    assert ChatDetector.languages is None
