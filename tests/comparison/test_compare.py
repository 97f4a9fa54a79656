"""Methods side by side: figures, what is kept of them, and the page."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

import sfumato
from sfumato.cache import SqliteStore
from sfumato.comparison.compare import FIELDS, Comparison, ResultCache, plot_methods
from sfumato.comparison.page import page
from sfumato.document import Document
from sfumato.errors import NotMeasurable, UnknownName
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
    found = compared()
    risks = {name: one.scores["risk"].value for name, one in found.measurements.items()}
    assert risks == {"none": 1.0, "mine": 0.5, "all": 0.0}
    rouge = {name: one.scores["rouge-l"].value for name, one in found.measurements.items()}
    assert rouge["none"] == pytest.approx(max(rouge.values()))
    assert rouge["all"] == 0.0
    assert found.attacks["mine"].strongest.risk == 0.5
    told = found.to_json()
    assert set(told["methods"]) == {"none", "mine", "all"}
    assert told["methods"]["mine"]["strongest"]["risk"] == 0.5
    assert "evidence" not in json.dumps(told)


def test_rows_hold_metrics_and_attacks() -> None:
    rows = [dict(zip(FIELDS, row, strict=True)) for row in compared().rows()]
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
    found = sfumato.compare(ORIGINALS, ["none", "all"], metrics=["rouge-l", "risk"])
    text = page(found)
    assert "No plot: nothing that was measured serves as an axis" in text
    assert "it needs what an attacker knows" in text
    assert "How to read the risk" not in text


def test_names_are_escaped() -> None:
    found = sfumato.compare(ORIGINALS, {"<b>&": RELEASED}, metrics=METRICS, background=PEOPLE, attacks=[SharedWords()])
    assert "&lt;b&gt;&amp;" in page(found)
    assert "<b>&<" not in page(found)


def test_the_axes_can_be_chosen() -> None:
    found = compared()
    assert "ROUGE-L" in plot_methods(found)[0]
    assert plot_methods(found, "risk", "rouge-l")[1] == ["none", "mine", "all"]
    with pytest.raises(UnknownName, match="--utility tps: was not measured"):
        plot_methods(found, utility="tps")
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
        csv.writer(handle).writerows([FIELDS, *compared().rows()])
    assert len(path.read_text("utf-8").splitlines()) == 1 + 3 * 3


def test_what_a_method_withholds_is_said_in_every_run(tmp_path: Path) -> None:
    finnish = "Hän asuu Helsingissä ja työskentelee sairaalassa, jossa on paljon potilaita. " * 5
    for _ in range(2):
        found = sfumato.compare({"1": finnish, "2": "Anna slept."}, ["fast"], metrics=["rouge-l"], cache=tmp_path)
        assert [str(one) for one in found.problems] == [
            "fast: withholds 1 documents, which are left out of its figures"
        ]
        assert found.measurements["fast"].scores["rouge-l"].n == 1
