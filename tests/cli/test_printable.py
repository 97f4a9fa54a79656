"""What is printed holds no escape sequence of a document, an id or the name of a file."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.table import Table
from rich.text import Text

from sfumato.cli import main, printable, printable_json
from sfumato.cli.render import Terminal

ANY_TEXT = st.text(st.characters(exclude_categories=()) | st.sampled_from("\x1b\x07\x9b\x7f\r\u202e\u2066\udcff"))
HARMLESS = {"\n", "\t"}


def obeyed(text: str) -> set[str]:
    """Characters that a terminal obeys instead of showing them."""
    return {
        char
        for char in text
        if (
            ord(char) < 0x20
            or 0x7F <= ord(char) < 0xA0
            or 0x202A <= ord(char) <= 0x202E
            or 0x2066 <= ord(char) <= 0x2069
        )
        and char not in HARMLESS
    }


@given(ANY_TEXT)
def test_nothing_that_a_terminal_obeys_is_left(text: str) -> None:
    shown = printable(text)
    assert not obeyed(shown)
    shown.encode()
    assert printable(shown) == shown


@given(st.text(st.characters(categories=["L", "N", "P", "S", "Zs"])))
def test_ordinary_text_is_shown_as_it_is(text: str) -> None:
    assert printable(text) == text


@given(ANY_TEXT)
def test_json_says_the_same(text: str) -> None:
    serialized = printable_json(json.dumps({text: text}, ensure_ascii=False))
    assert not obeyed(serialized)
    assert json.loads(serialized) == {text: text}


@given(ANY_TEXT)
def test_consoles_print_no_controls(text: str) -> None:
    written = io.StringIO()
    console = Terminal(file=written, width=200, highlight=False)
    table = Table(box=None)
    table.add_column(Text(text))
    table.add_row(Text(text, style="red"))
    console.print(Text(text))
    console.print(table)
    console.rule(Text(text.replace("\n", " ")))
    assert not obeyed(written.getvalue())
    written.getvalue().encode()


def test_names_ids_and_previews_of_a_run_are_shown_escaped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    evil = "\x1b]0;owned\x07\x9b31m"
    source = tmp_path / f"a{evil}.jsonl"
    source.write_text(
        json.dumps({"id": f"x{evil}", "text": f"Ms Ida Brandvik called.{evil}"})
        + "\n"
        + json.dumps({"id": f"y{evil}"})
        + "\n"
    )
    for arguments in (
        ["anonymize", source, "--out", tmp_path / f"o{evil}.jsonl", "--recipe", "fast", "--preview", "1"],
        ["anonymize", source, "--out", tmp_path / f"p{evil}.jsonl", "--recipe", "fast", "--json"],
        ["anonymize", tmp_path / f"no{evil}.txt", "--out", tmp_path / "q.txt"],
        ["anonymize", source, f"--no{evil}"],
        [f"no{evil}"],
    ):
        monkeypatch.setattr(sys, "argv", ["sfumato", *map(str, arguments)])
        with pytest.raises(SystemExit) as stopped:
            main()
        assert stopped.value.code
        printed = "".join(capsys.readouterr())
        assert not obeyed(printed)
        assert "1b]0;owned" in printed
