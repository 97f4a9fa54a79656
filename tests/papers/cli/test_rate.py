"""``sfumato rate`` as a user runs it: a sheet out, filled sheets in."""

from __future__ import annotations

import csv
import json
import stat
from collections import Counter
from collections.abc import Callable
from math import sqrt
from pathlib import Path

import pytest

from tests.cli.test_commands import sfumato

TEXTS = {
    f"d{number}": f"{name} lives in {town} with two cats. In {town} it rains. {name} was born on {day} May 1970."
    for number, (name, town, day) in enumerate(
        [("Anna Quorvex", "Lublin", 3), ("Belo Tvesk", "Oslo", 14), ("Cora Brimdale", "Ghent", 25)]
    )
}
Row = dict[str, str]


def masks(town: str, date: str) -> dict[str, list[list[object]]]:
    """Every name a label, both mentions of the town and the date as given."""
    edits: dict[str, list[list[object]]] = {}
    for key, text in TEXTS.items():
        name, place = text.split(" lives in ")[0], text.split(" in ")[1].split(" with")[0]
        edits[key] = []
        for words, new in ((name, "PERSON_1"), (place, town), (text[text.index("on ") + 3 : -1], date)):
            at = text.find(words)
            while at >= 0:
                edits[key].append([at, at + len(words), new])
                at = text.find(words, at + 1)
    return edits


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    lines = [json.dumps({"id": key, "text": text}) for key, text in TEXTS.items()]
    (tmp_path / "notes.jsonl").write_text("\n".join(lines), encoding="utf-8")
    (tmp_path / "vague.masks.json").write_text(json.dumps(masks("a city", "some day")), encoding="utf-8")
    (tmp_path / "wrong.masks.json").write_text(json.dumps(masks("Paris", "some day")), encoding="utf-8")
    labels = {"PERSON": "PERSON_1", "LOC": "a city", "DATETIME": "some day"}
    spans = [
        {
            "id": key,
            "spans": [
                {"start": start, "end": end, "label": next(label for label, said in labels.items() if said == new)}
                for start, end, new in edits
            ],
        }
        for key, edits in masks("a city", "some day").items()
    ]
    (tmp_path / "spans.jsonl").write_text("\n".join(map(json.dumps, spans)), encoding="utf-8")
    return tmp_path


def make(folder: Path, *arguments: object, out: str = "sheet.csv", expect: int = 0) -> str:
    releases = (folder / "vague.masks.json", folder / "wrong.masks.json")
    given = ("rate", folder / "notes.jsonl", *releases, "--out", folder / out, *arguments)
    return sfumato(*given, expect=expect).stdout


def read(path: Path, delimiter: str = ",") -> list[Row]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file, delimiter=delimiter))


def fill(folder: Path, name: str, answer: Callable[[Row], Row], *, delimiter: str = ",") -> Path:
    """A copy of the sheet with a rater's answers, by the question's name."""
    rows = read(folder / "sheet.csv")
    with (folder / name).open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0], delimiter=delimiter)
        writer.writeheader()
        for row in rows:
            answers = answer(row)
            writer.writerow(row | {title: value for title in row if (value := answers.get(title.split(" ")[0]))})
    return folder / name


def truthful(row: Row) -> Row:
    return {"truth": "n" if row["replacement"] == "⟦Paris⟧" else "y", "abstraction": "y"}


def gold(folder: Path) -> tuple[object, ...]:
    return "--gold", folder / "spans.jsonl"


def test_a_sheet_hides_the_sources_and_a_key_tells_them(folder: Path) -> None:
    shown = make(folder, *gold(folder))
    rows, key = read(folder / "sheet.csv"), read(folder / "sheet.key.csv")
    assert list(rows[0]) == ["row", "original", "replacement", "truth (y/n)", "abstraction (y/n)", "comment"]
    assert "vague" not in (folder / "sheet.csv").read_text("utf-8")
    assert all(not row["truth (y/n)"] for row in rows)
    # Names and dates are replaced alike in both releases, and are one row each: 3 names, 3 dates, 2 × 3 towns.
    assert len(rows) == 12
    counted = Counter((row["source"], row["type"]) for row in key)
    assert counted == {(source, kind): 3 for source in ("vague", "wrong") for kind in ("PERSON", "LOC", "DATETIME")}
    assert {row["row"] for row in rows} == {row["row"] for row in key}
    for path in ("sheet.csv", "sheet.key.csv"):
        assert stat.S_IMODE((folder / path).stat().st_mode) == 0o600
    assert (folder / "sheet.csv").read_bytes().startswith(b"\xef\xbb\xbf")  # so that Excel reads UTF-8
    assert "vague: 3 DATETIME, 3 LOC, 3 PERSON" in shown
    assert "Is the replacement true" in shown


