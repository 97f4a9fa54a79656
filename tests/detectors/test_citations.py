"""Citations of decisions: kept whole where they are of other cases, hidden whole otherwise."""

from __future__ import annotations

import re
from random import Random

import pytest

import sfumato
from sfumato.detectors.citations import find_citations
from sfumato.detectors.language import find_uncovered_language
from sfumato.lexicon.language import COVERED
from sfumato.recipe import load, names

CITATIONS = (
    "Smith v Jones [2019] UKSC 12",
    "R (Miller) v Prime Minister [2019] UKSC 41",
    "R (on the application of Begum) v Head Teacher of Denbigh High School [2006] UKHL 15, [2007] 1 AC 100 at [34]",
    "Wilkes v Harrow Estates [1998] EWCA Civ 402",
    "Re A (Children) [2013] UKSC 60",
    "Brown v. Board of Education, 347 U.S. 483 (1954)",
    "Handyside v. the United Kingdom, no. 5493/72, § 48, Series A no. 24",
    "Case C-131/12 Google Spain SL v AEPD, EU:C:2014:317",
    "BGH, Urteil vom 12. Mai 2021 – XII ZR 1/20",
    "Donoghue v Stevenson [1932] AC 562",
    "Osman v United Kingdom (1998) 29 EHRR 245",
    "Cass. civ. 1re, 12 mars 2014, n° 13-12.345",
    "STS 123/2014, de 12 de marzo",
    "HR 12 maart 2014, ECLI:NL:HR:2014:123",
    "Hoge Raad 3 mei 2011, ECLI:NL:HR:2011:BP1234",
    "Orlov v. Russia, no. 12345/06, § 44, 3 May 2011",
    "Orlov v. Russia (no. 12345/06, §§ 44-46, 3 May 2011)",
    "3 May 2011, Trallow v Commission, T-12/09, EU:T:2011:123, paragraph 5",
    "Dobbs v. Jackson Women's Health Org., 597 U.S. 215 (2022)",
    "BVerfG, Beschluss vom 12. Juni 2008 - 1 BvR 357/05, Rn. 14",
)
BESIDE = ("The court followed {} on this.", "See {}.", "Notice is needed ({}).", "In {} that was said.")


@pytest.mark.parametrize("citation", CITATIONS)
@pytest.mark.parametrize("sentence", BESIDE)
def test_a_citation_is_one_thing(citation: str, sentence: str) -> None:
    text = sentence.format(citation)
    assert [text[item.start : item.end] for item in find_citations(text)] == [citation]


@pytest.mark.parametrize("citation", CITATIONS)
def test_it_is_kept_whole_or_hidden_whole(citation: str) -> None:
    text = f"The court followed {citation} on this. The claim fails."
    assert sfumato.anonymize(text, recipe="legal").text == text
    assert sfumato.anonymize(text, recipe="labels").text == "The court followed MISC_1 on this. The claim fails."


@pytest.mark.parametrize("citation", CITATIONS)
@pytest.mark.parametrize("after", ["Paragraph 3 above is relevant.", "As Lord Reed said, it is.", "The Court agrees."])
def test_no_citation_reaches_over_the_end_of_a_sentence(citation: str, after: str) -> None:
    text = f"He wrote to Anna. {citation}. {after}"
    assert [text[item.start : item.end] for item in find_citations(text)] == [citation]


@pytest.mark.parametrize("second", CITATIONS)
@pytest.mark.parametrize("between", [" and ", " and on ", "; "])
@pytest.mark.parametrize("first", ["Case C-131/12 Google Spain SL v AEPD", "Orlov v. Russia (no. 12345/06, § 44)"])
def test_what_stands_between_two_citations_is_of_neither(first: str, between: str, second: str) -> None:
    text = f"The defendant relied on {first}{between}{second}. Nothing else was said."
    assert [text[citation.start : citation.end] for citation in find_citations(text)] == [first, second]


@pytest.mark.parametrize("text", ["; ".join(CITATIONS[:4]) + ".", "R v Brimsedge [1994] 1 AC 212; Re A [2013] UKSC 60"])
def test_citations_alone_are_in_no_language(text: str) -> None:
    assert sfumato.anonymize(text, recipe="labels").text


