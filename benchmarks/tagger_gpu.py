"""Tokens a second of the tagger's network on a GPU and on one core, in one run.

    python benchmarks/tagger_gpu.py [--device cuda] [--tokens 4000000] [--texts TEXTS.jsonl]

Windows of 256 tokens, as long texts are cut into. With ``--texts`` (one ``{"text": ...}`` a line) whole texts are
measured too, tokenizer and shapes included. Median of five runs after one that is not counted; the core runs the
shipped 8-bit network of onnxruntime on one thread. Needs torch, onnx and onnxruntime, and of this package the sources.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))

from sfumato.detectors.tagger import SHAPE_COUNT
from sfumato.lexicon.word_kinds import WORD_KIND_COUNT
from sfumato.models.base import open_onnx
from sfumato.models.torch_tagger import TorchTagger, Window

REPEATS = 5
INPUTS = ("input_ids", "case_ids", "word_kinds")
MODEL = Path(__file__).resolve().parents[1] / "src" / "sfumato" / "models" / "weights" / "tagger"


def rate(work: Callable[[], object], tokens: int) -> float:
    """Tokens a second, the median of several runs."""
    work()
    times = []
    for _ in range(REPEATS):
        started = time.perf_counter()
        work()
        times.append(time.perf_counter() - started)
    return tokens / statistics.median(times)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--tokens", type=int, default=4_000_000, help="for the device")
    parser.add_argument("--core-tokens", type=int, default=20_000, help="for the core")
    parser.add_argument("--texts", type=Path)
    options = parser.parse_args()
    config = json.loads((MODEL / "config.json").read_text(encoding="utf-8"))
    length = int(config["window"])
    random = np.random.default_rng(1)

    def windows(count: int) -> list[Window]:
        ranges = (1000, int(config["size"]["vocab_size"])), (0, SHAPE_COUNT), (0, WORD_KIND_COUNT)
        parts = [random.integers(low, high, (count, length)).tolist() for low, high in ranges]
        return list(zip(*parts, strict=True))

    session = open_onnx(str(MODEL / "tagger.onnx"))
    few = windows(options.core_tokens // length)
    feeds = [{name: np.array([part], np.int64) for name, part in zip(INPUTS, window, strict=True)} for window in few]
    core = rate(lambda: [session.run(None, feed) for feed in feeds], len(few) * length)
    network = TorchTagger(MODEL / "tagger.onnx", config["size"], options.device)
    many = windows(options.tokens // length)
    device = rate(lambda: network.run(many), len(many) * length)
    differences = []
    for window, feed in zip(few[:8], feeds, strict=False):
        ours = network.run([window])[0][-1]
        theirs = session.run(["mask_logit"], feed)[0][0]
        differences.append(float(np.abs(ours - theirs).max()))
    print(f"one core, 8-bit ONNX: {core:,.0f} tokens/s")
    print(f"{options.device}, half precision: {device:,.0f} tokens/s, {device / core:.1f} times one core")
    print(f"largest difference of a mask logit on 8 windows of random tokens: {max(differences):.3f}")
    if options.texts:
        from sfumato.detectors.tagger import SHIPPED_MODEL, load_network

        texts = [json.loads(line)["text"] for line in options.texts.read_text(encoding="utf-8").splitlines()]
        on_core, on_device = load_network(SHIPPED_MODEL, 1), load_network(SHIPPED_MODEL, 1, options.device)
        predictions = on_core.predict(texts[:10])
        tokens = sum(len(prediction.mask) for prediction in predictions)
        whole_core = rate(lambda: on_core.predict(texts[:10]), tokens)
        tokens = sum(len(prediction.mask) for prediction in on_device.predict(texts))
        whole_device = rate(lambda: on_device.predict(texts), tokens)
        print(f"whole texts: {whole_core:,.0f} and {whole_device:,.0f} tokens/s, {whole_device / whole_core:.1f} times")


if __name__ == "__main__":
    main()
