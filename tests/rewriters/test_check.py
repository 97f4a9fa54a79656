"""No identifier that was replaced survives in a rewrite."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.document import LABELS, Document, Edit, Release, Span, Withheld
from sfumato.llm.replay import ScriptedChat
from sfumato.pipeline import Pipeline
from sfumato.recipe import Recipe
from sfumato.rewriters.check import replace_survivors

NAMES = ("Ivo Quorvex", "Zoë Ångstrand", "María-José Tvesk", "Łucja Pęk", "Bo Li", "Anna Großkreutz")
CODES = ("AB-1234-77", "36244/06", "0161 496 0001", "ivo.q@pell.example", "X9")


def release_of(text: str, *replaced: tuple[str, str, str]) -> Release:
    """A release of the text with each (phrase, label, replacement) replaced at its first place."""
    document = Document("a", text)
    edits = []
    for phrase, label, replacement in replaced:
        start = text.index(phrase)
        edits.append(Edit(Span(start, start + len(phrase), label), replacement))
    return Release(document, tuple(edits))


def plain(text: str) -> str:
    """Another way to fold: accents off, case off, white space one."""
    bare = "".join(letter for letter in unicodedata.normalize("NFKD", text) if not unicodedata.combining(letter))
    return " ".join(bare.casefold().replace("ł", "l").split())


FORMS: list[Callable[[str], str]] = [str, str.upper, str.lower, str.title, plain, str.swapcase]
ACCENTS: list[Literal["NFC", "NFD", "NFKC"]] = ["NFC", "NFD", "NFKC"]


@st.composite
def disguised(draw: st.DrawFn, phrase: str) -> str:
    """The phrase as a model may write it."""
    form = draw(st.sampled_from(FORMS))
    form_of_accents = draw(st.sampled_from(ACCENTS))
    gap = draw(st.sampled_from([" ", "  ", "\n", "\u00a0", "\t"]))
    return unicodedata.normalize(form_of_accents, form(phrase)).replace(" ", gap)


FILLER = st.lists(st.sampled_from(["said", "the", "PERSON_1", "CODE_2", ",", "went.", "annual", "li", "“", "77"])).map(
    " ".join
)


@given(st.data())
def test_no_direct_identifier_survives(data: st.DataObject) -> None:
    names = data.draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=3, unique=True))
    codes = data.draw(st.lists(st.sampled_from(CODES), max_size=3, unique=True))
    replaced = [(name, "PERSON", f"PERSON_{number}") for number, name in enumerate(names, 1)]
    replaced += [(code, "CODE", f"CODE_{number}") for number, code in enumerate(codes, 1)]
    before = release_of(" and ".join(phrase for phrase, *_ in replaced), *replaced)
    text = "".join(
        f" {data.draw(FILLER)} {data.draw(disguised(data.draw(st.sampled_from([*names, *codes]))))}" for _ in range(4)
    )
    result = replace_survivors(before, text)
    assert result.left == 0
    assert result.replaced > 0
    after = plain(result.text)
    for phrase in [*names, *(code for code in codes if len(code) > 2)]:
        assert not re.search(rf"(?<!\w){re.escape(plain(phrase))}(?!\w)", after)
    for name in names:
        for part in re.findall(r"\w{3,}", plain(name)):
            assert not re.search(rf"(?<!\w){part}(?!\w)", after)
    assert replace_survivors(before, result.text) == type(result)(result.text, 0, 0)


@given(st.text(max_size=80), st.sampled_from(LABELS))
def test_any_text_comes_through(text: str, label: str) -> None:
    before = release_of("Ivo Quorvex baked", ("Ivo Quorvex", label, "SOMEONE"))
    result = replace_survivors(before, text, labels=LABELS)
    assert result.left == 0
    if not result.replaced:
        assert result.text == text


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("Quorvex, Ivo came", "PERSON_1, PERSON_1 came"),
        ("IVO QUORVEX'S oven", "PERSON_1'S oven"),
        ("Ivo-Quorvex and ivo_quorvex", "PERSON_1 and PERSON_1"),
        ("ivoquorvex77@x.example", "PERSON_177@x.example"),
        ("Quor\u00advex, Qu\u200borvex", "PERSON_1, PERSON_1"),
        ("Ｑｕｏｒｖｅｘ", "PERSON_1"),
        ("die Quorvexs", "die PERSON_1"),
        ("quorvexian ivory", "quorvexian ivory"),
        ("Mr PERSON_1 baked", "Mr PERSON_1 baked"),
        ("Mr Pell baked", "Mr Pell baked"),
    ],
)
def test_a_name_is_found_in_other_dress(written: str, expected: str) -> None:
    before = release_of("Mr Ivo Quorvex baked", ("Mr Ivo Quorvex", "PERSON", "PERSON_1"))
    assert replace_survivors(before, written).text == expected


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("no. AB 1234 77", "no. CODE_1"),
        ("ab123477", "CODE_1"),
        ("AB/1234.77", "CODE_1"),
        ("AB-1234-778", "AB-1234-778"),
        ("X9, X 9 and x9", "CODE_2, X 9 and x9"),
    ],
)
def test_a_code_is_found_without_its_separators(written: str, expected: str) -> None:
    before = release_of("AB-1234-77 in X9", ("AB-1234-77", "CODE", "CODE_1"), ("X9", "CODE", "CODE_2"))
    assert replace_survivors(before, written).text == expected


HOSTILE = {
    "as it is": "Anna Quorvex",
    "another case": "ANNA QUORVEX",
    "spaced out": "A n n a  Q u o r v e x",
    "zero-width spaces": "An\u200bna Quor\u200bvex",
    "Hangul fillers": "An\u3164na Quor\u3164vex",
    "Cyrillic look-alikes": "Аnnа Quоrvех",
    "Greek look-alikes": "Αnna Quοrvex",
    "circled": "Ⓐⓝⓝⓐ Ⓠⓤⓞⓡⓥⓔⓧ",
    "small capitals": "ᴀɴɴᴀ ǫᴜᴏʀᴠᴇx",
    "struck through": "A̶n̶n̶a̶ Q̶u̶o̶r̶v̶e̶x̶",
    "reversed": "xevrouQ annA",
    "reversed words": "annA xevrouQ",
    "glued": "AnnaQuorvex",
    "glued into a word": "theannaquorvexfile",
    "camel case": "MrQuorvex",
    "digits for letters": "4nn4 Qu0rv3x",
    "signs for letters": "@nn@ Qu0rvex!",
    "entities": "&#65;nna Q&#x75;orvex",
    "percent": "%41nna %51uorvex",
    "escapes": "\\u0041nna \\u0051uorvex",
    "initials": "A. Q.",
    "initials without blanks": "A.Q.",
    "initial and surname": "A. Quorvex",
    "surname first": "Quorvex, Anna",
}
HOSTILE_NUMBERS = {
    "as it is": "0161 496 0001",
    "glued": "01614960001",
    "spaced out": "0 1 6 1 4 9 6 0 0 0 1",
    "in words": "oh one six one four nine six oh oh oh one",
    "in words with repeats": "zero one six one, four nine six, treble zero one",
    "full-width": "０１６１ ４９６ ０００１",
    "circled": "⓪①⑥① ④⑨⑥ ⓪⓪⓪①",
    "Arabic": "٠١٦١ ٤٩٦ ٠٠٠١",
    "reversed": "1000 694 1610",
    "letters for digits": "O161 496 OOOl",
    "entities": "&#48;161 496 0001",
}


@pytest.mark.parametrize("form", [*HOSTILE.values(), *HOSTILE_NUMBERS.values()], ids=[*HOSTILE, *HOSTILE_NUMBERS])
@pytest.mark.parametrize("labels", [(), LABELS], ids=["release", "original"])
def test_no_form_of_an_identifier_survives(form: str, labels: tuple[str, ...]) -> None:
    before = release_of(
        "Anna Quorvex, 0161 496 0001", ("Anna Quorvex", "PERSON", "PERSON_1"), ("0161 496 0001", "CODE", "CODE_1")
    )
    result = replace_survivors(before, f"Then {form} came.", labels=labels)
    assert result.left == 0
    assert re.fullmatch(r"Then (?:Mr)?(?:PERSON_1(?:, PERSON_1)?|CODE_1)!? came\.", result.text)


@pytest.mark.parametrize("form", HOSTILE.values(), ids=HOSTILE)
def test_a_model_that_read_the_original_cannot_bring_a_name_back(form: str) -> None:
    text = "Mr Anna Quorvex came to the surgery on a rainy day and talked about his knee for a while."
    answer = f"A visitor, {form}, came to the surgery on a rainy day and talked about a knee for a while."
    recipe = Recipe.model_validate(
        {"detect": ["rules"], "replace": {"default": "label"}, "rewrite": {"use": "dp-prompt"}}
        | {"rewrite_reads": "original"}
    )
    (outcome,) = Pipeline(recipe, chat=ScriptedChat(lambda request: answer)).anonymize([Document("a", text)])
    if isinstance(outcome, Release):
        assert form not in outcome.text
        assert "PERSON_1" in outcome.text
    else:
        assert isinstance(outcome, Withheld)


@pytest.mark.parametrize(
    "text",
    [
        "The 4th annual report lists 0161 items and 496 more, at 10:00.",
        "An annual meeting in room A. The Q. and A. session followed.",
        "Number one, two and three came; four did not.",
        "Анна Петрова and Ada Quorv wrote to a.q@example.org.",
        "Savannah and Annabel are other people, and so is Quorvexian.",
    ],
)
def test_other_words_are_left_alone(text: str) -> None:
    before = release_of(
        "Anna Quorvex, 0161 496 0001", ("Anna Quorvex", "PERSON", "PERSON_1"), ("0161 496 0001", "CODE", "CODE_1")
    )
    assert replace_survivors(before, text, labels=LABELS).text == text


def test_each_is_replaced_as_it_was_replaced_before() -> None:
    text = "Ida Pell, and Pell again; 王小明 too"
    document = Document("a", text)
    spans = [(0, 8, "Ana Born"), (14, 18, "Born"), (26, 29, "PERSON_3")]
    before = Release(document, tuple(Edit(Span(start, end, "PERSON"), said) for start, end, said in spans))
    assert replace_survivors(before, "Pell and Ida Pell; 王小明去了").text == "Born and Ana Born; PERSON_3去了"


def test_what_the_release_before_shows_is_no_survivor() -> None:
    before = release_of("Will May came in May", ("Will May", "PERSON", "PERSON_1"))
    written = "PERSON_1 will come in May. Will came. MAY, may."
    assert replace_survivors(before, written).text == "PERSON_1 will come in May. PERSON_1 came. PERSON_1, may."
    as_it_was = release_of("Ivo Quorvex baked", ("Ivo Quorvex", "PERSON", "Ivo Quorvex"))
    assert replace_survivors(as_it_was, "Ivo Quorvex baked").replaced == 0


def test_quasi_identifiers_are_looked_for_when_asked() -> None:
    before = release_of(
        "He lives in Lublin with the Pell Choir",
        ("in Lublin", "LOC", "in a town"),
        ("the Pell Choir", "ORG", "a choir"),
    )
    written = "From LUBLIN, with a Pell  Choir"
    assert replace_survivors(before, written).text == written
    assert replace_survivors(before, written, labels=LABELS).text == "From town, with a choir"
    assert replace_survivors(before, written, labels=("LOC",)).replaced == 1


def test_a_direct_identifier_of_any_label_counts() -> None:
    document = Document("a", "the lighthouse of Marlow")
    before = Release(document, (Edit(Span(0, 24, "LOC", identifier="direct"), "LOC_1"),))
    assert replace_survivors(before, "By The Lighthouse of Marlow!").text == "By LOC_1!"


def test_what_cannot_be_taken_out_is_counted() -> None:
    # A release that writes one person's name with the other's, and the other way round.
    document = Document("a", "Ida Pell and Ivo Quorvex")
    before = Release(
        document, (Edit(Span(0, 8, "PERSON"), "Ivo  Quorvex x"), Edit(Span(13, 24, "PERSON"), "Ida  Pell x"))
    )
    result = replace_survivors(before, "Ida Pell")
    assert result.replaced == 1
    assert result.left == 0  # what stands there is a replacement
    joined = Release(document, (Edit(Span(0, 8, "PERSON"), ""), Edit(Span(13, 24, "PERSON"), "")))
    assert replace_survivors(joined, "Ida Ida Pell Pell").text.split() == []
