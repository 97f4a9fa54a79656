"""A corpus through the loop: within the target in every column that decides, or withheld and said so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from math import inf, nan
from typing import ClassVar, Self

import pytest

from sfumato.attacks.background import as_background
from sfumato.attacks.base import AttackKind, LinkingAttack, Person
from sfumato.attacks.ground_truth import GroundTruth
from sfumato.attacks.linking.sparse import TfIdfAttack
from sfumato.attacks.risk import linkage_risk
from sfumato.attacks.suite import Suite
from sfumato.document import Attempt, Document, Guess, Release
from sfumato.errors import InputError, NotMeasurable, RecipeError, UnknownName
from sfumato.progress import Progress
from sfumato.protection.attackers import fit_loop_attacks
from sfumato.protection.certificate import verdict
from sfumato.protection.protect import protect_releases
from sfumato.protection.records import Protection, Scenario
from sfumato.protection.target import Options, Target
from tests.protection.invented_corpus import background, starts

OTHERS = ("bm25", "characters")
KNOWN = background()


def protect(
    given: Sequence[Release],
    target: Target | None = None,
    *,
    attacks: Sequence[str | LinkingAttack] = OTHERS,
    holdout_documents: int = 0,
    secret: bytes = b"one",
    **options: object,
) -> Protection:
    chosen = Options(attacks=attacks, holdout_documents=holdout_documents, secret=secret, **options)  # type: ignore[arg-type]
    return protect_releases(given, KNOWN, target or Target(3), chosen)


def letter(key: str, text: str, *subjects: str) -> Release:
    return Release(Document(key, text, subjects))


def texts(outcome: Protection) -> list[str]:
    return [release.release.text for release in outcome.released]


@pytest.fixture(scope="module")
def verified() -> Protection:
    return protect(starts(6), holdout_documents=6)


def test_what_goes_out_is_within_the_target_by_a_count_of_our_own(verified: Protection) -> None:
    assert verified.met
    assert verified.released
    released = {release.id: release.release.text for release in verified.released}
    truth = GroundTruth({key: frozenset([key]) for key in released}, (), 0)
    suite = Suite(KNOWN, OTHERS)
    for name in OTHERS:
        counted = linkage_risk(suite.run(name, released, truth))
        assert counted.learned.risk <= 1 / 3
        assert verified.after[name] == verified.scenarios[0].attacks[name] == counted


def test_under_every_attack_of_the_loop_enough_people_fit_as_well(verified: Protection) -> None:
    for attack in fit_loop_attacks("english", KNOWN.people).values():
        for release in verified.released:
            scores = attack.all_scores(release.release.text)
            own = scores[attack.row(release.id)]
            assert own <= 0 or (scores > own).sum() + 1 >= release.secret_rank >= 3


def test_repairs_cost_what_is_said_and_before_is_what_the_recipe_made(verified: Protection) -> None:
    for one, start in zip(verified.documents, starts(6), strict=True):
        assert one.initial == start
        assert one.id == start.document.id
        assert (one.loss > 0) == bool(one.repairs)
        assert one.withheld is not None or bool(one.repairs) == (one.release.text != start.text)
    assert 0 < verified.loss < 1
    assert sum(verified.repairs.values()) > 0
    worst = max(value.learned.risk for value in verified.before.values())
    assert worst > verified.target.risk
    assert set(verified.before) == set(verified.after) == {*verified.loop_attacks, *OTHERS}


def test_three_scenarios_with_a_holdout_run_and_one_without(verified: Protection) -> None:
    same, more, both = verified.scenarios
    assert [same.name, more.name, both.name] == list(Scenario)
    assert (same.binding, more.binding, both.binding) == (True, False, False)
    assert set(more.attacks) == set(verified.loop_attacks)
    assert set(same.attacks) == set(both.attacks) == set(OTHERS)
    assert "25%" in more.about
    assert [column.name for column in protect(starts(2)).scenarios] == [Scenario.OTHER_ATTACKS]
    assert {value.n for value in protect(starts(4), holdout_documents=2).scenarios[1].attacks.values()} == {2}


def test_with_attacker_knowledge_the_holdout_run_decides_too() -> None:
    protection = protect(starts(4), attacker_knowledge=2.0, holdout_documents=4)
    assert [column.binding for column in protection.scenarios] == [True, True, True]
    assert "50%" in protection.scenarios[1].about
    assert protection.settings["attacker_knowledge"] in (2.0, 3.0, 4.5)
    within = [protection.target.is_met(column.strongest[1].risk) for column in protection.scenarios]
    assert protection.met == all(within)
    assert verdict(protection, protection.met).startswith("The target was missed") == (not all(within))


@pytest.mark.parametrize(("seen", "attacker_knowledge", "holdout_runs"), [((), 2.0, 1), (("n0", "n1"), 4.5, 3)])
def test_the_loop_assumes_no_more_knowledge_than_the_holdout_run_requires(
    seen: Sequence[str], attacker_knowledge: float, holdout_runs: int
) -> None:
    steps: list[Progress] = []
    options = Options(attacks=[Oracle(*seen)], holdout_documents=2, attacker_knowledge=2.0, secret=b"one")
    protection = protect_releases(starts(2), KNOWN, Target(2), options, on_progress=steps.append)
    assert protection.settings["attacker_knowledge"] == attacker_knowledge
    assert [step.stage for step in steps].count("reading a part of the background") == holdout_runs


def test_what_cannot_be_checked_or_reached_is_withheld_with_a_reason_and_in_order() -> None:
    given = [
        letter("stranger", "A person keeps falcons."),
        *starts(2),
        letter("n2", ""),
        letter("n3", "  \n\t"),
    ]
    protection = protect(given)
    assert [document.id for document in protection.documents] == ["stranger", "n0", "n1", "n2", "n3"]
    reasons = {withheld_document.id: withheld_document.withheld for withheld_document in protection.withheld}
    assert "nobody in the background" in (reasons["stranger"] or "")
    assert reasons["n2"] == reasons["n3"] == "it holds no text"
    assert [release.id for release in protection.released] == ["n0", "n1"]
    assert (protection.to_json()["released"], protection.to_json()["withheld"]) == (2, 3)
    assert {value.n for value in protection.after.values()} == {2}


def test_a_document_of_which_nothing_would_be_left_is_withheld() -> None:
    known = as_background({f"p{number}": f"A person called Zwickelb{'a' * number}ch came home." for number in range(9)})
    given = [letter("p3", "Zwickelbaaach."), letter("p4", "It was raining hard, said Zwickelbaaaach.")]
    protection = protect_releases(given, known, Target(3), Options(attacks=OTHERS, holdout_documents=0, secret=b"one"))
    assert [document.withheld for document in protection.documents] == ["nothing readable is left of it", None]
    assert texts(protection)[0].startswith("It was raining hard")


def test_a_budget_that_is_too_small_withholds_and_release_anyway_releases_and_says_so() -> None:
    held = protect(starts(3), Target(3, budget=0.0))
    assert held.released == []
    assert not held.met
    assert all("--budget" in (withheld_document.withheld or "") for withheld_document in held.withheld)
    assert verdict(held, held.met) == "The target was missed: every document was withheld."
    given = [*starts(3), letter("n5", ""), letter("stranger", "Falcons.")]
    released_anyway = protect(given, Target(3, budget=0.0, release_anyway=True))
    assert [release.id for release in released_anyway.released] == ["n0", "n1", "n2"]
    assert [document.loss for document in released_anyway.released] == pytest.approx([0.0] * 3)
    assert [item.released_anyway for item in released_anyway.documents] == [
        *(entry.withheld for entry in held.documents),
        None,
        None,
    ]
    assert (released_anyway.to_json()["released_anyway"], held.to_json()["released_anyway"]) == (3, 0)
    assert not released_anyway.met
    sentence = verdict(released_anyway, released_anyway.met)
    assert sentence.startswith("The target was missed")
    assert "3 documents that could not be brought to the target went out as well, as asked." in sentence


def test_a_budget_is_kept() -> None:
    for document in protect(starts(4), Target(3, budget=0.1, release_anyway=True)).documents:
        assert document.loss <= 0.1 + 1e-9


def test_a_document_of_one_sentence_is_protected_or_withheld() -> None:
    given = [letter(f"n{number}", f"The {trade} came home.") for number, trade in enumerate(["baker", "miller"])]
    for document in protect(given).documents:
        assert document.withheld is not None or document.release.text.strip(" […].\n")


def test_the_target_holds_for_every_subject_and_the_hardest_is_named() -> None:
    own = starts(12)
    given = [letter("two", own[3].text + "\n" + own[8].text, "n3", "n8"), own[5]]
    protection = protect(given)
    two, single = protection.documents
    assert two.hardest_subject in ("n3", "n8")
    assert single.hardest_subject is None
    for attack in fit_loop_attacks("english", KNOWN.people).values():
        scores = attack.all_scores(two.release.text)
        for person in ("n3", "n8"):
            score = scores[attack.row(person)]
            assert score <= 0 or (scores > score).sum() + 1 >= two.secret_rank >= 3


def test_of_several_subjects_those_in_the_background_count() -> None:
    own = starts(5)[4]
    protection = protect([letter("d", own.text, "nobody", "n4")])
    assert protection.released
    assert protection.documents[0].hardest_subject is None


def test_a_target_beyond_the_background_is_an_error_before_any_work() -> None:
    steps: list[Progress] = []
    options = Options(scorer="no such model", embedder="no such model")
    with pytest.raises(InputError, match="holds 24 people, so nobody can hide among 25"):
        protect_releases(starts(2), KNOWN, Target(25), options, on_progress=steps.append)
    assert not steps


@pytest.mark.parametrize("attacker_knowledge", [0.5, 0.0, -1.0, nan, inf])
def test_attacker_knowledge_is_one_or_more(attacker_knowledge: float) -> None:
    with pytest.raises(RecipeError, match="the attacker knowledge is"):
        Options(attacker_knowledge=attacker_knowledge)


def test_contradictions_are_refused() -> None:
    with pytest.raises(RecipeError, match="-1 documents cannot be held out"):
        Options(holdout_documents=-1)
    with pytest.raises(InputError, match="two documents have the id 'n0'"):
        protect([*starts(2), starts(1)[0]])
    with pytest.raises(UnknownName, match="no attack 'telepathy'"):
        protect(starts(1), attacks=["telepathy"])
    with pytest.raises(NotMeasurable, match="not one of 1 documents"):
        protect([letter("stranger", "Falcons.")])


def test_errors_quote_no_document() -> None:
    wrong: list[tuple[Sequence[Release], Target, Sequence[str]]] = [
        ([letter("stranger", "Zwickelbach falcons.")], Target(3), OTHERS),
        ([letter("n0", "Zwickelbach."), letter("n0", "Zwickelbach!")], Target(3), OTHERS),
        ([letter("n0", "Zwickelbach.")], Target(99), OTHERS),
        ([letter("n0", "Zwickelbach.")], Target(3), ["telepathy"]),
    ]
    for given, target, attacks in wrong:
        with pytest.raises((InputError, NotMeasurable, UnknownName)) as caught:
            protect(given, target, attacks=attacks)
        assert "Zwickelbach" not in str(caught.value)


def test_the_same_secret_gives_the_same_text_and_another_draws_other_ranks() -> None:
    one, same, other = (protect(starts(6), secret=secret) for secret in (b"one", b"one", b"two"))
    assert texts(one) == texts(same)
    assert one.documents == same.documents

    def ranks(outcome: Protection) -> list[int]:
        return [document.secret_rank for document in outcome.documents]

    assert ranks(one) == ranks(same) != ranks(other)
    assert all(rank >= 3 for rank in ranks(one) + ranks(other))


def test_without_a_secret_every_run_draws_its_own() -> None:
    drawn = {
        tuple(
            document.secret_rank
            for document in protect_releases(
                starts(5), KNOWN, Target(3), Options(attacks=OTHERS, holdout_documents=0)
            ).documents
        )
        for _ in range(3)
    }
    assert len(drawn) > 1


def test_progress_is_told_for_every_document() -> None:
    steps: list[Progress] = []
    options = Options(attacks=OTHERS, holdout_documents=0, secret=b"one")
    protect_releases(starts(3), KNOWN, Target(3), options, on_progress=steps.append)
    assert [(step.done, step.total) for step in steps if step.stage == "protecting"] == [(1, 3), (2, 3), (3, 3)]


def test_stages_are_told_in_the_order_of_the_work() -> None:
    steps: list[Progress] = []
    options = Options(attacks=["bm25", InformedAttack()], holdout_documents=1, secret=b"two")
    protection = protect_releases(releases_with_clothes(2), KNOWN, Target(3), options, on_progress=steps.append)
    assert protection.rounds == 2
    assert [stage for stage, _ in groupby(steps, key=lambda step: step.stage)] == [
        "reading the background",
        "protecting",
        "verifying",
        "protecting, round 2",
        "verifying",
        "reading a part of the background",
        "hold-out run",
        "verifying the hold-out run",
        "attacking the initial releases",
    ]
    assert {(step.done, step.total) for step in steps if step.stage.startswith("reading")} == {(0, 0)}


def test_documents_that_are_all_blank_are_all_withheld() -> None:
    protection = protect([letter("n0", ""), letter("n1", " ")], holdout_documents=5)
    assert (protection.released, protection.met, len(protection.withheld)) == ([], False, 2)
    assert protection.to_json()["after"] == {}


# Attacks that find more than the loop expects.

COLOURS = "red blue green yellow brown white black grey purple orange pink golden".split()


class InformedAttack(TfIdfAttack):
    """Has read which colour each person's hat has; our background has not."""

    name: ClassVar[str] = "informed"

    def learn(self, people: Sequence[Person]) -> None:
        super().learn([Person(person.id, (*person.texts, clothes_sentence(int(person.id[1:])))) for person in people])


