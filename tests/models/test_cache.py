"""What was asked once is not asked again, and no text is kept."""

from __future__ import annotations

import stat
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from sfumato.errors import OutputError
from sfumato.models.base import Classifier, Embedder, Floats, Range, TokenScorer
from sfumato.models.cache import FolderStore, MemoryStore, Store, cached


class Counting:
    """A scorer that remembers how often it was asked."""

    languages: frozenset[str] | None = frozenset({"en"})

    def __init__(self, name: str = "counting") -> None:
        self.name = name
        self.calls = 0

    def information(self, text: str, terms: Sequence[Range]) -> Floats:
        self.calls += 1
        return np.array([float(end - start) for start, end in terms])


class Lengths:
    """An embedder, and a classifier, that remembers which texts it read."""

    name = "lengths"

    def __init__(self) -> None:
        self.read: list[str] = []

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.read += texts
        return np.array([[len(text), 1] for text in texts], np.float32).reshape(-1, 2)


class Longer:
    """A classifier by length."""

    name = "longer"
    labels: tuple[str, ...] = ("short", "long")

    def __init__(self) -> None:
        self.calls = 0

    def logits(self, texts: Sequence[str]) -> Floats:
        self.calls += 1
        return np.array([[1.0, len(text)] for text in texts])


@pytest.fixture(params=["memory", "folder"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    if request.param == "memory":
        yield MemoryStore()
        return
    folder = FolderStore(tmp_path / "answers")
    assert stat.S_IMODE((tmp_path / "answers" / "answers.sqlite").stat().st_mode) == 0o600
    yield folder
    folder.close()


def test_ten_methods_on_one_corpus_cost_one_pass_over_the_originals(store: Store) -> None:
    corpus = [f"Document {number} about Anna." for number in range(7)]
    inner = Counting()
    scorer = cached(inner, store)
    assert isinstance(scorer, TokenScorer)
    first = [scorer.information(text, [(0, 8), (9, 10)]) for text in corpus]
    for _ in range(9):
        for text, expected in zip(corpus, first, strict=True):
            assert scorer.information(text, [(0, 8), (9, 10)]).tolist() == expected.tolist()
    assert inner.calls == len(corpus)


def test_other_terms_texts_and_scorers_are_other_questions(store: Store) -> None:
    first_model, second_model = Counting(), Counting("other")
    for inner in (first_model, second_model):
        scorer = cached(inner, store)
        for text, terms in (("ab", [(0, 1)]), ("ab", [(0, 2)]), ("ab", []), ("abc", [(0, 1)]), ("a\ud83d", [(0, 1)])):
            scorer.information(text, terms)
        assert inner.calls == 5


def test_what_a_caller_does_to_an_answer_stays_with_the_caller(store: Store) -> None:
    scorer = cached(Counting(), store)
    for _ in range(3):
        values = scorer.information("abc", [(0, 3)])
        assert values.tolist() == [3.0]
        values[0] = 99


@given(st.lists(st.lists(st.text(max_size=4), max_size=6), max_size=5))
def test_an_embedder_reads_each_text_once(batches: list[list[str]]) -> None:
    inner = Lengths()
    embedder = cached(inner)
    assert isinstance(embedder, Embedder)
    for batch in batches:
        rows = embedder.embed(batch)
        assert rows.dtype == np.float32
        assert rows.tolist() == [[len(text), 1] for text in batch]
    assert sorted(inner.read) == sorted({text for batch in batches for text in batch})


def test_a_classifier_reads_each_text_once(store: Store) -> None:
    inner = Longer()
    classifier = cached(inner, store)
    assert isinstance(classifier, Classifier)
    assert classifier.labels == ("short", "long")
    for _ in range(3):
        assert classifier.logits(["a", "abc", "a"]).tolist() == [[1, 1], [1, 3], [1, 1]]
    assert inner.calls == 1


def test_memory_is_bounded_and_forgets_what_was_used_longest_ago() -> None:
    store = MemoryStore(3 * (8 + 200))
    for number in range(3):
        store.put(bytes([number]), np.array([float(number)]))
    assert store.get(b"\0") is not None
    store.put(b"\3", np.array([3.0]))
    assert [store.get(bytes([number])) is None for number in range(4)] == [False, True, False, False]


def test_a_folder_outlives_the_process_and_holds_no_text(tmp_path: Path) -> None:
    text = "Quorvex Belnikov signed the tenancy agreement."
    store = FolderStore(tmp_path)
    cached(Counting(), store).information(text, [(0, 7)])
    cached(Lengths(), store).embed([text])
    store.close()
    inner = Counting()
    again = FolderStore(tmp_path)
    assert cached(inner, again).information(text, [(0, 7)]).tolist() == [7.0]
    assert inner.calls == 0
    again.close()
    assert list(tmp_path.iterdir())
    for file in tmp_path.iterdir():
        assert b"Quorvex" not in file.read_bytes()
        assert b"tenancy" not in file.read_bytes()


def test_a_folder_that_cannot_be_used_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match=r"file/answers.sqlite: cannot be used as a cache .* choose another place"):
        FolderStore(tmp_path / "file")
    (tmp_path / "answers.sqlite").write_text("this is no database, and long enough to be taken for one" * 30)
    with pytest.raises(OutputError, match="cannot be used as a cache"):
        FolderStore(tmp_path)