def test_n_of_each_type_with_k_characters_around(folder: Path) -> None:
    make(folder, *gold(folder), "--per-type", 1, "--context", 5, "--type", "LOC")
    rows, key = read(folder / "sheet.csv"), read(folder / "sheet.key.csv")
    # Of the two mentions of a town one is drawn, and the same one of both releases.
    assert len({(row["document"], row["start"], row["end"]) for row in key}) == 1
    assert sorted(row["source"] for row in key) == ["vague", "wrong"]
    place = key[0]
    text, start, end = TEXTS[place["document"]], int(place["start"]), int(place["end"])
    expected = f"…{text[start - 5 : start]}⟦{text[start:end]}⟧{text[end : end + 5]}…"
    assert {row["original"] for row in rows} == {" ".join(expected.split())}
    assert {row["replacement"] for row in rows} == {"⟦a city⟧", "⟦Paris⟧"}


def test_grammar_is_asked_of_the_released_sentence(folder: Path) -> None:
    make(folder, *gold(folder), "--question", "grammar", "--type", "LOC", "--context", 12, "--seed", 3)
    rows = read(folder / "sheet.csv")
    assert list(rows[0]) == ["row", "original", "replacement", "released", "grammar (y/n)", "comment"]
    shown = {row["released"] for row in rows if row["replacement"] == "⟦Paris⟧"}
    assert shown <= {"…_1 lives in ⟦Paris⟧ with two ca…", "…wo cats. In ⟦Paris⟧ it rains. P…"}
    assert shown


def test_the_seed_decides_what_is_drawn_and_in_which_order(folder: Path) -> None:
    sheets = []
    for number, seed in enumerate((1, 1, 2)):
        make(folder, "--seed", seed, out=f"s{number}.csv")
        sheets.append([row["original"] for row in read(folder / f"s{number}.csv")])
    assert sheets[0] == sheets[1]
    assert sheets[0] != sheets[2]


def test_shares_by_source_and_type_with_wilson_intervals(folder: Path) -> None:
    make(folder, *gold(folder))
    sheet = fill(folder, "rater.csv", truthful)
    parsed = json.loads(sfumato("rate", "--count", sheet, "--key", folder / "sheet.key.csv", "--json").stdout)
    assert (parsed["raters"], parsed["rows"], parsed["unanswered"]) == (["rater"], 12, {"rater": 0})
    truth, abstraction, both = parsed["answers"]
    shares = {(group["source"], group["type"]): group["shares"]["y"] for group in truth["groups"]}
    assert {group: share["value"] for group, share in shares.items()} == {
        ("vague", "all"): 1,
        ("vague", "DATETIME"): 1,
        ("vague", "LOC"): 1,
        ("vague", "PERSON"): 1,
        ("wrong", "all"): pytest.approx(2 / 3),
        ("wrong", "DATETIME"): 1,
        ("wrong", "LOC"): 0,
        ("wrong", "PERSON"): 1,
    }
    z, p, n = 1.959964, 2 / 3, 9  # Wilson (1927)
    half = z * sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    expected = [(p + z * z / (2 * n) + sign * half) / (1 + z * z / n) for sign in (-1, 1)]
    assert shares["wrong", "all"]["interval"] == pytest.approx(expected, abs=1e-6)
    assert all(group["shares"]["y"]["value"] == 1 for group in abstraction["groups"])
    assert both["question"] == "truth × abstraction"
    (wrong,) = [group for group in both["groups"] if (group["source"], group["type"]) == ("wrong", "all")]
    assert {name: share["value"] for name, share in wrong["shares"].items()} == {
        "yy": pytest.approx(2 / 3),
        "yn": 0,
        "ny": pytest.approx(1 / 3),
        "nn": 0,
    }
    assert (truth["kappa"], truth["why_no_kappa"]) == (None, "there is one rater")


def kappa(ratings: list[list[str]]) -> float:
    """Fleiss (1971), formulas 2 to 7, word for word."""
    n = len(ratings[0])
    categories = sorted({answer for item in ratings for answer in item})
    p_j = [sum(item.count(j) for item in ratings) / (len(ratings) * n) for j in categories]
    p_i = [sum(item.count(j) * (item.count(j) - 1) for j in categories) / (n * (n - 1)) for item in ratings]
    p_bar, p_e = sum(p_i) / len(p_i), sum(p * p for p in p_j)
    return (p_bar - p_e) / (1 - p_e)


