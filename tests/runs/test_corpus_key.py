"""The key of a corpus lies beside its first input, so that later releases of it hide the same."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from sfumato.formats.sources import load
from sfumato.protection.target import Target
from sfumato.runs.protected import corpus_key


@pytest.fixture
def letters(tmp_path: Path) -> Path:
    folder = tmp_path / "letters"
    folder.mkdir()
    (folder / "a.txt").write_text("A letter.", encoding="utf-8")
    return folder


def test_a_key_is_made_once_and_used_for_every_output(letters: Path, tmp_path: Path) -> None:
    first = corpus_key([letters], tmp_path / "out")
    second = corpus_key([letters, letters / "a.txt"], tmp_path / "other.jsonl")
    assert first is not None
    assert second is not None
    assert first[0].derive("ranks") == second[0].derive("ranks")
    assert (first[1], first[2], second[2]) == (tmp_path / "letters.protect.key", True, False)
    assert stat.S_IMODE(first[1].stat().st_mode) == 0o600


def test_it_is_no_input_and_never_part_of_a_release(letters: Path, tmp_path: Path) -> None:
    assert corpus_key([letters / "a.txt"], tmp_path / "out") is not None
    assert (letters / "a.txt.protect.key").exists()
    assert [document.id for document in load([letters])] == ["a"]
    assert corpus_key([letters], tmp_path) is None


@pytest.mark.parametrize("people", [30, 100, 400])
def test_a_larger_k_never_asks_for_a_smaller_rank(people: int) -> None:
    for number in range(40):
        ranks = [Target(k).secret_rank(b"a secret", f"d{number}", people) for k in (2, 5, 11, 14)]
        assert ranks == sorted(ranks)
