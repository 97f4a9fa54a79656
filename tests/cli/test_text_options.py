"""What the command line says about the texts: terms that stay, their locale, the order of their dates."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from sfumato.cli.app import app
from sfumato.errors import RecipeError

LETTER = "Dear Anna Quorvex, please call Mr Tomasz Belnik on +44 20 7946 0018."


def run(folder: Path, *options: str) -> str:
    (folder / "letter.txt").write_text(LETTER, encoding="utf-8")
    command = ["anonymize", str(folder / "letter.txt"), "--out", "-", "--recipe", "labels", *options]
    return CliRunner().invoke(app, command, catch_exceptions=False).stdout


def test_allowed_terms_stay(tmp_path: Path) -> None:
    (tmp_path / "terms").write_text("\ufeffTomasz Belnik\n\n", encoding="utf-8")
    assert "Quorvex" not in run(tmp_path)
    outcome = run(tmp_path, "--allow", "Anna Quorvex")
    assert outcome.startswith("Dear Anna Quorvex, please call ")
    assert "Belnik" not in outcome
    both = run(tmp_path, "--allow", "Anna Quorvex", "--allow-file", str(tmp_path / "terms"))
    assert both.startswith("Dear Anna Quorvex, please call Mr Tomasz Belnik on ")
    assert "7946" not in both


@pytest.mark.parametrize(
    ("options", "hint"),
    [
        (("--allow-file", "nowhere.txt"), "nowhere.txt: cannot be read"),
        (("--locale", "en-UK"), "en-GB"),
        (("--date-order", "american"), "'dmy', 'mdy' or 'ymd'"),
    ],
)
def test_wrong_options_are_refused(tmp_path: Path, options: tuple[str, ...], hint: str) -> None:
    with pytest.raises(RecipeError, match=hint):
        run(tmp_path, *options)


@pytest.mark.parametrize(
    "option", [("--text-column", "note"), ("--recipe", "fast"), ("--id-column", "a"), ("--locale", "en-GB")]
)
def test_an_option_that_takes_one_value_is_not_given_twice(tmp_path: Path, option: tuple[str, str]) -> None:
    (tmp_path / "letter.txt").write_text(LETTER, encoding="utf-8")
    command = ["anonymize", str(tmp_path / "letter.txt"), "--out", str(tmp_path / "out.txt"), *option, *option]
    result = CliRunner().invoke(app, command)
    assert result.exit_code == 2
    assert f"{option[0]} takes one value and is given several times" in result.stderr
    assert not (tmp_path / "out.txt").exists()
