"""Wider wordings of ordinary words: true, grammatical, and suppression where nothing is known."""

from __future__ import annotations

import re

import pytest
from benchmarks.sentence_flaws import flaws
from hypothesis import given
from hypothesis import strategies as st

from sfumato.generalize.words import generalize_word
from sfumato.generalize.words.base import SUPPRESSED, WordGeneralization
from sfumato.generalize.words.figures import find_figures, find_quotations
from sfumato.lexicon.hypernyms import is_a


def offers(
    sentence: str, word: str, language: str = "en", room: tuple[int, int] | None = None
) -> list[WordGeneralization]:
    start = re.search(rf"(?<!\w){re.escape(word)}(?!\w)", sentence)
    assert start is not None
    return generalize_word(sentence, *start.span(), language, room)


def put(sentence: str, wording: WordGeneralization) -> str:
    return sentence[: wording.start] + wording.text + sentence[wording.end :]


def becomes(sentence: str, word: str, kind: str) -> list[str]:
    return [put(sentence, one) for one in offers(sentence, word) if one.kind == kind]


def test_the_last_is_always_suppression_of_the_word_alone() -> None:
    for word in ("He", "quickly", "robbery", "committed"):
        sentence = "He quickly committed a robbery."
        last = offers(sentence, word)[-1]
        assert (last.kind, last.text, sentence[last.start : last.end]) == ("suppress", SUPPRESSED, word)


def test_a_noun_becomes_its_kind() -> None:
    found = becomes("He was convicted of robbery in the end.", "robbery", "hypernym")
    assert "He was convicted of a crime in the end." in found
    assert 1 <= len(found) <= 3


def test_a_plural_stays_a_plural_and_an_article_agrees() -> None:
    assert becomes("They found three shotguns there.", "shotguns", "hypernym")[1] == "They found three firearms there."
    assert becomes("She is an oboist.", "oboist", "hypernym")[0] == "She is a musician."
    assert becomes("She was the victim of that robbery.", "robbery", "hypernym")[-1].startswith(
        "She was the victim of that"
    )


@pytest.mark.parametrize("word", ["shotgun", "oboist", "burglary", "leukemia", "cathedral"])
def test_a_kind_is_above_the_word_in_wordnet(word: str) -> None:
    """An independent reference: the words of our lists and WordNet's tree do not contradict each other."""
    sentence = f"It was about a {word} then."
    kinds = [one.reason.partition(": ")[2] for one in offers(sentence, word) if one.kind == "hypernym"]
    assert kinds
    assert any(is_a(word, kind) for kind in kinds)


def test_a_kind_does_not_repeat_the_words_stem() -> None:
    for word in ("photographer", "musician", "nurse", "criminal"):
        for one in offers(f"She met a {word} there.", word):
            assert word[:5] not in one.text


@pytest.mark.parametrize(
    ("sentence", "word"),
    [
        ("He had no shotgun.", "shotgun"),
        ("He did not own a shotgun.", "shotgun"),
        ("He left without a shotgun.", "shotgun"),
        ("Every nurse was asked.", "nurse"),
        ("It was his first robbery.", "robbery"),
        ("She asked whether a nurse was there.", "nurse"),
        ("It is heavier than a shotgun.", "shotgun"),
    ],
)
def test_where_wider_would_be_false_nothing_wider_is_said(sentence: str, word: str) -> None:
    assert [one.kind for one in offers(sentence, word)] == ["suppress"]


def test_what_is_told_apart_may_be_said_more_widely_even_where_the_sentence_denies() -> None:
    assert "He did not find the weapon." in becomes("He did not find the shotgun.", "shotgun", "hypernym")


@pytest.mark.parametrize(
    ("sentence", "word"),
    [
        ("He died of a heart attack.", "attack"),
        ("She will nurse him.", "nurse"),
        ("He read The Nurse twice.", "Nurse"),
        ("He rode a nurse-mare.", "nurse"),
    ],
)
def test_verbs_names_and_parts_of_compounds_have_no_kind(sentence: str, word: str) -> None:
    assert "hypernym" not in {one.kind for one in offers(sentence, word)}


@pytest.mark.parametrize(
    ("sentence", "word", "without"),
    [
        ("It was a violent robbery.", "violent", "It was a robbery."),
        ("It was an old house.", "old", "It was a house."),
        ("It was a big apartment.", "big", "It was an apartment."),
        ("An elegant lady came.", "elegant", "A lady came."),
        ("He was severely beaten.", "severely", "He was beaten."),
        ("She violently attacked him.", "violently", "She attacked him."),
        ("They stopped the injured man.", "injured", "They stopped the man."),
        ("He left the tennis court.", "tennis", "He left the court."),
    ],
)
def test_a_modifier_is_left_out(sentence: str, word: str, without: str) -> None:
    assert becomes(sentence, word, "drop") == [without]


