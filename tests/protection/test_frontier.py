"""Risk and information for one target after the other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Self

import pytest

import sfumato
from sfumato.attacks.base import Person
from sfumato.attacks.ground_truth import match_subjects
from sfumato.attacks.risk import find_strongest
from sfumato.attacks.suite import Suite
from sfumato.document import Attempt, Document, Guess, Release
from sfumato.errors import InputError, NotMeasurable, Problem, RecipeError, UnknownName
from sfumato.llm.replay import ScriptedChat
from sfumato.progress import Progress
from sfumato.protection import protect
from sfumato.protection.frontier import KS, frontier_of, frontier_of_corpus
from sfumato.protection.protect import protect_releases
from sfumato.protection.records import FrontierPoint, Scenario
from sfumato.protection.target import Options, Target
from tests.attacks.linking import SharedWords
from tests.protection.invented_corpus import background, starts

ATTACKS = ("bm25", "characters")
SECRET = b"a secret that is the same for every run"


def options(*attacks: object) -> Options:
    return Options(attacks=attacks or ATTACKS, secret=SECRET)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def steps() -> list[Progress]:
    return []


@pytest.fixture(scope="module")
def points(steps: list[Progress]) -> list[FrontierPoint]:
    return frontier_of(starts(), background(), (5, 2), options(), on_progress=steps.append)


def test_from_the_start_to_the_largest_k_risk_and_information_fall(points: list[FrontierPoint]) -> None:
    assert [(item.name, item.k) for item in points] == [("start", None), ("k = 2", 2), ("k = 5", 5)]
    first, last = points[0], points[-1]
    assert first.risk == 1.0  # nothing was hidden, and everyone is found
    assert first.kept == pytest.approx(1.0)
    assert Target(5).is_met(last.risk)
    assert last.kept < first.kept
    assert first.withheld == 0
    for point in points:
        assert point.n + point.withheld == 10
        assert point.risk_interval[0] <= point.risk <= point.risk_interval[1]
        assert point.kept_interval[0] <= point.kept <= point.kept_interval[1]
        assert point.attack in ATTACKS


def test_a_point_says_what_protecting_for_its_k_gives(points: list[FrontierPoint]) -> None:
    """The loop alone, on attacks of its own, with the same secret; the information by ``sfumato.measure``."""
    made = protect_releases(
        starts(), background(), Target(2), Options(holdout_documents=0, attacks=ATTACKS, secret=SECRET)
    )
    assert not set(ATTACKS) & set(made.loop_attacks)  # they join no frontier, so they must not have joined here
    (column,) = made.scenarios
    attack, found = column.strongest
    out = [release.release for release in made.released]
    kept = sfumato.measure(
        [item.document for item in out], out, metrics=["tps"], scorer="frequency", embedder="default"
    ).scores["tps"]
    expected = FrontierPoint(
        "k = 2", 2, found.risk, found.interval, kept.value, kept.interval, 10 - len(out), len(out), attack
    )
    assert column.name == Scenario.OTHER_ATTACKS
    assert points[1] == expected


def test_the_start_is_what_the_attacks_find_in_it(points: list[FrontierPoint]) -> None:
    suite = Suite(background(), ATTACKS)
    texts = {start.document.id: start.text for start in starts()}
    truth = match_subjects([start.document for start in starts()], background())
    risks = protect.linkage_risks({name: suite.run(name, texts, truth) for name in suite.names})
    attack, best = find_strongest(risks, "learned")
    assert (points[0].attack, points[0].risk, points[0].risk_interval) == (attack, best.risk, best.interval)


def test_each_step_says_which_target_it_is_for(points: list[FrontierPoint], steps: list[Progress]) -> None:
    assert {step.stage.split(":")[0] for step in steps} == {"k = 2 (1 of 2)", "k = 5 (2 of 2)"}
    assert all(0 <= step.done <= step.total for step in steps)


class Counting(SharedWords):
    """Counts how often it has to learn."""

    name = "counting"
    fits = 0

    def fit(self, background: Sequence[Person]) -> Self:
        type(self).fits += 1
        return super().fit(background)


def test_an_attack_learns_the_background_once_for_all_targets() -> None:
    Counting.fits = 0
    frontier = frontier_of(starts(4), background(12), (2, 3), options(Counting()))
    assert [item.attack for item in frontier] == ["counting"] * 3
    assert Counting.fits == 1


class Oracle(SharedWords):
    """Finds everyone, whatever was released."""

    name = "oracle"

    def run(self, released: Mapping[str, str]) -> list[Attempt]:
        return [Attempt(self.name, key, (Guess(key, 1.0),)) for key in released]


def test_a_target_at_which_nothing_can_be_released_has_no_point() -> None:
    problems: list[Problem] = []
    frontier = frontier_of(starts(3), background(12), (2, 3), options(Oracle()), on_problem=problems.append)
    assert [(item.name, item.risk, item.n) for item in frontier] == [("start", 1.0, 3)]
    assert [problem.file for problem in problems] == ["k = 2", "k = 3"]
    assert "not one of 3 documents can be released" in problems[0].message


def test_a_k_that_is_too_large_is_left_out_and_said() -> None:
    problems: list[Problem] = []
    frontier = frontier_of(starts(3), background(12), (2, 13, 40), options("bm25"), on_problem=problems.append)
    assert [entry.k for entry in frontier][:1] == [None]
    assert {item.k for item in frontier} <= {None, 2}
    assert [str(problem) for problem in problems if "left out" in problem.message] == [
        "k = 13: left out: the background holds 12 people to hide among",
        "k = 40: left out: the background holds 12 people to hide among",
    ]


def test_targets_that_cannot_be() -> None:
    with pytest.raises(InputError, match="holds 12 people, so nobody can hide among 13"):
        frontier_of(starts(3), background(12), (40, 13))
    with pytest.raises(RecipeError, match="no k was given"):
        frontier_of(starts(3), background(12), ())
    with pytest.raises(RecipeError, match="k is 1"):
        frontier_of(starts(3), background(12), (5, 1))


def test_documents_that_cannot_be_attacked_are_in_no_point() -> None:
    problems: list[Problem] = []
    stranger, blank = Release(Document("nobody", "Someone came.")), Release(Document("n5", " \n"))
    given = [*starts(3), stranger, blank]
    frontier = frontier_of(given, background(12), (2,), options("bm25"), on_problem=problems.append)
    assert {item.n + item.withheld for item in frontier} == {3}
    assert any("2 of 5 documents are about nobody in it, hold no text" in problem.message for problem in problems)
    with pytest.raises(InputError, match="hold no text"):
        frontier_of([blank], background(12), (2,))
    with pytest.raises(NotMeasurable, match="not one of 1 documents"):
        frontier_of([stranger], background(12), (2,))


def test_a_rewritten_text_cannot_be_repaired() -> None:
    with pytest.raises(NotMeasurable, match="rewritten texts without edits"):
        frontier_of([Release.rewritten(starts(1)[0].document, "Someone came.")], background(12), (2,))


def test_the_library_takes_a_recipe_or_releases() -> None:
    originals = {start.document.id: f"Anna Quorvex wrote this. {start.text}" for start in starts(3)}
    people = {person.id: person.texts for person in background(12).people}
    by_recipe = sfumato.frontier(originals, people, recipe="labels", ks=[3], attacks=["bm25"])
    given = {key: sfumato.anonymize(text, recipe="labels").text for key, text in originals.items()}
    by_releases = sfumato.frontier(originals, people, releases=given, ks=[3], attacks=["bm25"])
    assert by_recipe[0].kept == pytest.approx(by_releases[0].kept)
    assert by_recipe[0].risk == by_releases[0].risk
    assert by_recipe[0].kept < 1.0


def test_without_ks_those_that_the_background_reaches() -> None:
    originals = {start.document.id: start.text for start in starts(2)}
    problems: list[Problem] = []
    curve = sfumato.frontier(
        originals, background(6).people, recipe="labels", attacks=["bm25"], on_problem=problems.append
    )
    said = {item.k for item in curve} | {int(str(problem.file).removeprefix("k = ")) for problem in problems}
    assert said == {None, *(k for k in KS if k <= 6)}
    assert not any("left out" in entry.message for entry in problems)


def test_errors_come_before_the_work() -> None:
    originals = {start.document.id: start.text for start in starts(2)}
    with pytest.raises(UnknownName, match="did you mean 'labels'"):
        sfumato.frontier(originals, background(6).people, recipe="lables")
    with pytest.raises(InputError, match="holds nobody"):
        sfumato.frontier(originals, {})
    with pytest.raises(NotMeasurable, match="not one of 1 documents"):
        sfumato.frontier({"elsewhere": "Someone came."}, background(6).people)


def test_a_recipe_that_asks_is_given_the_model_and_one_that_nobody_asks_is_refused() -> None:
    chat = ScriptedChat(lambda request: "", name="nobody")
    texts = {start.document.id: start.document.text for start in starts()}
    with pytest.raises(RecipeError, match="nothing here asks a language model"):
        frontier_of_corpus(texts, background(), recipe="labels", options=Options(attacks=ATTACKS, chat=chat))
    with pytest.raises(RecipeError, match="'rag' needs a language model"):
        frontier_of_corpus(texts, background(), releases=texts, ks=[2], options=Options(attacks=("rag",)))
    with pytest.raises(InputError, match="releases not one document"):
        frontier_of_corpus(texts, background(), recipe="sparks", ks=[2], options=Options(attacks=ATTACKS, chat=chat))
    assert chat.asked
