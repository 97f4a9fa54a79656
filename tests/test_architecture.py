"""docs/architecture.md names every package, and every function that it draws exists."""

from __future__ import annotations

import re
from importlib import import_module
from operator import attrgetter
from pathlib import Path

import pytest

import sfumato

PAGE = (Path(__file__).parents[1] / "docs" / "architecture.md").read_text(encoding="utf-8")
STATIONS = sorted(
    {
        station
        for diagram in re.findall(r"```\n(.*?)```", PAGE, re.DOTALL)
        for station in re.findall(r"\b([a-z_0-9.]+:[A-Za-z_.]+)", diagram)
    }
)


def test_paths_are_drawn() -> None:
    assert len(STATIONS) > 20


@pytest.mark.parametrize("station", STATIONS)
def test_every_drawn_function_exists(station: str) -> None:
    module, _, name = station.partition(":")
    assert callable(attrgetter(name)(import_module(f"sfumato.{module}")))


def test_every_package_and_module_is_named() -> None:
    root = Path(sfumato.__file__).parent
    entries = {path.stem if path.is_file() else path.name for path in root.iterdir() if path.suffix in ("", ".py")}
    missing = {name for name in entries if not name.startswith("_") and not re.search(rf"`{name}(/|\.py)`", PAGE)}
    assert not missing
