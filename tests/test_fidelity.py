"""docs/fidelity.md names what exists, and leaves out nothing that comes from a published work."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sfumato import recipe as recipes
from sfumato import registry
from sfumato.cli import app

PAGE = (Path(__file__).parents[1] / "docs" / "fidelity.md").read_text(encoding="utf-8")
ROWS = [[cell.strip() for cell in row.split("|")] for row in re.findall(r"^\|(.*)\|$", PAGE, re.MULTILINE)]
ELEMENTS = [row for row in ROWS if len(row) == 4 and row[0] not in {"element", "---"}]
KNOWN = {
    **{kind: {plugin.name for plugin in registry.all_plugins() if plugin.kind == kind} for kind in registry.KINDS},
    "recipe": {*recipes.names(), *recipes.published_names()},
    "command": {f"sfumato {name}" for name in app.commands()},
}


def names(cell: str) -> set[tuple[str, str]]:
    """Kind and name of each; a kind, in the singular or plural, stands before the first of its names."""
    found, kind = set(), ""
    for word, name in re.findall(r"([a-z]+) (?=`)|`([^`]+)`", cell):
        kind = word.removesuffix("s") if word else kind
        if name:
            found.add((kind, name))
    return found


LISTED = {pair for _, cell, *_ in ELEMENTS for pair in names(cell)}


def test_every_row_is_read() -> None:
    assert {len(row) for row in ROWS} == {2, 4}, "the table of status words has two columns, all others four"


def test_names_are_read_with_their_kinds() -> None:
    assert names("metrics `lr`, `smr`, detector `gold`") == {("metric", "lr"), ("metric", "smr"), ("detector", "gold")}
    assert names("–") == set()


@pytest.mark.parametrize("element", ELEMENTS, ids=lambda element: element[0][:60])
def test_each_element_has_a_name_that_exists_and_a_status(element: list[str]) -> None:
    _, cell, status, reason = element
    assert cell == "–" or names(cell), "neither a name nor –"
    for kind, name in names(cell):
        assert name in KNOWN.get(kind, ()), f"there is no {kind} {name}"
    assert status in {"faithful", "differs on purpose", "not yet"}
    if status == "faithful":
        assert cell != "–"
    if status == "differs on purpose":
        assert re.search(r"\]\([\w./-]+\.md", reason), "the reason has to link the page that says so"


def test_every_plug_in_that_cites_a_work_is_listed() -> None:
    cited = {(plugin.kind, plugin.name) for plugin in registry.all_plugins() if plugin.cite}
    assert not sorted(cited - LISTED)


def test_every_published_method_is_listed() -> None:
    assert not sorted(set(recipes.published_names()) - {name for _, name in LISTED})


def test_papers_go_by_their_keys() -> None:
    *papers, last = re.findall(r"^## (.*)$", PAGE, re.MULTILINE)
    assert set(papers) <= set(registry.references())
    assert last == "Other works"
    assert len(ELEMENTS) > 120
