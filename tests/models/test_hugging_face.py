"""Models of Hugging Face against a literal loop over the same network. Runs where torch is installed."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from sfumato.errors import InputError
from sfumato.models.hugging_face import CausalScorer
from sfumato.models.masked import MaskedScorer, MaskFiller
from tests.models.fakes import small_tokenizer, turns, words
from tests.models.tiny import saved

pytestmark = [pytest.mark.extras, pytest.mark.filterwarnings("default")]

TEXT = "The judge, Ana, left the court at 12. Nobody saw her.\nA letter came later."


@pytest.fixture(scope="module")
def bert(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("bert")
    return saved(transformers.BertForMaskedLM, transformers.BertConfig, place, layers=2, longest=128)


@pytest.fixture(scope="module")
def llama(tmp_path_factory: pytest.TempPathFactory) -> Path:
    kind, place = transformers.LlamaForCausalLM, tmp_path_factory.mktemp("llama")
    return saved(kind, transformers.LlamaConfig, place, layers=2, longest=128, bos_token="[CLS]")


def tokens_of_terms(text: str) -> tuple[list[int], list[list[int]]]:
    encoded = small_tokenizer().encode(text, add_special_tokens=False)
    return encoded.ids, [
        [t for t, (a, b) in enumerate(encoded.offsets) if a < end and start < b] for start, end in words(text)
    ]


@pytest.mark.parametrize("attention", [1, 0])
@pytest.mark.parametrize("n", [1, 2, 6])
def test_the_masked_scorer_is_the_literal_loop(bert: Path, n: int, attention: int) -> None:
    model = transformers.BertForMaskedLM.from_pretrained(bert).eval()
    ids, term_tokens = tokens_of_terms(TEXT)
    first, last, mask = (small_tokenizer().token_to_id(token) for token in ("[CLS]", "[SEP]", "[MASK]"))
    expected = [0.0] * len(term_tokens)
    for masked in turns(len(term_tokens), n):
        hidden = {token for term in masked for token in term_tokens[term]}
        masked_ids = torch.tensor([[first, *(mask if t in hidden else number for t, number in enumerate(ids)), last]])
        attended = torch.tensor([[1, *(attention if t in hidden else 1 for t in range(len(ids))), 1]])
        with torch.no_grad():
            chances = model(masked_ids, attention_mask=attended).logits[0].double().softmax(-1)
        for term in masked:
            expected[term] = -math.log(min(chances[token + 1, ids[token]].item() for token in term_tokens[term]))
    scorer = MaskedScorer(model=str(bert), n=n, attention=attention)
    assert scorer.information(TEXT, words(TEXT)) == pytest.approx(expected, abs=1e-5)
    assert scorer.languages is None
    assert scorer.name.endswith(",attention=0") is (attention == 0)
    assert scorer.name.startswith(f"masked:model={bert.name}@")


def test_the_filler_has_the_chances_of_the_network(bert: Path) -> None:
    """A masked word's first sub-word: of all that begin a word with letters, but the one that stood there."""
    model = transformers.BertForMaskedLM.from_pretrained(bert).eval()
    ids, term_tokens = tokens_of_terms(TEXT)
    place = (TEXT.index("court"), TEXT.index("court") + 5)
    hidden = term_tokens[words(TEXT).index(place)]
    first, last, mask = (small_tokenizer().token_to_id(token) for token in ("[CLS]", "[SEP]", "[MASK]"))
    masked_ids = [first, *(mask if token in hidden else number for token, number in enumerate(ids)), last]
    with torch.no_grad():
        chances = model(torch.tensor([masked_ids])).logits[0, hidden[0] + 1].double().softmax(-1).numpy()
    original = small_tokenizer().id_to_token(ids[hidden[0]])
    vocabulary = small_tokenizer().get_vocab().items()
    allowed = {piece: chances[number] for piece, number in vocabulary if piece.isalpha() and piece != original}
    (choices,) = MaskFiller(model=str(bert)).choices(TEXT, [place], 7)
    assert len(choices) == len(hidden)
    expected = sorted(allowed, key=lambda piece: -allowed[piece])[:7]
    assert list(choices[0].pieces) == expected
    total = sum(allowed[piece] for piece in expected)
    assert choices[0].probabilities == pytest.approx([allowed[piece] / total for piece in expected], rel=1e-4)


def test_the_causal_scorer_is_the_literal_loop(llama: Path) -> None:
    model = transformers.LlamaForCausalLM.from_pretrained(llama).eval()
    ids, term_tokens = tokens_of_terms(TEXT)
    with torch.no_grad():
        chances = model(torch.tensor([[small_tokenizer().token_to_id("[CLS]"), *ids]])).logits[0].double().softmax(-1)
    expected = [-math.log(min(chances[token, ids[token]].item() for token in tokens)) for tokens in term_tokens]
    assert CausalScorer(model=str(llama)).information(TEXT, words(TEXT)) == pytest.approx(expected, abs=1e-5)


def test_long_and_odd_texts_do_no_harm(bert: Path, llama: Path) -> None:
    for scorer in (MaskedScorer(model=str(bert), context=32), CausalScorer(model=str(llama), context=32)):
        for text in ("", "a \ud83d b", "שלום مرحبا 你好 " * 20, TEXT * 10, "[MASK] [CLS]"):
            values = scorer.information(text, words(text))
            assert len(values) == len(words(text))
            assert np.isfinite(values).all()
            assert (values >= 0).all()


def test_an_encoder_without_a_head_is_refused(tmp_path: Path) -> None:
    folder = saved(transformers.BertModel, transformers.BertConfig, tmp_path, layers=2, longest=128)
    with pytest.raises(InputError, match="it was not trained to predict words"):
        MaskedScorer(model=str(folder))


@pytest.mark.parametrize("model", ["./nowhere", "/no/such/folder", "missing.gguf", "a/b/c"])
def test_what_is_no_model_is_refused_without_a_download(model: str) -> None:
    with pytest.raises(InputError, match="no such folder or GGUF file"):
        CausalScorer(model=model)


def test_a_folder_with_something_else_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"cannot be loaded as MaskedLM"):
        MaskedScorer(model=str(tmp_path))
