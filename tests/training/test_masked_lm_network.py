"""Masking and the network of the language model; needs torch, which make test-extras installs."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("safetensors")

from training.encoder import Size
from training.masked_lm import masking
from training.masked_lm.fit import rate
from training.masked_lm.model import MaskedLM, load
from training.masked_lm.train import save
from training.tagger.model import load as load_tagger

pytestmark = pytest.mark.extras

SIZE = Size(60, 16, 2, 2, 32, 64)
BEGINS = torch.tensor([[1, 1, 0, 1, 1, 0, 0, 1, 1, 1], [1, 1, 1, 1, 1, 1, 1, 0, 1, 1]], dtype=torch.bool)


def _generator(seed: int = 1) -> Any:
    return torch.Generator().manual_seed(seed)


def test_words_are_hidden_whole_and_at_their_share() -> None:
    begins = torch.rand((400, 50), generator=_generator()) < 0.7
    chosen = masking.scattered(begins, 0.15, _generator(2))
    same_word = ~begins[:, 1:]
    assert torch.equal(chosen[:, 1:][same_word], chosen[:, :-1][same_word])
    assert chosen.float().mean().item() == pytest.approx(0.15, abs=0.02)


def test_turns_hide_every_token_once() -> None:
    turns = [masking.alternating(BEGINS, torch.tensor([turn, turn]), 3) for turn in range(3)]
    assert torch.equal(sum(turn.long() for turn in turns), torch.ones_like(BEGINS).long())
    # Window 0: words at 0 | 1-2 | 3 | 4-6 | 7 | 8 | 9, numbered from 1; turn 2 hides numbers 2 and 5.
    assert turns[2][0].nonzero().flatten().tolist() == [1, 2, 7]


def test_terms_are_words_or_runs_of_words() -> None:
    joined = masking.merged(BEGINS.repeat(50, 1), _generator())
    assert not (joined & ~BEGINS.repeat(50, 1)).any()
    assert 0.5 < joined.sum() / BEGINS.repeat(50, 1).sum() < 1


def test_targets_are_what_stood_there() -> None:
    ids = torch.arange(20).view(2, 10)
    chosen = masking.alternating(BEGINS, torch.tensor([2, 1]), 3)
    batch = masking.hidden(ids, chosen, 99)
    assert batch.targets.tolist() == ids[chosen].tolist() == batch.positions.tolist()
    assert (batch.ids[chosen] == 99).all()
    assert torch.equal(batch.ids[~chosen], ids[~chosen])


def test_disguise_is_eighty_ten_ten() -> None:
    ids = torch.full((100, 200), 5)
    chosen = torch.zeros_like(ids, dtype=torch.bool)
    chosen[:, ::2] = True
    batch = masking.disguised(ids, chosen, 99, torch.tensor([7, 8]), _generator())
    seen = batch.ids[chosen]
    assert (batch.ids[~chosen] == 5).all()
    assert (batch.targets == 5).all()
    for found, share in ((seen == 99, 0.8), (seen > 5, 0.9), (seen == 5, 0.1)):
        assert found.float().mean().item() == pytest.approx(share, abs=0.02)


def test_logits_only_where_asked_and_padding_changes_nothing() -> None:
    torch.manual_seed(1)
    model = MaskedLM(SIZE).eval()
    ids = torch.randint(1, 60, (2, 9))
    everywhere = model(ids, None, torch.arange(18))
    some = model(ids, torch.ones_like(ids), torch.tensor([3, 12]))
    torch.testing.assert_close(some, everywhere[[3, 12]], atol=1e-5, rtol=1e-4)
    wide = torch.nn.functional.pad(ids, (0, 4))
    padded = model(wide, (wide > 0).long(), torch.tensor([3, 13 + 3]))
    torch.testing.assert_close(padded, some, atol=1e-5, rtol=1e-4)


def test_the_rate_rises_and_ends_at_nothing() -> None:
    assert [rate(progress, 0.1) for progress in (0.0, 0.05, 0.1, 0.55, 1.0)] == pytest.approx([0, 0.5, 1, 0.5, 0])


def test_saved_weights_come_back_here_and_as_the_taggers_encoder(tmp_path: Path) -> None:
    torch.manual_seed(1)
    model = MaskedLM(SIZE).eval()
    (tmp_path / "tokenizer.json").write_text("{}", encoding="utf-8")
    save(tmp_path / "out", model, {"size": dataclasses.asdict(SIZE)}, tmp_path)
    again, tagger = load(tmp_path / "out"), load_tagger(tmp_path / "out")
    for name, value in again.state_dict().items():
        torch.testing.assert_close(value, model.state_dict()[name].half().float())
        if not name.startswith("lm_"):
            assert torch.equal(tagger.state_dict()[name], value)
    assert not tagger.shapes.weight.any()


def test_the_network_as_exported_says_the_same() -> None:
    pytest.importorskip("onnxruntime")
    from training.masked_lm.export import Inference

    torch.manual_seed(1)
    model = MaskedLM(SIZE).eval()
    ids, positions = torch.randint(1, 60, (2, 9)), torch.tensor([3, 12, 17])
    exported = Inference(model).eval()
    exported.words = model.words  # in 8 bits, all that may differ
    with torch.no_grad():
        torch.testing.assert_close(exported(ids, positions), model(ids, None, positions), atol=1e-5, rtol=1e-4)


def test_a_table_in_eight_bits_is_off_by_half_a_step_of_its_row() -> None:
    pytest.importorskip("onnxruntime")
    from training.masked_lm.export import Table

    weight = torch.randn((40, 8), generator=_generator()) * torch.logspace(-4, 2, 40)[:, None]
    off = (Table(weight)(torch.arange(40)) - weight).abs()
    assert (off <= weight.abs().amax(1, keepdim=True) / 254 * 1.0001).all()
