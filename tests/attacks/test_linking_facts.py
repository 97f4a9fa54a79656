"""What texts tell besides words: times, reference numbers, countries, form, and the words of a country."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.attacks.linking.facts import OTHER, CountryWords, Facts, country_weights, find_countries, read_facts
from sfumato.lexicon import world


@pytest.mark.parametrize(
    ("text", "times", "references"),
    [
        ("in the autumn of 2002 and in 1996", [(2002, 2002), (1996, 1996)], []),
        ("in the early 1980s", [(1980, 1983)], []),
        ("in the mid-1980s, in the late 1980s", [(1984, 1986), (1987, 1989)], []),
        ("since the 1990s", [(1990, 1999)], []),
        ("in the late 20th century", [(1970, 1999)], []),
        ("in the sixties", [(1960, 1969)], []),
        ("(no. 1520/06) and 13146/2002", [], [2006, 2002]),
        ("case 77/98 of 1998", [(1998, 1998)], [1998]),
        ("on 3/04 he paid 2.5", [], [2004]),
        ("on 03/12/2013 and 2011-04-05", [(2013, 2013), (2011, 2011)], []),
        ("le 3 mai 2003, am 4. März 1999, il 7 maggio 2001", [(2003, 2003), (1999, 1999), (2001, 2001)], []),
        ("a principios de la década de 1990 y en el siglo XX", [(1990, 1993), (1900, 1999)], []),
        ("12,1998 and 0.1999 and room 19981", [], []),
    ],
)
def test_times_and_reference_numbers(text: str, times: list[tuple[int, int]], references: list[int]) -> None:
    facts = read_facts(text)
    assert [(time.low, time.high) for time in facts.times] == times
    assert list(facts.references) == references
    assert all(text[time.start : time.end].strip() for time in facts.times)


def test_country_apostrophes_and_paragraphs() -> None:
    facts = read_facts(
        "THE FACTS\n\nMr Quorvex, a Turkish national, lives in Norway. He left Turkey’s army.\n\n14. He came back."
        "\n\nIt ended."
    )
    assert (facts.country, facts.apostrophe, facts.paragraphs, facts.first_number) == ("TR", "’", 3, 14)
    assert read_facts("") == Facts((), (), (), "", 0, None, None)
    assert read_facts("").country is None


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("the Polish Government", {"PL"}),
        ("POLAND and polish", {"PL"}),
        ("two Swedes in the United Kingdom", {"SE", "GB"}),
        ("a sum in Turkish liras", {"TR"}),
        ("he paid 300 TRL", {"TR"}),
        ("a court in Ankara", {"TR"}),
        ("Poland's court", {"PL"}),
        ("turkey with polish", set()),
    ],
)
def test_countries_are_told_in_many_ways(text: str, named: set[str]) -> None:
    mentions = list(find_countries(text))
    assert set().union(*(mention.codes for mention in mentions)) == named


def test_a_part_of_the_world_counts_for_each_of_its_countries() -> None:
    text = "a Western Asian court, and a Turkish one"
    mentions = tuple(find_countries(text))
    assert [text[mention.start : mention.end] for mention in mentions] == ["Western Asian", "Turkish"]
    region = world.world_regions()["Western Asia"].countries
    weights = country_weights(mentions)
    assert set(weights) == region
    assert weights["TR"] == pytest.approx(1 + 1 / len(region))
    assert sum(weights.values()) == pytest.approx(2)


@pytest.mark.parametrize(
    ("text", "share"),
    [
        ("She said that her husband came; he stayed.", 2 / 3),
        ("He wrote to the office because his letter was lost.", 0.0),
        ("Ella escribió una carta a la oficina y la señora respondió.", 1.0),
        ("The office wrote a letter.", None),
    ],
)
def test_words_that_tell_a_gender(text: str, share: float | None) -> None:
    assert read_facts(text).female == (None if share is None else pytest.approx(share))


@given(st.text(alphabet="Turkish Poland’s19 0./\n", max_size=60))
def test_any_text_is_read(text: str) -> None:
    facts = read_facts(text)
    assert all(time.low <= time.high and time.start < time.end for time in facts.times)
    assert all(mention.codes for mention in facts.countries)


def test_words_that_texts_of_one_country_share_tell_it() -> None:
    texts = [f"the voivodeship court in case {number} heard" for number in range(6)]
    texts += [f"the sheriff officer in case {number} heard" for number in range(6)]
    countries = ["PL"] * 6 + ["GB"] * 6 + ["NO"]
    learned = CountryWords([*texts, "a fjord"], countries)
    assert learned.codes == [OTHER, "GB", "PL"]  # one text is too few to learn from
    shares = learned.shares(learned.weigh("He went to the sheriff."))
    assert shares.sum() == pytest.approx(1)
    assert learned.codes[int(shares.argmax())] == "GB"
    starts, ends, logits = learned.contributions(learned.weigh("a sheriff, a sheriff and [SHERIFF_1]"))
    assert (starts.tolist(), ends.tolist()) == ([2, 13], [9, 20])
    np.testing.assert_allclose(logits[0], logits[1])
    assert logits[0][1] > max(logits[0][0], logits[0][2])


def test_without_two_countries_or_shared_words_nothing_is_learned() -> None:
    untold = CountryWords(["one", "two"], ["", ""])
    assert untold.shares(untold.weigh("one")).tolist() == [1.0]
    alike = CountryWords([chr(97 + number) * 4 for number in range(8)], ["PL"] * 4 + ["GB"] * 4)
    assert alike.shares(alike.weigh("aaaa")).tolist() == [0.5, 0.5]
    assert len(alike.contributions(alike.weigh("aaaa")).starts) == 0
