"""Files and objects in, measurements out; what does not fit is said."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import sfumato
from sfumato.document import Document, Edit, Release, Span
from sfumato.errors import InputError, RecipeError, UnknownName
from sfumato.metrics.run import select_metrics

CASES = {
    "a": "Anna Quorvex lives in Lublin with two cats and a dog.",
    "b": "The firm Brimdale paid Li Tvesk forty euros in the spring.",
}
GOLD = {"a": [(0, 12, "PERSON", "DIRECT"), (22, 28, "LOC", "QUASI")], "b": [(23, 31, "PERSON", "DIRECT")]}
FAST = ["tab-mention-recall", "tab-direct-recall", "lr", "smr", "over-redaction"]


def mention(start: int, end: int, label: str, decision: str) -> dict[str, object]:
    return {"start_offset": start, "end_offset": end, "entity_type": label, "identifier_type": decision}


def record(key: str) -> dict[str, object]:
    mentions = [mention(*marked) for marked in GOLD[key]]
    return {"doc_id": key, "text": CASES[key], "annotations": {"one": {"entity_mentions": mentions}}}


@pytest.fixture
def originals(tmp_path: Path) -> Path:
    path = tmp_path / "originals.jsonl"
    path.write_text("".join(json.dumps({"id": key, "text": text}) + "\n" for key, text in CASES.items()))
    return path


@pytest.fixture
def tab(tmp_path: Path) -> Path:
    path = tmp_path / "tab.json"
    path.write_text(json.dumps([record(key) for key in CASES]))
    return path


def written(path: Path, value: object) -> Path:
    path.write_text(value if isinstance(value, str) else json.dumps(value))
    return path


def masks(folder: Path) -> Path:
    return written(folder / "m.json", {"a": [[0, 12, "PERSON_1"], [22, 28]], "b": [[23, 31]]})


def test_the_annotations_of_the_originals_are_the_gold(tab: Path, tmp_path: Path) -> None:
    measured = sfumato.measure(tab, masks(tmp_path), metrics=FAST)
    assert (measured.refused, measured.problems) == ({}, ())
    assert {name: score.value for name, score in measured.scores.items()} == {
        "tab-mention-recall": 1.0,
        "tab-direct-recall": 1.0,
        "lr": 100.0,
        "smr": 100.0,
        "over-redaction": 0.0,
    }
    assert "edits" not in measured.scores["lr"].settings


def test_without_gold_it_is_said_what_to_give(originals: Path, tmp_path: Path) -> None:
    measured = sfumato.measure(originals, masks(tmp_path), metrics=["lr"])
    assert measured.scores == {}
    assert measured.refused == {"lr": "it needs reference spans (--gold FILE)"}


@pytest.mark.parametrize("kind", ["tab", "spans", "masks", "lines", "mapping"])
def test_gold_comes_in_many_forms(originals: Path, tab: Path, tmp_path: Path, kind: str) -> None:
    spans = {key: [{"start": s, "end": e, "label": n} for s, e, n, _ in marked] for key, marked in GOLD.items()}
    gold: object = {
        "tab": tab,
        "lines": written(tmp_path / "g.jsonl", "".join(json.dumps(record(key)) + "\n" for key in CASES)),
        "spans": written(
            tmp_path / "s.jsonl", "".join(json.dumps({"id": k, "spans": v}) + "\n" for k, v in spans.items())
        ),
        "masks": written(tmp_path / "gold.json", {key: [m[:2] for m in marked] for key, marked in GOLD.items()}),
        "mapping": {key: [Span(*marked[:3]) for marked in given] for key, given in GOLD.items()},
    }[kind]
    measured = sfumato.measure(originals, masks(tmp_path), metrics=["tab-mention-recall"], gold=gold)  # type: ignore[arg-type]
    assert measured.scores["tab-mention-recall"].n == 3
    assert measured.scores["tab-mention-recall"].value == 1.0


def test_released_texts_are_aligned_and_the_score_says_so(tab: Path, tmp_path: Path) -> None:
    texts = {"a": "PERSON_1 lives in LOC_1 with two cats and a dog.", "b": CASES["b"]}
    for path in (
        written(tmp_path / "r.json", texts),
        written(tmp_path / "r.jsonl", "".join(json.dumps({"id": k, "text": v}) + "\n" for k, v in texts.items())),
    ):
        measured = sfumato.measure(tab, path, metrics=["tab-mention-recall", "lr"])
        assert measured.scores["tab-mention-recall"].value == 2 / 3
        assert measured.scores["tab-mention-recall"].settings["edits"] == "aligned"


def test_a_folder_of_texts(tmp_path: Path) -> None:
    for name, suffix in (("before", ""), ("after", " x")):
        (tmp_path / name).mkdir()
        for key, text in CASES.items():
            written(tmp_path / name / f"{key}.txt", text + suffix)
    gold = {key: [Span(*marked[:3]) for marked in given] for key, given in GOLD.items()}
    measured = sfumato.measure(tmp_path / "before", tmp_path / "after", metrics=["smr"], gold=gold)
    assert measured.scores["smr"].value == 0.0


def test_a_rewrite_is_measured_where_it_can_be_and_refused_by_name_elsewhere(tab: Path) -> None:
    texts = {"a": "Someone keeps pets somewhere in the east of Poland.", "b": "A payment was made."}
    measured = sfumato.measure(tab, texts, metrics=FAST)
    assert set(measured.scores) == {"lr", "smr"}
    assert "2 of 2 releases are rewritten texts" in measured.refused["tab-mention-recall"]


def test_what_does_not_fit_together_is_reported(tab: Path, tmp_path: Path) -> None:
    path = written(tmp_path / "m.json", {"a": [[0, 12], [40, 400]], "z": [[0, 1]]})
    measured = sfumato.measure(tab, path, metrics=["lr"])
    phrase = "\n".join(map(str, measured.problems))
    assert "1 masks of document a end after its 53 characters" in phrase
    assert "1 releases have ids that no original has: z" in phrase
    assert "1 originals have no release and are left out: b" in phrase
    assert measured.refused["lr"] == "there is no document to measure"


def test_renumbered_ids_are_named(tab: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="renumbered at release, give the audit"):
        sfumato.measure(tab, {"document-1": "x", "document-2": "y"}, metrics=["lr"])


def test_empty_originals_are_left_out_and_bare_releases_are_said(tmp_path: Path) -> None:
    gold = {"a": [Span(0, 4, "PERSON")], "b": []}
    measured = sfumato.measure({"a": "Anna", "b": " "}, {"a": "", "b": ""}, metrics=["alid"], gold=gold)
    assert measured.scores["alid"].value == 100.0
    assert [str(problem) for problem in measured.problems] == [
        "releases: 1 originals hold no text and are left out: b",
        "releases: 1 releases hold no text at all; they are measured: a",
    ]


def test_gold_of_another_text_is_left_out(originals: Path, tmp_path: Path) -> None:
    other = {**record("a"), "text": CASES["a"] + " And more."}
    gold = written(tmp_path / "g.json", [other, record("b")])
    measured = sfumato.measure(originals, masks(tmp_path), metrics=["lr"], gold=gold)
    assert measured.scores["lr"].n == 1
    assert "document a was annotated on another text" in str(measured.problems[0])
    message = "reference spans of not one original .the first of 1 problems: .* annotated on another text"
    with pytest.raises(InputError, match=message):
        sfumato.measure(originals, masks(tmp_path), metrics=["lr"], gold=written(tmp_path / "h.json", [other]))
    with pytest.raises(InputError, match="a reference span of document a ends after its text"):
        sfumato.measure(originals, masks(tmp_path), metrics=["lr"], gold={"a": [Span(0, 99, "PERSON")]})


def test_what_cannot_be_read_at_all_is_told_with_the_reason_and_the_form(originals: Path, tmp_path: Path) -> None:
    strange = written(tmp_path / "strange.json", [{"id": "a", "masks": [[0, 4]]}])
    message = r"record 1: the record has no field 'text'.*\. Releases are .*masks \{id: \[\[start"
    with pytest.raises(InputError, match=message):
        sfumato.measure(originals, strange, metrics=["smr"])
    with pytest.raises(InputError, match=r"record 1.*Reference spans are TAB's JSON, .*\.ann"):
        sfumato.measure(originals, masks(tmp_path), metrics=["lr"], gold=strange)
    with pytest.raises(InputError, match=r"^\S*\.pdf: PDF comes later"):
        sfumato.measure(written(tmp_path / "x.pdf", "x"), {"a": "x"}, metrics=["smr"])


def test_releases_may_be_objects() -> None:
    document = Document("a", CASES["a"])
    release = Release(document, (Edit(Span(0, 12, "PERSON"), "X"),))
    gold = {"a": [Span(0, 12, "PERSON"), Span(22, 28, "LOC")]}
    assert sfumato.measure([document], [release], metrics=["smr"], gold=gold).scores["smr"].value == 50.0
    with pytest.raises(InputError, match="made from another text"):
        sfumato.measure([Document("a", "Something else.")], [release], metrics=["smr"])


def test_settings_reach_their_metric_and_wrong_ones_are_named(tab: Path, tmp_path: Path) -> None:
    measured = sfumato.measure(tab, masks(tmp_path), metrics=["lr"], settings={"lr": {"threshold": 0.2}})
    assert measured.scores["lr"].settings["threshold"] == 0.2
    with pytest.raises(RecipeError, match="metric 'lr' has no setting 'treshold': did you mean 'threshold'"):
        sfumato.measure(tab, masks(tmp_path), metrics=["lr"], settings={"lr": {"treshold": 0.2}})


def test_authors_compat_reaches_the_metrics_that_have_it(tab: Path, tmp_path: Path) -> None:
    measured = sfumato.measure(tab, masks(tmp_path), metrics=["tab-token-recall", "lr"], authors_compat=True)
    assert measured.scores["tab-token-recall"].settings["authors_compat"] is True
    assert "authors_compat" not in measured.scores["lr"].settings


def test_families_and_wrong_names() -> None:
    assert set(select_metrics(["levenshtein"])) == {"alid", "lr", "lrdi", "lrqi", "smr"}
    assert select_metrics(["lr", "levenshtein"])[0] == "lr"
    with pytest.raises(UnknownName, match="no metric or family 'levenstein': did you mean 'levenshtein'"):
        select_metrics(["levenstein"])
    with pytest.raises(UnknownName, match="no metric or family 'recall': did you mean 'entity-recall'") as wrong:
        select_metrics(["recall"])
    assert "'tab-direct-recall'" in str(wrong.value)


def test_an_argument_that_does_not_exist_is_refused_by_name(tab: Path, tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="there is no argument 'golds': did you mean 'gold'"):
        sfumato.measure(tab, masks(tmp_path), golds="x")  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="there is no argument 'golds': did you mean 'gold'"):
        sfumato.compare(tab, ["none"], golds="x")  # type: ignore[call-arg]


def test_a_model_that_cannot_be_loaded_refuses_the_metrics_that_ask_for_it(tab: Path, tmp_path: Path) -> None:
    measured = sfumato.measure(tab, masks(tmp_path), metrics=["tab-weighted-precision", "lr"], scorer="no-such-scorer")
    assert set(measured.scores) == {"lr"}
    assert "the scorer cannot be used: no scorer 'no-such-scorer'" in measured.refused["tab-weighted-precision"]


@pytest.mark.parametrize("form", ["csv", "json", "jsonl"])
def test_labels_come_as_a_table_or_an_object(tmp_path: Path, form: str) -> None:
    from sfumato.formats.base import Columns
    from sfumato.metrics.run import load_values

    path = tmp_path / f"labels.{form}"
    written(
        path,
        {
            "csv": "id,label\na,yes\nb,no\n",
            "json": '{"a": "yes", "b": "no"}',
            "jsonl": '{"id": "a", "label": "yes"}\n{"id": "b", "label": "no"}\n',
        }[form],
    )
    assert load_values(path, "label", Columns(), lambda problem: pytest.fail(str(problem))) == {"a": "yes", "b": "no"}


def test_brat_folders_are_gold_too(tmp_path: Path) -> None:
    for folder in ("before", "gold"):
        (tmp_path / folder / "ward").mkdir(parents=True)
    written(tmp_path / "before" / "ward" / "a.txt", CASES["a"])
    written(
        tmp_path / "gold" / "ward" / "a.ann",
        "T1\tPERSON 0 4;5 12\tAnna Quorvex\n#1\tNote T1\tx\nT2\tLOC 22 28\tLublin\nT3 broken\n",
    )
    measured = sfumato.measure(
        tmp_path / "before", {"ward/a": CASES["a"]}, metrics=["tab-mention-recall"], gold=tmp_path / "gold"
    )
    assert measured.scores["tab-mention-recall"].n == 3
    assert [problem.line for problem in measured.problems] == [4]
