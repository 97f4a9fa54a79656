"""The pages of docs/benchmarks are made of their result files, and what other pages quote leads to a result."""

from __future__ import annotations

import re
import shlex
from importlib.util import find_spec
from itertools import chain
from pathlib import Path

import pytest

from benchmarks import pages
from sfumato.cli import app

ROOT = Path(__file__).parents[2]
FILES = pages.load()
RESULTS = {(name, result["id"]): result for name, file in FILES.items() for result in file["results"]}
QUOTING = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
FIGURE = re.compile(r"\d(?: %)? [\[(][−.]?\d[\d.,]*(?:–| to )[−.]?\d|95 % interval \d+–\d")
"""A figure with its interval: ``.730 (.660–.798)``, ``82 % [74–88]``."""


def test_pages_are_made_of_the_results() -> None:
    written = {path.name: path.read_text("utf-8") for path in pages.FOLDER.glob("*.md")}
    assert written == pages.pages(FILES), "python -m benchmarks.pages"


def test_results_have_all_fields_and_ids_of_their_own() -> None:
    for result in RESULTS.values():
        assert tuple(key for key in result if key != "table") == pages.FIELDS, result["id"]
        assert re.fullmatch(r"[a-z0-9-]+", result["id"])
        assert result["value"] is not None
        assert (result["bar"] is None) == (result["met"] is None), result["id"]
        assert result["interval"] is None or result["interval"][0] <= result["value"] <= result["interval"][1], result[
            "id"
        ]
    assert len({key for _, key in RESULTS}) == len(RESULTS)


@pytest.mark.parametrize("command", sorted({result["command"] for result in RESULTS.values() if result["command"]}))
def test_every_command_can_be_typed(command: str) -> None:
    words = [word for word in shlex.split(command) if "=" not in word.partition("/")[0] or word.startswith("-")]
    if words[:2] == ["python", "-m"]:
        assert find_spec(words[2]), words[2]
    elif words[0] == "python":
        assert (ROOT / words[1]).is_file(), words[1]
    elif words[0] == "make":
        assert re.search(rf"^{words[1]}:", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    else:
        assert words[0] == "sfumato"
        assert words[1] in app.commands()


@pytest.mark.parametrize("path", QUOTING, ids=lambda path: path.name)
def test_figures_that_pages_quote_lead_to_a_result(path: Path) -> None:
    text = path.read_text("utf-8")
    links = re.findall(r"\]\((?:docs/)?benchmarks/([\w-]+)\.md(?:#([\w-]+))?\)", text)
    assert not [link for link in links if link not in RESULTS and link != ("README", "")]
    for part in re.split(r"^#+ ", text, flags=re.MULTILINE):
        if FIGURE.search(part):
            assert re.search(r"benchmarks/[\w-]+\.md#|`make demo`", part), part.partition("\n")[0]


def test_measured_figures_keep_their_digits() -> None:
    result = dict.fromkeys(pages.FIELDS)
    figures = {
        (0.65, "", (0.603, 0.695)): ".650 [.603–.695]",
        (6.0, "%", (2.1, 16.2)): "6.0 % [2.1–16.2]",
        (-6.26, "points", (-8.27, -4.54)): "−6.26 points [−8.27 to −4.54]",
        (1_000, "MB", None): "1,000 MB",
    }
    for (value, unit, interval), expected in figures.items():
        assert pages.measured({**result, "value": value, "unit": unit, "interval": interval}) == expected


def test_there_is_an_index_row_for_each_claim() -> None:
    rows = [line for line in pages.index(FILES).splitlines() if line.startswith("| [")]
    assert len(rows) == len(list(chain.from_iterable(file["results"] for file in FILES.values())))
