"""Generalized words are true and grammatical; where nothing is known, a word can only be suppressed."""

from __future__ import annotations

import re

import pytest
from benchmarks.sentence_flaws import find_flaws
from hypothesis import given
from hypothesis import strategies as st

from sfumato.generalize.words import generalize_word
from sfumato.generalize.words.base import SUPPRESSED, WordGeneralization
from sfumato.generalize.words.figures import find_figures, find_quotations
from sfumato.lexicon.hypernyms import is_a


def options(
    sentence: str, word: str, language: str = "en", limits: tuple[int, int] | None = None
) -> list[WordGeneralization]:
    start = re.search(rf"(?<!\w){re.escape(word)}(?!\w)", sentence)
    assert start is not None
    return generalize_word(sentence, *start.span(), language, limits)


def apply(sentence: str, option: WordGeneralization) -> str:
    return sentence[: option.start] + option.text + sentence[option.end :]


def becomes(sentence: str, word: str, kind: str) -> list[str]:
    return [apply(sentence, option) for option in options(sentence, word) if option.kind == kind]


def test_the_last_option_is_suppression_of_the_word_alone() -> None:
    for word in ("He", "quickly", "robbery", "committed"):
        sentence = "He quickly committed a robbery."
        last = options(sentence, word)[-1]
        assert (last.kind, last.text, sentence[last.start : last.end]) == ("suppress", SUPPRESSED, word)


def test_a_noun_becomes_its_kind() -> None:
    released = becomes("He was convicted of robbery in the end.", "robbery", "hypernym")
    assert "He was convicted of a crime in the end." in released
    assert 1 <= len(released) <= 3


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
    kinds = [option.reason.partition(": ")[2] for option in options(sentence, word) if option.kind == "hypernym"]
    assert kinds
    assert any(is_a(word, kind) for kind in kinds)


def test_a_kind_does_not_repeat_the_words_stem() -> None:
    for word in ("photographer", "musician", "nurse", "criminal"):
        for option in options(f"She met a {word} there.", word):
            assert word[:5] not in option.text


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
def test_no_wider_word_where_it_would_be_false(sentence: str, word: str) -> None:
    assert [option.kind for option in options(sentence, word)] == ["suppress"]


def test_a_definite_noun_may_be_generalized_in_a_negated_sentence() -> None:
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
def test_verbs_names_and_parts_of_compounds_have_no_wider_noun(sentence: str, word: str) -> None:
    assert "hypernym" not in {option.kind for option in options(sentence, word)}


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
def test_a_modifier_is_omitted(sentence: str, word: str, without: str) -> None:
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
def test_a_modifier_that_truth_or_grammar_needs_stays(sentence: str, word: str) -> None:
    assert "drop" not in {option.kind for option in options(sentence, word)}


@pytest.mark.parametrize(
    ("sentence", "word", "low", "high"),
    [
        ("She earned £1,140 then.", "1,140", 0, 1140),
        ("About 12.5 million euros went.", "12.5", 0, 12_500_000),
        ("He paid 250 euros.", "250", 0, 250),
    ],
)
def test_a_figure_becomes_ranges_that_hold_it(sentence: str, word: str, low: int, high: int) -> None:
    items = [option for option in options(sentence, word) if option.kind == "figure"]
    assert items
    for option in items:
        ends = [int(number.replace(",", "")) for number in re.findall(r"\d[\d,]*", option.text)]
        assert low <= min(ends) <= high
        assert len(ends) == 1 or max(ends) >= high


def test_a_figure_is_read_whole_where_the_limits_allow_it() -> None:
    sentence = "It happened on 12 August 1961 at night."
    assert becomes(sentence, "1961", "figure")[0] == "It happened in August 1961 at night."
    start = sentence.index("1961")
    assert "figure" not in {option.kind for option in options(sentence, "1961", limits=(start, start + 4))}


def test_spanish_has_figures_and_nothing_else() -> None:
    sentence = "Pagó 250 euros por una escopeta vieja."
    assert options(sentence, "250", "es")[0].kind == "figure"
    assert [option.kind for option in options(sentence, "escopeta", "es")] == ["suppress"]


def test_in_a_text_without_capitals_words_can_only_be_suppressed() -> None:
    assert [option.kind for option in options("he won a golden globe and bought an old house .", "old")] == ["suppress"]


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
def test_options_for_any_range_cover_it_within_the_limits(text: str, data: st.DataObject) -> None:
    _check(text, data)


@given(st.text(max_size=60), st.data())
def test_any_text_has_options(text: str, data: st.DataObject) -> None:
    _check(text, data)
    for ranges in (find_figures(text), find_quotations(text)):
        assert ranges == sorted(ranges)
        assert all(0 <= start < end <= len(text) for start, end in ranges)


def _check(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    limits = (data.draw(st.integers(0, start)), data.draw(st.integers(end, len(text))))
    language = data.draw(st.sampled_from(["en", "es", "de", "xx"]))
    wider = generalize_word(text, start, end, language, limits)
    assert wider[-1].kind == "suppress"
    for option in wider:
        assert limits[0] <= option.start <= start <= end <= option.end <= limits[1]


@given(
    st.sampled_from(["a", "the", "his", "an old", "that", "two"]),
    st.sampled_from(["robbery", "shotgun", "oboist", "cathedral", "apartment", "elegant house", "violent robbery"]),
)
def test_replacements_add_no_flaw(lead: str, phrase: str) -> None:
    sentence = f"They spoke of {lead} {phrase} there."
    before = {flaw.kind for flaw in find_flaws(sentence)}
    for word in re.finditer(r"\w+", sentence):
        for option in generalize_word(sentence, *word.span()):
            assert {flaw.kind for flaw in find_flaws(apply(sentence, option))} <= before or option.kind == "suppress"


@pytest.mark.parametrize(
    ("sentence", "word"),
    [
        ("He built the harbour tunnel and two roads.", "harbour"),
        ("He knocked him out with a knee strike in the second round.", "knee"),
        ("He knocked him out with a knee strike in the second round.", "strike"),
        ("The court complained of the length of the proceedings.", "length"),
        ("As chair of the commission, he recommended it.", "chair"),
        ("The trainer of the horse came to the race.", "trainer"),
        ("He retired from the professional tour in May.", "tour"),
        ("The applicant produced affirmations of ownership to the court.", "produced"),
        ("She championed new music, performing her friends in the hall.", "performing"),
        ("Worn shoes are on display at the museum.", "shoes"),
        ("He knocked his opponent out in the match.", "opponent"),
        ("His portraits are finely finished, though thin.", "portraits"),
    ],
)
def test_a_word_whose_sense_or_number_would_change_has_no_wider_word(sentence: str, word: str) -> None:
    assert not becomes(sentence, word, "hypernym")


def test_after_per_no_article_is_set() -> None:
    released = becomes("She scored twenty points per game in her best season with the team.", "game", "hypernym")
    assert released
    assert all("per contest" in sentence for sentence in released)


@pytest.mark.parametrize(
    ("sentence", "word"),
    [
        ("He worked the next two innings and left.", "two"),
        ("She won a medal for her board three performance.", "three"),
    ],
)
def test_a_number_that_does_not_count_stays(sentence: str, word: str) -> None:
    assert not becomes(sentence, word, "figure")
