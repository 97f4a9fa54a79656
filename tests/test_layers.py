"""Who may import whom, as pyproject.toml says it."""

from __future__ import annotations

from pathlib import Path

import pytest
from importlinter.cli import EXIT_STATUS_SUCCESS, lint_imports


def test_each_room_imports_only_what_stands_below_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    # It would close the log handlers of other libraries, which hold what pytest captures.
    monkeypatch.setattr("importlinter.cli._configure_logging", lambda verbose: None)
    monkeypatch.chdir(Path(__file__).parents[1])
    assert lint_imports(config_filename="pyproject.toml", no_cache=True) == EXIT_STATUS_SUCCESS, capsys.readouterr().out
