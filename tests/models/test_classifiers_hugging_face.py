"""A Hugging Face classifier against the network itself. Runs where torch is installed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from sfumato.errors import InputError
from sfumato.models.base import Classifier
from sfumato.models.classifiers import HuggingFaceClassifier
from tests.models.tiny import saved

pytestmark = [pytest.mark.extras, pytest.mark.filterwarnings("default")]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    labels = {0: "heart", 1: "lungs", 2: "bones"}
    kind = transformers.BertForSequenceClassification
    place = tmp_path_factory.mktemp("bert")
    return saved(kind, transformers.BertConfig, place, layers=1, longest=16, num_labels=3, id2label=labels)


def test_short_and_long_texts(folder: Path) -> None:
    classifier = HuggingFaceClassifier(model=str(folder))
    assert isinstance(classifier, Classifier)
    assert classifier.labels == ("heart", "lungs", "bones")
    model = transformers.BertForSequenceClassification.from_pretrained(folder).eval()
    text = "the judge left the court " * 9
    ids = transformers.AutoTokenizer.from_pretrained(folder)(text)["input_ids"]
    with torch.inference_mode():
        parts = [ids[start : start + 16] for start in range(0, len(ids), 16)]
        values = [model(input_ids=torch.tensor([part])).logits[0].numpy() for part in parts]
    logits = classifier.logits(["the judge left the court the judge", text])
    assert logits.shape == (2, 3)
    np.testing.assert_allclose(logits[1], np.average(values, axis=0, weights=[*map(len, parts)]), atol=1e-4)


def test_no_such_model() -> None:
    with pytest.raises(InputError, match="no such folder"):
        HuggingFaceClassifier(model="/no/such/folder")
