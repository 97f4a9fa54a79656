"""A sentence-transformers model against itself. Runs where torch and sentence-transformers are installed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")
sentence_transformers = pytest.importorskip("sentence_transformers")

from sfumato.errors import InputError
from sfumato.models.base import Embedder
from sfumato.models.embedders import SentenceTransformersEmbedder
from tests.models.tiny import saved

pytestmark = [pytest.mark.extras, pytest.mark.filterwarnings("default")]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("bert")
    saved(transformers.BertModel, transformers.BertConfig, place, layers=1, longest=16)
    whole = tmp_path_factory.mktemp("sentences")
    sentence_transformers.SentenceTransformer(str(place), device="cpu").save(str(whole))
    return whole


def test_short_texts_are_the_models_own(folder: Path) -> None:
    embedder = SentenceTransformersEmbedder(model=str(folder))
    assert isinstance(embedder, Embedder)
    texts = ["the judge", "a letter came later"]
    expected = sentence_transformers.SentenceTransformer(str(folder), device="cpu").encode(
        texts, normalize_embeddings=True
    )
    np.testing.assert_allclose(embedder.embed(texts), expected, atol=1e-5)
    assert not embedder.embed(["", " "]).any()
    assert embedder.embed([]).shape == (0, 16)


def test_long_texts_are_read_to_the_end(folder: Path) -> None:
    embedder = SentenceTransformersEmbedder(model=str(folder))
    long = "the judge left the court " * 30
    shorter, longer = embedder.embed([long, long + "a letter came later " * 30])
    assert np.linalg.norm(shorter) == pytest.approx(1, abs=1e-5)
    assert float(shorter @ longer) < 0.9999


def test_a_folder_that_does_not_exist_is_not_looked_for_on_the_hub(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("socket.getaddrinfo", lambda *address: pytest.fail("the network was asked"))
    with pytest.raises(InputError, match="no such folder"):
        SentenceTransformersEmbedder(model="/no/such/folder")