def test_several_raters_and_their_agreement(folder: Path) -> None:
    make(folder, *gold(folder))
    rows = [row["row"] for row in read(folder / "sheet.csv")]

    def strict(row: Row) -> Row:
        return {"truth": "no" if row["row"] in rows[:4] else "Yes", "abstraction": "y"}

    sheets = [
        fill(folder, "anna.csv", truthful),
        fill(folder, "belo.csv", strict, delimiter=";"),  # as a German spreadsheet saves it
        fill(folder, "cora.csv", truthful, delimiter="\t"),
    ]
    parsed = json.loads(sfumato("rate", "--count", *sheets, "--key", folder / "sheet.key.csv", "--json").stdout)
    truth, abstraction, _ = parsed["answers"]
    ratings = []
    for row in read(folder / "sheet.csv"):
        mine = truthful(row)["truth"]
        ratings.append([mine, "n" if row["row"] in rows[:4] else "y", mine])
    assert truth["kappa"]["value"] == pytest.approx(kappa(ratings))
    low, high = truth["kappa"]["interval"]
    assert low <= truth["kappa"]["value"] <= high
    assert truth["kappa"]["n"] == 12
    assert truth["agreement"]["value"] == sum(len(set(each)) == 1 for each in ratings) / 12
    assert abstraction["kappa"] is None
    assert "one category" in abstraction["why_no_kappa"]
    # A row counts by the share of raters who said yes.
    sources = {row["row"]: row["type"] for row in read(folder / "sheet.key.csv") if row["source"] == "wrong"}
    expected = [each.count("y") / 3 for row, each in zip(rows, ratings, strict=True) if row in sources]
    (wrong,) = [group for group in truth["groups"] if (group["source"], group["type"]) == ("wrong", "all")]
    assert wrong["shares"]["y"]["value"] == pytest.approx(sum(expected) / 9)
    shown = sfumato("rate", "--count", *sheets, "--key", folder / "sheet.key.csv").stdout
    assert "12 rows, 3 raters" in shown
    assert "Fleiss' kappa: " in shown


def test_a_wrong_answer_is_named_with_file_line_and_value(folder: Path) -> None:
    make(folder)
    last = read(folder / "sheet.csv")[-1]["row"]
    sheet = fill(folder, "rater.csv", lambda row: truthful(row) | ({"truth": "maybe"} if row["row"] == last else {}))
    line = len(sheet.read_text("utf-8").splitlines())
    message = sfumato("rate", "--count", sheet, expect=2).stderr
    assert f"{sheet}:{line}: row {last}: 'maybe' is no answer to truth; allowed are y, n" in " ".join(message.split())


def test_missing_answers_are_counted(folder: Path) -> None:
    make(folder)
    rows = [row["row"] for row in read(folder / "sheet.csv")]
    sheet = fill(folder, "rater.csv", lambda row: {} if row["row"] in rows[:2] else truthful(row))
    done = sfumato("rate", "--count", sheet, "--json", expect=1)
    assert "rater: 4 answers missing" in done.stderr
    assert "without --key" in done.stderr
    parsed = json.loads(done.stdout)
    assert [(group["source"], group["type"], group["n"]) for group in parsed["answers"][0]["groups"]] == [
        ("all", "all", len(rows) - 2)
    ]
    assert "not one row has an answer to truth" in sfumato("rate", "--count", folder / "sheet.csv", expect=2).stderr


def test_sheets_that_do_not_belong_together_are_refused(folder: Path) -> None:
    make(folder)
    first = fill(folder, "first.csv", truthful)
    key = folder / "first.key.csv"
    (folder / "sheet.key.csv").rename(key)
    make(folder, "--seed", 7)
    second = fill(folder, "second.csv", truthful)
    assert "rows of another sheet" in sfumato("rate", "--count", first, second, expect=2).stderr
    assert "are not in the key" in sfumato("rate", "--count", second, "--key", key, expect=2).stderr
    assert "named twice" in sfumato("rate", "--count", first, first, expect=2).stderr
    assert "is not a sheet" in sfumato("rate", "--count", key, expect=2).stderr
    assert "is not the key of a sheet" in sfumato("rate", "--count", first, "--key", first, expect=2).stderr
    doubled = folder / "doubled.csv"
    lines = first.read_text("utf-8").splitlines()
    doubled.write_text("\n".join([*lines, lines[1]]), encoding="utf-8")
    assert f"{doubled}:{len(lines) + 1}: the row" in sfumato("rate", "--count", doubled, expect=2).stderr


