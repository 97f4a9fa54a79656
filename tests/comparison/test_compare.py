"""Methods side by side: figures, what is kept of them, and the page."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Mapping
from pathlib import Path

import pytest

import sfumato
from sfumato.cache import SqliteStore
from sfumato.comparison.compare import Comparison, ResultCache, plot_methods
from sfumato.comparison.correlation import check_correlated, correlate
from sfumato.comparison.page import page
from sfumato.document import Document, Score
from sfumato.errors import NotMeasurable, UnknownName
from sfumato.metrics.measurement import FIELDS, Measurement
from tests.attacks.linking import ORIGINALS, PEOPLE, RELEASED, SharedWords
from tests.report.markup import assert_balanced, assert_self_contained

METRICS = ("risk", "rouge-l")


def compared(cache: Path | None = None, attack: SharedWords | None = None) -> Comparison:
    return sfumato.compare(
        ORIGINALS,
        {"none": "none", "mine": RELEASED, "all": "all"},
        metrics=METRICS,
        background=PEOPLE,
        attacks=[attack or SharedWords()],
        cache=cache,
    )


def test_both_ends_and_a_method_between() -> None:
    comparison = compared()
    risks = {name: one.scores["risk"].value for name, one in comparison.measurements.items()}
    assert risks == {"none": 1.0, "mine": 0.5, "all": 0.0}
    rouge = {name: one.scores["rouge-l"].value for name, one in comparison.measurements.items()}
    assert rouge["none"] == pytest.approx(max(rouge.values()))
    assert rouge["all"] == 0.0
    assert comparison.attacks["mine"].strongest.risk == 0.5
    told = comparison.to_json()
    assert set(told["methods"]) == {"none", "mine", "all"}
    assert told["methods"]["mine"]["strongest"]["risk"] == 0.5
    assert "evidence" not in json.dumps(told)


def test_rows_hold_metrics_and_attacks() -> None:
    rows = [dict(zip(("method", *FIELDS), row, strict=True)) for row in compared().rows()]
    risk = next(row for row in rows if (row["method"], row["metric"]) == ("mine", "risk"))
    assert (risk["value"], risk["n"], risk["higher_is_better"]) == (0.5, 4, "false")
    assert next(row for row in rows if (row["method"], row["family"]) == ("all", "attack"))["metric"] == "words"


def test_the_page_stands_for_itself_and_quotes_nobody() -> None:
    text = page(compared())
    assert_balanced(text)
    assert_self_contained(text)
    for outside in ("<script", "href=", "src=", "@import"):
        assert outside not in text
    for word in ("Quorvex", "pigeons", "anna"):
        assert word not in text
    assert "1 in 2 of the people in these 4 releases can be found" in text
    assert "9 %: 1 in 11" in text


def test_the_page_without_a_background() -> None:
    comparison = sfumato.compare(ORIGINALS, ["none", "all"], metrics=["rouge-l", "risk"])
    text = page(comparison)
    assert "No plot: nothing that was measured serves as an axis" in text
    assert "it needs what an attacker knows" in text
    assert "How to read the risk" not in text


def test_names_are_escaped() -> None:
    comparison = sfumato.compare(
        ORIGINALS, {"<b>&": RELEASED}, metrics=METRICS, background=PEOPLE, attacks=[SharedWords()]
    )
    assert "&lt;b&gt;&amp;" in page(comparison)
    assert "<b>&<" not in page(comparison)


def test_the_axes_can_be_chosen() -> None:
    comparison = compared()
    assert "ROUGE-L" in plot_methods(comparison)[0]
    assert plot_methods(comparison, "risk", "rouge-l")[1] == ["none", "mine", "all"]
    with pytest.raises(UnknownName, match="--utility tps: was not measured"):
        plot_methods(comparison, utility="tps")
    with pytest.raises(NotMeasurable):
        plot_methods(Comparison({}, {}, 0))


@pytest.fixture
def computed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The kinds of values that the cache did not have."""
    kinds: list[str] = []
    original = ResultCache._get

    def get(self: ResultCache, key: str, compute: object, *rest: object) -> object:
        def noted() -> object:
            kinds.append(key.split()[0])
            return compute()  # type: ignore[operator]

        return original(self, key, noted, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(ResultCache, "_get", get)
    return kinds


def test_a_second_run_computes_nothing_again(tmp_path: Path, computed: list[str]) -> None:
    documents = [Document("1", "Anna Quorvex, anna@example.org, saw pigeons."), Document("2", "Belo bakes.")]

    def run() -> Comparison:
        return sfumato.compare(documents, ["fast", "none"], metrics=["rouge-l", "length"], cache=tmp_path / "kept")

    first = run()
    assert sorted(computed) == ["releases", "score", "score", "score", "score"]
    computed.clear()
    again = run()
    assert computed == []
    for name, one in first.measurements.items():
        for metric, score in one.scores.items():
            other = again.measurements[name].scores[metric]
            assert (other.value, other.interval, other.per_document) == (
                score.value,
                score.interval,
                score.per_document,
            )
    stored = (tmp_path / "kept" / "results.sqlite").read_bytes()
    assert b"rouge-l" in stored
    assert b"Quorvex" not in stored


def test_what_changes_is_computed_again(tmp_path: Path, computed: list[str]) -> None:
    kept = tmp_path / "kept"
    base = {"1": "Anna Quorvex saw pigeons.", "2": "Belo bakes."}
    sfumato.compare(base, {"mine": {"1": "X saw pigeons.", "2": "Y bakes."}}, metrics=["rouge-l"], cache=kept)
    computed.clear()
    sfumato.compare(base, {"mine": {"1": "X saw birds.", "2": "Y bakes."}}, metrics=["rouge-l"], cache=kept)
    assert computed == ["score"]
    computed.clear()
    other = {"1": "Anna Quorvex saw doves.", "2": "Belo bakes."}
    sfumato.compare(other, {"mine": {"1": "X saw birds.", "2": "Y bakes."}}, metrics=["rouge-l"], cache=kept)
    assert computed == ["score"]


def test_attempts_are_kept_exactly(tmp_path: Path) -> None:
    made = SharedWords().fit(sfumato.attacks.background.as_background(PEOPLE).people).run(RELEASED)
    cache = ResultCache(tmp_path)
    assert cache.attempts("k", lambda: made) == made
    assert cache.attempts("k", list) == made
    assert (tmp_path / "results.sqlite").stat().st_mode & 0o077 == 0
    SqliteStore(tmp_path / "results.sqlite").put(b"attempts k", b"{broken")
    assert cache.attempts("k", list) == []
    assert cache.attempts("k", lambda: made) == []


def test_an_attack_given_as_an_object_is_run_anew(tmp_path: Path) -> None:
    attack = SharedWords()
    compared(tmp_path, attack)
    compared(tmp_path, attack)
    assert attack.runs == 4  # of the empty releases it sees none


def test_the_table_can_be_written_as_csv(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    with path.open("w", newline="") as handle:
        csv.writer(handle).writerows([("method", *FIELDS), *compared().rows()])
    assert len(path.read_text("utf-8").splitlines()) == 1 + 3 * 3


def test_what_a_method_withholds_is_said_in_every_run(tmp_path: Path) -> None:
    finnish = "Hän asuu Helsingissä ja työskentelee sairaalassa, jossa on paljon potilaita. " * 5
    for _ in range(2):
        comparison = sfumato.compare({"1": finnish, "2": "Anna slept."}, ["fast"], metrics=["rouge-l"], cache=tmp_path)
        assert [str(problem) for problem in comparison.problems] == [
            "fast: withholds 1 documents, which are left out of its figures"
        ]
        assert comparison.measurements["fast"].scores["rouge-l"].n == 1


def figures(**metrics: Mapping[str, float] | float) -> Measurement:
    """Scores of a method; of a metric given by document, their mean."""
    scores = {}
    for name, given in metrics.items():
        each = given if isinstance(given, Mapping) else {}
        value = sum(each.values()) / len(each) if isinstance(given, Mapping) else given
        scores[name] = Score(name, value, (value, value), 9, each, name != "trir")
    return Measurement(scores, {}, (), dict.fromkeys(scores, "family"))


PUBLISHED = {  # TPS and NMI, table 3 of Pilán et al. (2025)
    "suppression": (77.7, 30.2),
    "entity type": (84.8, 64.2),
    "presidio": (85.8, 66.0),
    "dou": (88.4, 58.7),
    "intact": (88.5, 80.0),
    "least-specific": (88.5, 57.7),
    "most-specific": (91.3, 89.9),
}


def test_tps_and_nmi_go_together_as_published() -> None:
    """ "A strong Pearson correlation r = 0.864 (p-value = 0.012)", from unrounded figures."""
    correlation = correlate(
        Comparison({name: figures(tps=tps, nmi=nmi) for name, (tps, nmi) in PUBLISHED.items()}, {}, 127), "tps", "nmi"
    )
    assert correlation.over_methods is not None
    assert correlation.over_methods.value == pytest.approx(0.864, abs=0.001)
    assert round(correlation.over_methods.p, 3) == 0.012
    assert correlation.over_methods.n == 7
    assert correlation.over_documents == {}


def test_metrics_are_correlated_over_the_documents_of_each_method() -> None:
    # Deviations of a: -1 0 1, of b: -1 1 0 (x 10): r = 1 / 2. The fourth document has one value only.
    figure = figures(a={"1": 0.1, "2": 0.2, "3": 0.3, "4": 0.9}, b={"1": 10.0, "2": 30.0, "3": 20.0})
    correlation = correlate(Comparison({"one": figure, "flat": figures(a=0.1, b=3.0)}, {}, 4), "a", "b")
    assert correlation.over_methods is None
    assert "three pairs" in correlation.why_none
    assert correlation.over_documents["one"].value == pytest.approx(0.5)
    assert correlation.over_documents["one"].n == 3
    assert set(correlation.over_documents) == {"one"}
    assert correlation.to_json()["over_documents"]["one"]["p"] == correlation.over_documents["one"].p
    text = page(Comparison({"one": figure}, {}, 4), correlations=[correlation])
    assert_balanced(text)
    assert "documents of one" in text


def test_what_is_not_measured_is_not_correlated() -> None:
    check_correlated([("tps", "nmi")], None)
    with pytest.raises(UnknownName, match="--correlate nmi: is not measured"):
        check_correlated([("tps", "nmi")], ["tps", "bleu"])


def test_a_line_goes_through_the_models_of_a_prompt_and_one_marks_nine_per_cent_of_trir() -> None:
    rows = {"spacy": figures(tpi=0.6, trir=0.4)}
    rows |= {f"sparks @ {model}": figures(tpi=x, trir=y) for model, x, y in (("a", 0.7, 0.3), ("b", 0.5, 0.1))}
    rows |= {f"student @ {model}": figures(tpi=x, trir=y) for model, x, y in (("a", 0.9, 0.6), ("b", 0.8, 0.5))}
    by_model = {name: [f"{name} @ a", f"{name} @ b"] for name in ("sparks", "student")}
    comparison = Comparison(rows, {}, 9, by_model=by_model)
    svg, shown = plot_methods(comparison, "trir", "tpi")
    assert list(shown) == list(rows)
    assert len(re.findall("<polyline", svg)) == 2
    names = re.findall(r'font-weight="600">([^<]*)<', svg)
    assert names == ["spacy", "sparks @ a", "b", "student @ a", "b"]
    assert "9 %: 1 in 11" in svg
    assert "A line goes through one method with several language models" in page(comparison, "trir", "tpi")
    without = Comparison(rows, {}, 9)
    assert "<polyline" not in plot_methods(without, "trir", "tpi")[0]
    # Without a choice TRIR is shown where nothing else says the risk.
    assert plot_methods(comparison)[0] == svg


def test_no_line_marks_nine_per_cent_of_what_is_no_risk() -> None:
    comparison = Comparison({"a": figures(tps=0.6, lr=40.0)}, {}, 9)
    assert "1 in 11" not in plot_methods(comparison)[0]
