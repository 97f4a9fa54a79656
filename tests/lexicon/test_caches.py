"""What functions say of texts is kept as long as it is promised, and no longer."""

from __future__ import annotations

import pickle

from hypothesis import given
from hypothesis import strategies as st

from sfumato.lexicon.caches import HashedOnce, cache_by_text, forget_long_texts, remember_by_digest


def test_what_is_kept_of_a_long_text_can_be_given_up() -> None:
    asked: list[int] = []

    @cache_by_text(2)
    def length(text: str) -> int:
        asked.append(len(text))
        return len(text)

    short, long = "a", "a" * 100_000
    assert [length(short), length(long), length(long)] == [1, 100_000, 100_000]
    forget_long_texts()
    assert [length(short), length(long)] == [1, 100_000]
    assert asked == [1, 100_000, 100_000]


def test_cache_by_text_keeps_one_long_text() -> None:
    asked: list[str] = []

    @cache_by_text(2)
    def size(text: str, factor: int) -> int:
        asked.append(text[:1])
        return factor * len(text)

    long, longer = "a" * 60_000, "b" * 70_000
    texts = ("c", "d", "c", long, long, longer, "d", long)
    assert [size(text, 2) for text in texts] == [2 * len(text) for text in texts]
    assert asked == ["c", "d", "a", "b", "a"]


def test_results_are_remembered_without_their_texts() -> None:
    asked: list[str] = []

    @remember_by_digest(2)
    def length(text: str) -> int:
        asked.append(text)
        return len(text)

    assert [length(text) for text in ("a", "bc", "a", "\ud800")] == [1, 2, 1, 1]
    assert asked == ["a", "bc", "\ud800"]  # and the first two are forgotten
    assert length("a") == 1
    assert asked[3:] == ["a"]


@given(st.lists(st.integers()))
def test_a_tuple_that_is_hashed_once_is_a_tuple(items: list[int]) -> None:
    assert HashedOnce(items) == tuple(items)
    assert hash(HashedOnce(items)) == hash(tuple(items))
    assert pickle.loads(pickle.dumps(HashedOnce(items))) == HashedOnce(items)
