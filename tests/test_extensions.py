"""What a package brings beside plug-ins: commands, functions, recipes and lists of published methods."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.test_commands import from_scratch as sfumato

ENTRY_POINTS = """
[sfumato.replacers]
shout = {package}.brought:Shout
[sfumato.commands]
ward = {package}.brought:WARD
[sfumato.functions]
count_wards = {package}.brought:count_wards
[sfumato.recipes]
mine = {package}
[sfumato.catalogues]
mine = {package}.brought:methods
"""
MODULE = '''
import typer
from sfumato.cli import Command
from sfumato.document import Document, Span
from sfumato.recipe import RefusedMethod
from sfumato.replacers.base import SpanReplacer

WARD = Command("Count wards.", "{package}.brought:ward")

class Shout(SpanReplacer):
    """Put the label in capitals, with a mark."""
    def replacement(self, document: Document, span: Span) -> str:
        return span.label + "!"

def ward(text: str) -> None:
    """Count wards."""
    typer.echo(count_wards(text))

def count_wards(text):
    """How many wards a text names."""
    return text.count("ward")

def methods():
    yield RefusedMethod("published/oracle", "Oracle", "Quorvex 2031", "it is no method", "published/kneo")
'''


def bring(package: str, folder: Path) -> None:
    """A package as an installation leaves it."""
    metadata = folder / f"{package}-1.0.0.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0.0\n")
    (metadata / "entry_points.txt").write_text(ENTRY_POINTS.format(package=package))
    (folder / package / "published").mkdir(parents=True)
    (folder / package / "__init__.py").write_text("")
    (folder / package / "brought.py").write_text(MODULE.replace("{package}", package))
    (folder / package / "loud.toml").write_text('detect = ["rules"]\n[replace]\ndefault = "shout"\n')
    (folder / package / "published" / "whisper.toml").write_text('[published]\ncite = "xin2025"\n')


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    bring("quiet_wards", tmp_path / "site")
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    path = (str(tmp_path / "site"), os.environ.get("PYTHONPATH"))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, path)))
    return tmp_path


@pytest.mark.usefixtures("installed")
def test_a_command_is_listed_and_runs() -> None:
    assert "Count wards." in sfumato("--help").stdout
    assert sfumato("ward", "ward by ward").stdout.strip() == "2"


@pytest.mark.usefixtures("installed")
def test_a_function_is_one_of_sfumatos() -> None:
    program = "import sfumato; assert 'count_wards' in dir(sfumato); print(sfumato.count_wards('ward'))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "1"


def test_a_recipe_is_known_by_its_file(installed: Path) -> None:
    (installed / "mail.txt").write_text("Write to rose@example.org.")
    sfumato("anonymize", installed / "mail.txt", "--recipe", "loud", "--out", installed / "out.txt")
    assert (installed / "out.txt").read_text() == "Write to CODE!."


@pytest.mark.usefixtures("installed")
def test_methods_says_where_each_comes_from() -> None:
    listed = json.loads(sfumato("methods", "--json").stdout)
    origins = {(row["kind"], row["name"]): row["origin"] for row in listed["methods"]}
    assert origins["replacer", "shout"] == "quiet_wards"
    assert (origins["replacer", "label"], origins["replacer", "petre"]) == ("core", "papers")
    lines = [line.split("\t") for line in sfumato("methods", "recipe").stdout.splitlines()]
    assert {"loud": "quiet_wards", "default": "core", "intact": "papers"}.items() <= {
        row[1]: row[5] for row in lines
    }.items()


@pytest.mark.usefixtures("installed")
def test_published_methods_and_refused_ones_are_listed_with_ours() -> None:
    listed = json.loads(sfumato("methods", "--published", "--json").stdout)
    assert {"published/whisper", "published/petre"} <= {row["name"] for row in listed["published"]}
    assert {"published/oracle", "published/incognitus"} <= {row["name"] for row in listed["refused"]}


def test_what_two_packages_bring_is_refused(installed: Path) -> None:
    bring("loud_wards", installed / "site")
    stderr = sfumato("methods", "recipe", expect=2).stderr
    assert "two packages bring" in stderr
    assert "loud_wards" in stderr
    assert "quiet_wards" in stderr
