"""Windows and targets: no token lost, nothing learned from what nobody knows."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

np = pytest.importorskip("numpy")

from training.tagger.labels import TAG_ID
from training.tagger.parts import cut, join
from training.tagger.records import Mark, Record
from training.tagger.windows import UNKNOWN, targets

from sfumato.models.tokens import (
    central_ranges,
    window_ranges,
)


@given(st.integers(0, 3000), st.sampled_from([(256, 128), (64, 32), (32, 10)]))
def test_windows_cover_every_token_once_in_their_centres(length: int, size: tuple[int, int]) -> None:
    window, hop = size
    pieces = window_ranges(length, window, hop)
    assert all(end - start <= window for start, end in pieces)
    covered = [token for start, end in central_ranges(pieces) for token in range(start, end)]
    assert covered == list(range(length))
    for (start, end), (first, last) in zip(pieces, central_ranges(pieces), strict=True):
        assert start <= first <= last <= end


def test_targets_of_known_assumed_and_unknown_marks() -> None:
    text = "Ann Lee of Rome, aged 40, saw Bob"
    marks = (Mark(0, 7, "PERSON", "direct"), Mark(11, 15, "LOC"), Mark(22, 24, None), Mark(30, 33, "ORG", "none"))
    offsets = [(0, 3), (4, 7), (8, 10), (11, 13), (13, 15), (22, 24), (30, 33)]
    record = Record("s", "1", "g", text, marks)
    tags, decisions, masks = targets(record, offsets, {})
    person, place, org = (TAG_ID[f"B-{label}"] for label in ("PERSON", "LOC", "ORG"))
    assert tags.tolist() == [person, person + 1, 0, place, place + 1, UNKNOWN, org]
    assert masks.tolist() == [1, 1, 0, UNKNOWN, UNKNOWN, UNKNOWN, 0]
    assert decisions.tolist() == [0, 0, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, 2]
    assert targets(record, offsets, {"LOC": "quasi"})[2].tolist() == [1, 1, 0, 1, 1, UNKNOWN, 0]


def test_a_file_in_parts_comes_back_whole(tmp_path: Path) -> None:
    path = tmp_path / "tagger.onnx"
    content = bytes(range(256)) * 10000
    path.write_bytes(content)
    assert len(cut(path, 1)) == 3
    assert not path.exists()
    join(path)
    assert path.read_bytes() == content
    (tmp_path / "tagger.onnx.part-01").write_bytes(b"")
    with pytest.raises(ValueError, match="add up"):
        join(path)
