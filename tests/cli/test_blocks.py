"""Tables of many columns, in a terminal of any width."""

from __future__ import annotations

import io
import re

import pytest
from rich.console import Console
from rich.text import Text

from sfumato.cli import render, render_results
from sfumato.cli.render import wrap_columns
from sfumato.document import Score
from sfumato.metrics.measurement import Measurement

NAMES = [f"a-method-with-a-long-name-{n}" for n in range(7)]


def measured(at: int) -> Measurement:
    score = Score("rouge-l", 0.5 + at / 100, (0.25, 0.75), 12, {}, higher_is_better=True)
    return Measurement({"rouge-l": score}, {}, (), {"rouge-l": "overlap"})


@pytest.mark.parametrize("width", [40, 60, 80, 120, 300])
def test_no_figure_is_broken(monkeypatch: pytest.MonkeyPatch, width: int) -> None:
    stream = io.StringIO()
    monkeypatch.setattr(render, "out", Console(file=stream, width=width))
    render_results.table({name: measured(at) for at, name in enumerate(NAMES)})
    text = stream.getvalue()
    assert text.count("[0.250, 0.750]") == len(NAMES)
    assert re.findall(r"0\.5\d+", text) == [f"{0.5 + at / 100:.3f}" for at in range(len(NAMES))]


def test_columns_keep_their_order_and_none_is_left_out() -> None:
    figures = {name: [Text("0.5\n[0.25, 0.75]")] for name in NAMES}
    for width in range(120):
        blocks = wrap_columns(figures, ["metric"], width)
        assert [name for block in blocks for name in block] == NAMES
        assert all(len(block) == 1 or 8 + 14 * len(block) <= width for block in blocks)
