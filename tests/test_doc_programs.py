"""Every program in the README and on the pages of docs/ runs, and prints what is said below or beside it."""

from __future__ import annotations

import contextlib
import io
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import sfumato
from sfumato.attacks.base import Person
from sfumato.llm.replay import ScriptedChat
from tests.few_cases import write_few_cases
from tests.protection.certificate_samples import protection, released

ROOT = Path(__file__).parents[1]
BLOCK = re.compile(r"```python\n(.*?)```\n(?:\n```text\n(.*?)```)?", re.DOTALL)
ELSEWHERE = {"plugins.md"}
"""Its programs are files of a package: tests/test_example_plugin.py runs them."""
PAGES = [ROOT / "README.md", *sorted(path for path in (ROOT / "docs").glob("*.md") if path.name not in ELSEWHERE)]
PROGRAMS = [path for path in PAGES if BLOCK.search(path.read_text(encoding="utf-8"))]
NEEDS_TORCH = "Trir(model="
Names = dict[str, Any]


def cases(names: Names) -> None:
    """A corpus and its register: a few of the invented cases."""
    write_few_cases(Path("cases.jsonl"), Path("people.csv"))
    write_few_cases(Path("originals.jsonl"), Path("people.csv"))
    names["sfumato"] = sfumato


def vault(names: Names) -> None:
    """A release, and a vault that has it."""
    where: Any = {"vault": "vault.db", "key_file": "vault.key"}
    release = sfumato.anonymize("Ida Brandvik paid.", recipe="labels", **where)
    names |= {"sfumato": sfumato, "release": release, "text": "Dear PERSON_1"}


def attacked(names: Names) -> None:
    """What the attack that asks a model is given."""
    rated = json.dumps({"score": 10, "evidence": ["pigeons"]})
    people = [Person("anna", ("Anna Quorvex races pigeons.",)), Person("belo", ("Belo Tvesk bakes bread.",))]
    names |= {"my_chat": ScriptedChat(lambda request: rated), "background": people, "released_text": "Pigeons race."}


SETTINGS: dict[str, Callable[[Names], None]] = {"protection.md": cases, "restore.md": vault, "attacks.md": attacked}


def promised(code: str, below: str) -> list[str] | None:
    """What the page says is printed: in a block below, or behind each ``print``; None where it says nothing."""
    beside = [line.rsplit("  # ", 1)[1] for line in code.splitlines() if line.startswith("print") and "  # " in line]
    return below.splitlines() if below else beside or None


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.name)
def test_programs_print_what_the_page_says(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    answers = ScriptedChat(lambda request: json.dumps(["Mara Quill"]))
    monkeypatch.setattr("sfumato.llm.open_chat", lambda given, **settings: answers)
    names: Names = {}
    if path.name in SETTINGS:
        SETTINGS[path.name](names)
    for code, below in BLOCK.findall(path.read_text(encoding="utf-8")):
        if NEEDS_TORCH in code:
            continue
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(code, names)
        output = promised(code, below)
        assert output is None or printed.getvalue().splitlines() == output
    if isinstance(names.get("vault"), sfumato.Vault):
        names["vault"].close()
    if path.name == "certificate.md":
        released(tmp_path / "released")
        names["certify"](protection(), tmp_path / "released")
        assert capsys.readouterr().out == ""