def clothes_sentence(number: int) -> str:
    return f"There was a {COLOURS[number % 12]} hat and a {COLOURS[(number // 12 + number + 5) % 12]} coat."


def releases_with_clothes(count: int) -> list[Release]:
    return [letter(start.document.id, f"{start.text} {clothes_sentence(at)}") for at, start in enumerate(starts(count))]


class Oracle:
    """Knows some people by the ids of their documents."""

    kind: ClassVar[AttackKind] = "linking"
    name: ClassVar[str] = "oracle"
    goal: ClassVar[str] = "Find people by magic."

    def __init__(self, *known: str) -> None:
        self._known = known

    def fit(self, background: Sequence[Person]) -> Self:
        return self

    def run(self, released: Mapping[str, str]) -> list[Attempt]:
        return [
            Attempt(self.name, key, (Guess(key, 1.0),) if key in self._known else (Guess("n23", 1.0),))
            for key in released
        ]


def test_an_attack_that_found_too_many_joins_the_loop_and_is_named() -> None:
    protection = protect(releases_with_clothes(5), attacks=["bm25", InformedAttack()])
    assert protection.before["informed"].risk > 1 / 3
    assert protection.loop_attacks[-1] == "informed"
    assert protection.rounds > 1
    assert protection.met
    assert "informed found too many at first and joined the loop" in protection.scenarios[0].about
    assert "is no proof" in protection.scenarios[0].about
    assert "joined" not in protect(starts(2), attacks=["bm25"]).scenarios[0].about