@pytest.mark.parametrize(
    ("sentence", "word"),
    [
        ("It was an alleged robbery.", "alleged"),
        ("He is the former mayor.", "former"),
        ("The robbery was violent.", "violent"),
        ("It was not a violent robbery.", "violent"),
        ("It was a very violent robbery.", "violent"),
        ("It was a violent and long robbery.", "violent"),
        ("It was of a sexual nature.", "sexual"),
        ("He was nearly killed.", "nearly"),
        ("He was not severely beaten.", "severely"),
        ("He ate a hot dog.", "hot"),
        ("It was the finest comic play.", "comic"),
        ("They read the draft law.", "draft"),
        ("The court orders compensation.", "court"),
        ("All violent robberies were counted.", "violent"),
    ],
)
def test_a_modifier_on_which_the_sentence_rests_stays(sentence: str, word: str) -> None:
    assert "drop" not in {one.kind for one in offers(sentence, word)}


@pytest.mark.parametrize(
    ("sentence", "word", "low", "high"),
    [
        ("She earned £1,140 then.", "1,140", 0, 1140),
        ("About 12.5 million euros went.", "12.5", 0, 12_500_000),
        ("He paid 250 euros.", "250", 0, 250),
    ],
)
def test_a_figure_becomes_bands_that_hold_it(sentence: str, word: str, low: int, high: int) -> None:
    found = [one for one in offers(sentence, word) if one.kind == "figure"]
    assert found
    for one in found:
        ends = [int(number.replace(",", "")) for number in re.findall(r"\d[\d,]*", one.text)]
        assert low <= min(ends) <= high
        assert len(ends) == 1 or max(ends) >= high


def test_a_figure_is_read_whole_where_there_is_room_for_it() -> None:
    sentence = "It happened on 12 August 1961 at night."
    assert becomes(sentence, "1961", "figure")[0] == "It happened in August 1961 at night."
    start = sentence.index("1961")
    assert "figure" not in {one.kind for one in offers(sentence, "1961", room=(start, start + 4))}


def test_spanish_has_figures_and_nothing_else() -> None:
    sentence = "Pagó 250 euros por una escopeta vieja."
    assert offers(sentence, "250", "es")[0].kind == "figure"
    assert [one.kind for one in offers(sentence, "escopeta", "es")] == ["suppress"]


def test_a_text_without_capitals_hides_its_names() -> None:
    assert [one.kind for one in offers("he won a golden globe and bought an old house .", "old")] == ["suppress"]


def test_figures_are_dates_times_amounts_and_numbers_but_not_of_paragraphs() -> None:
    text = "1.  On 3 May 1999 at 10.30 a.m. he paid EUR 1,250.50 (37 %), under Article 16 § 22, for 45 km.\n12. 3 men."
    assert [text[start:end] for start, end in find_figures(text)] == [
        "3 May 1999",
        "10.30 a.m.",
        "EUR 1,250.50",
        "37 %",
        "45 km",
    ]


def test_quotations_of_four_words_or_more() -> None:
    text = (
        'He said “I was never there at all” and "go away". «Je ne sais pas encore», she said. '
        "The courts’ view and ‘the applicant’s house was empty’ stood; don't say 'it was not his dog' again."
    )
    assert [text[start:end] for start, end in find_quotations(text)] == [
        "I was never there at all",
        "Je ne sais pas encore",
        "the applicant’s house was empty",
        "it was not his dog",
    ]


WORDS = st.sampled_from(
    "The a an his no not violent old severely robbery shotguns nurse was beaten by and three 1,250 £ 37% “ ” ' 12 May "
    "1999 police officer of in that former court claims euros , . -".split()
)


@given(st.lists(WORDS, max_size=14).map(" ".join), st.data())
def test_any_range_of_sentences_gives_wordings_that_hold_it_within_their_room(text: str, data: st.DataObject) -> None:
    _check(text, data)


@given(st.text(max_size=60), st.data())
def test_any_text_gives_wordings(text: str, data: st.DataObject) -> None:
    _check(text, data)
    for ranges in (find_figures(text), find_quotations(text)):
        assert ranges == sorted(ranges)
        assert all(0 <= start < end <= len(text) for start, end in ranges)


def _check(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    room = (data.draw(st.integers(0, start)), data.draw(st.integers(end, len(text))))
    language = data.draw(st.sampled_from(["en", "es", "de", "xx"]))
    found = generalize_word(text, start, end, language, room)
    assert found[-1].kind == "suppress"
    for one in found:
        assert room[0] <= one.start <= start <= end <= one.end <= room[1]


@given(
    st.sampled_from(["a", "the", "his", "an old", "that", "two"]),
    st.sampled_from(["robbery", "shotgun", "oboist", "cathedral", "apartment", "elegant house", "violent robbery"]),
)
def test_what_is_put_reads_no_worse(lead: str, phrase: str) -> None:
    sentence = f"They spoke of {lead} {phrase} there."
    before = {flaw.kind for flaw in flaws(sentence)}
    for word in re.finditer(r"\w+", sentence):
        for one in generalize_word(sentence, *word.span()):
            assert {flaw.kind for flaw in flaws(put(sentence, one))} <= before or one.kind == "suppress"
