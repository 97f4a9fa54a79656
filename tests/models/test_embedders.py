"""The static embedder: a sum of token vectors, of any length, at length 1."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer

from sfumato import registry
from sfumato.errors import InputError, MissingExtra
from sfumato.models import embedders
from sfumato.models.base import Embedder
from sfumato.models.embedders import FILE, WEIGHTS, StaticEmbedder
from sfumato.models.tokens import TOKENIZER
from tests.models.fakes import small_tokenizer

EMBEDDER = StaticEmbedder()


def cosine(first: str, second: str) -> float:
    one, two = EMBEDDER.embed([first, second])
    return float(one @ two)


def literal(text: str) -> np.ndarray:
    """One token after the other."""
    with np.load(WEIGHTS / FILE) as arrays:
        rows, scale = arrays["rows"], arrays["scale"]
    tokenizer = Tokenizer.from_file(str(TOKENIZER))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    total = np.zeros(rows.shape[1])
    for number in tokenizer.encode(text, add_special_tokens=False).ids:
        total += rows[number].astype(np.float64) * float(scale[number])
    length = np.linalg.norm(total)
    return total / length if length else total


def test_the_contract() -> None:
    assert isinstance(EMBEDDER, Embedder)
    assert isinstance(registry.create("embedder", "static", {}), StaticEmbedder)
    assert EMBEDDER.name.startswith("static@")
    assert EMBEDDER.embed([]).shape == (0, 256)


@pytest.mark.parametrize("text", ["a judge", "Ana Quorvex lives in Lisbon.", "12 May 1994", "el paciente, señor"])
def test_as_summed_one_by_one(text: str) -> None:
    (vector,) = EMBEDDER.embed([text])
    assert vector.dtype == np.float32
    np.testing.assert_allclose(vector, literal(text), atol=1e-6)


@given(st.lists(st.text(max_size=40), max_size=6))
def test_rows_have_length_one_or_nothing_and_stand_alone(texts: list[str]) -> None:
    vectors = EMBEDDER.embed(texts)
    lengths = np.linalg.norm(vectors, axis=1)
    assert np.all((np.abs(lengths - 1) < 1e-5) | (lengths == 0))
    for row, text in zip(vectors, texts, strict=True):
        np.testing.assert_allclose(row, EMBEDDER.embed([text])[0], atol=1e-6)


def test_nothing_to_embed_is_zero() -> None:
    assert not EMBEDDER.embed(["", " \n", "x" * 200]).any()
    assert EMBEDDER.embed(["half a pair: \ud800"]).any()


def test_long_texts_are_read_to_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    start = "The court met on Monday. " * 4000
    one, two = EMBEDDER.embed([start, start + "Whales sing in the deep ocean. " * 4000])
    assert float(one @ two) < 0.99
    monkeypatch.setattr(embedders, "_BATCH_CHARACTERS", 50)
    texts = ["a judge", start[:500], "", "the sea"]
    np.testing.assert_allclose(EMBEDDER.embed(texts), np.stack([literal(text) for text in texts]), atol=1e-6)


@pytest.mark.parametrize(
    ("original", "general", "other"),
    [
        ("Istanbul", "a city in Turkey", "Lyon"),
        ("10 June 1997", "the late 1990s", "3 May 2021"),
        ("cardiologist", "a doctor", "a plumber"),
        ("violin", "a musical instrument", "harbour"),
    ],
)
def test_a_true_generalization_is_nearer_than_another_thing(original: str, general: str, other: str) -> None:
    assert cosine(original, general) > cosine(original, other)


def test_a_folder_of_ones_own(tmp_path: Path) -> None:
    tokenizer = small_tokenizer()
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    rows = np.eye(tokenizer.get_vocab_size(), dtype=np.int8)
    np.savez(tmp_path / FILE, rows=rows, scale=np.full(len(rows), 2, np.float32))
    text = "the judge left the court"
    counts = np.bincount(tokenizer.encode(text, add_special_tokens=False).ids, minlength=len(rows))
    (vector,) = StaticEmbedder(model=tmp_path).embed([text])
    np.testing.assert_allclose(vector, counts / np.linalg.norm(counts), atol=1e-6)


def test_what_is_no_embedder(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="not a static embedder"):
        StaticEmbedder(model=tmp_path)
    np.savez(tmp_path / FILE, rows=np.zeros((3, 2), np.int8), scale=np.ones(3, np.float32))
    with pytest.raises(InputError, match=r"3 vectors for \d+ sub-words"):
        StaticEmbedder(model=tmp_path)


def test_without_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(MissingExtra, match=r"sfumato\[torch\]"):
        registry.create("embedder", "sentence-transformers", {})
