"""k-anonymity of texts: what is masked beside a plain search, on facts small enough to work out by hand."""

from __future__ import annotations

import random
from itertools import product

import pytest

from sfumato import recipe as recipes
from sfumato.attacks.background import as_background
from sfumato.document import Document, Release, Span
from sfumato.errors import RecipeError
from sfumato.pipeline import Pipeline
from sfumato_papers.attacks.subjects.matching import Attribute, Mention, Profile
from sfumato_papers.replacers.k_anonymity import (
    Covering,
    Fact,
    KAnonymity,
    StatedFact,
    choose_masked,
    compatible,
    covering_spans,
    stated_facts,
    subject_profile,
)

NAME, TOWN, JOB, PET = ("", "ida quorvex"), ("", "velbrin"), ("OCCUPATION", "judge"), ("", "heron")
PEOPLE = {NAME: {"ida"}, TOWN: {"ida", "bo", "una"}, JOB: {"ida", "bo", "una", "kim"}, PET: {"ida", "kim"}}
EVERYONE = frozenset({"ida", "bo", "una", "kim", "lee"})
ONE_SPAN_EACH: Covering = {fact: [frozenset({index})] for index, fact in enumerate(PEOPLE)}


def test_people_fit_who_have_all_facts_that_are_left() -> None:
    assert compatible([], PEOPLE, EVERYONE) == EVERYONE
    assert compatible([TOWN, JOB], PEOPLE, EVERYONE) == {"ida", "bo", "una"}
    assert compatible(list(PEOPLE), PEOPLE, EVERYONE) == {"ida"}


def test_greedy_masks_what_leaves_most_people() -> None:
    # All four fit Ida alone. Without her name two fit none more; then without the heron three fit town and trade.
    assert list(choose_masked(ONE_SPAN_EACH, PEOPLE, 3, None, everyone=EVERYONE)) == [0, 3]
    assert list(choose_masked(ONE_SPAN_EACH, PEOPLE, 4, None, everyone=EVERYONE)) == [0, 3, 1]
    assert list(choose_masked(ONE_SPAN_EACH, PEOPLE, 5, None, everyone=EVERYONE)) == [0, 3, 1, 2]
    assert choose_masked({JOB: [frozenset({0})]}, PEOPLE, 3, None, everyone=EVERYONE) == {}


def plain_greedy(people: dict[int, set[int]], k: int, everyone: set[int]) -> list[int]:
    left, masked = list(people), []
    while len(everyone.intersection(*(people[fact] for fact in left))) < k:
        ranked = []
        for fact in left:
            others = everyone.intersection(*(people[other] for other in left if other != fact))
            ranked.append((-len(others), len(people[fact]), fact))
        _, _, chosen = min(ranked)
        left.remove(chosen)
        masked.append(chosen)
    return masked


def test_greedy_agrees_with_a_plain_search() -> None:
    draw = random.Random(5)
    for k, facts in product((2, 3, 5), (1, 4, 7)):
        people = {fact: {0, *draw.sample(range(1, 8), draw.randint(0, 7))} for fact in range(facts)}
        named: dict[Fact, set[str]] = {
            ("", str(fact)): {str(item) for item in several} for fact, several in people.items()
        }
        covering: Covering = {fact: [frozenset({index})] for index, fact in enumerate(named)}
        masked = choose_masked(covering, named, k, None, everyone=frozenset(map(str, range(8))))
        assert list(masked) == plain_greedy(people, k, set(range(8)))


def test_random_order_depends_on_the_seed_and_ends_with_k_people() -> None:
    orders = set()
    for seed in range(12):
        masked = choose_masked(ONE_SPAN_EACH, PEOPLE, 3, random.Random(seed), everyone=EVERYONE)
        left = [fact for index, fact in enumerate(PEOPLE) if index not in masked]
        assert len(compatible(left, PEOPLE, EVERYONE)) >= 3
        orders.add(tuple(masked))
    assert len(orders) > 3