def test_whom_a_verifying_attack_still_finds_is_withheld() -> None:
    options = Options(attacks=[Oracle("n2")], holdout_documents=0, secret=b"one")
    protection = protect_releases(starts(6), background(120), Target(11), options)
    assert [withheld_document.id for withheld_document in protection.withheld] == ["n2"]
    assert "still finds its subject" in (protection.withheld[0].withheld or "")
    assert protection.met
    assert protection.after["oracle"].n == 5


def test_whom_the_loops_own_attacks_find_where_all_stand_is_withheld_too() -> None:
    options = Options(attacks=[Oracle()], holdout_documents=0, secret=b"secret 1")  # draws the same rank for all four
    known, target = background(4), Target(2, budget=1.0)
    protection = protect_releases(starts(4), known, target, options)
    assert protection.withheld
    assert all(
        "an attack still finds its subject" in (withheld_document.withheld or "")
        for withheld_document in protection.withheld
    )
    assert all(protection.target.is_met(value.learned.risk) for value in protection.after.values())
    released_anyway = protect_releases(starts(4), known, replace(target, release_anyway=True), options)
    assert (released_anyway.met, released_anyway.withheld) == (False, [])
    assert [document.released_anyway for document in released_anyway.documents] == [
        item.withheld for item in protection.documents
    ]
    assert released_anyway.target.is_met(released_anyway.scenarios[0].strongest[1].risk)
    assert "The loop's own attack" in verdict(released_anyway, released_anyway.met)


