"""A finished document is found again, whatever happened to the run in between."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from sfumato.errors import OutputError
from sfumato.protection.checkpoints import Checkpoints


def store(path: Path, **values: object) -> None:
    checkpoints = Checkpoints(path)
    for key, value in values.items():
        checkpoints.put(key, {"value": value})
    checkpoints.close()


def test_results_are_found_again_and_only_their_owner_reads_them(tmp_path: Path) -> None:
    path = tmp_path / "new" / "checkpoints.sqlite"
    store(path, one="Zwickelbach", two="\ud800")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    again = Checkpoints(path)
    assert again.get("one") == {"value": "Zwickelbach"}
    assert again.get("two") == {"value": "\ud800"}
    assert again.get("three") is None


def test_a_result_is_on_disk_before_the_next_is_begun(tmp_path: Path) -> None:
    checkpoints = Checkpoints(tmp_path / "checkpoints.sqlite")
    checkpoints.put("one", {"value": 1})
    assert Checkpoints(tmp_path / "checkpoints.sqlite").get("one") == {"value": 1}
    checkpoints.close()
    checkpoints.close()


def test_looking_for_a_result_creates_no_file(tmp_path: Path) -> None:
    assert Checkpoints(tmp_path / "checkpoints.sqlite").get("one") is None
    assert not list(tmp_path.iterdir())


def test_a_file_that_is_no_cache_is_named(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text("id,text\nbelo,Belo bakes.\n" * 40)
    with pytest.raises(OutputError, match=r"people\.csv: cannot be used as a cache"):
        Checkpoints(path).get("one")


def test_without_a_path_nothing_is_stored() -> None:
    checkpoints = Checkpoints()
    checkpoints.put("one", {"value": 1})
    assert checkpoints.get("one") is None
    assert Checkpoints().secret() != Checkpoints().secret()
    checkpoints.close()


def test_the_secret_is_the_same_when_a_run_is_resumed(tmp_path: Path) -> None:
    first, other = Checkpoints(tmp_path / "a.sqlite"), Checkpoints(tmp_path / "b.sqlite")
    secret = first.secret()
    first.close()
    assert len(secret) == 32
    assert Checkpoints(tmp_path / "a.sqlite").secret() == secret != other.secret()
    other.close()