def test_a_fact_is_hidden_where_every_place_that_says_it_is() -> None:
    spans = [Span(0, 4, "MISC"), Span(10, 14, "MISC"), Span(20, 24, "MISC")]
    twice = [StatedFact(NAME, 0, 4), StatedFact(NAME, 11, 13), StatedFact(TOWN, 12, 24)]
    covering = covering_spans(twice, spans)
    assert covering == {NAME: [frozenset({0}), frozenset({1})], TOWN: [frozenset({1, 2})]}
    # Masking the name takes the first word of the town along.
    assert choose_masked(covering, PEOPLE, 5, None, everyone=EVERYONE).keys() == {0, 1}
    outside = covering_spans([StatedFact(NAME, 30, 34)], spans)
    assert choose_masked(outside, PEOPLE, 5, None, everyone=EVERYONE) == {}


def test_facts_are_what_detectors_and_profiler_say() -> None:
    text = "Ida Quorvex is a judge in Velbrin."
    profile = Profile("Ida Quorvex", (Attribute("OCCUPATION", "judge", 5, 17, 22), Attribute("SEX", "Female", 3)))
    facts = list(stated_facts(text, [Span(26, 33, "LOC")], profile))
    assert facts == [StatedFact(("", "velbrin"), 26, 33), StatedFact(("OCCUPATION", "judge"), 17, 22)]


def test_the_subject_is_whom_the_names_say_or_who_is_mentioned_most() -> None:
    def person(*names: str) -> Profile:
        return Profile(names[0], (), tuple(Mention(name, 0, 1) for name in names))

    ida, bo = person("Ida Quorvex"), person("Bo", "Bo Tamsin")
    assert subject_profile([bo, ida], ["Ida Quorvex"]) is ida
    assert subject_profile([ida, bo], ["Una Feld"]) is bo
    assert subject_profile([], ["Una Feld"]) is None


TOWNS = {"Ida Quorvex": "Cardiff", "Bo Tamsin": "Cardiff", "Una Feld": "Cardiff", "Kim Orrel": "Bergen"}


@pytest.mark.parametrize("name", ["published/k-anonymity-greedy", "published/k-anonymity-random"])
def test_k_people_fit_each_release_of_the_published_recipe(name: str) -> None:
    people = {name: f"{name} was born in {town} and met the press there." for name, town in TOWNS.items()}
    documents = [Document(name, f"{name} grew up in {town}.") for name, town in TOWNS.items()]
    recipe = recipes.load(name)
    recipe = recipe.with_changes(replace={"default": {**recipe.replace["default"].model_dump(), "k": 3}})
    pipeline = Pipeline(recipe, background=as_background(people))
    pipeline.learn(lambda: documents)
    texts = [outcome.text for outcome in pipeline.anonymize(documents) if isinstance(outcome, Release)]
    assert len(texts) == 4
    assert all(name not in text for name, text in zip(TOWNS, texts, strict=True))
    assert "Bergen" not in texts[3]
    if name == "published/k-anonymity-greedy":
        assert all("Cardiff" in text for text in texts[:3])


def test_an_order_that_does_not_exist_is_refused() -> None:
    with pytest.raises(RecipeError, match="no order 'gredy': did you mean 'greedy'"):
        Pipeline(recipes.load("labels").with_changes(replace={"default": {"use": "k-anonymity", "order": "gredy"}}))


def test_documents_that_keep_what_fewer_than_k_people_have_are_counted() -> None:
    people = {name: f"{name} was born in {town} and met the press there." for name, town in TOWNS.items()}
    text = "Kim Orrel grew up in Bergen."
    replacer = KAnonymity(k=3, background=as_background(people))
    document = Document("Kim Orrel", text)
    replacer.learn(lambda: [document])
    everything = [Span(0, 9, "PERSON"), Span(21, 27, "LOC")]
    assert [edit.span for edit in replacer.replace(document, everything)] == everything
    assert not replacer.remarks
    assert [edit.span for edit in replacer.replace(document, everything[:1])] == everything[:1]
    [said] = replacer.remarks
    assert said.startswith("k-anonymity: 1 documents are released with facts that fit fewer than 3 people")
