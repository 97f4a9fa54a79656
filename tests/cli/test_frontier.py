"""``sfumato frontier`` as a user runs it."""

from __future__ import annotations

import json
import re
import secrets
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from sfumato.cli.app import app
from sfumato.errors import InputError, RecipeError, UnknownName
from sfumato.report.html import format_percent_column
from tests.cli.test_commands import EXAMPLES, ROOT, sfumato
from tests.protection.invented_corpus import background, starts
from tests.report.markup import assert_balanced, assert_self_contained


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("frontier")
    (made / "originals.json").write_text(json.dumps({start.document.id: start.text for start in starts()}))
    (made / "people.json").write_text(json.dumps({person.id: person.texts[0] for person in background().people}))
    return made


def frontier(folder: Path, *more: object) -> Result:
    """In this process, so that the draw of ranks can be held fast."""
    base = ("frontier", folder / "originals.json", "--background", folder / "people.json", "--recipe", "labels")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(secrets, "token_bytes", lambda size: b"\7" * size)
        return CliRunner().invoke(app, [*map(str, base), *map(str, more)])


@pytest.fixture(scope="module")
def done(folder: Path) -> dict[str, Any]:
    result = frontier(folder, "--k", 2, "--k", 11, "--report", folder / "page.html", "--json")
    assert result.exit_code == 0, result.output
    parsed: dict[str, Any] = json.loads(result.stdout)
    return parsed


def test_json_is_as_documented(done: dict[str, Any]) -> None:
    assert set(done) == {"points", "people", "problems"}
    assert (done["people"], done["problems"]) == (24, [])
    assert [item["k"] for item in done["points"]] == [None, 2, 11]
    for point in done["points"]:
        documented = {"name", "k", "risk", "risk_interval", "kept", "kept_interval", "withheld", "n", "attack"}
        assert set(point) == documented
        assert point["n"] + point["withheld"] == 10


def test_the_page_has_the_same_figures(folder: Path, done: dict[str, Any]) -> None:
    page = (folder / "page.html").read_text("utf-8")
    assert_balanced(page)
    assert_self_contained(page)
    assert "10 documents and 24 people to choose among." in page
    rows = re.findall(r"<tr><td>([^<]+)</td><td>[^<]+</td><td[^>]*>([^<]+)<.*?<td>(\d+)</td><td>(\d+)</td></tr>", page)
    assert rows == [
        (point["name"], format_percent_column(point["risk"]), str(point["withheld"]), str(point["n"]))
        for point in done["points"]
    ]
    for start in starts():
        assert start.document.id + "<" not in page
        assert start.text[-40:] not in page


def test_the_table_has_the_same_figures(folder: Path, done: dict[str, Any]) -> None:
    shown = frontier(folder, "--k", 11, "--k", 2).stdout
    for point in done["points"]:
        name = point["name"] if point["k"] is None else str(point["k"])
        (line,) = [line for line in shown.splitlines() if line.split()[:1] == [name]]
        assert line.split()[1] == format_percent_column(point["risk"]).split()[0]
        assert f"{100 * point['kept']:.1f} %" in line
        assert line.endswith(f"{point['withheld']} of 10")
    assert "The start: as the recipe labels releases them" in shown


def test_what_is_left_out_is_said_and_shows_in_the_exit_code(folder: Path) -> None:
    result = frontier(folder, "--k", 2, "--k", 25)
    assert result.exit_code == 1
    assert "k = 25: left out: the background holds 24 people" in result.stderr


def test_errors_say_what_to_do(folder: Path) -> None:
    base = ["frontier", str(folder / "originals.json")]
    people = ["--background", str(folder / "people.json")]
    without = CliRunner().invoke(app, base)
    assert without.exit_code == 2
    assert "--background" in without.output
    for more, kind, said in (
        (["--k", "30"], InputError, "nobody can hide among 30"),
        (["--k", "1"], RecipeError, "k is 1"),
        (["--recipe", "lables"], UnknownName, "did you mean 'labels'"),
        (["--recipe", "labels", "--releases", "x.json"], RecipeError, "give one of them"),
    ):
        error = CliRunner().invoke(app, [*base, *people, *more]).exception
        assert isinstance(error, kind)
        assert said in str(error)


def test_a_bad_target_ends_with_code_2_and_one_line(folder: Path) -> None:
    base = ("frontier", EXAMPLES / "biographies.json", "--background", ROOT / "examples/background/people.csv")
    page = folder / "never.html"
    failed = sfumato(*base, "--k", "31", "--report", page, expect=2)
    assert failed.stderr.count("\n") == 1
    assert "the background holds 30 people" in failed.stderr
    assert not page.exists()
