"""Every work that the project builds on has one key, the same in the page, the BibTeX file and the program's table."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from sfumato import registry

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs/references.md").read_text(encoding="utf-8")
BIBTEX = (ROOT / "docs/references.bib").read_text(encoding="utf-8")
TABLE = tomllib.loads((ROOT / "src/sfumato/references.toml").read_text(encoding="utf-8"))


def test_the_three_lists_hold_the_same_keys() -> None:
    headings = re.findall(r"^### (\S+)$", PAGE, re.MULTILINE)
    assert len(set(headings)) == len(headings)
    assert sorted(headings) == sorted(re.findall(r"^@\w+\{([^,]+),$", BIBTEX, re.MULTILINE)) == sorted(TABLE)


def test_year_and_title_agree() -> None:
    for key, work in TABLE.items():
        assert re.fullmatch(r"[a-z]+(\d{4})[a-z]?", key)[1] == str(work["year"]), key  # type: ignore[index]
        assert f"{{{{{work['title']}}}}}" in BIBTEX, key
        assert f"*{work['title']}*" in " ".join(PAGE.split()), key
        assert set(work) == {"authors", "year", "title"}, key


def test_the_pages_cite_by_the_same_short_form() -> None:
    for path in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]:
        text = path.read_text(encoding="utf-8")
        for said, key in re.findall(r"\[([^\]]*)\]\((?:docs/)?references\.md#([\w-]+)\)", text):
            assert said == f"{TABLE[key]['authors']} {TABLE[key]['year']}", f"{path.name}: {said}"


def test_plug_ins_cite_works_of_the_list() -> None:
    assert registry.references() == TABLE
    assert {plugin.cite for plugin in registry.all_plugins() if plugin.cite} <= set(TABLE)
    trir = registry.describe("attack", "trir")
    assert (trir.cite, trir.source) == ("manzanares2024", "Manzanares-Salor et al. 2024")
