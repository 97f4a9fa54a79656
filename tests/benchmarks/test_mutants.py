"""The faults that ``benchmarks/mutants.py`` makes."""

from __future__ import annotations

import ast

from benchmarks.mutant_changes import mutants

MODULE = '''
"""Words."""
from functools import cache

LIMIT: int = 3

class Purse:
    @cache
    def left(self, spent: int | None) -> bool:
        """What is left."""
        assert spent > 0
        if spent and not self.closed:
            self.note()
        return max(spent[1:]) < LIMIT - 1
'''


def test_every_change_is_one_change_and_says_where_it_is() -> None:
    made = set()
    for at in range(len(mutants(ast.parse(MODULE)))):
        tree = ast.parse(MODULE)
        mutant = mutants(tree)[at]
        mutant.apply()
        assert ast.unparse(ast.fix_missing_locations(tree)) != ast.unparse(ast.parse(MODULE))
        made.add((mutant.inside, mutant.before, mutant.after))
    assert {change[1:] for change in made if not change[0]} == {("3", "4")}
    assert {change[0] for change in made} == {"", "Purse.left"}
    assert {change[1:] for change in made if change[0]} == {
        ("spent and (not self.closed)", "spent or not self.closed"),
        ("spent and (not self.closed)", "not (spent and (not self.closed))"),
        ("not self.closed", "self.closed"),
        ("self.note()", "pass"),
        ("return max(spent[1:]) < LIMIT - 1", "return None"),
        ("max(spent[1:]) < LIMIT - 1", "max(spent[1:]) <= LIMIT - 1"),
        ("max(spent[1:])", "min(spent[1:])"),
        ("spent[1:]", "spent[:]"),
        ("LIMIT - 1", "LIMIT + 1"),
        ("1", "2"),
    }
