"""The plug-in of examples/plugin/, from outside: known by its metadata as pip would leave them, run by name."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato import registry
from sfumato.attacks.inference import Guesser
from sfumato.detectors.detection import Detection
from sfumato.document import Document
from sfumato.llm.chat import Chat
from sfumato.models.base import Classifier, Embedder, TokenScorer
from sfumato.rewriters.base import Rewriter
from sfumato_papers.attacks.claims import Judge
from tests.cli.test_commands import from_scratch as sfumato

ROOT = Path(__file__).parents[1]
PLUGIN = ROOT / "examples/plugin"
NAMES = {"detector": "ticket", "replacer": "court-letter", "attack": "figures", "metric": "untouched-sentences"}
CONTRACTS = ("test_registry.py", "replacers/test_replacers.py", "attacks/test_contract.py", "metrics/test_contract.py")


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What an installation leaves behind: the package on the path, and beside it the names of its entry points."""
    project = tomllib.loads((PLUGIN / "pyproject.toml").read_text("utf-8"))["project"]
    metadata = tmp_path / "site" / f"sfumato_example-{project['version']}.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: 1.0.0\n")
    lines = [
        f"[{group}]\n" + "".join(f"{name} = {where}\n" for name, where in points.items())
        for group, points in project["entry-points"].items()
    ]
    (metadata / "entry_points.txt").write_text("\n".join(lines))
    path = [str(metadata.parent), str(PLUGIN), *filter(None, [os.environ.get("PYTHONPATH")])]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(path))
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")


def readme() -> str:
    return (PLUGIN / "README.md").read_text("utf-8")


@pytest.mark.parametrize("module", sorted((PLUGIN / "sfumato_example").glob("*.py")), ids=lambda path: path.stem)
def test_every_module_is_under_forty_lines(module: Path) -> None:
    assert len(module.read_text("utf-8").splitlines()) < 40


@pytest.mark.usefixtures("installed")
def test_methods_lists_them_beside_the_built_ins() -> None:
    rows = json.loads(sfumato("methods", "--json").stdout)["methods"]
    listed = {(row["kind"], row["name"]): row["purpose"] for row in rows}
    for kind, name in NAMES.items():
        assert listed[kind, name].endswith(".")
        assert f"| {kind} | `{name}` |" in readme()


@pytest.mark.usefixtures("installed")
def test_a_recipe_finds_and_replaces_with_them_and_the_vault_leads_back(tmp_path: Path) -> None:
    (recipe,) = re.findall(r"```toml\n(.*?)```", readme(), re.DOTALL)
    before, after = re.findall(r"^\| (?:before|after) \| (.*) \|$", readme(), re.MULTILINE)
    (tmp_path / "help-desk.toml").write_text(recipe)
    (tmp_path / "mail.txt").write_text(before)
    vault = ("--vault", tmp_path / "v.db", "--key-file", tmp_path / "v.key")
    out = tmp_path / "out.txt"
    sfumato("anonymize", tmp_path / "mail.txt", "--recipe", tmp_path / "help-desk.toml", "--out", out, *vault)
    assert out.read_text("utf-8") == after
    sfumato("restore", out, "--out", tmp_path / "back.txt", "--document", "mail", *vault)
    assert (tmp_path / "back.txt").read_text("utf-8") == before


