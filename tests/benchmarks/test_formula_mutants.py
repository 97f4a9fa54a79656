"""The list of ``benchmarks/formula_mutants.py``: each change fits its file and names the tests that must notice it."""

from __future__ import annotations

import ast

import pytest
from benchmarks.formula_mutants import ROOT, Change, changes


@pytest.mark.parametrize("change", changes(), ids=lambda change: change.what)
def test_every_change_fits_one_place(change: Change) -> None:
    source = (ROOT / "src" / change.file).read_text(encoding="utf-8")
    changed = change.apply(source)
    assert changed != source
    if change.file.endswith(".py"):
        ast.parse(changed)
    assert all((ROOT / "tests" / name).is_file() for name in change.tests)


def test_a_change_that_fits_no_place_or_two_is_an_error() -> None:
    change = Change("new", "a fault", "x.py", "a < b", "a <= b", ())
    assert change.apply("if a < b:") == "if a <= b:"
    for source in ("if a > b:", "a < b or a < b"):
        with pytest.raises(ValueError, match=r"'a fault': `old` stands [02] times"):
            change.apply(source)