def test_few_enough_found_is_within_the_target() -> None:
    protection = protect(starts(6), attacks=["bm25", Oracle("n2")], secret=b"secret 1")
    assert (protection.met, protection.withheld) == (True, [])
    assert protection.scenarios[0].attacks["oracle"].learned.risk == pytest.approx(1 / 6)


def test_where_everybody_is_found_nothing_goes_out_without_release_anyway() -> None:
    attacks = [Oracle(*(f"n{number}" for number in range(4)))]
    protection = protect(starts(4), attacks=attacks)
    assert (protection.released, protection.met) == ([], False)
    assert len(protection.withheld) == 4
    released_anyway = protect(starts(4), Target(3, release_anyway=True), attacks=attacks)
    assert len(released_anyway.released) == 4
    assert not released_anyway.met
    assert released_anyway.to_json()["released_anyway"] == 4
    assert "finds 100 %" in verdict(released_anyway, released_anyway.met)


@pytest.mark.parametrize(("k", "rounds"), [(3, 3), (11, 2), (12, 2), (13, 1)])
def test_where_no_attack_can_join_ranks_are_doubled_while_half_the_people_are_enough(k: int, rounds: int) -> None:
    """Of 24: among 3 people there is room to double twice, among 11 and 12 once, among 13 not at all."""
    protection = protect(starts(2), Target(k), attacks=[Oracle("n0", "n1")])
    assert protection.rounds == rounds
    assert protection.released == []