@pytest.mark.usefixtures("installed")
def test_the_attack_and_the_metric_run_by_name_and_stand_in_a_comparison(tmp_path: Path) -> None:
    born = {"anna": 1952, "belo": 1960, "cora": 1971, "dano": 1960}
    texts = {who: f"Somebody was born in {year}. The tram was late. PERSON_1 left." for who, year in born.items()}
    originals, people = tmp_path / "originals.json", tmp_path / "people.json"
    originals.write_text(json.dumps(texts))
    people.write_text(json.dumps({who: f"Has 1 garden; born {year}." for who, year in born.items()}))
    report = json.loads(
        sfumato("attack", originals, originals, "--background", people, "--attack", "figures", "--json").stdout
    )
    # Two were born in the same year: each is among the first guesses, and ties count against us.
    assert report["attacks"]["figures"]["risk"] == 1.0
    items = {document["id"]: document for document in report["documents"]}
    assert {who: one["candidates"] for who, one in items.items()} == {"anna": 1, "belo": 2, "cora": 1, "dano": 2}
    (evidence,) = items["anna"]["evidence"]
    assert (evidence["term"], evidence["weight"]) == ("1952", 1.0)

    masks = tmp_path / "edits.masks.json"
    masks.write_text(json.dumps({who: [[21, 25, "DATETIME"]] for who in born}))
    named = ("--metric", "untouched-sentences")
    told = json.loads(sfumato("measure", originals, masks, *named, "--json").stdout)["metrics"]["untouched-sentences"]
    assert (told["value"], told["n"], told["settings"]["shortest"]) == (0.5, 8, 3)

    table, page = tmp_path / "table.csv", tmp_path / "page.html"
    sfumato(
        *("compare", originals, "--method", "none", "--method", f"masks={masks}", "--method", "court-letter"),
        *("--background", people, "--attack", "figures", "--metric", "risk", *named),
        *("--utility", "untouched-sentences", "--csv", table, "--report", page),
    )
    rows = {
        (row["method"], row["metric"]): float(row["value"])
        for row in csv.DictReader(table.read_text("utf-8").splitlines())
    }
    assert rows["none", "risk"] == rows["none", "untouched-sentences"] == 1.0
    assert rows["masks", "risk"] == 0.0
    assert rows["masks", "untouched-sentences"] == 0.5
    assert ("court-letter", "untouched-sentences") in rows
    assert "untouched-sentences" in page.read_text("utf-8")


@pytest.mark.usefixtures("installed")
def test_they_keep_the_contracts_that_built_ins_keep() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-k", " or ".join(NAMES.values())]
        + [f"tests/{name}" for name in CONTRACTS],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")},
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    passed = re.search(r"(\d+) passed", done.stdout)
    assert passed, done.stdout
    assert int(passed[1]) >= 20


def test_a_detector_of_one_kind_of_thing_vouches_for_no_language(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(PLUGIN)
    from sfumato_example.ticket import TicketDetector

    rules = registry.create("detector", "rules", {})
    assert Detection([TicketDetector(), rules]).languages == rules.languages
    assert Detection([TicketDetector()]).languages == frozenset()


@given(st.integers(0, 10**6 - 1), st.sampled_from(["HD-{}", "hd {}", "Hd#{}", "HD{}"]))
def test_of_ten_numbers_that_differ_in_the_last_digit_one_is_a_ticket(number: int, written: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(PLUGIN)
        from sfumato_example.ticket import TicketDetector
    texts = [f"See {written.format(f'{number:06}{last}')}, please." for last in range(10)]
    detected = TicketDetector().detect([Document(str(last), text) for last, text in enumerate(texts)])
    ((text, spans),) = [pair for pair in zip(texts, detected, strict=True) if pair[1]]
    assert [text[span.start : span.end] for span in spans] == [text[4:-9]]


def test_the_programs_on_the_page_print_what_they_say_and_keep_the_contracts() -> None:
    page = (ROOT / "docs" / "plugins.md").read_text("utf-8")
    made = dict[str, Any]()
    for code in re.findall(r"```python\n(.*?)```", page, re.DOTALL):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(code, made)
        promised = [line.rpartition("  # ")[2] for line in code.splitlines() if line.startswith("print")]
        assert printed.getvalue().splitlines() == promised
    assert isinstance(made["LowerCase"](), Rewriter)
    assert isinstance(made["CommonestWord"](), Guesser)
    assert isinstance(made["Verbatim"](), Judge)
    assert isinstance(made["Letters"](), TokenScorer)
    assert isinstance(made["Length"](), Embedder)
    assert isinstance(made["Shouting"](), Classifier)
    assert isinstance(made["Echo"](), Chat)


def test_the_page_has_every_kind_and_the_files_it_names() -> None:
    page = (ROOT / "docs" / "plugins.md").read_text("utf-8")
    for kind in registry.KINDS:
        assert f"| `sfumato.{kind}s` |" in page
    for name in re.findall(r"`(tests/[\w/]+\.py)`|\(\.\./(examples/plugin/[\w/]+\.py)\)", page):
        assert (ROOT / "".join(name)).is_file()
    assert {name for name in CONTRACTS if f"`tests/{name}`" in page} == set(CONTRACTS)
