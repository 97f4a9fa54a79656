"""Published methods use the core as a package of somebody else would."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import sfumato_papers

PAPERS = Path(sfumato_papers.__file__).parent
SOURCE = PAPERS.parent
PAGE = (Path(__file__).parents[2] / "docs" / "plugins.md").read_text(encoding="utf-8")


def imported() -> Iterator[tuple[str, str]]:
    """Modules of the core that are imported, each with the name that is taken from it, if one is."""
    for path in PAPERS.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module and node.module.partition(".")[0] == "sfumato":
                for name in (alias.name for alias in node.names):
                    file = SOURCE.joinpath(*node.module.split("."), f"{name}.py")
                    yield (f"{node.module}.{name}", "") if file.is_file() else (node.module, name)


def test_they_use_the_modules_that_plug_ins_are_told_of_and_no_private_names() -> None:
    (section,) = re.findall(r"## Modules to build on\n(.*?)\n## ", PAGE, re.DOTALL)
    rows = "\n".join(line for line in section.splitlines() if line.startswith("|"))
    used = list(imported())
    assert {module for module, _ in used} == set(re.findall(r"`(sfumato[\w.]*)`", rows))
    assert not [(module, name) for module, name in used if name.startswith("_")]
