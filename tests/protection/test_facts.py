"""Facts in the loop: what stands in clear can be widened, wider wordings stay true, and record linkage is withstood."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.attacks.background import as_background
from sfumato.attacks.base import Person
from sfumato.attacks.linking.facts import read_facts
from sfumato.attacks.linking.records import RecordLinkageAttack
from sfumato.document import Document, Edit, Release, Span
from sfumato.lexicon import world
from sfumato.lexicon.time import MONTHS
from sfumato.protection.preparation import add_fact_edits, drop_unchanged
from sfumato.protection.protect import protect_releases
from sfumato.protection.ranks import RankedSubjects
from sfumato.protection.target import Options, Target

TEXT = "The Polish Government answered on 3 May 2003. He left Poland in 2004, and the European Court heard PERSON_1."


def test_dates_and_countries_in_clear_become_edits_that_change_nothing() -> None:
    release = Release(Document("d", TEXT))
    with_facts = add_fact_edits(release)
    assert with_facts.text == TEXT
    levels = {edit.replacement: [each.replacement for each in edit.alternatives] for edit in with_facts.edits}
    assert list(levels) == ["Polish", "on 3 May 2003", "Poland", "2004"]
    assert levels["Polish"][0] == "Eastern European"
    assert levels["Poland"] == ["a country in Eastern Europe", "a country in Europe", "a country"]
    assert levels["2004"][0] == "the mid-2000s"
    assert drop_unchanged(with_facts) == release


@pytest.mark.parametrize("name", ["Republic of Austria", "Kingdom of Norway", "Slovak Republic"])
def test_a_wider_country_loses_the_article_of_its_name(name: str) -> None:
    text = f"The application against the {name} was lodged late."
    (edit,) = add_fact_edits(Release(Document("d", text))).edits
    assert edit.replacement == f"the {name}"
    assert all(each.replacement.startswith("a country") for each in edit.alternatives)


def test_what_the_recipe_edited_stays_as_it_is() -> None:
    start = TEXT.index("Poland")
    release = Release(Document("d", TEXT), (Edit(Span(start, start + 6, "LOC"), "LOC_1"),))
    with_facts = add_fact_edits(release)
    assert with_facts.text == release.text
    assert release.edits[0] in with_facts.edits
    assert drop_unchanged(with_facts) == release
    rewritten = Release.rewritten(Document("d", TEXT), "He left Poland.")
    assert add_fact_edits(rewritten) == rewritten


@settings(max_examples=60)
@given(year=st.integers(1920, 2029), month=st.sampled_from(MONTHS["en"]), day=st.integers(1, 28))
def test_wider_dates_hold_the_date(year: int, month: str, day: int) -> None:
    for date in (f"{day} {month} {year}", f"{month} {year}", f"{year}"):
        text = f"The letter was of {date}, by a clerk."
        edit = next(edit for edit in add_fact_edits(Release(Document("d", text))).edits if date in edit.replacement)
        spans = [0]
        for wider in edit.alternatives:
            (time,) = read_facts(f"in {wider.replacement}").times
            assert time.low <= year <= time.high, wider.replacement
            spans.append(time.high - time.low)
        assert spans == sorted(spans)


@pytest.mark.parametrize("adjective", ["Polish", "Turkish", "Swedish", "Kenyan", "Peruvian"])
def test_wider_nationalities_hold_the_country(adjective: str) -> None:
    text = f"The {adjective} Government replied."
    (edit,) = add_fact_edits(Release(Document("d", text))).edits
    country = world.country_of_adjective(adjective)
    assert country is not None
    for wider in edit.alternatives:
        (mention,) = read_facts(wider.replacement).countries
        assert country.code in mention.codes


COUNTRIES = {"Poland": "Polish", "Turkey": "Turkish", "Norway": "Norwegian", "Spain": "Spanish"}


def known(number: int) -> Person:
    """One of 48 people: a country, and the years of the reference number and of the answer."""
    year, country = 1990 + number % 12, list(COUNTRIES)[number // 12]
    text = f"File no. {number}17/{year % 100:02} against {country}. It was closed in {year + 3}."
    return Person(f"p{number:02}", (text,))


def told(number: int) -> Release:
    year, adjective = 1990 + number % 12, list(COUNTRIES.values())[number // 12]
    others = Random(number).sample(["The clerk came.", "The letter was long.", "It rained.", "Nobody called."], 3)
    text = f"In {year} a {adjective} national wrote a letter. The office answered in {year + 2}. {' '.join(others)}"
    return Release(Document(f"p{number:02}", text))


def test_the_loop_ranks_people_as_the_attack_does() -> None:
    attack = RecordLinkageAttack().fit([known(number) for number in range(48)])
    releases = {f"p{number:02}": told(number).text for number in range(48)}
    attack.run(releases)
    row = attack.row("p17")
    following = RankedSubjects("record-linkage", attack, [row], 5)
    text = releases["p17"]
    following.update(text)
    (rank,) = following.ranks()
    assert rank.rank == 1
    assert rank.gap > 0
    places = np.full(len(text), 2, np.int64)
    first, country = text.index("1995"), text.index("Turkish")
    places[first : first + 4], places[country : country + 7] = 0, 1
    gain = following.marginal_gain(row, places, 2)
    assert gain.together.min() >= 0
    assert gain.together[0] > 0
    assert following.own_contribution(row, places, 2).together.min() > 0
    following.update(text.replace("1995", "a year").replace("1997", "another").replace("Turkish", "foreign"))
    (rank,) = following.ranks()
    assert rank.gap == 0


def test_whom_years_and_countries_give_away_is_hidden() -> None:
    given_releases = [told(number) for number in range(48)]
    options = Options(attacks=("record-linkage",), holdout_documents=0, secret=b"one")
    protection = protect_releases(given_releases, as_background([known(n) for n in range(48)]), Target(4), options)
    assert protection.before["record-linkage"].risk > 0.8
    assert protection.met
    assert not protection.withheld
    assert protection.after["record-linkage"].learned.risk <= 1 / 4
    widened = [
        repair for document in protection.released for repair in document.repairs if repair.attack == "record-linkage"
    ]
    assert {repair.kind for repair in widened} & {"generalize"}
    assert all(
        "stands in clear" not in edit.reasons for document in protection.released for edit in document.release.edits
    )
    again = {document.id: document.release.text for document in protection.released}
    attempts = RecordLinkageAttack().fit([known(number) for number in range(48)]).run(again)
    right = [attempt.guesses[:1] and attempt.guesses[0].answer == attempt.document_id for attempt in attempts]
    assert sum(map(bool, right)) <= 12
