"""Guesses are made from released text and the background, and nothing else."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from sfumato import registry
from sfumato.attacks.base import Person
from sfumato.attacks.inference import (
    UNREADABLE,
    ChatGuesser,
    Guesser,
    InferenceAttack,
    LikelihoodGuesser,
    StatisticsGuesser,
    contexts,
)
from sfumato.document import Guess, Span
from sfumato.errors import InputError, RecipeError
from sfumato.llm.replay import ScriptedChat

BACKGROUND = [
    Person("a", ("Anna Quorvex was born in Lublin and keeps bees. Write to anna@example.org.",)),
    Person("b", ("Bela Tvesk was born in Lublin and bakes bread.", "Bela Tvesk met Cosmo Brim.")),
    Person("c", ("Emma Ostrow moved to Oslo and plays the harp. She was seen in Ghent.",)),
]


def spot(text: str, mention: str, label: str) -> Span:
    return Span(at := text.index(mention), at + len(mention), label)


@pytest.fixture(scope="module")
def statistics() -> StatisticsGuesser:
    return StatisticsGuesser(detector="rules").fit(BACKGROUND)


def test_what_stands_around() -> None:
    text = "She was born in LOC_1 and keeps bees."
    assert list(contexts(text, spot(text, "LOC_1", "LOC"))) == [
        ("left", "in"),
        ("right", "and"),
        ("both", "in", "and"),
        ("left two", "born", "in"),
        ("right two", "and", "keeps"),
    ]
    assert list(contexts("LOC_1", Span(0, 5, "LOC"))) == []
    assert list(contexts("Of bees", Span(0, 0, "LOC"))) == [("right", "of"), ("right two", "of", "bees")]


def test_the_share_of_a_similar_text_grows_with_the_fourth_power() -> None:
    guesser = StatisticsGuesser().fit([Person("a", ("ash",)), Person("b", ("ash elm",))])
    # Cosines: 1, and 1 / sqrt(1 + (ln(3/2) + 1)^2) = .579743, whose fourth power is .112965.
    (first, of_first), (second, of_second) = guesser._most_similar("ash")
    assert (first, second) == (0, 1)
    assert (of_first, of_second) == pytest.approx((1 / 1.112965, 0.112965 / 1.112965), abs=1e-5)


def test_the_context_decides(statistics: StatisticsGuesser) -> None:
    text = "PERSON_1 was born in LOC_1 and knits."
    (guesses,) = statistics.guess(text, [spot(text, "LOC_1", "LOC")], 5)
    assert guesses[0].answer == "Lublin"
    assert [guess.score for guess in guesses] == sorted((guess.score for guess in guesses), reverse=True)
    assert {guess.answer for guess in guesses} <= {"Lublin", "Oslo", "Ghent"}


def test_the_text_most_like_it_decides(statistics: StatisticsGuesser) -> None:
    text = "PERSON_1 plays the harp."
    (guesses,) = statistics.guess(text, [spot(text, "PERSON_1", "PERSON")], 2)
    assert guesses[0].answer == "Emma Ostrow"
    assert len(guesses) == 2


def test_scores_are_the_weighted_shares() -> None:
    guesser = StatisticsGuesser(detector="rules").fit([Person("a", ("It is in Oslo. It is in Oslo. It is in Ghent.",))])
    (guesses,) = guesser.guess("Near LOC_1", [Span(5, 10, "LOC")], 5)
    # No word of the text or the context is known: only the shares of all, 2 and 1 of 3, each out of 3 + 1.
    assert [guess.answer for guess in guesses] == ["Oslo", "Ghent"]
    assert [guess.score for guess in guesses] == pytest.approx([0.1 * 2 / 4, 0.1 * 1 / 4])
    (guesses,) = guesser.guess("Put in LOC_1", [Span(7, 12, "LOC")], 1)
    # "in" on the left, 2 of 3; and the one text is alike by "in", its share 1.
    assert guesses[0].score == pytest.approx((0.1 + 0.3 + 1.5) * 2 / 4)


def test_a_label_the_background_lacks_is_guessed_from_all(statistics: StatisticsGuesser) -> None:
    (guesses,) = statistics.guess("He was born in X and knits.", [Span(15, 16, "UNKNOWN")], 1)
    assert guesses[0].answer == "Lublin"


def test_an_empty_background_is_refused() -> None:
    for background in ([], [Person("a", ("  ",))], [Person("a", ("1 + 1",))]):
        with pytest.raises(InputError, match="the background holds no"):
            StatisticsGuesser(detector="rules").fit(background)


class Prefers:
    """A scorer to whom a term is less surprising the more often it holds a letter."""

    name = "prefers"
    languages: frozenset[str] | None = None

    def information(self, text: str, terms: Sequence[tuple[int, int]]) -> NDArray[np.float64]:
        return np.array([10.0 - text[start:end].lower().count("o") for start, end in terms])


def test_the_model_ranks_what_the_statistics_offer() -> None:
    guesser = LikelihoodGuesser(scorer=Prefers(), candidates=3, detector="rules").fit(BACKGROUND)
    text = "PERSON_1 was born in LOC_1 and knits."
    (guesses,) = guesser.guess(text, [spot(text, "LOC_1", "LOC")], 5)
    assert guesses[0] == Guess("Oslo", -8.0)
    assert guesser.name == "likelihood:prefers,candidates=3"
    with pytest.raises(RecipeError, match="candidates must be 1 or more; got 0"):
        LikelihoodGuesser(scorer=Prefers(), candidates=0)


def test_a_chat_sees_the_marked_text_alone() -> None:
    chat = ScriptedChat({"What stood at [[a city]]?": '{"guesses": ["Lublin", "Oslo", "Lublin", "Ghent"]}'})
    text = "She was born in a city, {span} and all."
    (guesses,) = ChatGuesser(chat).guess(text, [spot(text, "a city", "LOC")], 5)
    assert [guess.answer for guess in guesses] == ["Lublin", "Oslo", "Ghent"]
    asked = chat.asked[0].messages[-1].text
    assert "She was born in [[a city]], {span} and all." in asked
    assert "Give 5 guesses" in asked


@pytest.mark.parametrize("answer", ["Lublin?", '{"guesses": []}', '{"guesses": ["Oslo", true]}', '{"guesses": [""]}'])
def test_an_unreadable_answer_says_so(answer: str) -> None:
    guesser = ChatGuesser(ScriptedChat({"What": answer}))
    assert guesser.guess("In a city.", [Span(3, 9, "LOC")], 5) == [(Guess(UNREADABLE, 0.0),)]
    assert (guesser.usage.questions, guesser.usage.unreadable, guesser.usage.failed) == (1, 3, 1)


def test_a_chat_sees_what_stands_around_a_span_of_a_long_text() -> None:
    chat = ScriptedChat({"What stood": '{"guesses": ["Oslo"]}'}, context=1200)
    text = " ".join(f"Sentence {number} is here." for number in range(2000))
    place = spot(text, "Sentence 1000", "LOC")
    assert ChatGuesser(chat).guess(text, [place], 5) == [(Guess("Oslo", 1.0),)]
    asked = chat.asked[0].messages[-1].text
    assert "Sentence 999 is here. [[Sentence 1000]] is here. Sentence 1001 is here." in asked
    assert "Sentence 1 is" not in asked


def test_the_attack_leaves_a_record_for_each_span() -> None:
    attack = InferenceAttack(guesser=StatisticsGuesser(detector="rules"), guesses=2).fit(BACKGROUND)
    text = "PERSON_1 was born in  and knits."
    spans = {"r": [Span(0, 8, "PERSON"), Span(21, 21, "LOC")]}
    first, second = attack.run({"r": text, "s": "Nothing."}, spans)
    assert (first.attack, first.document_id, first.span) == ("inference", "r", spans["r"][0])
    assert second.guesses[0].answer == "Lublin"
    assert len(first.guesses) == 2
    assert first.rank is None
    with pytest.raises(ValueError, match="a span of document r ends after its released text"):
        attack.run({"r": text}, {"r": [Span(0, 99, "PERSON")]})
    with pytest.raises(RecipeError, match="guesses must be 1 or more; got 0"):
        InferenceAttack(guesses=0)


@pytest.mark.parametrize("name", registry.names("guesser"))
def test_every_guesser_keeps_its_contract(name: str) -> None:
    chat = ScriptedChat({"What stood": '{"guesses": ["Oslo"]}'})
    guesser = registry.create("guesser", name, {}, defaults={"detector": "rules"}, chat=chat)
    assert isinstance(guesser, Guesser)
    guesser.fit(BACKGROUND)
    text = "PERSON_1 was born in LOC_1."
    found = guesser.guess(text, [Span(0, 8, "PERSON"), Span(21, 26, "LOC")], 5)
    assert len(found) == 2
    assert found[1]  # not everyone guesses at people, but a place can always be guessed
    for guesses in found:
        assert len(guesses) <= 5
        assert len({guess.answer for guess in guesses}) == len(guesses)
    assert guesser.guess("", [], 5) == []
