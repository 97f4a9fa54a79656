"""The commands end to end, in a process of their own, as a user runs them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.processes import run

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples/texts"


def sfumato(*arguments: object, expect: int = 0) -> subprocess.CompletedProcess[str]:
    return _checked(run(*arguments), expect)


def from_scratch(*arguments: object, expect: int = 0) -> subprocess.CompletedProcess[str]:
    """The same with an interpreter of its own."""
    done = subprocess.run(
        [sys.executable, "-c", "from sfumato.cli import main; main()", *map(str, arguments)],
        capture_output=True,
        text=True,
        env={**os.environ, "COLUMNS": "200", "NO_COLOR": "1"},
        check=False,
    )
    return _checked(done, expect)


def _checked(done: subprocess.CompletedProcess[str], expect: int) -> subprocess.CompletedProcess[str]:
    assert done.returncode == expect, done.stderr + done.stdout
    assert "Traceback" not in done.stderr
    return done


def keys(folder: Path) -> tuple[object, ...]:
    return ("--vault", folder / "vault.db", "--key-file", folder / "vault.key")


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("demo")
    sfumato("anonymize", EXAMPLES, "--out", folder / "out", "--audit", folder / "audit.jsonl", *keys(folder))
    return folder


def audit(folder: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in (folder / "audit.jsonl").read_text(encoding="utf-8").splitlines()]


def test_every_example_is_released_in_its_own_format(demo: Path) -> None:
    expected = {path.relative_to(EXAMPLES) for path in EXAMPLES.rglob("*") if path.is_file()}
    assert {path.relative_to(demo / "out") for path in (demo / "out").rglob("*") if path.is_file()} == expected
    assert len({path.suffix for path in expected}) >= 8
    assert not list(demo.glob("**/*.sfumato-work"))


def test_releases_come_back(demo: Path) -> None:
    sfumato("restore", demo / "out", "--out", demo / "restored", *keys(demo))
    for path in EXAMPLES.rglob("*"):
        if path.suffix in (".txt", ".md", ".html"):
            assert (demo / "restored" / path.relative_to(EXAMPLES)).read_bytes() == path.read_bytes()
    from sfumato.formats.sources import load

    assert {document.id: document.text for document in load([demo / "restored"])} == {
        document.id: document.text for document in load([EXAMPLES])
    }


def test_the_default_generalizes_and_says_why(demo: Path) -> None:
    text = (demo / "out" / "ruling.txt").read_text(encoding="utf-8")
    assert "Gdańsk" not in text
    assert "lives in a city in Poland." in text
    (line,) = [line for line in audit(demo) if line["id"] == "ruling"]
    reasons = [reason for edit in line["edits"] for reason in edit["reasons"]]  # type: ignore[attr-defined]
    assert any(reason.startswith("level 1 of") for reason in reasons)
    assert any(reason.startswith("guessed at level") and reason.endswith("hierarchy") for reason in reasons)


def test_a_models_answer_gets_its_names_back(tmp_path: Path) -> None:
    letter = EXAMPLES / "letters" / "tenancy.txt"
    sfumato("anonymize", letter, "--recipe", "labels", "--out", tmp_path / "to-model.txt", *keys(tmp_path))
    answer = tmp_path / "answer.txt"
    answer.write_text("Dear person_1, Mr PERSON_2's agent comes to LOC_1 on DATETIME_1.", encoding="utf-8")
    sfumato("restore", answer, "--out", tmp_path / "real.txt", "--document", "tenancy", *keys(tmp_path))
    back = (tmp_path / "real.txt").read_text(encoding="utf-8")
    assert back.startswith("Dear Marlene Overbeck, Mr Trevanion's agent comes to 14 Larch Terrace")
    assert back.endswith(" on 3 February 2024.")


def test_labels_that_cannot_be_put_back_are_said(demo: Path) -> None:
    answer = demo / "unknown.txt"
    answer.write_text("Dear PERSON_77,", encoding="utf-8")
    done = sfumato("restore", answer, "--out", demo / "u.txt", *keys(demo), expect=1)
    assert "1 labels are not known" in done.stderr
    done = sfumato("restore", answer, "--out", demo / "v.txt", "--document", "none", *keys(demo), expect=1)
    assert "no release with this id" in done.stderr


def test_spans_in_place_of_detecting(demo: Path) -> None:
    source = EXAMPLES / "chats.jsonl"
    sfumato("detect", source, "--out", demo / "spans.jsonl")
    labels = ("--recipe", "labels")
    sfumato("anonymize", source, *labels, "--spans", demo / "spans.jsonl", "--out", demo / "by-spans.jsonl")
    sfumato("anonymize", source, *labels, "--out", demo / "direct.jsonl", "--audit", demo / "a.masks.json")
    assert (demo / "by-spans.jsonl").read_bytes() == (demo / "direct.jsonl").read_bytes()
    masks = json.loads((demo / "a.masks.json").read_text(encoding="utf-8"))
    assert set(masks) == {"c1", "c2", "c3", "c4"}
    recipe = demo / "x.toml"
    recipe.write_text('[replace]\ndefault = { use = "tag", tag = "X" }', encoding="utf-8")
    sfumato("anonymize", source, "--spans", demo / "a.masks.json", "--recipe", recipe, "--out", demo / "by-masks.jsonl")
    first = json.loads((demo / "by-masks.jsonl").read_text(encoding="utf-8").splitlines()[0])
    assert "priya" not in first["text"]
    assert " X" in first["text"]


def test_methods_and_preview_and_json(tmp_path: Path) -> None:
    listed = json.loads(from_scratch("methods", "--json").stdout)
    assert {"rules", "label", "surrogate", "generalize"} <= {row["name"] for row in listed["methods"]}
    assert {"default", "labels"} <= set(listed["recipes"])
    needs = {row["name"]: row["needs_chat"] for row in listed["methods"]}
    assert needs["sparks"]
    assert not needs["rules"]
    table = sfumato("methods").stdout.splitlines()
    assert any("date-shift" in line for line in table)
    assert ["dp-prompt", "--chat", "papers"] in ([line.split("\t")[number] for number in (1, 4, 5)] for line in table)
    assert ["intact", "--chat", "papers"] in ([line.split("\t")[number] for number in (1, 4, 5)] for line in table)
    shown = sfumato("anonymize", EXAMPLES / "letters" / "tenancy.txt", "--preview", 1).stdout
    assert "Marlene Overbeck" in shown
    assert "PERSON_1" in shown
    summary = json.loads(sfumato("anonymize", EXAMPLES / "chats.jsonl", "--out", tmp_path / "o.csv", "--json").stdout)
    assert summary["documents"] == summary["released"] == 4
    assert sfumato("--version").stdout.strip()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("anonymize", "missing.txt", "--out", "o"), "missing.txt"),
        (("anonymize", str(EXAMPLES), "--out", "o", "--recipe", "defualt"), "did you mean 'default'"),
        (("anonymize", str(EXAMPLES)), "--out"),
        (("anonymize", str(EXAMPLES), "--out", "o.docx"), "holds one document"),
        (("anonymize", str(EXAMPLES), "--out", "o.pdf"), "PDF"),
        (("anonymize", str(EXAMPLES), "--out", str(EXAMPLES / "clinic")), "holds inputs"),
        (("anonymize", str(EXAMPLES), "--out", "o", "--vault", "v"), "--key-file"),
        (("anonymize", str(EXAMPLES), "--out", "o", "--vault", "o/v", "--key-file", "k"), "put it elsewhere"),
        (("anonymize", str(EXAMPLES), "--out", "/proc/nowhere/o.jsonl"), "cannot be written"),
        (("restore", str(EXAMPLES), "--out", "o", "--vault", "none", "--key-file", "none"), "no such vault"),
        (("fly",), "fly"),
    ],
)
def test_what_cannot_be_done_is_said_and_nothing_is_written(
    arguments: tuple[str, ...], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert message in sfumato(*arguments, expect=2).stderr
    assert list(tmp_path.iterdir()) == []


def test_a_wrong_key_opens_nothing(demo: Path, tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.key"
    wrong.write_text("not the key it was made with")
    done = sfumato(
        "restore", demo / "out", "--out", tmp_path / "r", "--vault", demo / "vault.db", "--key-file", wrong, expect=2
    )
    assert "this key does not open the vault" in done.stderr
    assert not (tmp_path / "r").exists()
