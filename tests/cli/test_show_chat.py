"""What asking cost, in a terminal of any width."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from sfumato.cli import render
from sfumato.llm.usage import Cost, Usage

METHODS = {
    "synthetic-with-a-long-name": Usage(questions=4, requests=123_456, prompt_tokens=8_123_456, generated_tokens=99),
    "[bold]rewrite": Usage(questions=2, requests=2, unreadable=17, failed=3, hallucinated=29, money=0.5),
}


def shown(monkeypatch: pytest.MonkeyPatch, width: int) -> str:
    stream = io.StringIO()
    monkeypatch.setattr(render, "out", Console(file=stream, width=width))
    render.usage(METHODS, 2)
    return stream.getvalue()


@pytest.mark.parametrize("width", [20, 40, 80, 100, 120, 200])
def test_nothing_is_cut_at_any_width(monkeypatch: pytest.MonkeyPatch, width: int) -> None:
    text = shown(monkeypatch, width)
    assert "…" not in text
    for name, usage in METHODS.items():
        (line,) = [line for line in text.splitlines() if name in line]
        assert all(figure in line for figure in Cost("", 1, 2, usage).figures())
    assert all(column in text for column in Cost.COLUMNS)
    assert "unread (answers that could not be read)" in text
    assert "failed (questions without an answer)" in text
    assert "not there (strings that are not in the text)" in text


def test_a_wide_terminal_has_columns_and_a_narrow_one_has_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    wide, narrow = shown(monkeypatch, 200), shown(monkeypatch, 60)
    assert wide.count("generated") == 1
    assert narrow.count("generated") == len(METHODS)


def test_nothing_is_said_where_nothing_was_asked(capsys: pytest.CaptureFixture[str]) -> None:
    render.usage({}, 5)
    render.usage(METHODS, 0)
    assert capsys.readouterr().out == ""
