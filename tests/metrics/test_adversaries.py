"""Several adversaries: their figures and their agreement, against values worked out by hand."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from sfumato import measure
from sfumato.cli.app import app
from sfumato.document import Score
from sfumato.errors import NotMeasurable, RecipeError
from sfumato.llm.replay import ScriptedChat
from sfumato.metrics.adversaries import compare_adversaries


def score(values: Sequence[float], *, higher_is_better: bool = True, metric: str = "cpr") -> Score:
    per_document = {str(number): value for number, value in enumerate(values)}
    return Score(metric, sum(values) / len(values), (0.0, 1.0), len(values), per_document, higher_is_better)


def plain_spearman(first: Sequence[float], second: Sequence[float]) -> float:
    """1 − 6 Σd² / (n (n² − 1)), for values without ties."""
    ranks = [{value: rank for rank, value in enumerate(sorted(side))} for side in (first, second)]
    n = len(first)
    squares = sum((ranks[0][one] - ranks[1][other]) ** 2 for one, other in zip(first, second, strict=True))
    return 1 - 6 * squares / (n * (n * n - 1))


def test_each_document_counts_at_its_worst_adversary() -> None:
    # Worst of (.9, .2), (.1, .8), (.5, .5), (1, .6): .2, .1, .5, .6.
    compared = compare_adversaries({"a": score([0.9, 0.1, 0.5, 1.0]), "b": score([0.2, 0.8, 0.5, 0.6])})
    assert compared.worst.value == pytest.approx(0.35)
    assert compared.worst.per_document == {"0": 0.2, "1": 0.1, "2": 0.5, "3": 0.6}
    # |.7|, |.7|, 0, |.4|: .45 in the mean.
    (pair,) = compared.pairs
    assert (pair.first, pair.second) == ("a", "b")
    assert pair.difference == pytest.approx(0.45)
    assert (compared.strongest, compared.documents, compared.kappa) == ("b", 4, None)


def test_where_less_is_better_the_worst_is_the_greatest() -> None:
    result = {"a": score([1, 0, 0, 0], higher_is_better=False), "b": score([1, 1, 0, 0], higher_is_better=False)}
    compared = compare_adversaries(result)
    assert compared.worst.value == 0.5
    assert compared.strongest == "b"
    # Of four documents three agree: P = 3/4. Chance: (3/8)² + (5/8)² = 34/64. κ = (48 − 34) / (64 − 34) = 7/15.
    assert compared.kappa is not None
    assert compared.kappa.value == pytest.approx(7 / 15)


@pytest.mark.parametrize("order", list(permutations(range(4)))[::5])
def test_ranks_are_correlated_as_the_plain_formula_does(order: tuple[int, ...]) -> None:
    first, second = [0.1, 0.4, 0.6, 0.9], [(0.05, 0.3, 0.7, 0.8)[index] for index in order]
    (pair,) = compare_adversaries({"a": score(first), "b": score(second)}).pairs
    assert pair.correlation is not None
    assert pair.correlation.value == pytest.approx(plain_spearman(first, second))


def test_three_adversaries_make_three_pairs() -> None:
    compared = compare_adversaries({name: score([0.1 * n, 0.5, 0.9]) for n, name in enumerate("abc")})
    assert [(pair.first, pair.second) for pair in compared.pairs] == [("a", "b"), ("a", "c"), ("b", "c")]
    assert compared.to_json()["strongest"] == "a"


def test_what_cannot_be_said_says_why() -> None:
    (pair,) = compare_adversaries({"a": score([0.5, 0.5, 0.5]), "b": score([0.1, 0.2, 0.3])}).pairs
    assert pair.correlation is None
    assert "all values of one side are the same" in pair.why_none
    apart = Score("cpr", 0.5, (0.0, 1.0), 1, {"other": 0.5}, True)
    with pytest.raises(NotMeasurable, match="no document in common"):
        compare_adversaries({"a": score([0.5]), "b": apart})
    with pytest.raises(ValueError, match="one metric"):
        compare_adversaries({"a": score([0.5]), "b": score([0.5], metric="ipr")})
    with pytest.raises(ValueError, match="two or more"):
        compare_adversaries({"a": score([0.5])})


def test_agreement_on_what_nobody_found_is_no_kappa_and_its_interval_is_not_empty() -> None:
    compared = compare_adversaries({name: score([0, 0, 0], higher_is_better=False) for name in "ab"})
    assert compared.kappa is None
    assert compared.worst.interval[1] > 0.5


TEXTS = {"ana": "Ana bakes. Ana sings. Ana knits. Ana swims.", "bo": "Bo flies. Bo reads. Bo rows. Bo hums."}
SET = {"claims-privacy": {"splitter": "chat", "judge": "chat"}}


def adversary(name: str, ratings: dict[str, int]) -> ScriptedChat:
    """One who rates the only unknown claim of each record so."""

    def answer(request: Any) -> str:
        text = request.messages[-1].text
        if "List the claims" in text:
            return json.dumps({"claims": re.findall(r"\b(?:Ana|Bo) \w+\.", text)})
        return json.dumps({"ratings": [next(rating for who, rating in ratings.items() if who in text)]})

    return ScriptedChat(answer, name=name)


def test_metrics_that_ask_are_measured_by_each_adversary_and_others_once() -> None:
    first, second = adversary("first", {"Ana": 1, "Bo": 3}), adversary("second", {"Ana": 2, "Bo": 3})
    metrics = ["claims-privacy", "rouge-l"]
    measured = measure(TEXTS, TEXTS, metrics=metrics, settings=SET, chat=first, adversaries=[second])
    assert list(measured.adversaries) == ["claims-privacy"]
    compared = measured.adversaries["claims-privacy"]
    assert list(compared.scores) == ["first", "second"]
    assert measured.scores["claims-privacy"] == compared.scores["first"]
    assert compared.scores["first"].per_document == {"ana": 0.0, "bo": 1.0}
    assert compared.scores["second"].per_document == {"ana": 0.5, "bo": 1.0}
    assert compared.worst.value == 0.5
    assert compared.strongest == "first"
    assert measured.to_json()["adversaries"]["claims-privacy"]["strongest"] == "first"


def test_adversaries_need_a_first_and_names_of_their_own() -> None:
    attacker = adversary("one", {"Ana": 1, "Bo": 1})
    with pytest.raises(RecipeError, match="beside that of --chat"):
        measure(TEXTS, TEXTS, metrics=["rouge-l"], adversaries=[attacker])
    with pytest.raises(RecipeError, match="two adversaries are called 'one'"):
        measure(TEXTS, TEXTS, metrics=["rouge-l"], chat=attacker, adversaries=[attacker])
    other = adversary("other", {"Ana": 1, "Bo": 1})
    measured = measure(TEXTS, TEXTS, metrics=["rouge-l"], chat=attacker, adversaries=[other])
    assert measured.adversaries == {}
    assert "no metric asked a language model" in str(measured.problems[-1])


def test_an_adversary_that_gives_no_answer_is_reported() -> None:
    attacker = adversary("one", {"Ana": 1, "Bo": 1})
    mute = ScriptedChat(lambda request: "I cannot help with that.", name="mute")
    measured = measure(TEXTS, TEXTS, metrics=["claims-privacy"], settings=SET, chat=attacker, adversaries=[mute])
    assert measured.adversaries == {}
    assert "claims-privacy by mute" in str(measured.problems[-1])


def test_the_command_shows_them_side_by_side(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chats = {name: adversary(name, {"Ana": rating, "Bo": 3}) for name, rating in (("mild", 2), ("harsh", 1))}
    monkeypatch.setattr("sfumato.llm.settings.open_chat", lambda spec, **options: chats[spec])
    monkeypatch.setattr("sfumato.llm.settings.parse_spec", lambda spec: None)
    for folder in (tmp_path / "in", tmp_path / "out"):
        folder.mkdir()
        for key, text in TEXTS.items():
            (folder / f"{key}.txt").write_text(text, encoding="utf-8")
    arguments = ["measure", str(tmp_path / "in"), str(tmp_path / "out"), "--metric", "claims-privacy"]
    arguments += ["--set", "claims-privacy.judge=chat", "--set", "claims-privacy.splitter=chat"]
    arguments += ["--chat", "mild", "--adversary", "harsh"]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output
    assert "claims-privacy by adversary" in result.output
    assert "strongest adversary: harsh" in result.output
    shown = json.loads(CliRunner().invoke(app, [*arguments, "--json"]).stdout)
    assert set(shown["adversaries"]["claims-privacy"]["adversaries"]) == {"mild", "harsh"}
    for text in TEXTS.values():
        assert text not in result.output