def test_people_of_another_alphabet_and_broken_characters_do_not_stop_it() -> None:
    known = as_background(
        {f"p{number}": f"Зоя {number} держит голубей \ud800 на крыше номер {number}" for number in range(8)}
    )
    given = [letter("p1", "Человек держит голубей \udfff на крыше номер 1 и ждёт весны.")]
    protection = protect_releases(given, known, Target(2), Options(attacks=("bm25",), holdout_documents=1, secret=b"s"))
    assert len(protection.documents) == 1


def test_whom_paragraph_numbers_give_away_is_hidden() -> None:
    sentence = "Somebody wrote a long letter about the weather, and waited for an answer from the office in the town."
    people = as_background([Person(f"p{number:02}", (f"{12 + 3 * number}. Judges met.",)) for number in range(30)])
    given = [letter(f"p{number:02}", "\n\n".join([sentence] * (11 + 3 * number))) for number in range(0, 30, 2)]
    options = Options(attacks=("record-linkage",), holdout_documents=0, secret=b"one")
    protection = protect_releases(given, people, Target(3), options)
    assert protection.before["record-linkage"].risk > 0.9
    assert protection.after["record-linkage"].learned.risk <= 1 / 3
    assert "record-linkage" in protection.loop_attacks
    assert protection.repairs["form"] > 0
    assert all(release.repairs[-1].before == "typography and paragraph breaks" for release in protection.released)
    assert protection.met
    for one, initial in zip(protection.released, given, strict=True):
        assert one.release.text.split() == initial.text.split()
