"""Masks by turns: the same values as the definition says it, every term once, at any length."""

from __future__ import annotations

import json
import math
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sfumato.errors import InputError, MissingExtra, RecipeError
from sfumato.models.base import Range, TokenScorer, load_scorer
from sfumato.models.masked import FILE, MaskedScorer
from sfumato.models.tokens import check_terms, log_probabilities
from tests.models.fakes import (
    MASK,
    FakeMaskedModel,
    chance,
    pieces,
    scorer,
    small_tokenizer,
    texts_and_terms,
    turns,
    words,
)
from tests.strategies import texts

LONG = st.text("abcdefgh é👩 \n", max_size=600)


def literal(text: str, terms: list[Range], n: int) -> list[float]:
    """The definition, word for word, over the whole text at once."""
    tokens = pieces(text)
    term_tokens = [[t for t, (_, (a, b)) in enumerate(tokens) if a < end and start < b] for start, end in terms]
    information = [0.0] * len(terms)
    for masked in turns(len(terms), n):
        hidden = {token for term in masked for token in term_tokens[term]}
        ids = [MASK if t in hidden else number for t, (number, _) in enumerate(tokens)]
        for term in masked:
            chances = [math.exp(chance(ids, token, tokens[token][0])) for token in term_tokens[term]]
            information[term] = -math.log(min(chances)) if chances else 0.0
    return information


SPOKEN = "abcdefgh gh\nabcdef é hgf edcba feed bagged headache " * 6
"""Longer than a window, with words of one to three sub-tokens."""


@given(texts_and_terms(LONG), st.integers(1, 9), st.integers(18, 80))
@example((SPOKEN, words(SPOKEN)), 6, 20)
@example((SPOKEN, words(SPOKEN)), 2, 64)
@example(("abcdefgh", [(0, 8)]), 1, 18)
def test_it_is_the_definition_whatever_the_windows(case: tuple[str, list[Range]], n: int, context: int) -> None:
    text, terms = case
    assert scorer(FakeMaskedModel(), n, context).information(text, terms) == pytest.approx(
        literal(text, terms, n), abs=1e-9
    )


@given(texts_and_terms(texts | LONG), st.integers(1, 7))
def test_every_sub_token_of_every_term_is_asked_for_once_while_hidden(case: tuple[str, list[Range]], n: int) -> None:
    text, terms = case
    network = FakeMaskedModel()
    values = scorer(network, n, 20).information(text, terms)
    assert len(values) == len(terms)
    assert np.isfinite(values).all()
    assert (values >= 0).all()
    asked = Counter(int(term) for question in network.asked for term in question.terms)
    tokens = pieces(text)
    assert asked == Counter(
        {i: k for i, (s, e) in enumerate(terms) if (k := sum(a < e and s < b for _, (a, b) in tokens))}
    )
    for question in network.asked:
        assert (question.ids[question.positions] == MASK).all()
        assert len(question.ids) <= 18
        assert len({int(term) % n for term in question.terms}) == 1


def test_the_cost_grows_with_the_length_and_no_faster() -> None:
    reads = []
    for times in (1, 2, 4, 8):
        text = "one judge spoke of three roads and " * 50 * times
        network = FakeMaskedModel()
        scorer(network, 6, 64).information(text, words(text))
        reads.append(sum(len(question.ids) for question in network.asked))
        assert reads[-1] <= 6 * 1.4 * len(pieces(text)) + 6 * 64
    assert reads[3] < 8.5 * reads[0]


def test_a_term_longer_than_a_window_is_scored_in_all_its_parts() -> None:
    text = "before " + "x" * 3000 + " after"
    network = FakeMaskedModel()
    values = scorer(network, 6, 32).information(text, [(7, 3007)])
    assert len(values) == 1
    assert sum(len(question.positions) for question in network.asked) == 1000


@pytest.mark.parametrize(
    ("text", "terms"), [("", []), ("words", []), ("", [(0, 0)]), ("   ", [(0, 2)]), ("a", [(1, 1)])]
)
def test_where_there_is_nothing_to_read_there_is_no_information(text: str, terms: list[Range]) -> None:
    assert scorer(FakeMaskedModel()).information(text, terms).tolist() == [0.0] * len(terms)


