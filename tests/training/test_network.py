"""The network and its losses; needs torch, which make test-extras installs."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("safetensors")
pytest.importorskip("onnx")

from training.inference import FlatEncoder
from training.tagger import calibrate
from training.tagger.average import average
from training.tagger.dequantize import dequantize
from training.tagger.export import GatedInference, Inference, quantized, to_onnx
from training.tagger.fit import Augmenter, Batch
from training.tagger.labels import DECISIONS, TAG_ID, TAGS
from training.tagger.model import Size, Tagger, add_gate, keep_layers, load, narrow_layers
from training.tagger.objective import gate_loss, imitation, outside_tags, probabilities, state_loss, type_loss
from training.tagger.teachers import ask, read_opinions, write_opinions
from training.tagger.windows import Windows

from sfumato.detectors.tagger import SHAPE_COUNT, SHIPPED_MODEL
from sfumato.models.base import open_onnx
from sfumato.models.tokens import load_tokenizer
from sfumato.models.torch_tagger import TorchTagger

pytestmark = pytest.mark.extras

SIZE = Size(60, 16, 2, 2, 32, 64)


def test_an_exported_tagger_turned_back_is_the_network_it_came_from(tmp_path: Path) -> None:
    dequantize(SHIPPED_MODEL, tmp_path)
    model = load(tmp_path).eval()
    session = open_onnx(str(SHIPPED_MODEL / "tagger.onnx"))
    tokens = load_tokenizer(SHIPPED_MODEL).encode("Anna Quorvex moved to Leeds in May 2019 with her two dogs.")
    inputs = [tokens.ids, [0] * len(tokens.ids), [0] * len(tokens.ids)]
    ids, shapes, kinds = (torch.tensor([numbers]) for numbers in inputs)
    with torch.no_grad():
        types, _, masks = model(ids, torch.ones_like(ids), shapes, kinds)
    feed = {"input_ids": ids.numpy(), "case_ids": shapes.numpy(), "word_kinds": kinds.numpy()}
    given = session.run(["type_logits", "mask_logit"], feed)
    assert (types.argmax(-1).numpy() == given[0].argmax(-1)).mean() > 0.9
    assert abs(masks.sigmoid().numpy() - 1 / (1 + np.exp(-given[1]))).max() < 0.2


def test_padding_changes_nothing() -> None:
    torch.manual_seed(1)
    model = Tagger(SIZE).eval()
    ids, *inputs = (torch.randint(least, most, (1, 9)) for least, most in ((1, 60), (0, SHAPE_COUNT), (0, 96)))
    alone = model(ids, torch.ones_like(ids), *inputs)
    wide, *wide_inputs = (torch.nn.functional.pad(values, (0, 5)) for values in (ids, *inputs))
    padded = model(wide, (wide > 0).long(), *wide_inputs)
    for one, other in zip(alone, padded, strict=True):
        torch.testing.assert_close(one, other[:, :9], atol=1e-5, rtol=1e-4)


def test_a_smaller_student_begins_as_part_of_its_base() -> None:
    torch.manual_seed(1)
    size = replace(SIZE, num_attention_heads=4)
    model = Tagger(size).eval()
    silent_units, silent_heads = [3, 7, 20], [0, 2]
    with torch.no_grad():
        for layer in model.layers:
            layer.narrow.weight[:, silent_units] = 0  # units that tell nothing
            layer.merge.weight.view(16, 4, 4)[:, silent_heads] = 0
    ids, *inputs = (torch.randint(least, most, (1, 9)) for least, most in ((1, 60), (0, SHAPE_COUNT), (0, 96)))
    before = model(ids, torch.ones_like(ids), *inputs)
    batch = dict(zip(("ids", "visible", "shapes", "kinds"), (ids, torch.ones_like(ids), *inputs), strict=True))
    narrow_layers(model, [batch], heads=2, units=29)
    assert (model.size.intermediate_size, model.size.num_attention_heads, model.size.head_size) == (29, 2, 4)
    for one, other in zip(before, model(ids, torch.ones_like(ids), *inputs), strict=True):
        torch.testing.assert_close(one, other, atol=1e-5, rtol=1e-4)
    last = model.layers[1]
    keep_layers(model, [1])
    assert list(model.layers) == [last]
    with pytest.raises(SystemExit, match="feed-forward 64"):
        narrow_layers(model, [batch], units=64)
    with pytest.raises(SystemExit, match="heads 8: the base has 2"):
        narrow_layers(model, [batch], heads=8)


def test_hidden_states_are_compared_where_tokens_are_read() -> None:
    torch.manual_seed(2)
    target, read = torch.randn(2, 5, 8), torch.tensor([[1, 1, 1, 0, 0], [1, 1, 0, 0, 0]], dtype=torch.bool)
    elsewhere = torch.where(read[..., None], target, 9.0)
    assert state_loss([elsewhere], [target], read) == 0
    mean = target[read].mean(0).expand_as(target)
    torch.testing.assert_close(state_loss([elsewhere, mean], [target, target], read), torch.tensor(0.5))


def test_outside_tokens_are_free_to_be_what_the_set_did_not_look_for() -> None:
    outside = outside_tags(["tab", "wnut17"])
    dates = torch.full((2, 1, len(TAGS)), -20.0)
    dates[..., TAG_ID["B-DATETIME"]] = 20.0
    wrong, fine = (
        type_loss(dates[row, None], torch.zeros(1, 1, dtype=torch.long), outside[row, None]) for row in (0, 1)
    )
    assert wrong > 10
    assert fine < 0.01


def test_nothing_is_learned_where_nothing_is_known() -> None:
    logits = torch.randn(1, 4, len(TAGS), requires_grad=True)
    type_loss(logits, torch.full((1, 4), -1), outside_tags(["tab"])).backward()
    assert logits.grad is not None
    assert not logits.grad.abs().any()


def test_augmentation_changes_case_of_whole_windows_only() -> None:
    changed = augmented(lower=1.0)
    assert changed["shapes"].tolist() == [[0, 1, 9], [5, 6, 17]]
    assert changed["kinds"].tolist() == [[1, 2, 3], [4, 5, 6]]


def test_augmentation_forgets_what_lists_know() -> None:
    assert augmented(forget_windows=1.0)["kinds"].tolist() == [[0, 0, 0], [0, 0, 0]]
    assert augmented(forget_words=1.0)["kinds"].tolist() == [[0, 0, 0], [0, 0, 0]]


def augmented(**settings: float) -> Batch:
    none = dict.fromkeys(("lower", "upper", "hide", "forget_windows", "forget_words"), 0.0)
    batch = {"ids": torch.ones(2, 3, dtype=torch.long), "visible": torch.ones(2, 3, dtype=torch.bool)}
    batch |= {"shapes": torch.tensor([[0, 2, 10], [5, 6, 19]]), "kinds": torch.tensor([[1, 2, 3], [4, 5, 6]])}
    return Augmenter(none | settings, torch.device("cpu"), 1)(batch)


def test_temperature_recovers_a_known_one() -> None:
    generator = torch.Generator().manual_seed(1)
    logits = torch.randn(20000, generator=generator) * 3
    truths = torch.rand(20000, generator=generator) < torch.sigmoid(logits / 2)
    assert calibrate.temperature(logits.numpy(), truths.numpy()) == pytest.approx(2, rel=0.1)


def test_the_encoder_as_run_gives_what_the_encoder_as_trained_gives() -> None:
    torch.manual_seed(1)
    model = Tagger(SIZE, 0.0).eval()
    embedded = torch.randn(2, 9, SIZE.hidden_size)
    with torch.no_grad():
        assert torch.allclose(FlatEncoder(model)(embedded), model.encode(embedded, None), atol=1e-5)


def test_imitation_is_least_for_the_mean_of_the_teachers_and_counts_visible_tokens_only() -> None:
    torch.manual_seed(2)
    shapes = ((2, 5, len(TAGS)), (2, 5, len(DECISIONS)), (2, 5))
    teachers = [tuple(torch.randn(shape) for shape in shapes) for _ in range(3)]
    mean = [torch.stack([teacher[part].softmax(-1) for teacher in teachers]).mean(0).log() for part in (0, 1)]
    mask = torch.stack([teacher[2].sigmoid() for teacher in teachers]).mean(0).logit()
    visible = torch.ones(2, 5, dtype=torch.bool)
    visible[:, 3:] = False
    opinions = torch.stack([probabilities(*teacher) for teacher in teachers]).mean(0)
    least = imitation((*mean, mask), opinions, visible)
    other = [value + 0.3 * torch.randn_like(value) for value in (*mean, mask)]
    assert least < imitation(tuple(other), opinions, visible)
    other[2][:, :3] = mask[:, :3]
    for part in (0, 1):
        other[part][:, :3] = mean[part][:, :3]
    assert torch.isclose(imitation(tuple(other), opinions, visible), least)


def _windows(rng: np.random.Generator, count: int, width: int) -> Windows:
    def small(most: int) -> np.ndarray:
        return rng.integers(0, most, (count, width)).astype(np.int16)

    sizes = rng.integers(3, width + 1, count).astype(np.int16)
    return Windows(small(40), small(4), small(4), small(2), small(2), small(2), sizes, np.zeros(count, np.int16), [])


def test_opinions_are_the_mean_of_the_teachers_and_belong_to_their_windows(tmp_path: Path) -> None:
    torch.manual_seed(3)
    rng = np.random.default_rng(3)
    windows = {8: _windows(rng, 5, 8), 16: _windows(rng, 3, 16)}
    teachers = [Tagger(SIZE, 0.0).eval() for _ in range(2)]
    opinions = ask(teachers, windows, torch.device("cpu"))
    for width, bucket in windows.items():
        for row, size in enumerate(bucket.sizes):
            alone = [
                torch.from_numpy(array[row : row + 1, :size]).long()
                for array in (bucket.ids, bucket.shapes, bucket.kinds)
            ]
            with torch.no_grad():
                answers = [
                    probabilities(*teacher(alone[0], torch.ones_like(alone[0]), *alone[1:])) for teacher in teachers
                ]
            assert torch.allclose(opinions[width][row, :size].float(), torch.stack(answers).mean(0)[0], atol=2e-3)
    path = tmp_path / "opinions.safetensors"
    write_opinions(path, opinions, windows)
    again = read_opinions(path, windows)
    assert all(torch.equal(again[width], opinions[width]) for width in windows)
    with pytest.raises(SystemExit, match="other windows"):
        read_opinions(path, {8: windows[8]})


def _gated_tagger(threshold: float = 0.5) -> Tagger:
    torch.manual_seed(4)
    model = Tagger(SIZE, 0.0)
    add_gate(model, 1, threshold)
    model.eval()
    return model


def _tokens(count: int, length: int) -> list[Any]:
    generator = torch.Generator().manual_seed(5)
    limits = (1, 60), (0, SHAPE_COUNT), (0, 96)
    return [torch.randint(*limit, (count, length), generator=generator) for limit in limits]


def test_later_layers_change_only_tokens_that_pass_the_gate() -> None:
    model = _gated_tagger()
    ids, *inputs = _tokens(1, 12)
    with torch.no_grad():
        (_, _, mask), _, gate, passes = model.read(ids, torch.ones_like(ids), *inputs)
        assert gate is not None
        assert passes is not None
        passes = passes[0]
        assert torch.equal(mask[0, ~passes], gate[0, ~passes])
        assert 1 < int(passes.sum()) < 12
        for layer in list(model.layers)[1:]:
            layer.done.bias += 1.0
        changed = model(ids, torch.ones_like(ids), *inputs)[2]
        assert torch.equal(mask[0, ~passes], changed[0, ~passes])
        assert (mask[0, passes] != changed[0, passes]).all()
        model.is_gate_open = True
        assert (model(ids, torch.ones_like(ids), *inputs)[2] != mask).any()


@pytest.mark.parametrize("threshold", [1e-6, 0.5, 1 - 1e-6])
def test_an_early_exit_as_run_gives_what_it_gives_as_trained(threshold: float) -> None:
    model = _gated_tagger(threshold)
    ids, *inputs = _tokens(1, 12)
    with torch.no_grad():
        wanted, given = model(ids, torch.ones_like(ids), *inputs), GatedInference(model)(ids, *inputs)
    for one, other in zip(wanted, given, strict=True):
        torch.testing.assert_close(one, other, atol=1e-5, rtol=1e-4)


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::torch.jit.TracerWarning")
@pytest.mark.parametrize("is_gated", [True, False])
def test_an_exported_tagger_is_the_same_in_onnx_and_in_torch(is_gated: bool, tmp_path: Path) -> None:
    torch.manual_seed(4)
    model = _gated_tagger() if is_gated else Tagger(SIZE, 0.0).eval()
    with torch.no_grad():
        for values in model.parameters():
            values += 0.1 * torch.randn_like(values)  # equal weights would be stored once
    ids, *inputs = _tokens(1, 12)
    to_onnx(model, tmp_path / "full.onnx")
    quantized(tmp_path / "full.onnx", tmp_path / "tagger.onnx")
    feed = dict(zip(("input_ids", "case_ids", "word_kinds"), (ids.numpy(), *(v.numpy() for v in inputs)), strict=True))
    outputs = ["type_logits", "decision_logits", "mask_logit"]
    exact = open_onnx(str(tmp_path / "full.onnx")).run(outputs, feed)
    with torch.no_grad():
        inference = GatedInference(model) if is_gated else Inference(model)
        for one, other in zip(inference.eval()(ids, *inputs), exact, strict=True):
            torch.testing.assert_close(one, torch.from_numpy(other), atol=1e-4, rtol=1e-3)
    size = {**asdict(model.size), "layer_norm_eps": 1e-12}
    in_torch = TorchTagger(tmp_path / "tagger.onnx", size, "cpu").run([tuple(v[0].tolist() for v in (ids, *inputs))])
    for one, other in zip(in_torch[0], exact, strict=True):
        assert np.abs(one - other[0]).max() < 0.1  # weights were rounded to 8 bits


def test_the_gate_learns_from_annotators_and_from_teachers() -> None:
    gate = torch.tensor([[4.0, -4.0, -4.0]])
    batch = {"masks": torch.tensor([[1, 0, -1]]), "visible": torch.ones(1, 3, dtype=torch.bool)}
    assert gate_loss(gate, batch, 0.6) < 0.02
    opinions = torch.zeros(1, 3, len(TAGS) + len(DECISIONS) + 1)
    opinions[0, :, -1] = torch.tensor([1.0, 0.0, 1.0])
    # Of the third token nobody but the teachers says anything: it must pass.
    assert gate_loss(gate, {**batch, "opinions": opinions}, 0.6) > 0.6


def test_the_mean_of_taggers_keeps_the_gate_that_only_the_first_has() -> None:
    first, second = _gated_tagger(), Tagger(SIZE, 0.0)
    assert first.gate is not None
    gate, words = first.gate.weight.clone(), 0.25 * first.words.weight + 0.75 * second.words.weight
    mean = average([first, second], [0.25, 0.75])
    assert mean.gate is not None
    torch.testing.assert_close(mean.gate.weight, gate)
    torch.testing.assert_close(mean.words.weight, words)
