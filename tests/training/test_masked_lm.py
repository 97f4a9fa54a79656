"""The language model's training: what it never reads, how windows are cut, and which words are hidden."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

np = pytest.importorskip("numpy")

from training.masked_lm.leave_out import LeaveOut, applications, words
from training.masked_lm.prepare import chosen
from training.masked_lm.sources import _gloss
from training.masked_lm.texts import Text, read, write
from training.masked_lm.windows import Rows, covering, places, shares

OUT = LeaveOut(
    {"btc": frozenset({"b-1"}), "presidio": frozenset({"template-7"})},
    frozenset({"001-1"}),
    frozenset({"12345/06"}),
    frozenset({"ann b low"}),
)


def _text(name: str, number: str, text: str = "long enough to be a text", group: str | None = None) -> Text:
    return Text(name, number, group or number, text, "MIT")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (_text("btc", "b-1"), "fold-out"),
        (_text("presidio", "p-9", group="template-7"), "fold-out"),
        (_text("tab", "001-1"), "case of the benchmark"),
        (_text("tab_background", "001-1"), "case of the benchmark"),
        (_text("tab_background", "001-2", "(Application no. 12345/06)\nSTRASBOURG"), "another ruling"),
        (_text("db_bio", "Ann_B._Low", "Ann B. Low (born 1950) was a rower."), "a person"),
    ],
)
def test_what_is_scored_is_not_read(text: Text, reason: str) -> None:
    assert reason in (OUT.reason(text) or "")


@pytest.mark.parametrize(
    "text",
    [
        _text("wnut17", "b-1"),
        _text("tab", "001-3", "(Application no. 12345/07)\nFINAL\n12/06/2007"),
        _text("db_bio", "Joann_B._Lowell", "Joann B. Lowell (born 1950) was a rower."),
        _text("wnut17", "w-1", "ann b low was here"),
    ],
)
def test_the_rest_is(text: Text) -> None:
    assert OUT.reason(text) is None


def test_application_numbers_are_no_dates() -> None:
    assert applications("nos. 1946/04 and 22302/10, final 20/10/2010") == {"1946/04", "22302/10"}


def test_names_lose_what_ids_lose() -> None:
    assert words("Zlatan Bajramović") == words("zlatan-bajramovi-")


def test_a_text_is_kept_once() -> None:
    kept, left = chosen([_text("btc", "b-1"), _text("btc", "b-2"), _text("btc", "b-3"), _text("btc", "b-4", "hm")], OUT)
    assert [text.id for text in kept] == ["b-2"]
    assert left == {"btc": {"the tagger's fold-out": ["b-1"], "a copy": ["b-3"], "too short": ["b-4"]}}


def test_parts_depend_on_the_group_alone(tmp_path: Path) -> None:
    texts = [_text("a", f"{number}", f"text {number}") for number in range(5000)]
    parts = [text.part for text in texts]
    assert parts.count("foldout") == pytest.approx(150, abs=50)
    assert parts.count("validation") == pytest.approx(50, abs=30)
    assert [_text("b", "other", "other", group=text.group).part for text in texts] == parts
    for name in ("texts.jsonl", "texts.jsonl.gz"):
        assert write(tmp_path / name, texts) == 5000
        assert list(read(tmp_path / name)) == texts


def test_a_gloss_with_its_words() -> None:
    line = '00006269 03 n 02 life 0 living_thing 0 001 @ 00004258 n 0000 | all that lives; "the sea is full of life"  '
    assert _gloss(line) == 'life, living thing: all that lives; "the sea is full of life"'


@given(st.integers(0, 50), st.integers(1, 500), st.integers(1, 60))
def test_windows_cover_everything_and_are_full(low: int, size: int, length: int) -> None:
    starts = places(low, low + size, length)
    covered = {token for start in starts for token in range(start, start + length)}
    assert covered >= set(range(low, low + size))
    if size >= length:
        assert min(covered) == low
        assert max(covered) == low + size - 1
        assert len(starts) == -(-size // length)


def test_windows_know_their_set() -> None:
    rows = Rows(("a", "b"), np.array([0, 10, 14]), np.arange(14, dtype=np.int32), np.ones(14, bool))
    starts, sets = covering(rows, 4)
    assert starts.tolist() == [0, 4, 6, 10]
    assert sets.tolist() == [0, 0, 0, 1]


def test_shares_favour_small_sets() -> None:
    assert shares([100, 10000], 0.5).tolist() == pytest.approx([1 / 11, 10 / 11])