@pytest.mark.parametrize("wrong", [[(3, 1)], [(0, 2), (1, 3)], [(-1, 2)], [(0, 9)], [(2, 3), (0, 1)]])
def test_ranges_that_are_no_terms_are_refused(wrong: list[Range]) -> None:
    with pytest.raises(ValueError, match="sorted, disjoint ranges of code points within the text's 5"):
        check_terms("words", wrong)


def test_the_name_says_all_that_changes_values() -> None:
    assert scorer(FakeMaskedModel(), 4, 32).name == "masked:model=fake,n=4,context=32"
    assert scorer(FakeMaskedModel()).name == "masked:model=fake,n=6,context=64"


def test_options_are_checked_at_the_door() -> None:
    with pytest.raises(RecipeError, match=r"n must be 1 or more .* got 0"):
        MaskedScorer(n=0)
    for context in (4, 513):
        with pytest.raises(RecipeError, match=f"context must be 16 to 512 for fake; got {context}"):
            scorer(FakeMaskedModel(), 6, context)


def test_log_probabilities_are_those_of_a_softmax() -> None:
    rows = np.random.default_rng(1).normal(0, 30, (5, 40)).astype(np.float32)
    targets = np.array([0, 39, 7, 7, 1])
    literal = [math.log(math.exp(r[t]) / sum(map(math.exp, r))) for r, t in zip(rows.tolist(), targets, strict=True)]
    assert log_probabilities(rows, targets) == pytest.approx(literal, rel=1e-6)


def test_a_folder_without_a_model_says_how_to_make_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sfumato.models.masked.SHIPPED", tmp_path)
    with pytest.raises(InputError, match=r"has no masked_lm.onnx: make it with training/masked_lm"):
        MaskedScorer()
    (tmp_path / FILE).write_bytes(b"no network")
    with pytest.raises(InputError, match="not a masked language model of ours"):
        MaskedScorer(model=str(tmp_path))


