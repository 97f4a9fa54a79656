"""The tagger in torch: the network of the ONNX file, whatever stands beside a window in its batch."""

from __future__ import annotations

from pathlib import Path

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("onnx")

import numpy as np

from sfumato.detectors.tagger import SHIPPED_MODEL, TaggerDetector, load_network
from sfumato.document import Document
from sfumato.errors import InputError, RecipeError
from sfumato.models.torch_tagger import TorchTagger

pytestmark = pytest.mark.extras

TEXTS = [
    "The applicant, Mr Quorvex Belnikov, was born in 1979 and lives in Brackwater.",
    "Call me.",
    "",
    "El paciente vive en Sevilla desde el 3 de marzo de 2019. " * 30,
]
CONFIG = load_network(SHIPPED_MODEL, 1).config


def _network(path: Path = SHIPPED_MODEL / "tagger.onnx", device: str = "cpu") -> TorchTagger:
    return TorchTagger(path, CONFIG["size"], device)


def test_it_predicts_what_the_onnx_network_predicts() -> None:
    expected = load_network(SHIPPED_MODEL, 1).predict(TEXTS)
    predicted = load_network(SHIPPED_MODEL, 1, "torch:cpu").predict(TEXTS)
    for theirs, ours in zip(expected, predicted, strict=True):
        assert ours.offsets == theirs.offsets
        # The ONNX network rounds activations to 8 bits.
        assert np.abs(ours.mask - theirs.mask).max(initial=0) < 0.2
        differing = ours.types.argmax(-1) != theirs.types.argmax(-1)
        assert differing.sum() <= 0.03 * len(differing)


def test_a_window_has_the_same_logits_alone_and_beside_longer_ones() -> None:
    network = _network()
    random = np.random.default_rng(3)
    windows = [
        tuple(random.integers(*limits, length).tolist() for limits in ((1000, 30_000), (0, 24), (0, 96)))
        for length in (5, 40, 12, 40, 1)
    ]
    together = network.run(windows)
    for window, outputs in zip(windows, together, strict=True):
        for alone, beside in zip(network.run([window])[0], outputs, strict=True):
            assert alone.shape == beside.shape
            assert np.allclose(alone, beside, atol=1e-4)


def test_the_detector_finds_the_same_names_on_both() -> None:
    documents = [Document(str(number), text) for number, text in enumerate(TEXTS)]
    items = [
        [[(span.start, span.end, span.label) for span in spans] for spans in detector.detect(documents)]
        for detector in (TaggerDetector(), TaggerDetector(device="torch:cpu"))
    ]
    assert items[0] == items[1]


def test_a_device_that_is_not_there_is_named() -> None:
    with pytest.raises(RecipeError, match="cuda:99"):
        _network(device="cuda:99")


def test_another_network_is_refused(tmp_path: Path) -> None:
    import onnx

    graph = onnx.helper.make_graph([], "empty", [], [])
    onnx.save(onnx.helper.make_model(graph), tmp_path / "tagger.onnx")
    with pytest.raises(InputError, match=r"tagger\.onnx"):
        _network(tmp_path / "tagger.onnx")