@pytest.mark.parametrize("state", ["Slovenia", "Slovenija", "Magyarország", "Poland", "the Netherlands", "Österreich"])
@pytest.mark.parametrize("versus", ["v.", "c.", "vs.", "versus"])
@pytest.mark.parametrize("name", ["Kovač", "Żuławski", "Šimić and Others", "Dvořák (no. 2)", "Nagy"])
def test_names_of_cases_without_a_number_are_in_no_language(name: str, versus: str, state: str) -> None:
    for text in (f"{name} {versus} {state}", f"{name} {versus} {state}.\n\nÇelik v. {state}\n"):
        assert find_uncovered_language(text, frozenset(COVERED)) is None


@pytest.mark.parametrize("text", ["Bydlím v Praze", "Kovač živi v Ljubljani", "Petr bydlí v Brně."])
def test_a_preposition_makes_no_case(text: str) -> None:
    assert find_uncovered_language(text, frozenset(COVERED)) is not None


def test_the_word_that_leads_to_a_citation_stays() -> None:
    text = "Vgl. BVerfG, Beschluss vom 12. Juni 2008 - 1 BvR 357/05, Rn. 14. Der Kläger Falk Trallow wohnt in Hull."
    released = sfumato.anonymize(text, recipe="legal").text
    assert released == text.replace("Falk Trallow", "PERSON_1").replace("Hull", "LOC_1")


@pytest.mark.parametrize("date", ["3 May 2011", "12 June 2008"])
@pytest.mark.parametrize("before", ["§ 44, ", "On page 12, "])
def test_a_date_behind_a_section_is_whole(before: str, date: str) -> None:
    text = f"{before}{date} was the day."
    assert sfumato.anonymize(text, recipe="labels").text == f"{before}DATETIME_1 was the day."


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text))


@pytest.mark.parametrize("recipe", [name for name in names() if not load(name).asking and name != "codes"])
def test_no_recipe_that_ships_cuts_one(recipe: str) -> None:
    draw = Random(recipe)
    for _ in range(10):
        citation = draw.choice(CITATIONS)
        text = draw.choice(BESIDE).format(citation)
        before, after = text.split(citation)
        released = sfumato.anonymize(text, recipe=recipe).text
        middle = released.removeprefix(before).removesuffix(after)
        assert middle == citation or not {word for word in _words(citation) if len(word) > 1} & _words(middle)


@pytest.mark.parametrize(
    "text",
    [
        "Quorvex v Marlow [2024] EWHC 5 (Fam)\n\nThe claimant relies on a letter.",  # its own title
        "Neutral citation: [2024] EWHC 5 (Fam). The claimant relies on a letter.",  # its own number
        "Ms Anna Quorvex appeals. In Quorvex v Marlow [2018] EWHC 99 (Ch) she had lost.",  # an earlier judgment
        "Mr Tom Quorvex Brown appeals. In Brown v Marlow [2018] EWHC 99 (Ch) he had lost.",  # called like a colour
        "The appeal from Re Quorvex (Costs) [2018] EWHC 99 (Ch) fails. Anna Quorvex pays.",
    ],
)
def test_what_cites_the_own_case_is_hidden_whatever_the_recipe_says(text: str) -> None:
    released = sfumato.anonymize(text, recipe="legal").text
    assert "EWHC" not in released
    assert "Quorvex" not in released


def test_the_short_name_of_a_case_that_is_kept_stays() -> None:
    text = "In Wilkes v Harrow Estates [1998] EWCA Civ 402 notice was needed. In Wilkes the tenant lost his case."
    assert sfumato.anonymize(text, recipe="legal").text == text


@pytest.mark.parametrize(
    "text",
    [
        "England v Wales 2019 was a draw, and 12 people came.",
        "See section 24(3) of the Waterways Act 1990 and no. 12 of the list.",
        "It cost 12 U.S. dollars (1999) in a shop.",
        "x = [2019] + [1 for v in y]",
    ],
)
def test_nothing_else_is_a_citation(text: str) -> None:
    assert find_citations(text) == []


def test_an_allowed_citation_stays() -> None:
    text = "The court followed Smith v Jones [2019] UKSC 12 on this."
    assert sfumato.anonymize(text, recipe="labels", allow=["Smith v Jones [2019] UKSC 12"]).text == text
