"""The worked examples of the documentation come out as printed there."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "measures.md"


def test_the_examples_print_what_they_say() -> None:
    names: dict[str, object] = {}
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert len(blocks) == 3
    for block in blocks:
        promised = [line.split("  # ")[1] for line in block.splitlines() if line.startswith("print")]
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(block, names)
        assert printed.getvalue().splitlines() == promised
