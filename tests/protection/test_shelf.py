"""What was finished is found again, whatever happened to the file in between."""

from __future__ import annotations

import json
import stat
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from sfumato.protection.corpus import Checkpoints


def filled(path: Path, **values: object) -> None:
    checkpoints = Checkpoints(path)
    for key, value in values.items():
        checkpoints.put(key, {"value": value})
    checkpoints.close()


def test_results_are_found_again_and_only_their_owner_reads_them(tmp_path: Path) -> None:
    path = tmp_path / "new" / "shelf.jsonl"
    filled(path, one="Zwickelbach", two="\ud800")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    again = Checkpoints(path)
    assert again.get("one") == {"value": "Zwickelbach"}
    assert again.get("two") == {"value": "\ud800"}
    assert again.get("three") is None


def test_a_torn_line_is_lost_and_the_next_one_is_not(tmp_path: Path) -> None:
    path = tmp_path / "shelf.jsonl"
    filled(path, one=1, two=2)
    path.write_bytes(path.read_bytes()[:-9])
    torn = Checkpoints(path)
    assert (torn.get("one"), torn.get("two")) == ({"value": 1}, None)
    filled(path, three=3)
    again = Checkpoints(path)
    assert (again.get("one"), again.get("three")) == ({"value": 1}, {"value": 3})


def test_a_result_is_on_disk_before_the_next_is_begun(tmp_path: Path) -> None:
    checkpoints = Checkpoints(tmp_path / "shelf.jsonl")
    checkpoints.put("one", {"value": 1})
    assert Checkpoints(tmp_path / "shelf.jsonl").get("one") == {"value": 1}
    checkpoints.close()
    checkpoints.close()


def test_without_a_path_nothing_is_remembered(tmp_path: Path) -> None:
    checkpoints = Checkpoints()
    checkpoints.put("one", {"value": 1})
    assert checkpoints.get("one") is None
    assert Checkpoints().secret() != Checkpoints().secret()
    checkpoints.close()


def test_the_secret_is_the_same_when_a_run_is_taken_up_again(tmp_path: Path) -> None:
    first, other = Checkpoints(tmp_path / "a.jsonl"), Checkpoints(tmp_path / "b.jsonl")
    secret = first.secret()
    first.close()
    assert len(secret) == 32
    assert Checkpoints(tmp_path / "a.jsonl").secret() == secret != other.secret()
    other.close()


PARTS = st.recursive(st.none() | st.integers() | st.text(), lambda inner: st.lists(inner, max_size=3), max_leaves=6)


@given(PARTS, PARTS)
def test_a_key_is_of_all_that_it_is_made_of(one: object, other: object) -> None:
    checkpoints = Checkpoints()
    assert (checkpoints.key(one) == checkpoints.key(other)) == (json.dumps(one) == json.dumps(other))
    assert checkpoints.key(one, other) == checkpoints.key(one, other)
    assert checkpoints.key(one) != checkpoints.key(one, other)
