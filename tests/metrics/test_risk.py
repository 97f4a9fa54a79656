"""The metrics that count attempts, against the report and by hand."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from scipy.stats import binomtest

import sfumato
from sfumato import registry
from sfumato.attacks.background import as_background
from sfumato.attacks.risk import with_true_rank
from sfumato.attacks.suite import LazyAttempts
from sfumato.document import Attempt
from sfumato.errors import NotMeasurable, RecipeError
from sfumato.metrics.base import MetricInput
from sfumato.metrics.measurement import Measurement
from sfumato_papers.attacks.trir.attack import Trir
from tests.attacks.linking import ORIGINALS, PEOPLE, RELEASED, Fixed, SharedWords

SECOND = Fixed("second", {key: [("edda", 2.0), (key, 1.0)] for key in RELEASED})


def measured(*names: str, settings: dict[str, dict[str, object]] | None = None) -> Measurement:
    return sfumato.measure(
        ORIGINALS,
        RELEASED,
        metrics=names,
        background=PEOPLE,
        attacks=[SharedWords(), SECOND],
        settings=settings,
    )


def test_risk_is_that_of_the_strongest_attack() -> None:
    score = measured("risk").scores["risk"]
    assert (score.value, score.n, score.higher_is_better) == (0.5, 4, False)
    assert score.interval == pytest.approx(tuple(binomtest(2, 4).proportion_ci(method="wilson")))
    assert score.per_document == {"anna": 1.0, "belo": 1.0, "cora": 0.0, "dano": 0.0}
    assert (score.settings["attack"], score.settings["at_rank"], score.settings["people"]) == ("words", 1, 5)
    best = measured("risk", settings={"risk": {"rank": "best"}}).scores["risk"]
    assert (best.value, best.settings["attack"], best.settings["at_rank"]) == (1.0, "second", 2)
    assert set(best.per_document.values()) == {1.0}


def test_any_attack_stands_beside_its_chance() -> None:
    score = measured("risk-any").scores["risk-any"]
    assert (score.value, score.n) == (0.5, 4)
    assert score.settings["chance"] == pytest.approx(1 - 0.8**2)
    assert score.settings["attacks"] == ["words", "second"]


def test_trir_is_measured_where_its_attack_ran() -> None:
    assert measured("trir").refused == {"trir": "it needs the attack trir to be run (--attack trir)"}
    trir = Fixed("trir", {"anna": [("anna", 1.0)], "belo": [("edda", 1.0)], "cora": [("cora", 2.0), ("dano", 1.0)]})
    score = sfumato.measure(ORIGINALS, RELEASED, metrics=["trir"], background=PEOPLE, attacks=[trir]).scores["trir"]
    assert (score.value, score.n) == (0.5, 4)


def test_trir_says_what_it_was_made_with() -> None:
    attack = Trir(model="a-bert", epochs=4, pretraining_epochs=1, background="masked", detector="rules", seed=7)
    made_with = {
        "model": "a-bert",
        "epochs": 4,
        "pretraining_epochs": 1,
        "copies": ["masked"],
        "detector": "rules",
        "language": "auto",
        "seed": 7,
    }
    assert attack.settings == made_with
    by_default = {
        "epochs": 15,
        "pretraining_epochs": 3,
        "copies": ["clear", "masked"],
        "detector": "default",
        "seed": 0,
    }
    assert {**Trir().settings, **by_default} == Trir().settings
    assert Trir(background="clear").settings["detector"] is None

    class Trained(Fixed):
        settings = made_with

    trained = Trained("trir", {"anna": [("anna", 1.0)]})
    scores = sfumato.measure(ORIGINALS, RELEASED, metrics=["trir", "risk"], background=PEOPLE, attacks=[trained]).scores
    assert made_with.items() <= scores["trir"].settings.items()
    assert scores["risk"].settings["attack_settings"] == made_with
    report = sfumato.attack(ORIGINALS, RELEASED, PEOPLE, attacks=[trained, SharedWords()]).to_json()
    assert report["attacks"]["trir"]["settings"] == made_with
    assert "settings" not in report["attacks"]["words"]


def test_documents_without_a_person_are_counted() -> None:
    originals = {**{document.id: document.text for document in ORIGINALS}, "fremd": "A stranger."}
    scores = sfumato.measure(
        originals, {**RELEASED, "fremd": "x"}, metrics=["risk"], background=PEOPLE, attacks=[SharedWords()]
    )
    assert scores.scores["risk"].n == 4
    assert scores.scores["risk"].settings["without_background"] == 1


def test_without_a_background_there_is_no_risk() -> None:
    scores = sfumato.measure(ORIGINALS, RELEASED, metrics=["risk", "rouge-l"])
    assert scores.refused == {"risk": "it needs what an attacker knows (--background FILE)"}
    with pytest.raises(RecipeError, match="give --background FILE"):
        sfumato.measure(ORIGINALS, RELEASED, metrics=["risk"], attacks=["tfidf"])


def test_attacks_run_only_when_a_metric_looks() -> None:
    attack = SharedWords()
    sfumato.measure(ORIGINALS, RELEASED, metrics=["rouge-l"], background=PEOPLE, attacks=[attack])
    assert (attack.fits, attack.runs) == (0, 0)
    sfumato.measure(ORIGINALS, RELEASED, metrics=["risk", "risk-any"], background=PEOPLE, attacks=[attack])
    assert (attack.fits, attack.runs) == (1, 1)


def test_attempts_are_made_one_attack_at_a_time() -> None:
    ran: list[str] = []

    def run(name: str) -> Sequence[Attempt]:
        ran.append(name)
        return [with_true_rank(Attempt(name, "a", ()), {"t"})]

    attempts = LazyAttempts(["one", "two"], run)
    assert (len(attempts), list(attempts), "two" in attempts, "three" in attempts, ran) == (
        2, ["one", "two"], True, False, [],
    )  # fmt: skip
    assert attempts["two"][0].attack == attempts["two"][0].attack == "two"
    assert ran == ["two"]
    with pytest.raises(KeyError):
        attempts["three"]


def test_an_attack_without_documents_is_no_risk_of_zero() -> None:
    background = as_background(PEOPLE)
    inputs = MetricInput([sfumato.Release(ORIGINALS[0])], background=background, attempts={"words": []})
    with pytest.raises(NotMeasurable, match="no release whose person is in the background"):
        registry.get("metric", "risk")(inputs)