def test_a_model_that_needs_torch_says_how_to_install_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("torch", "transformers"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(MissingExtra, match=r"pip install 'sfumato\[torch\]'$"):
        MaskedScorer(model=str(tmp_path))


def tiny_folder(folder: Path) -> tuple[np.ndarray, np.ndarray]:
    """A network that adds a sub-token's vector to the mean of all and compares with every word's."""
    onnx = pytest.importorskip("onnx")
    from onnx import TensorProto, helper, numpy_helper

    tokenizer = small_tokenizer()
    tokenizer.save(str(folder / "tokenizer.json"))
    (folder / "config.json").write_text(json.dumps({"name": "tiny", "window": 32, "languages": ["en", "es"]}))
    random = np.random.default_rng(7)
    size = tokenizer.get_vocab_size()
    inner, outer = (random.normal(0, 1, shape).astype(np.float32) for shape in ((size, 8), (8, size)))
    nodes = [
        helper.make_node("Gather", ["inner", "input_ids"], ["vectors"]),
        helper.make_node("ReduceMean", ["vectors", "axis"], ["mean"]),
        helper.make_node("Add", ["vectors", "mean"], ["mixed"]),
        helper.make_node("Reshape", ["mixed", "flat"], ["rows"]),
        helper.make_node("Gather", ["rows", "positions"], ["chosen"]),
        helper.make_node("MatMul", ["chosen", "outer"], ["logits"]),
    ]
    constants = {"inner": inner, "outer": outer, "axis": np.array([1]), "flat": np.array([-1, 8])}
    graph = helper.make_graph(
        nodes,
        "tiny",
        [
            helper.make_tensor_value_info("input_ids", TensorProto.INT64, ["b", "l"]),
            helper.make_tensor_value_info("positions", TensorProto.INT64, ["k"]),
        ],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["k", size])],
        [numpy_helper.from_array(value, name) for name, value in constants.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    onnx.save(model, str(folder / FILE))
    return inner, outer


@pytest.mark.extras
def test_a_model_of_ours_gives_what_its_network_says(tmp_path: Path) -> None:
    inner, outer = tiny_folder(tmp_path)
    scorer = MaskedScorer(model=str(tmp_path), n=2, threads=2)
    assert isinstance(scorer, TokenScorer)
    assert scorer.languages == frozenset({"en", "es"})
    text = "The judge, Ana, left."
    terms = words(text)
    tokenizer = small_tokenizer()
    encoded = tokenizer.encode(text, add_special_tokens=False)
    vocabulary = tokenizer.get_vocab()
    first, last, mask = (vocabulary[token] for token in ("[CLS]", "[SEP]", "[MASK]"))
    term_tokens = [[t for t, (a, b) in enumerate(encoded.offsets) if a < end and start < b] for start, end in terms]
    values = [0.0] * len(terms)
    for masked in turns(len(terms), 2):
        hidden = {token for term in masked for token in term_tokens[term]}
        ids = [first, *(mask if t in hidden else number for t, number in enumerate(encoded.ids)), last]
        logits = ((inner[ids] + inner[ids].mean(0)) @ outer).astype(np.float64)
        chances = np.exp(logits) / np.exp(logits).sum(1, keepdims=True)
        for term in masked:
            values[term] = -math.log(min(chances[token + 1, encoded.ids[token]] for token in term_tokens[term]))
    assert scorer.information(text, terms) == pytest.approx(values, rel=1e-5)
    with pytest.raises(RecipeError, match="device 'cuda' is for Hugging Face models"):
        MaskedScorer(model=str(tmp_path), device="cuda")


ODD = {
    "one token": "x" * 1_000_000,
    "mixed scripts": "שלום مرحبا 你好 Привет γειά " * 40,
    "control characters": "\0\x01\x02 a" * 50,
    "half a surrogate pair": "a \ud83d b",
    "special tokens": "[MASK] [CLS] [SEP] [PAD]",
}


@pytest.mark.extras
@pytest.mark.parametrize("kind", ODD)
def test_odd_texts_do_no_harm(kind: str, tmp_path: Path) -> None:
    tiny_folder(tmp_path)
    text = ODD[kind]
    terms = words(text) or [(0, len(text))]
    values = MaskedScorer(model=str(tmp_path)).information(text, terms)
    assert np.isfinite(values).all()
    assert (values >= 0).all()


@pytest.mark.parametrize("kind", ODD)
def test_odd_texts_do_the_shipped_model_no_harm(kind: str) -> None:
    text = ODD[kind]
    values = MaskedScorer().information(text, words(text) or [(0, len(text))])
    assert np.isfinite(values).all()
    assert (values >= 0).all()


def test_what_context_gives_away_tells_less() -> None:
    text = "The court held that there had been a violation of Article 6 of the Convention by Quorvex Belnikov."
    terms = words(text)
    values = dict(zip([text[a:b] for a, b in terms], MaskedScorer().information(text, terms), strict=True))
    assert values["of"] < values["violation"] < values["Quorvex"]


def test_the_shipped_model_is_the_default_and_says_what_it_reads() -> None:
    scorer = load_scorer()
    assert scorer.name.startswith("masked:model=masked_lm@")
    assert scorer.name.endswith(",n=6,context=256")
    assert scorer.languages == frozenset({"en"})


def test_a_value_depends_on_its_own_text_alone() -> None:
    """Whatever else is asked in the same process, and with however many threads."""
    text = "Ms Quorvex Belnikov moved to the coast in 1987 and opened a bakery there. " * 12
    terms = words(text)
    alone = MaskedScorer(threads=1).information(text, terms)
    several = MaskedScorer(threads=3)
    several.information("Another text, on another matter: 4,711 sheep.", [(0, 7)])
    assert several.information(text, terms).tolist() == alone.tolist()


def test_the_shipped_model_attends_to_its_masks() -> None:
    with pytest.raises(RecipeError, match="attention=0 is for Hugging Face models"):
        MaskedScorer(attention=0)
    with pytest.raises(RecipeError, match="1 or 0; got 2"):
        MaskedScorer(attention=2)
