"""The page of a protected release: what it says, and what it keeps to itself."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.attacks.continuation import Sign
from sfumato.protection.certificate import verdict
from sfumato.protection.pages import page
from sfumato.protection.records import ProtectedDocument, Repair
from sfumato.protection.target import Target
from sfumato.statistics import sample_size_for, wilson
from tests.protection.report_samples import REACHED, REPAIRS, SECRET, nothing_released, protected, protection
from tests.report.markup import assert_balanced, assert_self_contained

DOCUMENTS = [protected(number) for number in range(40)]


def words(text: str) -> str:
    """The page as it is read."""
    return " ".join(re.sub(r"<[^>]+>", " ", re.sub(r"<style>.*?</style>", "", text, flags=re.S)).split())


def test_it_stands_for_itself() -> None:
    text = page(protection(DOCUMENTS))
    assert_balanced(text)
    assert_self_contained(text)
    for outside in ("<script", "href=", "src=", "@import", "url("):
        assert outside not in text
    assert "do not publish it" in text


def test_a_target_that_is_met_in_the_sample_alone() -> None:
    outcome = protection(DOCUMENTS, verified=1)
    assert outcome.standing == "met in this sample"
    text = page(outcome)
    assert 'class="verdict unsure"' in text
    shown = words(text)
    assert (
        "The target of 1 in 11 (9.1 %) is met in this sample, but so few do not show it: the strongest verifying "
        "attack, characters, names the person in 2.5 % of 40 released documents (95 % interval 0.4 % to 13 %)."
    ) in shown
    assert "the true share may be as high as 13 %" in shown
    assert "No document is withheld." in shown
    assert "Checked against a background" in shown


def test_a_target_that_is_shown() -> None:
    outcome = protection(DOCUMENTS, verified=0)
    assert outcome.standing == "shown"
    text = page(outcome)
    assert 'class="verdict met"' in text
    assert "is shown to be met" in words(text)


def test_a_target_is_not_called_shown_where_the_background_goes_on_with_the_documents() -> None:
    changed = replace(protection(DOCUMENTS, verified=0), continuation=(Sign("paragraph numbers go on", 30, 40, 0.05),))
    text = page(changed)
    assert 'class="verdict unsure"' in text
    assert "is shown to be met" not in words(text)
    assert "release nothing of documents of which the rest is public" in words(text)


def test_few_releases_with_nobody_found_do_not_show_a_limit() -> None:
    text = words(page(protection(DOCUMENTS, verified=0, target=Target(20))))
    assert "With 40 releases a limit of 5 % cannot be shown: the true share may be as high as 8.8 %." in text
    assert "About 73 releases with nobody found would be needed." in text
    assert "cannot be shown" not in page(protection(DOCUMENTS, verified=0))


@pytest.mark.parametrize("limit", [1 / 11, 0.09, 0.05, 0.5])
def test_so_many_releases_are_needed_and_no_fewer(limit: float) -> None:
    assert wilson(0, sample_size_for(limit))[1] <= limit < wilson(0, sample_size_for(limit) - 1)[1]


def test_who_joined_the_loop_is_not_called_a_verifying_attack() -> None:
    outcome = protection(DOCUMENTS, verified=1)
    same, *others = outcome.scenarios
    joined = replace(outcome, scenarios=(replace(same, joined_loop=("characters",)), *others))
    assert "the strongest verifying attack, dense, names nobody" in words(page(joined))
    assert "the strongest verifying attack (dense;" in verdict(joined, joined.met)
    all_joined = replace(outcome, scenarios=(replace(same, joined_loop=("characters", "dense")), *others))
    assert "verifying attack" not in verdict(all_joined, all_joined.met)
    for item in (words(page(all_joined)), verdict(all_joined, all_joined.met)):
        assert "joined the loop, so this is no proof" in item


def test_a_target_that_is_missed() -> None:
    text = page(protection(DOCUMENTS, verified=7))
    assert 'class="verdict missed"' in text
    assert "is missed: the strongest verifying attack, characters, names the person in 18 %" in words(text)
    assert "✓" not in text


def test_a_column_for_information_does_not_decide() -> None:
    shown = words(page(protection(DOCUMENTS)))
    assert "same attacks, more background" in shown
    assert "12.5 % 5.5 % – 26.1 % is for information here" in shown
    assert "2.5 % 0.4 % – 12.9 % must hold here" in shown


def test_what_nobody_verified_is_not_called_met() -> None:
    text = page(protection(DOCUMENTS, binding=False))
    assert 'class="verdict unsure"' in text
    assert "Not verified" in text
    assert "is met" not in text


def test_without_a_background_it_says_so() -> None:
    shown = words(page(protection(DOCUMENTS, guarantee="population")))
    assert "Checked without a background" in shown
    assert "Checked against" not in shown


def test_nothing_released() -> None:
    text = page(nothing_released())
    assert_balanced(text)
    assert_self_contained(text)
    assert "Nothing is released" in text
    assert "nothing is left to repair (3)" in text
    assert 'class="verdict missed"' in text


def test_no_document_at_all() -> None:
    text = page(replace(nothing_released(), documents=()))
    assert_balanced(text)
    assert_self_contained(text)
    assert "Documents at most risk" not in text


def test_ranks_are_told_in_words_only() -> None:
    documents = [protected(number, before=before) for number, before in enumerate((1, 3, 4321, None))]
    text = page(protection(documents))
    for rank in (SECRET, REACHED, 4321):
        assert str(rank) not in text.replace(",", "")
    shown = words(text)
    assert "tfidf : the person was the first guess, and is now not among the first 10 guesses" in shown
    assert "tfidf : the person was among the first 10 guesses, and is now not among the first 10 guesses" in shown
    assert "tfidf : the person was not among the first 10 guesses, and is still not among the first 10 guesses" in shown


def test_whoever_sits_at_rank_k_is_not_said_to_be_beyond_it() -> None:
    shown = words(page(protection([protected(0, after=11)])))
    assert "is now not among the first 10 guesses" in shown
    assert "first 11" not in shown
    assert "is still among the first 10 guesses" in words(page(protection([protected(0, after=10)])))
    assert "is now not the first guess" in words(page(protection([protected(0, after=2)], target=Target(2))))


def test_what_is_released_above_the_target_is_said() -> None:
    documents = [*DOCUMENTS[:5], replace(protected(77, after=3), released_anyway="the budget is spent")]
    shown = words(page(protection(documents, target=Target(11, release_anyway=True))))
    assert "1 document could not be brought to the target and went out all the same, as asked." in shown
    assert "as asked" not in words(page(protection(DOCUMENTS[:5], target=Target(11, release_anyway=True))))


def test_withheld_first_then_most_at_risk_then_costliest() -> None:
    dear = Repair("suppress", "falconry", "[…]", 1, 0.2, "tfidf")
    documents = [
        protected(1, id="cheap", before=1, repairs=REPAIRS[:1]),
        protected(2, id="dear", before=1, repairs=(dear,)),
        protected(3, id="safe", before=40, repairs=()),
        protected(4, id="held", before=9, withheld="nothing is left to repair"),
    ]
    text = page(protection(documents))
    assert re.findall(r"<summary><b>(\w+)</b>", text) == ["held", "dear", "cheap", "safe"]
    assert text.count("<details open>") == 1
    assert "Withheld: nothing is left to repair" in text


@pytest.mark.parametrize(("show", "shown"), [(0, 0), (3, 3), (100, 40), (-1, 0)])
def test_as_many_documents_as_asked_for(show: int, shown: int) -> None:
    text = page(protection(DOCUMENTS), show=show)
    assert text.count("<details") == shown
    if 0 < shown < 40:
        assert f"{40 - shown} other documents not shown" in text


def test_repairs_are_told_with_what_forced_them() -> None:
    shown = words(page(protection([protected(0, hardest_subject="belo")])))
    assert "a hospital in Ghent a hospital in Belgium a step up the hierarchy 3 tfidf 1.2 %" in shown
    assert "carillonneur musician a wider word 2 skip-grams 0.9 %" in shown
    assert "an exact figure made round only in an identifying phrase 1 tfidf less than 0.1 %" in shown
    assert "one-eyed nothing a modifier, a phrase or a sentence left out" in shown
    assert "falconry […] removed" in shown
    assert "Hardest to protect of its people: belo" in shown


def test_what_it_cost() -> None:
    shown = words(page(protection([protected(0), protected(1, repairs=())])))
    assert "1.6 % of its information on average" in shown
    assert "the most that one lost is 3.1 %" in shown
    assert "1 document needed no repair" in shown
    assert "a step up the hierarchy 3 37.5 %" in shown


def test_long_lists_are_cut_and_counted() -> None:
    many = tuple(Repair("hypernym", f"word{number:02}", "thing", 1, 0.001 * number, "tfidf") for number in range(50))
    text = page(protection([protected(0, repairs=many)]))
    assert "word49" in text
    assert "word00" not in text
    assert "And 20 cheaper repairs" in text
    held = [protected(number, withheld=f"reason {number}") for number in range(9)]
    assert "other reasons (3)" in page(protection(held))


def test_settings_are_told_but_no_secret() -> None:
    changed = replace(
        protection(DOCUMENTS), settings={"recipe": "legal", "secret": "hush", "seed": "hush", "embedder": "x" * 500}
    )
    text = page(changed)
    assert "recipe: legal" in text
    assert "hush" not in text
    assert "x" * 200 not in text
    assert "background 3f9a77b01c5d, 1,141 people" in text


@given(st.text(alphabet=st.sampled_from("<>&\"'/abc {}%\n")), st.integers(2, 60))
def test_markup_in_words_is_escaped(said: str, k: int) -> None:
    marked = f"<img {said}>"
    repair = Repair(marked, marked, marked, 1, 0.1, marked)
    result: ProtectedDocument = protected(0, id=marked, repairs=(repair,), hardest_subject=marked, withheld=marked)
    result = replace(result, ranks_before={marked: 1}, ranks={marked: None})
    plain = protection([result, protected(1)], target=Target(k))
    column = replace(plain.scenarios[0], name=marked, about=marked, attacks={marked: plain.after["dense"]})
    changed = replace(
        plain,
        before={marked: plain.before["tfidf"]},
        loop_attacks=(marked,),
        scenarios=(column,),
        background=marked,
        settings={marked: marked},
    )
    text = page(changed)
    assert_balanced(text)
    assert_self_contained(text)
    assert "<img" not in text
