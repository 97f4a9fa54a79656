"""Wider wordings of phrases: what is left out or widened stays true, and the masked model finds that it reads."""

from __future__ import annotations

import pytest

from sfumato.generalize.words.fluency import context, fit_change, load_sentence_model
from sfumato.generalize.words.phrases import reword


def reworded(text: str, word: str) -> str | None:
    """The text with the best wording for a word's phrase; None where nothing is offered."""
    start = text.index(word)
    wordings = reword(text, start, start + len(word), load_sentence_model())
    if not wordings:
        return None
    (wording,) = wordings
    assert wording.start <= start
    assert start + len(word) <= wording.end
    assert word not in wording.text
    return text[: wording.start] + wording.text + text[wording.end :]


@pytest.mark.parametrize(
    ("text", "word", "expected"),
    [
        (
            "The court relied on section 24(3) of the Military Service Act when it dismissed the request.",
            "Military",
            "The court relied on section 24(3) of the Act when it dismissed the request.",
        ),
        (
            "The request was lodged in accordance with Article 505 of the Code of Criminal Procedure.",
            "505",
            "The request was lodged in accordance with an Article of the Code of Criminal Procedure.",
        ),
        (
            "He submitted that the toilet facilities were separated from the cells by a low partition.",
            "facilities",
            "He submitted that certain things were separated from the cells by a low partition.",
        ),
        (
            "The authority (Landratsamt) ordered her to disclose the name of the driver.",
            "Landratsamt",
            "The authority ordered her to disclose the name of the driver.",
        ),
    ],
)
def test_phrases_are_shortened_or_named_more_widely(text: str, word: str, expected: str) -> None:
    assert reworded(text, word) == expected


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("No medical examination could be carried out in the prison.", "medical"),
        ("She was the first woman to sail a catamaran around the island.", "catamaran"),
        ("The court did not accept reports without a signed seal.", "seal"),
        ("If the brewery pays the fee, the case ends.", "brewery"),
    ],
)
def test_where_less_would_be_more_nothing_is_offered(text: str, word: str) -> None:
    assert reworded(text, word) is None


def test_what_is_said_of_some_is_not_said_of_all() -> None:
    wording = reworded("Some said that married women had to bear the name of their husbands.", "married")
    assert wording is None or "that women had" not in wording


@pytest.mark.parametrize("text", ["", "x", "quorvexil", "Quorvexil brimdale.", "[[((", "one\n\ntwo three"])
def test_any_text_is_read(text: str) -> None:
    model = load_sentence_model()
    for start in range(len(text)):
        for wording in reword(text, start, start + 1, model):
            assert 0 <= wording.start <= start < wording.end <= len(text)


def test_a_wording_that_breaks_the_sentence_fits_worse() -> None:
    text = "The applicant lived in a house by the river until the summer."
    start = text.index("in a house")
    end = start + len("in a house by the river")
    model = load_sentence_model()
    good = fit_change(model, text, start, end, "in a house")
    bad = fit_change(model, text, start, end, "in by the of a")
    assert good.beside > bad.beside


def test_the_model_knows_a_noun_from_a_verb() -> None:
    text = "The court decided that the request was late."
    start = text.index("request")
    shares = load_sentence_model().class_shares(*context(text, start, start + len("request")))
    assert shares["singular"] > 0.5 > shares["verb"]
    assert sum(shares.values()) == pytest.approx(1)


@pytest.mark.parametrize(
    ("text", "word", "expected"),
    [
        (
            "The Turvian Government (“the Government”) replied. Comments came from the Government of Elbany.",
            "Elbany",
            "The Turvian Government (“the Government”) replied. Comments came from a government.",
        ),
        (
            "In May the Federal Labour Court refused the claim. The Supreme Court heard it in June.",
            "Labour",
            "In May a court refused the claim. The Supreme Court heard it in June.",
        ),
        (
            "She relied on the Federal Rent Act. Section 3 of the Rent Act was in force.",
            "Federal",
            "She relied on the Act. Section 3 of the Rent Act was in force.",
        ),
    ],
)
def test_the_head_of_a_name_is_definite_only_where_no_other_name_has_it(text: str, word: str, expected: str) -> None:
    assert reworded(text, word) == expected


@pytest.mark.parametrize(
    ("text", "word", "left"),
    [
        ("The claim fell within the meaning of Article 6 § 1 of the Convention.", "meaning", "claim fell § 1"),
        ("His lap took a minute, at an average of 128.253 km/h. He won.", "average", "minute,/h"),
        ("He was the owner of land in the town on which stood a school.", "land", "owner on which"),
        ("He had a flat, registered under plot no. 900, and a garden.", "plot", "flat. 900"),
        ("He toured, earning prizes for shows in 2001, 2002 and 2003.", "prizes", "toured 2002"),
        ("He imitated, in the arrangement of his pictures, the style of others.", "pictures", ",,"),
        ("The Hall cost 4,000 pounds to build. It was opened in May.", "build", "to something"),
        ("It was named by Asia's 50 Best Restaurants in May.", "50", "'a s"),
        ("A stigma attached to her by virtue of her legal situation, especially at school.", "situation", "virtue,"),
        ("He said that he was beaten while in police custody and that he was ill.", "custody", "while and"),
        ("The court ordered him to pay; in fines cases, the court had imposed a sentence.", "fines", ";,"),
        ("In May the prime minister, Adam Quorvex, announced that she had a seat.", "seat", "Quorvex."),
        ("Leave was given by the Acting President of the Chamber to intervene.", "Chamber", "the President to"),
        ("He has been rookie of the year in both classes.", "year", "rookie in"),
        ("She is also known for her starring roles in many films.", "roles", "known in"),
        ("He left after winning 23 races and a cup.", "23", "a winning"),
        ("He asked for a sum in respect of pecuniary damage and EUR 300 for costs.", "pecuniary", "respect of EUR"),
        ("Your personal and domestic circumstances were considered.", "domestic", "personal and certain"),
        ("The Basic Law says so. It had grounds other than the Tax Law of Elbany.", "Tax", "than a law"),
    ],
)
def test_what_is_left_of_a_sentence_reads_on(text: str, word: str, left: str) -> None:
    rewording = reworded(text, word)
    assert rewording is None or left not in rewording


def test_a_number_is_one_word_of_its_phrase() -> None:
    text = "He owns a large collection with over 28,000 books in the house."
    for word in ("28,000", "books"):
        start = text.index(word)
        for wording in reword(text, start, start + len(word), load_sentence_model()):
            assert not text.index("28,000") < wording.start < text.index(" books")
