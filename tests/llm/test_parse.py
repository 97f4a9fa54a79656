"""Parsing of models' answers: only where there is one way to read them, and never an exception."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.llm.parse import (
    MAX_LENGTH,
    Strings,
    is_refusal,
    parse_list,
    parse_object,
    parse_partial_strings,
    parse_rating,
    parse_rewrite,
    parse_strings,
)

READERS: list[Callable[[str], Any]] = [
    parse_object,
    lambda text: parse_list(text, "spans"),
    lambda text: parse_strings(text, "spans"),
    lambda text: parse_partial_strings(text, "spans"),
    parse_rewrite,
    lambda text: parse_rating(text, 1, 5),
]
ITEMS = st.lists(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20))


@pytest.mark.parametrize(
    "text",
    [
        '{"spans": ["Ida", "Oxmoor"]}',
        '```json\n{"spans": ["Ida", "Oxmoor"]}\n```',
        'Sure! Here is the list:\n\n```\n["Ida", "Oxmoor"]\n```\nLet me know if you need more.',
        'The spans are {"spans": ["Ida", "Oxmoor"]}, I believe [sic].',
        'LIST: ["Ida", "Oxmoor"]\nCOUNT: 2',
        '{"entities": ["Ida", "Oxmoor"]}',
        '{"note": "two", "spans": ["Ida", "Oxmoor"]}',
        '{"spans": ["Ida", "Oxmoor",],}',
        "{'spans': ['Ida', 'Oxmoor']}",
        "[“Ida”, “Oxmoor”]",
        "[„Ida“, „Oxmoor“]",
        "[«Ida», «Oxmoor»]",
        '["Ida", "Oxmoor"] that is, ["Ida", "Oxmoor"]',
        '{"spans": ["Ida", "", "  Oxmoor "]',
        "- Ida\n- Oxmoor",
        "Here they are:\n\n* **Ida**\n* `Oxmoor`\n\nThat is all.",
        '1. "Ida"\n2) "Oxmoor"\n',
        "• Ida\n• Oxmoor",
    ],
)
def test_a_list_is_read_in_all_its_dresses(text: str) -> None:
    assert parse_strings(text, "spans") == ["Ida", "Oxmoor"]


@pytest.mark.parametrize(
    ("text", "items"),
    [
        ("['Varnholt's', 'the ''88 cup']", ["Varnholt's", "the ''88 cup"]),
        ('["the "quick" one", "x"]', ['the "quick" one', "x"]),
        ('["a\\nb", "c\nd", "\\u00e9\\ud83d\\ude00"]', ["a\nb", "c\nd", "é😀"]),
        ('{"spans": ["half \\ud83d"]}', ["half \ufffd"]),
        ("[1988, 3.5, 'x']", ["1988", "3.5", "x"]),
        ("- Ida [1]\n- {Oxmoor}", ["Ida [1]", "{Oxmoor}"]),
        ("[]", []),
        ('{"spans": []}', []),
        ("Nothing personal here: []", []),
    ],
)
def test_what_stands_in_a_list_stays_as_it_is(text: str, items: list[str]) -> None:
    assert parse_strings(text, "spans") == items


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   ",
        "Ida, Oxmoor",
        '["Ida"] or rather ["Oxmoor"]',
        '{"spans": ["Ida"]} {"spans": ["Oxmoor"]}',
        '{"keep": ["Ida"], "remove": ["Oxmoor"]}',
        '[["Ida"], ["Oxmoor"]]',
        '[{"text": "Ida"}]',
        "[Ida, Oxmoor]",
        '{"spans": "Ida"}',
        '{"spans": ["Ida"], "spans": ["Oxmoor"], "x": tru}',
        "- Ida\nand then\n- Oxmoor",
        "- Ida\n* Oxmoor",
        "I'm sorry, but I can't help with that.",
        '{"spans": ["I cannot assist with identifying people."]}',
        '["' + "x" * MAX_LENGTH + '"]',
    ],
)
def test_what_can_be_read_in_two_ways_is_not_read(text: str) -> None:
    assert parse_strings(text, "spans") is None


@pytest.mark.parametrize(
    ("text", "items"),
    [
        ('{"spans": ["Ida", "Oxm', ["Ida"]),
        ('{"spans": ["Ida", "Oxmoor"', ["Ida", "Oxmoor"]),
        ('{"spans": ["Ida",', ["Ida"]),
        ("[1988, 19", ["1988"]),
        ('{"spans": [', []),
    ],
)
def test_a_list_that_breaks_off_is_kept_only_where_that_is_said(text: str, items: list[str]) -> None:
    assert parse_partial_strings(text, "spans") == Strings(items, cut=True)
    assert parse_strings(text, "spans") is None
    assert parse_list(text, "spans") is None
    assert parse_object(text) is None


def test_only_what_breaks_off_is_cut() -> None:
    assert parse_partial_strings('{"spans": ["Ida"], "n": ', "spans") == Strings(["Ida"], cut=False)


@given(ITEMS)
def test_a_written_list_is_read_back(items: list[str]) -> None:
    wanted = [item.strip() for item in items if item.strip()]
    if len(wanted) == 1 and is_refusal(wanted[0]):
        return
    for written in (json.dumps({"spans": items}), json.dumps(items, ensure_ascii=False)):
        assert parse_strings(written, "spans") == wanted
        assert parse_strings(f"```json\n{written}\n```", "spans") == wanted


@given(ITEMS, st.data())
def test_a_cut_list_holds_nothing_that_was_not_said(items: list[str], data: st.DataObject) -> None:
    written = json.dumps({"spans": items}, ensure_ascii=False)
    cut = written[: data.draw(st.integers(0, len(written) - 1))]
    strings = parse_partial_strings(cut, "spans")
    if strings is not None:
        wanted = [item.strip() for item in items if item.strip()]
        assert strings.items == wanted[: len(strings.items)]


@given(st.text(max_size=200) | st.text("[]{}\"',:-# 1\n\\ab`", max_size=200))
def test_no_reader_ever_raises(text: str) -> None:
    for read in READERS:
        read(text)


@pytest.mark.parametrize(
    "text",
    [
        "[" * 100_000,
        "{" * 1_000_000,
        "[1," * 60_000,
        '["a' * 60_000,
        '["' + "\\" * 1_000_000,
        "[" + '"a" ' * 40_000,
        "```\n" + " \n" * 100_000,
        "- " + " " * 900_000 + "x",
        "# \n" * 100_000,
        '"' * 1_000_000,
        "9" * 1_000_000,
        "\0" * 1_000_000,
        "\ud800" * 1_000_000,
        "x" * 10_000_000,
    ],
    ids=lambda text: f"{text[:3]!r}-{len(text)}",
)
def test_no_answer_takes_long(text: str) -> None:
    began = time.process_time()
    for read in READERS:
        read(text)
    # Half a second on an idle core; anything quadratic takes minutes.
    assert time.process_time() - began < 10


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("4", 4),
        (" **4**. ", 4),
        ("Rating: 4/5", 4),
        ("I would give it 4 out of 5.", 4),
        ("On a scale of 1 to 5, this is a 2.", 2),
        ('{"rating": 4}', 4),
        ('{"rating": "4/5"}', 4),
        ('```json\n{"score": 3.0}\n```', 3),
        ("4 (yes, 4)", 4),
        ("4 or 5", None),
        ("4.5", None),
        ("0", None),
        ("7", None),
        ("-4", None),
        ("four", None),
        ('{"a": 3, "b": 4}', None),
        ('{"rating": true}', None),
        ("", None),
    ],
)
def test_a_rating_is_one_number_of_its_scale(text: str, number: int | None) -> None:
    assert parse_rating(text, 1, 5) == number


@pytest.mark.parametrize(
    ("text", "rewrite"),
    [
        ("The town gives it away.\n#\nSomeone lives somewhere.", "Someone lives somewhere."),
        ("Thoughts\n # \nOne.\n\nTwo #1.\n", "One.\n\nTwo #1."),
        ("#\nSomeone.\n#\n", "Someone."),
        ("Thoughts\n# Someone lives\nsomewhere.", "Someone lives\nsomewhere."),
        ("Thoughts\n#\n```\nSomeone.\n```", "Someone."),
        ("Thoughts\n#\nhalf \ud83d", "half \ufffd"),
        ("Someone lives somewhere.", None),
        ("a\n#\nb\n#\nc", None),
        ("a\n# b\n# c", None),
        ("Thoughts\n#\n", None),
        ("Thoughts\n#\nI'm sorry, I can't assist with that.", None),
        ("I'm sorry, I can't rewrite this.\n#\nx", None),
    ],
)
def test_a_rewrite_is_what_follows_its_mark(text: str, rewrite: str | None) -> None:
    assert parse_rewrite(text) == rewrite


@pytest.mark.parametrize(
    "text",
    [
        "I'm sorry, but I can't assist with that request.",
        "I cannot help with identifying people in texts.",
        "Sorry, I can’t do that.",
        "As an AI language model, I do not have access to personal data.",
        "As an AI, I must respect privacy.",
        "I'm sorry.",
        "I am unable to process this document.",
        "Unfortunately, I'm not able to provide personal information.",
        "Lo siento, pero no puedo ayudar con eso.",
        "Es tut mir leid, aber dabei kann ich nicht helfen.",
        "Leider kann ich Ihnen damit nicht weiterhelfen.",
        "Je suis désolé, mais je ne peux pas vous aider.",
        "En tant qu'IA, je ne traite pas de telles données.",
        "Mi dispiace, ma non posso aiutarti.",
        "Desculpe, mas não posso ajudar com isso.",
        "Het spijt me, maar ik kan je daar niet mee helpen.",
        "Извините, но я не могу помочь с этим.",
        "对不起，我无法提供帮助。",
        "申し訳ありませんが、お手伝いできません。",
    ],
)
def test_a_refusal_is_known_in_many_languages(text: str) -> None:
    assert is_refusal(text)
    assert is_refusal(f'"{text}"')


@pytest.mark.parametrize(
    "text",
    [
        "I'm sorry I missed your birthday, the train from Oxmoor stood for two hours.",
        "I can't believe that Ida won the regatta.",
        "As an AI researcher, I have taught in three countries.",
        "I am unable to walk since the accident in May.",
        "Sorry for the long post, but here is what happened to my sister.",
        "Lo siento mucho por tu pérdida, escribió Ida desde Oxmoor.",
        "Leider regnet es seit Montag.",
        "The applicant asked for help and was refused.",
        "",
    ],
)
def test_a_text_about_being_sorry_is_none(text: str) -> None:
    assert not is_refusal(text)