def test_coherence_is_asked_of_whole_texts(folder: Path) -> None:
    rewrite = folder / "rewrite.jsonl"
    texts = dict.fromkeys(TEXTS, "=Somebody keeps pets.\nIt rains.")
    rewrite.write_text("\n".join(json.dumps({"id": key, "text": text}) for key, text in texts.items()), "utf-8")
    out = folder / "sheet.csv"
    given = ("rate", folder / "notes.jsonl", folder / "notes.jsonl", rewrite, "--out", out, "--question", "coherence")
    sfumato(*given)
    rows = read(out)
    assert list(rows[0]) == ["row", "released", "coherence (1/2/3/4/5)", "comment"]
    assert {row["released"] for row in rows} == {"'=Somebody keeps pets.\nIt rains.", *TEXTS.values()}
    graded = fill(folder, "rater.csv", lambda row: {"coherence": "2" if "Somebody" in row["released"] else "5"})
    parsed = json.loads(sfumato("rate", "--count", graded, "--key", folder / "sheet.key.csv", "--json").stdout)
    groups = {group["source"]: group for group in parsed["answers"][0]["groups"]}
    assert {source: group["mean"]["value"] for source, group in groups.items()} == {"notes": 5, "rewrite": 2}
    assert groups["rewrite"]["shares"]["2"]["value"] == 1
    wrong = fill(folder, "wrong.csv", lambda row: {"coherence": "6"})
    assert (
        "'6' is no answer to coherence; allowed are 1, 2, 3, 4, 5" in sfumato("rate", "--count", wrong, expect=2).stderr
    )


def test_claims_are_asked_of_the_releases(folder: Path) -> None:
    make(folder, "--question", "claims", "--per-type", 4)
    rows, key = read(folder / "sheet.csv"), read(folder / "sheet.key.csv")
    assert list(rows[0]) == ["row", "claim", "released", "claims (1/2/3)", "comment"]
    assert Counter(row["source"] for row in key) == {"vague": 4, "wrong": 4}
    for row in key:
        claim = TEXTS[row["document"]][int(row["start"]) : int(row["end"])]
        assert f"“{claim}”" in {each["claim"] for each in rows if each["row"] == row["row"]}
    rated = fill(folder, "rater.csv", lambda row: {"claims": "3" if "Paris" in row["released"] else "1"})
    parsed = json.loads(sfumato("rate", "--count", rated, "--key", folder / "sheet.key.csv", "--json").stdout)
    means = {group["source"]: group["mean"]["value"] for group in parsed["answers"][0]["groups"]}
    assert means == {"vague": 1, "wrong": 3}


def test_what_cannot_be_asked_is_said(folder: Path) -> None:
    def refused(*arguments: object) -> str:
        return sfumato("rate", *arguments, expect=2).stderr

    base = (folder / "notes.jsonl", folder / "vague.masks.json", "--out", folder / "sheet.csv")
    assert "did you mean 'truth'" in refused(*base, "--question", "truthh")
    assert "make a sheet for each" in refused(*base, "--question", "truth", "--question", "claims")
    assert "nothing of the type 'ORG'" in refused(*base, "--type", "ORG")
    assert "end in .csv or .tsv" in refused(*base[:-1], folder / "sheet.xlsx")
    assert "is another file of this run" in refused(*base, "--key", folder / "sheet.csv")
    assert "give ORIGINALS, RELEASES and --out" in refused(folder / "notes.jsonl")
    assert not (folder / "sheet.csv").exists()
    (folder / "rewrite.jsonl").write_text(json.dumps({"id": "d0", "text": "Nothing of it is left."}), "utf-8")
    message = refused(folder / "notes.jsonl", folder / "rewrite.jsonl", "--out", folder / "sheet.csv")
    assert "there is no edit to rate" in message
    done = sfumato("rate", *base[:2], folder / "rewrite.jsonl", "--out", folder / "mixed.tsv", "--json", expect=1)
    assert "1 rewritten texts have no edits to rate" in done.stderr
    assert json.loads(done.stdout)["sources"].keys() == {"vague"}
    assert read(folder / "mixed.tsv", "\t")
