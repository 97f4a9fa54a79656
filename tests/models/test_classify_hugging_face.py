"""A Hugging Face classifier against the network itself. Runs where torch is installed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from sfumato.errors import InputError  # noqa: E402
from sfumato.models import Classifier  # noqa: E402
from sfumato.models.classify_hugging_face import HuggingFaceClassifier  # noqa: E402
from tests.models.fakes import small_tokenizer  # noqa: E402

pytestmark = pytest.mark.filterwarnings("default")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("bert")
    config = transformers.BertConfig(
        vocab_size=small_tokenizer().get_vocab_size(),
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=16,
        initializer_range=1.0,
        num_labels=3,
        id2label={0: "heart", 1: "lungs", 2: "bones"},
    )
    torch.manual_seed(5)
    transformers.BertForSequenceClassification(config).eval().save_pretrained(place)
    transformers.PreTrainedTokenizerFast(
        tokenizer_object=small_tokenizer(),
        unk_token="[UNK]",
        cls_token="[CLS]",
        sep_token="[SEP]",
        pad_token="[PAD]",
        mask_token="[MASK]",
        model_max_length=16,
    ).save_pretrained(place)
    return place


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
    found = classifier.logits(["the judge left the court the judge", text])
    assert found.shape == (2, 3)
    np.testing.assert_allclose(found[1], np.average(values, axis=0, weights=[*map(len, parts)]), atol=1e-4)


def test_no_such_model() -> None:
    with pytest.raises(InputError, match="cannot be loaded"):
        HuggingFaceClassifier(model="/no/such/folder")
